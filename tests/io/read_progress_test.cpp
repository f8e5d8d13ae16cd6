// Reading reports its progress, and can be stopped at any point.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

#include "base/time.h"
#include "io/byte_source.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {
namespace {

class ReadProgressTest : public Scratch {
 protected:
  void SetUp() override {
    Scratch::SetUp();
    trace::Trace trace;
    fill_randomly(trace, 11, 4'000);  // some megabytes: many pieces
    events = trace.counts().recorded;
    write_chrome_trace(file("plain.json"), trace, {});
    write_chrome_trace(file("packed.json.gz"), trace, {});
  }
  std::uint64_t events = 0;
};

TEST_F(ReadProgressTest, EndsWithAllOfTheFileAndAllOfItsEvents) {
  for (const char* name : {"plain.json", "packed.json.gz"}) {
    ReadProgress progress;
    const OpenedTrace opened = read_chrome_trace(file(name), &progress);
    EXPECT_EQ(progress.stage, ReadStage::Arranging);
    EXPECT_EQ(progress.events, events);
    EXPECT_EQ(progress.total, events);
    EXPECT_EQ(opened.events_read, events);
  }
}

TEST_F(ReadProgressTest, TheBytesAreThoseOnTheDisk) {
  for (const char* name : {"plain.json", "packed.json.gz"}) {
    const auto size = std::filesystem::file_size(file(name));
    ReadProgress progress;
    ByteSource source(file(name));
    source.report_to(progress);
    EXPECT_EQ(progress.total, size);
    std::uint64_t before = 0;
    while (!source.next().empty()) {
      EXPECT_GE(progress.done, before);
      EXPECT_LE(progress.done, size);
      before = progress.done;
    }
    EXPECT_EQ(progress.done, size);
  }
  const std::string bytes = read_bytes(file("plain.json"));
  ReadProgress progress;
  ByteSource(bytes, "memory").report_to(progress);
  EXPECT_EQ(progress.total, bytes.size());
}

TEST_F(ReadProgressTest, StopsWhereverItIs) {
  for (const char* name : {"plain.json", "packed.json.gz"}) {
    ReadProgress before;
    before.cancelled = true;
    EXPECT_THROW(read_chrome_trace(file(name), &before), Cancelled);
    EXPECT_EQ(before.events, 0u);
    // Stopped by another thread midway: it either succeeds or is cancelled, but never returns half a trace.
    for (int round = 0; round < 5; ++round) {
      ReadProgress progress;
      std::jthread stopper([&] {
        while (progress.done < 1'000'000u * static_cast<unsigned>(round) && progress.stage == ReadStage::Reading) {
        }
        progress.cancelled = true;
      });
      try {
        EXPECT_EQ(read_chrome_trace(file(name), &progress).events_read, events);
      } catch (const Cancelled&) {
      }
    }
  }
}

// The check in the comparisons of the builder's sorts ends a sort soon after a stop was requested.
TEST(StopCheck, EndsASort) {
  std::vector<int> values(200'000);
  std::iota(values.rbegin(), values.rend(), 0);
  ReadProgress progress;
  StopCheck stop(progress);
  std::size_t compared = 0;
  const auto before = [&](int a, int b) {
    if (++compared == 1'000) progress.cancelled = true;
    stop();
    return a < b;
  };
  EXPECT_THROW(std::sort(values.begin(), values.end(), before), Cancelled);
  EXPECT_LT(compared, 20'000u);
  EXPECT_THROW(stop.now(), Cancelled);
  progress.cancelled = false;
  std::sort(values.begin(), values.end(), before);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
}

// A file is limited by the memory its events need, not by their number.
TEST_F(ReadProgressTest, MoreThanTheMemoryHoldsIsRefusedByName) {
  const std::string little = error_of([&] { read_chrome_trace(file("plain.json"), nullptr, {50'000}); });
  EXPECT_THAT(little, testing::HasSubstr("plain.json: too large: more than "));
  EXPECT_THAT(little, testing::HasSubstr(base::format_bytes(50'000)));
  EXPECT_EQ(little.find('\n'), std::string::npos);
  EXPECT_THAT(little, testing::Not(testing::HasSubstr("half of this machine's"))) << "a limit that was asked for";
  EXPECT_THAT(error_of([&] { read_chrome_trace(read_bytes(file("packed.json.gz")), "memory", nullptr, {50'000}); }),
              testing::HasSubstr("memory: too large"));
  EXPECT_EQ(read_chrome_trace(file("plain.json"), nullptr, {200 * events}).events_read, events);
}

TEST_F(ReadProgressTest, AnErrorIsStillAnError) {
  ReadProgress progress;
  EXPECT_THAT(error_of([&] { read_chrome_trace(file("none.json"), &progress); }),
              testing::HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of([&] { read_chrome_trace(write("cut.json", "{\"traceEvents\":[{"), &progress); }),
              testing::HasSubstr("truncated"));
}

}  // namespace
}  // namespace lanescope::io
