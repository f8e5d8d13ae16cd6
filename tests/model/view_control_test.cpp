#include "model/timeline/view_control.h"

#include <cmath>

#include "io/scratch.h"
#include "io/trace_file.h"
#include "timeline/drawn.h"
#include "until.h"

namespace lanescope::ui {
namespace {

using std::chrono::milliseconds;
using Clock = ViewControl::Clock;

constexpr float kControlLeft = 100, kControlWidth = 800, kRight = kControlLeft + kControlWidth;
constexpr float kEdgePx = kRight - 0.03f * kControlWidth;  // where a live view has its edge

// The wall time that the view sees is made up, so that its periods are exact; the run's own is real.
class ViewControlTest : public io::Scratch {
 protected:
  static session::SessionOptions options() {
    session::SessionOptions o;
    o.device = "sim:teaching";
    return o;
  }
  /// A run that has ended: everything is known and nothing moves.
  void run_to_the_end(std::uint64_t iterations) {
    session::SessionOptions o = options();
    o.paced = false;
    o.iterations = iterations;
    model.start_run(o);
    while (model.running()) std::this_thread::yield();
    model.source().growth()->end();
    frame();
  }
  /// A run that goes on, as a window shows it.
  void run_live() {
    model.start_run(options());
    ASSERT_TRUE(frames_until([&] { return model.analysis().records().size() >= 12; }));
  }
  /// The picture of a run that goes on, as this mode shows it.
  TimeAxis live_in(ViewMode mode) {
    run_live();
    view.set_mode(mode);
    frame();
    return view.axis();
  }
  void frame(milliseconds since_last = milliseconds(16)) {
    now += since_last;
    model.update();
    view.update(model, kControlLeft, kControlWidth, now);
  }
  /// Frames at a standing clock do not count as time: for waiting until the run has come somewhere.
  template <typename Done>
  bool frames_until(Done done) {
    return until(done, [&] { frame(milliseconds(0)); });
  }
  void let_the_run_go_on(Nanoseconds by) {
    const Nanoseconds wanted = model.live_edge() + by;
    ASSERT_TRUE(frames_until([&] { return model.live_edge() >= wanted; }));
  }
  void settle() {
    for (int i = 0; i < 200 && view.moving(); ++i) frame();
    EXPECT_FALSE(view.moving());
  }
  bool starts_an_iteration(Nanoseconds t) const {
    for (const auto& r : model.analysis().records()) {
      if (r.start_ns == t) return true;
    }
    return false;
  }

