// The figures of a run, of traces that a file may hold.
#include "analysis/run_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "analysis/builders.h"
#include "io/trace_file.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using analysis::figures_of;
using analysis::RunFigures;
using analysis_test::Finished;

/// A process with a GPU of its own.
struct Rank {
  explicit Rank(trace::Trace& into, std::int64_t pid = 1) : trace(into) {
    LaneInfo loop = cpu_lane(LaneKind::Iterations, "iteration"), gpu = gpu_lane(LaneKind::Kernels, "kernels");
    loop.pid = gpu.pid = pid;
    iterations = trace.add_lane(loop);
    kernels = trace.add_lane(gpu);
  }
  void iteration(base::Nanoseconds begin, base::Nanoseconds end) {
    trace.append(make_event(trace, iterations, EventKind::Range, "iteration", begin, end));
  }
  void kernel(base::Nanoseconds begin, base::Nanoseconds end) {
    trace.append(make_event(trace, kernels, EventKind::Kernel, "k", begin, end));
  }

  trace::Trace& trace;
  LaneId iterations, kernels;
};

RunFigures figures(trace::Trace& trace, const RunFacts& facts = {}) {
  trace.publish();
  trace.set_complete_until(trace.extent().second);
  return figures_of(trace, Finished(trace), facts);
}

// Each rank makes 6 iterations of 100 µs with a kernel of 50.
std::uint64_t iterations_of(int ranks) {
  trace::Trace trace;
  for (int pid = 1; pid <= ranks; ++pid) {
    Rank rank(trace, pid);
    for (base::Nanoseconds t = 0; t < 600'000; t += 100'000) {
      rank.iteration(t, t + 100'000);
      rank.kernel(t, t + 50'000);
    }
  }
  return figures(trace).iterations;
}

TEST(RunFigures, TheIterationsOfRanksAreNotAddedUp) {
  EXPECT_EQ(iterations_of(1), 6u);
  EXPECT_EQ(iterations_of(3), 6u);
}

// A first iteration of 2 ms, in which a library is loaded, and nineteen of 100 µs: 100 each, not 3,900 / 20 = 195.
TEST(RunFigures, OfAnotherProgramTheFirstIterationThatLoadsCodeIsLeftOut) {
  trace::Trace trace;
  Rank rank(trace);
  for (int i = 0; i < 20; ++i) {
    const base::Nanoseconds end = 2'000'000 + i * 100'000;
    rank.iteration(i == 0 ? 0 : end - 100'000, end);
    rank.kernel(end - 90'000, end - 40'000);
  }
  RunFacts facts;
  facts.program = "train.py";
  facts.device_name = "NVIDIA H200";
  const RunFigures watched = figures(trace, facts);
  EXPECT_EQ(watched.warm_up_ns, 2'000'000);
  EXPECT_EQ(watched.elapsed_ns, 1'900'000);
  EXPECT_DOUBLE_EQ(watched.summary.pace.ns, 100'000);
}

// After a kernel of 1 ms for the setup, two ranks make a first iteration of 2 ms and nineteen of 100 µs, in each of
// which a kernel takes 50; rank 1 is 10 µs behind. Each counts from the end of its own first iteration on, for 1,900
// µs. Both GPUs are busy for 19 * 50 = 950 of that.
TEST(RunFigures, TheFirstIterationOfEachRankIsLeftOut) {
  trace::Trace trace;
  for (const int rank : {0, 1}) {
    Rank of(trace, rank + 1);
    const base::Nanoseconds late = rank * 10'000;
    of.kernel(late, late + 1'000'000);
    for (int i = 0; i < 20; ++i) {
      const base::Nanoseconds end = 52'000'000 + late + i * 100'000;
      of.iteration(end - (i == 0 ? 2'000'000 : 100'000), end);
      of.kernel(end - 90'000, end - 40'000);
    }
  }
  RunFacts facts;
  facts.program = "train.py";
  const RunFigures watched = figures(trace, facts);
  EXPECT_EQ(watched.warm_up_ns, 2'000'000);
  ASSERT_EQ(watched.summary.window_ns(), 1'900'000);
  const double busy = static_cast<double>(watched.summary.gpu_busy_ns);
  EXPECT_NEAR(busy / static_cast<double>(watched.summary.window_ns()), 0.5, 1e-4);
}

// In each of five steps of 100 µs a call copies 4 MB out of pageable memory and returns only after 50 µs, when its copy
// has ended. That the call is asynchronous, the file says only by its name.
TEST(RunFigures, APageableCopyOfAnotherProgramsTraceHasItsCard) {
  std::string json = R"({"traceEvents":[)";
  for (int i = 0; i < 5; ++i) {
    const int t = 100 * i;
    const auto add = [&](const char* category, std::string_view name, int start, int duration, int correlation) {
      const bool gpu = std::string_view(category) == "kernel" || std::string_view(category) == "gpu_memcpy";
      json += fmt::format(
          R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":7,"ts":{},"dur":{},"args":{{"correlation":{}{}}}}},)",
          category, name, gpu ? 0 : 9, t + start, duration, correlation,
          gpu ? R"(,"device":0,"stream":7,"bytes":4194304)" : "");
    };
    add("user_annotation", fmt::format("ProfilerStep#{}", i + 1), 0, 100, 0);
    add("cuda_runtime", "cudaMemcpyAsync", 10, 50, 2 * i + 1);
    add("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 12, 46, 2 * i + 1);
    add("cuda_runtime", "cudaLaunchKernel", 66, 2, 2 * i + 2);
    add("kernel", "k", 70, 29, 2 * i + 2);
  }
  json.back() = ']';
  const OpenedTrace opened = read_chrome_trace(json + "}", "copies.json");
  const Finished analysis(*opened.trace);
  const RunFigures figures = figures_of(*opened.trace, analysis, opened.facts);
  std::vector<analysis::Rule> rules;
  for (const analysis::Card& card : advice_of(*opened.trace, analysis, figures).cards) rules.push_back(card.rule);
  EXPECT_THAT(rules, testing::Contains(analysis::Rule::PageableCopy));
}

}  // namespace
}  // namespace lanescope::io
