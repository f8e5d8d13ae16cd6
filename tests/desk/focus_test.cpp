// The keyboard alone: a walk through everything that can be pressed, and targets that are large enough to hit.
#include <imgui.h>

#include <gmock/gmock.h>

#include <set>

#include "desk/desk.h"
#include "window/widgets.h"

namespace lanescope::ui_test {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using ui::Control;
using ui::DrawerTab;
using ui::Overlay;

class FocusTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().focus.leave();
    state().requests.experiment = {&experiment::experiment_named("P09"), experiment::Side::Before};
    ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
    ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.try"); }));
    desk().point_at({500, 300});
    hold_still();
    // Buttons come and go while predictions are made.
    ASSERT_TRUE(desk().until([&] { return !state().try_it.busy() && !state().advice.busy(); }));
    desk().frames(3);
  }
  void TearDown() override {
    state().focus.leave();
    state().drawer = DrawerTab::Plots;
  }
  std::string at() {
    const Control* control = state().focus.focused();
    return control ? control->name : "";
  }
  void walk_to(const std::string& name) {
    for (std::size_t i = 0; i <= state().focus.controls().size() && at() != name; ++i) desk().tap(key::F6);
    ASSERT_EQ(at(), name);
  }
};

TEST_F(FocusTest, TheWalkReachesEverythingAndStaysInTheWindow) {
  desk().tap(key::F6);
  const std::string first = at();
  ASSERT_NE(first, "");
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  std::vector<std::string> reached;
  do {
    reached.push_back(at());
    SCOPED_TRACE(at());
    ASSERT_TRUE(desk().has_place("focus")) << "no ring is drawn";
    const Rect ring = state().places["focus"];
    EXPECT_GE(ring.x, 0);
    EXPECT_GE(ring.y, 0);
    EXPECT_LE(ring.x + ring.width, display.x);
    EXPECT_LE(ring.y + ring.height, display.y);
    const Rect box = state().focus.focused()->box;
    EXPECT_GE(box.y, 0) << "not brought into view";
    EXPECT_LE(box.y + box.height, display.y) << "not brought into view";
    desk().tap(key::F6);
  } while (at() != first && reached.size() < 300);
  EXPECT_EQ(std::set<std::string>(reached.begin(), reached.end()).size(), reached.size()) << "nothing comes twice";
  EXPECT_THAT(reached,
              IsSupersetOf({"menu.button", "title", "trigger_chip", "pause", "speed", "badge", "side.before",
                            "side.after", "knob.log_interval", "value.log_interval", "knobs.more", "knob.pinned",
                            "tab.plots", "tab.code", "tab.events", "advice.0", "advice.0.try", "status.capture"}));
  for (const Control& control : state().focus.controls()) EXPECT_THAT(reached, Contains(control.name));
  desk().tap(key::F6, kShift);
  EXPECT_EQ(at(), reached.back());
  desk().tap(key::Escape);
  EXPECT_EQ(at(), "");
  EXPECT_FALSE(desk().has_place("focus"));
}

TEST_F(FocusTest, EnterPressesAndArrowsTurn) {
  walk_to("pause");
  ASSERT_TRUE(model().paused());
  desk().tap(key::Enter);
  EXPECT_TRUE(desk().until([&] { return !model().paused() && !state().focus.pressing; }));
  EXPECT_EQ(at(), "pause") << "the focus stays";
  desk().tap(key::Space);
  EXPECT_TRUE(desk().until([&] { return model().paused() && !state().focus.pressing; }));

  walk_to("side.after");
  desk().tap(key::Enter);
  EXPECT_TRUE(desk().until([&] { return settings().integer("log_interval") == 0 && !state().focus.pressing; }));
  desk().tap(key::Z, kAlt);
  EXPECT_TRUE(desk().until([&] { return settings().integer("log_interval") == 1; }));
  ASSERT_TRUE(state().toast.has_value());
  EXPECT_EQ(state().toast->text, "log interval never → 1");

  walk_to("knob.log_interval");
  desk().tap(key::Right);
  EXPECT_TRUE(desk().until([&] { return settings().integer("log_interval") == 2; }));
  desk().tap(key::Left);
  EXPECT_TRUE(desk().until([&] { return settings().integer("log_interval") == 1; }));

  walk_to("advice.0.try");
  desk().tap(key::Enter);
  EXPECT_TRUE(desk().until([&] { return !state().try_it.tried().empty() && settings().integer("log_interval") != 1; }));
}

