#include "timeline/view_motion.h"

#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

using std::chrono::milliseconds;

TimeAxis view(base::Nanoseconds origin, double ns_per_pixel = 10) { return {origin, ns_per_pixel, 100, 800}; }

class ViewHistoryTest : public testing::Test {
 protected:
  /// The view does not move for this long, at 60 frames per second.
  void stand(const TimeAxis& axis, milliseconds time) {
    for (const auto until = now + time; now < until; now += milliseconds(16)) history.see(axis, now);
    history.see(axis, now);
  }
  ViewHistory history;
  ViewHistory::Clock::time_point now{std::chrono::hours(1)};
};

TEST_F(ViewHistoryTest, AViewEntersWhenItHasStood) {
  stand(view(0), milliseconds(380));
  EXPECT_EQ(history.size(), 0u);
  stand(view(0), milliseconds(64));
  EXPECT_EQ(history.size(), 1u);
  stand(view(0), milliseconds(2000));
  EXPECT_EQ(history.size(), 1u) << "once";
  for (int i = 1; i < 50; ++i) stand(view(i * 1000), milliseconds(32));  // on the move
  EXPECT_EQ(history.size(), 1u);
  stand(view(50'000), milliseconds(420));
  EXPECT_EQ(history.size(), 2u);
}

TEST_F(ViewHistoryTest, BackAndForth) {
  for (const int origin : {0, 1000, 2000}) stand(view(origin), milliseconds(420));
  EXPECT_FALSE(history.forward(view(2000)).has_value());
  EXPECT_EQ(history.back(view(2000)), view(1000));
  EXPECT_EQ(history.back(view(1000)), view(0));
  EXPECT_FALSE(history.back(view(0)).has_value());
  EXPECT_EQ(history.forward(view(0)), view(1000));
  EXPECT_EQ(history.forward(view(1000)), view(2000));
  EXPECT_FALSE(history.forward(view(2000)).has_value());
}

// After going back, staying at that view does not make it a new one.
TEST_F(ViewHistoryTest, StandingWhereOneWentBackToKeepsTheWayForward) {
  for (const int origin : {0, 1000}) stand(view(origin), milliseconds(420));
  ASSERT_EQ(history.back(view(1000)), view(0));
  stand(view(0), milliseconds(1000));
  EXPECT_EQ(history.forward(view(0)), view(1000));
}

TEST_F(ViewHistoryTest, ANewViewCutsWhatWasGoneBackFrom) {
  for (const int origin : {0, 1000, 2000}) stand(view(origin), milliseconds(420));
  ASSERT_TRUE(history.back(view(2000)) && history.back(view(1000)));
  stand(view(7000), milliseconds(420));
  EXPECT_EQ(history.size(), 2u);
  EXPECT_FALSE(history.can_go_forward(view(7000)));
  EXPECT_EQ(history.back(view(7000)), view(0));
}

// Going back from a view that was just reached: the user can still return to it.
TEST_F(ViewHistoryTest, AViewThatWasLeftByGoingBackIsKept) {
  stand(view(0), milliseconds(420));
  EXPECT_EQ(history.back(view(500)), view(0));
  EXPECT_EQ(history.forward(view(0)), view(500));
}

TEST_F(ViewHistoryTest, AJumpKeepsWhatItLeaves) {
  history.leave(view(0));
  history.leave(view(0));
  EXPECT_EQ(history.size(), 1u);
  EXPECT_EQ(history.back(view(9000)), view(0));
}

TEST_F(ViewHistoryTest, AHundredAtMost) {
  for (int i = 0; i < 130; ++i) history.leave(view(i * 1000));
  EXPECT_EQ(history.size(), ViewHistory::kMost);
  int steps = 0;
  TimeAxis at = view(129'000);
  while (const auto before = history.back(at)) {
    at = *before;
    ++steps;
  }
  EXPECT_EQ(steps, 99);
  EXPECT_EQ(at, view(30'000));  // the 30 oldest are gone
  history.reset();
  EXPECT_EQ(history.size(), 0u);
}

// 10 ns are a pixel: 4 ns are less than half of one. 8,000 ns over 400 pixels is the same stretch in a smaller window.
TEST_F(ViewHistoryTest, AlikeIsToTheEye) {
  EXPECT_TRUE(ViewHistory::alike(view(1000), view(1004)));
  EXPECT_FALSE(ViewHistory::alike(view(1000), view(1006)));
  EXPECT_FALSE(ViewHistory::alike(view(1000, 10), view(1000, 10.01)));  // the right edge: 8 ns, 0.8 pixels
  EXPECT_TRUE(ViewHistory::alike(view(1000), TimeAxis(1000, 20, 50, 400)));
}

}  // namespace
}  // namespace lanescope::ui
