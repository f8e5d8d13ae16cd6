// The trigger settings, like an oscilloscope's knobs. Everything takes effect at once, with the picture in view.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kTriggerWidth = 340;
constexpr float kTriggerPadding = 16;
constexpr float kListHeight = 176;
constexpr std::chrono::milliseconds kNamesPeriod{700};

// Name on the left, value on the right, and below them a slider with `stops` stops; returns the stop it was moved to.
std::optional<std::size_t> stepped_slider(const Canvas& c, const char* id, const char* label, const std::string& value,
                                          std::size_t chosen, std::size_t stops, const char* help) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  figure_line(c, label, value, Colour::Accent);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = 22 * s;
  const float radius = 7 * s;
  press_area(c, id, {width, height});
  note_control(c, std::string("scope.") + id, true);
  const bool active = ImGui::IsItemActive() && !c.state.focus.pressing;  // Enter has no place on it
  const bool hovered = ImGui::IsItemHovered();
  const float x0 = at.x + radius;
  const float length = std::max(1.0f, width - 2 * radius);
  const auto last = static_cast<float>(stops - 1);
  std::optional<std::size_t> turned;
  if (active) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - x0) / length, 0.0f, 1.0f);
    turned = static_cast<std::size_t>(std::lround(share * last));
  } else if (hovered && ImGui::GetIO().MouseWheel != 0) {
    const auto to = static_cast<float>(chosen) + (ImGui::GetIO().MouseWheel > 0 ? 1.0f : -1.0f);
    turned = static_cast<std::size_t>(std::clamp(to, 0.0f, last));
  } else if (const int direction = c.state.focus.take_turn(std::string("scope.") + id)) {
    turned =
        static_cast<std::size_t>(std::clamp(static_cast<float>(chosen) + static_cast<float>(direction), 0.0f, last));
  }
  const float y = at.y + height / 2;
  const float x = x0 + length * static_cast<float>(turned.value_or(chosen)) / last;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = 2 * s;
  list.AddRectFilled({at.x, y - line}, {at.x + width, y + line}, c.theme[Colour::Faint], line);
  list.AddRectFilled({at.x, y - line}, {x, y + line}, c.theme[Colour::Accent], line);
  if (hovered || active) list.AddCircleFilled({x, y}, radius + 4 * s, with_alpha(c.theme[Colour::Accent], 0.25f), 32);
  list.AddCircleFilled({x, y}, radius, c.theme[Colour::Text], 32);
  if (hovered && !active) ImGui::SetTooltip("%s", help);
  vertical_space(c, 8);
  return turned == chosen ? std::nullopt : turned;
}

std::size_t nearest(const std::vector<Nanoseconds>& steps, Nanoseconds value) {
  const auto found = std::lower_bound(steps.begin(), steps.end(), value);
  return static_cast<std::size_t>(std::min<std::ptrdiff_t>(found - steps.begin(), std::ssize(steps) - 1));
}

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

const char* kind_heading(trace::LaneKind kind) {
  return kind == trace::LaneKind::Calls    ? tr("API CALLS")
         : kind == trace::LaneKind::Phases ? tr("RANGES")
                                           : tr("KERNELS");
}

bool draw_name(const Canvas& c, const TriggerName& name, bool chosen) {
  const float s = c.scale;
  const ImVec2 size{ImGui::GetContentRegionAvail().x, 22 * s};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(name.kind));
  const bool clicked = press_area(c, name.name.c_str(), size);
  ImGui::PopID();
  if (ImGui::IsItemVisible()) note_control(c, "scope.name." + name.name);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (chosen || hovered) {
    list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, c.theme[chosen ? Colour::Accent : Colour::PanelHovered],
                       4 * s);
  }
  const Label label{at.x + 8 * s,
                    at.y,
                    size.x - 16 * s,
                    c.theme[chosen ? Colour::AccentInk : Colour::Text],
                    chosen ? FontRole::SmallBold : FontRole::Small,
                    name.name,
                    size.y};
  draw_labels(list, c.fonts, {&label, 1});
  if (hovered && text_width(c.fonts, FontRole::Small, name.name) > label.max_width) {
    ImGui::SetTooltip("%s", name.name.c_str());
  }
  return clicked;
}

void read_names(ShellState& state) {
  ScopeState& scope = state.scope;
  const auto now = base::now();
  if (!scope.names.empty() && now - scope.names_read < kNamesPeriod) return;
  scope.names_read = now;
  // Rare names stay in the list once they have been seen.
  std::vector<TriggerName> names = trigger_names(state.model.trace());
  for (const TriggerName& known : scope.names) {
    if (std::find(names.begin(), names.end(), known) == names.end()) names.push_back(known);
  }
  const auto place = [](const TriggerName& n) {
    return n.kind == trace::LaneKind::Calls ? 0 : n.kind == trace::LaneKind::Phases ? 1 : 2;
  };
  std::sort(names.begin(), names.end(), [&](const TriggerName& a, const TriggerName& b) {
    return std::pair(place(a), std::string_view(a.name)) < std::pair(place(b), std::string_view(b.name));
  });
  scope.names = std::move(names);
}

