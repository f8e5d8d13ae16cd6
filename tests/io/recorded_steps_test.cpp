// What a profiler's steps look like in a file: what delays the work of the only one, work from before the first, and
// the empty one at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/live_analysis.h"
#include "io/trace_file.h"
#include "opened.h"

namespace lanescope::io {
namespace {

using analysis::BubbleCause;

// Times in ms.
class Steps {
 public:
  void step(int number, double from, double to) {
    add("user_annotation", "ProfilerStep#" + std::to_string(number), 1, from, to);
  }
  void range(const char* category, const char* name, double from, double to) { add(category, name, 1, from, to); }
  /// A kernel, launched in 0.01 ms; before the recording began if that is negative.
  void kernel(double launched, double from, double to, int stream = 7) {
    ++correlation_;
    if (launched >= 0) add("cuda_runtime", "cudaLaunchKernel", 1, launched, launched + 0.01, correlation_);
    add("kernel", "k", stream, from, to, correlation_);
  }
  void sync(double from, double to) { add("cuda_runtime", "cudaStreamSynchronize", 1, from, to, ++correlation_); }
  OpenedTrace read() const { return read_chrome_trace("[" + text_.substr(0, text_.size() - 1) + "]", "memory"); }
  analysis::Summary summary() const {
    const OpenedTrace opened = read();
    analysis::LiveAnalysis analysis(*opened.trace);
    analysis.finish();
    return analysis.total();
  }

 private:
  void add(const std::string& category, const std::string& name, int tid, double from, double to, int correlation = 0) {
    text_ +=
        R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":1,"tid":)" + std::to_string(tid) +
        ",\"ts\":" + std::to_string(1000 * from) + ",\"dur\":" + std::to_string(1000 * (to - from)) +
        (category == "kernel" ? R"(,"args":{"device":0,"stream":)" + std::to_string(tid) : std::string(",\"args\":{")) +
        (category == "kernel" ? "," : "") + "\"correlation\":" + std::to_string(correlation) + "}},";
  }
  std::string text_;
  int correlation_ = 0;
};

double idle_ms(const analysis::Summary& s, BubbleCause cause) {
  return static_cast<double>(idle_of(s.bubble_by_cause_ns, cause)) / 1e6;
}

// One step of 100 ms: 60 until the first launch, then kernels until 98 without a gap.
TEST(RecordedSteps, WhatDelaysTheWorkOfTheOnlyOneIsKnown) {
  Steps cpu;
  cpu.step(1, 0, 100);
  cpu.kernel(60, 60.02, 98);
  cpu.sync(61, 98.01);
  EXPECT_NEAR(idle_ms(cpu.summary(), BubbleCause::Cpu), 60.02, 0.001);
  Steps loader = cpu;
  loader.range("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, 59);
  EXPECT_EQ(loader.summary().verdict.kind, analysis::VerdictKind::LoaderBound);
  EXPECT_NEAR(idle_ms(loader.summary(), BubbleCause::Loader), 60.02, 0.001) << "little else goes to it";
  // Where another step shows that the loader is hidden, the first gap is only the recording's start.
  Steps two = loader;
  two.step(2, 100, 200);
  two.range("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 101, 159);
  two.kernel(62, 98, 180);
  two.kernel(160, 180, 199);
  EXPECT_EQ(idle_ms(two.summary(), BubbleCause::Loader), 0);
}

// Steps of 20 ms, 20 kernels of 1 ms each. The CPU is 40 kernels ahead when the recording begins. At 5 ms a copy that
// it launches runs on another stream: it says nothing of the work that was in flight.
TEST(RecordedSteps, WorkFromBeforeCountsPerStream) {
  for (const bool other_stream : {false, true}) {
    Steps steps;
    for (int step = 0; step < 6; ++step) steps.step(step, 20 * step, 20 * (step + 1));
    for (int k = 0; k < 160; ++k) steps.kernel(k < 40 ? -1 : k - 40, k, k + 1);
    if (other_stream) steps.kernel(5.2, 5.3, 5.31, 9);
    EXPECT_NEAR(steps.summary().pace.ns, 20e6, 0.3e6) << other_stream;
  }
}

// Two steps of 10 ms, and what the profiler's step() after the second leaves.
TEST(RecordedSteps, AnEmptyLastOneIsNone) {
  Steps steps;
  for (int step = 0; step < 2; ++step) {
    steps.step(step, 10 * step, 10 * (step + 1));
    steps.kernel(10 * step + 1, 10 * step + 2, 10 * step + 9);
  }
  Steps with_empty = steps, with_work = steps;
  with_empty.step(2, 20, 20.05);
  EXPECT_EQ(with_empty.summary().iteration.count, 2);
  with_work.step(2, 20, 20.05);
  with_work.range("cpu_op", "aten::add", 20.01, 20.02);
  EXPECT_EQ(with_work.summary().iteration.count, 3);
  const OpenedTrace opened = with_empty.read();
  EXPECT_EQ(opened.incomplete, "");
  const auto ranges = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(ranges.size(), 1u) << "it stays to be seen";
  EXPECT_EQ(ranges[0].name, "ProfilerStep#2");
}

// Torch marks the steps of its optimizers. From the end of one to that of the next is an iteration: three of 50 ms. The
// other optimizer steps twice in each.
TEST(RecordedSteps, OptimizersStepOncePerIteration) {
  Steps steps;
  for (int i = 0; i < 4; ++i) {
    const double t = 50 * i;
    steps.kernel(t + 1, t + 2, t + 30);
    for (const double half : {10, 20})
      steps.range("user_annotation", "Optimizer.step#RMSprop.step", t + half, t + half + 1);
    steps.range("user_annotation", "Optimizer.step#Adam.step", t + 40, t + 41);
  }
  const analysis::Summary s = steps.summary();
  EXPECT_EQ(s.iteration.count, 3);
  EXPECT_EQ(s.iteration.mean_ns, 50e6);
  Steps named = steps;
  named.step(0, 0, 100);
  named.step(1, 100, 200);
  EXPECT_EQ(named.summary().iteration.count, 2) << "the profiler's own come first";
}

TEST(RecordedSteps, WhatMtiaRunsIsWork) {
  Steps steps;
  steps.range("mtia_ccp_events", "fc-dtype_Float", 1, 3);
  steps.range("mtia_ccp_events", "event_wait", 3, 9);
  steps.range("mtia_ccp_events", "dma_request", 9, 10);
  EXPECT_EQ(steps.summary().gpu_busy_ns, 3e6);
}

// Five steps of 100 ms with five kernels of 17.8 ms: 11 % idle in pieces, none of which matters.
TEST(RecordedSteps, ManySmallCausesAreNotUnknown) {
  Steps steps;
  for (int step = 0; step < 5; ++step) {
    const double t = 100 * step;
    steps.step(step, t, t + 100);
    for (int k = 0; k < 5; ++k) steps.kernel(t + 20 * k + 0.7, t + 20 * k + 2.2, t + 20 * (k + 1));
  }
  const analysis::Summary s = steps.summary();
  EXPECT_NEAR(s.verdict.idle, 0.11, 0.005);
  EXPECT_EQ(s.verdict.kind, analysis::VerdictKind::GpuBound);
}

}  // namespace
}  // namespace lanescope::io
