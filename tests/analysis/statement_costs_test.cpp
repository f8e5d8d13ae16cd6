// The costs of statements, on traces in which every interval is known.
#include "analysis/code_costs.h"

#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis {
namespace {

using analysis_test::expect_cost;

class StatementCostsTest : public analysis_test::TraceTest {
 protected:
  StatementCosts costs(std::vector<StatementRanges> statements, Nanoseconds from = 0, Nanoseconds to = 1000) {
    t.publish();
    return statement_costs(trace, from, to, statements);
  }
};

// forward 0 to 100 with a launch of 10; item() 100 to 300 with a synchronisation of 20 own, 130 waiting, 10 returning:
// of its 200 the CPU works 200 - 140 = 60. The kernel of the launch runs 50 to 250, mostly in the other's range.
TEST_F(StatementCostsTest, OwnTimeWaitAndTheGpuTimeOfWhatItIssues) {
  for (const Nanoseconds begin : {0, 500}) {
    t.iteration(begin, begin + 500);
    t.range("forward", begin, begin + 100);
    t.kernel({begin + 40, begin + 50}, {begin + 50, begin + 250});
    t.range("item()", begin + 100, begin + 300);
    t.sync(begin + 120, begin + 280, 20, 10);
  }
  const StatementCosts all = costs({{{"forward"}}, {{"item()"}}, {{"never"}}});
  EXPECT_EQ(all.iterations, 2);
  expect_cost(all.statements[0], 2, 200, 0, 400);
  expect_cost(all.statements[1], 2, 120, 280, 0);
  expect_cost(all.statements[2], 0, 0, 0, 0);
  EXPECT_EQ(all.per_iteration(all.statements[1].wait_ns), 140);
  EXPECT_EQ(all.statements[1].example.start_ns, 100);
}

// The outer range takes 300. It contains an inner one of 100 that is another statement's, and one of 50 that belongs to
// no statement: 200 are its own. The call in the latter is the outer one's.
TEST_F(StatementCostsTest, NestedRangesCountOnce) {
  t.iteration(0, 1000);
  t.range("outer", 0, 300);
  t.range("inner", 50, 150);
  t.range("nobody's", 200, 250);
  t.sync(200, 250, 10, 0);
  t.publish();
  const StatementCosts all = costs({{{"outer"}}, {{"inner"}}});
  expect_cost(all.statements[0], 1, 160, 40, 0);
  expect_cost(all.statements[1], 1, 100, 0, 0);
}

// A stopwatch begins together with what it times, and its lane comes later.
TEST_F(StatementCostsTest, OfTwoThatBeginTogetherTheLongerIsAround) {
  t.iteration(0, 1000);
  t.range("forward", 100, 200);
  t.stopwatch(100, 220);
  const StatementCosts all = costs({{{"forward"}}, {{"stopwatch"}}});
  expect_cost(all.statements[0], 1, 100, 0, 0);
  expect_cost(all.statements[1], 1, 20, 0, 0);
}

// A stopwatch that is stopped at once begins and ends with the copy that it times: 100 to 130. The copy was issued in
// its statement, and runs from 120 to 620, long after both.
TEST_F(StatementCostsTest, WhatAStopwatchTimesIsNotTheStopwatchs) {
  for (const bool copy_first : {true, false}) {
    const Nanoseconds begin = copy_first ? 0 : 1000;
    t.iteration(begin, begin + 1000);
    if (copy_first) t.range("copy", begin + 100, begin + 130);
    t.stopwatch(begin + 100, begin + 130);
    if (!copy_first) t.range("copy", begin + 100, begin + 130);
    t.upload({begin + 105, begin + 125}, {begin + 120, begin + 620}, 4096);
  }
  const StatementCosts all = costs({{{"copy"}}, {{"stopwatch"}}}, 0, 2000);
  expect_cost(all.statements[0], 2, 60, 0, 1000);
  expect_cost(all.statements[1], 2, 0, 0, 0);
}

// next(loader) 0 to 400, in it a wait for another thread of 300, in which no call counts a second time.
TEST_F(StatementCostsTest, AWaitForAnotherThreadIsAWait) {
  t.iteration(0, 1000);
  t.range("next(loader)", 0, 400);
  t.host_wait(50, 350);
  t.sync(100, 200, 10, 0);
  const StatementCosts all = costs({{{"next(loader)"}}});
  expect_cost(all.statements[0], 2, 100, 300, 0);
}

// Of one statement: kernels on two streams, 100 to 300 and 200 to 500, are 400 together, not 500.
TEST_F(StatementCostsTest, KernelsBesideEachOtherAreAUnion) {
  t.iteration(0, 1000);
  t.range("forward", 0, 100);
  t.kernel({10, 20}, {100, 300}, 0);
  t.kernel({30, 40}, {200, 500}, 1);
  t.range("copy", 100, 200);
  t.upload({110, 120}, {250, 350}, 4096, 2);
  const StatementCosts all = costs({{{"forward"}}, {{"copy"}}});
  expect_cost(all.statements[0], 1, 100, 0, 400);
  expect_cost(all.statements[1], 1, 100, 0, 100);
}

// The stretch is 1000 to 2000. A range of 900 to 1100 is in it with 100, and did not start there; its synchronisation
// waits 950 to 1080, of which 80 are in it. A kernel issued long before runs until 1200.
TEST_F(StatementCostsTest, WhatLiesOutsideIsCutOff) {
  t.iteration(0, 1000);
  t.iteration(1000, 2000);
  t.iteration(2000, 3000);
  t.range("forward", 10, 30);
  t.kernel({10, 20}, {400, 1200});
  t.range("item()", 900, 1100);
  t.sync(940, 1080, 10, 0);
  t.range("forward", 1950, 2100);
  const StatementCosts all = costs({{{"item()"}}, {{"forward"}}}, 1000, 2000);
  EXPECT_EQ(all.iterations, 1);
  expect_cost(all.statements[0], 0, 20, 80, 0);
  expect_cost(all.statements[1], 1, 50, 0, 200);
}

// Two statements list the range: an iteration's first one belongs to the first statement, all others to the second.
TEST_F(StatementCostsTest, StatementsTakeTurnsWithinAnIteration) {
  for (const Nanoseconds begin : {0, 500}) {
    t.iteration(begin, begin + 500);
    t.range("synchronize()", begin + 10, begin + 20);
    t.range("synchronize()", begin + 100, begin + 150);
    t.range("synchronize()", begin + 200, begin + 207);
  }
  const StatementCosts all = costs({{{"synchronize()"}}, {{"synchronize()"}}});
  expect_cost(all.statements[0], 2, 20, 0, 0);
  expect_cost(all.statements[1], 4, 114, 0, 0);
  // Of the second iteration alone, the count begins with it.
  expect_cost(costs({{{"synchronize()"}}, {{"synchronize()"}}}, 500).statements[0], 1, 10, 0, 0);
}

// Of the forward pass of 400, a copy of 10 and a synchronisation of 5 own and 100 waiting belong to the test; 285
// remain.
TEST_F(StatementCostsTest, TheTransfersOfARangeCanBeAnotherStatements) {
  t.iteration(0, 1000);
  t.range("forward", 0, 400);
  t.kernel({10, 20}, {20, 120});
  t.download({100, 110}, {120, 125}, 4);
  t.sync(110, 215, 5, 10);
  const StatementCosts all = costs({{{"forward"}}, {{"forward"}, true}});
  expect_cost(all.statements[0], 1, 285, 0, 100);
  expect_cost(all.statements[1], 2, 15, 100, 5);
  EXPECT_EQ(all.statements[1].example.start_ns, 110);
}

// The batch was already there: next(loader) ran and took no time.
TEST_F(StatementCostsTest, WhatTakesNoTimeHasRunAllTheSame) {
  t.iteration(0, 1000);
  t.range("next(loader)", 50, 50);
  t.range("copy", 50, 90);
  const StatementCosts all = costs({{{"next(loader)"}}, {{"copy"}}});
  expect_cost(all.statements[0], 1, 0, 0, 0);
  expect_cost(all.statements[1], 1, 40, 0, 0);
}

TEST_F(StatementCostsTest, OtherThreadsCostTheProgramNothing) {
  t.iteration(0, 1000);
  t.range("load batch", 0, 900, 5);
  expect_cost(costs({{{"load batch"}}}).statements[0], 0, 0, 0, 0);
}

TEST_F(StatementCostsTest, NothingWithoutIterationsOrWhenStopped) {
  t.range("forward", 0, 100);
  EXPECT_EQ(costs({{{"forward"}}}).iterations, 0);
  const std::atomic<bool> stop = true;
  for (Nanoseconds i = 0; i < 70'000; ++i) t.launch(200 + i, 201 + i, 0);
  t.publish();
  const StatementRanges forward{{"forward"}};
  EXPECT_TRUE(statement_costs(trace, 0, 100'000, {&forward, 1}, &stop).statements.empty());
}

}  // namespace
}  // namespace lanescope::analysis
