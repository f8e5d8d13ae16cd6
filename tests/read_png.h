// Reads the pictures that the program writes.
#pragma once

#include <png.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/plain_text.h"
#include "io/png.h"

namespace lanescope::test {

class PngReader {
 public:
  explicit PngReader(const std::filesystem::path& path) : path_(path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail("cannot read: Is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file) fail("cannot read: " + std::generic_category().message(errno));
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  io::Image pixels() const {
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&description, bytes_.data(), bytes_.size())) broken(description.message);
    const std::uint64_t size = std::uint64_t{description.width} * description.height * 4;
    if (size / 1032 > bytes_.size()) {  // no compressed byte stands for more
      png_image_free(&description);
      broken("the file is too short for the picture it announces");
    }
    description.format = PNG_FORMAT_RGBA;
    io::Image image{static_cast<int>(description.width), static_cast<int>(description.height), {}};
    image.pixels.resize(size);
    if (!png_image_finish_read(&description, nullptr, image.pixels.data(), 0, nullptr)) broken(description.message);
    return image;
  }

  /// Checks the length and the CRC of every chunk, too.
  std::map<std::string, std::string> text() const {
    std::map<std::string, std::string> found;
    std::string_view rest = std::string_view(bytes_).substr(8);
    while (!rest.empty()) {
      const std::size_t length = rest.size() < 12 ? rest.size() : number(rest);
      if (rest.size() < 12 || length > rest.size() - 12) broken("a chunk is cut off");
      const std::string_view checked = rest.substr(4, 4 + length);
      if (crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()) != number(rest.substr(8 + length)))
        broken("a chunk's CRC is wrong");
      take(checked.substr(0, 4), checked.substr(4), found);
      rest.remove_prefix(12 + length);
    }
    return found;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw base::FileError(path_.string() + ": " + why); }
  [[noreturn]] void broken(const std::string& why) const { fail("not a readable PNG: " + why); }

  static std::uint32_t number(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  static std::string from_latin1(std::string_view latin1) {
    std::string out;
    for (const char c : latin1) base::append_utf8(out, static_cast<unsigned char>(c));
    return out;
  }
  static void take(std::string_view type, std::string_view data, std::map<std::string, std::string>& found) {
    const std::size_t end = data.find('\0');
    if (end == std::string_view::npos) return;
    const std::string key = from_latin1(data.substr(0, end));
    if (type == "tEXt") found[key] = from_latin1(data.substr(end + 1));
    // Two bytes about compression, an empty language, an empty translated keyword.
    if (type == "iTXt" && data.substr(end, 5) == std::string_view("\0\0\0\0\0", 5)) {
      found[key] = base::valid_utf8(data.substr(end + 5));
    }
  }

  std::filesystem::path path_;
  std::string bytes_;
};

/// Throws base::FileError with the path and why.
inline io::Image read_png(const std::filesystem::path& path, std::map<std::string, std::string>* text = nullptr) {
  const PngReader reader(path);
  io::Image image = reader.pixels();
  const auto chunks = reader.text();
  if (text) text->insert(chunks.begin(), chunks.end());
  return image;
}

}  // namespace lanescope::test
