// Sweeps: their order, their values, how they end, and their output.
#include "experiment/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace lanescope::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

SweepSpec spec_over(const std::vector<const char*>& axes) {
  SweepSpec spec;
  spec.workload = "linear-mse";
  spec.device = "sim:rtx4090";
  spec.iterations = 10;
  for (const char* axis : axes) spec.axes.push_back(parse_axis(axis));
  return spec;
}

std::vector<SweepPoint> points_of(const SweepSpec& spec) {
  Sweep sweep(spec);
  sweep.start();
  sweep.wait();
  EXPECT_FALSE(sweep.running());
  return sweep.points();
}

TEST(Axis, IsAKeyAndItsValues) {
  const Axis axis = parse_axis("batch_size=128,512");
  EXPECT_EQ(axis.key, "batch_size");
  EXPECT_THAT(axis.values, ElementsAre("128", "512"));
  for (const char* wrong : {"batch_size", "=1,2", "batch_size=", "batch_size=1,,2", "batch_size=1,2,1", ""}) {
    EXPECT_THROW(parse_axis(wrong), base::UsageError) << wrong;
  }
}

TEST(SweepSpec, TheSecondAxisRunsFastest) {
  const SweepSpec spec = spec_over({"log_interval=1,2", "batch_size=8,16,32"});
  EXPECT_EQ(spec.points(), 6u);
  EXPECT_THAT(spec.place(0), ElementsAre(0, 0));
  EXPECT_THAT(spec.place(4), ElementsAre(1, 1));
  EXPECT_EQ(SweepSpec().points(), 0u);
}

TEST(CheckSweep, RefusesWhatNeedsNoRunToBeWrong) {
  const auto changed = [](auto change) {
    SweepSpec spec = spec_over({"log_interval=1,2"});
    change(spec);
    return spec;
  };
  check_sweep(spec_over({"log_interval=1,2"}));
  const std::vector<SweepSpec> wrong{
      spec_over({}),
      spec_over({"log_interval=1", "batch_size=8", "seed=1"}),
      spec_over({"seed=1", "seed=2"}),
      spec_over({"volume=1"}),
      spec_over({"batch_size=8,0"}),
      spec_over({"device=sim:rtx4090,sim:none"}),
      spec_over({"iterations=10,0"}),
      changed([](SweepSpec& s) { s.workload = "none"; }),
      changed([](SweepSpec& s) { s.figure = "speed"; }),
      changed([](SweepSpec& s) { s.against = "volume"; }),
      changed([](SweepSpec& s) { s.against = "batch_size=0"; }),
      changed([](SweepSpec& s) { s.assignments = {"volume=1"}; }),
  };
  for (std::size_t w = 0; w < wrong.size(); ++w) EXPECT_THROW(Sweep{wrong[w]}, base::UsageError) << w;
}

// A read every n-th of 10 iterations, and one synchronisation at the end: 1.1, 0.6 and 0.2 per iteration.
TEST(Sweep, RunsEveryPointInOrder) {
  SweepSpec spec = spec_over({"log_interval=1,2,10"});
  spec.figure = "syncs_per_iteration";
  const std::vector<SweepPoint> points = points_of(spec);
  std::vector<double> values;
  for (const SweepPoint& point : points) {
    EXPECT_TRUE(point.done);
    EXPECT_TRUE(point.simulated);
    values.push_back(point.value.value_or(-1));
  }
  EXPECT_THAT(values, testing::Pointwise(testing::DoubleEq(), {1.1, 0.6, 0.2}));
  EXPECT_THAT(points[1].at, ElementsAre("2"));
}

// 1.1 with a read each time, over 0.1 * (10 / n + 1) without.
TEST(Sweep, AgainstIsThereOverHere) {
  SweepSpec spec = spec_over({"log_interval=1,10"});
  spec.figure = "syncs_per_iteration";
  spec.against = "log_interval=1";
  Sweep sweep(spec);
  sweep.start();
  sweep.wait();
  EXPECT_EQ(sweep.unit(), "x");
  EXPECT_DOUBLE_EQ(sweep.points()[0].value.value(), 1);
  EXPECT_DOUBLE_EQ(sweep.points()[1].value.value(), 1.1 / 0.2);
}

