// CUDA graphs: one launch, many operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/advice_loop.h"
#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::BubbleCause;
using analysis::Rule;
using testing::Contains;
using testing::Not;

class GraphTest : public AdviceLoop {
 protected:
  /// A graph of equal nodes; the launch takes 3 us.
  void graph(Nanoseconds launched, Nanoseconds first, int nodes, Nanoseconds each, Nanoseconds gap) {
    Event& call = b_.call("cudaGraphLaunch", launched, launched + 3'000, ++correlation_);
    call.flags = trace::kLaunchFlag;
    for (int i = 0; i < nodes; ++i) {
      const Nanoseconds start = first + i * (each + gap);
      b_.kernel(start, start + each, correlation_);
    }
  }
  /// Nodes at [5,15), [16,26), [27,37) and, of the second graph, launched at 3, [38,48), [48,58) us.
  void two_graphs() {
    graph(0, 5'000, 3, 10'000, 1'000);
    graph(3'000, 38'000, 2, 10'000, 0);
    b_.publish();
  }
};

// The two gaps in the first graph are its own; the one between the graphs is the latency of a launch that came long
// before.
TEST_F(GraphTest, AGapBetweenNodesIsNoSlowLaunch) {
  two_graphs();
  const Finished live(trace_);
  const analysis::Summary s = live.total();
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::GraphGap), 2'000);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::LaunchLatency), 1'000);
  EXPECT_EQ(s.launch_count, 2);
  EXPECT_EQ(s.gpu_op_count, 5);
  const analysis::Bubble& first = live.bubbles()[1];
  EXPECT_EQ(first.start_ns, 15'000);
  EXPECT_EQ(trace_.names().text(first.call), "cudaGraphLaunch");
  EXPECT_EQ(first.wake_ns, 0);
  EXPECT_EQ(first.cpu_ns, 0);
}

// From the return of its launch until its last node has ended, a graph counts once, also between two nodes.
TEST_F(GraphTest, AGraphInFlightCountsOnce) {
  two_graphs();
  const Finished live(trace_);
  EXPECT_EQ(live.total().run_ahead_max, 2);
  const trace::Trace::ReadLock lock(trace_);
  analysis::InFlight::Reader curve(live.in_flight());
  const std::pair<Nanoseconds, int> expected[] = {{2'999, 0},  {3'000, 1},  {5'999, 1},  {6'000, 2},
                                                  {15'500, 2}, {30'000, 2}, {36'999, 2}, {37'000, 1},
                                                  {47'999, 1}, {48'000, 1}, {57'999, 1}, {58'000, 0}};
  for (const auto& [t, count] : expected) EXPECT_EQ(curve.at(t), count) << t;
}

// Per iteration of 100 us one graph of 30 nodes of 2 us, 1.2 us apart: 96 us less the last gap, 94.8. The GPU is busy
// for 60 %, but the CPU is not the cause: the verdict is not launch-bound, and no card says that the launches are slow,
// although a launch (3 us) takes longer than a node.
TEST_F(GraphTest, NodesShorterThanTheLaunchDoNotMakeItLaunchBound) {
  loop([&](Nanoseconds t) { graph(t, t + 4'000, 30, 2'000, 1'200); });
  const analysis::Evidence e = evidence();
  EXPECT_EQ(e.median_kernel_ns, 2'000);
  EXPECT_EQ(e.median_work_ns, 60'000);
  EXPECT_EQ(e.launches, 5);
  EXPECT_EQ(idle_of(e.summary.judged.bubble_by_cause_ns, BubbleCause::GraphGap), 5 * 29 * 1'200);
  EXPECT_EQ(e.summary.verdict.kind, analysis::VerdictKind::GpuBound);
  EXPECT_THAT(rules(cards()), Not(Contains(Rule::LaunchBound)));
}

// The same without the graph: the 30 launches of 3 us each are what the GPU waits for.
TEST_F(GraphTest, TheSameKernelsByThemselvesAreLaunchBound) {
  loop([&](Nanoseconds t) {
    for (int i = 0; i < 30; ++i) kernel(t + i * 3'200, t + i * 3'200 + 3'000, t + i * 3'200 + 5'000, 3'000);
  });
  EXPECT_EQ(evidence().summary.verdict.kind, analysis::VerdictKind::LaunchBound);
  EXPECT_THAT(rules(cards()), Contains(Rule::LaunchBound));
}

}  // namespace
}  // namespace lanescope::analysis_test
