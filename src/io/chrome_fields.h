// The vocabulary of a trace file: the relevant keys, and values of whatever JSON type a tool used for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/chrome_parser.h"

namespace lanescope::io {

/// A number, text or boolean in the file.
struct Scalar {
  enum class Type : std::uint8_t { None, Boolean, Integer, Real, Text } type = Type::None;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< of a Real: as written

  std::optional<std::int64_t> as_integer() const;  ///< also for a text of digits
  std::optional<double> as_real() const;
  RawTime as_time() const;
  RawId as_id() const;
  std::string written() const;
};

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
