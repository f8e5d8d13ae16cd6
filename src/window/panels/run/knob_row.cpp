// The knobs in one row, always in sight: the experiment's own, the switches, and the trigger's chip at the right.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using workload::SettingAction;
using workload::SettingSpec;

constexpr float kChipWidth = 196, kKnobGap = 18, kMoreWidth = 300;

// The experiment's own knob first, then the interval and the three switches; the others are one click away.
std::vector<const SettingSpec*> in_order(const ShellState& state, const workload::Settings& settings) {
  std::vector<const SettingSpec*> specs;
  const auto add = [&](const SettingSpec* spec) {
    if (spec && std::ranges::find(specs, spec) == specs.end()) specs.push_back(spec);
  };
  if (state.experiment.active) add(settings.spec(state.experiment.active->experiment().turned_knob));
  for (const SettingAction action :
       {SettingAction::ReadInterval, SettingAction::Pinned, SettingAction::NonBlocking, SettingAction::Feed})
    add(settings.spec(action));
  if (specs.empty() && !settings.specs().empty()) add(&settings.specs().front());
  return specs;
}

bool is_first_choice(const SettingSpec& spec) { return spec.action != SettingAction::None; }

void turn(const Canvas& c, const SettingSpec& spec, const workload::Value& value) {
  if (const std::string refused = c.state.model.set(spec.key, value); !refused.empty())
    c.state.show_toast(refused, true);
}

