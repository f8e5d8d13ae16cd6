// Looks and the ways to any action: themes, sizes, palette, menu, keys, presentation, divider.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <imgui.h>
#include <algorithm>
#include <cmath>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using ui::Action;
using ui::KeyChord;
using ui::ThemeName;

class LooksTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    ui::ShellState& s = state();
    s.overlays.open.reset();
    s.overlays.palette = {};
    s.overlays.menu = {};
    s.presentation.on = s.full_screen = false;
    s.content_scale = 1;
    s.preferences.recent.clear();
    s.preferences.timeline_share = 0;
  }
  bool comes(const std::string& place) {
    return desk().until([&] { return desk().has_place(place); });
  }
  bool goes(const std::string& place) {
    return desk().until([&] { return !desk().has_place(place); });
  }
};

TEST_F(LooksTest, TGoesThroughTheThemes) {
  for (const ThemeName name : {ThemeName::Light, ThemeName::HighContrast, ThemeName::Dark}) {
    desk().act(ui::Action::ToggleTheme);
    EXPECT_EQ(state().preferences.theme, name);
  }
}

// A trace is coloured by name and a run by kind; what is chosen for one is not chosen for the other.
TEST_F(LooksTest, RunsAndTracesHaveColoursOfTheirOwn) {
  EXPECT_EQ(ui::colouring_of(state()), ui::ColourBy::Kind);
  state().requests.files = {LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  EXPECT_EQ(ui::colouring_of(state()), ui::ColourBy::Name);
  ui::colour_by(state(), ui::ColourBy::Duration);
  desk().frames(2);
  EXPECT_EQ(state().colours.colouring.by, ui::ColourBy::Duration);
  run({});
  desk().frames(2);
  EXPECT_EQ(state().colours.colouring.by, ui::ColourBy::Kind);
  state().preferences.colour_traces_by = ui::ColourBy::Name;
}

// At the left what the run is, at the right the keys that mean something; a busy machine is said in between, and moves
// neither.
TEST_F(LooksTest, TheStatusBarIsCalm) {
  state().requests.experiment = {&experiment::experiment_named("P09"), experiment::Side::Before};
  ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
  model().set_paused(true);
  desk().point_at({400, 300});
  DrawnTexts drawn;
  const auto line = [&] {
    drawn.forget();
    desk().frames(1);
    const Rect bar = desk().place("status");
    std::vector<std::pair<std::string, float>> texts;
    for (const DrawnText& t : drawn.places()) {
      if (t.y >= bar.y) texts.emplace_back(t.text, t.x);
    }
    return texts;
  };
  desk().until([&] { return !state().toast; });
  const auto calm = line();
  std::vector<std::string> says;
  for (const auto& [text, x] : calm) says.push_back(text);
  EXPECT_THAT(says, testing::UnorderedElementsAre(testing::EndsWith("simulated"), "Tab", "flip", "[ ]", "log interval",
                                                  "Space", "pause", "?", "keys"));
  state().figures.coarse_frames_per_second = 12;
  const auto busy = line();
  state().figures.coarse_frames_per_second = 0;
  EXPECT_EQ(busy.size(), calm.size() + 1);
  for (const auto& text : calm) EXPECT_THAT(busy, testing::Contains(text)) << "it stays where it was";
}

TEST_F(LooksTest, ThePaletteFindsAndDoes) {
  const bool pinned = settings().boolean("pinned");
  desk().key(key::K, kControl);
  ASSERT_TRUE(comes("palette.field"));
  desk().frames(2);
  desk().type(pinned ? "pinned off" : "pinned on");
  ASSERT_FALSE(state().overlays.palette.shown.empty());
  desk().key(key::Enter);
  EXPECT_TRUE(goes("palette.field"));
  EXPECT_NE(settings().boolean("pinned"), pinned);
  // What was used last is first, and letters in between do not act as keys.
  desk().key(key::K, kControl);
  ASSERT_TRUE(comes("palette.field"));
  EXPECT_TRUE(state().overlays.palette.entries[0].id.starts_with("knob.pinned="));
  desk().frames(2);
  desk().type("high cont");
  EXPECT_EQ(state().preferences.theme, ThemeName::Dark);
  desk().key(key::Enter);
  EXPECT_EQ(state().preferences.theme, ThemeName::HighContrast);
  desk().key(key::K, kControl);
  ASSERT_TRUE(comes("palette.field"));
  desk().frames(2);
  const std::size_t first = state().overlays.palette.selected;
  desk().key(key::Down);
  EXPECT_EQ(state().overlays.palette.selected, first + 1);
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Palette);
}

TEST_F(LooksTest, ThePaletteSetsNumbers) {
  const auto typed = [&](const std::string& text) {
    desk().key(key::K, kControl);
    ASSERT_TRUE(comes("palette.field"));
    desk().frames(2);
    desk().type(text);
    ASSERT_FALSE(state().overlays.palette.shown.empty()) << text;
    desk().key(key::Enter);
    ASSERT_TRUE(goes("palette.field"));
  };
  typed("batch size 512");
  EXPECT_EQ(settings().integer("batch_size"), 512);
  typed("log interval 37");  // not a stop of the slider
  EXPECT_EQ(settings().integer("log_interval"), 37);
  // Out of range: it says what is allowed, and changes nothing.
  state().toast.reset();
  typed("log interval -5");
  EXPECT_EQ(settings().integer("log_interval"), 37);
  EXPECT_TRUE(state().toast && state().toast->error);
  // Without a number it leads to the knob's own field.
  typed("dispatch");
  EXPECT_EQ(state().knob_editing.setting, "dispatch_us");
  state().knob_editing = {};
}

