// The number of operations issued and not finished at any time: the curve shown on the timeline.
//
// RunAhead decides which operations are counted by their calls; this class only counts. For every 32 calls or
// operations of a row, two masks mark those that start something and those whose end does not count, and a number
// counts those before them: 0.4 bytes per event, or up to twice that while the vectors grow. A query costs one search
// per row, however many events there are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/huge_pages.h"
#include "trace/links.h"

namespace lanescope::analysis {

using base::Nanoseconds;

class InFlight {
  struct CountedRow;

 public:
  explicit InFlight(const trace::Trace& trace) : trace_(trace) {}

  // For each row in the order of its events; events evicted unread are skipped.
  /// `starts`: it has issued an operation, or may have one that has not arrived yet.
  void call(const trace::EventPlace& place, bool starts);
  /// It has no operation after all, or one that ended before the call returned.
  void forget(const trace::EventPlace& call);
  /// `alone`: its call does not count for it, so it counts from its own start.
  void operation(const trace::EventPlace& place, bool alone);
  /// The operation's end does not count: another one of the same call (a graph's node) ends later.
  void goes_on(const trace::EventPlace& operation);
  /// Computes the sums. Call before querying.
  void settle();

  /// Query in ascending order of time: each search starts where the last one ended.
  class Reader {
   public:
    explicit Reader(const InFlight& curve);
    /// Operations in flight at t: each counts from the return of its call (a blocking call: from its start) until the
    /// operation ends. Requires a Trace::ReadLock.
    std::int64_t at(Nanoseconds t);

   private:
    static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
    struct Cursor {
      std::size_t row;
      trace::EventIndex at, last;  // `at`: the first event that ends after the last query's time
      Nanoseconds start = kNever, end = std::numeric_limits<Nanoseconds>::min();  // of that event
      std::int64_t before = 0, running = 0;  // what the row counts until that event starts, and while it runs
    };
    void move_to(Cursor& c, const CountedRow& row, Nanoseconds t) const;

    const InFlight& curve_;
    std::vector<Cursor> cursors_;
  };

 private:
  static constexpr trace::EventIndex kStep = 32;

  struct Step {
    std::uint32_t before = 0;   ///< the marks of the row before these
    std::uint32_t starts = 0;   ///< which of these start something
    std::uint32_t goes_on = 0;  ///< the end of which does not count
  };
  struct CountedRow {
    const trace::Row* row = nullptr;
    bool calls = false;
    trace::EventIndex base = 0;     ///< of the first step; a multiple of kStep
    trace::EventIndex first = 0;    ///< first event received
    trace::EventIndex next = 0;     ///< one past the last event received
    trace::EventIndex unheard = 0;  ///< events evicted before they could be received
    std::size_t summed = 1;         ///< number of steps with a valid `before`
    std::vector<Step, base::HugePageAllocator<Step>> steps;

    void tell(trace::EventIndex i, bool starts);
    void forget(trace::EventIndex i);
    void go_on(trace::EventIndex i);
    void settle();
    std::int64_t marks_before(trace::EventIndex i) const;
    bool starts_at(trace::EventIndex i) const { return steps[(i - base) / kStep].starts >> (i - base) % kStep & 1u; }
  };

  CountedRow& row_of(const trace::EventPlace& place);

  const trace::Trace& trace_;
  std::vector<CountedRow> rows_;
  std::vector<std::vector<std::size_t>> number_of_;  // by lane and row, plus one; 0: none
};

}  // namespace lanescope::analysis
