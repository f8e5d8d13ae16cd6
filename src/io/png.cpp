#include "io/png.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::io {
namespace {

constexpr int kPngMaxSide = 65'535;
// The signature and the header chunk, with which every PNG starts.
constexpr std::size_t kHeaderBytes = 8 + 12 + 13;

[[noreturn]] void fail(const std::string& name, const std::string& why) { throw base::FileError(name + ": " + why); }

// --- text chunks: libpng's simple functions do not write them ------------------------------------------------------

// Converts to Latin-1; false if a character is not in it. tEXt allows no control characters except the line feed.
bool to_latin1(std::string_view utf8, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = base::next_code_point(utf8, i);
    const bool printable = c == '\n' || (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c <= 0xFF);
    if (!printable) return false;
    out += static_cast<char>(static_cast<unsigned char>(c));
  }
  return true;
}

// A keyword is 1 to 79 Latin-1 characters without leading, trailing or double spaces.
std::string keyword_of(std::string_view key) {
  std::string keyword;
  for (std::size_t i = 0; i < key.size() && keyword.size() < 79;) {
    const char32_t c = base::next_code_point(key, i);
    const bool printable = (c > 0x20 && c < 0x7F) || (c > 0xA0 && c <= 0xFF);
    if (printable) {
      keyword += static_cast<char>(static_cast<unsigned char>(c));
    } else if (c == ' ' ? !keyword.empty() && keyword.back() != ' ' : true) {
      keyword += c == ' ' ? ' ' : '?';
    }
  }
  while (!keyword.empty() && keyword.back() == ' ') keyword.pop_back();
  return keyword.empty() ? "Comment" : keyword;
}

void append_big_endian(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

// Length, type, data, and the CRC of type and data.
void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = out.size();
  out += type;
  out += data;
  const auto* const checked = reinterpret_cast<const Bytef*>(out.data() + begin);
  append_big_endian(out, static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), checked, out.size() - begin)));
}

std::string text_chunks(const std::map<std::string, std::string>& text) {
  std::string chunks;
  for (const auto& [key, value] : text) {
    const std::string whole = value.substr(0, value.find('\0'));  // no text chunk can contain a zero byte
    const std::string keyword = keyword_of(key);
    if (std::string latin1; to_latin1(whole, latin1)) {
      append_chunk(chunks, "tEXt", keyword + '\0' + latin1);
    } else {
      // Not compressed (two zero bytes); empty language and translated keyword, each zero-terminated.
      append_chunk(chunks, "iTXt", keyword + '\0' + std::string(4, '\0') + base::valid_utf8(whole));
    }
  }
  return chunks;
}

// --------------------------------------------------------------------------------------------------------------------

// `name` is used in error messages.
std::vector<std::uint8_t> encoded(const std::string& name, const Image& image,
                                  const std::map<std::string, std::string>& text) {
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  if (image.width <= 0 || image.height <= 0 || image.width > kPngMaxSide || image.height > kPngMaxSide ||
      image.pixels.size() != width * height * 4) {
    fail(name, base::tr("a picture must have 1 to 65535 pixels in each direction, and four bytes per pixel"));
  }
  png_image description{};
  description.version = PNG_IMAGE_VERSION;
  description.width = static_cast<png_uint_32>(width);
  description.height = static_cast<png_uint_32>(height);
  description.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(description);
  const auto room = std::make_unique_for_overwrite<png_byte[]>(size);  // untouched pages cost nothing
  if (!png_image_write_to_memory(&description, room.get(), &size, 0, image.pixels.data(), 0, nullptr)) {
    fail(name, std::string(base::tr("cannot write")) + ": " + description.message);
  }
  const std::string chunks = text_chunks(text);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(size + chunks.size());
  bytes.assign(room.get(), room.get() + kHeaderBytes);
  bytes.insert(bytes.end(), chunks.begin(), chunks.end());
  bytes.insert(bytes.end(), room.get() + kHeaderBytes, room.get() + size);
  return bytes;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image, const std::map<std::string, std::string>& text) {
  AtomicFile file(path);
  const std::vector<std::uint8_t> bytes = encoded(path.string(), image, text);
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file.commit();
}

std::vector<std::uint8_t> png_bytes(const Image& image, const std::map<std::string, std::string>& text) {
  return encoded(base::tr("PNG in memory"), image, text);
}

}  // namespace lanescope::io
