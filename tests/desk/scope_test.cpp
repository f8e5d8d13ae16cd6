// The oscilloscope in a real window: what triggers, the picture that stands still, single shot, average, the panel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "desk/desk.h"
#include "io/trace_file.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;
using ui::TriggerSettings;
using ui::TriggerSource;
using ui::ViewMode;

class ScopeTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().scope.panel_open = false;
    state().scope.average = {};
    state().scope.filter.clear();
    state().view.set_trigger({});
    model().set_speed(0.1);
    wait_for_iterations(20);
    model().set_speed(ui::kWindowSpeed);
  }
  void set(TriggerSource source, const std::string& name = {}, Nanoseconds wait = 0) {
    TriggerSettings settings = state().view.trigger_settings();
    settings.source = source;
    settings.name = name;
    settings.wait_over_ns = wait;
    state().view.set_trigger(settings);
  }
  bool aligned() { return state().view.trigger_instant().has_value(); }
  float instant_px() { return axis().to_px(*state().view.trigger_instant()); }
  /// An event of this name begins in the iteration that is shown.
  bool stands_at(LaneKind lane, const std::string& name) {
    const auto& shown = state().view.shown_iteration();
    if (!aligned() || !shown) return false;
    const auto events = events_since(lane, shown->start_ns);
    for (const trace::Event& e : events) {
      if (e.start_ns >= shown->end_ns) break;
      if (model().trace().names().text(e.name) == name) return true;
    }
    return false;
  }
  std::string wording() {
    const ui::ScopeStatus status = ui::scope_status(state());
    return status.label + " " + status.value;
  }
};

TEST_F(ScopeTest, ANameTriggers) {
  set(TriggerSource::Name, "cudaMemcpyAsync");
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  ASSERT_TRUE(desk().until([&] { return stands_at(LaneKind::Calls, "cudaMemcpyAsync"); }));
  EXPECT_NEAR(instant_px(), state().view.start_px(), 0.01);
  EXPECT_EQ(state().view.label_origin(), *state().view.trigger_instant());
}

TEST_F(ScopeTest, AWaitTriggersAndTooLongAOneDoesNot) {
  set(TriggerSource::LongWait, "", 1000);
  ASSERT_TRUE(desk().until([&] { return aligned() && !state().view.fired().empty(); }));
  ASSERT_TRUE(state().view.shown_iteration());
  const auto calls = events_since(LaneKind::Calls, state().view.shown_iteration()->start_ns);
  EXPECT_TRUE(std::ranges::any_of(calls, [&](const trace::Event& call) {
    return call.start_ns < state().view.shown_iteration()->end_ns && trace::parts_of(call).waiting > 1000;
  }));
  EXPECT_EQ(wording(), "trigger wait > 1 µs");
}

// The same instant at the same pixel, at the same zoom, on lanes of the same place, whatever knob is turned.
TEST_F(ScopeTest, ThePictureStandsStillWhileAKnobIsTurned) {
  // As the first test, it begins with the axis of a run that has only started.
  wait_for_iterations(model().analysis().records().size() + 100);
  ASSERT_TRUE(desk().until([&] { return aligned(); }));
  const double zoom = axis().ns_per_pixel();
  const float at = instant_px();
  // The lanes of a new run grow to their heights first.
  const auto kernels_y = [&] { return state().timeline.lane_rect(model().trace(), LaneKind::Kernels)->y; };
  float settled = -1;
  ASSERT_TRUE(desk().until([&] { return std::exchange(settled, kernels_y()) == kernels_y(); }));
  for (const std::int64_t interval : {2, 10, 1}) {
    const std::size_t before = model().analysis().markers().size();
    ASSERT_EQ(model().set("log_interval", interval), "");
    const auto shown = [&] {
      EXPECT_TRUE(aligned());
      EXPECT_FLOAT_EQ(instant_px(), at);
      EXPECT_DOUBLE_EQ(axis().ns_per_pixel(), zoom);
      EXPECT_FLOAT_EQ(kernels_y(), settled);
      return HasFailure() || (model().analysis().markers().size() > before && axis().begin_ns() > last_marker());
    };
    ASSERT_TRUE(desk().until(shown));
    if (HasFailure()) return;
  }
}

TEST_F(ScopeTest, SingleWaitsForTheNextAndStands) {
  set(TriggerSource::LongWait, "", 5'000'000);  // nothing waits for so long
  desk().act(ui::Action::Single);
  EXPECT_TRUE(state().view.armed());
  EXPECT_EQ(wording(), "waits for wait > 5 ms");
  const std::size_t now = model().analysis().records().size();
  wait_for_iterations(now + 10);
  EXPECT_TRUE(state().view.armed());
  const Nanoseconds before = model().live_edge();
  set(TriggerSource::LongWait, "", 1000);
  ASSERT_TRUE(desk().until([&] { return !state().view.armed(); }));
  EXPECT_GE(*state().view.trigger_instant(), before);
  EXPECT_GE(model().live_edge(), axis().to_ns(axis().right_px() - 0.04f * axis().width_px()));
  const ui::TimeAxis taken = axis();
  wait_for_iterations(model().analysis().records().size() + 10);
  EXPECT_EQ(axis(), taken);
}

