// How the view moves by hand: easing at every depth, the run's bounds, the history, keys that are held.
#include <gtest/gtest.h>

#include <cmath>

#include "io/scratch.h"
#include "io/trace_file.h"
#include "model/timeline/view_control.h"
#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using std::chrono::milliseconds;

constexpr float kMovesLeft = 100, kMovesWidth = 800, kMovesRight = kMovesLeft + kMovesWidth;
constexpr Nanoseconds kSecond = base::kSecond;

// An opened run of ten seconds, seen as a whole: 12.5 ms are a pixel.
class ViewMovesTest : public io::Scratch {
 protected:
  void SetUp() override {
    trace::Trace trace;
    TraceBuilder build(trace);
    build.kernel(0, 1000);
    build.kernel(10 * kSecond - 1000, 10 * kSecond);
    build.publish();
    io::write_chrome_trace(file("ten.json"), trace, {});
    model.open_file(file("ten.json"));
    frame();
  }
  void frame(milliseconds since_last = milliseconds(16)) {
    now += since_last;
    view.update(model, kMovesLeft, kMovesWidth, now);
  }
  void settle() {
    for (int i = 0; i < 200 && view.moving(); ++i) frame();
    EXPECT_FALSE(view.moving());
  }
  void stand(milliseconds time) {
    for (auto t = milliseconds(0); t < time; t += milliseconds(16)) frame();
  }
  /// By how many pixels of `after` the instant that `before` has at `px` is away from there.
  static double drift_px(const TimeAxis& before, const TimeAxis& after, float px) {
    const TimeAxis a = before.panned(kMovesLeft - px);
    const TimeAxis b = after.panned(kMovesLeft - px);
    return a.offset_px(b) * before.ns_per_pixel() / after.ns_per_pixel();
  }
  double middle_ns() const { return static_cast<double>(view.axis().begin_ns()) + view.axis().span_ns() / 2; }

  Model model;
  ViewControl view;
  ViewControl::Clock::time_point now{std::chrono::hours(1)};
};

// From 12.5 ms down to 0.01 ns for a pixel, and back: every step is eased, none leaps, and the instant under the cursor
// stays within half a pixel in every frame.
TEST_F(ViewMovesTest, EasesAtEveryDepth) {
  for (const double factor : {4.0, 0.25}) {
    for (int step = 0; step < 16; ++step) {
      const TimeAxis before = view.axis();
      const double furthest = view.axis().ns_per_pixel() / factor;
      if (furthest < TimeAxis::kMinNsPerPixel || furthest > 12.5e6) break;
      view.zoom(factor, 640);
      const TimeAxis wanted = view.destination();
      int frames = 0;
      double last = before.ns_per_pixel();
      for (; view.moving() && frames < 100; ++frames) {
        frame();
        ASSERT_LT(std::abs(drift_px(before, view.axis(), 640)), 0.5) << before.ns_per_pixel();
        const double change = std::abs(std::log(view.axis().ns_per_pixel() / last));
        ASSERT_LT(change, 0.4) << "no leap at " << last;  // 23 % of ln 4 in the first frame
        last = view.axis().ns_per_pixel();
      }
      EXPECT_GT(frames, 10) << before.ns_per_pixel();
      EXPECT_LT(frames, 60);
      EXPECT_EQ(view.axis(), wanted);
    }
  }
  EXPECT_NEAR(view.axis().ns_per_pixel(), 12.5e6, 12.5e6 * 0.01);
}

TEST_F(ViewMovesTest, WithoutAnimationAtOnce) {
  view.set_animated(false);
  const TimeAxis before = view.axis();
  view.zoom(4, 300);
  frame(milliseconds(0));
  EXPECT_EQ(view.axis(), before.zoomed(4, 300));
  EXPECT_FALSE(view.moving());
  view.centre(5 * kSecond);
  frame(milliseconds(0));
  EXPECT_NEAR(middle_ns(), 5e9, view.axis().ns_per_pixel());
}

// A window that has slept for seconds begins to glide when it wakes, and does not leap.
TEST_F(ViewMovesTest, AfterASleepItStillGlides) {
  const TimeAxis before = view.axis();
  view.zoom(4, 300);
  frame(milliseconds(5000));
  EXPECT_GT(view.axis().ns_per_pixel(), before.ns_per_pixel() / 3.5);
}

// Of a run that is larger than 40 pixels, 40 stay in view.
TEST_F(ViewMovesTest, ASliverOfTheRunStaysInView) {
  view.zoom(4, 500);
  settle();
  view.pan(1e6f);
  EXPECT_NEAR(view.axis().to_px(0), kMovesRight - 40, 0.1);
  view.pan(-1e6f);
  EXPECT_NEAR(view.axis().to_px(10 * kSecond), kMovesLeft + 40, 0.1);
  view.glide(-500);
  settle();
  EXPECT_NEAR(view.axis().to_px(10 * kSecond), kMovesLeft + 40, 0.5);
  // Zooming where nothing is does not lose it either.
  for (int i = 0; i < 30; ++i) view.zoom(2, 800);
  settle();
  EXPECT_NEAR(view.axis().to_px(10 * kSecond), kMovesLeft + 40, 0.5);
  view.flick(-5000);
  settle();
  EXPECT_NEAR(view.axis().to_px(10 * kSecond), kMovesLeft + 40, 0.5);
}

