#include "timeline/view_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "timeline/timeline_drag.h"

namespace lanescope::ui {
namespace {

constexpr double kTau = ViewMotion::kAccelerateSeconds;
const TimeAxis kMotionAxis(1'000'000, 100, 100, 800);

double moved_px(const TimeAxis& axis) { return -kMotionAxis.offset_px(axis); }

// Held for a second with 1000 px/s: the speed is 1000 (1 - e^(-t/0.1)), the way its integral,
// 1000 (1 - 0.1 (1 - e^-10)) = 900.0045. Let go it glides out by what speed there is times 0.1: 100 pixels.
TEST(ViewMotion, GathersSpeedAndGlidesOut) {
  ViewMotion motion;
  TimeAxis axis = kMotionAxis;
  for (int i = 0; i < 100; ++i) {
    motion.push(1000, 0, 300);
    axis = motion.step(axis, 0.01, true);
    if (i == 9) {  // after 0.1 s: 1000 (0.1 - 0.1 (1 - 1/e)) = 36.8
      EXPECT_NEAR(moved_px(axis), 36.788, 0.1);
    }
  }
  EXPECT_NEAR(moved_px(axis), 900.0045, 0.1);
  int frames = 0;
  for (; motion.moving() && frames < 1000; ++frames) axis = motion.step(axis, 0.01, true);
  EXPECT_NEAR(moved_px(axis), 1000, 1);
  EXPECT_GT(frames, 20);
  EXPECT_LT(frames, 60);
}

// The distance does not depend on the length of the frames.
TEST(ViewMotion, IsTheSameAtAnyFrameRate) {
  double way[2] = {};
  for (const int frames : {10, 200}) {
    ViewMotion motion;
    TimeAxis axis = kMotionAxis;
    for (int i = 0; i < frames; ++i) {
      motion.push(-600, 0, 300);
      axis = motion.step(axis, 0.5 / frames, true);
    }
    way[frames == 200] = moved_px(axis);
  }
  EXPECT_NEAR(way[0], way[1], 0.05);
  EXPECT_LT(way[0], -200);
}

TEST(ViewMotion, ZoomsAboutItsPoint) {
  ViewMotion motion;
  TimeAxis axis = kMotionAxis;
  const auto under = kMotionAxis.to_ns(700);
  for (int i = 0; i < 60; ++i) {
    motion.push(0, 2, 700);
    axis = motion.step(axis, 1 / 60.0, true);
    ASSERT_NEAR(axis.to_px(under), 700, 0.1);
  }
  EXPECT_NEAR(kMotionAxis.ns_per_pixel() / axis.ns_per_pixel(), std::exp(2 * (1 - kTau)), 0.01);
}

TEST(ViewMotion, WithoutAnimationItStopsWithTheKey) {
  ViewMotion motion;
  motion.push(1000, 0, 300);
  const TimeAxis axis = motion.step(kMotionAxis, 0.02, false);
  EXPECT_NEAR(moved_px(axis), 20, 0.01);
  EXPECT_FALSE(motion.moving());
  EXPECT_EQ(motion.step(axis, 0.02, false), axis);
}

// A flick of 800 px/s glides 800 * 0.25 = 200 pixels.
TEST(ViewMotion, AFlickGlidesOut) {
  ViewMotion motion;
  TimeAxis axis = kMotionAxis;
  motion.flick(800);
  for (int i = 0; i < 400 && motion.moving(); ++i) axis = motion.step(axis, 0.01, true);
  EXPECT_FALSE(motion.moving());
  EXPECT_NEAR(moved_px(axis), 200, 3);
}

TEST(WheelGesture, KeepsTheAxisWithWhichItBegan) {
  using Kind = WheelGesture::Kind;
  using std::chrono::milliseconds;
  WheelGesture wheel;
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  const auto feel = [&](float h, float v, milliseconds later, bool lanes = true, bool ctrl = false) {
    now += later;
    return wheel.feel(h, v, lanes, ctrl, now);
  };
  EXPECT_EQ(feel(0, 1, milliseconds(0)), Kind::Zoom);
  EXPECT_EQ(feel(2, 0.5f, milliseconds(199)), Kind::Zoom) << "a slip to the side";
  EXPECT_EQ(feel(2, 0.5f, milliseconds(200)), Kind::Pan) << "another gesture";
  EXPECT_EQ(feel(0, 3, milliseconds(150)), Kind::Pan) << "it never turns into a zoom";
  EXPECT_EQ(feel(0, 3, milliseconds(150), true, true), Kind::Zoom) << "a pinch is another gesture";
  EXPECT_EQ(feel(0, 1, milliseconds(300), false), Kind::ScrollLanes);
  EXPECT_EQ(feel(0, 1, milliseconds(100), true), Kind::ScrollLanes) << "the pointer has moved on";
}

TEST(LaneScroll, EasesWithinItsLimits) {
  LaneScroll scroll;
  EXPECT_EQ(scroll.step(50, 30, 0.016, true), 30) << "the lanes have become fewer";
  scroll.by(0, 60);
  scroll.by(0, 60);  // two notches are 120, of which 100 are there
  float at = 0;
  for (int i = 0; i < 100 && scroll.target; ++i) {
    const float next = scroll.step(at, 100, 0.016, true);
    ASSERT_GT(next, at);
    at = next;
  }
  EXPECT_EQ(at, 100);
  scroll.by(100, -30);
  EXPECT_EQ(scroll.step(100, 100, 0.016, false), 70) << "without animation at once";
  EXPECT_FALSE(scroll.target.has_value());
}

TEST(TimelineDrag, EscapeCancelsWhatMoves) {
  TimelineDrag drag;
  EXPECT_FALSE(drag.cancel());
  drag.kind = DragKind::ZoomIn;
  EXPECT_FALSE(drag.cancel()) << "a press is no drag yet";
  drag.moved = true;
  EXPECT_TRUE(drag.cancel());
  EXPECT_FALSE(drag.cancel()) << "the next Escape is for something else";
}

}  // namespace
}  // namespace lanescope::ui
