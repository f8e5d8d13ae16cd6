// Values of arguments, as JsonReader::walk() passes them: kept as text, or taken as a size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "io/json_scalar.h"

namespace lanescope::io {

/// Bytes of an argument's value, and of all arguments of an event: more is for reading elsewhere than beside a
/// timeline.
inline constexpr std::size_t kMostArgument = 2000, kMostArguments = 8000;

/// At most n bytes, without breaking a character.
inline std::string_view beginning_of(std::string_view text, std::size_t n) {
  if (text.size() <= n) return text;
  while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0u) == 0x80u) --n;
  return text.substr(0, n);
}

/// The value of an argument, as JSON without spaces. What is far too long is dropped.
class ValueWriter {
 public:
  bool opened(bool object) {
    begin();
    text_ += object ? '{' : '[';
    return false;
  }
  void closed(bool object) { text_ += object ? '}' : ']'; }
  void key(std::string_view name) {
    begin();
    base::append_json_string(text_, name);
    text_ += ':';
    after_key_ = true;
  }
  void value(const Scalar& value) {
    begin();
    append(value);
  }
  void append(const Scalar& value) {
    switch (value.type) {
      case Scalar::Type::None:
        text_ += "null";
        break;
      case Scalar::Type::Integer:
        base::append_number(text_, value.integer);
        break;
      case Scalar::Type::Boolean:
      case Scalar::Type::Real:
        text_ += value.text;
        break;
      case Scalar::Type::Text:
        base::append_json_string(text_, beginning_of(value.text, kMostArgument));
        if (value.text.size() > kMostArgument) text_.insert(text_.size() - 1, "…");
        break;
    }
  }
  void clear() {
    text_.clear();
    after_key_ = false;
  }
  const std::string& text() const { return text_; }

 private:
  /// Before each key, element and nested value: the comma, if one belongs there.
  void begin() {
    if (text_.size() > 4 * kMostArgument) text_.resize(2 * kMostArgument);  // it is cut anyway
    const char last = text_.empty() ? '[' : text_.back();
    if (!std::exchange(after_key_, false) && last != '[' && last != '{') text_ += ',';
  }

  std::string text_;  // keeps its memory
  bool after_key_ = false;
};

/// "[128,1,1]"; 0 for what is no size.
class SizeReader {
 public:
  bool opened(bool object) {
    valid_ = valid_ && !object && !inside_;
    inside_ = true;
    return false;
  }
  void closed(bool) {}
  void key(std::string_view) {}
  void value(const Scalar& value) {
    valid_ = valid_ && count_ < size_.size() && value.type == Scalar::Type::Integer &&
             std::in_range<std::uint32_t>(value.integer);
    if (valid_) size_[count_++] = static_cast<std::uint32_t>(value.integer);
  }
  std::array<std::uint32_t, 3> size() const {
    return valid_ && count_ == size_.size() ? size_ : std::array<std::uint32_t, 3>{};
  }

 private:
  std::array<std::uint32_t, 3> size_{};
  std::size_t count_ = 0;
  bool valid_ = true, inside_ = false;
};

}  // namespace lanescope::io
