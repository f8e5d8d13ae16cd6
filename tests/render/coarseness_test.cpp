// When a busy machine's picture is drawn coarser. The clock is the test's.
#include "render/damage.h"

#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

class CoarsenessTest : public testing::Test {
 protected:
  /// Frames at this distance for so long.
  void frames(double interval_ms, double seconds) {
    for (const double end = now_ + seconds; now_ < end;) {
      now_ += interval_ms / 1000;
      coarseness_.frame(now_, interval_ms);
    }
  }
  Coarseness coarseness_;
  double now_ = 1000;
};

TEST_F(CoarsenessTest, StaysFineAtTheRateOfADisplayAndThroughAPause) {
  frames(16.7, 10);
  frames(3000, 3);  // counts as 100 ms: smoothed, 16.7 + 8.3
  EXPECT_FALSE(coarseness_.coarse());
  frames(16.7, 10);
  EXPECT_FALSE(coarseness_.coarse());
}

// From 16.7 ms, frames of 60 ms are smoothed to 60 - 43.3 * 0.9^n: above 40 after 8.
TEST_F(CoarsenessTest, BecomesCoarseAfterEightSlowFrames) {
  frames(16.7, 10);
  frames(60, 7 * 0.06 - 0.001);
  EXPECT_FALSE(coarseness_.coarse());
  frames(60, 0.059);
  EXPECT_TRUE(coarseness_.coarse());
}

TEST_F(CoarsenessTest, SaysHowManyFramesThereAreHoweverFew) {
  frames(250, 30);
  EXPECT_NEAR(coarseness_.frames_per_second(), 4, 0.01);
}

TEST_F(CoarsenessTest, IsFineAgainOnlyWithTimeToSpare) {
  frames(60, 2);
  frames(30, 60);
  EXPECT_TRUE(coarseness_.coarse());
  frames(16.7, 3);
  EXPECT_FALSE(coarseness_.coarse());
}

// The lanes alone take 15 ms, all takes 60: it is tried less and less often.
TEST_F(CoarsenessTest, DoesNotTurnBackAndForth) {
  frames(60, 2);
  int changes = 0;
  bool coarse = true;
  for (const double end = now_ + 120; now_ < end;) {
    frames(coarseness_.coarse() ? 15 : 60, 0.001);
    if (coarseness_.coarse() != coarse) ++changes;
    coarse = coarseness_.coarse();
  }
  // It waits 2, 4, 8, 16, 32 and 64 s, and each trial takes half a second: 2 + 4 + 8 + 16 + 32 + 5 * 0.5 < 120 s.
  EXPECT_GE(changes, 8);
  EXPECT_LE(changes, 12);
}

}  // namespace
}  // namespace lanescope::ui
