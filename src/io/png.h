// PNG images with facts in their text chunks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lanescope::io {

/// 8-bit RGBA, rows from the top, no padding: pixels.size() == width * height * 4.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Writes to a temporary file beside `path`, then renames it. `text` becomes tEXt or iTXt chunks (UTF-8). Throws
/// base::FileError with the path and the reason.
void write_png(const std::filesystem::path& path, const Image& image, const std::map<std::string, std::string>& text);
/// The same as bytes in memory, for the clipboard. Throws base::FileError.
std::vector<std::uint8_t> png_bytes(const Image& image, const std::map<std::string, std::string>& text);

}  // namespace lanescope::io
