#include "render/labels.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <string_view>

namespace lanescope::ui {
namespace {

void draw_label(ImDrawList& list, const Fonts& fonts, const Label& label) {
  const float line = fonts.size(label.font);
  const ImVec2 clip_min = list.GetClipRectMin(), clip_max = list.GetClipRectMax();
  float y = label.height > 0 ? label.y + (label.height - line) / 2 : label.y;
  if (y > clip_max.y || y + line < clip_min.y || label.x > clip_max.x || label.x + label.max_width < clip_min.x) return;

  const FittedText fitted = fit(fonts, label.font, label.text, label.max_width);
  if (fitted.shown.empty()) return;
  const float spare = label.max_width - fitted.width;
  float x = label.x;
  if (label.align == LabelAlign::Centre) x += spare / 2;
  if (label.align == LabelAlign::Right) x += spare;
  x = std::round(x);
  y = std::round(y);

  if ((label.ground >> 24) != 0) {
    const float pad = line * 0.4f;
    list.AddRectFilled(ImVec2(x - pad, y - 1), ImVec2(x + fitted.width + pad, y + line + 1), label.ground, 4);
  }
  ImFont* font = fonts[label.font];
  const std::string_view shown = fitted.shown;
  list.AddText(font, line, ImVec2(x, y), label.colour, shown.data(), shown.data() + shown.size());
  if (fitted.cut) {
    const float at = x + fonts.width(label.font, shown);
    list.AddText(font, line, ImVec2(at, y), label.colour, kEllipsis.data(), kEllipsis.data() + kEllipsis.size());
  }
}

}  // namespace

void draw_labels(ImDrawList& list, const Fonts& fonts, std::span<const Label> labels) {
  for (const Label& label : labels) draw_label(list, fonts, label);
}

// --- imgui names -----------------------------------------------------------------------------------------------------

ImGuiID imgui_id(std::string_view name) {
  const ImGuiID id = ImHashData(name.data(), name.size(), ImGui::GetCurrentWindow()->IDStack.back());
  ImGui::KeepAliveID(id);
  return id;
}

std::string imgui_label(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (c == '#' && label.ends_with('#')) label += ' ';
    label += c;
  }
  return label;
}

// --- ribbons ---------------------------------------------------------------------------------------------------------

void draw_ribbons(ImDrawList& list, std::span<const JobRibbon> ribbons, float stroke) {
  for (const JobRibbon& r : ribbons) {
    list.AddQuadFilled({r.top_left, r.top}, {r.top_right, r.top}, {r.bottom_right, r.bottom}, {r.bottom_left, r.bottom},
                       r.fill);
    list.AddLine({r.top_left, r.top}, {r.bottom_left, r.bottom}, r.edge, stroke);
  }
}

}  // namespace lanescope::ui
