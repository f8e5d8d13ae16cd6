// Opening beside the drawing: the same trace as opening in one go; it can be given up; nothing half-read is shown.
#include "model/source/opening.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "base/error.h"
#include "io/scratch.h"
#include "io/trace_file.h"
#include "model/model.h"

namespace lanescope::ui {
namespace {

using io::error_of;
using testing::HasSubstr;

class OpeningTest : public io::Scratch {
 protected:
  std::filesystem::path small_trace() {
    trace::Trace trace;
    trace::Event event;
    trace::LaneInfo info;
    info.kind = trace::LaneKind::Kernels;
    event.lane = trace.add_lane(info);
    event.kind = trace::EventKind::Kernel;
    event.name = trace.names().intern("kernel");
    for (int i = 0; i < 50; ++i) {
      event.start_ns = i * 100;
      event.end_ns = i * 100 + 60;
      trace.append(event);
    }
    trace.publish();
    io::write_chrome_trace(file("small.json"), trace, {});
    return file("small.json");
  }
  // A file that gives nothing until somebody writes into it.
  std::filesystem::path pipe() {
    const std::filesystem::path path = file("pipe.json");
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  std::optional<ReadFile> wait_for(Opening& opening) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      if (auto file = opening.take()) return file;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "nothing came";
    return std::nullopt;
  }
};

TEST_F(OpeningTest, GivesWhatOpeningInOneGoGives) {
  const std::filesystem::path path = small_trace();
  Model at_once, beside;
  at_once.open_file(path);
  Opening opening;
  EXPECT_FALSE(opening.running());
  EXPECT_FALSE(opening.take().has_value());
  opening.open(path);
  EXPECT_EQ(opening.title(), "small.json");
  std::optional<ReadFile> file = wait_for(opening);
  ASSERT_TRUE(file);
  EXPECT_FALSE(opening.running());
  beside.show(std::move(*file));
  EXPECT_EQ(beside.title(), at_once.title());
  EXPECT_EQ(beside.source().file(), path);
  EXPECT_EQ(beside.extent(), at_once.extent());
  EXPECT_EQ(beside.recent().kernel_ns, 50 * 60);
  EXPECT_EQ(beside.recent().bubble_ns, at_once.recent().bubble_ns);
  EXPECT_EQ(beside.analysis().bubbles().size(), 49u);
  EXPECT_FALSE(opening.take().has_value()) << "once";
}

TEST_F(OpeningTest, SeveralFilesBecomeOne) {
  const std::filesystem::path first = small_trace(), second = file("more.json");
  std::filesystem::copy_file(first, second);
  Opening opening;
  opening.open(std::vector{first, second});
  EXPECT_EQ(opening.title(), "small.json and 1 more");
  std::optional<ReadFile> file = wait_for(opening);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->source->title(), "small.json and 1 more");
  EXPECT_EQ(file->source->file(), std::nullopt) << "marks are kept beside one file";
  EXPECT_EQ(file->source->trace().lane_count(), 2u);
  opening.open(std::vector{first, first});
  EXPECT_THAT(error_of([&] { wait_for(opening); }), HasSubstr("given twice"));
}

TEST_F(OpeningTest, ErrorsComeWithTheFile) {
  Opening opening;
  opening.open(file("missing.json"));
  EXPECT_THAT(error_of([&] { wait_for(opening); }), HasSubstr("missing.json"));
  EXPECT_FALSE(opening.running());
  opening.open(write("broken.json", "{\"traceEvents\": ["));
  EXPECT_THAT(error_of([&] { wait_for(opening); }), HasSubstr("broken.json"));
}

TEST_F(OpeningTest, WhatIsGivenUpNeverComes) {
  Opening opening;
  const std::filesystem::path slow = pipe();
  opening.open(slow);
  std::ofstream into(slow);  // returns when the other end is open
  into << "{\"traceEvents\":[" << std::flush;
  EXPECT_TRUE(opening.running());
  EXPECT_FALSE(opening.take().has_value());
  EXPECT_LT(opening.fraction(), 0.5f);
  opening.cancel();
  EXPECT_FALSE(opening.running());
  opening.cancel();  // nothing to do
  EXPECT_FALSE(opening.take().has_value());
  // Another one meanwhile is none the slower for it.
  opening.open(small_trace());
  EXPECT_EQ(wait_for(opening)->source->file(), file("small.json"));
}

TEST_F(OpeningTest, TheNewestWishCounts) {
  Opening opening;
  const std::filesystem::path slow = pipe();
  opening.open(slow);
  std::ofstream into(slow);
  opening.open(small_trace());
  EXPECT_EQ(opening.title(), "small.json");
  EXPECT_EQ(wait_for(opening)->source->title(), "small.json");
  into << "{\"traceEvents\":[]}" << std::flush;
  into.close();
  EXPECT_FALSE(opening.take().has_value());
}

TEST_F(OpeningTest, WhyThereIsNothingToShowIsKeptUntilSomethingIsBegun) {
  Opening opening;
  EXPECT_EQ(opening.failure(), "");
  opening.fail("a.json: broken");
  EXPECT_FALSE(opening.running());
  EXPECT_FALSE(opening.take().has_value());
  EXPECT_EQ(opening.failure(), "a.json: broken");
  opening.open(small_trace());
  EXPECT_EQ(opening.failure(), "");
  wait_for(opening);
  opening.fail("again");
  opening.cancel();  // a run begins
  EXPECT_EQ(opening.failure(), "");
}

TEST_F(OpeningTest, WhatCannotBeReadIsKnownAtOnce) {
  EXPECT_THAT(error_of([&] { check_readable({file("missing.json")}); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { check_readable({file("")}); }), HasSubstr("a folder without traces"));
  EXPECT_THAT(error_of([&] { check_readable({write("empty.json", "")}); }), HasSubstr("empty"));
  check_readable({write("broken.json", "{")});
  EXPECT_THAT(error_of([&] {
                check_readable({file("broken.json"), file("missing.json")});
              }),
              HasSubstr("missing.json"));
  EXPECT_THAT(error_of([&] { check_readable({file("broken.json"), file("")}); }), HasSubstr("a folder among several"));
  check_readable({pipe()});  // does not wait for what comes out of it
}

TEST_F(OpeningTest, ARecordedRunToo) {
  Opening opening;
  const RecordedCapture capture{"mine", "My run", "", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,
    "dur":2,"pid":0,"tid":7,"args":{"device":0,"stream":7}}]})"};
  opening.open(capture);
  const std::optional<ReadFile> file = wait_for(opening);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->source->title(), "My run");
  EXPECT_EQ(file->source->device().id, "recorded:mine");
  EXPECT_EQ(file->source->opened()->events_read, 1u);
}

}  // namespace
}  // namespace lanescope::ui
