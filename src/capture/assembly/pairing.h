// Pairs API calls with the GPU operations they issued, by correlation, in whichever order they arrive.
//
// This cannot use trace::Links: records must be paired before they become events, to know which to wait for. CUPTI
// reports its own process only, so the correlation alone is the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "capture/assembly/containers.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/record.h"
#include "trace/event.h"

namespace lanescope::capture {

/// Everything known about one correlation.
struct Link {
  // The outermost call.
  Nanoseconds call_start_ns = 0, call_end_ns = 0;
  std::uint32_t thread = 0;  ///< its index in the assembler's list
  // Its operations: a graph launch has many.
  Nanoseconds first_op_ns = 0;                     ///< start of the earliest
  Nanoseconds copy_start_ns = 0, copy_end_ns = 0;  ///< of its copies, from the first to the last
  std::uint64_t copied_bytes = 0;                  ///< total of all copies
  std::uint32_t copy_stream = 0;                   ///< its index in the assembler's list
  std::uint32_t stalled_ns = 0;                    ///< blocked because the launch queue was full
  Nanoseconds matched_before_ns = 0;  ///< start of the call of the number's previous generation, if that was paired
  bool has_call = false, has_op = false, has_copy = false, written = false, driver = false, given_up = false;
  std::uint8_t copy_flags = 0;

  bool empty() const { return !has_call && !has_op && stalled_ns == 0; }
  Nanoseconds time_ns() const { return has_call ? call_start_ns : first_op_ns; }
};

class Pairing {
 public:
  /// Correlation numbers wrap at 2^32, so only records within this time of each other are paired. A missing partner is
  /// awaited for as long.
  static constexpr Nanoseconds kReach = 10 * base::kSecond;
  /// A launch that may have put nothing on the GPU (a copy within host memory, an empty graph) is awaited for a shorter
  /// time: until it has been its thread's oldest unpaired launch for this long, and an operation of a later launch has
  /// arrived, if there is a later one that must have one.
  static constexpr Nanoseconds kPatience = 250 * base::kMillisecond;

  explicit Pairing(Counts& counts) : counts_(counts) {}

  /// False if it is nested in a call already known, and must be dropped.
  bool add_call(const Record& call, std::uint32_t thread);
  void add_operation(const Record& op, std::uint32_t stream);
  void add_stall(const Record& overhead);

  /// Null if nothing is known about it, or only about another generation of the number.
  Link* find(std::uint32_t correlation, Nanoseconds near);
  /// Check this before writing a call: false if it turned out to be the inner one of two.
  bool is_outermost(const Record& call, std::uint32_t thread);
  /// The call put its work into a graph that was being captured, so nothing ran.
  bool captured(const Link& call) const {
    return call.thread < threads_.size() && captured(threads_[call.thread], call.call_start_ns);
  }
  /// The start of the call that issued the operation; the smallest time if unknown.
  Nanoseconds issued(std::uint32_t correlation, Nanoseconds near);

  /// Gives up on partners that have been missing for too long, and returns the start of the oldest launch whose
  /// operation is still awaited.
  Nanoseconds oldest_missing(Nanoseconds asked_ns);
  /// Gives up on all missing partners.
  void finish();

 private:
  struct Missing {
    Nanoseconds start_ns, end_ns;
    std::uint32_t correlation;
    bool may_be_idle;
  };
  struct StartsBefore {
    bool operator()(const Missing& a, const Missing& b) const { return a.start_ns < b.start_ns; }
  };
  struct GraphCapture {
    Nanoseconds begin_ns, end_ns;
  };
  struct Thread {
    SortedQueue<Missing, StartsBefore> missing;  // includes some that have arrived since
    std::size_t firm = 0;                        // the number of these that must have put something on the GPU
    std::deque<Missing> doubtful;                // no longer awaited, not yet given up
    std::deque<GraphCapture> captures;
    Nanoseconds newest_matched_ns = std::numeric_limits<Nanoseconds>::min();
    std::uint32_t blocked_on = 0;
    Nanoseconds moved_ns = std::numeric_limits<Nanoseconds>::min();  // when the launch that blocked it arrived
  };
  struct Orphan {
    std::uint32_t correlation;
    Nanoseconds start_ns;
  };

  Link* find_or_add(std::uint32_t correlation, Nanoseconds near);
  void matched(Link& link, Nanoseconds op_start_ns);
  static void pop_missing(Thread& thread);
  void note_capture(Thread& thread, const Record& call);
  static bool captured(const Thread& thread, Nanoseconds t);
  bool has_come(const Missing& launch);
  void give_up(const Missing& launch);
  void check_orphan();
  Nanoseconds oldest_missing(Thread& thread, Nanoseconds asked_ns);

  static constexpr std::size_t kMostPages = 1 << 14;  // 1 M correlations
  static constexpr std::size_t kMostOrphans = 1 << 19;

  Counts& counts_;
  PagedTable<Link> links_{kMostPages};
  std::vector<Thread> threads_;
  std::deque<Orphan> orphans_;  // operations that arrived before their call
  bool calls_seen_ = false;
};

// --- waits -----------------------------------------------------------------------------------------------------------
// Determines how a call treated the CPU: whether it launched or synchronised, and the parts of a blocking call.
//
// The rules are those for imported traces (io/event_store.h), but CUPTI also reports what was waited for.

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
