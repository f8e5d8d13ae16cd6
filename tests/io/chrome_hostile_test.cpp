// Corrupt, truncated and hostile files: one line with the reason, or all whole events and a sentence; never a crash.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "io/byte_source.h"
#include "io/trace_file.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string decompress(const std::filesystem::path& path) {
  ByteSource source(path);
  std::string all;
  for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) all += piece;
  return all;
}

class HostileTest : public Scratch {
 protected:
  std::string error_for(std::string_view bytes) {
    const auto path = write("trace.json", bytes);
    return error_of([&] { read_chrome_trace(path); });
  }
  /// Why it was refused, or what is missing.
  std::string said_of(std::string_view bytes) {
    std::string missing;
    const std::string error = error_of([&] { missing = read_chrome_trace(bytes, "memory").incomplete; });
    return error.empty() ? missing : error;
  }
};

TEST_F(HostileTest, ErrorsNameThePathAndTheReason) {
  EXPECT_THAT(error_of([&] { read_chrome_trace(file("none.json")); }),
              AllOf(StartsWith(file("none.json").string() + ": "), HasSubstr("No such file or directory")));
  EXPECT_THAT(error_of([&] { read_chrome_trace(folder_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(error_for(""), HasSubstr("the file is empty"));
  EXPECT_THAT(error_for("{\"traceEvents\": 5}"), HasSubstr("no \"traceEvents\""));
  EXPECT_THAT(error_for("{\"spam\": []}"), HasSubstr("no \"traceEvents\""));
  EXPECT_THAT(error_for("42"), HasSubstr("not a Chrome trace"));
  EXPECT_THAT(error_for("\x7f"
                        "ELF\x02\x01\x01"),
              HasSubstr("not valid JSON, at byte 1"));
}

// Of a file that is something else, what it is.
TEST_F(HostileTest, WhatIsNoTraceIsCalledByItsName) {
  using namespace std::string_literals;
  const auto told = [&](const std::string& name, const std::string& bytes) {
    const auto path = write(name, bytes);
    return error_of([&] { read_trace(path); });
  };
  EXPECT_EQ(told("random.sqlite", "\x07\x13\x88\x01\xf3random"s),
            file("random.sqlite").string() + ": not a trace: binary data of an unknown kind");
  EXPECT_THAT(told("r.json", R"({"rocprofiler-sdk-tool": [{"metadata": {}}]})"), HasSubstr("rocprofv3"));
  EXPECT_THAT(told("a.json", "\x89PNG\r\n\x1a\n"s), HasSubstr("not a trace: a PNG picture"));
  EXPECT_THAT(told("c.json", "epoch 1: loss 0.5\n"s), HasSubstr("not a trace: text that does not begin a JSON trace"));
  EXPECT_THAT(told("d.json", "\xEF\xBB\xBF [\n"s), HasSubstr("truncated"));
}

TEST_F(HostileTest, SyntaxErrorsSayWhere) {
  EXPECT_THAT(error_for(R"({"traceEvents":[{"ph":"X",1}]})"), HasSubstr("not valid JSON, at byte 27: "));
  EXPECT_THAT(read_chrome_trace("[{\"ph\":\"X\"}]garbage", "memory").incomplete, HasSubstr("damaged at byte 13"));
  EXPECT_THAT(error_for("[{\"ts\":1e999}]"), HasSubstr("not valid JSON, at byte"));
  EXPECT_LT(error_for("[" + std::string(10'000, '9') + "x").size(), 400u);
}

TEST_F(HostileTest, EveryTruncationIsSaid) {
  trace::Trace trace;
  fill_randomly(trace, 5, 3);
  write_chrome_trace(file("whole.json"), trace, {});
  const std::string whole = read_bytes(file("whole.json"));
  for (std::size_t size = 1; size + 2 < whole.size(); size += 13) {  // the last two bytes are "}" and a line feed
    ASSERT_THAT(said_of(whole.substr(0, size)), AnyOf(HasSubstr("the file is truncated"), HasSubstr("cut off")))
        << size;
  }
  const std::string gz = gzip(whole);
  for (std::size_t size = 2; size < gz.size(); size += 7) {
    ASSERT_THAT(said_of(gz.substr(0, size)), AnyOf(HasSubstr("the file is truncated"), HasSubstr("cut off"))) << size;
  }
}

TEST_F(HostileTest, BrokenGzipIsAnError) {
  std::string gz = read_bytes(fixture("pytorch-event-sync.json.gz"));
  gz[gz.size() / 2] = static_cast<char>(gz[gz.size() / 2] ^ 0x55);
  EXPECT_NE(said_of(gz), "");
  std::string checksum = read_bytes(fixture("pytorch-event-sync.json.gz"));
  checksum[checksum.size() - 6] = static_cast<char>(checksum[checksum.size() - 6] ^ 1);
  EXPECT_THAT(said_of(checksum), HasSubstr("its compressed data cannot be read to the end"));
}

TEST_F(HostileTest, DeepNestingIsRefused) {
  EXPECT_THAT(error_for(std::string(1'000'000, '[')), HasSubstr("nested more than 512 deep"));
  std::string objects = "{\"traceEvents\":[";
  for (int i = 0; i < 100'000; ++i) objects += "{\"args\":";
  EXPECT_THAT(error_for(objects), HasSubstr("nested more than 512 deep"));
}

TEST_F(HostileTest, AGzipBombIsRefusedEarly) {
  // 100 MB of spaces, as white space within valid JSON, in 100 KB.
  std::string spaces(100'000'000, ' ');
  spaces.front() = '[';
  spaces.back() = ']';
  const std::string bomb = gzip(spaces, 9);
  ASSERT_LT(bomb.size(), 150'000u);
  EXPECT_THAT(error_for(bomb), HasSubstr("decompresses to far more"));
}

TEST_F(HostileTest, TheSizeLimitHolds) {
  const auto path = write("trace.json", std::string(5'000'000, ' '));
  EXPECT_THAT(error_of([&] {
                ByteSource source(path, {1'000'000, 250});
                while (!source.next().empty()) {
                }
              }),
              HasSubstr("too large"));
}

TEST_F(HostileTest, AnEndlessValueIsRefused) {
  const std::string text = "[{\"name\":\"" + std::string(70'000'000, 'x') + "\"}]";
  EXPECT_THAT(error_for(text), HasSubstr("one value in it is longer than 64 MB"));
}

TEST_F(HostileTest, ThousandsOfLanesStayWithinTheMemory) {
  // Every event on its own thread, and 270 at the same time on one thread: lanes and rows are both limited.
  std::string text = "[";
  for (int i = 0; i < 6'000; ++i) {
    text += "{\"ph\":\"X\",\"pid\":" + std::to_string(i) + ",\"tid\":\"t\",\"ts\":1,\"dur\":5},";
  }
  for (int i = 0; i < 270; ++i) text += "{\"ph\":\"X\",\"pid\":1,\"tid\":\"t\",\"ts\":1,\"dur\":5},";
  text.back() = ']';
  const OpenedTrace opened = read_chrome_trace(write("trace.json", text));
  EXPECT_EQ(opened.trace->lane_count(), trace::Trace::kMaxLanes);
  EXPECT_EQ(opened.events_malformed, 6'000 - trace::Trace::kMaxLanes);
  EXPECT_EQ(opened.trace->counts().dropped, 271 - trace::Lane::kMaxRows);
}

TEST_F(HostileTest, OwnFilesWithBrokenHeadsAreNotFatal) {
  const std::string event = R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"lane":0})";
  const auto opened = [&](const std::string& other) {
    return read_chrome_trace(write("trace.json", "{\"otherData\":" + other + ",\"traceEvents\":[" + event + "]}"));
  };
  EXPECT_EQ(opened(R"({"lanescope":"9","format":1,"lanes":[{"kind":"kernels"}]})").events_read, 1u);
  EXPECT_EQ(opened(R"({"lanescope":"9","format":1,"lanes":[{"kind":"unheard of"}]})").events_malformed, 1u);
  EXPECT_EQ(opened(R"({"lanescope":"9","format":1,"lanes":[]})").events_malformed, 1u);
  EXPECT_EQ(opened(R"({"lanescope":"9","format":1})").events_malformed, 1u);
  EXPECT_EQ(opened(R"({"lanescope":{},"format":[1],"lanes":{"a":[]},"settings":[1],"events":"x"})").events_read, 1u);
  EXPECT_THAT(error_of([&] { opened(R"({"lanescope":"9","format":2,"lanes":[{"kind":"kernels"}]})"); }),
              HasSubstr("newer Lanescope"));
}

// Keys that stand where they stood in the events before are read the short way, with their comma and white space.
TEST_F(HostileTest, DamageIsFoundInEventsThatAreWrittenAlike) {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 8; ++i) {
    text +=
        std::string(i > 0 ? ",\n" : "") +
        R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1712195495505543.140, "dur": 10, "args":
              {"External id": 0, "queued": 0,      "device": 0, "stream": 7, "correlation": 12, "grid": [2, 106, 1], "a":)"
        R"( 1, "b": 2, "c": null, "d": "text", "e": 1.5, "f": true, "g": [], "h": {}, "i": -1, "j": 0, "k": 3}})";
  }
  text += "]}";
  const auto is_read = [](const std::string& bytes) {
    try {
      const std::string said = read_chrome_trace(bytes, "memory").incomplete;  // if it had to leave something out
      return said.find("damaged") == std::string::npos && said.find("cut off") == std::string::npos &&
             said.find("faults") == std::string::npos;
    } catch (const base::FileError&) {
      return false;
    }
  };
  ASSERT_TRUE(is_read(text));
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int valid = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string damaged = text;
    const std::size_t at = 18 + below(text.size() - 20);  // within the events
    switch (below(3)) {
      case 0:
        damaged.erase(at, 1);
        break;
      case 1:
        damaged.insert(at, 1, "\"{}[],:0 "[below(9)]);
        break;
      default:
        damaged[at] = "\"{}[],:0 "[below(9)];
    }
    const bool expected = nlohmann::json::accept(damaged);
    valid += expected ? 1 : 0;
    ASSERT_EQ(is_read(damaged), expected) << "at byte " << at + 1 << ":\n" << damaged;
  }
  EXPECT_GT(valid, 500);
  EXPECT_LT(valid, 5500);
}

// The 17th key is the first one again, without the comma that it would need there.
TEST_F(HostileTest, AMissingCommaIsFoundBeforeAKeyThatWasTheFirst) {
  std::string arguments;
  for (char name = 'a'; name <= 'p'; ++name) arguments += std::string(name > 'a' ? "," : "") + '"' + name + "\":1";
  const auto event = [&](const std::string& more) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{)" + arguments + more + "}}";
  };
  const auto trace = [](const std::string& events) { return "{\"traceEvents\":[" + events + "]}"; };
  EXPECT_EQ(error_for(trace(event("") + "," + event(",\"a\":1"))), "");
  EXPECT_THAT(said_of(trace(event("") + "," + event("\"a\":1"))), HasSubstr("damaged at byte"));
}

// Also what the sanitizer build runs.
TEST_F(HostileTest, TwoThousandMutationsNeverCrash) {
  trace::Trace trace;
  fill_randomly(trace, 9, 3);
  write_chrome_trace(file("own.json"), trace, {});
  const std::string seeds[] = {read_bytes(file("own.json")), decompress(fixture("pytorch-event-sync.json.gz")),
                               read_bytes(fixture("pytorch-event-sync.json.gz"))};
  const std::string_view pieces[] = {"-",
                                     "e9",
                                     "null",
                                     "[",
                                     "{",
                                     "}",
                                     "]",
                                     "\"",
                                     ",",
                                     "\\u",
                                     "9999999999999999999",
                                     "lane",
                                     "\"ts\":-1,",
                                     "\"ph\":\"E\"",
                                     "1e308",
                                     "\"args\":{\"correlation\":",
                                     "\xff",
                                     "0.5"};
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int opened = 0, refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = seeds[below(8) == 0 ? 2 : below(2)];  // hardly any change to compressed bytes passes the
                                                              // checksum
    for (std::size_t n = 1 + below(4); n > 0; --n) {
      const std::size_t at = below(bytes.size());
      switch (below(9)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.insert(at, pieces[below(std::size(pieces))]);
          break;
        case 2:
          bytes.erase(at, below(40));
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(200)));
          break;
        default:
          for (std::size_t i = at; i < std::min(bytes.size(), at + 200); ++i) {
            if (bytes[i] >= '0' && bytes[i] <= '9') bytes[i] = static_cast<char>('0' + below(10));
          }
      }
    }
    if (below(8) == 0) bytes.resize(1 + below(bytes.size()));
    const auto path = write("trace.json", bytes);
    if (error_of([&] {
          const OpenedTrace result = read_chrome_trace(path);
          // What was read is usable: every row in order, and it can be written again.
          for (std::size_t l = 0; l < result.trace->lane_count(); ++l) {
            const trace::Lane& lane = result.trace->lane(static_cast<LaneId>(l));
            for (std::size_t r = 0; r < lane.row_count(); ++r) {
              for (auto i = lane.row(r).first() + 1; i < lane.row(r).last(); ++i) {
                ASSERT_LE(lane.row(r).end(i - 1), lane.row(r).start(i));
              }
            }
          }
          if (round % 10 == 0) write_chrome_trace(file("again.json"), *result.trace, result.facts);
        }).empty()) {
      ++opened;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(opened, 200);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace lanescope::io
