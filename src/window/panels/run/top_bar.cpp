#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {

using base::tr;

const std::array<double, 4> kSpeeds{1.0, 0.1, 0.01, 0.001};

std::string speed_text(double speed) {
  if (speed >= 0.999) return "1x";
  return "1/" + std::to_string(std::lround(1 / speed)) + " x";
}

namespace {

// The longest of several wordings that fits, otherwise the shortest.
std::string fitting(const Canvas& c, FontRole role, const std::vector<std::string>& wordings, float room) {
  for (const std::string& says : wordings) {
    if (text_width(c.fonts, role, says) <= room) return says;
  }
  return wordings.back();
}

constexpr float kRowHeight = 46;
constexpr float kUprightWidth = 720;
constexpr float kAverageWidth = 52;
constexpr float kChipIcon = 34;    // minimum width of the trigger button: its icon
constexpr float kChipWidth = 236;  // full width of the trigger button

// The trigger and its state: two lines in a button that opens the panel. It has a fixed width regardless of its text,
// so that nothing next to it moves.
void draw_trigger_chip(const Canvas& c, float width) {
  ShellState& state = c.state;
  const float s = c.scale;
  const float height = 34 * s;
  const ScopeStatus status = scope_status(state);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - 4 * s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (press_area(c, "##trigger_chip", {width, height})) state.requests.actions.push_back(Action::TriggerPanel);
  note_control(c, "trigger_chip");
  const bool hovered = ImGui::IsItemHovered();
  const bool open = state.scope.panel_open;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  list.AddRectFilled(at, end, c.theme[hovered || open ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  outline(c, {at.x, at.y, width, height}, 5, hovered);
  if (open) list.AddRect(at, end, c.theme[Colour::Accent], 5 * s, 0, 1.5f * s);
  // The same icon as the flag on the ruler. While armed, it pulses to show that it is waiting.
  float glow = status.waits ? 1.0f : 0.0f;
  if (status.waits && state.preferences.animation) {
    glow = 0.5f + 0.5f * static_cast<float>(std::sin(ImGui::GetTime() * 5));
  }
  const std::uint32_t sign = c.theme[status.waits ? Colour::Wait : Colour::Accent];
  const float side = 18 * s;
  const ImVec2 low{at.x + 8 * s, at.y + (height - side) / 2};
  if (status.waits) {
    const float around = 3 * s * glow;
    list.AddRectFilled({low.x - around, low.y - around}, {low.x + side + around, low.y + side + around},
                       with_alpha(sign, 0.35f), 6 * s);
  }
  list.AddRectFilled(low, {low.x + side, low.y + side}, sign, 4 * s);
  const float x = low.x + side + 9 * s;
  const float room = end.x - x - 8 * s;
  const Label labels[] = {
      {low.x, low.y, side, c.theme[Colour::AccentInk], FontRole::SmallBold, "T", side, LabelAlign::Centre},
      {x, at.y + 2 * s, room, c.theme[Colour::Text], FontRole::SmallBold,
       fitting(c, FontRole::SmallBold, {status.what, trigger_text(state.view.trigger_settings())}, room), 16 * s},
      {x, at.y + 16 * s, room, c.theme.as_text(status.waits ? Colour::Wait : Colour::Muted), FontRole::Small,
       fitting(c, FontRole::Small, status.says, room), 16 * s}};
  draw_labels(list, c.fonts, {labels, room > 30 * s ? 3u : 1u});
  if (hovered && !open) {
    ImGui::SetTooltip("%s\n%s\n%s (%s)", status.what.c_str(), status.says.front().c_str(),
                      tr(info(Action::TriggerPanel).text), key_text(info(Action::TriggerPanel).keys.front()).c_str());
  }
}

void draw_average_button(const Canvas& c, float right) {
  if (right - ImGui::GetCursorPosX() < kAverageWidth * c.scale) return;
  const std::string tip =
      fmt::format("{} ({})", tr(info(Action::Average).text), key_text(info(Action::Average).keys.front()));
  if (button(c, "average", tr("Avg"), c.state.scope.average.on, kAverageWidth * c.scale, tip.c_str())) {
    c.state.requests.actions.push_back(Action::Average);
  }
  ImGui::SameLine(0, 10 * c.scale);
}

// For an opened trace: the average button and, while it is on, what its pictures are aligned to.
void draw_still_scope(const Canvas& c, float right) {
  draw_average_button(c, right);
  const float room = right - ImGui::GetCursorPosX();
  const bool wanted = c.state.scope.average.on || c.state.scope.panel_open;
  if (wanted && room >= kChipIcon * c.scale) draw_trigger_chip(c, std::min(room, kChipWidth * c.scale));
}

// The modes, the average and the trigger button, up to `right`, relative to the window.
void draw_mode_buttons(const Canvas& c, float width, float right) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool frozen = state.view.frozen_by_hand();
  const std::vector<std::string> modes{tr("Roll"), tr("Trigger"), tr("Single")};
  const int clicked = segmented(c, "mode", modes, static_cast<int>(state.view.mode()), width);
  if (clicked == 0) state.requests.actions.push_back(Action::Roll);
  if (clicked == 1) state.requests.actions.push_back(Action::Trigger);
  if (clicked == 2) state.requests.actions.push_back(Action::Single);
  ImGui::SameLine(0, 6 * s);
  draw_average_button(c, right);
  const float room = right - ImGui::GetCursorPosX();
  if (room < kChipIcon * s) return;
  const float width_left = std::min(room < 128 * s ? kChipIcon * s : room, kChipWidth * s);
  const auto fits = [&](const std::string& says) {
    return text_width(c.fonts, FontRole::BodyBold, says) <= width_left - 12 * s;
  };
  if (!frozen || !fits(tr("Resume"))) return draw_trigger_chip(c, width_left);
  // In the chip's place, so that nothing else moves.
  const std::string with_key = fmt::format("{} ({})", tr("Resume"), key_text(info(Action::Resume).keys.front()));
  if (button(c, "resume", fits(with_key) ? with_key : tr("Resume"), true, width_left)) {
    state.requests.actions.push_back(Action::Resume);
  }
}

void draw_speed(const Canvas& c, bool compact) {
  ShellState& state = c.state;
  if (!compact) {
    ImGui::AlignTextToFramePadding();
    text(c, FontRole::Body, Colour::Muted, tr("speed"));
    ImGui::SameLine(0, 8 * c.scale);
  }
  if (button(c, "speed", speed_text(state.model.speed()), false, (compact ? 64 : 84) * c.scale,
             tr("simulated time relative to wall-clock time"))) {
    ImGui::OpenPopup("speeds");
  }
  const Rect& shown = state.places["speed"];
  ImGui::SetNextWindowPos({shown.x, shown.y + shown.height + 6 * c.scale});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {6 * c.scale, 6 * c.scale});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 4 * c.scale});
  if (ImGui::BeginPopup("speeds")) {
    for (const double speed : kSpeeds) {
      const bool chosen = std::abs(speed - state.model.speed()) < 1e-9;
      if (button(c, "speed." + speed_text(speed), speed_text(speed), chosen, 84 * c.scale)) {
        state.model.set_speed(speed);
        ImGui::CloseCurrentPopup();
      }
    }
    if (key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  ImGui::SameLine(0, 6 * c.scale);
}

void draw_run(const Canvas& c, bool compact) {
  ShellState& state = c.state;
  if (state.model.virtual_time()) draw_speed(c, compact);  // a device in real time has a fixed speed
  if (state.model.steering() &&
      button(c, "pause", state.model.paused() ? tr("Continue") : tr("Pause"), state.model.paused(),
             (compact ? 70 : 84) * c.scale, key_text(info(Action::PauseRun).keys.front()).c_str())) {
    state.requests.actions.push_back(Action::PauseRun);
  }
  if (state.model.steering()) ImGui::SameLine(0, 6 * c.scale);
  if (!state.model.source().restarting()) return;
  if (button(c, "restart", tr("Restart"), false, 0, key_text(info(Action::RestartRun).keys.front()).c_str()))
    state.requests.actions.push_back(Action::RestartRun);
}

}  // namespace

