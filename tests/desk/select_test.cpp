// What a person selects: events with what belongs to them, bubbles, and stretches of time with their figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>

#include "analysis/summary.h"
#include "desk/desk.h"
#include "shell/finding.h"
#include "shell/selecting.h"
#include "window/panels/details/details_panels.h"

namespace lanescope::ui_test {
namespace {

using analysis::BubbleCause;
using trace::Event;
using trace::LaneKind;

// The edges of a stretch snap to events within six pixels.
constexpr float kSnap = 7.5f;

class SelectTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    model().set_speed(0.1);
    wait_for_iterations(30);
    state().name_figures.open = false;
    hold_still();
    state().view.show(model().analysis().records()[20].start_ns, model().analysis().records()[21].end_ns);
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
  /// The widest event of a lane in view that `wanted` accepts.
  std::optional<Event> widest(LaneKind lane, const std::function<bool(const Event&)>& wanted) {
    std::optional<Event> found;
    for (const Event& e : events_in_view(lane)) {
      if (wanted(e) && (!found || e.duration() > found->duration())) found = e;
    }
    EXPECT_TRUE(found.has_value());
    return found;
  }
  const ui::Selection& selection() { return state().selection; }
  Point on_ruler(float part) { return {axis().left_px() + part * axis().width_px(), desk().place("timeline").y + 12}; }
};

TEST_F(SelectTest, AClickOnALaunchShowsTheKernelItBecame) {
  const auto launch = widest(LaneKind::Calls, trace::is_launch);
  desk().click(point_of(LaneKind::Calls, *launch));
  ASSERT_TRUE(selection().event.has_value());
  EXPECT_EQ(selection().event->event, *launch);
  ASSERT_TRUE(selection().linked.has_value());
  EXPECT_TRUE(trace::is_gpu_work(selection().linked->event.kind));
  EXPECT_EQ(selection().linked->event.correlation, launch->correlation);
  EXPECT_GE(selection().linked->event.start_ns, launch->start_ns);
  EXPECT_TRUE(state().view.frozen_by_hand());
}

// What is selected stands at the top with its exact times, in place of the cards; Esc brings them back.
TEST_F(SelectTest, TheSelectionComesFirst) {
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0"); }));
  const float verdict = desk().place("verdict").y;
  const auto launch = widest(LaneKind::Calls, trace::is_launch);
  desk().click(point_of(LaneKind::Calls, *launch));
  ASSERT_TRUE(desk().until([&] { return desk().has_place("selected"); }));
  EXPECT_LE(desk().place("selected").y, desk().place("verdict").y);
  EXPECT_FALSE(desk().has_place("advice.0"));
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0"); }));
  EXPECT_EQ(desk().place("verdict").y, verdict);
}

// A second click on the same event ends the selection, and the cards are back.
TEST_F(SelectTest, ASecondClickEndsTheSelection) {
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0"); }));
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  const Point at = point_of(LaneKind::Kernels, *kernel);
  desk().click(at);
  ASSERT_TRUE(selection().event.has_value());
  ASSERT_TRUE(desk().until([&] { return ImGui::GetTime() - ImGui::GetIO().MouseClickedTime[0] > 0.4; }))
      << "what follows is no double click";
  desk().click(at);
  EXPECT_TRUE(selection().empty());
  EXPECT_TRUE(desk().until([&] { return desk().has_place("advice.0"); }));
}

// The gap that a full queue leaves between two kernels has no path; the bubble after a read has.
TEST_F(SelectTest, APathIsDrawnOnlyForWhatMatters) {
  int ordinary = 0, drawn = 0;
  const trace::Trace& trace = model().trace();
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const LaneKind kind = trace.lane(lane).info().kind;
    if (kind != LaneKind::Kernels && kind != LaneKind::Calls) continue;
    const trace::Row& row = trace.lane(lane).row(0);
    for (auto i = row.first_starting_at_or_after(axis().begin_ns(), row.first(), row.last());
         i < row.last() && row.end(i) < axis().end_ns(); ++i) {
      ui::select_event(state(), ui::event_ref(lane, 0, row, i));
      ui::update_causes(state());
      const ui::CauseState& cause = state().cause;
      if (!cause.path.empty()) ++drawn;
      if (cause.ordinary_gap == 0) continue;
      ++ordinary;
      EXPECT_TRUE(cause.path.empty());
      EXPECT_LT(cause.ordinary_gap, ui::least_that_matters(model().recent().pace.ns));
    }
  }
  EXPECT_GT(ordinary, 0);
  EXPECT_GT(drawn, 0);
}

