#include "io/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "base/plain_text.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

constexpr std::size_t kJsonPiece = 256 * 1024, kPiecesAhead = 3;
constexpr std::size_t kSurelyFinite = 300;  // digits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// -1: not four hexadecimal digits.
int four_hex_digits(std::string_view text) {
  if (text.size() < 4) return -1;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  return error == std::errc{} && end == text.data() + 4 ? static_cast<int>(value) : -1;
}

struct Skipper {
  bool opened(bool) { return false; }
  void closed(bool) {}
  void key(std::string_view) {}
  void value(const Scalar&) {}
};

}  // namespace

void JsonReader::Buffer::reserve(std::size_t wanted) {
  if (memory && capacity >= wanted) return;
  memory = std::make_unique_for_overwrite<char[]>(kRoom + wanted + kPadding);
  capacity = wanted;
}

// A pipe is read by the caller: the thread could wait for it for ever.
JsonReader::JsonReader(ByteSource& source, Threads threads)
    : source_(source), pieces_(source.size() > 0 ? threads : Threads::One, kPiecesAhead, [&source](Buffer& buffer) {
        return read(source, buffer);
      }) {
  buffer_.reserve(0);
  begin_ = at_ = end_ = buffer_.bytes();
  std::memset(buffer_.bytes(), 0, kPadding);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (refill() && std::string_view(at_, end_).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

bool JsonReader::read(ByteSource& source, Buffer& buffer) {
  buffer.reserve(kJsonPiece);
  buffer.size = source.read(buffer.bytes(), kJsonPiece);
  std::memset(buffer.bytes() + buffer.size, 0, kPadding);
  return buffer.size > 0;
}

// Texts that were returned since release() stay where they are: what is not yet consumed moves to another buffer.
bool JsonReader::refill() {
  if (ended_) return false;
  const auto rest = static_cast<std::size_t>(end_ - at_);
  std::optional<Buffer> next = pieces_.next(std::move(free_));
  if (!next) {
    ended_ = true;
    return false;
  }
  const auto count = [&](std::size_t bytes) {
    held_bytes_ += bytes;
    if (held_bytes_ > kMaxValueBytes) source_.fail(base::tr("not a trace: one value in it is longer than 64 MB"));
  };
  count(next->size);
  before_ += static_cast<std::uint64_t>(at_ - begin_);
  if (rest <= kRoom) {
    begin_ = std::copy(at_, end_, next->bytes() - rest) - rest;
    end_ = next->bytes() + next->size;
  } else {  // a long token doubles, so that it is not copied again and again
    Buffer grown;
    grown.reserve(2 * rest + 2 * kJsonPiece);
    grown.size = rest;
    std::memcpy(grown.bytes(), at_, rest);
    for (;;) {
      std::memcpy(grown.bytes() + grown.size, next->bytes(), next->size);
      grown.size += next->size;
      if (grown.size >= 2 * rest) break;
      next = pieces_.next(std::move(*next));
      if (!next) break;
      count(next->size);
    }
    std::memset(grown.bytes() + grown.size, 0, kPadding);
    begin_ = grown.bytes();
    end_ = begin_ + grown.size;
    next = std::move(grown);
  }
  at_ = begin_;
  held_.push_back(std::move(buffer_));
  buffer_ = std::move(*next);
  return true;
}

void JsonReader::forget() {
  if (!held_.empty()) free_ = std::move(held_.back());
  held_.clear();
  held_bytes_ = 0;
  unescaped_.clear();
}

bool JsonReader::learn_key(KnownKey& known, bool first, std::string_view& name) {
  const char* const begin = at_;
  const char* const end = end_;
  if (!first && !another(true)) return false;
  known.size = 0;
  peek();
  const char* const quote = at_;
  name = key();
  peek();
  if (end_ != end || name.data() != quote + 1) return true;  // in two buffers, or with escapes
  const auto size = static_cast<std::size_t>(at_ - begin);
  if (size > KnownKey::kMost) return true;
  known.size = static_cast<std::uint32_t>(size);
  known.name_at = static_cast<std::uint32_t>(name.data() - begin);
  known.name_size = static_cast<std::uint32_t>(name.size());
  std::array<char, KnownKey::kMost> text{}, mask{};
  std::copy(begin, at_, text.begin());
  std::fill_n(mask.begin(), size, static_cast<char>(0xFF));
  std::memcpy(known.words.data(), text.data(), text.size());
  std::memcpy(known.masks.data(), mask.data(), mask.size());
  return true;
}

bool JsonReader::find_object(std::span<const std::string_view> first_keys, int depth) {
  constexpr std::ptrdiff_t kMostKey = 64;
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  depth_ = depth;
  char before = '\0';  // of what is no blank
  for (;;) {
    release();
    while (at_ < end_ && *at_ != '{') {
      if (!blank(*at_)) before = *at_;
      ++at_;
    }
    if (end_ - at_ < kMostKey && refill()) continue;
    if (at_ >= end_) return false;
    const char* p = at_ + 1;
    while (blank(*p)) ++p;
    const std::string_view rest(p, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, end_ - p)));
    const auto begins = [rest](std::string_view key) {
      return rest.size() > key.size() + 1 && rest[0] == '"' && rest.substr(1).starts_with(key) &&
             rest[key.size() + 1] == '"';
    };
    if ((before == ',' || before == '[' || before == '}') && std::ranges::any_of(first_keys, begins)) return true;
    before = '{';
    ++at_;
  }
}

