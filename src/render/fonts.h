// The fonts in Dear ImGui.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "timeline/text.h"

struct ImFont;
struct ImFontAtlas;

namespace lanescope::ui {

struct Fonts : TextMeasure {
  ImFont* body = nullptr;
  ImFont* body_bold = nullptr;
  ImFont* small = nullptr;
  ImFont* small_bold = nullptr;
  ImFont* title = nullptr;
  ImFont* mono = nullptr;
  ImFont* mono_small = nullptr;
  ImFont* verdict = nullptr;
  ImFont* lead = nullptr;
  /// The size argument of ImDrawList::AddText by role, in the pixels of the ImGui context (line height).
  std::array<float, kFontRoleCount> line_height{};

  ImFont* operator[](FontRole role) const;
  float size(FontRole role) const override { return line_height[static_cast<std::size_t>(role)]; }
  float ascent(FontRole role) const override;
  float width(FontRole role, std::string_view text) const override;
  std::string_view within(FontRole role, std::string_view text, float max_width) const override;
};

/// Adds the fonts to the atlas, rasterised at `pixel_scale` times their size at scale 1.
///
/// `density` is the part of pixel_scale due to the framebuffer (io.DisplayFramebufferScale, or a picture at 2x). With
/// io.FontGlobalScale = 1 / density, text has its logical size and is crisp. The rest of pixel_scale is the font size
/// chosen by the user.
Fonts load_fonts(ImFontAtlas& atlas, float pixel_scale, float density = 1.0f, const ChineseTexts& chinese = {});

/// Sets the current ImGui context's scale for fonts that are rasterised `density` times too large.
void set_text_density(float density);

}  // namespace lanescope::ui
