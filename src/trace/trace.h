// All events of one run, grouped by lane; append-only while live. One thread appends; any number of threads read
// without locks and see what had been published when they looked.
//
//
// lane ── rows (sub-rows: overlapping or nested events are packed so that one row never overlaps itself)
//           └─ blocks of 1,024 events with stable addresses. Starts, ends and the rest are separate arrays, so that a
//              search touches only what it compares. Summaries of every 32 events are in the block. Summaries of every
//              256 events are beside the blocks, contiguous per row, so that drawing a whole row reads no block.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "base/name_table.h"
#include "trace/coverage.h"
#include "trace/event.h"
#include "trace/side_tables.h"
#include "trace/sink.h"

namespace lanescope::trace {

/// An event's number in its row, counted from the row's first event. Eviction does not change it.
using EventIndex = std::uint64_t;

inline constexpr std::size_t kBlockEvents = 1024;
inline constexpr std::size_t kBusyStep = 32;
inline constexpr std::size_t kSectionEvents = 256;

/// An event without its times, packed into 20 bytes.
struct PackedEvent {
  std::uint32_t name_kind_flags;  ///< 20 bits name | 4 bits kind | 8 bits flags
  std::uint32_t correlation, a, b, c;
  static constexpr std::uint32_t kNameMask = (1u << 20) - 1;
};
static_assert(sizeof(PackedEvent) == 20);
inline PackedEvent pack(const Event& e) {
  return {(e.name & PackedEvent::kNameMask) | static_cast<std::uint32_t>(e.kind) << 20 |
              static_cast<std::uint32_t>(e.flags) << 24,
          e.correlation, e.a, e.b, e.c};
}

/// Summary of kBusyStep events.
struct Step {
  Nanoseconds end;  ///< of the last event; unknown while the step is still being written
  // Sums over all events of the row before this step, including evicted ones.
  Nanoseconds busy_before;
  Nanoseconds wait_before;  ///< the part of calls beyond their own cost
};

/// Summary of kSectionEvents, with what is needed to draw its first event.
struct Section {
  Nanoseconds start, end, busy_before, wait_before;
  std::uint32_t name_kind_flags, a;  ///< of the first event
};

struct Block {
  std::array<Nanoseconds, kBlockEvents> start;
  std::array<Nanoseconds, kBlockEvents> end;
  std::array<PackedEvent, kBlockEvents> rest;
  std::array<Step, kBlockEvents / kBusyStep> steps;
};

/// The k-th event of a block, without its times and with them.
inline Event untimed_event(const Block& block, std::size_t k) {
  const PackedEvent& rest = block.rest[k];
  Event e;
  e.name = rest.name_kind_flags & PackedEvent::kNameMask;
  e.kind = static_cast<EventKind>(rest.name_kind_flags >> 20 & 15);
  e.flags = static_cast<std::uint8_t>(rest.name_kind_flags >> 24);
  e.correlation = rest.correlation;
  e.a = rest.a;
  e.b = rest.b;
  e.c = rest.c;
  return e;
}
inline Event event(const Block& block, std::size_t k) {
  Event e = untimed_event(block, k);
  e.start_ns = block.start[k];
  e.end_ns = block.end[k];
  return e;
}

/// Several events of a row drawn as one.
struct Fold {
  EventIndex last = 0;  ///< one past the newest of them
  Nanoseconds start = 0, end = 0;
  Nanoseconds busy_ns = 0;
};

/// One row of events that do not overlap, in time order: start(i) <= end(i) <= start(i + 1).
class Row {
 public:
  Row();
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  /// The oldest event still kept, and one past the newest published.
  EventIndex first() const { return first_.load(std::memory_order_acquire); }
  EventIndex last() const { return published_.load(std::memory_order_acquire); }

  // Valid for i in [first(), last()) as read under a Trace::ReadLock.
  Nanoseconds start(EventIndex i) const { return block(i)->start[i % kBlockEvents]; }
  Nanoseconds end(EventIndex i) const { return block(i)->end[i % kBlockEvents]; }
  Event event(EventIndex i) const { return trace::event(*block(i), i % kBlockEvents); }
  /// The event without its times, which are stored elsewhere.
  Event untimed_event(EventIndex i) const { return trace::untimed_event(*block(i), i % kBlockEvents); }
  std::uint32_t correlation(EventIndex i) const { return block(i)->rest[i % kBlockEvents].correlation; }
  /// Only kind, name, flags and `a`, which decide how the event is drawn. Cheaper than event() at the start of a fold.
  Event look(EventIndex i) const;
  /// The block with the event, for readers of many events.
  const Block* block(EventIndex i) const {
    const std::size_t b = i / kBlockEvents;
    return page(b).blocks[b % kPageBlocks].load(std::memory_order_acquire);
  }
  /// The sum of the durations of [from, to).
  Nanoseconds busy_ns(EventIndex from, EventIndex to) const;
  /// The time that the calls in [from, to) spent waiting, copying and returning.
  Nanoseconds wait_ns(EventIndex from, EventIndex to) const;
  /// The first event in [from, to) that ends after t, or `to`. O(log n); fast when the result is near `from`.
  EventIndex first_ending_after(Nanoseconds t, EventIndex from, EventIndex to) const;
  /// The first event in [from, to) that starts at or after t, or `to`.
  EventIndex first_starting_at_or_after(Nanoseconds t, EventIndex from, EventIndex to) const;
  /// Folds events of [first, to): `first` and the following events that end less than `width` after its start. An event
  /// that lasts `width` or longer stands alone. A fold of many events may be up to a quarter shorter, so that none of
  /// them has to be read.
  Fold fold(EventIndex first, Nanoseconds width, EventIndex to) const;