TEST_F(FocusTest, WhatOpensHasTheWalkForItselfAndGivesItBack) {
  state().about_open = true;
  desk().frames(2);
  walk_to("gallery.open");
  desk().tap(key::Enter);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.filter") && !state().focus.pressing; }));
  desk().frames(2);
  EXPECT_EQ(at(), "");
  desk().tap(key::F6);
  EXPECT_NE(at(), "");
  EXPECT_NE(at(), "gallery.open");
  for (const Control& control : state().focus.controls()) {
    const bool of_gallery = control.name.starts_with("gallery") || control.name.starts_with("language");
    EXPECT_TRUE(of_gallery && control.name != "gallery.open") << control.name;
  }
  state().overlays.open.reset();
  desk().frames(3);
  EXPECT_EQ(at(), "gallery.open");
}

// Smaller than 24 by their nature; each is at least 8 thick, with space around it.
struct Exception {
  const char* name;
  const char* why;
};
constexpr Exception kExceptions[] = {
    {"lane_fold.", "as high as its lane, which a user can make as thin as a strip; the lane's menu does the same"},
    {"lane_pin", "as high as its lane; the lane's menu does the same"},
    {"lane_hide", "as high as its lane; the lane's menu does the same"},
};

class TargetsTest : public FocusTest {
 protected:
  void check(const std::string& what) {
    desk().frames(3);
    for (const Control& control : state().focus.controls()) {
      const auto excepted = [&](const Exception& e) { return control.name.starts_with(e.name); };
      const bool is_exception = std::any_of(std::begin(kExceptions), std::end(kExceptions), excepted);
      const float least = is_exception ? 8 : ui::kLeastTarget - 0.01f;
      EXPECT_GE(control.box.width, least) << what << ": " << control.name;
      EXPECT_GE(control.box.height, least) << what << ": " << control.name;
    }
    // Dragged, not pressed: their length is what they stand for.
    for (const char* dragged : {"divider", "pane_divider", "whole_run", "trigger_flag", "event_list.scroll"}) {
      if (!desk().has_place(dragged)) continue;
      const Rect box = state().places[dragged];
      EXPECT_GE(std::min(box.width, box.height), 8) << what << ": " << dragged;
    }
  }
};

TEST_F(TargetsTest, EverythingPressedIsLargeEnough) {
  check("the window");
  for (const DrawerTab tab :
       {DrawerTab::Code, DrawerTab::Found, DrawerTab::Events, DrawerTab::Statistics, DrawerTab::Marks}) {
    state().drawer = tab;
    check("tab " + std::to_string(static_cast<int>(tab)));
  }
  state().drawer = DrawerTab::Plots;
  for (const Overlay overlay : {Overlay::Gallery, Overlay::Help, Overlay::Health, Overlay::Menu}) {
    ui::toggle_overlay(state(), overlay);
    check("overlay " + std::to_string(static_cast<int>(overlay)));
    state().overlays.open.reset();
  }
  for (const ui::Action action : {ui::Action::Palette, ui::Action::PicturePanel, ui::Action::OpenTrace}) {
    perform(state(), action);
    check(ui::info(action).name);
    state().overlays.open.reset();
  }
  for (const ui::Action action : {ui::Action::Sweep, ui::Action::TriggerPanel, ui::Action::ColourLegend}) {
    perform(state(), action);
    check(ui::info(action).name);
    perform(state(), action);
  }
  perform(state(), ui::Action::DeviceMenu);
  check("devices");
  desk().tap(key::Escape);
  const auto waits = events_in_view(trace::LaneKind::Calls);
  ASSERT_FALSE(waits.empty());
  desk().click(point_of(trace::LaneKind::Calls, waits.front()));
  ASSERT_TRUE(state().selection.event.has_value());
  check("a selected event");
  state().selection.clear();
}

}  // namespace
}  // namespace lanescope::ui_test