// A picture of a typical iteration stands all the same: nothing rolls that could be read.
TEST_F(ScopeTest, WithoutATriggerATypicalIterationIsShown) {
  set(TriggerSource::LongWait, "", 5'000'000);
  const Nanoseconds begin = axis().begin_ns();
  ASSERT_TRUE(desk().until([&] { return aligned() && axis().begin_ns() > begin; }));
  EXPECT_FALSE(state().view.auto_rolling());
  ASSERT_TRUE(state().view.shown_iteration());
  EXPECT_EQ(state().view.shown_iteration()->start_ns, *state().view.trigger_instant());
}

TEST_F(ScopeTest, TheAverageCollectsAndStartsAnewWithAKnob) {
  state().scope.average.count = 8;
  desk().act(ui::Action::Average);
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }));
  EXPECT_TRUE(ui::shows_average(state()));
  EXPECT_EQ(wording(), "average of 8");
  const auto lane = *state().timeline.lane_at(state().timeline.lane_rect(model().trace(), LaneKind::Kernels)->y + 2);
  EXPECT_TRUE(state().scope.picture.has(lane));
  EXPECT_FALSE(state().scope.picture.events(lane).empty());
  ASSERT_EQ(model().set("log_interval", std::int64_t{5}), "");
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() < 8; }));
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }));
  for (const Nanoseconds t : state().scope.asked.triggers) EXPECT_GE(t, last_marker());
  desk().act(ui::Action::Average);
  EXPECT_FALSE(ui::shows_average(state()));
}

TEST_F(ScopeTest, AnAveragedEventIsSelectedByAClick) {
  state().scope.average.count = 4;
  desk().act(ui::Action::Average);
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 4; }));
  hold_still();
  desk().frames(3);
  ASSERT_TRUE(desk().until([&] { return !state().scope.pending.busy(); }));
  // Sub-rows that came with the last iterations may still be finding their place.
  ASSERT_TRUE(desk().until([&] { return !state().timeline.moving(); }));
  desk().frames(1);
  const Rect row = *state().timeline.lane_rect(model().trace(), LaneKind::Kernels);
  const auto lane = *state().timeline.lane_at(row.y + 2);
  const auto shown = state().scope.picture.events(lane);
  std::vector<ui::AverageEvent> events(shown.begin(), shown.end());
  const auto middle_of = [&](const ui::AverageEvent& e) {
    return *state().view.trigger_instant() + static_cast<Nanoseconds>((e.start.mean + e.end.mean) / 2);
  };
  std::erase_if(events, [&](const auto& e) { return middle_of(e) >= axis().end_ns(); });
  ASSERT_FALSE(events.empty());
  const ui::AverageEvent widest = *std::max_element(
      events.begin(), events.end(), [](const auto& a, const auto& b) { return a.duration.mean < b.duration.mean; });
  desk().click(Point{axis().to_px(middle_of(widest)), row.y + row.height / 2});
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_EQ(state().selection.event->index, widest.index);
  EXPECT_EQ(state().selection.event->event.start_ns, widest.event.start_ns);
  EXPECT_TRUE(ui::shows_average(state()));
}

TEST_F(ScopeTest, AnOpenedTraceIsAveraged) {
  const std::filesystem::path path = desk().home() / "average.json";
  hold_still();
  io::write_chrome_trace(path, model().trace(), model().facts());
  state().requests.files = {path};
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  desk().frames(2);
  state().scope.average.count = 8;
  desk().act(ui::Action::Average);
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }))
      << wording() << ", " << state().view.fired().size() << " fired, " << axis().span_ns() << " ns in view, of "
      << model().extent().second - model().extent().first << (state().toast ? state().toast->text : "");
  EXPECT_TRUE(ui::shows_average(state()));
  EXPECT_EQ(wording(), "average of 8");
  desk().key(key::O);
  desk().click("scope.source.Name");
  state().view.set_trigger({.source = TriggerSource::Name, .name = "cudaMemcpyAsync"});
  ASSERT_TRUE(desk().until([&] { return stands_at(LaneKind::Calls, "cudaMemcpyAsync"); }));
  desk().key(key::Escape);
  desk().act(ui::Action::Average);
  EXPECT_FALSE(aligned());
  EXPECT_FALSE(ui::shows_average(state()));
  EXPECT_EQ(state().view.label_origin(), model().extent().first);
}

TEST_F(ScopeTest, ThePanelTakesEffectAtOnce) {
  desk().click("trigger_chip");
  EXPECT_TRUE(state().scope.panel_open);
  desk().click("scope.source.Name");
  EXPECT_EQ(state().view.trigger_settings().source, TriggerSource::Name);
  desk().click("scope.filter");
  desk().type("memcpy");
  desk().click("scope.name.cudaMemcpyAsync");
  EXPECT_EQ(state().view.trigger_settings().name, "cudaMemcpyAsync");
  ASSERT_TRUE(desk().until([&] { return stands_at(LaneKind::Calls, "cudaMemcpyAsync"); }));
  desk().click("scope.source.Long wait");
  const Rect slider = desk().place("scope.threshold");
  desk().click(Point{slider.x + slider.width - 2, slider.y + slider.height / 2});
  EXPECT_EQ(state().view.trigger_settings().wait_over_ns, 10'000'000'000);
  const Rect hold = desk().place("scope.hold_off");
  desk().click(Point{hold.x + hold.width - 2, hold.y + hold.height / 2});
  EXPECT_EQ(state().view.trigger_settings().hold_off_ns, 10'000'000'000);
  desk().key(key::Escape);
  EXPECT_FALSE(state().scope.panel_open);
}

}  // namespace
}  // namespace lanescope::ui_test
