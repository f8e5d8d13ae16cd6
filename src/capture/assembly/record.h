// What is known of a call, or of what CUPTI recorded: what the Assembler gets.
#pragma once

#include <cstdint>
#include <limits>

#include "base/time.h"
#include "trace/event.h"
#include "trace/names.h"

namespace lanescope::capture {

using base::NameId;
using base::Nanoseconds;

enum class RecordKind : std::uint8_t { Call, Operation, Sync, GpuEvent, Overhead, Context, Stream };

// Traits of a call, derived from its name and result.
inline constexpr std::uint8_t kDriverCall = 1;      ///< of the driver API; otherwise of the runtime API
inline constexpr std::uint8_t kFailed = 2;          ///< returned an error, so nothing was launched
inline constexpr std::uint8_t kMayBeIdle = 4;       ///< a launch that may put no work on the GPU
inline constexpr std::uint8_t kNeverOnGpu = 8;      ///< a launch by name, but of work for the CPU
inline constexpr std::uint8_t kBeginsCapture = 16;  ///< from here on, the thread's launches go into a graph
inline constexpr std::uint8_t kEndsCapture = 32;
/// A call made while the GPU's work is not recorded, or an operation launched while calls are not: no counterpart
/// comes.
inline constexpr std::uint8_t kAlone = 64;

// CUPTI's numbers, which stay the same over its versions.
inline constexpr std::uint32_t kEventSynchronize = 1, kStreamSynchronize = 3;  ///< kinds of synchronisation
inline constexpr std::uint32_t kBlockingStream = 1;                            ///< flag of a stream
inline constexpr std::uint32_t kBufferFlush = 1 << 16, kInstrumentation = 2 << 16, kResource = 3 << 16,
                               kQueueFull = 6 << 16, kBufferRequest = 7 << 16;  ///< kinds of overhead

/// Of a kernel: its arguments, a number in Trace::arguments(), and which one it is of its communicator's collectives.
constexpr std::uint64_t kernel_value(NameId arguments, std::uint32_t collective_number) {
  return std::uint64_t{collective_number} << 32 | arguments;
}

struct Record {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  /// Operation: bytes; a kernel: kernel_value(). Sync, GpuEvent: the id that links the
  /// two; 0: none.
  std::uint64_t value = 0;
  NameId name = 0;
  std::uint32_t correlation = 0;
  std::uint32_t thread = 0;  ///< Call, Overhead; 0: unknown
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  /// Sync, Overhead, Stream: CUPTI's number for its type. Context: its null stream. A kernel: its launch's number.
  /// Call: its place in the program; 0: unknown.
  std::uint32_t detail = 0;
  RecordKind kind = RecordKind::Call;
  trace::EventKind event_kind = trace::EventKind::Call;
  union {
    std::uint8_t copy_flags = 0;  ///< Operation: as set by trace::set_copy_traits()
    trace::CallNature nature;     ///< Call
  };
  std::uint8_t traits = 0;  ///< Call

  bool is_launch() const {
    return nature == trace::CallNature::Launch || nature == trace::CallNature::BlockingCopy ||
           nature == trace::CallNature::AsyncCopy;
  }
};
static_assert(sizeof(Record) <= 64);

/// By start time; ties are broken independently of the order of arrival.
inline bool starts_before(const Record& a, const Record& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
  if (a.correlation != b.correlation) return a.correlation < b.correlation;
  return a.name < b.name;
}

// --- progress --------------------------------------------------------------------------------------------------------
// What is known about records that may still arrive.

struct Progress {
  base::Nanoseconds asked_ns = 0;  ///< all that ended on the GPU before this, and all calls, have come
  base::Nanoseconds oldest_open_call_ns = std::numeric_limits<base::Nanoseconds>::max();
};

}  // namespace lanescope::capture
