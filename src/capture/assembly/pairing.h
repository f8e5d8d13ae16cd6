// Pairs API calls with the GPU operations they issued, by correlation, in whichever order they arrive.
//
// This cannot use trace::Links: records must be paired before they become events, to know which to wait for. CUPTI
// reports its own process only, so the correlation alone is the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "capture/assembly/containers.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/record.h"

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

}  // namespace lanescope::capture
