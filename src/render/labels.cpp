#include "render/labels.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace lanescope::ui {
namespace {

void draw_label(ImDrawList& list, const Fonts& fonts, const Label& label) {
  const float line = fonts.size(label.font);
  const ImVec2 clip_min = list.GetClipRectMin(), clip_max = list.GetClipRectMax();
  const float height = std::max(label.height, line);
  if (label.y > clip_max.y || label.y + height < clip_min.y || label.x > clip_max.x ||
      label.x + label.max_width < clip_min.x) {
    return;
  }
  const auto placed = place_label(fonts, label);
  if (!placed) return;
  const float x = std::round(placed->x), y = std::round(placed->y);
  if ((label.ground >> 24) != 0) {
    const float pad = line * 0.4f;
    list.AddRectFilled(ImVec2(x - pad, y - 1), ImVec2(x + placed->length + pad, y + line + 1), label.ground, 4);
  }
  ImFont* font = fonts[label.font];
  const int first = list.VtxBuffer.Size;
  // Upright text is clipped where it will be, not where it is before it is turned.
  constexpr float kFar = 1e6f;
  const auto write = [&](float at, std::string_view text) {
    if (placed->upright) {
      font->RenderText(&list, line, ImVec2(at, y), label.colour, {-kFar, -kFar, kFar, kFar}, text.data(),
                       text.data() + text.size());
    } else {
      list.AddText(font, line, ImVec2(at, y), label.colour, text.data(), text.data() + text.size());
    }
  };
  write(x, placed->shown);
  if (placed->cut) write(x + fonts.width(label.font, placed->shown), kEllipsis);
  if (!placed->upright) return;
  const float bottom = std::round(placed->y + placed->length);
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& at = list.VtxBuffer[i].pos;
    at = ImVec2(x + (at.y - y), bottom - (at.x - x));
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
