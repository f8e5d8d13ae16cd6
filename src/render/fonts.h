// The fonts in Dear ImGui.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

#include "timeline/text.h"

struct ImFont;
struct ImFontAtlas;

namespace lanescope::ui {

/// The wide characters that were to be drawn and are not in the fonts: of names in a trace, of files, of students. Dear
/// ImGui before 1.92 has only those glyphs that it is told of beforehand, so the fonts must then be loaded again.
class MissingLetters {
 public:
  void note(const ImFont& font, std::string_view text);
  const std::string& text() const { return text_; }  ///< all so far, each once

 private:
  std::bitset<0x10000> noted_;
  std::string text_;
};

struct Fonts : TextMeasure {
  ImFont* body = nullptr;
  ImFont* body_bold = nullptr;
  ImFont* small = nullptr;
  ImFont* small_bold = nullptr;
  ImFont* title = nullptr;
  ImFont* mono = nullptr;
  ImFont* mono_small = nullptr;
  ImFont* verdict = nullptr;
  ImFont* factor = nullptr;
  ImFont* lead = nullptr;
  /// The size argument of ImDrawList::AddText by role, in the pixels of the ImGui context (line height).
  std::array<float, kFontRoleCount> line_height{};
  MissingLetters* missing = nullptr;  ///< is told of every text that is measured; may be null

  ImFont* operator[](FontRole role) const;
  float size(FontRole role) const override { return line_height[static_cast<std::size_t>(role)]; }
  float ascent(FontRole role) const override;
  float width(FontRole role, std::string_view text) const override;
  std::string_view within(FontRole role, std::string_view text, float max_width) const override;
  /// For text that is drawn without being measured.
  void note(FontRole role, std::string_view text) const;
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