TEST_F(LooksTest, TheMenuIsWalkedWithTheArrowsAndTheMouse) {
  const bool paused = model().paused();
  desk().key(key::F10);
  ASSERT_TRUE(comes("menu.group.0"));
  desk().key(key::Right);
  desk().key(key::Enter);  // the run's first action
  ASSERT_TRUE(desk().until([&] { return model().paused() != paused; }));
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Menu);
  const ui::TimeAxis before = axis();
  desk().click("menu.button");
  ASSERT_TRUE(comes("menu.group.7"));
  desk().key(key::Down);
  EXPECT_EQ(state().overlays.menu.group, 1u);
  EXPECT_EQ(axis().ns_per_pixel(), before.ns_per_pixel()) << "the arrows are the menu's";
  desk().point_at(middle(desk().place("menu.group.7")));
  ASSERT_TRUE(comes("menu.theme"));
  desk().click("menu.theme");
  EXPECT_EQ(state().preferences.theme, ThemeName::Light);
  desk().click("menu.button");
  ASSERT_TRUE(comes("menu.group.0"));
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Menu);
  desk().click("menu.button");
  ASSERT_TRUE(comes("menu.group.0"));
  desk().click(Point{1000, 700});  // beside it
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Menu);
}

TEST_F(LooksTest, PresentationIsTheLanesAndTheVerdict) {
  const float before = desk().place("timeline").width;
  desk().key(key::F5);
  ASSERT_TRUE(comes("presentation.verdict"));
  EXPECT_GT(desk().place("timeline").width, before * 1.3f);
  EXPECT_FALSE(desk().has_place("whole_run"));
  EXPECT_FALSE(desk().has_place("verdict"));
  EXPECT_TRUE(desk().has_place("badge"));
  EXPECT_GT(state().scale(), 1.2f);
  desk().act(ui::Action::Trigger);  // all keys work in it
  EXPECT_EQ(state().view.mode(), ui::ViewMode::Trigger);
  desk().key(key::Escape);
  EXPECT_FALSE(state().presentation.on);
  desk().key(key::F5);
  ASSERT_TRUE(comes("presentation.verdict"));
  desk().key(key::F5);
  EXPECT_TRUE(comes("whole_run"));
}

// Larger text is large already: the presentation does not enlarge it once more, past what fits.
TEST_F(LooksTest, LargerTextLeavesAPresentationAsLargeAsItIs) {
  desk().key(key::F5);
  ASSERT_TRUE(comes("presentation.verdict"));
  desk().frames(2);
  const float scale = state().scale();
  state().preferences.font_scale = 1.1f;
  desk().frames(3);
  EXPECT_NEAR(state().scale(), scale, 0.01f);
  state().preferences.font_scale = 1;
  desk().key(key::F5);
  EXPECT_TRUE(comes("whole_run"));
}

TEST_F(LooksTest, LanesThatDoNotFitAreScrolledByTheThumb) {
  desk().frames(2);
  EXPECT_FALSE(desk().has_place("lanes_scroll.cpu") || desk().has_place("lanes_scroll")) << "all lanes are there";
  state().preferences.timeline_share = 0.2f;
  ASSERT_TRUE(comes("lanes_scroll.cpu"));
  ASSERT_TRUE(desk().until([&] { return !state().timeline.moving(); })) << "the lanes grow into their new places";
  desk().frames(1);
  EXPECT_EQ(state().scroll[0], 0);
  const ui::Rect thumb = desk().place("lanes_scroll.cpu");
  const float x = thumb.x + thumb.width / 2;
  desk().drag({x, thumb.y + 8}, {x, thumb.y + 500});
  EXPECT_GT(state().scroll[0], 20);
  EXPECT_FALSE(state().selection.range) << "the drag was the thumb's";
  state().preferences.timeline_share = 0;
  EXPECT_TRUE(goes("lanes_scroll.cpu"));
}

// As when the window is moved to a monitor of another density.
TEST_F(LooksTest, TextAndLengthsFollowTheMonitor) {
  const float before = desk().place("menu.button").height;
  state().content_scale = 2;
  desk().frames(2);
  EXPECT_NEAR(desk().place("menu.button").height, 2 * before, 0.5f);
  EXPECT_FLOAT_EQ(state().scale(), 2);
}

TEST_F(LooksTest, AnimationIsSwitchedAndSaidSo) {
  desk().act(ui::Action::ToggleAnimation);
  EXPECT_FALSE(state().preferences.animation);
  ASSERT_TRUE(state().toast.has_value());
  EXPECT_NE(state().toast->text.find("off"), std::string::npos);
  desk().act(ui::Action::ToggleAnimation);
  EXPECT_TRUE(state().preferences.animation);
}

// Everything that can be open, opened one after the other: Esc closes what is on top, and nothing stays.
TEST_F(LooksTest, EscapeClosesTheTopmostThing) {
  ui::ShellState& s = state();
  using ui::Overlay;
  for (const Overlay overlay : {Overlay::Help, Overlay::Health, Overlay::Menu, Overlay::Picture}) {
    s.overlays.open = overlay;
    desk().key(key::Escape);
    EXPECT_FALSE(s.overlays.open) << "overlay " << static_cast<int>(overlay);
  }
  bool* const all[] = {&s.sweep.open, &s.scope.panel_open, &s.presentation.on};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    *all[i] = true;
    desk().key(key::Escape);
    EXPECT_FALSE(*all[i]) << "number " << i;
  }
}

}  // namespace
}  // namespace lanescope::ui_test
