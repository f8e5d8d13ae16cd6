// A person pins a run as A, turns a knob, and looks at both.
#include <imgui.h>

#include <gmock/gmock.h>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;

constexpr const char* kRecorded = LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz";

class CompareTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().comparison.state.unpin();
    state().comparison.state.align = ui::CompareAlign::Iteration;
    state().preferences.animation = false;
    run({"log_interval=1"}, 0.1);
  }
  void TearDown() override {
    state().comparison.state.unpin();
    state().preferences.animation = true;
  }
  void pin() {
    desk().act(ui::Action::PinA);
    ASSERT_TRUE(desk().until([&] { return compare().pinned(); }));
  }
  void turn(std::int64_t log_interval) {
    model().set("log_interval", log_interval);
    ASSERT_TRUE(desk().until([&] {
      return compare().b() && compare().b()->facts.settings.at("log_interval") == std::to_string(log_interval);
    }));
  }
  ui::CompareState& compare() { return state().comparison.state; }
  ui::CompareView& view() { return state().comparison.view; }
};

// It used to switch the tab behind A and B, where nobody saw it.
TEST_F(CompareTest, F4LeavesItForTheCode) {
  pin();
  turn(50);
  desk().act(ui::Action::CompareView);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("compare"); }));
  desk().key(key::F4);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("code.0") && !desk().has_place("compare"); }));
  desk().key(key::F4);
  EXPECT_TRUE(desk().until([&] { return state().drawer == ui::DrawerTab::Closed; }));
}

TEST_F(CompareTest, WhatRunsAfterTheTurnOfAKnobIsB) {
  ASSERT_FALSE(compare().pinned());
  pin();
  EXPECT_FALSE(state().plots.ghost.empty()) << "its curves are pinned, too";
  EXPECT_EQ(compare().b(), nullptr);
  turn(50);
  const auto a = compare().a();
  EXPECT_EQ(a->facts.settings.at("log_interval"), "1");
  EXPECT_GT(a->mean_ns(), 1.2 * compare().b()->mean_ns()) << "reads cost";
  // The same button opens the view of both.
  desk().act(ui::Action::CompareView);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("compare.b"); }));
  EXPECT_FALSE(desk().has_place("timeline"));
  EXPECT_THAT(view().words().headline, HasSubstr("shorter"));
  EXPECT_EQ(view().texts().a, "log interval 1");
  EXPECT_EQ(view().texts().b, "log interval 50");
  // It goes on following.
  turn(1);
  EXPECT_EQ(view().texts().b, "the same settings");
  EXPECT_EQ(compare().a(), a);
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("timeline"); }));
}

TEST_F(CompareTest, BothMoveTogetherUnderTheMouse) {
  pin();
  turn(20);
  desk().act(ui::Action::CompareView);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("compare.b"); }));
  const Rect lanes = desk().place("compare.a");
  const ui::TimeAxis before = view().axis();
  const Point at{before.left_px() + before.width_px() / 2, lanes.y + lanes.height / 2};
  const Nanoseconds there = before.to_ns(at.x);
  desk().point_at(at);
  desk().wheel(3);
  ASSERT_TRUE(desk().until([&] { return view().axis().ns_per_pixel() < 0.6 * before.ns_per_pixel(); }));
  EXPECT_NEAR(static_cast<double>(view().axis().to_ns(at.x)), static_cast<double>(there), before.ns_per_pixel() * 3);
  const Nanoseconds from = view().axis().begin_ns();
  desk().drag(at, {at.x - 120, at.y});
  ASSERT_TRUE(desk().until([&] { return view().axis().begin_ns() > from; }));
  EXPECT_NEAR(static_cast<double>(view().axis().begin_ns() - from), 120 * view().axis().ns_per_pixel(),
              view().axis().ns_per_pixel() * 3);
  desk().double_click(at);
  ASSERT_TRUE(desk().until([&] { return view().axis().ns_per_pixel() == before.ns_per_pixel(); }));
  // By time B runs ahead of A.
  desk().click("compare.align.by time");
  ASSERT_TRUE(desk().until([&] { return view().alignment().align() == ui::CompareAlign::Time; }));
  EXPECT_LT(view().alignment().mark(ui::kSideB, 1)->from, view().alignment().mark(ui::kSideA, 1)->from);
  // All the way out, and a part of both is still there.
  desk().point_at(at);
  desk().wheel(-60);
  const ui::Alignment& all = view().alignment();
  EXPECT_LT(view().axis().begin_ns(), all.end());
  EXPECT_GT(view().axis().end_ns(), all.begin());
  EXPECT_LE(view().axis().span_ns(), 1.2 * static_cast<double>(all.end() - all.begin()));
}

TEST_F(CompareTest, AStaysWhateverComesAfterIt) {
  pin();
  const auto a = compare().a();
  const std::size_t iterations = a->iterations.size();
  state().requests.files = {kRecorded};
  ASSERT_TRUE(desk().until([&] { return !model().live() && compare().b() != nullptr; }));
  EXPECT_EQ(compare().a(), a);
  EXPECT_EQ(a->iterations.size(), iterations);
  EXPECT_FALSE(compare().b()->facts.simulated);
  EXPECT_THAT(ui::markdown(*a, *compare().b()), HasSubstr("A is simulated"));
  // And an opened trace can be A, a run B.
  state().requests.actions.push_back(ui::Action::PinA);
  ASSERT_TRUE(desk().until([&] { return compare().a() != a; }));
  EXPECT_EQ(compare().b(), nullptr);
  const auto opened = compare().a();
  run({"log_interval=0"}, 0.1);
  ASSERT_TRUE(desk().until([&] { return compare().b() != nullptr; }));
  EXPECT_EQ(compare().a(), opened);
  EXPECT_TRUE(compare().b()->facts.simulated);
}

TEST_F(CompareTest, ACardsExampleIsOnTheTimeline) {
  pin();
  desk().act(ui::Action::CompareView);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("compare.a") && desk().has_place("advice.0"); }));
  desk().click("advice.0");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("timeline"); }));
  EXPECT_TRUE(state().selection.event.has_value());
  EXPECT_TRUE(compare().pinned());
}

TEST_F(CompareTest, ItsTableAndItsPictureGoOut) {
  pin();
  turn(20);
  desk().act(ui::Action::CompareView);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("compare.copy"); }));
  desk().click("compare.copy");
  ASSERT_TRUE(desk().until([&] {
    const char* text = ImGui::GetClipboardText();
    return text && std::string(text).find("B: log interval 20") != std::string::npos;
  }));
  desk().click("compare.picture");
  ASSERT_TRUE(desk().until([&] { return !state().pictures.preview.texture.empty(); }));
  EXPECT_EQ(state().pictures.choices.subject, ui::PictureSubject::Comparison);
  EXPECT_EQ(state().pictures.preview.size.width, 3200);
  EXPECT_EQ(state().pictures.preview.problem, "");
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return state().overlays.open != ui::Overlay::Picture; }));
  EXPECT_TRUE(compare().open) << "only the topmost goes";
  desk().click("compare.unpin");
  ASSERT_TRUE(desk().until([&] { return !compare().pinned(); }));
  EXPECT_TRUE(state().plots.ghost.empty());
}

}  // namespace
}  // namespace lanescope::ui_test
