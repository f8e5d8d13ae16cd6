#include <imgui.h>

#include <cmath>

#include "ui/perform.h"

namespace lanescope::ui {
namespace {

constexpr double kHoldPixelsPerSecond = 900;
constexpr double kHoldZoomPerSecond = 6;  // times closer or further in a second

}  // namespace

bool perform_navigation(ShellState& state, Action action) {
  switch (action) {
    case Action::Fit:
      if (state.selection.range) {
        state.view.show(state.selection.range->first, state.selection.range->second);
      } else if (state.selection.event) {
        state.view.show(state.selection.event->event.start_ns, state.selection.event->event.end_ns);
      } else if (state.selection.bubble) {
        state.view.show(state.selection.bubble->start_ns, state.selection.bubble->end_ns);
      } else {
        state.view.fit(state.model);
      }
      return true;
    case Action::ZoomIn:
      state.view.zoom(1.5, (state.view.axis().left_px() + state.view.axis().right_px()) / 2);
      return true;
    case Action::ZoomOut:
      state.view.zoom(1 / 1.5, (state.view.axis().left_px() + state.view.axis().right_px()) / 2);
      return true;
    case Action::PanLeft:
      state.view.glide(120);
      return true;
    case Action::PanRight:
      state.view.glide(-120);
      return true;
    default:
      return false;
  }
}

void hold_navigation(ShellState& state, Action action, double seconds) {
  const TimeAxis& axis = state.view.axis();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float middle = (axis.left_px() + axis.right_px()) / 2;
  const float at = mouse.x >= axis.left_px() && mouse.x <= axis.right_px() ? mouse.x : middle;
  const double zoom = std::pow(kHoldZoomPerSecond, seconds);
  const auto pan = static_cast<float>(kHoldPixelsPerSecond * seconds);
  switch (action) {
    case Action::ZoomIn:
      state.view.zoom(zoom, at);
      break;
    case Action::ZoomOut:
      state.view.zoom(1 / zoom, at);
      break;
    case Action::PanLeft:
      state.view.glide(pan);
      break;
    case Action::PanRight:
      state.view.glide(-pan);
      break;
    default:
      break;
  }
}

}  // namespace lanescope::ui
