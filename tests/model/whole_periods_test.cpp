// The factor and the verdict on the screen do not depend on when the sides were flipped, and are those of a run without
// a window.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "model/flips.h"

namespace lanescope::ui {
namespace {

struct Headless {
  std::array<experiment::Measured, 2> sides;
  double factor = 0;
};
Headless headless_of(const Experiment& e) {
  Headless headless;
  for (const Side side : {Side::Before, Side::After}) {
    experiment::MeasuredRun run(side_options(e, side, {}));
    run.run();
    headless.sides[static_cast<std::size_t>(side)] = run.measured();
  }
  headless.factor = gain_between(headless.sides[0], headless.sides[1]).factor;
  return headless;
}

// Seconds after the start.
#ifdef LANESCOPE_SANITIZED
constexpr std::array kMoments{12.2};  // each takes several times as long there
#else
constexpr std::array kMoments{12.2, 18.4};
#endif

class WholePeriods : public testing::TestWithParam<std::size_t> {};

// Flipped at several moments in the steady state, and looked at 15 seconds later (or five periods later): the launch
// queue has filled then. While it fills, a loop issues more iterations than the GPU finishes.
TEST_P(WholePeriods, TheFactorIsThatOfTheCommandLine) {
  const Experiment& e = experiment::experiments()[GetParam()];
  if (!flips_in_place(e)) GTEST_SKIP() << "each side has a run of its own";
  const Headless headless = headless_of(e);
  if (headless.factor == 0) GTEST_SKIP() << "its sides do different work";
  const double before_ns = headless.sides[0].summary.pace.ns, after_ns = headless.sides[1].summary.pace.ns;
  const double speed = window_speed(std::max(before_ns, after_ns));
  const auto iterations = [&](double seconds, double each_ns, Side side) {
    workload::Settings settings = workload::default_settings(e.workload, device::describe_device(e.device));
    for (const std::string& assignment : e.assignments(side)) settings.assign(assignment);
    const auto period = static_cast<double>(workload::period_of(e.workload, settings));
    const double periods = period > 1 ? 5.5 * period + seconds : 0;  // the first may fill a cache
    return static_cast<std::uint64_t>(std::max({30.0, periods, seconds * speed * 1e9 / each_ns}));
  };
  constexpr std::uint64_t kLaunchQueue = 1'024;
  std::size_t known = 0;
  for (const double at : kMoments) {
    const std::uint64_t first = iterations(at, before_ns, Side::Before);
    const std::uint64_t then = iterations(15, after_ns, Side::After);
    FlippedRun run(e, Side::Before, first + then + kLaunchQueue, first);
    run.follow(run.flipped_ns() + static_cast<Nanoseconds>(static_cast<double>(then) * after_ns), speed);
    const RecentFigures& f = run.figures();
    ASSERT_FALSE(f.turn(run.analysis()).empty());
    const analysis::Gain gain =
        analysis::gain_between(f.before_turn().pace, f.batch_before(), f.recent().pace, f.batch_now());
    if (std::getenv("LANESCOPE_TABLE") != nullptr) {
      fmt::print("| {} | {:.1f} s, x{:g} | {} {:.3f} | {:.3f} | {:+.1f} % | {} | {} |\n", e.id, at, speed,
                 gain.per_sample ? "per sample" : "", headless.factor, gain.factor,
                 100 * (gain.factor / headless.factor - 1), why_unknown(f.before_turn().pace),
                 why_unknown(f.recent().pace));
    }
    if (!gain.known()) continue;
    ++known;
    EXPECT_TRUE(run.current());
    EXPECT_NEAR(gain.factor / headless.factor, 1, 0.03) << e.id << ", flipped after " << first << " iterations";
    EXPECT_EQ(gain.per_sample, gain_between(headless.sides[0], headless.sides[1]).per_sample);
  }
  // P15 reads every eight seconds of the screen's time, and O1's short stretches may end with a full or an empty queue.
  EXPECT_GE(known, e.id == "P15" || e.id == "O1" ? kMoments.size() / 2 : kMoments.size()) << e.id;
}

INSTANTIATE_TEST_SUITE_P(All, WholePeriods, testing::Range<std::size_t>(0, experiment::experiments().size()),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name(experiment::experiments()[which.param].id);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A hundred iterations with their read: 1.36x, whenever it is flipped, and the verdict never changes once there was a
// period. Before that there is no number.
TEST(WholePeriods, OfALoopThatReadsEveryHundredIterations) {
  const Experiment& e = experiment::experiment_named("R3");
  const Headless headless = headless_of(e);
  EXPECT_NEAR(headless.factor, 1.36, 0.01);
  for (std::uint64_t first = 310; first < 410; first += 11) {
    FlippedRun run(e, Side::Before, first + 400, first);
    constexpr double kSpeed = 0.01;
    std::set<analysis::VerdictKind> verdicts;
    for (Nanoseconds t = 0; t < run.end_ns(); t += 1'000'000) {
      run.follow(t, kSpeed);
      const RecentFigures& f = run.figures();
      if (!f.recent().pace.known()) {
        EXPECT_FALSE(run.current() && f.recent().sync_count > 0);
        continue;
      }
      EXPECT_EQ(f.recent().pace.iterations % 100, 0);
      verdicts.insert(f.recent().verdict.kind);
      if (f.turn(run.analysis()).empty() || !run.current()) continue;  // not flipped, or "…" on the screen
      const analysis::Gain gain = analysis::gain_between(f.before_turn().pace, 0, f.recent().pace, 0);
      EXPECT_NEAR(gain.factor / headless.factor, 1, 0.015) << "flipped after " << first << " iterations, at " << t;
    }
    EXPECT_EQ(verdicts.size(), 1u) << "flipped after " << first;
  }
}

}  // namespace
}  // namespace lanescope::ui
