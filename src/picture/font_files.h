// Finds the system's fonts for the window and for pictures.
#pragma once

#include <filesystem>
#include <vector>

namespace lanescope::ui {

/// A path is empty if there is no such font; the built-in one is used instead.
struct FontFiles {
  std::filesystem::path regular, semi_bold, bold, mono, symbols, chinese;
};
/// Searches `folders` recursively, once.
FontFiles find_font_files(const std::vector<std::filesystem::path>& folders);
/// True if this system has a font with Chinese characters.
bool has_chinese_font();
/// A package with such a font.
inline constexpr const char* kChineseFontPackage = "fonts-wqy-microhei";
/// $XDG_DATA_HOME/fonts, ~/.local/share/fonts, ~/.fonts, $XDG_DATA_DIRS/fonts, /usr/local/share/fonts,
/// /usr/share/fonts, and those that came with the program: ../share/lanescope/fonts.
std::vector<std::filesystem::path> font_folders();
/// The fonts of this system, searched for once.
const FontFiles& system_font_files();

}  // namespace lanescope::ui
