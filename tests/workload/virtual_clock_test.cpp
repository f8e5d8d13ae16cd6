#include "workload/runner.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace lanescope::workload {
namespace {

using base::kMillisecond;
using base::kSecond;
using std::chrono::hours;
using std::chrono::milliseconds;
using WallTime = VirtualClock::WallTime;

const WallTime kStart = WallTime(hours(5));
WallTime after_ms(int ms) { return kStart + milliseconds(ms); }

TEST(VirtualClock, FollowsTheWallClockTimesTheSpeed) {
  const VirtualClock real(1.0, kStart), slow(0.001, kStart), fast(8.0, kStart);
  EXPECT_EQ(real.at(kStart), 0);
  EXPECT_EQ(real.at(after_ms(250)), 250 * kMillisecond);
  EXPECT_EQ(slow.at(after_ms(250)), 250'000);
  EXPECT_EQ(fast.at(after_ms(250)), 2 * kSecond);
}

TEST(VirtualClock, KnowsWhenAnInstantIsReached) {
  const VirtualClock slow(0.01, kStart);
  EXPECT_EQ(slow.when(kMillisecond), after_ms(100));
  EXPECT_EQ(slow.at(slow.when(kMillisecond)), kMillisecond);
  EXPECT_EQ(slow.when(-kSecond), kStart);                                                  // long reached
  EXPECT_EQ(slow.when(std::numeric_limits<base::Nanoseconds>::max()), kStart + hours(1));  // look again then
  const VirtualClock third(3.0, kStart);
  for (const base::Nanoseconds t : {1, 2, 100, 12'345}) EXPECT_GE(third.at(third.when(t)), t);
}

TEST(VirtualClock, AChangeOfSpeedDoesNotJump) {
  VirtualClock clock(1.0, kStart);
  clock.set_speed(0.1, after_ms(100));
  EXPECT_EQ(clock.at(after_ms(100)), 100 * kMillisecond);
  EXPECT_EQ(clock.at(after_ms(200)), 110 * kMillisecond);
  clock.set_speed(2.0, after_ms(200));
  EXPECT_EQ(clock.at(after_ms(205)), 120 * kMillisecond);
  EXPECT_EQ(clock.speed(), 2.0);
}

TEST(VirtualClock, StandsStillWhilePaused) {
  VirtualClock clock(1.0, kStart);
  clock.pause(true, 90 * kMillisecond, after_ms(100));  // the simulation had come to 90 ms
  EXPECT_TRUE(clock.paused());
  EXPECT_EQ(clock.at(after_ms(5'000)), 90 * kMillisecond);
  EXPECT_EQ(clock.when(100 * kMillisecond), WallTime::max());
  clock.set_speed(0.5, after_ms(6'000));
  EXPECT_EQ(clock.at(after_ms(7'000)), 90 * kMillisecond);
  clock.pause(false, clock.at(after_ms(8'000)), after_ms(8'000));
  EXPECT_EQ(clock.at(after_ms(8'010)), 95 * kMillisecond);
}

TEST(VirtualClock, PausingTwiceChangesNothing) {
  VirtualClock clock(1.0, kStart);
  clock.pause(true, 100 * kMillisecond, after_ms(100));
  clock.pause(true, 500 * kMillisecond, after_ms(500));
  EXPECT_EQ(clock.at(after_ms(900)), 100 * kMillisecond);
}

// The simulation asks for 30 ms at wall time 50 ms: it is 20 ms behind, which it may catch up. At wall time 51 ms it is
// 21 ms behind, and time goes on from 30 ms.
TEST(VirtualClock, IsHeldBackForASimulationThatCannotKeepUp) {
  VirtualClock clock(1.0, kStart);
  clock.hold_back(30 * kMillisecond, after_ms(50));
  EXPECT_EQ(clock.at(after_ms(50)), 50 * kMillisecond);
  clock.hold_back(30 * kMillisecond, after_ms(51));
  EXPECT_EQ(clock.at(after_ms(51)), 30 * kMillisecond);
  EXPECT_EQ(clock.at(after_ms(61)), 40 * kMillisecond);
  clock.hold_back(500 * kMillisecond, after_ms(61));  // ahead: it will wait
  EXPECT_EQ(clock.at(after_ms(61)), 40 * kMillisecond);
}

// The slack is wall time: at 1/1000 of real time, 1 ms of virtual time is a second behind.
TEST(VirtualClock, SlackIsWallTime) {
  VirtualClock slow(0.001, kStart);
  slow.hold_back(0, after_ms(19));
  EXPECT_EQ(slow.at(after_ms(19)), 19'000);
  slow.hold_back(0, after_ms(1'000));
  EXPECT_EQ(slow.at(after_ms(1'000)), 0);
}

TEST(VirtualClock, GoesOnFromWhereItIsPut) {
  VirtualClock clock(0.5, kStart);
  clock.jump(kSecond, after_ms(10));
  EXPECT_EQ(clock.at(after_ms(10)), kSecond);
  EXPECT_EQ(clock.at(after_ms(14)), kSecond + 2 * kMillisecond);
  clock.jump(0, after_ms(14));
  EXPECT_EQ(clock.at(after_ms(14)), 0);
}

TEST(VirtualClock, RefusesImpossibleSpeeds) {
  VirtualClock clock(1.0, kStart);
  for (const double speed :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(VirtualClock(speed, kStart), base::UsageError);
    EXPECT_THROW(clock.set_speed(speed, kStart), base::UsageError);
  }
  EXPECT_EQ(clock.speed(), 1.0);
}

}  // namespace
}  // namespace lanescope::workload
