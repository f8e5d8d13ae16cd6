// Rulers, bookmarks, notes, tooltips that stay.
#include "desk/action_checks.h"
#include "shell/selecting.h"

namespace lanescope::ui_test {

using ui::Action;

namespace {

// The mouse over an event of the calls' lane.
void point_at_a_call(Desk& desk) {
  ui::ShellState& state = desk.state();
  state.model.set_paused(true);
  state.view.pan(0);
  const Rect lane = desk.place("lane.CUDA calls");
  float x = state.view.axis().left_px() + 40;
  for (; x < state.view.axis().right_px(); x += 7) {
    desk.point_at({x, lane.y + lane.height / 2});
    desk.frames(2);
    if (state.pointed.hit) return;
  }
}

void bookmarks_around(Desk& desk) {
  ui::ShellState& state = desk.state();
  state.model.set_paused(true);
  state.view.pan(0);
  const auto [from, to] = state.model.extent();
  state.marks.add_bookmark({0, from, 5e5, "", ""});
  state.marks.add_bookmark({0, to, 7e5, "", ""});
}

}  // namespace

std::vector<ActionCheck> marks_checks() {
  return {
      {Action::AddRuler,
       [](Desk& desk) {
         const auto& last = desk.state().model.analysis().records().back();
         ui::select_range(desk.state(), last.start_ns, last.end_ns);
       },
       [](Desk& desk) {
         const ui::ShellState& state = desk.state();
         return state.marks.rulers.size() == 1 && state.selection.range &&
                state.marks.rulers[0].from == state.selection.range->first &&
                state.marks.rulers[0].to == state.selection.range->second;
       }},
      {Action::RemoveRulers, [](Desk& desk) { desk.state().marks.add_ruler(0, 1000, ""); },
       [](Desk& desk) { return desk.state().marks.rulers.empty(); }},
      {Action::PinTooltip, point_at_a_call, [](Desk& desk) { return desk.state().marks.pinned.size() == 1; }},
      {Action::AddBookmark,
       {},
       [](Desk& desk) {
         return desk.state().marks.bookmarks.size() == 1 && !desk.state().marks.bookmarks[0].is_note();
       }},
      {Action::AddNote, {}, [](Desk& desk) { return desk.state().marks.editing.has_value(); }},
      {Action::PreviousBookmark, bookmarks_around,
       [](Desk& desk) {
         const auto& marks = desk.state().marks;
         return marks.shown && marks.shown == marks.bookmarks.front().id;
       }},
      {Action::NextBookmark, bookmarks_around,
       [](Desk& desk) {
         const auto& marks = desk.state().marks;
         return marks.shown && marks.shown == marks.bookmarks.back().id;
       }},
      {Action::MarksList, {}, [](Desk& desk) { return desk.state().drawer == ui::DrawerTab::Marks; }},
  };
}

}  // namespace lanescope::ui_test
