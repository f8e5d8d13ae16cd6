// One interval on one lane, in the form that writers pass to the trace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/name_table.h"
#include "base/time.h"

namespace lanescope::trace {

using base::NameId;
using base::Nanoseconds;

using LaneId = std::uint16_t;

enum class EventKind : std::uint8_t {
  Range,    ///< a named range of the program: an iteration, a phase, a framework op
  Call,     ///< a CUDA API call on a CPU thread
  Kernel,   ///< GPU: a kernel
  Copy,     ///< GPU: a memory copy
  Memset,   ///< GPU: a memset
  Marker,   ///< an instant worth showing: a setting changed
  Counter,  ///< a sampled value, such as the loss
};

enum class MemoryKind : std::uint8_t { Unknown = 0, Pageable = 1, Pinned = 2, Device = 3 };
enum class CopyDirection : std::uint8_t { HostToDevice = 0, DeviceToHost = 1, DeviceToDevice = 2, Other = 3 };

/// The parts of a blocking call, in this order. They add up to the call's duration.
struct CallParts {
  Nanoseconds own = 0;        ///< the call's own cost before it waits
  Nanoseconds waiting = 0;    ///< waiting for earlier GPU work
  Nanoseconds copying = 0;    ///< waiting while this call's own bytes are transferred
  Nanoseconds returning = 0;  ///< from the end of the awaited work until the call returns (wake-up)
};

/// 40 bytes in transit; 36 in the trace, where the lane is implicit. [start_ns, end_ns) is half-open; an instant has
/// start_ns == end_ns. The meaning of `a`, `b`, `c` and `flags` depends on the kind: use the functions below, not the
/// fields.
struct Event {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  NameId name = 0;                ///< at most 20 bits, see NameTable::kCapacity
  std::uint32_t correlation = 0;  ///< links an API call to the GPU operation it issued; 0: none
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  LaneId lane = 0;
  EventKind kind = EventKind::Range;
  std::uint8_t flags = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 40);

// --- Call ------------------------------------------------------------------------------------------------------------
inline constexpr std::uint8_t kBlockingFlag = 1;  ///< the call waits for the GPU and its parts are known
inline constexpr std::uint8_t kSyncFlag = 2;      ///< the call is a synchronisation or a blocking copy by its nature
inline constexpr std::uint8_t kLaunchFlag = 4;    ///< the call puts work on a stream

/// Parts longer than 4.29 s (32 bits) saturate. Waiting is not stored: it is the rest of the duration.
inline void set_parts(Event& call, const CallParts& parts) {
  const auto narrow = [](Nanoseconds ns) {
    return static_cast<std::uint32_t>(std::clamp<Nanoseconds>(ns, 0, std::numeric_limits<std::uint32_t>::max()));
  };
  call.a = narrow(parts.own);
  call.b = narrow(parts.copying);
  call.c = narrow(parts.returning);
  call.flags |= kBlockingFlag;
}
/// The parts of a blocking call. For any other call the whole duration is its own cost.
inline CallParts parts_of(const Event& call) {
  if (call.kind != EventKind::Call || !(call.flags & kBlockingFlag)) return {call.duration(), 0, 0, 0};
  CallParts parts{call.a, 0, call.b, call.c};
  parts.waiting = std::max<Nanoseconds>(0, call.duration() - parts.own - parts.copying - parts.returning);
  return parts;
}
inline bool is_blocking(const Event& e) { return e.kind == EventKind::Call && (e.flags & kBlockingFlag); }
inline bool is_sync(const Event& e) { return e.kind == EventKind::Call && (e.flags & kSyncFlag); }
inline bool is_launch(const Event& e) { return e.kind == EventKind::Call && (e.flags & kLaunchFlag); }

// --- Copy and Memset: a, b = bytes; flags = direction, memory kinds, asynchronous ------------------------------------
inline void set_bytes(Event& copy, std::uint64_t bytes) {
  copy.a = static_cast<std::uint32_t>(bytes);
  copy.b = static_cast<std::uint32_t>(bytes >> 32);
}
inline std::uint64_t bytes_of(const Event& copy) { return (std::uint64_t{copy.b} << 32) | copy.a; }

struct CopyTraits {
  CopyDirection direction = CopyDirection::Other;
  MemoryKind source = MemoryKind::Unknown;
  MemoryKind destination = MemoryKind::Unknown;
  bool asynchronous = false;

