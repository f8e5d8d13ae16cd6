#include "attach/recorded_bursts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace lanescope::attach {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::RecordingChange;
using Act = trace::RecordingChange::Act;
using wire::RecordingAct;

constexpr Nanoseconds kMs = base::kMillisecond;

class RecordedBurstsTest : public testing::Test {
 protected:
  std::vector<RecordingChange> said;
  RecordedBursts bursts{7, [this](const RecordingChange& change) { said.push_back(change); }};
};

// Work launched before the burst still runs at 10 ms: the GPU is known from its first operation at 30 ms on.
TEST_F(RecordedBurstsTest, TheGpuIsKnownFromItsFirstOperationOnUntilTheEnd) {
  EXPECT_TRUE(bursts.take(RecordingAct::On, 10 * kMs));
  EXPECT_TRUE(bursts.on());
  EXPECT_EQ(bursts.complete_until(20 * kMs), 10 * kMs);
  bursts.operation(30 * kMs, 40 * kMs);
  EXPECT_FALSE(bursts.take(RecordingAct::Delivered, 45 * kMs));
  EXPECT_EQ(bursts.complete_until(50 * kMs), 45 * kMs);
  EXPECT_TRUE(bursts.take(RecordingAct::Off, 60 * kMs));
  EXPECT_EQ(bursts.complete_until(70 * kMs), 45 * kMs);  // what ran until 60 ms is still to come
  bursts.take(RecordingAct::Delivered, 65 * kMs);
  EXPECT_EQ(bursts.complete_until(70 * kMs), 70 * kMs);
  EXPECT_THAT(
      said, ElementsAre(RecordingChange{Act::Begin, 7, 30 * kMs, 10 * kMs}, RecordingChange{Act::End, 7, 60 * kMs, 0}));
}

// A GPU that several programs share is late: the burst counts all the same, and nothing after its beginning is complete
// before that is known.
TEST_F(RecordedBurstsTest, WorkThatIsDeliveredAfterTheEndCounts) {
  bursts.take(RecordingAct::On, 0);
  bursts.take(RecordingAct::Off, 50 * kMs);
  bursts.take(RecordingAct::Delivered, 20 * kMs);
  EXPECT_EQ(bursts.complete_until(60 * kMs), 0);
  bursts.operation(40 * kMs, 70 * kMs);
  EXPECT_THAT(said, IsEmpty());
  bursts.take(RecordingAct::Delivered, 90 * kMs);
  EXPECT_THAT(said,
              ElementsAre(RecordingChange{Act::Begin, 7, 40 * kMs, 0}, RecordingChange{Act::End, 7, 50 * kMs, 0}));
  EXPECT_EQ(bursts.complete_until(100 * kMs), 100 * kMs);
}

