// A stretch of a trace becomes a trace of its own, in which nothing that events refer to is missing.
#include "trace/copy_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CopyOfATrace : public testing::Test {
 protected:
  CopyOfATrace() {
    source_.names().intern("only so that numbers differ");
    LaneInfo info;
    info.kind = LaneKind::Kernels;
    info.name = "kernels";
    info.pid = 7;
    kernels_ = source_.add_lane(info);
    info.kind = LaneKind::Calls;
    info.name = "CUDA calls";
    calls_ = source_.add_lane(info);
  }
  Event event(LaneId lane, EventKind kind, const char* name, Nanoseconds start, Nanoseconds end) {
    Event e;
    e.kind = kind;
    e.lane = lane;
    e.name = source_.names().intern(name);
    e.start_ns = start;
    e.end_ns = end;
    return e;
  }
  static std::vector<Nanoseconds> starts(const Trace& trace, LaneId lane) {
    std::vector<Nanoseconds> found;
    const Row& row = trace.lane(lane).row(0);
    for (EventIndex i = row.first(); i < row.last(); ++i) found.push_back(row.start(i));
    return found;
  }

  Trace source_;
  LaneId kernels_ = 0, calls_ = 0;
};

TEST_F(CopyOfATrace, HasWhatOverlapsTheStretchWhole) {
  for (Nanoseconds t = 0; t < 1000; t += 100) source_.append(event(kernels_, EventKind::Kernel, "gemm", t, t + 60));
  source_.publish();
  Trace part;
  copy_trace(source_, part, {.from = 250, .to = 500});
  ASSERT_EQ(part.lane_count(), 2u);
  EXPECT_EQ(part.lane(0).info(), source_.lane(0).info());
  EXPECT_THAT(starts(part, 0), ElementsAre(200, 300, 400));
  EXPECT_EQ(part.lane(0).row(0).end(0), 260);
  EXPECT_EQ(part.lane(1).row_count(), 0u);
}

TEST_F(CopyOfATrace, KeepsNamesArgumentsLaunchesSettingsAndStacks) {
  Event kernel = event(kernels_, EventKind::Kernel, "gemm", 100, 200);
  kernel.correlation = 5;
  set_arguments(kernel, source_.arguments().intern("\"bytes\":64"));
  LaunchShape shape;
  shape.grid = {12, 1, 1};
  set_launch(kernel, source_.launches().intern(shape));
  source_.append(kernel);
  source_.append(event(calls_, EventKind::Call, "cudaLaunchKernel", 90, 95));
  const Frame frame{source_.names().intern("train.py"), source_.names().intern("main"), 7};
  source_.sites().note(calls_, 90, source_.sites().intern({&frame, 1}, 0));
  source_.publish();
  Trace part;
  part.names().intern("other");
  part.names().intern("numbers");
  copy_trace(source_, part, {.shift = 1000, .change_lane = [](LaneInfo& info) { info.host = "a"; }});
  EXPECT_EQ(part.lane(0).info().host, "a");
  const Event copied = part.lane(0).row(0).event(0);
  EXPECT_EQ(copied.start_ns, 1100);
  EXPECT_EQ(copied.correlation, 5u);
  EXPECT_EQ(part.names().text(copied.name), "gemm");
  EXPECT_EQ(part.arguments().text(arguments_of(copied)), "\"bytes\":64");
  EXPECT_EQ(part.launches().find(launch_of(copied))->grid[0], 12u);
  const CallSites::Stack stack = part.sites().stack(part.sites().at(1, 1090));
  ASSERT_EQ(stack.frames.size(), 1u);
  EXPECT_EQ(part.names().text(stack.frames[0].file), "train.py");
}

// Recorded from 100 to 200 and from 400 to 500.
TEST_F(CopyOfATrace, SaysWhatWasRecorded) {
  source_.change_recording({RecordingChange::Act::Nothing, 7, 0, 0});
  for (const Nanoseconds t : {100, 400}) {
    source_.begin_recorded(7, t);
    source_.append(event(kernels_, EventKind::Kernel, "gemm", t, t + 50));
    source_.end_recorded(7, t + 100);
  }
  source_.publish();
  Trace part;
  copy_trace(source_, part, {.from = 300, .to = 600, .shift = 10});
  EXPECT_THAT(starts(part, 0), ElementsAre(410));
  const Coverage& coverage = part.coverage(7);
  ASSERT_EQ(coverage.last() - coverage.first(), 1);
  EXPECT_EQ(coverage.interval(coverage.first()).begin, 410);
  EXPECT_EQ(coverage.interval(coverage.first()).end, 510);
}

TEST_F(CopyOfATrace, OfNothingIsEmpty) {
  Trace part;
  copy_trace(source_, part, {.from = 10, .to = 20});
  EXPECT_EQ(part.counts().recorded, 0u);
}

}  // namespace
}  // namespace lanescope::trace
