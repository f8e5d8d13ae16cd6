#include <imgui.h>

#include <array>
#include <cmath>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {

using base::tr;

const std::array<double, 4> kSpeeds{1.0, 0.1, 0.01, 0.001};

std::string speed_text(double speed) {
  if (speed >= 0.999) return "1x";
  return "1/" + std::to_string(std::lround(1 / speed)) + " x";
}

namespace {

// The text beside the buttons goes where there is no room for it up to `right`, counted in the window.
void draw_mode_buttons(const Canvas& c, float width, float right) {
  ShellState& state = c.state;
  const bool frozen = state.view.frozen_by_hand();
  const std::vector<std::string> modes{tr("Roll"), tr("Trigger"), tr("Single")};
  const int clicked = segmented(c, "mode", modes, static_cast<int>(state.view.mode()), width);
  if (clicked == 0) state.requests.push_back(Action::Roll);
  if (clicked == 1) state.requests.push_back(Action::Trigger);
  if (clicked == 2) state.requests.push_back(Action::Single);
  ImGui::SameLine(0, 14 * c.scale);
  if (frozen && state.model.live()) {
    if (button(c, "resume", std::string(tr("Resume")) + " (L)")) state.requests.push_back(Action::Resume);
    return;
  }
  ImGui::AlignTextToFramePadding();
  const char* says = state.view.mode() == ViewMode::Roll ? tr("newest at the right")
                     : state.view.armed()                ? tr("waiting for an iteration")
                                                         : tr("trigger: iteration start");
  if (ImGui::GetCursorPosX() + text_width(c.fonts, FontRole::Body, says) > right) return;
  text(c, FontRole::Body, Colour::Muted, says);
}

void draw_speed(const Canvas& c, bool compact) {
  ShellState& state = c.state;
  if (!compact) {
    ImGui::AlignTextToFramePadding();
    text(c, FontRole::Body, Colour::Muted, tr("speed"));
    ImGui::SameLine(0, 8 * c.scale);
  }
  if (button(c, "speed", speed_text(state.model.speed()), false, (compact ? 64 : 84) * c.scale,
             tr("simulated time against the clock on the wall"))) {
    ImGui::OpenPopup("speeds");
  }
  if (ImGui::BeginPopup("speeds")) {
    for (const double speed : kSpeeds) {
      if (ImGui::Selectable(speed_text(speed).c_str(), std::abs(speed - state.model.speed()) < 1e-9))
        state.model.set_speed(speed);
      note_place(c, "speed." + speed_text(speed));
    }
    ImGui::EndPopup();
  }
  ImGui::SameLine(0, 6 * c.scale);
}

void draw_run(const Canvas& c, bool compact) {
  ShellState& state = c.state;
  if (state.model.virtual_time()) draw_speed(c, compact);  // a device in real time has no other speed
  if (button(c, "pause", state.model.paused() ? tr("Continue") : tr("Pause"), state.model.paused(),
             (compact ? 70 : 84) * c.scale, tr("Space"))) {
    state.requests.push_back(Action::PauseRun);
  }
  ImGui::SameLine(0, 6 * c.scale);
  if (button(c, "restart", tr("Restart"), false, 0, "R")) state.requests.push_back(Action::RestartRun);
}

}  // namespace

void draw_top_bar(const Canvas& c) {
  ShellState& state = c.state;
  const float y = ImGui::GetCursorPosY();
  const ImVec2 window = ImGui::GetWindowSize();
  const ImVec2 at = ImGui::GetWindowPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float s = c.scale;
  const float badge_x = draw_badge(c, at.x + window.x - 16 * s, at.y + (window.y - 26 * s) / 2) - at.x;
  // From the right: the badge, the run's buttons, the view's; the title has what is left.
  const bool compact = window.x < 1150 * s;
  const float modes_width = (compact ? 204 : 252) * s;
  const float run_width = state.model.virtual_time() ? (compact ? 232 : 352) * s : (compact ? 162 : 212) * s;
  const float run_x = badge_x - run_width;
  const float modes_x = std::max((compact ? 124 : 160) * s, std::min(window.x * 0.345f, run_x - 480 * s));
  const Label name{at.x + 16 * s, at.y, 120 * s, c.theme[Colour::Text], FontRole::Title, "Lanescope", window.y};
  const float title_x = 16 * s + text_width(c.fonts, FontRole::Title, "Lanescope") + 12 * s;
  const bool story = state.experiment && state.model.live();
  const std::string says = story ? state.experiment->experiment().title[state.language()] : state.model.title();
  const Label title{at.x + title_x, at.y,    modes_x - title_x - 16 * s, c.theme[Colour::Muted], FontRole::Body,
                    says,           window.y};
  draw_labels(list, c.fonts, {&name, 1});
  if (title.max_width > 60 * s) draw_labels(list, c.fonts, {&title, 1});
  const bool recorded = state.model.shown_device().id.starts_with(kRecordedPrefix);
  ImGui::SetCursorPos({modes_x, y});
  if (state.model.live()) {
    const float runs_at = std::max(std::min(run_x, window.x * 0.61f), modes_x + modes_width + 18 * s);
    draw_mode_buttons(c, modes_width, runs_at - 8 * s);
    ImGui::SameLine(runs_at);
    draw_run(c, compact);
  } else {
    ImGui::AlignTextToFramePadding();
    text(c, FontRole::Body, Colour::Muted, recorded ? tr("a recorded run") : tr("an opened trace"));
    ImGui::SameLine(0, 14 * s);
    if (button(c, "fit", std::string(tr("Fit")) + " (F)")) state.requests.push_back(Action::Fit);
  }
}

}  // namespace lanescope::ui
