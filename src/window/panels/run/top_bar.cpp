#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/translate.h"
#include "inspect/neighbours.h"
#include "picture/words.h"
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

constexpr float kRowHeight = 44;
constexpr float kUprightWidth = 720;
constexpr float kHalfPadding = 18;  // of a half of the switch, on both sides

void draw_speed(const Canvas& c) {
  ShellState& state = c.state;
  if (button(c, "speed", speed_text(state.model.speed()), false, 76 * c.scale,
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
}

// Two bars, or a triangle: no word that changes its width.
void draw_pause(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool paused = state.model.paused();
  const std::string tip =
      fmt::format("{} ({})", tr(info(Action::PauseRun).text), key_text(info(Action::PauseRun).keys.front()));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (button(c, "pause", " ", paused, 34 * s, tip.c_str())) state.requests.actions.push_back(Action::PauseRun);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::uint32_t ink = c.theme[paused ? Colour::AccentInk : Colour::Text];
  const ImVec2 m{at.x + 17 * s, at.y + 13 * s};
  if (paused) {
    list.AddTriangleFilled({m.x - 4 * s, m.y - 6 * s}, {m.x - 4 * s, m.y + 6 * s}, {m.x + 7 * s, m.y}, ink);
  } else {
    list.AddRectFilled({m.x - 5 * s, m.y - 6 * s}, {m.x - 2 * s, m.y + 6 * s}, ink);
    list.AddRectFilled({m.x + 2 * s, m.y - 6 * s}, {m.x + 5 * s, m.y + 6 * s}, ink);
  }
}

// The run's buttons, up to the badge; returns their left edge.
float draw_run(const Canvas& c, float right, float y) {
  const float s = c.scale;
  const Model& model = c.state.model;
  if (!model.steering()) return right;
  const float gap = 6 * s;
  float x = right - 8 * s;
  if (model.virtual_time()) {  // a device in real time has a fixed speed
    x -= 76 * s;
    ImGui::SetCursorPos({x, y});
    draw_speed(c);
    x -= gap;
  }
  x -= 34 * s;
  ImGui::SetCursorPos({x, y});
  draw_pause(c);
  return x;
}

// The two that are on the lanes: the experiment's sides, or the settings before and after a turn.
struct SwitchTexts {
  std::array<std::string, 2> labels;
  bool two = false;
};

SwitchTexts switch_texts(const ShellState& state) {
  SwitchTexts texts;
  if (!state.model.steering() || other_side_tells(state)) return texts;
  const OtherSide& other = state.comparison.other;
  texts.two = other.has_two();
  if (texts.two)
    texts.labels = other.labels(state.experiment.active ? &*state.experiment.active : nullptr, state.language());
  return texts;
}

bool draw_half(const Canvas& c, std::size_t side, const std::string& says, bool on, const Rect& r) {
  const float s = c.scale;
  const std::string id = side == 0 ? "side.before" : "side.after";
  ImGui::SetCursorScreenPos({r.x, r.y});
  const bool clicked = press_area(c, id.c_str(), {r.width, r.height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (on || hovered) {
    list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[on ? Colour::Accent : Colour::PanelHovered],
                       6 * s);
  }
  draw_label(c, r, c.theme[on ? Colour::AccentInk : Colour::Text], FontRole::BodyBold, says, LabelAlign::Centre);
  return clicked && !on;
}

void key_hint(const Canvas& c, float& x, float y, float height, Action action, const char* says) {
  const float s = c.scale;
  if (says) {
    const float width = text_width(c.fonts, FontRole::Small, says);
    draw_label(c, {x, y, width + 2, height}, c.theme[Colour::Muted], FontRole::Small, says);
    x += width + 6 * s;
  }
  x += key_chip(c, x, y + height / 2, key_text(info(action).keys.front())) + 12 * s;
}

}  // namespace

float switch_width(const Canvas& c, float most) {
  const SwitchTexts texts = switch_texts(c.state);
  if (!texts.two) return 0;
  float width = 8 * c.scale;
  for (const std::string& says : texts.labels)
    width += text_width(c.fonts, FontRole::BodyBold, says) + 2 * kHalfPadding * c.scale;
  return std::min(width, most);
}

void draw_side_switch(const Canvas& c, const Rect& r, FontRole role) {
  ShellState& state = c.state;
  SwitchTexts texts = switch_texts(state);
  if (!texts.two) return;
  const float s = c.scale;
  const float inset = 3 * s;
  float all = 0;
  std::array<float, 2> widths{};
  const auto measure = [&] {
    all = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      widths[i] = text_width(c.fonts, role, texts.labels[i]) + 2 * kHalfPadding * s;
      all += widths[i];
    }
  };
  measure();
  if (all > r.width) {  // the words are short, and the lanes have the labels in full
    const bool sides = state.comparison.other.of_experiment();
    texts.labels = {sides ? word(Word::Before, state.language()) : tr("old"),
                    sides ? word(Word::After, state.language()) : tr("new")};
    measure();
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[Colour::Ground], 8 * s);
  list.AddRect({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[Colour::Line], 8 * s);
  const std::size_t shown = state.comparison.other.shown();
  const float stretch = (r.width - 2 * inset) / all;
  float x = r.x + inset;
  for (std::size_t i = 0; i < 2; ++i) {
    const float width = widths[i] * stretch;
    if (draw_half(c, i, texts.labels[i], shown == i, {x, r.y + inset, width, r.height - 2 * inset}))
      state.requests.actions.push_back(Action::FlipSide);
    x += width;
  }
}

bool is_upright(float scale) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  return display.x < kUprightWidth * scale && display.y > display.x;
}

bool is_wide(float scale) { return ImGui::GetIO().DisplaySize.x >= 1200 * scale; }

float top_bar_height(float scale) { return (is_upright(scale) ? 2 * kRowHeight - 8 : kRowHeight) * scale; }

namespace {

// The title opens what the experiment, or the trace, is about. Returns its right edge.
float draw_title(const Canvas& c, float x, float most, float y, float height) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool story = state.experiment.active && state.model.steering();
  std::string says = story ? state.experiment.active->experiment().title[state.language()] : tr(state.model.title());
  const float arrow = 20 * s;
  if (text_width(c.fonts, FontRole::BodyBold, says) + arrow > most && story) {
    says = state.experiment.active->experiment().id;
  }
  const float width = std::min(text_width(c.fonts, FontRole::BodyBold, says) + 2, std::max(0.0f, most - arrow));
  if (width < 24 * s) return x;
  ImGui::SetCursorPos({x, y});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (press_area(c, "##title", {width + arrow, height})) state.requests.actions.push_back(Action::About);
  note_control(c, "title");
  const bool hovered = ImGui::IsItemHovered();
  const std::uint32_t ink = c.theme.as_text(hovered ? Colour::Accent : Colour::Text);
  draw_label(c, {at.x, at.y, width, height}, ink, FontRole::BodyBold, says);
  const ImVec2 m{at.x + width + 12 * s, at.y + height / 2 + s};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({m.x - 4 * s, m.y - 2 * s}, {m.x, m.y + 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  list.AddLine({m.x, m.y + 2 * s}, {m.x + 4 * s, m.y - 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  if (hovered) {
    const ActionInfo& about = info(Action::About);
    ImGui::SetTooltip("%s\n%s (%s)", says.c_str(), tr(about.text), key_text(about.keys.front()).c_str());
  }
  return x + width + arrow;
}

// A trace, or a view that stands: which iteration it is, and the ones beside it.
void draw_stepper(const Canvas& c, float x, float width, float y) {
  ShellState& state = c.state;
  const float s = c.scale;
  const trace::Trace& trace = state.model.trace();
  const auto numbers = iteration_numbers(trace, state.model.live_edge());
  if (!numbers) return;
  const auto& shown = state.view.shown_iteration();
  const auto go = [&](std::int64_t number) {
    const std::int64_t wanted = std::clamp<std::int64_t>(number, numbers->first + 1, numbers->second + 1);
    const auto found = iteration_numbered(trace, static_cast<std::uint32_t>(wanted - 1), state.model.live_edge());
    if (found) state.view.show_iteration(found->event.start_ns, found->event.end_ns);
  };
  const std::int64_t now = shown ? shown->number : 0;
  const std::uint32_t count = numbers->second - numbers->first + 1;
  const std::string says =
      now > 0 ? tr("iteration {} · {} of {}", now, now - numbers->first, count) : tr("{} iterations", count);
  // In steps: the buttons do not move with every number.
  const float step = 30 * s, needed = text_width(c.fonts, FontRole::BodyBold, says) + 72 * s;
  const float room = std::min(width, std::max(250 * s, step * std::ceil(needed / step)));
  x += (width - room) / 2;
  ImGui::SetCursorPos({x, y});
  if (button(c, "iteration.before", "<", false, 28 * s)) go(now - 1);
  ImGui::SetCursorPos({x, y});
  const ImVec2 low = ImGui::GetCursorScreenPos();
  draw_label(c, {low.x + 28 * s, low.y, room - 56 * s, 26 * s}, c.theme[Colour::Text], FontRole::BodyBold, says,
             LabelAlign::Centre);
  ImGui::SetCursorPos({x + room - 28 * s, y});
  if (button(c, "iteration.next", ">", false, 28 * s)) go(now > 0 ? now + 1 : numbers->first + 1);
}

}  // namespace

void draw_top_bar(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool upright = is_upright(s);  // the switch has a row of its own
  const ImVec2 at = ImGui::GetWindowPos();
  const float width = ImGui::GetWindowWidth();
  const float height = kRowHeight * s;
  const float y = (height - 26 * s) / 2;
  const float badge_x = draw_badge(c, at.x + width - 16 * s, at.y + y) - at.x;
  const float run_x = draw_run(c, badge_x, y);
  ImGui::SetCursorPos({10 * s, y});
  draw_menu_button(c);
  float title_x = 46 * s;
  if (shows_job_map(state)) {
    const float room = badge_x - title_x - 16 * s;
    draw_label(c, {at.x + title_x, at.y + y, room, 26 * s}, c.theme[Colour::Text], FontRole::BodyBold,
               fit_text(c.fonts, FontRole::BodyBold, state.job_folder.title(), room));
  }
  if (state.model.nothing()) return;
  if (state.job_folder.on()) {
    const char* back = tr("< All ranks");
    const float wide = text_width(c.fonts, FontRole::BodyBold, back) + 20 * s;
    ImGui::SetCursorPos({title_x, y});
    if (button(c, "job_map.back", back, false, wide,
               with_keys(tr(info(Action::JobMap).text), Action::JobMap).c_str())) {
      state.requests.actions.push_back(Action::JobMap);
    }
    title_x += wide + 12 * s;
  }
  const bool two = state.comparison.other.has_two() && state.model.steering();
  const float free = upright ? width - 32 * s : run_x - title_x - 40 * s;
  const float wanted = switch_width(c, std::max(150 * s, free * 0.62f));
  const float hints = two && is_wide(s) ? 150 * s : 0;
  // In the middle, unless the title needs the room.
  const float story = text_width(c.fonts, FontRole::BodyBold,
                                 state.experiment.active && state.model.steering()
                                     ? state.experiment.active->experiment().title[state.language()]
                                     : std::string(tr(state.model.title())));
  const float least_x = title_x + std::min(story + 36 * s, free * 0.38f);
  const float switch_x =
      upright ? 16 * s : std::clamp((width - wanted) / 2, least_x, std::max(least_x, run_x - wanted - hints - 16 * s));
  draw_title(c, title_x, (upright ? run_x : two ? switch_x : run_x - 280 * s) - title_x - 16 * s, y, 26 * s);
  const float row = upright ? height - 8 * s : 0;
  if (two) {
    const Rect place{at.x + switch_x, at.y + row + (height - 32 * s) / 2, wanted, 32 * s};
    draw_side_switch(c, place, FontRole::BodyBold);
    state.places["switch"] = place;
    float x = place.x + wanted + 12 * s;
    if (hints > 0) key_hint(c, x, place.y, place.height, Action::FlipSide, nullptr);
    if (hints > 0 && state.settings_history.can_undo() && !state.comparison.other.of_experiment())
      key_hint(c, x, place.y, place.height, Action::UndoTurn, tr("undo"));
  } else if (!state.model.steering()) {
    const float middle = std::max(0.0f, run_x - title_x - 24 * s);
    draw_stepper(c, title_x + middle * 0.4f, std::min(middle * 0.6f, 420 * s), row + y);
  }
}

}  // namespace lanescope::ui
