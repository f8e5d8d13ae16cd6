// Reading says how far it is, and can be stopped, at whatever point.
#include <gmock/gmock.h>

#include <thread>

#include "io/byte_source.h"
#include "io/chrome_trace.h"
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
    // Stopped by another thread in the middle: it ends one way or the other, and never with half a trace.
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

TEST_F(ReadProgressTest, AnErrorIsStillAnError) {
  ReadProgress progress;
  EXPECT_THAT(error_of([&] { read_chrome_trace(file("none.json"), &progress); }),
              testing::HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of([&] { read_chrome_trace(write("cut.json", "{\"traceEvents\":[{"), &progress); }),
              testing::HasSubstr("truncated"));
}

}  // namespace
}  // namespace lanescope::io
