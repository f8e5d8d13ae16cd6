// Determines how a call treated the CPU: whether it launched or synchronised, and the parts of a blocking call.
//
// The rules are those for imported traces (io/call_inference.h), but CUPTI also reports what was waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "capture/assembly/containers.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/pairing.h"
#include "capture/assembly/record.h"
#include "trace/event.h"

namespace lanescope::capture {

class Waits {
 public:
  Waits(Pairing& pairing, Counts& counts) : pairing_(pairing), counts_(counts) {}

  /// `stream` is its index in the assembler's list.
  void add_operation(const Record& op, std::uint32_t stream);
  void add_sync(const Record& sync);
  void add_gpu_event(const Record& event);
  void add_stall(const Record& overhead);
  void add_context(const Record& context);
  void add_stream(const Record& stream);
  bool is_default_stream(std::uint32_t context, std::uint32_t stream) const;

  /// Every call that starts before `t` has been added: an operation without one has lost its call.
  void set_known_until(Nanoseconds t) { known_until_ns_ = t; }
  /// Sets flags and parts. Everything issued before the call and ended within it must have been added.
  void work_out(trace::Event& call, const Record& record);
  /// All calls that start before `t` have been processed, so GPU operations that ended earlier can be dropped.
  void forget_before(Nanoseconds t);

 private:
  struct Ended {
    Nanoseconds start_ns, end_ns;
    std::uint32_t correlation;
    bool copy;
  };
  struct EndsBefore {
    bool operator()(const Ended& a, const Ended& b) const {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.correlation < b.correlation;
    }
  };
  struct GpuStream {
    std::uint32_t context = 0, number = 0;
    SortedQueue<Ended, EndsBefore> ended;
  };
  struct Sync {
    Nanoseconds start_ns = 0;
    std::uint64_t event = 0;
    std::uint32_t type = 0, context = 0, stream = 0;
  };
  struct GpuEvent {
    std::uint32_t correlation = 0, context = 0, stream = 0;
    bool known = false;
  };
  struct Stall {
    Nanoseconds start_ns, end_ns;
  };
  struct StallsBefore {
    bool operator()(const Stall& a, const Stall& b) const { return a.start_ns < b.start_ns; }
  };
  /// What a call waits for.
  struct Awaited {
    bool any_context = true, any_stream = true;
    std::uint32_t context = 0, stream = 0;
    Nanoseconds issued_before = 0;
  };

  Awaited awaited_by(const Sync* sync, Nanoseconds call_start_ns);
  bool issued_before(const Ended& op, Nanoseconds t);
  bool covers(const Awaited& awaited, const GpuStream& stream) const;
  /// Of the awaited operations, the last to end in (from, to].
  std::optional<Ended> last_ended(const Awaited& awaited, Nanoseconds from, Nanoseconds to);
  std::optional<Ended> last_ended(GpuStream& stream, const Awaited& awaited, Nanoseconds from, Nanoseconds to);
  void work_out_sync(trace::Event& call, const Record& record);
  void work_out_copy(trace::Event& call, const Record& record, const Link* link);
  void work_out_stall(trace::Event& call, const Record& record, const Link* link);

  static constexpr std::size_t kMostPages = 1 << 12;

  Pairing& pairing_;
  Counts& counts_;
  Nanoseconds known_until_ns_ = 0;
  std::vector<GpuStream> streams_;
  PagedTable<Sync> syncs_{kMostPages};           // by correlation
  PagedTable<GpuEvent> gpu_events_{kMostPages};  // by CUPTI's id for one record of an event
  std::unordered_map<std::uint32_t, SortedQueue<Stall, StallsBefore>> stalls_;  // by thread
  std::unordered_map<std::uint32_t, std::uint32_t> null_streams_;               // by context
  std::unordered_map<std::uint64_t, std::uint32_t> stream_flags_;               // by context and number
};

}  // namespace lanescope::capture
