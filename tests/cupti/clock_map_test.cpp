#include "capture/cupti/decoder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lanescope::capture::cupti {
namespace {

constexpr std::uint64_t kAhead = 1'700'000'000'000'000'000;

struct Clocks {
  Nanoseconds now = 1'000'000;
  std::uint64_t ahead = kAhead;
  Nanoseconds look_ns = 0;  // what it takes to look at the trace's clock
  ClockMap::Clocks both() {
    return {.cupti_ns = [this] { return ahead + static_cast<std::uint64_t>(now); },
            .trace_ns =
                [this] {
                  now += look_ns;
                  return now;
                }};
  }
};

TEST(ClockMap, LearnsTheDistanceAtTheFirstComparison) {
  Clocks clocks;
  ClockMap map(clocks.both());
  EXPECT_FALSE(map.known());
  EXPECT_FALSE(map.compare());
  EXPECT_TRUE(map.known());
  EXPECT_EQ(map.to_trace(kAhead + 123), 123);
  EXPECT_EQ(map.now_ns(), 1'000'000);
  EXPECT_EQ(map.last_jump_ns(), 0);
}

TEST(ClockMap, AMoveOfLessThan50MicrosecondsIsNoJump) {
  Clocks clocks;
  ClockMap map(clocks.both());
  map.compare();
  clocks.ahead = kAhead + 50'000;
  EXPECT_FALSE(map.compare());
  EXPECT_EQ(map.to_trace(kAhead), 0);
  clocks.ahead = kAhead - 50'000;
  EXPECT_FALSE(map.compare());
  clocks.ahead = kAhead + 50'001;
  EXPECT_TRUE(map.compare());
  EXPECT_EQ(map.last_jump_ns(), 50'001);
  EXPECT_FALSE(map.compare()) << "the new distance is the one known now";
}

TEST(ClockMap, StampsFromBeforeAClockWasSetBackKeepTheirEpoch) {
  Clocks clocks;
  clocks.now = 10'000'000;
  ClockMap map(clocks.both());
  map.compare();
  clocks.ahead = kAhead - 5'000'000;  // set back by 5 ms
  ASSERT_TRUE(map.compare());
  EXPECT_EQ(map.last_jump_ns(), -5'000'000);
  // Stamped at 9 ms under the old epoch: 14 ms under the new one, which is still in the future.
  EXPECT_EQ(map.to_trace(kAhead + 9'000'000), 9'000'000);
  // Stamped now under the new one.
  EXPECT_EQ(map.to_trace(kAhead - 5'000'000 + 10'000'000), 10'000'000);
  // In the future under both: the newest.
  EXPECT_EQ(map.to_trace(kAhead + 20'000'000), 25'000'000);
  // Time passes, and the stamp is no longer in the future.
  clocks.now = 15'000'000;
  EXPECT_EQ(map.to_trace(kAhead + 9'000'000), 14'000'000);
}

TEST(ClockMap, KeepsEightEpochs) {
  Clocks clocks;
  clocks.now = 0;
  ClockMap map(clocks.both());
  map.compare();
  for (int i = 1; i <= 8; ++i) {
    clocks.ahead = kAhead - static_cast<std::uint64_t>(i) * 1'000'000;
    ASSERT_TRUE(map.compare());
  }
  // Under the i-th epoch, a stamp of kAhead - 1 ms is at (i - 1) ms. The first one, which would put it at -1 ms rather
  // than in the future, is forgotten; the second one puts it at 0.
  EXPECT_EQ(map.to_trace(kAhead - 1'000'000), 0);
  // In the future under all epochs kept, though not under the forgotten one: use the newest.
  EXPECT_EQ(map.to_trace(kAhead), 8'000'000);
}

TEST(ClockMap, TakesTheBestOfSeveralBrackets) {
  // The first comparison takes 1 ms longer than the others: the offset would be wrong by half of that.
  Nanoseconds now = 0;
  int looks = 0;
  ClockMap map({.cupti_ns = [&] { return kAhead + static_cast<std::uint64_t>(now); },
                .trace_ns =
                    [&] {
                      now += ++looks == 2 ? 1'000'000 : 20;
                      return now;
                    }});
  map.compare();
  EXPECT_NEAR(static_cast<double>(map.to_trace(kAhead)), 0.0, 20.0);
}

TEST(ClockMap, AComparisonThatSaysNothingIsNoJump) {
  Clocks clocks;
  ClockMap map(clocks.both());
  map.compare();
  clocks.look_ns = 10'000'000;  // the thread is stopped at every look
  clocks.ahead = kAhead + 3'000'000;
  EXPECT_FALSE(map.compare());
  clocks.look_ns = 0;
  EXPECT_TRUE(map.compare());
}

TEST(ClockMap, AnyStampIsConverted) {
  Clocks clocks;
  ClockMap map(clocks.both());
  map.compare();
  EXPECT_LT(map.to_trace(0), 0);
  map.to_trace(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace lanescope::capture::cupti