// The menu on an event selects it, and each entry is about it.
TEST_F(SelectTest, AMenuOnAnEvent) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  const Point at = point_of(LaneKind::Kernels, *kernel);
  const auto choose = [&](const char* entry) {
    desk().point_at(at);
    desk().frames(2);
    desk().button(Button::Right, true);
    desk().frames(2);
    desk().button(Button::Right, false);
    ASSERT_TRUE(desk().until([&] { return desk().has_place(entry); })) << entry;
    desk().frames(2);
    desk().click(entry);
    desk().frames(2);
  };
  choose("lane_menu.name-statistics");
  ASSERT_TRUE(selection().event.has_value());
  EXPECT_EQ(selection().event->event, *kernel);
  ASSERT_TRUE(desk().until([&] { return !state().name_figures.job.outdated(); }));
  EXPECT_GE(state().name_figures.job.answer->groups.front().durations.count, 30);
  choose("lane_menu.copy-details");
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_THAT(ImGui::GetClipboardText(), testing::StartsWith(std::string(model().trace().names().text(kernel->name))));
  choose("lane_menu.ruler");
  ASSERT_TRUE(desk().until([&] { return state().marks.rulers.size() == 1; }));
  EXPECT_EQ(state().marks.rulers[0].from, kernel->start_ns);
  EXPECT_EQ(state().marks.rulers[0].to, kernel->end_ns);
  choose("lane_menu.lane");
  EXPECT_TRUE(desk().until([&] { return desk().has_place("lane_menu.hide-lane"); }));
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("lane_menu.hide-lane"); }));
  EXPECT_TRUE(selection().event.has_value()) << "the key closed the menu only";
  choose("lane_menu.find-same");
  EXPECT_TRUE(desk().until([&] { return state().search.complete() && state().search.total >= 30; }));
  ui::close_search(state());
}

// A click on a value of the panel copies it; Ctrl+C copies all of it.
TEST_F(SelectTest, ValuesAreCopied) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  desk().click(point_of(LaneKind::Kernels, *kernel));
  ASSERT_TRUE(desk().until([&] { return desk().has_place("fact.correlation"); }));
  desk().click("fact.correlation");
  ASSERT_TRUE(desk().until([&] { return state().copied.has_value(); }));
  EXPECT_EQ(ImGui::GetClipboardText(), std::to_string(kernel->correlation));
  desk().key(key::C, kControl);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_THAT(ImGui::GetClipboardText(), testing::HasSubstr("\ncorrelation: " + std::to_string(kernel->correlation)));
  EXPECT_TRUE(desk().until([&] { return !state().copied.has_value(); })) << "the note goes";
}

TEST_F(SelectTest, EnterGoesFromAWaitToItsWorkAndBack) {
  const auto wait = widest(LaneKind::Calls, trace::is_sync);
  desk().click(point_of(LaneKind::Calls, *wait));
  ASSERT_TRUE(selection().event && selection().linked);
  for (int round = 0; round < 2; ++round) {
    desk().key(key::Enter);
    ASSERT_TRUE(selection().event && trace::is_gpu_work(selection().event->event.kind));
    desk().key(key::Enter);
    ASSERT_TRUE(selection().event.has_value());
    EXPECT_EQ(selection().event->event, *wait);
  }
}

TEST_F(SelectTest, AClickOnAKernelShowsTheCallItCameFrom) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  desk().click(point_of(LaneKind::Kernels, *kernel));
  ASSERT_TRUE(selection().event.has_value());
  EXPECT_EQ(selection().event->event, *kernel);
  ASSERT_TRUE(selection().linked.has_value());
  EXPECT_EQ(selection().linked->event.kind, trace::EventKind::Call);
  EXPECT_EQ(selection().linked->event.correlation, kernel->correlation);
}

TEST_F(SelectTest, AClickOnAWaitShowsWhatItWaitedFor) {
  const auto sync = widest(LaneKind::Calls, trace::is_sync);
  desk().click(point_of(LaneKind::Calls, *sync));
  ASSERT_TRUE(selection().event && selection().linked);
  EXPECT_EQ(selection().event->event, *sync);
  // The read's own copy is the last thing before it returns.
  EXPECT_EQ(selection().linked->event.end_ns, sync->end_ns - trace::parts_of(*sync).returning);
}