 private:
  friend class Trace;
  static constexpr std::size_t kPageBlocks = 512;
  static constexpr std::size_t kPages = 1024;  // 1024 * 512 * 1024 events: a row keeps up to 537 M at a time
  struct Page {
    std::array<std::atomic<Block*>, kPageBlocks> blocks{};
    std::array<Nanoseconds, kPageBlocks> last_end{};  // of full blocks: a search over blocks reads only this
    // Left uninitialised, so that an unfilled page uses no physical memory for it.
    std::array<Section, kPageBlocks * kBlockEvents / kSectionEvents> sections;
  };

  /// Where the page with block `b` is noted: the slots are used in a circle.
  std::atomic<Page*>& page_slot(std::size_t b) const { return pages_[b / kPageBlocks % kPages]; }
  const Page& page(std::size_t b) const { return *page_slot(b).load(std::memory_order_acquire); }
  Nanoseconds block_last_end(std::size_t b) const { return page(b).last_end[b % kPageBlocks]; }
  Nanoseconds busy_before(EventIndex i) const;
  Nanoseconds wait_before(EventIndex i) const;
  Nanoseconds wait_of(EventIndex i) const;
  const Step& step(EventIndex i) const { return block(i)->steps[i % kBlockEvents / kBusyStep]; }
  const Section& section(EventIndex i) const {
    constexpr EventIndex kPageEvents = EventIndex{kPageBlocks} * kBlockEvents;
    return page(i / kBlockEvents).sections[i % kPageEvents / kSectionEvents];
  }
  std::size_t block_of(Nanoseconds t, EventIndex from, EventIndex to) const;
  Fold fold_at(EventIndex first, Nanoseconds width, EventIndex to) const;
  void fetch_next(EventIndex first, EventIndex last, EventIndex to) const;
  EventIndex near_fold_end(Nanoseconds t, EventIndex first, EventIndex to) const;
  EventIndex coarse_fold_end(Nanoseconds t, EventIndex first, EventIndex to) const;

  std::unique_ptr<std::atomic<Page*>[]> pages_;
  std::atomic<EventIndex> first_{0};
  std::atomic<EventIndex> published_{0};
  // Used by the appending thread only.
  Block* writing_ = nullptr;
  Section* writing_sections_ = nullptr;  // of that block
  EventIndex written_ = 0;
  Nanoseconds last_end_ = std::numeric_limits<Nanoseconds>::min();
  Nanoseconds busy_total_ = 0, wait_total_ = 0;
};

class Lane {
 public:
  explicit Lane(LaneInfo info) : info_(std::move(info)) {}
  const LaneInfo& info() const { return info_; }
  std::size_t row_count() const { return row_count_.load(std::memory_order_acquire); }
  const Row& row(std::size_t r) const { return *rows_[r]; }

  static constexpr std::size_t kMaxRows = 256;

 private:
  friend class Trace;
  LaneInfo info_;
  std::array<std::unique_ptr<Row>, kMaxRows> rows_;
  std::atomic<std::size_t> row_count_{0};
};

struct TraceCounts {
  std::uint64_t recorded = 0;  ///< events ever appended
  std::uint64_t evicted = 0;   ///< oldest events removed because of the memory cap
  std::uint64_t dropped = 0;   ///< lost before the trace: a writer's queue was full, or more than Lane::kMaxRows events
                               ///< overlapped
  std::uint64_t late = 0;      ///< arrived outside the reorder window, and were packed into another row
  std::uint64_t clamped = 0;   ///< ended before they started, and were stored as instants
};

class Trace {
 public:
  /// Blocks take at most this much memory; the oldest are evicted first. See set_memory_cap_bytes().
  explicit Trace(std::size_t memory_cap_bytes = std::size_t{2} << 30);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // --- any thread ---------------------------------------------------------------------------------------------------
  /// While a lock exists, no block is reused, so what was read stays valid. Cheap; hold it for one frame at most.
  class ReadLock {
   public:
    explicit ReadLock(const Trace& trace);
    ~ReadLock();
    ReadLock(const ReadLock&) = delete;
    ReadLock& operator=(const ReadLock&) = delete;

