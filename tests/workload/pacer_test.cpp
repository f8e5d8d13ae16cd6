#include "workload/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "base/error.h"

namespace lanescope::workload {
namespace {

using base::kMillisecond;
using base::kSecond;

constexpr base::Nanoseconds kFarAway = std::numeric_limits<base::Nanoseconds>::max() / 4;

TEST(Pacer, UnpacedTimeIsWhatTheSimulationHasReached) {
  Pacer pacer(false);
  pacer.wait_for(3'600 * kSecond);  // returns: nothing is paced
  EXPECT_EQ(pacer.now_ns(), 3'600 * kSecond);
  pacer.wait_for(5);
  EXPECT_EQ(pacer.now_ns(), 3'600 * kSecond);
}

TEST(Pacer, WaitsUntilTheWallClockHasComeThere) {
  const auto before = Pacer::Clock::now();
  Pacer pacer(true, 2.0);
  pacer.wait_for(10 * kMillisecond);
  EXPECT_GE(Pacer::Clock::now() - before, std::chrono::milliseconds(5));
  EXPECT_EQ(pacer.now_ns(), 10 * kMillisecond);  // never beyond what was asked for
}

TEST(Pacer, StopWakesTheWaitingThreadForGood) {
  Pacer pacer(true, 1.0);
  std::thread waiting([&] { pacer.wait_for(kFarAway); });
  pacer.stop();
  waiting.join();
  EXPECT_TRUE(pacer.stopped());
  pacer.wait_for(kFarAway);
}

TEST(Pacer, HoldsARunInRealTimeWhileItIsPaused) {
  for (const bool paced : {true, false}) {
    Pacer pacer(paced);
    pacer.wait_while_paused();  // returns: it is not paused
    pacer.pause(true);
    std::atomic<bool> back{false}, resumed{false};
    std::thread waiting([&] {
      pacer.wait_while_paused();
      EXPECT_TRUE(resumed);
      back = true;
    });
    pacer.set_speed(2);  // wakes it, but not for good
    EXPECT_FALSE(back);
    resumed = true;
    pacer.pause(false);
    waiting.join();
    pacer.pause(true);
    std::thread stopped([&] { pacer.wait_while_paused(); });
    pacer.stop();
    stopped.join();
  }
}

TEST(Pacer, StopWakesAPausedThreadToo) {
  Pacer pacer(true, 1.0);
  pacer.pause(true);
  std::thread waiting([&] { pacer.wait_for(kSecond); });
  pacer.stop();
  waiting.join();
  EXPECT_TRUE(pacer.paused());
  EXPECT_EQ(pacer.now_ns(), 0);
}

TEST(Pacer, AHigherSpeedShortensAWaitThatIsUnderWay) {
  Pacer pacer(true, 1e-6);
  std::atomic<bool> arrived{false};
  std::thread waiting([&] {
    pacer.wait_for(kSecond);  // 12 days at this speed
    arrived = true;
  });
  pacer.set_speed(1e9);
  waiting.join();
  EXPECT_TRUE(arrived);
  EXPECT_EQ(pacer.speed(), 1e9);
}

TEST(Pacer, ResumingReleasesTheThread) {
  Pacer pacer(true, 1e6);
  pacer.pause(true);
  std::atomic<bool> arrived{false};
  std::thread waiting([&] {
    pacer.wait_for(kSecond);
    arrived = true;
  });
  EXPECT_FALSE(arrived);
  EXPECT_EQ(pacer.now_ns(), 0);
  pacer.pause(false);
  waiting.join();
  EXPECT_TRUE(arrived);
  EXPECT_FALSE(pacer.paused());
}

// An hour passes at once, and afterwards time continues from there.
TEST(Pacer, FastForwardDoesNotWait) {
  Pacer pacer(true, 1.0);
  pacer.fast_forward(true);
  pacer.wait_for(3'600 * kSecond);
  EXPECT_EQ(pacer.now_ns(), 3'600 * kSecond);
  const auto before = Pacer::Clock::now();
  pacer.fast_forward(false);
  EXPECT_EQ(pacer.now_ns(), 3'600 * kSecond);
  pacer.wait_for(3'600 * kSecond + 5 * kMillisecond);
  EXPECT_GE(Pacer::Clock::now() - before, std::chrono::milliseconds(5));
}

TEST(Pacer, FastForwardPassesAPauseAndLeavesItInForce) {
  Pacer pacer(true, 1.0);
  pacer.pause(true);
  pacer.fast_forward(true);
  pacer.wait_for(kSecond);
  pacer.fast_forward(false);
  EXPECT_TRUE(pacer.paused());
  EXPECT_EQ(pacer.now_ns(), kSecond);
}

TEST(Pacer, RefusesImpossibleSpeeds) {
  EXPECT_THROW(Pacer(true, 0), base::UsageError);
  Pacer pacer(true);
  EXPECT_THROW(pacer.set_speed(-1), base::UsageError);
  EXPECT_EQ(pacer.speed(), 1.0);
}

TEST(Pacer, InTurnsNobodyWaitsAndTheNextIterationIsDueWhenTheClockIsThere) {
  Pacer pacer(true, 1e-9, Pacer::Waits::InTurns);  // a second of wall time is a nanosecond
  EXPECT_TRUE(pacer.due());
  pacer.wait_for(kSecond);  // returns
  EXPECT_FALSE(pacer.due());
  EXPECT_LT(pacer.now_ns(), kSecond);
  pacer.set_speed(1e12);
  while (!pacer.due()) std::this_thread::yield();
  EXPECT_EQ(pacer.now_ns(), kSecond);  // never beyond what was simulated
  pacer.set_speed(1e-9);
  pacer.hold_back();  // the clock was far ahead
  pacer.wait_for(kSecond + 5);
  EXPECT_FALSE(pacer.due());
  EXPECT_LE(pacer.now_ns(), kSecond + 5);
  pacer.stop();
  EXPECT_TRUE(pacer.due());
}

}  // namespace
}  // namespace lanescope::workload