TEST(Sweep, IterationsAndDevicesAreAxes) {
  SweepSpec spec = spec_over({"iterations=10,40", "device=sim:rtx4090,sim:teaching"});
  spec.figure = "total_s";
  spec.assignments = {"log_interval=0"};
  const std::vector<SweepPoint> points = points_of(spec);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].measured.summary.iteration.count, 10);
  EXPECT_EQ(points[2].measured.summary.iteration.count, 40);
  EXPECT_GT(points[1].value.value(), points[0].value.value()) << "the teaching profile is slower";
  EXPECT_GT(points[2].value.value(), 3 * points[0].value.value());
}

// "never" is the longest interval: an ascending list ends with it, any other order stays.
TEST(Sweep, NeverComesAfterTheLongestInterval) {
  const auto values = [](const char* over) { return Sweep(spec_over({over})).spec().axes[0].values; };
  EXPECT_THAT(values("log_interval=0,1,10"), ElementsAre("1", "10", "0"));
  EXPECT_THAT(values("log_interval=0,100,10,1"), ElementsAre("0", "100", "10", "1"));
  EXPECT_THAT(values("batch_size=32,64,128"), ElementsAre("32", "64", "128"));
}

TEST(Sweep, APointThatFailsSaysWhyAndTheOthersStay) {
  SweepSpec spec = spec_over({"log_interval=0,1"});
  spec.figure = "d2h_gb_per_s";  // nothing is copied back without a read
  spec.device = "sim:rtx4090";
  const std::vector<SweepPoint> points = points_of(spec);
  EXPECT_FALSE(points[0].value);
  EXPECT_TRUE(points[0].done);
  EXPECT_THAT(points[0].error, HasSubstr("d2h_gb_per_s"));
  EXPECT_TRUE(points[1].value);
  EXPECT_EQ(points[1].error, "");
}

// The second point would take hours.
TEST(Sweep, CancelEndsTheRunThatIsGoingOnAndKeepsThePointsBefore) {
  Sweep sweep(spec_over({"iterations=10,1000000000,20"}));
  sweep.start();
  while (sweep.done() == 0) std::this_thread::yield();
  sweep.cancel();
  sweep.wait();
  EXPECT_EQ(sweep.done(), 1u);
  const std::vector<SweepPoint> points = sweep.points();
  EXPECT_TRUE(points[0].done);
  EXPECT_FALSE(points[1].done);
  EXPECT_FALSE(points[2].done);
}

TEST(Sweep, IsCancelledByItsEnd) {
  Sweep sweep(spec_over({"iterations=1000000000"}));
  sweep.start();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("\r\n", at);
    lines.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return lines;
}

TEST(SweepCsv, IsALinePerPointThatWasRun) {
  SweepSpec spec = spec_over({"device=a,b,c,d"});
  std::vector<SweepPoint> points(4);
  const char* const names[] = {"a", "b", "c", "d"};
  for (std::size_t p = 0; p < points.size(); ++p) points[p].at = {names[p]};
  points[0].done = points[1].done = points[2].done = true;
  points[0].value = 0.1;
  points[0].measured.figures = {{"read_us", "reading", "µs", 2, 3, 2.5, 5}};
  points[1].error = "said \"no\", twice";
  points[2].at = {"x,y"};
  const std::vector<std::string> lines = lines_of(sweep_csv(spec, points));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], StartsWith("device,value,iteration_us,"));
  EXPECT_THAT(lines[0], testing::EndsWith(",transfer_percent,total_s,samples_per_s,own.read_us,simulated,error"));
  EXPECT_EQ(lines[1], "a,0.1" + std::string(17, ',') + "2.5,true,");
  EXPECT_EQ(lines[2], "b" + std::string(19, ',') + "true,\"said \"\"no\"\", twice\"");
  EXPECT_THAT(lines[3], StartsWith("\"x,y\",,"));
}

TEST(ReadySweep, IsRefusedWhereThereIsNone) { EXPECT_THROW(ready_sweep(Experiment{}), base::UsageError); }

}  // namespace
}  // namespace lanescope::experiment