   private:
    const Trace& trace_;
    std::size_t slot_;
  };

  base::NameTable& names() { return names_; }
  const base::NameTable& names() const { return names_; }
  /// How kernels were launched, see launch_of().
  LaunchTable& launches() { return launches_; }
  const LaunchTable& launches() const { return launches_; }
  CallSites& sites() { return sites_; }
  const CallSites& sites() const { return sites_; }
  /// Arguments of events, as the members of a JSON object: "\"Input Dims\":[[64,3]]"; see arguments_of().
  base::NameTable& arguments() { return arguments_; }
  const base::NameTable& arguments() const { return arguments_; }
  /// What these say of collectives.
  CollectiveTable& collectives() { return collectives_; }
  const CollectiveTable& collectives() const { return collectives_; }
  std::size_t lane_count() const { return lane_count_.load(std::memory_order_acquire); }
  const Lane& lane(LaneId id) const { return *lanes_[id]; }
  /// The live edge: every range that ends before it, and every other event that starts before it, is in the trace (see
  /// EventWriter::complete_until). What is newer is unknown, not idle.
  Nanoseconds complete_until() const { return complete_until_.load(std::memory_order_acquire); }
  /// Which of a process's GPU work and calls were recorded: everything, unless its source says otherwise. Its intervals
  /// are valid under a ReadLock. Processes on several hosts with the same pid share one.
  const Coverage& coverage(std::int64_t pid) const;
  /// Of some process, not everything is recorded.
  bool recorded_in_parts() const;
  /// The processes whose source has said something about it.
  std::size_t coverage_count() const { return coverage_count_.load(std::memory_order_acquire); }
  std::int64_t covered_pid(std::size_t n) const { return coverages_[n]->pid; }
  TraceCounts counts() const;
  /// The start of the oldest kept event and the latest end over all lanes; {0, 0} when empty.
  std::pair<Nanoseconds, Nanoseconds> extent() const;
  std::size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  std::size_t memory_cap_bytes() const { return memory_cap_bytes_.load(std::memory_order_relaxed); }
  /// Takes effect as events are appended: a lower cap evicts a few blocks with each new one and gives their memory
  /// back.
  void set_memory_cap_bytes(std::size_t bytes) { memory_cap_bytes_.store(bytes, std::memory_order_relaxed); }

  /// Finds or creates the lane with this info. Locks; rare. Throws base::Error beyond kMaxLanes lanes.
  LaneId add_lane(const LaneInfo& info);
  static constexpr std::size_t kMaxLanes = 4096;

  // --- the appending thread -----------------------------------------------------------------------------------------
  /// Appends an event; start order per lane. It goes into the first row that is free at event.start_ns. Not visible to
  /// readers before publish().
  void append(const Event& event) {
    Lane& lane = *lanes_[event.lane];
    const std::size_t rows = lane.row_count_.load(std::memory_order_relaxed);
    for (std::size_t r = 0; r < rows; ++r) {
      if (lane.rows_[r]->last_end_ <= event.start_ns) return append_to(*lane.rows_[r], event);
    }
    append_to_new_row(lane, event);
  }
  /// For a reader that keeps the rows of another trace: appends to this row of event.lane, which may be one past the
  /// last. False, and nothing is appended: there can be no such row, or the event starts before the row's last one
  /// ends.
  bool append_in_row(std::size_t row, const Event& event);
  /// Makes everything appended so far visible to readers.
  void publish();
  void set_complete_until(Nanoseconds t) { complete_until_.store(t, std::memory_order_release); }
  /// Visible to readers at once. Times of a process must ascend; what would overlap an earlier interval is cut.
  void change_recording(const RecordingChange& change);
  /// The same: from `t` on the GPU's work of a process is recorded, and its calls from `calls_from` on.
  void begin_recorded(std::int64_t pid, Nanoseconds t, Nanoseconds calls_from) {
    change_recording({RecordingChange::Act::Begin, pid, t, calls_from});
  }
  void begin_recorded(std::int64_t pid, Nanoseconds t) { begin_recorded(pid, t, t); }
  /// Takes over what is recorded in [from, to) of another trace.
  void copy_recording(const Trace& other, Nanoseconds from, Nanoseconds to, Nanoseconds shift = 0);
  void end_recorded(std::int64_t pid, Nanoseconds t) { change_recording({RecordingChange::Act::End, pid, t, 0}); }
  /// For a reader that needs the memory of events before they are in their order: a block that does not count as one of
  /// the trace's. Not initialised.
  Block* lend_block();
  /// That block is no longer needed: its memory is used for events that are appended.
  void take_back(Block* block) { unused_.push_back(block); }
  /// The memory of what was taken back and is still unused is given back to the system.
  void forget_unused();
  void count_dropped(std::uint64_t n) { dropped_.fetch_add(n, std::memory_order_relaxed); }
  void count_late(std::uint64_t n) { late_.fetch_add(n, std::memory_order_relaxed); }
  void count_clamped(std::uint64_t n) { clamped_.fetch_add(n, std::memory_order_relaxed); }

