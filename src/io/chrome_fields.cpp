#include "io/chrome_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "base/from_chars.h"
#include "base/json_text.h"
#include "base/time.h"
#include "io/chrome_parser.h"
#include "io/chrome_vocabulary.h"

namespace lanescope::io {

std::optional<std::int64_t> Scalar::converted_to_integer() const {
  switch (type) {
    case Type::Boolean:
    case Type::Integer:
      return integer;
    case Type::Real: {
      const double real = as_real().value_or(0);
      if (std::abs(real) < 9e18) return static_cast<std::int64_t>(real);
      return std::nullopt;
    }
    case Type::Text: {
      std::int64_t value = 0;
      const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
      return std::nullopt;
    }
    case Type::None:
      break;
  }
  return std::nullopt;
}

// Infinite if it is too large.
std::optional<double> Scalar::as_real() const {
  if (type == Type::Integer) return static_cast<double>(integer);
  if (type != Type::Real) return std::nullopt;
  constexpr std::array<double, 10> kPowers = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  // Both are exact, so that their quotient is the nearest double.
  if (decimals >= 0 && decimals < static_cast<int>(kPowers.size()) && integer > -kExact && integer < kExact &&
      integer != 0) {
    return static_cast<double>(integer) / kPowers[static_cast<std::size_t>(decimals)];
  }
  double real = 0;
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc{}) return real;
  // Out of range: too large, or so small that it is 0.
  const std::size_t exponent = text.find_first_of("eE");
  const bool small = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
  return small ? 0 : std::numeric_limits<double>::infinity();
}

RawTime Scalar::as_time() const {
  constexpr std::int64_t kThousand = 1000;
  if (type == Type::Real && decimals == 3 && integer <= base::kMaxTime && integer >= -base::kMaxTime)
    return {true, integer};
  if (type == Type::Real || type == Type::Text) return {true, base::parse_microseconds(text)};
  if (type != Type::Integer) return {true, std::nullopt};
  if (integer > base::kMaxTime / kThousand || integer < -base::kMaxTime / kThousand) return {true, std::nullopt};
  return {true, integer * kThousand};
}

std::string Scalar::written() const { return type == Type::Integer ? std::to_string(integer) : std::string(text); }

// --- chrome fields ---------------------------------------------------------------------------------------------------

namespace {

struct FieldName {
  std::string_view key;
  Field field = Field::Other;
};

constexpr FieldName kEventFields[] = {{"ph", Field::Phase},
                                      {"cat", Field::Category},
                                      {"name", Field::Name},
                                      {"pid", Field::Process},
                                      {"tid", Field::Thread},
                                      {"ts", Field::Start},
                                      {"dur", Field::Duration},
                                      {"lane", Field::Lane},
                                      {"args", Field::Args},
                                      {"label", Field::Label},
                                      {"raw", Field::Raw},
                                      {"label_hex", Field::LabelHex},
                                      {"correlation", Field::Correlation}};

constexpr FieldName kArgumentFields[] = {{"device", Field::Device},
                                         {"stream", Field::Stream},
                                         {"correlation", Field::Correlation},
                                         {"flags", Field::Flags},
                                         {"bytes", Field::Bytes},
                                         {"size", Field::Size},
                                         {"index", Field::Index},
                                         {"own_ns", Field::OwnNs},
                                         {"copying_ns", Field::CopyingNs},
                                         {"returning_ns", Field::ReturningNs},
                                         {"value", Field::Value},
                                         {"name", Field::NewName},
                                         {"wait_on_stream", Field::WaitOnStream},
                                         {"range", Field::RangeKind},
                                         {"marker", Field::MarkerKind},
                                         {"version", Field::Version},
                                         {"key", Field::Key},
                                         {"before", Field::Before},
                                         {"now", Field::Now},
                                         {kExternalId, Field::ExternalId},
                                         {"cbid", Field::Known},
                                         {"Ev Idx", Field::Known},
                                         {kContext, Field::Context},
                                         {kGrid, Field::Grid},
                                         {kBlock, Field::Block},
                                         {kRegisters, Field::Registers},
                                         {kSharedMemory, Field::SharedMemory},
                                         {kStaticShared, Field::StaticShared},
                                         {kDynamicShared, Field::DynamicShared},
                                         {kBlocksPerSm, Field::BlocksPerSm},
                                         {kWarpsPerSm, Field::WarpsPerSm},
                                         {kOccupancy, Field::Occupancy},
                                         {"correlation_id", Field::Correlation},
                                         {"step_num", Field::Index},
                                         {"kernel_details", Field::KernelDetails},
                                         {"memcpy_details", Field::CopyDetails},
                                         {"Memset_details", Field::MemsetDetails},
                                         {"memalloc_details", Field::MemoryDetails},
                                         {"MemFree_details", Field::MemoryDetails},
                                         {"MemoryResidency_details", Field::MemoryDetails},
                                         {"queued", Field::Known},
                                         {kBandwidth, Field::Known},
                                         {"waiting_ns", Field::Known},
                                         {"Record function id", Field::Known},
                                         {"Python id", Field::Known},
                                         {"Python parent id", Field::Known},
                                         {"Python module id", Field::Known}};

/// For short texts faster than a call of memcmp().
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto word = [](const char* p, auto x) {
    std::memcpy(&x, p, sizeof x);
    return x;
  };
  const std::size_t n = a.size();
  const char *p = a.data(), *q = b.data();
  if (n < 4) {  // at least one: no key is empty
    return p[0] == q[0] && p[n / 2] == q[n / 2] && p[n - 1] == q[n - 1];
  }
  if (n < 8) {
    return word(p, 0u) == word(q, 0u) && word(p + n - 4, 0u) == word(q + n - 4, 0u);
  }
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (word(p + i, std::uint64_t{}) != word(q + i, std::uint64_t{})) return false;
  }
  return word(p + n - 8, std::uint64_t{}) == word(q + n - 8, std::uint64_t{});
}

