// The tables of a report, for traces in which every interval is known.
#include "analysis/breakdown.h"

#include <gtest/gtest.h>

#include "analysis/advice_loop.h"
#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using trace::MemoryKind;

class BreakdownLoop : public AdviceLoop {
 protected:
  // A range of 90 µs in which a kernel of 40 µs is launched and waited for (34 µs of waiting), and 80 kB are copied in
  // 8 µs by a call that blocks the CPU for 10.
  void iterate(Nanoseconds t) {
    range("train", t, t + 90'000);
    kernel(t + 1'000, t + 3'000, t + 43'000);
    b_.sync(t + 9'000, t + 45'000, 1'000, 1'000);
    upload(t + 45'000, t + 55'000, t + 46'000, t + 54'000, 80'000, MemoryKind::Pageable);
  }
  analysis::Breakdown breakdown() {
    const Finished live(trace_);
    const bool iterations = !live.records().empty();
    return analysis::break_down(trace_, live.records(), iterations ? live.since_first_iteration() : live.total(),
                                trace_.complete_until());
  }
};

TEST_F(BreakdownLoop, OfIterationsLeavesTheWarmUpOutOfItsTables) {
  loop([&](Nanoseconds t) { iterate(t); });
  const analysis::Breakdown b = breakdown();
  EXPECT_EQ(b.iterations, kIterations - 1);
  EXPECT_EQ(b.from_ns, kPeriod);
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(b.kernels[0].name, "kernel");
  EXPECT_EQ(b.kernels[0].count, 4);
  EXPECT_EQ(b.kernels[0].total_ns, 160'000);
  EXPECT_EQ(b.kernel_time_ns, 160'000);
  ASSERT_EQ(b.copies.size(), 1u);
  EXPECT_EQ(b.copies[0].range, "train");
  EXPECT_EQ(b.copies[0].bytes, 320'000);
  EXPECT_EQ(b.copies[0].gpu_ns, 32'000);
  EXPECT_EQ(b.copies[0].exposed_ns, 32'000);
  EXPECT_EQ(b.copies[0].host_ns, 40'000);
  EXPECT_DOUBLE_EQ(b.copies[0].gb_per_s, 10);
  ASSERT_EQ(b.sites.size(), 3u);
  Nanoseconds waits = 0, busy = 0;
  for (const analysis::SiteRow& site : b.sites) {
    EXPECT_EQ(site.range, "train");
    EXPECT_EQ(site.count, 4);
    if (site.call != "cudaStreamSynchronize") continue;
    waits = site.wait_ns;
    busy = site.wait_busy_ns;
  }
  // From 10 µs, after its own cost, until it returns at 45 µs; the kernel runs until 43 µs.
  EXPECT_EQ(waits, 4 * 35'000);
  EXPECT_EQ(busy, 4 * 33'000);
  // The durations are for all iterations.
  EXPECT_EQ(b.iteration.count, kIterations);
  EXPECT_EQ(b.durations.from_ns, kPeriod);
  EXPECT_EQ(b.durations.counts, std::vector<std::int64_t>{kIterations});
  // 35 µs of the synchronisation in each, and the copy's call except for its own cost of 1 ns.
  EXPECT_EQ(b.host_wait_ns, kIterations * (35'000 + 9'999));
}

TEST_F(BreakdownLoop, OfATraceWithoutIterationsIsOfAllOfIt) {
  iterate(0);
  iterate(kPeriod);
  b_.publish();
  const analysis::Breakdown b = breakdown();
  EXPECT_EQ(b.iterations, 0);
  EXPECT_EQ(b.kernel_time_ns, 80'000);
  ASSERT_EQ(b.copies.size(), 1u);
  EXPECT_EQ(b.copies[0].count, 2);
  EXPECT_EQ(b.sites.size(), 3u);
  EXPECT_TRUE(b.durations.counts.empty());
}

TEST_F(BreakdownLoop, KeepsTheRowsThatCostMostAndCountsTheOthers) {
  loop([&](Nanoseconds t) {
    for (int i = 0; i < 250; ++i) {
      b_.add(b_.lane(trace::LaneKind::Kernels), trace::EventKind::Kernel, "k" + std::to_string(i), t + i * 300,
             t + i * 300 + 10 + i);
    }
  });
  const analysis::Breakdown b = breakdown();
  ASSERT_EQ(b.kernels.size(), analysis::kBreakdownRows);
  EXPECT_EQ(b.kernels.front().name, "k249");
  EXPECT_EQ(b.kernels.back().name, "k50");
  EXPECT_EQ(b.kernels_left_out, 50);
  EXPECT_EQ(b.kernel_time_ns, 4 * (250 * 10 + 249 * 250 / 2));
}

}  // namespace
}  // namespace lanescope::analysis_test