// With its backslashes as they stand, but for those that mean a backslash, a quote or a character by its number.
std::string JsonReader::mended(std::string_view written) {
  std::string text;
  text.reserve(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    text += written[i];
    if (written[i] != '\\' || i + 1 >= written.size()) continue;
    const char c = written[i + 1];
    if (c == '\\') ++i;
    if (c == '"' || c == '/') text.back() = written[++i];
  }
  ++faults_;
  return base::valid_utf8(text);
}

std::string_view JsonReader::decoded(std::string_view written, bool escaped) {
  for (std::size_t i = 0; i < written.size();) {
    const std::size_t place = i;
    if (base::next_code_point(written, i) != base::kInvalidCodePoint) continue;
    if (tolerant_) return unescaped_.emplace_back(mended(written));
    fail_at(written.data() + place, "not UTF-8");
  }
  if (!escaped) return written;
  std::string& text = unescaped_.emplace_back();
  text.reserve(written.size());
  for (std::size_t i = 0; i < written.size();) {
    const std::size_t next = std::min(written.find('\\', i), written.size());
    text.append(written, i, next - i);
    if (next == written.size()) break;
    const char* const place = written.data() + next;
    const char c = written[next + 1];
    i = next + 2;
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t known = kEscapes.find(c); known != std::string_view::npos) {
      text += kMeanings[known];
      continue;
    }
    if (c != 'u') {
      if (tolerant_) return text = mended(written);
      fail_at(place + 1, "an unknown escape in a text");
    }
    int unit = four_hex_digits(written.substr(i));
    i += 4;
    if (unit >= 0xD800 && unit < 0xDC00) {
      const bool paired = written.size() >= i + 6 && written[i] == '\\' && written[i + 1] == 'u';
      const int low = paired ? four_hex_digits(written.substr(i + 2)) : -1;
      unit = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : -1;
      i += 6;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      unit = -1;
    }
    if (unit < 0) {
      if (tolerant_) return text = mended(written);
      fail_at(place + 1, "\\u without the digits of a character");
    }
    base::append_utf8(text, static_cast<char32_t>(unit));
  }
  return text;
}

