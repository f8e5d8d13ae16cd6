#include "attach/recorded_bursts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// 12 iterations of 10 ms at 10 % want 1.2 s: the next period is 2 s, and a tenth of it is recorded.
TEST(JobBurstsTest, HaveAPeriodThatOthersHaveTooAndTheirShareOfIt) {
  EXPECT_EQ(job_bursts(120 * kMs, 0.1, 0), (JobBursts{200 * kMs, 2'000 * kMs}));
  EXPECT_EQ(job_bursts(50 * kMs, 0.2, 0), (JobBursts{50 * kMs, 250 * kMs}));
  EXPECT_EQ(job_bursts(500 * kMs, 0.1, 0), (JobBursts{800 * kMs, 8'000 * kMs}));
  EXPECT_EQ(job_bursts(100 * kMs, 1.0, 0), (JobBursts{250 * kMs, 250 * kMs})) << "all of the time";
}

// Recorders of one job find the iteration 9 % shorter or longer, and still have one grid and one length.
TEST(JobBurstsTest, AreTheSameForWhoMeasuredSlightlyDifferently) {
  for (const Nanoseconds iteration : {11'000, 12'000, 13'000}) {
    EXPECT_EQ(job_bursts(12 * iteration * 1'000, 0.1, 0), (JobBursts{200 * kMs, 2'000 * kMs})) << iteration;
  }
}

TEST(JobBurstsTest, EveryPeriodBeginsWithEveryLongerOne) {
  Nanoseconds before = 0;
  for (Nanoseconds burst = kMs; burst < 10'000 * kMs; burst = burst * 5 / 4) {
    const Nanoseconds period = job_bursts(burst, 0.1, 0).period_ns;
    if (before > 0) {
      EXPECT_EQ(period % before, 0);
    }
    before = period;
  }
  EXPECT_EQ(before, 64'000 * kMs);  // the library's longest
}

TEST(JobBurstsTest, ThePeriodStaysUntilItIsWrongByAFifth) {
  EXPECT_EQ(job_bursts(210 * kMs, 0.1, 2'000 * kMs).period_ns, 2'000 * kMs);
  EXPECT_EQ(job_bursts(210 * kMs, 0.1, 2'000 * kMs).burst_ns, 200 * kMs);
  EXPECT_EQ(job_bursts(241 * kMs, 0.1, 2'000 * kMs).period_ns, 4'000 * kMs);
  EXPECT_EQ(job_bursts(90 * kMs, 0.1, 2'000 * kMs).period_ns, 2'000 * kMs);
  EXPECT_EQ(job_bursts(83 * kMs, 0.1, 2'000 * kMs).period_ns, 1'000 * kMs);
}

// 2 s of 0.1 % would be a burst each 2,000 s.
TEST(JobBurstsTest, OfTheLongestPeriodMoreIsRecordedRatherThanLessThanWanted) {
  EXPECT_EQ(job_bursts(2'000 * kMs, 0.001, 0), (JobBursts{2'000 * kMs, 64'000 * kMs}));
}

}  // namespace
}  // namespace lanescope::attach