void draw_trigger_names(const Canvas& c, TriggerSettings& settings) {
  ShellState& state = c.state;
  const float s = c.scale;
  read_names(state);
  {
    const TextStyle style(c, FontRole::Body, Colour::Text);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {8 * s, 5 * s});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, 5 * s);
    ImGui::SetNextItemWidth(-FLT_MIN);
    ImGui::InputTextWithHint("##scope_filter", tr("filter, or a name"), &state.scope.filter);
    ImGui::PopStyleVar(2);
  }
  note_control(c, "scope.filter");
  const bool entered = ImGui::IsItemDeactivated() && key_pressed(ImGuiKey_Enter);
  vertical_space(c, 6);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, c.theme[Colour::Row]);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 5 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {6 * s, 4 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {4 * s, 1 * s});
  ImGui::BeginChild("##scope_names", {0, kListHeight * s}, true);
  std::optional<trace::LaneKind> kind;
  const TriggerName* first = nullptr;
  for (const TriggerName& name : state.scope.names) {
    if (!contains(name.name, state.scope.filter)) continue;
    if (!first) first = &name;
    if (kind != name.kind) heading(c, kind_heading(name.kind));
    kind = name.kind;
    if (draw_name(c, name, name.name == settings.name)) settings.name = name.name;
  }
  if (!first) {
    vertical_space(c, 8);
    wrapped_text(c, FontRole::Small, Colour::Muted,
                 state.scope.filter.empty() ? tr("nothing has run yet")
                                            : tr("nothing of this name has run yet; Enter: wait for it"));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
  if (entered && !state.scope.filter.empty()) settings.name = first ? first->name : state.scope.filter;
  vertical_space(c, 10);
}

void draw_source(const Canvas& c, TriggerSettings& settings) {
  const std::vector<std::string> sources{tr("Iteration"), tr("Name"), tr("Long wait")};
  const int clicked =
      segmented(c, "scope.source", sources, static_cast<int>(settings.source), ImGui::GetContentRegionAvail().x);
  if (clicked >= 0) settings.source = static_cast<TriggerSource>(clicked);
  vertical_space(c, 10);
  if (settings.source == TriggerSource::Name) {
    draw_trigger_names(c, settings);
  } else if (settings.source == TriggerSource::LongWait) {
    static const std::vector<Nanoseconds> steps = time_steps(1'000, 10 * base::kSecond);
    const auto turned =
        stepped_slider(c, "threshold", tr("wait longer than"), base::format_duration(settings.wait_over_ns),
                       nearest(steps, settings.wait_over_ns), steps.size(),
                       tr("a call waiting for the GPU, or the program waiting for its data"));
    if (turned) settings.wait_over_ns = steps[*turned];
  } else {
    text(c, FontRole::Small, Colour::Muted, tr("a typical iteration, from its start"));
    vertical_space(c, 8);
  }
}

void draw_timing(const Canvas& c, TriggerSettings& settings) {
  static const std::vector<Nanoseconds> steps = [] {
    std::vector<Nanoseconds> all = time_steps(10'000, 10 * base::kSecond);
    all.insert(all.begin(), 0);
    return all;
  }();
  const std::string held = settings.hold_off_ns > 0 ? base::format_duration(settings.hold_off_ns) : tr("off");
  const auto hold = stepped_slider(c, "hold_off", tr("hold-off"), held, nearest(steps, settings.hold_off_ns),
                                   steps.size(), tr("minimum time between two triggers"));
  if (hold) settings.hold_off_ns = steps[*hold];
  vertical_space(c, 6);
}

void draw_average(const Canvas& c) {
  AverageSettings& average = c.state.scope.average;
  heading(c, tr("AVERAGE"));
  const std::string key = key_text(info(Action::Average).keys.front());
  if (toggle(c, "scope.average", tr("overlay pictures"), average.on, key)) {
    c.state.requests.actions.push_back(Action::Average);
  }
  static const std::vector<int> counts{2, 4, 8, 16, 32, 64, 128, 256};
  const auto at = static_cast<std::size_t>(std::min<std::ptrdiff_t>(
      std::lower_bound(counts.begin(), counts.end(), average.count) - counts.begin(), std::ssize(counts) - 1));
  const auto turned = stepped_slider(c, "count", tr("pictures"), std::to_string(average.count), at, counts.size(),
                                     tr("mean and spread of this many pictures"));
  if (turned) average.count = counts[*turned];
}

}  // namespace

void draw_trigger_panel(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.scope.panel_open) return;
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto chip = state.places.find("trigger_chip");
  const float width = kTriggerWidth * s;
  const bool has_chip = chip != state.places.end();
  const float wanted = has_chip ? chip->second.x : display.x * 0.5f;
  const float below = has_chip ? chip->second.y + chip->second.height + 12 * s : 52 * s;
  const ImVec2 at{std::clamp(wanted, 8 * s, std::max(8 * s, display.x - width - 8 * s)), below};
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y - at.y - 10 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {kTriggerPadding * s, 12 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 10 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.theme[Colour::Panel]);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Line]);
  ImGui::Begin("##trigger_panel", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  state.places["trigger_panel"] = {low.x, low.y, size.x, size.y};
  const float inner = ImGui::GetContentRegionAvail().x;  // less than the width if the panel scrolls
  const float right = ImGui::GetCursorPosX() + inner;
  ImGui::AlignTextToFramePadding();
  text(c, FontRole::BodyBold, Colour::Text, tr("Trigger settings"));
  ImGui::SameLine(right - 62 * s);
  if (button(c, "scope.close", tr("Close"), false, 62 * s, "Esc")) state.scope.panel_open = false;
  vertical_space(c, 8);

  TriggerSettings settings = state.view.trigger_settings();
  if (state.model.live()) {
    const std::vector<std::string> modes{tr("Roll"), tr("Trigger"), tr("Single")};
    const int mode = segmented(c, "mode", modes, static_cast<int>(state.view.mode()), inner);
    constexpr std::array kModes{Action::Roll, Action::Trigger, Action::Single};
    if (mode >= 0) state.requests.actions.push_back(kModes[static_cast<std::size_t>(mode)]);
    vertical_space(c, 8);
  }
  draw_source(c, settings);
  draw_timing(c, settings);
  if (settings != state.view.trigger_settings()) state.view.set_trigger(settings);
  draw_average(c);
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

}  // namespace lanescope::ui