TEST_F(SelectTest, AClickBetweenKernelsSelectsTheBubble) {
  const analysis::Bubble* longest = nullptr;
  for (const auto& b : model().analysis().bubbles()) {
    const bool inside = b.start_ns > axis().begin_ns() && b.end_ns < axis().end_ns();
    if (inside && b.cause == BubbleCause::AfterSync && (!longest || b.duration() > longest->duration())) longest = &b;
  }
  ASSERT_NE(longest, nullptr);
  Event where;
  where.start_ns = longest->start_ns;
  where.end_ns = longest->end_ns;
  desk().click(point_of(LaneKind::Kernels, where));
  ASSERT_TRUE(selection().bubble.has_value());
  EXPECT_FALSE(selection().event.has_value());
  EXPECT_EQ(selection().bubble->start_ns, longest->start_ns);
  EXPECT_EQ(selection().bubble->wake_ns + selection().bubble->cpu_ns + selection().bubble->launch_ns,
            longest->duration());
}

TEST_F(SelectTest, ADoubleClickZoomsToTheEvent) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  const Point at = point_of(LaneKind::Kernels, *kernel);
  desk().double_click(at);
  const auto fills = [&] {
    const float share = axis().length_px(kernel->duration()) / axis().width_px();
    return share > 0.75f && share < 0.85f;  // an eighth of room on either side
  };
  EXPECT_TRUE(desk().until(fills));
}

TEST_F(SelectTest, AClickBesideEverythingClears) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  desk().click(point_of(LaneKind::Kernels, *kernel));
  ASSERT_FALSE(selection().empty());
  const Rect kernels = *state().timeline.lane_rect(model().trace(), LaneKind::Kernels);
  desk().click(Point{axis().left_px() + 300, kernels.y - 10});
  EXPECT_TRUE(selection().empty());
}

TEST_F(SelectTest, EscapeClears) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  desk().click(point_of(LaneKind::Kernels, *kernel));
  ASSERT_FALSE(selection().empty());
  desk().key(key::Escape);
  EXPECT_TRUE(selection().empty());
}

TEST_F(SelectTest, ADragOnTheRulerMeasuresAStretch) {
  const Point from = on_ruler(0.2f);
  const Point to = on_ruler(0.7f);
  const ui::TimeAxis before = axis();
  desk().drag(from, to);
  EXPECT_EQ(axis(), before) << "the ruler does not pan";
  ASSERT_TRUE(selection().range.has_value());
  EXPECT_NEAR(before.to_px(selection().range->first), from.x, kSnap);
  EXPECT_NEAR(before.to_px(selection().range->second), to.x, kSnap);
  const auto figures = [&] { return state().range_figures.shows(*selection().range); };
  ASSERT_TRUE(desk().until(figures));
  const analysis::Summary& shown = state().range_figures.job.answer->summary;
  const analysis::Summary expected =
      analysis::analyse(model().trace(), selection().range->first, selection().range->second);
  EXPECT_EQ(shown.gpu_busy_ns, expected.gpu_busy_ns);
  EXPECT_EQ(shown.launch_count, expected.launch_count);
  EXPECT_GT(shown.launch_count, 3);
  EXPECT_EQ(ui::figure_lines(std::array{&shown}), ui::figure_lines(std::array{&expected}));
  // Dragged the other way round it is the same stretch.
  desk().drag(to, from);
  ASSERT_TRUE(selection().range.has_value());
  EXPECT_NEAR(before.to_px(selection().range->first), from.x, kSnap);
}

TEST_F(SelectTest, ShiftAndDragInTheLanesMeasuresToo) {
  const Point from{on_ruler(0.3f).x, on_ruler(0).y + 120};
  const ui::TimeAxis before = axis();
  desk().key_down(key::LeftShift);
  desk().drag(from, {from.x + 200, from.y});
  desk().key_up(key::LeftShift);
  EXPECT_EQ(axis(), before);
  ASSERT_TRUE(selection().range.has_value());
  EXPECT_NEAR(before.length_px(selection().range->second - selection().range->first), 200, 2 * kSnap);
}

TEST_F(SelectTest, ANewRunForgetsWhatWasSelectedInTheOld) {
  const auto kernel = widest(LaneKind::Kernels, [](const Event&) { return true; });
  desk().click(point_of(LaneKind::Kernels, *kernel));
  ASSERT_FALSE(selection().empty());
  run({});
  EXPECT_TRUE(selection().empty());
}

}  // namespace
}  // namespace lanescope::ui_test
