// The trigger's instant on the ruler: a flag with a line through the lanes. Dragging it along the ruler sets the
// pre-trigger.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "timeline/mark_shapes.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kFlagWidth = 24;

std::optional<float> flag_px(const ShellState& state) {
  const auto instant = state.view.trigger_instant();
  if (!instant) return std::nullopt;
  const TimeAxis& axis = state.view.axis();
  const float x = axis.to_px(*instant);
  return x < axis.left_px() - 1 || x > axis.right_px() ? std::nullopt : std::optional(x);
}

}  // namespace

void handle_trigger_flag(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  const auto x = flag_px(state);
  if (!x) return;
  const float width = kFlagWidth * c.scale;
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({*x - width / 2, area.y});
  ImGui::InvisibleButton("##trigger_flag", {width, Timeline::kRulerHeight * c.scale});
  note_place(c, "trigger_flag");
  const TimeAxis& axis = state.view.axis();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 2)) {
    const float share = (ImGui::GetIO().MousePos.x - axis.left_px() - 1) / axis.width_px();
    TriggerSettings settings = state.view.trigger_settings();
    settings.pre_trigger = std::clamp(std::round(share * 100) / 100.0, 0.0, kMostPreTrigger);
    if (settings != state.view.trigger_settings()) state.view.set_trigger(settings);
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const TriggerSettings& settings = state.view.trigger_settings();
    ImGui::BeginTooltip();
    text(c, FontRole::BodyBold, Colour::Text, trigger_text(settings));
    text(c, FontRole::Small, Colour::Muted,
         tr("pre-trigger {:.0f} % of the width · drag to set it", settings.pre_trigger * 100));
    ImGui::EndTooltip();
  }
  ImGui::SetCursorScreenPos(before);
}

void add_trigger_flag(const MarkSurface& surface, const ShellState& state) {
  if (const auto instant = state.view.trigger_instant()) add_trigger_mark(surface, *instant);
}

}  // namespace lanescope::ui
