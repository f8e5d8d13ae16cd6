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
  /// An event of this name begins where the picture is aligned to.
  bool stands_at(LaneKind lane, const std::string& name) {
    if (!aligned()) return false;
    const auto events = events_since(lane, *state().view.trigger_instant());
    for (const trace::Event& e : events) {
      if (e.start_ns > *state().view.trigger_instant()) break;
      if (model().trace().names().text(e.name) == name) return true;
    }
    return false;
  }
  const std::string& wording() {
    status_ = ui::scope_status(state());
    return status_.says.front();
  }
  ui::ScopeStatus status_;
};

TEST_F(ScopeTest, ANameTriggers) {
  set(TriggerSource::Name, "cudaMemcpyAsync");
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  ASSERT_TRUE(desk().until([&] { return stands_at(LaneKind::Calls, "cudaMemcpyAsync"); }));
  EXPECT_FLOAT_EQ(instant_px(), axis().left_px() + 1);
  EXPECT_EQ(state().view.label_origin(), *state().view.trigger_instant());
}

TEST_F(ScopeTest, AWaitTriggersAndTooLongAOneDoesNot) {
  set(TriggerSource::LongWait, "", 1000);
  ASSERT_TRUE(desk().until([&] { return aligned() && !state().view.fired().empty(); }));
  const auto calls = events_since(LaneKind::Calls, *state().view.trigger_instant());
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.front().start_ns, *state().view.trigger_instant());
  EXPECT_GT(trace::parts_of(calls.front()).waiting, 1000);
  set(TriggerSource::LongWait, "", 5'000'000);
  desk().frames(3);
  EXPECT_EQ(wording(), "no trigger yet: no wait longer than 5 ms");
  EXPECT_TRUE(status_.waits);
}

// The same instant at the same pixel, at the same zoom, on lanes of the same place, whatever knob is turned.
TEST_F(ScopeTest, ThePictureStandsStillWhileAKnobIsTurned) {
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

TEST_F(ScopeTest, TheFlagOnTheRulerSetsThePreTrigger) {
  ASSERT_TRUE(desk().until([&] { return aligned(); }));
  const Rect flag = desk().place("trigger_flag");
  EXPECT_NEAR(flag.x + flag.width / 2, instant_px(), 1);
  const Point from = middle(flag);
  desk().drag(from, {axis().left_px() + 1 + 0.4f * axis().width_px(), from.y});
  EXPECT_NEAR(state().view.trigger_settings().pre_trigger, 0.4, 0.011);
  EXPECT_TRUE(state().selection.empty());
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  EXPECT_NEAR(instant_px(), axis().left_px() + 0.4f * axis().width_px(), 0.011f * axis().width_px());
  const Nanoseconds shown = *state().view.trigger_instant();
  ASSERT_TRUE(desk().until([&] { return *state().view.trigger_instant() > shown; }));
  EXPECT_NEAR(instant_px(), state().view.trigger_px(), 0.01);
}

TEST_F(ScopeTest, SingleWaitsForTheNextAndStands) {
  set(TriggerSource::LongWait, "", 5'000'000);  // nothing waits for so long
  ui::perform(state(), ui::Action::Single);
  EXPECT_TRUE(state().view.armed());
  EXPECT_EQ(wording(), "armed: waiting for wait > 5 ms");
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

TEST_F(ScopeTest, WithoutATriggerAnAutomaticOneRollsAndANormalOneStands) {
  set(TriggerSource::LongWait, "", 5'000'000);
  ASSERT_TRUE(desk().until([&] { return state().view.auto_rolling(); }));
  const Nanoseconds begin = axis().begin_ns();
  ASSERT_TRUE(desk().until([&] { return axis().begin_ns() > begin; }));
  EXPECT_FALSE(aligned());
  set(TriggerSource::LongWait, "", 1000);  // it fires again
  ASSERT_TRUE(desk().until([&] { return aligned(); }));
  EXPECT_FALSE(state().view.auto_rolling());
}

TEST_F(ScopeTest, TheAverageCollectsAndStartsAnewWithAKnob) {
  state().scope.average.count = 8;
  ui::perform(state(), ui::Action::Average);
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }));
  EXPECT_TRUE(ui::shows_average(state()));
  EXPECT_EQ(wording(), "average of 8/8");
  const auto lane = *state().timeline.lane_at(state().timeline.lane_rect(model().trace(), LaneKind::Kernels)->y + 2);
  EXPECT_TRUE(state().scope.picture.has(lane));
  EXPECT_FALSE(state().scope.picture.events(lane).empty());
  ASSERT_EQ(model().set("log_interval", std::int64_t{5}), "");
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() < 8; }));
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }));
  for (const Nanoseconds t : state().scope.asked.triggers) EXPECT_GE(t, last_marker());
  ui::perform(state(), ui::Action::Average);
  EXPECT_FALSE(ui::shows_average(state()));
}

TEST_F(ScopeTest, AnAveragedEventIsSelectedByAClick) {
  state().scope.average.count = 4;
  ui::perform(state(), ui::Action::Average);
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
  ui::perform(state(), ui::Action::Average);
  ASSERT_TRUE(desk().until([&] { return state().scope.picture.count() == 8; }))
      << wording() << ", " << state().view.fired().size() << " fired, " << axis().span_ns() << " ns in view, of "
      << model().extent().second - model().extent().first << (state().toast ? state().toast->text : "");
  EXPECT_TRUE(ui::shows_average(state()));
  EXPECT_EQ(wording(), "average of 8/8");
  EXPECT_TRUE(desk().until([&] { return desk().has_place("trigger_flag") && desk().has_place("trigger_chip"); }));
  desk().click("trigger_chip");
  desk().click("scope.source.Name");
  state().view.set_trigger({.source = TriggerSource::Name, .name = "cudaMemcpyAsync"});
  ASSERT_TRUE(desk().until([&] { return stands_at(LaneKind::Calls, "cudaMemcpyAsync"); }));
  desk().key(key::Escape);
  ui::perform(state(), ui::Action::Average);
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
  desk().click("scope.mode.normal: hold");
  EXPECT_FALSE(state().view.trigger_settings().automatic);
  const Rect pre = desk().place("scope.pre_trigger");
  desk().click(middle(pre));
  EXPECT_NEAR(state().view.trigger_settings().pre_trigger, 0.45, 0.011);
  const Rect hold = desk().place("scope.hold_off");
  desk().click(Point{hold.x + hold.width - 2, hold.y + hold.height / 2});
  EXPECT_EQ(state().view.trigger_settings().hold_off_ns, 10'000'000'000);
  desk().key(key::Escape);
  EXPECT_FALSE(state().scope.panel_open);
}

}  // namespace
}  // namespace lanescope::ui_test