bool is_upright(float scale) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  return display.x < kUprightWidth * scale && display.y > display.x;
}

float top_bar_height(float scale) { return (is_upright(scale) ? 2 * kRowHeight - 8 : kRowHeight) * scale; }

void draw_top_bar(const Canvas& c) {
  ShellState& state = c.state;
  const bool upright = is_upright(c.scale);  // the buttons have a row of their own
  const float y = ImGui::GetCursorPosY() + (upright ? (kRowHeight - 8) * c.scale : 0);
  const ImVec2 window{ImGui::GetWindowWidth(), kRowHeight * c.scale};
  const ImVec2 at = ImGui::GetWindowPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float s = c.scale;
  const float badge_x = draw_badge(c, at.x + window.x - 16 * s, at.y + (window.y - 26 * s) / 2) - at.x;
  // From the right: the badge, the run's buttons, the view's buttons; the title gets the rest.
  const bool compact = window.x < 1500 * s;
  const bool narrow = !upright && window.x < 960 * s;  // leave out the program's name
  const float modes_width = (narrow || upright ? 192 : compact ? 204 : 252) * s;
  const float run_width = state.model.virtual_time() ? (compact ? 232 : 352) * s : (compact ? 162 : 212) * s;
  const float run_x = upright ? window.x - 6 * s - run_width : badge_x - run_width;
  const float scope_width = modes_width + (6 + kAverageWidth + 10 + kChipWidth + 10) * s;
  const float name_x = 44 * s;  // to the right of the menu button
  const float modes_x = upright ? 16 * s
                        : narrow
                            ? name_x
                            : std::max((compact ? 152 : 188) * s, std::min(window.x * 0.345f, run_x - scope_width));
  ImGui::SetCursorScreenPos({at.x + 10 * s, at.y + (window.y - 26 * s) / 2});
  draw_menu_button(c);
  const Label name{at.x + name_x, at.y, 120 * s, c.theme[Colour::Text], FontRole::Title, "Lanescope", window.y};
  const float title_x = name_x + text_width(c.fonts, FontRole::Title, "Lanescope") + 12 * s;
  const bool story = state.experiment.active && state.model.steering();
  const std::string says =
      story ? state.experiment.active->experiment().title[state.language()] : tr(state.model.title());
  const float title_end = upright ? badge_x : modes_x;
  const Label title{at.x + title_x, at.y,    title_end - title_x - 16 * s, c.theme[Colour::Muted], FontRole::Body,
                    says,           window.y};
  if (!narrow) draw_labels(list, c.fonts, {&name, 1});
  if (!narrow && title.max_width > 60 * s) draw_labels(list, c.fonts, {&title, 1});
  ImGui::SetCursorPos({modes_x, y});
  if (state.model.live()) {
    const float runs_at = std::max(std::min(run_x, modes_x + scope_width), modes_x + modes_width + 10 * s);
    draw_mode_buttons(c, modes_width, runs_at - 10 * s);
    ImGui::SetCursorPos({runs_at, y});
    draw_run(c, compact);
  } else if (!state.model.nothing()) {
    ImGui::AlignTextToFramePadding();
    text(c, FontRole::Body, Colour::Muted, state.model.source().words().kind);
    ImGui::SameLine(0, 14 * s);
    if (button(c, "fit", std::string(tr("Fit")) + " (" + key_text(info(Action::Fit).keys.front()) + ")"))
      state.requests.actions.push_back(Action::Fit);
    ImGui::SameLine(0, 10 * s);
    draw_still_scope(c, (upright ? window.x : badge_x) - 16 * s);
  }
}

}  // namespace lanescope::ui