  Model model;
  ViewControl view;
  Clock::time_point now{std::chrono::hours(1)};
};

TEST_F(ViewControlTest, RollKeepsTheNewestAtTheRightEdge) {
  run_live();
  view.set_mode(ViewMode::Roll);
  const Nanoseconds before = model.live_edge();
  const double zoom = view.axis().ns_per_pixel();
  for (int i = 0; i < 100; ++i) {
    let_the_run_go_on(20'000);
    frame();
    ASSERT_NEAR(view.axis().to_px(model.live_edge()), kEdgePx, 0.01);
    ASSERT_DOUBLE_EQ(view.axis().ns_per_pixel(), zoom);
  }
  EXPECT_GE(model.live_edge(), before + 100 * 20'000);
  EXPECT_EQ(view.label_origin(), 0);
}

// An iteration takes 86 % of the width, from its start at 5 %: kFill and kLead.
TEST_F(ViewControlTest, AtFirstAnIterationIsInView) {
  run_to_the_end(100);
  for (int i = 0; i < 120; ++i) frame();
  ASSERT_TRUE(view.shown_iteration());
  EXPECT_NEAR(static_cast<double>(view.shown_iteration()->duration()) / view.axis().span_ns(), 0.8634, 0.01);
  EXPECT_EQ(view.shown_iteration()->start_ns, view.label_origin());
  EXPECT_NEAR(view.axis().to_px(view.label_origin()), kControlLeft + 0.0532f * kControlWidth, 0.01);
  EXPECT_EQ(view.mode(), ViewMode::Trigger);
}

// The newest iteration of about the median length from which all of the view up to its unknown edge is known.
TEST_F(ViewControlTest, TriggerStandsAtTheNewestTypicalIterationThatFills) {
  run_to_the_end(100);
  for (int i = 0; i < 120; ++i) frame();
  const auto records = model.analysis().records();
  ASSERT_TRUE(starts_an_iteration(view.label_origin()));
  const auto after = static_cast<Nanoseconds>(view.axis().span_ns() * (1 - 0.03 - 0.0532));
  EXPECT_LE(view.label_origin() + after, model.live_edge());
  std::vector<Nanoseconds> lengths;
  for (const auto& r : records) lengths.push_back(r.duration());
  std::ranges::sort(lengths);
  const auto median = static_cast<double>(lengths[(lengths.size() - 1) / 2]);
  EXPECT_NEAR(static_cast<double>(view.shown_iteration()->duration()), median, 0.03 * median);
}

TEST_F(ViewControlTest, TriggerLooksAgainAFewTimesASecond) {
  run_live();
  frame(milliseconds(400));
  int changes = 0;
  Nanoseconds shown = view.axis().begin_ns();
  for (int i = 0; i < 30; ++i) {  // three seconds
    let_the_run_go_on(300'000);
    frame(milliseconds(100));
    ASSERT_TRUE(starts_an_iteration(view.label_origin()));
    ASSERT_NEAR(view.axis().to_px(view.label_origin()), view.start_px(), 0.01);
    changes += view.axis().begin_ns() != shown ? 1 : 0;
    shown = view.axis().begin_ns();
  }
  EXPECT_NEAR(changes, 10, 2);  // one more or less: an iteration that is not typical is passed over
}

// The knob is turned right after a picture was taken: it is shown without waiting for the next one, and then held.
// Far from the trigger, a distance from it says nothing: the ruler counts from the beginning of the run.
TEST_F(ViewControlTest, TheRulerForgetsATriggerThatIsFarAway) {
  run_live();
  frame(milliseconds(400));
  const Nanoseconds trigger = *view.trigger_instant();
  ASSERT_EQ(view.label_origin(), trigger);
  const auto span = static_cast<Nanoseconds>(view.axis().span_ns());
  const auto show = [&](Nanoseconds from) {
    view.show_exactly(from, from + span);
    for (int i = 0; i < 100 && view.moving(); ++i) frame(milliseconds(50));
  };
  show(trigger - span - span / 2);  // just out of sight
  EXPECT_LT(view.axis().end_ns(), trigger);
  EXPECT_EQ(view.label_origin(), trigger);
  show(trigger - 3 * span);
  EXPECT_EQ(view.label_origin(), view.extent().first);
}

// Until somebody does something: then what was there and what is there now can be compared.
TEST_F(ViewControlTest, AfterATurnATypicalIterationStays) {
  run_live();
  const auto fits = [&] {
    const auto& shown = view.shown_iteration();
    return model.recent().pace.known() && model.recent_is_current() && shown &&
           std::abs(view.axis().length_px(shown->duration()) / view.axis().width_px() - 0.86) < 0.001;
  };
  ASSERT_TRUE(until(fits, [&] { frame(); }));
  for (int i = 0; i < 10; ++i) frame();
  const double scale = view.axis().ns_per_pixel();
  ASSERT_EQ(model.set("log_interval", std::int64_t{100}), "");
  ASSERT_TRUE(until([&] { return view.stays(); }, [&] { frame(); }));
  EXPECT_GE(view.label_origin(), model.analysis().markers().back().start_ns);
  EXPECT_DOUBLE_EQ(view.axis().ns_per_pixel(), scale) << "a shorter iteration keeps the scale";
  EXPECT_EQ(view.refit(), 1);
  const TimeAxis held = view.axis();
  for (int i = 0; i < 14; ++i) {
    let_the_run_go_on(300'000);
    frame(milliseconds(400));
    ASSERT_EQ(view.axis(), held) << i;
  }
  view.resume();
  frame(milliseconds(400));
  EXPECT_FALSE(view.stays());
  EXPECT_GT(view.axis().begin_ns(), held.begin_ns());
}

// An iteration fills 86 % of the view: one per cent more is not yet 90 %, five times as much is.
TEST_F(ViewControlTest, TheScaleChangesOnlyForWhatDoesNotFit) {
  run_live();
  ASSERT_TRUE(frames_until([&] { return model.recent().pace.known() && model.recent_is_current(); }));
  for (int i = 0; i < 60; ++i) frame();
  const double own = static_cast<double>(view.shown_iteration()->duration());
  const double scale = view.axis().ns_per_pixel();
  view.compare_with(own * 1.01);
  for (int i = 0; i < 60; ++i) frame();
  EXPECT_NEAR(view.axis().ns_per_pixel(), scale, 0.06 * scale);
  view.compare_with(own * 5);
  for (int i = 0; i < 120; ++i) frame();
  EXPECT_NEAR(view.axis().ns_per_pixel(), 5 * scale, 0.15 * scale);
  EXPECT_EQ(view.refit(), 1) << "no knob was turned: nothing has to be said";
  view.compare_with(0);
  for (int i = 0; i < 60; ++i) frame();
  EXPECT_NEAR(view.axis().ns_per_pixel(), 5 * scale, 0.15 * scale) << "it does not jump back";
}

TEST_F(ViewControlTest, ASecondTurnIsNotHeldUpByTheFirst) {
  run_live();
  frame(milliseconds(400));
  for (const std::int64_t value : {2, 5, 100}) {
    const std::size_t before = model.analysis().markers().size();
    ASSERT_EQ(model.set("log_interval", value), "");
    ASSERT_TRUE(frames_until([&] {
      const auto& markers = model.analysis().markers();
      return markers.size() > before && view.label_origin() >= markers.back().start_ns;
    })) << value;
  }
}

TEST_F(ViewControlTest, APanFreezesAndResumeFollowsAgainAtTheSameZoom) {
  for (const ViewMode mode : {ViewMode::Roll, ViewMode::Trigger}) {
    const TimeAxis before = live_in(mode);
    view.pan(120);
    EXPECT_EQ(view.mode(), ViewMode::Single);
    EXPECT_TRUE(view.frozen_by_hand());
    EXPECT_EQ(view.axis(), before.panned(120));
    const TimeAxis frozen = view.axis();
    let_the_run_go_on(2'000'000);
    frame(milliseconds(2000));
    EXPECT_EQ(view.axis(), frozen);
    view.zoom(2, 300);
    settle();
    const double zoom = view.axis().ns_per_pixel();
    EXPECT_NEAR(zoom, before.ns_per_pixel() / 2, before.ns_per_pixel() * 1e-6);
    view.resume();
    EXPECT_EQ(view.mode(), mode);
    frame();
    EXPECT_DOUBLE_EQ(view.axis().ns_per_pixel(), zoom);
    EXPECT_GT(view.axis().end_ns(), frozen.end_ns());
  }
}

// What is clicked must be what was seen: while the mouse is down nothing moves, and then it goes on.
TEST_F(ViewControlTest, AHeldMouseHoldsThePicture) {
  for (const ViewMode mode : {ViewMode::Roll, ViewMode::Trigger}) {
    const TimeAxis before = live_in(mode);
    view.hold(true);
    for (int i = 0; i < 5; ++i) {
      let_the_run_go_on(500'000);
      frame(milliseconds(400));
      ASSERT_EQ(view.axis(), before);
    }
    EXPECT_EQ(view.mode(), mode);
    view.hold(false);
    frame(milliseconds(400));
    EXPECT_GT(view.axis().begin_ns(), before.begin_ns());
  }
}

TEST_F(ViewControlTest, SingleTakesOnePictureAndStands) {
  run_live();
  view.set_mode(ViewMode::Roll);
  frame();
  view.set_mode(ViewMode::Single);
  EXPECT_TRUE(view.armed());
  EXPECT_FALSE(view.frozen_by_hand());
  ASSERT_TRUE(frames_until([&] { return !view.armed(); }));
  EXPECT_TRUE(view.frozen_by_hand());
  EXPECT_TRUE(starts_an_iteration(view.label_origin()));
  const TimeAxis taken = view.axis();
  EXPECT_NEAR(taken.to_px(view.label_origin()), view.start_px(), 0.01);
  for (int i = 0; i < 10; ++i) {
    let_the_run_go_on(500'000);
    frame(milliseconds(400));
    ASSERT_EQ(view.axis(), taken);
  }
  // Asked again, it takes a newer one.
  view.set_mode(ViewMode::Single);
  ASSERT_TRUE(frames_until([&] { return !view.armed(); }));
  EXPECT_GT(view.axis().begin_ns(), taken.begin_ns());
}

TEST_F(ViewControlTest, AZoomEasesToItsEndAndHoldsWhatIsUnderTheCursor) {
  run_to_the_end(100);
  const TimeAxis before = view.axis();
  const Nanoseconds under = before.to_ns(300);
  const TimeAxis wanted = before.zoomed(4, 300);
  view.zoom(4, 300);
  EXPECT_EQ(view.axis(), before);  // it has not moved yet
  int frames = 0;
  for (; view.moving() && frames < 200; ++frames) {
    frame();
    ASSERT_NEAR(view.axis().to_px(under), 300, 0.6);
    ASSERT_LE(view.axis().ns_per_pixel(), before.ns_per_pixel());
    ASSERT_GE(view.axis().ns_per_pixel(), wanted.ns_per_pixel() * 0.999);
  }
  EXPECT_GT(frames, 3);
  EXPECT_LT(frames, 60);  // under a second
  EXPECT_EQ(view.axis(), wanted);
}

// For an audience: after 60 ms, 1 - 1/e of a zoom is done; presented, it takes 180 ms for that.
TEST_F(ViewControlTest, PresentedAZoomTakesThreeTimesAsLong) {
  const auto frames_of_a_zoom = [&](bool calm) {
    view.set_calm(calm);
    view.zoom(4, 300);
    int frames = 0;
    for (; view.moving() && frames < 600; ++frames) frame();
    view.zoom(0.25, 300);
    while (view.moving()) frame();
    return frames;
  };
  run_to_the_end(100);
  const int usual = frames_of_a_zoom(false), calm = frames_of_a_zoom(true);
  EXPECT_NEAR(calm, 3 * usual, 3);
}

// Three notches of the wheel before the first has been reached are three notches in the end.
TEST_F(ViewControlTest, ZoomsAddUp) {
  run_to_the_end(100);
  const TimeAxis before = view.axis();
  for (int i = 0; i < 3; ++i) {
    view.zoom(1.25, 400);
    frame();
  }
  settle();
  EXPECT_NEAR(view.axis().ns_per_pixel(), before.ns_per_pixel() / std::pow(1.25, 3), 1e-6);
  EXPECT_NEAR(view.axis().to_px(before.to_ns(400)), 400, 0.5);
}

TEST_F(ViewControlTest, GlidesAddUp) {
  run_to_the_end(100);
  const TimeAxis before = view.axis();
  view.glide(100);
  frame();
  view.glide(50);
  settle();
  EXPECT_NEAR(view.axis().to_px(before.begin_ns()), kControlLeft + 150, 0.5);
}

// A drag takes over at once from what was still easing.
TEST_F(ViewControlTest, APanEndsAnEasing) {
  run_to_the_end(100);
  view.zoom(4, 300);
  frame();
  const TimeAxis halfway = view.axis();
  view.pan(10);
  EXPECT_FALSE(view.moving());
  frame();
  EXPECT_EQ(view.axis(), halfway.panned(10));
}

TEST_F(ViewControlTest, TheDeepestZoomIsReached) {
  run_to_the_end(20);
  for (int i = 0; i < 60; ++i) {
    view.zoom(2, 500);
    frame();
  }
  settle();
  EXPECT_DOUBLE_EQ(view.axis().ns_per_pixel(), TimeAxis::kMinNsPerPixel);
}

// A stretch of 800 ns gets an eighth, 100 ns, on either side.
TEST_F(ViewControlTest, ShowLeavesAMargin) {
  run_to_the_end(100);
  view.show(10'000, 10'800);
  settle();
  EXPECT_NEAR(static_cast<double>(view.axis().begin_ns()), 9'900, 1);
  EXPECT_NEAR(static_cast<double>(view.axis().end_ns()), 10'900, 1);
}

TEST_F(ViewControlTest, FitShowsEverythingThatIsKnown) {
  run_to_the_end(100);
  view.fit(model);
  settle();
  const auto [from, to] = model.extent();
  EXPECT_NEAR(view.axis().to_px(from), kControlLeft, 0.5);
  EXPECT_NEAR(view.axis().to_px(to), kRight, 0.5);
}

TEST_F(ViewControlTest, AnotherWidthShowsTheSameStretch) {
  run_to_the_end(100);
  const TimeAxis before = view.axis();
  view.pan(0);
  model.update();
  view.update(model, 150, 1200, now);
  EXPECT_EQ(view.axis().begin_ns(), before.begin_ns());
  EXPECT_NEAR(view.axis().span_ns(), before.span_ns(), 1);
  EXPECT_FLOAT_EQ(view.axis().left_px(), 150);
  EXPECT_FLOAT_EQ(view.axis().width_px(), 1200);
}

// Before the first iterations are known the view is a guess; once a hand has moved it, it stays there.
TEST_F(ViewControlTest, AHandIsObeyedFromTheFirstMoment) {
  model.start_run(options());
  model.set_paused(true);
  frame();
  const TimeAxis before = view.axis();
  view.pan(200);
  frame();
  EXPECT_EQ(view.axis(), before.panned(200));
  model.set_paused(false);
  ASSERT_TRUE(frames_until([&] { return model.analysis().records().size() > 10; }));
  EXPECT_EQ(view.axis(), before.panned(200));
}

// 100 iterations of 1000 ns, in view as a whole: only one picture of that width fits, so the view closes in to 3.2 of
// them, from the one in the middle (49,000 ns begins the last before 50,000) on.
TEST_F(ViewControlTest, AnOpenedTraceIsAlignedForAnAverage) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (Nanoseconds t = 0; t < 100'000; t += 1000) build.iteration(t, t + 900);
  build.publish();
  io::write_chrome_trace(file("steps.json"), trace, {});
  model.open_file(file("steps.json"));
  view.set_animated(false);
  frame();
  EXPECT_FALSE(view.trigger_instant());
  ASSERT_TRUE(view.align_still(model, 32));
  frame();
  const Nanoseconds instant = *view.trigger_instant();
  EXPECT_EQ(instant % 1000, 0);
  EXPECT_NEAR(static_cast<double>(instant), 49'500, 500);
  EXPECT_EQ(view.label_origin(), instant);
  EXPECT_NEAR(view.axis().span_ns(), 3200, 1);
  EXPECT_NEAR(view.axis().to_px(instant), kControlLeft, 0.5);
  EXPECT_EQ(view.fired().size(), 100u);
  EXPECT_EQ(view.mode(), ViewMode::Single);
  // It goes along when the view is moved away, and at no other time.
  view.pan(-0.3f * kControlWidth);  // the instant has left to the left
  ASSERT_TRUE(view.align_still(model, 32));
  EXPECT_EQ(*view.trigger_instant(), instant + 2000);
  EXPECT_NEAR(view.axis().span_ns(), 3200, 1);
  view.pan(10);
  ASSERT_TRUE(view.align_still(model, 32));
  EXPECT_EQ(*view.trigger_instant(), instant + 2000);
  // Another trigger, which never fires.
  TriggerSettings none;
  none.source = TriggerSource::Name;
  none.name = "nothing";
  view.set_trigger(none);
  EXPECT_FALSE(view.align_still(model, 32));
  EXPECT_FALSE(view.trigger_instant());
  EXPECT_EQ(view.mode(), ViewMode::Single);
  view.leave_still();
  EXPECT_EQ(view.label_origin(), 0);
}

TEST_F(ViewControlTest, AFileIsShownAsAWholeAndARunAfterItAsItWasBefore) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.kernel(1000, 5000);
  build.kernel(70'000, 90'000);
  build.publish();
  io::write_chrome_trace(file("two.json"), trace, {});
  run_live();
  view.set_mode(ViewMode::Roll);
  frame();
  model.open_file(file("two.json"));
  frame();
  EXPECT_EQ(view.mode(), ViewMode::Single);
  EXPECT_FALSE(view.armed());
  EXPECT_NEAR(view.axis().to_px(1000), kControlLeft, 0.1);
  EXPECT_NEAR(view.axis().to_px(90'000), kRight, 0.1);
  EXPECT_EQ(view.label_origin(), 1000);
  run_live();
  EXPECT_EQ(view.mode(), ViewMode::Roll);
  EXPECT_NEAR(view.axis().to_px(model.live_edge()), kEdgePx, 0.01);
}

}  // namespace
}  // namespace lanescope::ui
