// What the range of a prediction consists of, worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "prediction/numbers.h"
#include "prediction/open_effects.h"
#include "prediction/predict.h"

namespace lanescope::prediction {
namespace {

using testing::ElementsAre;

// Tables give 2.776 for 4 degrees of freedom, 2.262 for 9, 2.086 for 20 and 1.960 for very many.
TEST(Scatter, StudentsTIsThatOfTheTables) {
  EXPECT_NEAR(student_t(4), 2.776, 0.02);
  EXPECT_NEAR(student_t(9), 2.262, 0.002);
  EXPECT_NEAR(student_t(20), 2.086, 0.001);
  EXPECT_NEAR(student_t(100'000), 1.960, 0.001);
}

// Five values are five blocks: 8, 9, 10, 11, 12, mean 10, squares 4 + 1 + 0 + 1 + 4 = 10:
// 2.776 * sqrt(10 / 4 / 5) = 1.963.
TEST(Scatter, OfFewValuesEachIsABlock) {
  const std::vector<double> values{8, 9, 10, 11, 12};
  EXPECT_NEAR(scatter_of_mean(values), 1.963, 0.01);
  EXPECT_EQ(scatter_of_mean(std::span(values).first(4)), 0) << "too few to tell";
}

// 1, 3, 1, 3, ... in ten blocks of two: every block has the mean 2, so the mean is certain, although single values
// scatter. The first value of an odd number is left out.
TEST(Scatter, WhatNeighboursMakeUpForIsNone) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i % 2 == 0 ? 1 : 3);
  EXPECT_NEAR(scatter_of_mean(values), 0, 1e-12);
  values.insert(values.begin(), 1000);
  EXPECT_NEAR(scatter_of_mean(values), 0, 1e-12);
}

// Ten values of 1 and then ten of 2: neighbours are alike, so there are ten blocks and not twenty values: means 1, 1,
// 1, 1, 1, 2, 2, 2, 2, 2, squares 10 * 0.25 = 2.5: 2.262 * sqrt(2.5 / 9 / 10) = 0.3770.
TEST(Scatter, NeighboursThatAreAlikeCountOnce) {
  std::vector<double> values(20, 1);
  std::fill(values.begin() + 10, values.end(), 2);
  EXPECT_NEAR(scatter_of_mean(values), 0.3770, 0.001);
}

// The blocks of the test before: another whole run is where one more block is, 2.262 * sqrt(2.5 / 9 * (1 + 1 / 10)) =
// 1.2504.
TEST(Scatter, AWanderingMachineIsAsFastAsInOneOfTheBlocks) {
  std::vector<double> values(20, 1);
  std::fill(values.begin() + 10, values.end(), 2);
  EXPECT_NEAR(scatter_of_next(values), 1.2504, 0.003);
  EXPECT_EQ(scatter_of_next(std::span(values).first(4)), 0) << "too few to tell";
}

/// A machine that takes launch_us + wake_us + wake_us / 2 ... : whatever the test says.
Fit fit_with(std::vector<OpenNumber> open) {
  Fit fit;
  fit.machine.profile.cpu.launch_us = 100;
  fit.machine.profile.cpu.wake_us = 100;
  fit.machine.profile.cpu.sync_us = 100;
  fit.open = std::move(open);
  return fit;
}
OpenNumber open(const char* what, Basis basis, double& (*of)(Machine&), double off) {
  OpenNumber number;
  number.what = what;
  number.basis = basis;
  number.set = [of, off](Machine& machine, double where) { of(machine) = 100 + off * where; };
  return number;
}
double& launch(Machine& machine) { return machine.profile.cpu.launch_us; }
double& wake(Machine& machine) { return machine.profile.cpu.wake_us; }
double& sync(Machine& machine) { return machine.profile.cpu.sync_us; }

// The changed loop takes launch + wake = 200; the recorded one something else that is always 1000. 3 of 200 are 1.5 %,
// 4 are 2 %: together sqrt(1.5^2 + 2^2) = 2.5 %.
TEST(OpenEffects, IndependentErrorsAddUpAsSquares) {
  const Fit fit = fit_with({open("launch", Basis::Recorded, launch, 3), open("wake", Basis::Probed, wake, 4)});
  const OpenEffects effects = open_effects(
      fit,
      [](const Machine& m, bool changed) { return changed ? m.profile.cpu.launch_us + m.profile.cpu.wake_us : 1000; },
      0.003);
  EXPECT_NEAR(effects.measured.less, -0.025, 1e-9);
  EXPECT_NEAR(effects.measured.more, 0.025, 1e-9);
  EXPECT_EQ(effects.assumed.width(), 0);
  EXPECT_EQ(effects.largest(Basis::Recorded), "launch");
  EXPECT_EQ(effects.largest(Basis::Probed), "wake");
  EXPECT_EQ(effects.largest(Basis::Assumed), "");
}

// Assumed bounds are no errors: 20 and 40 of 200 may come together, which is 30 %.
TEST(OpenEffects, AssumedEndsMayComeTogether) {
  const Fit fit = fit_with({open("launch", Basis::Assumed, launch, 20), open("wake", Basis::Assumed, wake, 40)});
  const OpenEffects effects = open_effects(
      fit,
      [](const Machine& m, bool changed) { return changed ? m.profile.cpu.launch_us + m.profile.cpu.wake_us : 1000; },
      0.003);
  EXPECT_NEAR(effects.assumed.less, -0.3, 1e-9);
  EXPECT_NEAR(effects.assumed.more, 0.3, 1e-9);
  EXPECT_EQ(effects.measured.width(), 0);
  ASSERT_EQ(effects.each.size(), 2u);
  EXPECT_EQ(effects.each[0].what, "wake") << "the larger one first";
}

// The slower of two overlapping works counts: 140 instead of 100 either way, and no more together.
TEST(OpenEffects, OverlappingWorksDoNotAddUp) {
  const Fit fit = fit_with({open("launch", Basis::Assumed, launch, 40), open("wake", Basis::Assumed, wake, 40)});
  const OpenEffects effects = open_effects(
      fit,
      [](const Machine& m, bool changed) {
        return changed ? std::max(m.profile.cpu.launch_us, m.profile.cpu.wake_us) : 1000;
      },
      0.003);
  EXPECT_NEAR(effects.assumed.more, 0.4, 1e-9);
  EXPECT_NEAR(effects.assumed.less, -0.4, 1e-9);
}

// Recorded 300 = launch + wake + sync, changed 200 = launch + wake. A launch of 110 would have been seen: the recorded
// loop would take 310. By ratio the changed one moves by 210 / 200 * 300 / 310 - 1 = 1.6 %, by difference by
// (210 - 310 + 300) / 200 - 1 = 0, of which the smaller counts; but 0.3 % of the recorded time cannot be seen, which is
// 5 % * 0.003 / (10 / 300) = 0.45 %.
TEST(OpenEffects, WhatTheRecordedLoopWouldShowIsTakenBack) {
  const Fit fit = fit_with({open("launch", Basis::Recorded, launch, 10)});
  const OpenEffects effects = open_effects(
      fit,
      [](const Machine& m, bool changed) {
        return m.profile.cpu.launch_us + m.profile.cpu.wake_us + (changed ? 0 : m.profile.cpu.sync_us);
      },
      0.003);
  EXPECT_NEAR(effects.measured.more, 0.0045, 1e-6);
  EXPECT_NEAR(effects.measured.less, -0.0045, 1e-6);
}

TEST(OpenEffects, WhatMovesNothingIsLeftOut) {
  const Fit fit = fit_with({open("sync", Basis::Assumed, sync, 50)});
  const OpenEffects effects = open_effects(
      fit, [](const Machine&, bool) { return 1000; }, 0.003);
  EXPECT_EQ(effects.assumed.width(), 0);
  EXPECT_TRUE(effects.each.empty());
}

// The table in numbers.h: 6 GB/s from pageable memory go with 6 * 2.26 = 13.5 to 6 * 6.12 = 36.7 from pinned.
TEST(AssumedLink, APinnedRateGoesWithThePageableOne) {
  Numbers numbers;
  numbers.measured(Number::H2dPageable, 6, 0);
  assume_link(numbers);
  EXPECT_NEAR(numbers.slow(Number::H2dPinned), 6 * 13.454 / 5.959, 1e-3);
  EXPECT_NEAR(numbers.fast(Number::H2dPinned), 6 * 56.3 / 9.2, 1e-3);
  EXPECT_NEAR(numbers.value(Number::H2dPinned), std::sqrt(6 * 13.454 / 5.959 * 6 * 56.3 / 9.2), 1e-3);
  EXPECT_TRUE(numbers.assumed(Number::H2dPinned));
}

// 25 GB/s from pinned memory: 25 / 6.12 = 4.09 to 25 / 2.26 = 11.07 from pageable memory.
TEST(AssumedLink, APageableRateGoesWithThePinnedOne) {
  Numbers numbers;
  numbers.measured(Number::H2dPinned, 25, 0);
  assume_link(numbers);
  EXPECT_NEAR(numbers.slow(Number::H2dPageable), 25 * 9.2 / 56.3, 1e-3);
  EXPECT_NEAR(numbers.fast(Number::H2dPageable), 25 * 5.959 / 13.454, 1e-3);
}

// Nothing is recorded: the slowest and the fastest of the catalogue's real machines.
TEST(AssumedLink, WithoutAnyCopyTheCatalogueIsTheRange) {
  Numbers numbers;
  assume_link(numbers);
  EXPECT_NEAR(numbers.slow(Number::H2dPinned), 12, 1e-9);
  EXPECT_NEAR(numbers.fast(Number::H2dPinned), 56.3, 1e-9);
  EXPECT_NEAR(numbers.slow(Number::D2hPageable), 4, 1e-9);
  EXPECT_NEAR(numbers.fast(Number::D2hPageable), 16.93, 1e-9);
}

// A link that has been seen to move 20 GB/s is not slower, whatever the ratio says.
TEST(AssumedLink, WhatWasReachedIsTheLeast) {
  Numbers numbers;
  numbers.measured(Number::H2dPageable, 6, 0);
  numbers.narrow(Number::H2dPinned, 30, 80, 20);
  assume_link(numbers);
  EXPECT_NEAR(numbers.slow(Number::H2dPinned), 20, 1e-9);
}

// 300 µs now; 100 to 200 µs then are 1.5 to 3 times as fast.
TEST(PredictionText, AnAssumedRangeIsSaidAsOne) {
  Prediction p;
  p.measured_ns = 300e3;
  p.iteration_ns = 150e3;
  p.low_ns = 100e3;
  p.high_ns = 200e3;
  EXPECT_EQ(gain_sentence(p), "2.00 times as fast");
  p.assumed = {{"how fast pinned memory is copied to the GPU", "link.h2d_pinned_gb_per_s", 22, 13.45, 36.7},
               {"what pinning memory costs", "cpu.host_alloc_us_per_mib", 400, 399, 401},
               {"how much of a copy to fresh memory is spent on page faults", "", 0, 0, 0}};
  EXPECT_EQ(predicted_gains(p), (std::pair{1.5, 3.0}));
  EXPECT_EQ(gain_sentence(p), "from 1.50 times as fast to 3.00 times as fast, assumed");
  EXPECT_THAT(texts_of(p.assumed), ElementsAre("how fast pinned memory is copied to the GPU: 13.4 to 36.7 GB/s",
                                               "what pinning memory costs: 400 µs/MiB",
                                               "how much of a copy to fresh memory is spent on page faults"));
}

}  // namespace
}  // namespace lanescope::prediction
