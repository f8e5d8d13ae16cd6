// The first minute: one thing to press, one thing to watch, and the reward. The card stands over the plots, so that it
// covers neither the lanes nor the switch that it speaks of.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/platform/page.h"
#include "base/translate.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"
#include "render/labels.h"
#include "shell/overlays.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using experiment::Side;

constexpr float kTourWidth = 470;

// After / before, once both were measured; 0: not yet.
double factor_of(const ActiveExperiment& active) {
  const experiment::Measured* before = active.measured(Side::Before);
  const experiment::Measured* after = active.measured(Side::After);
  return before && after ? gain_between(*before, *after).factor : 0;
}

void frame_place(const Canvas& c, const char* name) {
  const auto found = c.state.places.find(name);
  if (found == c.state.places.end()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();  // of the card: over the panels, and below what the mouse points at
  list.PushClipRectFullScreen();
  frame_around(c, list, found->second);
  list.PopClipRect();
}

void draw_first_step(const Canvas& c, const ActiveExperiment& active) {
  ShellState& state = c.state;
  const bool flipped = active.side() == Side::After;
  frame_place(c, "lane.kernels");
  if (flipped) {
    text(c, FontRole::Title, Colour::Text, tr("Watch the lane \"kernels\""));
    wrapped_text(c, FontRole::Body, Colour::Muted,
                 tr("The loop no longer reads. The new time per iteration is being measured ..."));
  } else {
    frame_place(c, "side.after");
    const std::string key = keys_text(info(Action::FlipSide));
    // A telephone has no keys.
    text(c, FontRole::Title, Colour::Text,
         base::kInPage ? tr("Press {}, or choose \"after\"", key) : tr("Press {}", key));
    wrapped_text(c, FontRole::Body, Colour::Muted,
                 tr("This loop reads its loss in every iteration, and after each read the GPU has nothing to do: the "
                    "long dashed "
                    "gap on the lane \"kernels\". The other side is the same loop without the reads."));
  }
  vertical_space(c, 6);
  if (button(c, "tour.skip", tr("Skip"))) end_tour(state);
}

void draw_reward(const Canvas& c, double factor) {
  ShellState& state = c.state;
  frame_place(c, "lane.kernels");
  const bool faster = factor > 1;
  text(c, FontRole::Verdict, faster ? Colour::Good : Colour::Wait, change_text(factor));
  note_place(c, "tour.factor");
  wrapped_text(
      c, FontRole::Body, Colour::Muted,
      tr("Without the reads the CPU issues work ahead of the GPU, and there are no long gaps. {} takes you back "
         "and forth.",
         keys_text(info(Action::FlipSide))));
  vertical_space(c, 6);
  if (button(c, "tour.next", tr("Go on"), true)) state.tour = TourStep::WhatNext;
}

void draw_what_next(const Canvas& c) {
  ShellState& state = c.state;
  text(c, FontRole::Title, Colour::Text, tr("What next?"));
  vertical_space(c, 2);
  // In two columns, so that all of it fits into the card.
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const auto offer = [&](const char* id, const std::string& says, Action action) {
    const std::string key = keys_text(info(action));
    if (!button(c, id, key.empty() ? says : fmt::format("{} ({})", says, key), false, width)) return;
    end_tour(state);
    state.requests.actions.push_back(action);
  };
  offer("tour.experiments", tr("More experiments"), Action::Gallery);
  ImGui::SameLine();
  offer("tour.open", tr("Your own trace"), Action::OpenTrace);
  offer("tour.keys", tr("All keys"), Action::Help);
  ImGui::SameLine();
  if (button(c, "tour.done", tr("Done"), true, width)) end_tour(state);
}

}  // namespace

void draw_tour(const Canvas& c) {
  ShellState& state = c.state;
  if (state.tour == TourStep::Off || state.overlays.open || state.sweep.open || state.presentation.on) return;
  if (!state.experiment.active || state.experiment.active->experiment().id != kTourExperiment) return;
  const auto plots = state.places.find("drawer.header");
  const auto lanes = state.places.find("timeline");
  if (plots == state.places.end() || lanes == state.places.end()) return;
  const ActiveExperiment& active = *state.experiment.active;
  const double factor = factor_of(active);
  if (state.tour == TourStep::PressFlip && active.side() == Side::After && factor > 0) state.tour = TourStep::Reward;
  // A knob was turned, so that neither side runs, or both are forgotten: the factor is not of what is seen.
  const bool turned = !active.side_of(state.model.steering()->settings());
  if (state.tour == TourStep::Reward && (turned || factor == 0)) state.tour = TourStep::WhatNext;

  const float s = c.scale;
  const Rect& middle = lanes->second;
  const float width = std::min(kTourWidth * s, middle.width - 16 * s);
  const float top = middle.y + middle.height + 6 * s;
  ImGui::SetNextWindowPos({middle.x + (middle.width - width) / 2, top});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Simulated]);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.theme[Colour::PanelRaised]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 2 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {16 * s, 12 * s});
  ImGui::Begin("##tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  if (state.tour == TourStep::Reward) {
    draw_reward(c, factor);
  } else if (state.tour == TourStep::WhatNext) {
    draw_what_next(c);
  } else {
    draw_first_step(c, active);
  }
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  state.places["tour"] = {at.x, at.y, size.x, size.y};
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace lanescope::ui