/// Finds a key by its length and its ends, which hardly any two have in common.
class FieldTable {
 public:
  consteval explicit FieldTable(std::span<const FieldName> names) {
    for (const FieldName& name : names) {
      std::size_t at = place(name.key);
      while (!slots_[at].key.empty()) at = (at + 1) % kSlots;
      slots_[at] = name;
    }
  }
  Field find(std::string_view key) const {
    if (key.empty()) return Field::Other;
    if (const FieldName& first = slots_[place(key)]; same(first.key, key)) return first.field;
    for (std::size_t at = place(key); !slots_[at].key.empty(); at = (at + 1) % kSlots) {
      if (same(slots_[at].key, key)) return slots_[at].field;
    }
    return Field::Other;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t place(std::string_view key) {
    const auto first = static_cast<unsigned char>(key.front()), last = static_cast<unsigned char>(key.back());
    return (key.size() * 29 + std::size_t{first} * 7 + last) % kSlots;
  }
  std::array<FieldName, kSlots> slots_{};
};

constexpr FieldTable kOfEvents{kEventFields}, kOfArguments{kArgumentFields};

}  // namespace

Field event_field(std::string_view key) { return kOfEvents.find(key); }
Field argument_field(std::string_view key) { return kOfArguments.find(key); }

// --- what a file says of its run -------------------------------------------------------------------------------------

namespace {

/// 0 for an invalid rate.
double peak_of(const Scalar& value) {
  const double peak = value.as_real().value_or(0);
  return std::isfinite(peak) && peak > 0 ? peak : 0;
}

}  // namespace

void FileHead::take_fact(std::string_view key, const Scalar& value) {
  if (key == "lanescope") {
    own = true;
    facts.version = value.text;
  } else if (key == "format") {
    format = value.as_integer().value_or(0);
  } else if (key == "workload") {
    facts.workload = value.text;
  } else if (key == "program") {
    facts.program = value.text;
  } else if (key == "iterations") {
    facts.iterations = value.text;
  } else if (key == "device") {
    facts.device = value.text;
  } else if (key == "device_name") {
    facts.device_name = value.text;
  } else if (key == "simulated") {
    facts.simulated = value.as_integer().value_or(0) != 0;
  } else if (key == "sm_count") {
    constexpr std::int64_t kMostSms = 1 << 16;
    facts.sm_count = static_cast<int>(std::clamp<std::int64_t>(value.as_integer().value_or(0), 0, kMostSms));
  } else if (key == "h2d_peak_gb_per_s") {
    facts.h2d_peak_gb_per_s = peak_of(value);
  } else if (key == "d2h_peak_gb_per_s") {
    facts.d2h_peak_gb_per_s = peak_of(value);
  } else if (key == "clock_error_ns") {
    facts.clock_error_ns = std::max<std::int64_t>(0, value.as_integer().value_or(0));
  } else if (key == "marks") {
    facts.marks = value.text;
  } else if (key == "detailed") {
    detailed = value.as_integer().value_or(0) != 0;
  } else if (key == "complete_until_ns") {
    complete_until_ns = value.as_integer();
  }
}

void FileHead::take_count(std::string_view key, const Scalar& value) {
  const auto number = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.as_integer().value_or(0)));
  if (key == "recorded") counts.recorded = number;
  if (key == "evicted") counts.evicted = number;
  if (key == "dropped") counts.dropped = number;
  if (key == "late") counts.late = number;
  if (key == "clamped") counts.clamped = number;
}

}  // namespace lanescope::io