void draw_more(const Canvas& c, const workload::Settings& settings, const std::vector<const SettingSpec*>& shown,
               Rect place) {
  const std::size_t others = settings.specs().size() - shown.size();
  if (others == 0) return;
  const float s = c.scale;
  const std::string says = tr("{} more", others);
  ImGui::SetCursorScreenPos({place.x, place.y + (place.height - 26 * s) / 2});
  const float width = text_width(c.fonts, FontRole::Body, says) + 28 * s;
  if (press_area(c, "##knobs.more", {width, 26 * s})) ImGui::OpenPopup("more_knobs");
  note_control(c, "knobs.more");
  const bool hovered = ImGui::IsItemHovered();
  draw_label(c, {place.x, place.y, width, place.height}, c.theme.as_text(hovered ? Colour::Accent : Colour::Muted),
             FontRole::Body, says);
  const ImVec2 m{place.x + width - 14 * s, place.y + place.height / 2 + s};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({m.x - 4 * s, m.y - 2 * s}, {m.x, m.y + 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  list.AddLine({m.x, m.y + 2 * s}, {m.x + 4 * s, m.y - 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  const float most = ImGui::GetIO().DisplaySize.y - place.y - place.height - 20 * s;
  ImGui::SetNextWindowPos({place.x, place.y + place.height});
  ImGui::SetNextWindowSizeConstraints({kMoreWidth * s, 0}, {kMoreWidth * s, std::max(100 * s, most)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {16 * s, 14 * s});
  if (ImGui::BeginPopup("more_knobs")) {
    for (const SettingSpec& spec : settings.specs()) {
      if (std::ranges::find(shown, &spec) == shown.end()) draw_knob(c, settings, spec);
    }
    if (key_pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_trigger_chip(const Canvas& c, float right, float y, float height) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ScopeStatus status = scope_status(state);
  const float width = kChipWidth * s;
  const Rect box{right - width, y + (height - 26 * s) / 2, width, 26 * s};
  ImGui::SetCursorScreenPos({box.x, box.y});
  if (press_area(c, "##trigger_chip", {box.width, box.height})) state.requests.actions.push_back(Action::TriggerPanel);
  note_control(c, "trigger_chip");
  const bool hovered = ImGui::IsItemHovered();
  const bool open = state.scope.panel_open;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low{box.x, box.y}, end{box.x + box.width, box.y + box.height};
  list.AddRectFilled(low, end, c.theme[hovered || open ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  outline(c, box, 5, hovered);
  if (open) list.AddRect(low, end, c.theme[Colour::Accent], 5 * s, 0, 1.5f * s);
  // A long name needs the room of the label.
  const float all = width - 34 * s;
  float label = text_width(c.fonts, FontRole::Body, status.label) + 10 * s;
  FontRole role = FontRole::BodyBold;
  if (label + text_width(c.fonts, role, status.value) > all) label = 0;
  if (text_width(c.fonts, role, status.value) > all) role = FontRole::SmallBold;
  const float room = all - label;
  if (label > 0)
    draw_label(c, {box.x + 12 * s, box.y, label, box.height}, c.theme[Colour::Muted], FontRole::Body, status.label);
  draw_label(c, {box.x + 12 * s + label, box.y, room, box.height},
             c.theme.as_text(status.waits ? Colour::Accent : Colour::Text), role,
             fit_text(c.fonts, role, status.value, room));
  const ImVec2 m{end.x - 14 * s, box.y + box.height / 2 + s};
  list.AddLine({m.x - 4 * s, m.y - 2 * s}, {m.x, m.y + 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  list.AddLine({m.x, m.y + 2 * s}, {m.x + 4 * s, m.y - 2 * s}, c.theme[Colour::Muted], 1.5f * s);
  if (hovered && !open) {
    const ActionInfo& panel = info(Action::TriggerPanel);
    ImGui::SetTooltip("%s %s\n%s (%s)", status.label.c_str(), status.value.c_str(), tr(panel.text),
                      key_text(panel.keys.front()).c_str());
  }
}

float knob_row_height(const Canvas& c) { return c.state.model.live() ? 36 * c.scale : 0; }

void draw_knob_row(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const bool chip = size.x >= 560 * s;
  const float right = at.x + size.x - 16 * s;
  if (chip) draw_trigger_chip(c, right, at.y, size.y);
  if (state.program_trials.watching())
    draw_program_knobs(c, at.x + 16 * s, right - (chip ? kChipWidth + kKnobGap : 0) * s, at.y, size.y);
  if (!state.model.steering()) return;
  const workload::Settings settings = state.model.steering()->settings();
  const bool keys = size.x >= 1100 * s;
  const float more_width = 96 * s;
  const float limit = right - (chip ? kChipWidth + kKnobGap : 0) * s - more_width;
  float x = at.x + 16 * s;
  std::vector<const SettingSpec*> shown;
  std::string_view said;
  for (const SettingSpec* spec : in_order(state, settings)) {
    const float width = row_knob_width(c, *spec, settings.value(spec->key), keys);
    if (x + width > limit) continue;
    const workload::NoEffect* none = settings.no_effect(*spec);
    const char* reason = none ? tr(none->reason) : nullptr;
    ImGui::PushID(spec->key.c_str());
    if (const auto turned = row_knob(c, *spec, settings.value(spec->key), reason, {x, at.y, width, size.y}, keys))
      turn(c, *spec, *turned);
    ImGui::PopID();
    shown.push_back(spec);
    x += width + kKnobGap * s;
    if (!reason || said == reason) continue;
    // The switch that gives it its effect stands right behind it.
    const SettingSpec* needs = none->when.size() == 1 ? settings.spec(none->when.front().key) : nullptr;
    const std::string says = needs && needs->action == SettingAction::Feed ? std::string(tr("– no effect without"))
                                                                           : fmt::format("– {}", reason);
    const float says_width = text_width(c.fonts, FontRole::Small, says);
    // The others come first: where there is no room, the reason is in the tooltip.
    float others = 0;
    for (const SettingSpec* other : in_order(state, settings)) {
      const bool later = std::ranges::find(shown, other) == shown.end();
      if (later && is_first_choice(*other))
        others += row_knob_width(c, *other, settings.value(other->key), keys) + kKnobGap * s;
    }
    const auto next_reason = [&] {
      for (const SettingSpec* other : in_order(state, settings)) {
        const workload::NoEffect* why = settings.no_effect(*other);
        if (why && std::string_view(tr(why->reason)) == reason && std::ranges::find(shown, other) == shown.end())
          return true;
      }
      return false;
    };
    if (next_reason() || x + says_width + others > limit) continue;  // it stands once, behind the last
    draw_label(c, {x - 6 * s, at.y, says_width + 4, size.y}, c.theme[Colour::Muted], FontRole::Small, says);
    said = reason;
    x += says_width + kKnobGap * s;
  }
  draw_more(c, settings, shown, {x, at.y, more_width, size.y});
}

}  // namespace lanescope::ui
