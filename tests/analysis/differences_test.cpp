// What differs between two loops, for traces in which every interval is known.
#include "analysis/differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/advice_loop.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Cost;
using analysis::CostKind;
using analysis::Difference;
using analysis::LoopCosts;
using testing::ElementsAre;
using testing::IsEmpty;

class CostsOfALoop : public AdviceLoop {
 protected:
  // An operator of 20 µs, in which another one takes 10. A kernel of 40 µs is launched in 2 and waited for: 1 of the
  // call's own, 34 of waiting, 1 of returning. Then a copy of 8 µs, whose call takes 1 ns and blocks for the rest of
  // its 10 µs.
  void iterate(Nanoseconds t) {
    trace::set_range_kind(range("aten::linear", t, t + 20'000), trace::RangeKind::Operator);
    trace::set_range_kind(range("aten::addmm", t + 5'000, t + 15'000), trace::RangeKind::Operator);
    kernel(t + 1'000, t + 3'000, t + 43'000);
    b_.sync(t + 9'000, t + 45'000, 1'000, 1'000);
    upload(t + 45'000, t + 55'000, t + 46'000, t + 54'000, 80'000, trace::MemoryKind::Pageable);
  }
  LoopCosts costs() {
    analysis::LiveAnalysis live(trace_);
    live.update(std::numeric_limits<Nanoseconds>::max());
    live.finish();
    return analysis::loop_costs(trace_, live, live.total());
  }
  static const Cost* find(const LoopCosts& costs, CostKind kind, const std::string& name) {
    const auto found =
        std::ranges::find_if(costs.costs, [&](const Cost& c) { return c.kind == kind && c.name == name; });
    return found == costs.costs.end() ? nullptr : &*found;
  }
  static void expect(const LoopCosts& costs, CostKind kind, const std::string& name, double count, double ns) {
    const Cost* cost = find(costs, kind, name);
    ASSERT_NE(cost, nullptr) << name;
    EXPECT_EQ(cost->count, count) << name;
    EXPECT_EQ(cost->ns, ns) << name;
  }
};

TEST_F(CostsOfALoop, AddUpToItsIterationsWithoutTheWarmUp) {
  loop([&](Nanoseconds t) { iterate(t); });
  const LoopCosts all = costs();
  EXPECT_EQ(all.iterations, 4);
  EXPECT_EQ(all.span_ns, 400'000);
  expect(all, CostKind::Kernel, "kernel", 4, 160'000);
  expect(all, CostKind::Copy, "host-to-device, pageable", 4, 32'000);
  expect(all, CostKind::Operator, "aten::linear", 4, 40'000);
  expect(all, CostKind::Operator, "aten::addmm", 4, 40'000);
  expect(all, CostKind::Call, "cudaLaunchKernel", 4, 8'000);
  expect(all, CostKind::Call, "cudaStreamSynchronize", 4, 4'000);
  expect(all, CostKind::Wait, "cudaStreamSynchronize", 4, 140'000);
  // What the GPU does not work, it is idle: 100 - 40 - 8 µs in each.
  double idle = 0;
  for (const Cost& cost : all.costs) idle += cost.kind == CostKind::Idle ? cost.ns : 0;
  EXPECT_EQ(idle, 4 * 52'000);
}

TEST_F(CostsOfALoop, OfATraceWithoutIterationsAreOfAllOfIt) {
  iterate(0);
  iterate(kPeriod);
  b_.publish();
  const LoopCosts all = costs();
  EXPECT_EQ(all.iterations, 0);
  expect(all, CostKind::Kernel, "kernel", 2, 80'000);
}

LoopCosts costs_of(std::int64_t iterations, std::vector<Cost> costs) { return {iterations, 0, std::move(costs)}; }

// Per iteration: gemm from 10 to 30 µs, since there are three instead of one; relu as before; norm from 8 to 6 µs,
// since each is shorter; the wait of 15 µs is gone; add is new.
TEST(DifferencesOfTwoLoops, AreSortedByWhatTheyCostAndSayWhy) {
  const LoopCosts first = costs_of(10, {{CostKind::Kernel, "gemm", 10, 100'000, {1}},
                                        {CostKind::Kernel, "relu", 20, 40'000, {1, 2}},
                                        {CostKind::Kernel, "norm", 10, 80'000, {}},
                                        {CostKind::Wait, "sync", 10, 150'000, {}},
                                        {CostKind::Idle, "cpu", 0, 10'000, {}}});
  const LoopCosts second = costs_of(5, {{CostKind::Kernel, "gemm", 15, 150'000, {2}},
                                        {CostKind::Kernel, "relu", 10, 20'000, {1, 2}},
                                        {CostKind::Kernel, "norm", 5, 30'000, {}},
                                        {CostKind::Kernel, "add", 5, 5'000, {}},
                                        {CostKind::Idle, "cpu", 0, 20'000, {}}});
  const analysis::Differences found = analysis::differences(first, second);
  EXPECT_TRUE(found.per_iteration);
  std::vector<std::string> names;
  for (const Difference& row : found.rows) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("gemm", "sync", "cpu", "norm", "add", "relu"));
  const Difference& gemm = found.rows[0];
  EXPECT_EQ(gemm.first_count, 1);
  EXPECT_EQ(gemm.second_count, 3);
  EXPECT_EQ(gemm.first_ns, 10'000);
  EXPECT_EQ(gemm.second_ns, 30'000);
  EXPECT_TRUE(gemm.other_count && !gemm.other_length && gemm.other_shapes);
  const Difference& sync = found.rows[1];
  EXPECT_EQ(sync.change_ns(), -15'000);
  EXPECT_FALSE(sync.other_count || sync.other_length || sync.other_shapes) << "it is gone";
  EXPECT_EQ(found.rows[2].change_ns(), 3'000);
  EXPECT_FALSE(found.rows[2].other_count || found.rows[2].other_length);
  EXPECT_TRUE(!found.rows[3].other_count && found.rows[3].other_length && !found.rows[3].other_shapes);
  EXPECT_EQ(found.rows[5].change_ns(), 0);
  EXPECT_FALSE(found.rows[5].other_shapes);
}

TEST(DifferencesOfTwoLoops, AreInAllWhereOneHasNoIterations) {
  const LoopCosts first = costs_of(10, {{CostKind::Kernel, "gemm", 10, 100'000, {}}});
  const LoopCosts second = costs_of(0, {{CostKind::Kernel, "gemm", 5, 60'000, {}}});
  const analysis::Differences found = analysis::differences(first, second);
  EXPECT_FALSE(found.per_iteration);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].change_ns(), -40'000);
  EXPECT_TRUE(found.rows[0].other_count && found.rows[0].other_length);
  EXPECT_THAT(analysis::differences({}, {}).rows, IsEmpty());
}

}  // namespace
}  // namespace lanescope::analysis_test
