// Two sides on one scale, measured on the picture.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

class SidesTest : public testing::Test {
 protected:
  void open(const std::string& id, int width = 1600, int height = 900) {
    ui::WindowOptions options;
    options.frames_unlimited = true;
    options.session.device = "sim:rtx4090";
    options.experiment = id;
    desk_.open(options);
    desk_.resize(width, height);
    state().tour = ui::TourStep::Off;
    ASSERT_TRUE(desk_.until([&] { return state().places.contains("bracket") && is_measured(); }));
    desk_.frames(60);
  }
  ui::ShellState& state() { return desk_.state(); }
  bool is_measured() {
    const auto& model = state().model;
    return model.recent().pace.known() && model.recent_is_current() && state().view.shown_iteration();
  }
  struct Widths {
    double shown = 0, other = 0;  // pixels
  };
  // The bracket is drawn from the end of the shorter iteration to the end of the longer one.
  Widths widths() {
    const Rect ghost = state().places.at("ghost");
    const Rect bracket = state().places.at("bracket");
    const double begin = bracket.x - ghost.x, end = begin + bracket.width;
    const bool shorter = std::abs(ghost.width - end) < 1.5;
    return {shorter ? begin : end, ghost.width};
  }
  /// How much longer the other one of the two that are drawn took.
  double drawn_ratio() {
    return static_cast<double>(state().comparison.other.run()->typical_iteration().duration()) /
           static_cast<double>(state().view.shown_iteration()->duration());
  }
  double typical_ns() {
    std::vector<double> all;
    for (const auto& i : analysis::recent_iterations(state().model.analysis(), 100)) {
      all.push_back(static_cast<double>(i.end_ns - i.start_ns));
    }
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    return all[all.size() / 2];
  }

  Desk desk_;
};

class BothSides : public SidesTest, public testing::WithParamInterface<const char*> {};

TEST_P(BothSides, AreDrawnAtOneScale) {
  open(GetParam());
  const Widths before = widths();
  const double before_ratio = drawn_ratio(), before_ns = typical_ns();
  desk_.tap(key::Tab);
  ASSERT_TRUE(desk_.until([&] { return state().view.stays() && is_measured() && state().places.contains("bracket"); }));
  desk_.frames(120);
  const Widths after = widths();
  EXPECT_NEAR(before.other / before.shown, before_ratio, 0.02 * before_ratio);
  EXPECT_NEAR(after.other / after.shown, drawn_ratio(), 0.02 * drawn_ratio());
  EXPECT_NEAR(after.shown, before.other, 0.03 * before.other) << "the scale stays";
  EXPECT_NEAR(after.other, before.shown, 0.03 * before.shown);
  // R3 shows the one iteration in a hundred in which it reads.
  if (GetParam() == std::string_view("R3")) return;
  EXPECT_NEAR(before_ratio, typical_ns() / before_ns, 0.03 * before_ratio) << "as it ran on either side";
}

INSTANTIATE_TEST_SUITE_P(Experiments, BothSides, testing::Values("P09", "P22", "R3"),
                         [](const auto& of) { return std::string(of.param); });

TEST_F(SidesTest, TheLanesHaveMostOfTheWindow) {
  open("P09");
  for (const auto& [width, height, least] : {std::tuple(1600, 900, 0.6f), std::tuple(1280, 720, 0.5f)}) {
    desk_.resize(width, height);
    desk_.frames(30);
    const Rect lanes = state().places.at("timeline");
    const float bottom = state().places.at("drawer.header").y;
    EXPECT_GE(lanes.width * (bottom - lanes.y), least * static_cast<float>(width * height)) << width;
  }
}

}  // namespace
}  // namespace lanescope::ui_test
