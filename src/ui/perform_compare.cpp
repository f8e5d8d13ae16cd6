#include <imgui.h>

#include "base/translate.h"
#include "ui/panels/compare_panel.h"
#include "ui/perform.h"

namespace lanescope::ui {

using base::tr;

namespace {

void pin(ShellState& state) {
  const Model& model = state.model;
  if (model.nothing()) return state.show_toast(tr("Nothing to pin: no run and no file"));
  state.compare.pin();
}

void unpin(ShellState& state) {
  if (!state.compare.pinned() && !state.compare.waits_for_a()) return state.show_toast(tr("Nothing is pinned as A"));
  state.compare.unpin();
  if (!state.ghost.empty() && state.ghost.number == state.compare_ghost) state.ghost = {};
}

void copy_table(ShellState& state) {
  const CompareState& compare = state.compare;
  if (!compare.b()) return state.show_toast(tr("No table yet: pin a run as A, then turn a knob"));
  ImGui::SetClipboardText(markdown(*compare.a(), *compare.b()).c_str());
  state.show_toast(tr("Table copied as Markdown"));
}

}  // namespace

bool perform_compare(ShellState& state, Action action) {
  CompareState& compare = state.compare;
  switch (action) {
    case Action::PinA:
      pin(state);
      return true;
    case Action::UnpinA:
      unpin(state);
      return true;
    case Action::CompareView:
      compare.open = !compare.open;
      return true;
    case Action::CompareAlign:
      compare.align = compare.align == CompareAlign::Iteration ? CompareAlign::Time : CompareAlign::Iteration;
      return true;
    case Action::RenewB:
      if (!compare.pinned()) {
        state.show_toast(tr("Nothing is pinned as A"));
      } else {
        compare.renew();
      }
      return true;
    case Action::CopyComparison:
      copy_table(state);
      return true;
    case Action::Fit:
    case Action::FitAll:
      if (!compare.open || !compare.pinned()) return false;
      state.compare_view.fit();
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