TEST_F(RecordedBurstsTest, ABurstInWhichNothingRanDoesNotCount) {
  bursts.take(RecordingAct::On, 0);
  bursts.take(RecordingAct::Off, 50 * kMs);
  bursts.take(RecordingAct::Delivered, 60 * kMs);
  EXPECT_EQ(bursts.complete_until(70 * kMs), 70 * kMs);
  // Nor one whose work began after it.
  bursts.take(RecordingAct::On, 100 * kMs);
  bursts.take(RecordingAct::Off, 150 * kMs);
  bursts.operation(160 * kMs, 170 * kMs);
  bursts.take(RecordingAct::Delivered, 180 * kMs);
  EXPECT_EQ(bursts.complete_until(190 * kMs), 190 * kMs);
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(RecordedBurstsTest, WhatNeverComesIsWaitedForTwoSeconds) {
  bursts.take(RecordingAct::On, 0);
  bursts.take(RecordingAct::Off, 50 * kMs);
  EXPECT_EQ(bursts.complete_until(2'049 * kMs), 0);
  EXPECT_EQ(bursts.complete_until(2'050 * kMs), 2'050 * kMs);
  bursts.operation(40 * kMs, 45 * kMs);  // too late: what is complete stays complete
  bursts.take(RecordingAct::Delivered, 2'060 * kMs);
  EXPECT_THAT(said, IsEmpty());
}

// The GPU had nothing to do when the program waited for it from 20 to 21 ms: what runs from then on is all recorded.
TEST_F(RecordedBurstsTest, AfterASynchronisationNothingIsLeftFromBefore) {
  bursts.take(RecordingAct::On, 10 * kMs);
  bursts.nothing_ran(5 * kMs, 8 * kMs);
  bursts.nothing_ran(20 * kMs, 21 * kMs);
  bursts.operation(30 * kMs, 31 * kMs);
  bursts.take(RecordingAct::Delivered, 40 * kMs);
  bursts.finish();
  EXPECT_THAT(
      said, ElementsAre(RecordingChange{Act::Begin, 7, 21 * kMs, 10 * kMs}, RecordingChange{Act::End, 7, 40 * kMs, 0}));
  EXPECT_FALSE(bursts.on());
}

TEST_F(RecordedBurstsTest, SaysWhichCallsAndIterationsAreRecorded) {
  EXPECT_FALSE(bursts.recorded(5 * kMs));
  bursts.take(RecordingAct::On, 10 * kMs);
  EXPECT_FALSE(bursts.within(9 * kMs));
  EXPECT_TRUE(bursts.within(10 * kMs));
  bursts.take(RecordingAct::Off, 60 * kMs);
  EXPECT_TRUE(bursts.recorded(60 * kMs));
  EXPECT_FALSE(bursts.recorded(61 * kMs));
  EXPECT_FALSE(bursts.within(20 * kMs));
  EXPECT_FALSE(bursts.after(59 * kMs));
  EXPECT_TRUE(bursts.after(60 * kMs));
}

TEST_F(RecordedBurstsTest, ToldOnceHowTheyAreToBe) {
  bursts.set(50 * kMs, 500 * kMs);
  bursts.set(50 * kMs, 500 * kMs);
  bursts.set(0, 0);
  EXPECT_THAT(said,
              ElementsAre(RecordingChange{Act::Bursts, 7, 50 * kMs, 500 * kMs}, RecordingChange{Act::Bursts, 7, 0, 0}));
}

constexpr double kShare = 0.1, kMostCost = 0.015;

/// What a rank decides first.
trace::Bursts bursts_for(Nanoseconds burst_ns, double share, double slower = 0) {
  return JobBursts().at(kSecond, {burst_ns, share, 4 * slower, kMostCost});  // a quarter of what was measured counts
}

/// The shares of the time that a rank records, and that two record at the same time. Every burst begins at a multiple
/// of its period since 1970.
double recorded(const trace::Bursts& of) {
  return static_cast<double>(of.burst_ns) / static_cast<double>(of.period_ns);
}
double recorded_by_both(const trace::Bursts& a, const trace::Bursts& b) {
  return static_cast<double>(std::min(a.burst_ns, b.burst_ns)) /
         static_cast<double>(std::max(a.period_ns, b.period_ns));
}
/// The one that records more records all of what the other one does.
bool same_or_nested(const trace::Bursts& a, const trace::Bursts& b) {
  return recorded_by_both(a, b) >= 0.9 * std::min(recorded(a), recorded(b));
}

// 12 iterations of 10 ms at 10 % want 1.2 s: the next period is 2 s, and a tenth of it is recorded.
TEST(JobBurstsTest, HaveAPeriodThatOthersHaveTooAndTheirShareOfIt) {
  EXPECT_EQ(bursts_for(120 * kMs, 0.1), (trace::Bursts{200 * kMs, 2 * kSecond}));
  EXPECT_EQ(bursts_for(50 * kMs, 0.2), (trace::Bursts{400 * kMs, 2 * kSecond}));
  EXPECT_EQ(bursts_for(500 * kMs, 0.1), (trace::Bursts{800 * kMs, 8 * kSecond}));
  EXPECT_EQ(bursts_for(2'000 * kMs, 0.1), (trace::Bursts{3'200 * kMs, 32 * kSecond}));
  EXPECT_EQ(bursts_for(100 * kMs, 1.0), (trace::Bursts{2 * kSecond, 2 * kSecond})) << "all of the time";
}

// 2 s of 0.1 % would be a burst each 2,000 s.
TEST(JobBurstsTest, OfTheLongestPeriodMoreIsRecordedRatherThanLessThanWanted) {
  EXPECT_EQ(bursts_for(2'000 * kMs, 0.001), (trace::Bursts{2'000 * kMs, 128 * kSecond}));
}

// 10 % of the time at 15 % are 1.5 %.
TEST(JobBurstsTest, AreRarerIfTheyCostMuch) {
  EXPECT_EQ(bursts_for(50 * kMs, 0.1, 0.149), (trace::Bursts{200 * kMs, 2 * kSecond}));
  EXPECT_EQ(bursts_for(50 * kMs, 0.1, 0.151), (trace::Bursts{200 * kMs, 8 * kSecond}));
  EXPECT_EQ(bursts_for(50 * kMs, 0.1, 0.61), (trace::Bursts{200 * kMs, 32 * kSecond}));
  EXPECT_EQ(bursts_for(50 * kMs, 0.1, 2.5), (trace::Bursts{200 * kMs, 128 * kSecond}));
  EXPECT_EQ(bursts_for(500 * kMs, 0.1, 0.2), (trace::Bursts{800 * kMs, 32 * kSecond}));
  EXPECT_EQ(JobBursts().at(0, {50 * kMs, 0.1, 9.0, std::numeric_limits<double>::infinity()}),
            (trace::Bursts{200 * kMs, 2 * kSecond}))
      << "somebody asked for this share";
}

// Up to slower by 9.6: bursts of 200 ms each 128 s cost 1.5 % then.
TEST(JobBurstsTest, CostNoMoreThanTheyMay) {
  for (double slower = 0.01; slower < 9.5; slower *= 1.02) {
    JobBursts rank;
    trace::Bursts bursts;
    for (int turn = 1; turn < 20; ++turn) bursts = rank.at(8 * kSecond * turn, {50 * kMs, kShare, slower, kMostCost});
    EXPECT_LE(recorded(bursts) * slower, 1.01 * kMostCost) << slower;
  }
}

// One measures a burst's cost to be 0.8 of what it is, one 1.2 of it, from 1 % to slower by twice.
TEST(JobBurstsTest, OfRanksThatFindThemCostlyOtherwiseAreTheSameOrSomeOfTheOthers) {
  for (const Nanoseconds burst : {50 * kMs, 500 * kMs}) {
    int all = 0, same = 0;
    for (double slower = 0.01; slower < 2; slower *= 1.01, ++all) {
      const trace::Bursts low = bursts_for(burst, kShare, 0.8 * slower), high = bursts_for(burst, kShare, 1.2 * slower);
      EXPECT_TRUE(same_or_nested(low, high)) << burst << ' ' << slower;
      same += low == high ? 1 : 0;
    }
    EXPECT_GE(same, all * 8 / 10);
  }
}

// Iterations from 0.1 ms to 10 s, for one rank shorter by 20 %, for another one longer. They come to different periods
// if theirs are on both sides of 16.7 ms (12 are 200 ms) or 200 ms (4 are 800 ms), and only then.
TEST(JobBurstsTest, OfRanksWithOtherIterationsAreTheSame) {
  const auto wanted = [](double iteration) {
    return static_cast<Nanoseconds>(std::max(std::clamp(12 * iteration, 50e6, 500e6), std::min(4 * iteration, 2e9)));
  };
  int all = 0, same = 0;
  for (double iteration = 1e5; iteration < 1e10; iteration *= 1.01, ++all) {
    const trace::Bursts low = bursts_for(wanted(0.8 * iteration), kShare),
                        high = bursts_for(wanted(1.2 * iteration), kShare);
    const auto between = [&](double at) { return 0.8 * iteration <= at && at < 1.2 * iteration; };
    EXPECT_EQ(low == high, !between(200e6 / 12) && !between(200e6)) << iteration;
    same += low == high ? 1 : 0;
  }
  EXPECT_GE(same, all * 9 / 10);
}

TEST(JobBurstsTest, EveryPeriodBeginsWithEveryLongerOne) {
  Nanoseconds before = 0;
  for (Nanoseconds burst = kMs; burst < 30'000 * kMs; burst = burst * 5 / 4) {
    const Nanoseconds period = bursts_for(burst, kShare).period_ns;
    if (before > 0) {
      EXPECT_EQ(period % before, 0);
    }
    before = period;
  }
  EXPECT_EQ(before, 128 * kSecond);  // the library's longest
}

// At 7 s, 15 s, 23 s, between the bursts of every period.
TEST(JobBurstsTest, AreDecidedUponAtTimesThatAllKnow) {
  JobBursts rank;
  const trace::Bursts often{200 * kMs, 2 * kSecond}, rarely{800 * kMs, 8 * kSecond};
  EXPECT_EQ(rank.at(1 * kSecond, {50 * kMs, kShare, 0, kMostCost}), often);
  EXPECT_EQ(rank.at(6'999 * kMs, {500 * kMs, kShare, 9, kMostCost}), often);
  EXPECT_EQ(rank.at(7'000 * kMs, {500 * kMs, kShare, 0, kMostCost}), rarely);
  EXPECT_EQ(rank.at(14'999 * kMs, {50 * kMs, kShare, 0, kMostCost}), rarely);
  EXPECT_EQ(rank.at(15'000 * kMs, {50 * kMs, kShare, 0, kMostCost}), often);
  EXPECT_EQ(rank.at(15'001 * kMs, {50 * kMs, 0.2, 0, kMostCost}), (trace::Bursts{400 * kMs, 2 * kSecond}))
      << "somebody asks for another share";
}

// What was measured on a busy machine: 0.2 for one rank once, where others have 0.06. And 1 at all times.
TEST(JobBurstsTest, BecomeRarerForWhatKeepsBeingCostly) {
  JobBursts once, always;
  const auto period = [](JobBursts& of, int turn, double slower) {
    return of.at(8 * kSecond * turn, {50 * kMs, kShare, slower, kMostCost}).period_ns;
  };
  EXPECT_EQ(period(once, 1, 0.06), 2 * kSecond);
  EXPECT_EQ(period(once, 2, 0.2), 2 * kSecond);
  EXPECT_EQ(period(once, 3, 0.06), 2 * kSecond);
  EXPECT_EQ(period(always, 1, 1), 8 * kSecond);
  EXPECT_EQ(period(always, 2, 1), 8 * kSecond);
  EXPECT_EQ(period(always, 3, 1), 8 * kSecond);
  EXPECT_EQ(period(always, 4, 1), 32 * kSecond);
}

}  // namespace
}  // namespace lanescope::attach
