// The fonts of the window, found on the system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

struct ImFont;
struct ImFontAtlas;

namespace lanescope::ui {

/// What a text is for. One scale of sizes, four steps to the double: each is 2^(1/4), or 1.19 times, the one before,
/// and rounded to whole pixels.
///   step 0  12  Small, SmallBold, MonoSmall  hints, headings in capitals, labels on spans, keys
///   step 1  14  Body, BodyBold, Mono         sentences, controls, figures
///   step 2  17  Title                        an experiment's or a panel's name
///   step 4  24  Verdict                      the one word that everything is about
enum class FontRole : std::uint8_t { Body, BodyBold, Small, SmallBold, Title, Mono, MonoSmall, Verdict, Count };
inline constexpr std::size_t kFontRoleCount = static_cast<std::size_t>(FontRole::Count);

/// The letter size (em) of a role in logical pixels at scale 1.
constexpr float em_size(FontRole role) {
  constexpr std::array<float, kFontRoleCount> kSizes{14, 14, 12, 12, 17, 14, 12, 24};
  return kSizes[static_cast<std::size_t>(role)];
}

struct Fonts {
  ImFont* body = nullptr;
  ImFont* body_bold = nullptr;
  ImFont* small = nullptr;
  ImFont* small_bold = nullptr;
  ImFont* title = nullptr;
  ImFont* mono = nullptr;
  ImFont* mono_small = nullptr;
  ImFont* verdict = nullptr;
  /// What ImDrawList::AddText wants as the size, per role, in the pixels of the ImGui context (line height).
  std::array<float, kFontRoleCount> line_height{};

  ImFont* operator[](FontRole role) const;
  float size(FontRole role) const { return line_height[static_cast<std::size_t>(role)]; }
};

/// Texts with Chinese letters in them, by where they are drawn: only these letters are made, since all of them would
/// take seconds. Body and Small are drawn in bold, too; mono, which has no letters that those two lack, in both of the figures' sizes.
struct ChineseTexts {
  std::string body, small, title, mono{}, verdict{};
};

/// Adds the fonts to the atlas. They are rasterised `pixel_scale` times as large as at scale 1.
///
/// `density` is the part of pixel_scale that comes from the framebuffer (io.DisplayFramebufferScale, or a picture at
/// 2x): set io.FontGlobalScale = 1 / density and text has its logical size again, crisp. The rest of pixel_scale is the
/// font size that a person chose.
Fonts load_fonts(ImFontAtlas& atlas, float pixel_scale, float density = 1.0f, const ChineseTexts& chinese = {});

/// Tells the current ImGui context that its fonts are `density` times as large as they should look.
void set_text_density(float density);

/// The files that load_fonts() uses, for the log and the tests; a path is empty where the built-in font stands in.
struct FontFiles {
  std::filesystem::path regular, semi_bold, bold, mono, symbols, chinese;
};
/// Looks through `folders` (and what is below them) once.
FontFiles find_font_files(const std::vector<std::filesystem::path>& folders);
/// There is a font on this system with Chinese letters.
bool has_chinese_font();
/// The package that brings one.
inline constexpr const char* kChineseFontPackage = "fonts-wqy-microhei";
/// $XDG_DATA_HOME/fonts, ~/.local/share/fonts, ~/.fonts, $XDG_DATA_DIRS/fonts, /usr/local/share/fonts,
/// /usr/share/fonts.
std::vector<std::filesystem::path> font_folders();

}  // namespace lanescope::ui
