#include "io/chrome_fields.h"

#include <charconv>
#include <cmath>
#include <span>

#include "io/chrome_vocabulary.h"
#include "io/json_text.h"

namespace lanescope::io {
namespace {

struct FieldName {
  std::string_view key;
  Field field;
};

// Most frequent first. A linear search costs less than a hash, because most keys already differ in length.
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

Field field_of(std::span<const FieldName> names, std::string_view key) {
  for (const FieldName& name : names) {
    if (name.key == key) return name.field;
  }
  return Field::Other;
}

}  // namespace

std::optional<std::int64_t> Scalar::as_integer() const {
  switch (type) {
    case Type::Boolean:
    case Type::Integer:
      return integer;
    case Type::Real:
      if (std::abs(real) < 9e18) return static_cast<std::int64_t>(real);
      return std::nullopt;
    case Type::Text: {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
      return std::nullopt;
    }
    case Type::None:
      break;
  }
  return std::nullopt;
}

std::optional<double> Scalar::as_real() const {
  if (type == Type::Integer) return static_cast<double>(integer);
  if (type == Type::Real) return real;
  return std::nullopt;
}

RawTime Scalar::as_time() const {
  if (type == Type::Real || type == Type::Text) return {true, parse_microseconds(text)};
  if (type != Type::Integer) return {true, std::nullopt};
  if (integer > kMaxTime / 1000 || integer < -kMaxTime / 1000) return {true, std::nullopt};
  return {true, integer * 1000};
}

RawId Scalar::as_id() const {
  if (const auto number = as_integer()) return {false, *number, {}};
  return {true, 0, std::string(text)};
}

std::string Scalar::written() const { return type == Type::Integer ? std::to_string(integer) : std::string(text); }

Field event_field(std::string_view key) { return field_of(kEventFields, key); }
Field argument_field(std::string_view key) { return field_of(kArgumentFields, key); }

}  // namespace lanescope::io
