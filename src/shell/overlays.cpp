#include "shell/overlays.h"

#include "shell/finding.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

void open_gallery(ShellState& state) {
  GalleryState& gallery = state.overlays.gallery;
  gallery.lessons = false;
  gallery.filter.clear();
  gallery.list = gallery_list("", state.language());
  gallery.selected = 0;
  const auto& active = state.experiment.active;
  if (active) gallery.selected = gallery.list.place_of(&active->experiment()).value_or(0);
  gallery.scroll_to_selected = true;
}

}  // namespace

bool has_text_field(const Overlays& overlays) {
  switch (overlays.open.value_or(Overlay::Help)) {
    case Overlay::Palette:
    case Overlay::GoTo:
    case Overlay::Files:
    case Overlay::Attach:
      return true;
    case Overlay::Gallery:
      return !overlays.gallery.lessons;
    default:
      return false;
  }
}

void close_overlay(ShellState& state) {
  Overlays& overlays = state.overlays;
  overlays.open.reset();
  overlays.gallery.keys.clear();
  state.files.field = {};
}

void open_overlay(ShellState& state, Overlay overlay) {
  close_overlay(state);
  state.overlays.open = overlay;
  if (overlay == Overlay::Palette) fill_palette(state);
  if (overlay == Overlay::Menu) state.overlays.menu.recent = recent_files(state.preferences);
  if (overlay == Overlay::Gallery) open_gallery(state);
  if (overlay == Overlay::Attach) open_attach_dialog(state);
  if (overlay == Overlay::GoTo) state.navigation.go_to = {};
  if (has_text_field(state.overlays)) state.await_field();
}

void toggle_overlay(ShellState& state, Overlay overlay) {
  state.overlays.open == overlay ? close_overlay(state) : open_overlay(state, overlay);
}

void end_tour(ShellState& state) {
  state.tour = TourStep::Off;
  state.preferences.tour_done = true;
}

void close_topmost(ShellState& state) {
  if (state.navigation.drag.cancel() || state.lane_hands.cancel()) return;
  if (state.files.asking.busy()) {
    state.files.asking.leave();
  } else if (state.opening.running()) {
    state.opening.cancel();
  } else if (state.device_menu.open) {
    state.device_menu.toggle = true;
  } else if (state.lane_hands.menu_open) {
    // the menu itself takes the key; what it is about stays selected
  } else if (state.plots.view.menu_open) {
    state.plots.view.toggle_menu = true;
  } else if (state.overlays.open) {
    close_overlay(state);
  } else if (state.tour != TourStep::Off && !state.presentation.on) {
    end_tour(state);
  } else if (!state.rescued_run.empty()) {
    state.rescued_run.clear();
  } else if (!state.crash_report.empty()) {
    state.crash_report.clear();
  } else if (state.marks.open) {
    state.marks.open.reset();
  } else if (state.colours.legend_open) {
    state.colours.legend_open = false;
  } else if (state.scope.panel_open) {
    state.scope.panel_open = false;
  } else if (state.sweep.open) {
    state.sweep.open = false;
  } else if (state.about_open) {
    state.about_open = false;
  } else if (state.comparison.state.open) {
    state.comparison.state.open = false;
  } else if (put_back(state) || put_trial_away(state)) {
    // the lanes below are as they were before a wait was dragged off, or a trial was made
  } else if (close_search(state)) {
    // what was found is not lit any more; what is selected stays
  } else if (!state.selection.empty() || !state.knob_editing.setting.empty()) {
    state.selection.clear();
    state.knob_editing.setting.clear();
  } else if (state.presentation.on) {
    state.presentation.on = false;
  }
}

}  // namespace lanescope::ui