  bool operator==(const CopyTraits&) const = default;
};
inline void set_copy_traits(Event& copy, const CopyTraits& t) {
  copy.flags = static_cast<std::uint8_t>(static_cast<unsigned>(t.direction) | static_cast<unsigned>(t.source) << 2 |
                                         static_cast<unsigned>(t.destination) << 4 | (t.asynchronous ? 0x40u : 0u));
}
/// The driver moved pages of unified memory, without being called.
inline constexpr std::uint8_t kMigrationFlag = 0x80;
inline void set_migration(Event& copy) { copy.flags |= kMigrationFlag; }
inline bool is_migration(const Event& e) { return e.kind == EventKind::Copy && (e.flags & kMigrationFlag) != 0; }

inline CopyTraits copy_traits_of(const Event& copy) {
  return {static_cast<CopyDirection>(copy.flags & 3), static_cast<MemoryKind>(copy.flags >> 2 & 3),
          static_cast<MemoryKind>(copy.flags >> 4 & 3), (copy.flags & 0x40) != 0};
}

// --- Range: a = index (iteration number); flags = two facts and the RangeKind ----------------------------------------
/// The thread waits for data: for another thread of the program, or because it loads the data itself.
inline constexpr std::uint8_t kWaitFlag = 1;
/// The program read memory before the copy into it had ended.
inline constexpr std::uint8_t kNotArrivedFlag = 2;
inline constexpr std::uint8_t kRangeKindMask = 0x3C;

/// What a range stands for. Code decides by this; the range's name is only for display.
enum class RangeKind : std::uint8_t {
  Other,      ///< nothing more is known
  Iteration,  ///< one iteration of the loop
  Phase,      ///< a statement or another part of an iteration: "forward"
  Read,       ///< a statement that reads a value back from the device: "item()"
  Sync,       ///< a statement that waits for the device without reading anything: "synchronize()"
  Load,       ///< data is loaded, copied by another thread, or waited for
  Operator,   ///< an operator of a framework: "aten::addmm"
  Compute,    ///< an op that a CPU device computes, the counterpart of a kernel on a GPU
  Timed,      ///< a section timed by the program itself; the statements inside it have their own ranges
  Warning,    ///< the framework issued a warning about the statement
  Print,      ///< a statement that reads a value back to show it, so that no later statement depends on it
  Pin,        ///< a statement that copies values into page-locked memory: pin_memory()
};
inline constexpr std::size_t kRangeKinds = 12;
inline constexpr bool reads_back(RangeKind kind) { return kind == RangeKind::Read || kind == RangeKind::Print; }
static_assert((kRangeKinds - 1) << 2 <= kRangeKindMask);

inline void set_range_kind(Event& range, RangeKind kind) {
  range.flags = static_cast<std::uint8_t>((range.flags & ~unsigned{kRangeKindMask}) | static_cast<unsigned>(kind) << 2);
}
/// Other if the event is not a range.
inline RangeKind range_kind_of(const Event& e) {
  return e.kind == EventKind::Range ? static_cast<RangeKind>((e.flags & kRangeKindMask) >> 2) : RangeKind::Other;
}
inline bool is_host_wait(const Event& e) { return e.kind == EventKind::Range && (e.flags & kWaitFlag); }
inline bool is_stale_read(const Event& e) { return e.kind == EventKind::Range && (e.flags & kNotArrivedFlag); }
inline std::uint32_t index_of(const Event& range) { return range.a; }

// --- Counter: a, b = the value --------------------------------------------------------------------------------------
inline void set_value(Event& counter, double value) { set_bytes(counter, std::bit_cast<std::uint64_t>(value)); }
inline double value_of(const Event& counter) { return std::bit_cast<double>(bytes_of(counter)); }

// --- Marker: flags = MarkerKind; for a Setting a = version and b, c = three packed names -----------------------------
enum class MarkerKind : std::uint8_t {
  Note,     ///< free text: the name says it all
  Setting,  ///< a setting changed
  Pause,    ///< the user paused the run
};
inline constexpr std::size_t kMarkerKinds = 3;

/// One changed setting. Settings that changed together have one marker each, with the same version.
struct SettingChange {
  std::uint32_t version = 0;            ///< of the settings in force from here on; 0: unknown
  NameId key = 0, before = 0, now = 0;  ///< the setting and its values, as text; key 0: unknown
};
inline void set_marker_kind(Event& marker, MarkerKind kind) { marker.flags = static_cast<std::uint8_t>(kind); }
inline MarkerKind marker_kind_of(const Event& marker) { return static_cast<MarkerKind>(marker.flags); }
inline bool is_setting_change(const Event& e) {
  return e.kind == EventKind::Marker && marker_kind_of(e) == MarkerKind::Setting;
}
/// Packs three names of 20 bits each, see NameTable::kCapacity.
inline void set_change(Event& marker, const SettingChange& change) {
  set_marker_kind(marker, MarkerKind::Setting);
  const std::uint64_t names =
      std::uint64_t{change.key} | std::uint64_t{change.before} << 20 | std::uint64_t{change.now} << 40;
  marker.a = change.version;
  marker.b = static_cast<std::uint32_t>(names);
  marker.c = static_cast<std::uint32_t>(names >> 32);
}
inline SettingChange change_of(const Event& marker) {
  constexpr std::uint64_t kName = (1u << 20) - 1;
  const std::uint64_t names = std::uint64_t{marker.c} << 32 | marker.b;
  return {marker.a, static_cast<NameId>(names & kName), static_cast<NameId>(names >> 20 & kName),
          static_cast<NameId>(names >> 40 & kName)};
}

// --- What else is known of an event, stored once for all that share it -----------------------------------------------
// Kernel: a = its launch (LaunchTable), b = arguments, c = external id, or of NCCL's in a program that is attached to
// which one it is of its communicator's collectives (collective_number() of side_tables.h). Range: b = external id, c =
// arguments. Copy, Memset: c = arguments. Other kinds have none.

inline std::uint32_t launch_of(const Event& e) { return e.kind == EventKind::Kernel ? e.a : 0; }
inline void set_launch(Event& kernel, std::uint32_t number) { kernel.a = number; }
/// A number in Trace::arguments().
inline NameId arguments_of(const Event& e) {
  switch (e.kind) {
    case EventKind::Kernel:
      return e.b;
    case EventKind::Range:
    case EventKind::Copy:
    case EventKind::Memset:
      return e.c;
    default:
      return 0;
  }
}
inline void set_arguments(Event& e, NameId arguments) { (e.kind == EventKind::Kernel ? e.b : e.c) = arguments; }
/// The profiler's number of a framework's operator, which the kernels it launched repeat; 0: none, or the correlation.
inline std::uint32_t external_id_of(const Event& e) {
  return e.kind == EventKind::Kernel ? e.c : e.kind == EventKind::Range ? e.b : 0;
}
inline void set_external_id(Event& e, std::uint32_t id) { (e.kind == EventKind::Kernel ? e.c : e.b) = id; }

inline bool is_gpu_work(EventKind kind) {
  return kind == EventKind::Kernel || kind == EventKind::Copy || kind == EventKind::Memset;
}

/// At most what a signed number holds: a file may claim any number.
inline std::int64_t shown_bytes(const Event& copy) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes_of(copy), std::numeric_limits<std::int64_t>::max()));
}

}  // namespace lanescope::trace
