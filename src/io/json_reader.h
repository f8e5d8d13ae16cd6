// Reads JSON from a ByteSource, token by token, checking all of it. Texts are views of the bytes as they were read, so
// that nothing is copied or allocated for most of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "io/chrome_fields.h"
#include "io/producer.h"

namespace lanescope::io {

class JsonReader {
 public:
  static constexpr int kMaxDepth = 512;
  /// Of one token, or of all since the last release(). It is held in memory.
  static constexpr std::uint64_t kMaxValueBytes = std::uint64_t{64} << 20;

  explicit JsonReader(ByteSource& source, Threads threads = Threads::One);

  /// From now on, what programs write although JSON does not have it is read as it is meant: inf and NaN (which are no
  /// value), control characters and bytes that are not UTF-8 in texts, backslashes of Windows' paths, commas that are
  /// missing between objects or too many at an end.
  void tolerate() { tolerant_ = true; }
  /// What was tolerated, but for inf and NaN.
  std::uint64_t faults() const { return faults_; }

  /// From here on, texts that were returned before need not stay valid.
  void release() {
    if (!held_.empty() || !unescaped_.empty()) forget();
  }

  /// The next character that is not white space; '\0' at the end. It is not consumed.
  char peek() {
    for (;;) {
      const char c = *at_;
      if (static_cast<unsigned char>(c) > ' ') return c;
      if (c == ' ') {
        ++at_;
      } else if (c == '\n') {
        ++at_;
        skip_indentation();
      } else if (c == '\t' || c == '\r') {
        ++at_;
      } else if (at_ < end_ || !refill()) {
        return '\0';
      }
    }
  }
  void advance() { ++at_; }  ///< past the character that peek() returned

  /// At a quote.
  std::string_view text();
  /// A key and its colon.
  std::string_view key() {
    if (peek() != '"') fail_here(Expected::Key);
    const std::string_view name = text();
    if (peek() != ':') fail_here(Expected::Colon);
    advance();
    return name;
  }
  /// What stands before a value of an object, as it was written once: a comma, unless the value is the first, a key,
  /// its colon and the white space around them. Most objects of a file are written alike.
  struct KnownKey {
    static constexpr std::size_t kMost = 32;
    std::array<std::uint64_t, kMost / 8> words{}, masks{};
    std::uint32_t size = 0, name_at = 0, name_size = 0;  ///< size: of all of it
  };
  /// In an object, before its first value or after another one: true if exactly that follows, which is consumed.
  bool known_key(const KnownKey& key, std::string_view& name) {
    std::uint64_t different = key.size == 0 ? 1 : 0;
    for (std::size_t i = 0; i < key.words.size(); ++i) {
      std::uint64_t x = 0;
      std::memcpy(&x, at_ + 8 * i, sizeof x);
      different |= (x ^ key.words[i]) & key.masks[i];
    }
    if (different != 0) return false;
    name = std::string_view(at_ + key.name_at, key.name_size);
    at_ += key.size;
    return true;
  }
  /// There: any key. Remembers how it was written. False if the object ends instead, which is consumed.
  bool learn_key(KnownKey& known, bool first, std::string_view& name);
  /// At anything but a bracket or a brace.
  Scalar scalar();
  /// The same, where no text begins.
  Scalar number_or_word() { return *at_ == '-' || (*at_ >= '0' && *at_ <= '9') ? number() : word(); }
  /// At anything: true for an integer of a few digits without a sign, which is consumed. Most numbers are.
  bool short_integer(std::int64_t& integer) {
    constexpr int kMostDigits = 9;
    if (*at_ < '0' || *at_ > '9') return false;
    std::int64_t value = *at_ - '0';
    const char* p = at_ + 1;
    for (; *p >= '0' && *p <= '9' && p - at_ < kMostDigits; ++p) value = value * 10 + (*p - '0');
    if (*p != ',' && *p != '\n' && *p != ']' && *p != '}') return false;  // it may go on
    if (*at_ == '0' && p != at_ + 1) return false;
    at_ = p;
    integer = value;
    return true;
  }
  /// After an element of an object or array: false if it was the last.
  bool another(bool object) {
    const char c = peek();
    const char end = object ? '}' : ']';
    if (c != ',' && c != end) {
      if (!tolerant_ || object || c != '{') fail_here(object ? Expected::CommaOrBrace : Expected::CommaOrBracket);
      ++faults_;  // the comma is missing
      return true;
    }
    advance();
    if (c != ',') return false;
    if (!tolerant_ || peek() != end) return true;
    ++faults_;  // it is one too many
    advance();
    return false;
  }
  /// For a bracket or brace at peek(): consumes it. False if it is closed at once, which is consumed, too.
  bool open(bool object) {
    if (++depth_ > kMaxDepth) fail_too_deep();
    advance();
    if (peek() != (object ? '}' : ']')) return true;
    advance();
    close();
    return false;
  }
  void close() { --depth_; }
  int depth() const { return depth_; }
  /// After a fault at some place of an array's element: goes on at the next object in it that begins with one of these
  /// keys, where peek() gives its brace; the array's elements have this depth. False: there is none. Quotes and braces
  /// on the way say nothing, since the fault may be one of them.
  bool find_object(std::span<const std::string_view> first_keys, int depth);

  /// Passes a whole value to a sink: opened(bool object), closed(bool object), key(text), value(Scalar). If opened()
  /// returns true, it has read the object or array itself.
  template <class Sink>
  void walk(Sink& sink);
  void skip();

  /// After the value: nothing but white space may follow.
  void expect_end();

