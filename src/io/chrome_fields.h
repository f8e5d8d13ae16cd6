// The vocabulary of a trace file: the relevant keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::io {

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
