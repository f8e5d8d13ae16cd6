// Short texts without allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lanescope::inject {

/// A line that is cut where its room ends, always at a whole character.
template <std::size_t kRoom>
class Line {
 public:
  Line& add(const char* text) { return add(text, text ? std::strlen(text) : 0); }
  Line& add(const char* text, std::size_t bytes) {
    const std::size_t room = kRoom - 1 - size_;
    if (bytes > room) {
      bytes = room;
      while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
    }
    std::memcpy(text_ + size_, text, bytes);
    size_ += bytes;
    text_[size_] = 0;
    return *this;
  }
  Line& add(std::uint64_t number) {
    char digits[20];
    std::size_t n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (n > 0) add(&digits[--n], 1);
    return *this;
  }
  const char* c_str() const { return text_; }
  char* data() { return text_; }
  std::size_t size() const { return size_; }

 private:
  char text_[kRoom] = {};
  std::size_t size_ = 0;
};

/// Appends one character as UTF-8; at least 4 bytes must be free. Returns the number of bytes.
inline std::size_t put_utf8(std::uint32_t c, char* out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | c >> 6);
    out[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | c >> 12);
    out[1] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | c >> 18);
  out[1] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

// Two 64-bit numbers multiplied, and both halves of the product folded into one.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15) * (b ^ 0xD1B54A32D192ED03);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash(const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  std::uint64_t h = mix(bytes, 0x2545F4914F6CDD1D);
  for (; bytes >= 8; bytes -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    h = mix(h, word);
  }
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < bytes; ++i) rest |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  return mix(h, rest);
}

}  // namespace lanescope::inject
