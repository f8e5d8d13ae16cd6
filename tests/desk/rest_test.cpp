// A window that has nothing new to show uses no processor: paused it rests in every state.
#include <gtest/gtest.h>

#include "base/time.h"
#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using ui::DrawerTab;
using ui::Overlay;
using ui::ThemeName;
using ui::TourStep;

class AtRestTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    run({});
    wait_for_iterations(40);  // so that there are cards, plots and costs of the code
    state().preferences.animation = true;
    hold_still();
  }
  void TearDown() override {
    ui::ShellState& s = state();
    s.overlays.open.reset();
    s.drawer = DrawerTab::Plots;
    s.tour = TourStep::Off;
    s.presentation.on = s.comparison.state.open = false;
    s.preferences.theme = ThemeName::Dark;
    s.selection.clear();
    DeskTest::TearDown();
  }
  /// It comes to rest and stays there: a job that ends may start another, but not for ever.
  void rests(const std::string& what) {
    const auto rested = [this, frames = 0]() mutable {
      frames = desk().screen().wants_frame() ? 0 : frames + 1;
      return frames > 20;
    };
    EXPECT_TRUE(desk().until(rested)) << what << " does not come to rest";
  }
};

TEST_F(AtRestTest, PausedItRestsWhicheverPanelIsOpen) {
  for (const DrawerTab tab : {DrawerTab::Plots, DrawerTab::Code, DrawerTab::Events, DrawerTab::Found, DrawerTab::Marks,
                              DrawerTab::Statistics}) {
    state().drawer = tab;
    rests("drawer " + std::to_string(static_cast<int>(tab)));
  }
  state().drawer = DrawerTab::Plots;
  for (const Overlay overlay : {Overlay::Help, Overlay::Health, Overlay::Menu, Overlay::Palette, Overlay::Picture,
                                Overlay::GoTo, Overlay::Gallery, Overlay::Files}) {
    state().overlays.open = overlay;
    rests("overlay " + std::to_string(static_cast<int>(overlay)));
  }
  state().overlays.open.reset();
  for (const TourStep step : {TourStep::PressFlip, TourStep::Reward, TourStep::WhatNext}) {
    state().tour = step;
    rests("hint " + std::to_string(static_cast<int>(step)));
  }
}

TEST_F(AtRestTest, PausedItRestsInEveryLook) {
  for (const ThemeName theme : {ThemeName::Light, ThemeName::HighContrast, ThemeName::Dark}) {
    state().preferences.theme = theme;
    rests("theme " + std::to_string(static_cast<int>(theme)));
  }
  state().presentation.on = true;
  rests("a presentation");
  state().presentation.on = false;
  desk().act(ui::Action::PinA);
  rests("a pinned run");
  state().comparison.state.open = true;
  rests("two runs compared");
  state().comparison.state.open = false;
  const auto kernels = events_in_view(trace::LaneKind::Kernels);
  ASSERT_FALSE(kernels.empty());
  desk().click(point_of(trace::LaneKind::Kernels, kernels.front()));
  rests("a selected kernel");
  desk().act(ui::Action::Single);  // single: armed, and nothing will come
  rests("an armed trigger");
}

// The code's bars still moved when its panel was left: they must not keep the window awake (they did, for ever).
TEST_F(AtRestTest, WhatIsNoLongerDrawnDoesNotKeepItAwake) {
  state().drawer = DrawerTab::Code;
  model().set_paused(false);
  ASSERT_TRUE(desk().until([&] { return desk().shell().state().code.moving(base::now()); }));
  state().drawer = DrawerTab::Plots;
  state().presentation.on = true;  // the code beside the details is not drawn either
  model().set_paused(true);
  rests("a window whose code moved when it was last drawn");
}

}  // namespace
}  // namespace lanescope::ui_test
