// One interval on one lane, as it travels from the writer to the trace.
#pragma once

#include <algorithm>
#include <bit>
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
  Marker,   ///< an instant a person should see: a knob was turned
  Counter,  ///< a sampled value: the loss
};

enum class MemoryKind : std::uint8_t { Unknown = 0, Pageable = 1, Pinned = 2, Device = 3 };
enum class CopyDirection : std::uint8_t { HostToDevice = 0, DeviceToHost = 1, DeviceToDevice = 2, Other = 3 };

/// The parts of a blocking call. They follow each other in this order and add up to the call's duration.
struct CallParts {
  Nanoseconds own = 0;        ///< the call's own cost before it waits
  Nanoseconds waiting = 0;    ///< waiting for earlier GPU work
  Nanoseconds copying = 0;    ///< waiting while this call's own bytes move
  Nanoseconds returning = 0;  ///< from the end of what was waited for until the call is back (wake-up)
};

/// 40 bytes on the way; 36 in the trace, which knows the lane. [start_ns, end_ns) is half-open; an instant has
/// start_ns == end_ns. `a`, `b`, `c` and `flags` mean what the kind says: use the functions below, not the fields.
struct Event {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  NameId name = 0;                ///< at most 20 bits, see NameTable::kCapacity
  std::uint32_t correlation = 0;  ///< joins an API call to the GPU operation it issued; 0 is none
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
inline constexpr std::uint8_t kBlockingFlag = 1;  ///< the call waits for the GPU: its parts are known
inline constexpr std::uint8_t kSyncFlag = 2;      ///< the call is a synchronisation or a blocking copy by its nature
inline constexpr std::uint8_t kLaunchFlag = 4;    ///< the call puts work on a stream

/// Parts longer than 4.29 s saturate, except waiting, which is what remains of the duration.
inline void set_parts(Event& call, const CallParts& parts) {
  const auto narrow = [](Nanoseconds ns) {
    return static_cast<std::uint32_t>(std::clamp<Nanoseconds>(ns, 0, std::numeric_limits<std::uint32_t>::max()));
  };
  call.a = narrow(parts.own);
  call.b = narrow(parts.copying);
  call.c = narrow(parts.returning);
  call.flags |= kBlockingFlag;
}
/// The parts of a blocking call; a call that does not block is all own cost.
inline CallParts parts_of(const Event& call) {
  if (call.kind != EventKind::Call || !(call.flags & kBlockingFlag)) return {call.duration(), 0, 0, 0};
  CallParts parts{call.a, 0, call.b, call.c};
  parts.waiting = std::max<Nanoseconds>(0, call.duration() - parts.own - parts.copying - parts.returning);
  return parts;
}
inline bool is_blocking(const Event& e) { return e.kind == EventKind::Call && (e.flags & kBlockingFlag); }
inline bool is_sync(const Event& e) { return e.kind == EventKind::Call && (e.flags & kSyncFlag); }
inline bool is_launch(const Event& e) { return e.kind == EventKind::Call && (e.flags & kLaunchFlag); }

// --- Copy and Memset: a, b = bytes; flags = direction, memory kinds, asynchronous ---------------------------------
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
inline CopyTraits copy_traits_of(const Event& copy) {
  return {static_cast<CopyDirection>(copy.flags & 3), static_cast<MemoryKind>(copy.flags >> 2 & 3),
          static_cast<MemoryKind>(copy.flags >> 4 & 3), (copy.flags & 0x40) != 0};
}

// --- Range: a = index (iteration number) --------------------------------------------------------------------------
inline constexpr std::uint8_t kWaitFlag =
    1;  ///< the thread waits for data: for another thread of the program, or while it loads them itself
inline constexpr std::uint8_t kNotArrivedFlag = 2;  ///< the program read memory before the copy into it had ended
inline bool is_host_wait(const Event& e) { return e.kind == EventKind::Range && (e.flags & kWaitFlag); }
inline bool is_stale_read(const Event& e) { return e.kind == EventKind::Range && (e.flags & kNotArrivedFlag); }
inline std::uint32_t index_of(const Event& range) { return range.a; }

// --- Counter: a, b = the value --------------------------------------------------------------------------------------
inline void set_value(Event& counter, double value) { set_bytes(counter, std::bit_cast<std::uint64_t>(value)); }
inline double value_of(const Event& counter) { return std::bit_cast<double>(bytes_of(counter)); }

inline bool is_gpu_work(EventKind kind) {
  return kind == EventKind::Kernel || kind == EventKind::Copy || kind == EventKind::Memset;
}

}  // namespace lanescope::trace
