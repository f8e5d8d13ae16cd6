// The relevant keys of a trace file, and their values: a number, text or boolean; arguments kept as text, or taken as a
// size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/time.h"

namespace lanescope::io {

/// A process or thread: a number or, in some tools' files, a text ("Spans").
struct RawId {
  bool is_text = false;
  std::int64_t number = 0;
  std::string_view text;
};

struct RawTime {
  bool present = false;
  std::optional<base::Nanoseconds> ns;  ///< empty: not a valid time
};

struct Scalar {
  enum class Type : std::uint8_t { None, Boolean, Integer, Real, Text } type = Type::None;
  std::int8_t decimals = -1;  ///< of a Real: it is `integer` / 10^decimals; -1: not known
  std::int64_t integer = 0;
  std::string_view text;  ///< of a Real: as written

  static Scalar of_text(std::string_view text) { return {Type::Text, -1, 0, text}; }

  std::optional<std::int64_t> as_integer() const {
    if (type == Type::Integer) return integer;
    return converted_to_integer();
  }
  std::optional<double> as_real() const;
  RawTime as_time() const;  ///< of microseconds
  RawId as_id() const {
    if (type == Type::Integer) return {false, integer, {}};
    if (const auto number = converted_to_integer()) return {false, *number, {}};
    return {true, 0, text};
  }
  std::string written() const;

 private:
  std::optional<std::int64_t> converted_to_integer() const;
};

// --- argument values -------------------------------------------------------------------------------------------------
// Values of arguments, as JsonReader::walk() passes them: kept as text, or taken as a size.

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

// --- chrome fields ---------------------------------------------------------------------------------------------------
// The vocabulary of a trace file: the relevant keys.

/// A key of an event ("ph") or of its arguments ("correlation").
enum class Field : std::uint8_t {
  Other,
  Phase,
  Category,
  Name,
  Process,
  Thread,
  Start,
  Duration,
  Lane,
  Label,
  LabelHex,
  Raw,
  Args,
  Correlation,
  Device,
  Stream,
  WaitOnStream,
  Bytes,
  Size,  ///< the bytes in calls of ROCm's older versions; also an argument of others
  NewName,
  Index,
  Flags,
  OwnNs,
  CopyingNs,
  ReturningNs,
  Value,
  RangeKind,
  MarkerKind,
  Version,
  Key,
  Before,
  Now,
  ExternalId,
  Grid,
  Block,
  Registers,
  SharedMemory,
  StaticShared,
  DynamicShared,
  BlocksPerSm,
  WarpsPerSm,
  Occupancy,
  Context,
  KernelDetails,  ///< JAX's: numbers in a text
  CopyDetails,
  MemsetDetails,
  MemoryDetails,
  Known  ///< follows from the rest, or is only a number inside the profiler
};

Field event_field(std::string_view key);
Field argument_field(std::string_view key);

}  // namespace lanescope::io
