#include "ui/labels.h"

#include <imgui.h>

#include <cfloat>
#include <cmath>

namespace lanescope::ui {
namespace {

constexpr std::string_view kEllipsis = "\u2026";
constexpr int kFewestLetters = 4;

float width_of(const Fonts& fonts, FontRole role, const char* begin, const char* end) {
  return fonts[role]->CalcTextSizeA(fonts.size(role), FLT_MAX, 0, begin, end).x;
}

/// How many bytes of `text` to show; all of them when it fits. Sets `width` to the width with the ellipsis.
std::size_t bytes_that_fit(const Fonts& fonts, FontRole role, std::string_view text, float max_width, float& width) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  width = width_of(fonts, role, begin, end);
  if (width <= max_width) return text.size();
  const float ellipsis = width_of(fonts, role, kEllipsis.data(), kEllipsis.data() + kEllipsis.size());
  if (ellipsis >= max_width) return 0;
  const char* cut = begin;
  const float kept = fonts[role]->CalcTextSizeA(fonts.size(role), max_width - ellipsis, 0, begin, end, &cut).x;
  int letters = 0;
  for (const char* c = begin; c < cut; ++c) letters += (static_cast<unsigned char>(*c) & 0xc0) != 0x80 ? 1 : 0;
  if (letters < kFewestLetters) return 0;
  width = kept + ellipsis;
  return static_cast<std::size_t>(cut - begin);
}

void draw_label(ImDrawList& list, const Fonts& fonts, const Label& label) {
  const float line = fonts.size(label.font);
  const ImVec2 clip_min = list.GetClipRectMin(), clip_max = list.GetClipRectMax();
  float y = label.height > 0 ? label.y + (label.height - line) / 2 : label.y;
  if (y > clip_max.y || y + line < clip_min.y || label.x > clip_max.x || label.x + label.max_width < clip_min.x) return;

  float width = 0;
  const std::size_t shown = bytes_that_fit(fonts, label.font, label.text, label.max_width, width);
  if (shown == 0) return;
  const float spare = label.max_width - width;
  float x = label.x;
  if (label.align == LabelAlign::Centre) x += spare / 2;
  if (label.align == LabelAlign::Right) x += spare;
  x = std::round(x);
  y = std::round(y);

  if ((label.ground >> 24) != 0) {
    const float pad = line * 0.4f;
    list.AddRectFilled(ImVec2(x - pad, y - 1), ImVec2(x + width + pad, y + line + 1), label.ground, 4);
  }
  const char* begin = label.text.data();
  ImFont* font = fonts[label.font];
  list.AddText(font, line, ImVec2(x, y), label.colour, begin, begin + shown);
  if (shown < label.text.size()) {
    const float at = x + width_of(fonts, label.font, begin, begin + shown);
    list.AddText(font, line, ImVec2(at, y), label.colour, kEllipsis.data(), kEllipsis.data() + kEllipsis.size());
  }
}

}  // namespace

void draw_labels(ImDrawList& list, const Fonts& fonts, std::span<const Label> labels) {
  for (const Label& label : labels) draw_label(list, fonts, label);
}

std::string fit_text(const Fonts& fonts, FontRole role, std::string_view text, float max_width) {
  float width = 0;
  const std::size_t shown = bytes_that_fit(fonts, role, text, max_width, width);
  std::string result(text.substr(0, shown));
  if (shown != 0 && shown < text.size()) result += kEllipsis;
  return result;
}

float text_width(const Fonts& fonts, FontRole role, std::string_view text) {
  return width_of(fonts, role, text.data(), text.data() + text.size());
}

}  // namespace lanescope::ui