 private:
  static constexpr std::size_t kPadding =
      KnownKey::kMost;  // zeros after the bytes: searches stop there without looking for the end
  enum class Expected : std::uint8_t { Value, Key, Colon, CommaOrBrace, CommaOrBracket, End };

  /// Has room before its bytes for what was not consumed of the buffer before.
  struct Buffer {
    std::unique_ptr<char[]> memory;
    std::size_t capacity = 0;  ///< after the room
    std::size_t size = 0;
    char* bytes() const { return memory.get() + kRoom; }
    void reserve(std::size_t wanted);
  };
  static constexpr std::size_t kRoom = 16 * 1024;

  static std::uint64_t eight_at(const char* p) {
    std::uint64_t x = 0;
    std::memcpy(&x, p, sizeof x);
    if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
    return x;
  }
  /// Of eight characters, the first lowest: whether all are digits, and the number that they are.
  static bool are_digits(std::uint64_t x) {
    constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0u;
    return (((x & kHigh) | ((x + 0x0606060606060606u) & kHigh) >> 4)) == 0x3333333333333333u;
  }
  static std::uint64_t eight_digits(std::uint64_t x) {
    x -= 0x3030303030303030u;
    x = x * 10 + (x >> 8);  // pairs in every other byte
    return ((x & 0x000000FF000000FFu) * (100 + (std::uint64_t{1'000'000} << 32)) +
            ((x >> 16) & 0x000000FF000000FFu) * (1 + (std::uint64_t{10'000} << 32))) >>
           32;
  }
  void skip_indentation() {
    std::uint64_t others = 0;
    while ((others = eight_at(at_) ^ 0x2020202020202020u) == 0) at_ += 8;
    at_ += std::countr_zero(others) >> 3;
  }

  bool refill();
  void forget();
  static bool read(ByteSource& source, Buffer& buffer);
  std::string_view decoded(std::string_view written, bool escaped);
  std::string mended(std::string_view written);
  Scalar number();
  Scalar word();
  bool skip_what_is_no_number();
  std::uint64_t place_of(const char* p) const { return before_ + static_cast<std::uint64_t>(p - begin_); }
  [[noreturn]] void fail_here(Expected expected) const;
  [[noreturn]] void fail_at(const char* p, std::string_view reason) const;
  [[noreturn]] void fail_truncated() const;
  [[noreturn]] void fail_too_deep() const;

  ByteSource& source_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* begin_ = nullptr;
  std::uint64_t before_ = 0;  // bytes of the input before begin_
  int depth_ = 0;
  std::array<bool, kMaxDepth + 1> objects_{};  // whether what encloses us at each depth is an object; of walk()
  bool ended_ = false;
  bool tolerant_ = false;
  std::uint64_t faults_ = 0;
  Buffer buffer_, free_;
  std::vector<Buffer> held_;  // buffers before that one, since release()
  std::uint64_t held_bytes_ = 0;
  std::deque<std::string> unescaped_;
  Producer<Buffer> pieces_;  // the last, because its thread uses the source
};

inline std::string_view JsonReader::text() {
  constexpr std::uint64_t kOnes = 0x0101010101010101u, kTops = 0x8080808080808080u;
  const char* p = at_ + 1;
  bool escaped = false;
  std::uint64_t all = 0;
  for (;;) {
    const std::uint64_t x = eight_at(p);
    all |= x;
    const std::uint64_t quote = x ^ kOnes * '"', backslash = x ^ kOnes * '\\';
    // The lowest mark is right; those above it may not be.
    const std::uint64_t marks =
        (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) | ((x - kOnes * 0x20) & ~x)) & kTops;
    if (marks == 0) {
      p += 8;
      continue;
    }
    p += std::countr_zero(marks) >> 3;
    if (*p == '"') break;
    const bool cut = *p == '\\' ? p + 1 >= end_ : p >= end_;
    if (cut) {
      const std::ptrdiff_t done = p - at_;
      if (!refill()) fail_truncated();
      p = at_ + done;
    } else if (*p == '\\') {
      escaped = true;
      p += 2;
    } else if (tolerant_ && *p != '\0') {
      ++faults_;
      ++p;
    } else {
      fail_at(p, "a control character in a text");
    }
  }
  const std::string_view written(at_ + 1, static_cast<std::size_t>(p - at_ - 1));
  at_ = p + 1;
  return escaped || (all & kTops) != 0 ? decoded(written, escaped) : written;
}

inline Scalar JsonReader::scalar() {
  const char c = peek();
  if (c == '"') return Scalar::of_text(text());
  if (std::int64_t integer = 0; short_integer(integer)) return {Scalar::Type::Integer, -1, integer, {}};
  return number_or_word();
}

template <class Sink>
void JsonReader::walk(Sink& sink) {
  const int outside = depth_;
  for (;;) {
    // A value begins here.
    const char c = peek();
    bool complete = true;
    if (c == '{' || c == '[') {
      const bool object = c == '{';
      if (depth_ >= kMaxDepth) fail_too_deep();
      if (!sink.opened(object)) {
        complete = !open(object);
        if (complete) {
          sink.closed(object);
        } else {
          objects_[static_cast<std::size_t>(depth_)] = object;
        }
      }
    } else {
      sink.value(scalar());
    }
    while (complete && depth_ > outside) {
      const bool object = objects_[static_cast<std::size_t>(depth_)];
      if (another(object)) break;
      close();
      sink.closed(object);
    }
    if (depth_ == outside) return;
    if (objects_[static_cast<std::size_t>(depth_)]) sink.key(key());
  }
}

}  // namespace lanescope::io
