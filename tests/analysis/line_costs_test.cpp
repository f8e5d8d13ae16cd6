// The costs of lines, on traces in which every interval and every stack is known.
#include "analysis/code_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis {
namespace {

using analysis_test::expect_cost;
using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::Pair;
using trace::LaneKind;
using Per = LineCosts::Per;

class LineCostsTest : public testing::Test {
 protected:
  trace::NameId name(std::string_view text) { return trace_.names().intern(text); }
  trace::Frame frame(std::string_view file, std::uint32_t line) { return {name(file), name("f"), line}; }
  /// The library's frames, then train.py's.
  std::uint32_t site(std::vector<trace::Frame> frames, std::size_t own) { return trace_.sites().intern(frames, own); }
  void note(const trace::Event& call, std::uint32_t site) { trace_.sites().note(call.lane, call.start_ns, site); }

  // train.py:2 launches a kernel, within nn.py:9, called by train.py:6; train.py:8 waits for it.
  //   launch 100..110, kernel 120..420; sync 300..540 with 10 of its own, 225 waiting and 5 returning
  void iteration(Nanoseconds at) {
    t_.iteration(at, at + 1000);
    note(t_.kernel({at + 100, at + 110}, {at + 120, at + 420}),
         site({frame("nn.py", 9), frame("train.py", 2), frame("train.py", 6)}, 1));
    note(t_.sync(at + 300, at + 540, 10, 5), site({frame("train.py", 8)}, 0));
  }
  LineCosts costs(Nanoseconds from, Nanoseconds to, Per per = Per::Iteration) {
    t_.publish();
    return line_costs(trace_, from, to, per);
  }
  LineCost at(const LineCosts& costs, std::string_view file, std::uint32_t line) {
    const auto found = costs.lines.find({name(file), line});
    return found == costs.lines.end() ? LineCost{} : found->second;
  }

  trace::Trace trace_;
  TraceBuilder t_{trace_};
};

TEST_F(LineCostsTest, ACallCountsForTheInnermostLineOfEachFile) {
  for (const Nanoseconds begin : {0, 1000}) iteration(begin);
  const LineCosts all = costs(0, 2000);
  EXPECT_EQ(all.iterations, 2);
  EXPECT_EQ(all.recorded_iterations, 2);
  EXPECT_EQ(all.lines.size(), 3u) << "train.py:6 only calls train.py:2";
  expect_cost(at(all, "train.py", 2), 2, 20, 0, 600);
  expect_cost(at(all, "nn.py", 9), 2, 20, 0, 600);
  expect_cost(at(all, "train.py", 8), 2, 20, 460, 0);
  EXPECT_EQ(all.of_all(static_cast<double>(at(all, "train.py", 8).wait_ns)), 230);
  EXPECT_EQ(all.of_recorded(static_cast<double>(at(all, "train.py", 2).gpu_ns)), 300);
  EXPECT_EQ(at(all, "train.py", 8).example.start_ns, 300);
  EXPECT_THAT(all.waiting, ElementsAre(Pair(name("train.py"), 460)));
}

// Two kernels of one line run at once, 120 to 420 and 220 to 620: 500 together. A third, launched before the stretch,
// still runs for 50 of it.
TEST_F(LineCostsTest, GpuTimeIsAUnionAndCutToTheStretch) {
  const std::uint32_t line = site({frame("train.py", 2)}, 0);
  t_.iteration(0, 1000);
  t_.iteration(1000, 2000);
  note(t_.kernel({900, 910}, {950, 1050}), line);
  note(t_.kernel({1100, 1110}, {1120, 1420}), line);
  note(t_.kernel({1150, 1160}, {1220, 1620}, 1), line);
  expect_cost(at(costs(1000, 2000), "train.py", 2), 2, 20, 0, 550);
}

// Of four iterations, the second and third were recorded: 2 launches and 2 kernels, but all 4 waits.
TEST_F(LineCostsTest, InBurstsLaunchesAreOfTheWholeRecordedIterationsAndWaitsOfAll) {
  trace_.begin_recorded(0, 900);
  for (const Nanoseconds begin : {0, 1000, 2000, 3000}) iteration(begin);
  trace_.end_recorded(0, 3050);
  const LineCosts all = costs(0, 4000);
  EXPECT_EQ(all.iterations, 4);
  EXPECT_EQ(all.recorded_iterations, 2);
  expect_cost(at(all, "train.py", 2), 2, 20, 0, 600);
  expect_cost(at(all, "train.py", 8), 2, 20, 920, 0);
  EXPECT_EQ(all.of_all(920), 230);
  EXPECT_EQ(all.of_recorded(600), 300);
}

// Without a loop, of the microsecond from 600 ns on: a kernel of 300 ns, and 230 ns of waiting.
TEST_F(LineCostsTest, PerSecondWithoutALoop) {
  note(t_.kernel({600, 610}, {620, 920}), site({frame("train.py", 2)}, 0));
  note(t_.sync(800, 1040, 10, 5), site({frame("train.py", 8)}, 0));
  t_.kernel(2000, 2001);
  EXPECT_TRUE(costs(600, 1600).empty()) << "there is no iteration";
  const LineCosts all = costs(600, 1600, Per::Second);
  EXPECT_EQ(all.known_ns, 1000);
  EXPECT_EQ(all.recorded_ns, 1000);
  expect_cost(at(all, "train.py", 2), 1, 10, 0, 300);
  expect_cost(at(all, "train.py", 8), 1, 10, 230, 0);
  EXPECT_EQ(all.of_recorded(300), 0.3e9);
  EXPECT_EQ(all.of_all(230), 0.23e9);
}

// The runtime's launch, 100 to 130, contains the driver's, 105 to 125: the line's CPU time is 30.
TEST_F(LineCostsTest, ACallInsideAnotherIsPartOfIt) {
  const std::uint32_t line = site({frame("train.py", 2)}, 0);
  t_.iteration(0, 1000);
  note(t_.launch(100, 130, 1), line);
  note(t_.call("cuLaunchKernel", 105, 125, 1), line);
  EXPECT_EQ(at(costs(0, 1000), "train.py", 2).cpu_ns, 30);
}

// A loop that waits for its loader: 400 of 1,000.
TEST_F(LineCostsTest, WaitsForOtherThreadsCount) {
  t_.iteration(0, 1000);
  t_.host_wait(100, 500);
  note(t_.events.back(), site({frame("queue.py", 50), frame("train.py", 5)}, 1));
  const LineCosts all = costs(0, 1000);
  expect_cost(at(all, "train.py", 5), 0, 0, 400, 0);
  EXPECT_THAT(all.waiting, ElementsAre(Pair(name("train.py"), 400)));
}

TEST_F(LineCostsTest, WhatHasNoStackHasNoLine) {
  t_.iteration(0, 1000);
  t_.kernel({100, 110}, {120, 420});
  EXPECT_TRUE(costs(0, 1000).lines.empty());
}

}  // namespace
}  // namespace lanescope::analysis