Scalar JsonReader::number() {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  Scalar result;  // outside the loop, so that it is built where the caller wants it: copying it at once would stall
  for (;;) {
    const char* p = at_;
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* const digits = p;
    std::uint64_t value = 0;  // may overflow; then there are too many digits
    for (std::uint64_t x = eight_at(p); are_digits(x); x = eight_at(p)) {
      value = value * 100'000'000 + eight_digits(x);
      p += 8;
    }
    for (; is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    const char* const whole_end = p;
    std::ptrdiff_t decimals = 0;
    bool real = false, exponent = false, valid = p != digits && (*digits != '0' || p == digits + 1);
    if (valid && *p == '.') {
      real = true;
      for (++p; is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
      decimals = p - whole_end - 1;
      valid = decimals > 0;
    }
    if (valid && (*p == 'e' || *p == 'E')) {
      real = exponent = true;
      ++p;
      if (*p == '+' || *p == '-') ++p;
      const char* const first = p;
      while (is_digit(*p)) ++p;
      valid = p != first;
    }
    if (p >= end_ && refill()) continue;
    if (!valid) {
      if (skip_what_is_no_number()) return {};
      if (p >= end_) fail_truncated();
      fail_at(p, "a number is written wrongly");
    }
    const std::ptrdiff_t count = p - digits - (real ? 1 : 0);
    // At most 19 digits do not overflow.
    const bool fits = !exponent && count <= 19 && value <= kMost + (negative ? 1 : 0);
    if (fits) result.integer = static_cast<std::int64_t>(negative ? 0 - value : value);
    if (fits && !real) {
      result.type = Scalar::Type::Integer;
    } else {
      result.type = Scalar::Type::Real;
      result.text = std::string_view(at_, static_cast<std::size_t>(p - at_));
      if (fits) result.decimals = static_cast<std::int8_t>(decimals);
      if ((exponent || result.text.size() > kSurelyFinite) && !std::isfinite(*result.as_real())) {
        fail_at(p - 1, "a number is too large");
      }
    }
    at_ = p;
    return result;
  }
}

Scalar JsonReader::word() {
  constexpr std::string_view kTrue = "true", kFalse = "false", kNull = "null";
  while (static_cast<std::size_t>(end_ - at_) < kFalse.size() && refill()) {
  }
  const std::string_view rest(at_, end_);
  for (const std::string_view known : {kTrue, kFalse, kNull}) {
    if (rest.starts_with(known)) {
      at_ += known.size();
      if (known == kNull) return {};
      return {Scalar::Type::Boolean, -1, known == kTrue ? 1 : 0, known};
    }
    if (!rest.empty() && known.starts_with(rest)) fail_truncated();
  }
  if (skip_what_is_no_number()) return {};
  fail_here(Expected::Value);
}

// inf, -Infinity, NaN, nan(ind), 1.#INF: what C, C++, Python and Windows write.
bool JsonReader::skip_what_is_no_number() {
  constexpr std::size_t kMost = 16;
  if (!tolerant_) return false;
  while (static_cast<std::size_t>(end_ - at_) <= kMost && refill()) {
  }
  std::string word;
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  for (const char c : rest.substr(0, kMost)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !is_digit(c) && std::string_view("+-.#()_").find(c) == std::string_view::npos) break;
    word += letter ? static_cast<char>(c | 0x20) : c;
  }
  std::string_view number = word;
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  if (!number.starts_with("inf") && !number.starts_with("nan") && !number.starts_with("1.#")) return false;
  at_ += word.size();
  return true;
}

void JsonReader::skip() {
  Skipper skipper;
  walk(skipper);
}

// A zero ends the input, too, as in the file of a program that writes it after its text.
void JsonReader::expect_end() {
  if (peek() != '\0') fail_here(Expected::End);
}

void JsonReader::fail_here(Expected expected) const {
  if (at_ >= end_ && ended_) fail_truncated();
  constexpr std::array<std::string_view, 6> kExpected = {"a value is expected",      "a key in quotes is expected",
                                                         "a colon is expected",      "a comma or } is expected",
                                                         "a comma or ] is expected", "the end is expected"};
  fail_at(at_, kExpected[static_cast<std::size_t>(expected)]);
}

void JsonReader::fail_at(const char* p, std::string_view reason) const {
  // The reasons are in English only, for those who write such files.
  const bool english = base::language() == base::Language::English;
  const std::uint64_t place = place_of(p) + 1;
  if (tolerant_ && *p == '\0') fail_truncated();  // the zeros of a file that was never written to its end
  throw Damaged(source_.named(base::tr("not valid JSON, at byte ") + std::to_string(place) +
                              (english ? ": " + std::string(reason) : "")),
                base::tr("The file is damaged at byte {}: what follows is missing.", place), false, place);
}

void JsonReader::fail_truncated() const {
  const std::uint64_t place = place_of(end_);
  throw Damaged(
      source_.named(base::tr("the file is truncated: its JSON ends too early, at byte ") + std::to_string(place)),
      base::tr("The file is cut off at byte {}: what follows is missing.", place), true, place);
}

void JsonReader::fail_too_deep() const {
  source_.fail(base::tr("not a trace: objects and arrays nested more than 512 deep"));
}

}  // namespace lanescope::io
