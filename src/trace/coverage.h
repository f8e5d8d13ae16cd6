// The time in which a process's GPU work and API calls were recorded. A source that records in bursts says so here;
// everything else in a trace (blocking calls, ranges of the program, iterations, counters) is known all the time.
//
//   [begin, end): every operation that ran on the GPU, even in part, and every call made in it is in the trace.
//   calls_from:   work issued before recording began is not recorded, and may still run afterwards. Calls are therefore
//                 complete from calls_from on, but the GPU only from `begin`: when the first recorded operation has
//                 started, or a synchronisation has shown that nothing else was left.
//
// One thread appends, the one that appends the trace's events, and any number of threads read without locks. What
// begins or ends before Trace::complete_until() is known: the appending thread tells it first.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

#include "trace/event.h"

namespace lanescope::trace {

/// How a source records, for the words that explain it; 0: it does not record by a clock.
struct Bursts {
  Nanoseconds burst_ns = 0, period_ns = 0;  ///< for so long, every so often

  bool operator==(const Bursts&) const = default;
};

class Coverage {
 public:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
  static constexpr Nanoseconds kAlways = std::numeric_limits<Nanoseconds>::min();

  struct Interval {
    Nanoseconds calls_from = 0;  ///< at most `begin`
    Nanoseconds begin = 0;
    Nanoseconds end = 0;  ///< kNever: still open

    bool operator==(const Interval&) const = default;
  };
  /// An interval's number, counted from the first. Eviction does not change it.
  using Index = std::uint64_t;

  Coverage() = default;
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;
  ~Coverage();

  // --- any thread, under a Trace::ReadLock --------------------------------------------------------------------------
  /// Everything is recorded. There are no intervals then.
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  Bursts bursts() const;

  /// The oldest interval still kept, and one past the newest.
  Index first() const { return first_.load(std::memory_order_acquire); }
  Index last() const { return last_.load(std::memory_order_acquire); }
  Interval interval(Index i) const;  ///< i in [first(), last())
  /// The first interval that ends after t, or last(). O(log n).
  Index first_ending_after(Nanoseconds t) const { return first_ending_after(t, first()); }
  /// The same, but not before `from`; fast if it is near.
  Index first_ending_after(Nanoseconds t, Index from) const;

  bool recorded(Nanoseconds t) const;        ///< t is in an interval
  bool calls_recorded(Nanoseconds t) const;  ///< t is in an interval, or between its calls_from and its begin
  /// The recorded time in [from, to); of intervals that are no longer kept, none.
  Nanoseconds recorded_ns(Nanoseconds from, Nanoseconds to) const;
  /// The first begin or end of an interval after t; kNever if none is known.
  Nanoseconds next_boundary(Nanoseconds t) const;

  static constexpr std::size_t kPageIntervals = 1024;
  /// The most that is kept: a day and a half at two bursts per second, 8 MB.
  static constexpr std::size_t kMostPages = 256;

 private:
  friend class Trace;
  struct Entry {
    Nanoseconds calls_from, begin;
    std::atomic<Nanoseconds> end;
    Nanoseconds before;  // the recorded time before this interval, including evicted intervals
  };
  struct Page {
    std::array<Entry, kPageIntervals> entries;
  };
  static constexpr std::size_t kPages = 4096;  // more than are ever kept, so that none is replaced while it is read

  // The appending thread.
  void leave_out();  // not everything is recorded
  void begin(Nanoseconds t, Nanoseconds calls_from);
  void end(Nanoseconds t);
  void set_bursts(const Bursts& bursts);
  /// Takes out the oldest page if all of it ended before `t`, or if there are too many.
  /// Returns its place, to be freed once no reader can follow it; null: nothing to evict.
  std::atomic<Page*>* evict(Nanoseconds t);
  bool begins_page() const { return !open_ && next_ % kPageIntervals == 0; }
  Entry& entry(Index i) const {
    return pages_[i / kPageIntervals % kPages].load(std::memory_order_acquire)->entries[i % kPageIntervals];
  }

  std::atomic<bool> complete_{true};
  std::atomic<Nanoseconds> burst_ns_{0}, period_ns_{0};
  std::atomic<Index> first_{0}, last_{0};
  std::array<std::atomic<Page*>, kPages> pages_{};
  // The appending thread.
  Index next_ = 0;
  bool open_ = false;
  Nanoseconds ended_ = kAlways, total_ = 0;
};

}  // namespace lanescope::trace