 private:
  template <typename T>
  struct Retired {
    std::atomic<T*>* slot;  // cleared once no reader can follow it
    std::uint64_t epoch;
  };
  struct FilledBlock {  // in the order of filling: the oldest is evicted first
    Row* row;
    std::size_t number;
  };
  struct ProcessCoverage {
    std::int64_t pid = 0;
    Coverage coverage;
  };
  static constexpr std::size_t kReaderSlots = 64;
  static constexpr int kEvictedAtOnce = 16;
  static constexpr std::size_t kKeptFree = 64;  // 2.5 MB

  Block* take_block();
  Row::Page* take_page();
  bool evict_oldest();  // false: nothing is left to evict
  void reclaim();
  std::uint64_t oldest_reader() const;
  Coverage* coverage_to_change(std::int64_t pid);
  Nanoseconds oldest_covered(std::int64_t pid) const;
  void give_back_memory(std::size_t cap);
  void append_to(Row& row, const Event& event);
  void append_to_new_row(Lane& lane, const Event& event);
  void append_carefully(Row& row, const Event& event);
  void put(Row& row, const Event& event);
  void after_put(Row& row, bool first_unpublished);
  bool begin_step(Row& row, const Event& event);  // false: the row is full
  void end_step(Row& row);
  bool begin_block(Row& row);  // false: the row is full
  void end_block(Row& row);

  base::NameTable names_, arguments_;
  CollectiveTable collectives_{arguments_};
  LaunchTable launches_;
  CallSites sites_;
  std::array<std::unique_ptr<Lane>, kMaxLanes> lanes_;
  std::atomic<std::size_t> lane_count_{0};
  std::mutex lanes_mutex_;
  std::array<std::unique_ptr<ProcessCoverage>, kMaxLanes> coverages_;
  std::atomic<std::size_t> coverage_count_{0};
  std::atomic<Nanoseconds> complete_until_{std::numeric_limits<Nanoseconds>::min()};
  std::atomic<std::uint64_t> recorded_{0}, evicted_{0}, dropped_{0}, late_{0}, clamped_{0};
  std::atomic<std::size_t> memory_bytes_{0};
  std::atomic<std::size_t> memory_cap_bytes_;

  mutable std::array<std::atomic<std::uint64_t>, kReaderSlots> reader_epochs_{};  // 0: the slot is free
  std::atomic<std::uint64_t> epoch_{1};

  // Appending thread only.
  base::Arena arena_;
  std::vector<Row*> touched_;
  std::deque<FilledBlock> filled_;
  std::vector<Retired<Block>> retired_;
  std::vector<Retired<Row::Page>> retired_pages_;
  std::vector<Retired<Coverage::Page>> retired_coverage_;
  std::vector<Block*> free_;
  std::vector<Block*> unused_;  // not counted: their memory is given back, or was lent to a reader
  std::vector<Row::Page*> pages_without_memory_;
  std::uint64_t recorded_now_ = 0;
};

/// Shared by what shows a trace and all works that read it: the last one frees it.
using SharedTrace = std::shared_ptr<const Trace>;

// --- event ref -------------------------------------------------------------------------------------------------------
// References to events by their place in a trace.

struct EventRef {
  LaneId lane = 0;
  std::size_t row = 0;
  EventIndex index = 0;
  Event event;

  bool operator==(const EventRef& o) const { return lane == o.lane && row == o.row && index == o.index; }
};

inline EventRef event_ref(LaneId lane, std::size_t number, const Row& row, EventIndex i) {
  EventRef found{lane, number, i, row.event(i)};
  found.event.lane = lane;
  return found;
}

/// Consecutive events of one sub-row: [first, last).
struct EventRun {
  LaneId lane = 0;
  std::size_t row = 0;
  EventIndex first = 0, last = 0;

  bool operator==(const EventRun&) const = default;
};

/// Calls f(lane, row number, row) for every sub-row of the lanes whose kind satisfies `wanted`.
template <typename Wanted, typename F>
void for_rows(const Trace& trace, Wanted wanted, F f) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (!wanted(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) f(static_cast<LaneId>(l), r, lane.row(r));
  }
}

}  // namespace lanescope::trace