// Ten seconds over a tenth of 800 pixels.
TEST_F(ViewMovesTest, ZoomingOutEndsWhereTheRunFillsATenth) {
  for (int i = 0; i < 60; ++i) view.zoom(0.5, 500);
  settle();
  EXPECT_NEAR(view.axis().length_px(10 * kSecond), 80, 0.1);
  EXPECT_NEAR(drift_px(TimeAxis(0, 12.5e6, kMovesLeft, kMovesWidth), view.axis(), 500), 0, 0.5);
  for (int i = 0; i < 100; ++i) {
    view.push(0, -3, 500);
    frame();
  }
  settle();
  EXPECT_NEAR(view.axis().length_px(10 * kSecond), 80, 0.1);
  view.fit(model);
  settle();
  for (int i = 0; i < 200; ++i) {  // held: up to the same end, within a frame's step
    view.push(0, -3, 500);
    frame();
  }
  settle();
  EXPECT_NEAR(view.axis().length_px(10 * kSecond), 80, 5);
  EXPECT_GE(view.axis().length_px(10 * kSecond), 79.9);
}

TEST_F(ViewMovesTest, BackAndForthThroughTheHistory) {
  stand(milliseconds(450));
  const TimeAxis whole = view.axis();
  view.show_exactly(2 * kSecond, 3 * kSecond);
  stand(milliseconds(1000));
  const TimeAxis second = view.axis();
  EXPECT_NEAR(second.span_ns(), 1e9, 1);
  view.pan(200);
  stand(milliseconds(450));
  const TimeAxis panned = view.axis();
  ASSERT_TRUE(view.back());
  EXPECT_EQ(view.destination(), second);
  ASSERT_TRUE(view.back()) << "before the first has been reached";
  EXPECT_EQ(view.destination(), whole);
  EXPECT_FALSE(view.back());
  settle();
  EXPECT_EQ(view.axis(), whole);
  ASSERT_TRUE(view.forward() && view.forward());
  settle();
  EXPECT_EQ(view.axis(), panned);
  EXPECT_FALSE(view.forward());
  // A new view cuts the way forward.
  ASSERT_TRUE(view.back());
  view.centre(9 * kSecond);
  EXPECT_FALSE(view.forward());
  ASSERT_TRUE(view.back());
  EXPECT_EQ(view.destination(), second);
  model.open_file(file("ten.json"));  // another run: its history starts again
  frame();
  EXPECT_EQ(view.history().size(), 0u);
}

TEST_F(ViewMovesTest, InAnotherWidthAViewComesBackAsTheSameStretch) {
  view.show_exactly(2 * kSecond, 3 * kSecond);
  stand(milliseconds(1000));
  view.fit(model);
  settle();
  view.update(model, 50, 1200, now);
  ASSERT_TRUE(view.back());
  for (int i = 0; i < 200 && view.moving(); ++i) view.update(model, 50, 1200, now += milliseconds(16));
  EXPECT_NEAR(static_cast<double>(view.axis().begin_ns()), 2e9, 2);
  EXPECT_NEAR(view.axis().span_ns(), 1e9, 2);
  EXPECT_FLOAT_EQ(view.axis().width_px(), 1200);
}

TEST_F(ViewMovesTest, RevealPansOnlyWhereItMust) {
  view.show_exactly(2 * kSecond, 3 * kSecond);
  settle();
  const TimeAxis before = view.axis();
  view.reveal(2'100'000'000, 2'200'000'000);
  EXPECT_EQ(view.destination(), before) << "in view";
  view.reveal(1 * kSecond, 9 * kSecond);
  EXPECT_EQ(view.destination(), before) << "it fills the view";
  view.reveal(2'950'000'000, 3'050'000'000);
  settle();
  EXPECT_NEAR(middle_ns(), 3e9, 2e6) << "cut off: in the middle now";
  EXPECT_DOUBLE_EQ(view.axis().ns_per_pixel(), before.ns_per_pixel());
  view.reveal(6 * kSecond, 9 * kSecond);
  settle();
  EXPECT_NEAR(view.axis().to_px(6 * kSecond), kMovesLeft + 80, 1) << "longer than the view: its beginning";
}

// The view of one second goes into the 200 pixels from 300 to 500: four seconds, of which it is the second quarter.
TEST_F(ViewMovesTest, ADraggedBandZoomsOutByIt) {
  view.show_exactly(5 * kSecond, 6 * kSecond);
  settle();
  view.shrink_into(300, 500);
  settle();
  EXPECT_NEAR(view.axis().span_ns(), 4e9, 10);
  EXPECT_NEAR(view.axis().to_px(5 * kSecond), 300, 0.5);
  EXPECT_NEAR(view.axis().to_px(6 * kSecond), 500, 0.5);
  ASSERT_TRUE(view.back());
}

TEST_F(ViewMovesTest, AKeyThatIsHeldGathersSpeedAndStops) {
  view.show_exactly(5 * kSecond, 6 * kSecond);
  settle();
  const TimeAxis before = view.axis();
  for (int i = 0; i < 30; ++i) {
    view.push(1000, 0, 500);
    frame();
  }
  EXPECT_TRUE(view.moving());
  const double held = -before.offset_px(view.axis());
  EXPECT_NEAR(held, 1000 * (0.48 - 0.1), 10);
  settle();
  EXPECT_NEAR(-before.offset_px(view.axis()), held + 100, 5);
  const TimeAxis still = view.axis();
  frame();
  EXPECT_EQ(view.axis(), still);
}

}  // namespace
}  // namespace lanescope::ui
