// All events of one run, grouped by lane; append-only while live. One thread appends, any number of threads read
// without locks: a reader sees what had been published when it looked.
//
// lane ── rows (sub-rows: overlapping or nested events are packed so that one row never overlaps itself)
//           └─ blocks of 1,024 events with stable addresses; starts, ends and the rest in separate arrays, so that a
//              search touches only what it compares; a summary of every 32 events in the block, and of every 256 beside
//              the blocks, where those of a whole row lie together: a picture of everything looks into no block.
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

#include "base/name_table.h"
#include "trace/event.h"
#include "trace/sink.h"

namespace lanescope::trace {

/// The number of an event in its row, counted from the row's first event ever; stays the same when old ones go.
using EventIndex = std::uint64_t;

inline constexpr std::size_t kBlockEvents = 1024;
inline constexpr std::size_t kBusyStep = 32;
inline constexpr std::size_t kSectionEvents = 256;

/// What an event carries beside its times, packed: 20 bytes.
struct PackedEvent {
  std::uint32_t name_kind_flags;  ///< 20 bits name | 4 bits kind | 8 bits flags
  std::uint32_t correlation, a, b, c;
};
static_assert(sizeof(PackedEvent) == 20);

/// What is known of kBusyStep events in a row without looking at one of them.
struct Step {
  Nanoseconds start;  ///< of its first event
  Nanoseconds end;    ///< of its last event; not yet known of a step that is still being written
  // Of the row before it, counted from the row's very first event.
  Nanoseconds busy_before;
  Nanoseconds wait_before;  ///< what its calls did not spend on their own cost
};

/// The same of kSectionEvents, and how its first event looks.
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

/// Events of a row that are drawn as one.
struct Fold {
  EventIndex last = 0;  ///< one past the newest of them
  Nanoseconds start = 0, end = 0;
  Nanoseconds busy_ns = 0;
};

/// One row of events that do not overlap, in time order: start(i) <= end(i) <= start(i + 1).
class Row {
 public:
  Row();
  ~Row();
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  /// The oldest event still kept, and one past the newest published.
  EventIndex first() const { return first_.load(std::memory_order_acquire); }
  EventIndex last() const { return published_.load(std::memory_order_acquire); }

  // For i in [first(), last()) as read under a Trace::ReadLock.
  Nanoseconds start(EventIndex i) const { return block(i)->start[i % kBlockEvents]; }
  Nanoseconds end(EventIndex i) const { return block(i)->end[i % kBlockEvents]; }
  Event event(EventIndex i) const;
  /// The event without its times, which lie elsewhere.
  Event untimed_event(EventIndex i) const;
  /// Its kind, name, flags and `a`, which decide how it is drawn; at the begin of what fold() gives it costs less than
  /// the event.
  Event look(EventIndex i) const;
  /// Sum of the durations of [from, to).
  Nanoseconds busy_ns(EventIndex from, EventIndex to) const;
  /// Sum of the time that the calls in [from, to) were waiting, copying and returning.
  Nanoseconds wait_ns(EventIndex from, EventIndex to) const;
  /// The first event in [from, to) that ends after t; `to` if none. O(log n), quick when it is near `from`.
  EventIndex first_ending_after(Nanoseconds t, EventIndex from, EventIndex to) const;
  /// The first event in [from, to) that starts at or after t; `to` if none.
  EventIndex first_starting_at_or_after(Nanoseconds t, EventIndex from, EventIndex to) const;
  /// The events from `first` on, in [first, to), that end less than `width` after its start, itself in any case; so one
  /// that lasts that long is alone. Where these are many it may be up to a quarter fewer, so that none of them needs to
  /// be looked at.
  Fold fold(EventIndex first, Nanoseconds width, EventIndex to) const;

 private:
  friend class Trace;
  static constexpr std::size_t kPageBlocks = 512;
  static constexpr std::size_t kPages = 1024;  // 1024 * 512 * 1024 events = 536 M per row
  struct Page {
    std::array<std::atomic<Block*>, kPageBlocks> blocks{};
    std::array<Nanoseconds, kPageBlocks> last_end{};  // of full blocks: a search over blocks touches only this
    // Not cleared, so that no memory is spent on those of a page that is never filled.
    std::array<Section, kPageBlocks * kBlockEvents / kSectionEvents> sections;
  };

  const Block* block(EventIndex i) const {
    const std::size_t b = i / kBlockEvents;
    return pages_[b / kPageBlocks]
        .load(std::memory_order_acquire)
        ->blocks[b % kPageBlocks]
        .load(std::memory_order_acquire);
  }
  Nanoseconds block_last_end(std::size_t b) const {
    return pages_[b / kPageBlocks].load(std::memory_order_acquire)->last_end[b % kPageBlocks];
  }
  Nanoseconds busy_before(EventIndex i) const;
  Nanoseconds wait_before(EventIndex i) const;
  Nanoseconds wait_of(EventIndex i) const;
  const Step& step(EventIndex i) const { return block(i)->steps[i % kBlockEvents / kBusyStep]; }
  const Section& section(EventIndex i) const {
    constexpr EventIndex kPageEvents = EventIndex{kPageBlocks} * kBlockEvents;
    return pages_[i / kPageEvents].load(std::memory_order_acquire)->sections[i % kPageEvents / kSectionEvents];
  }
  std::size_t block_of(Nanoseconds t, EventIndex from, EventIndex to) const;
  Fold fold_at(EventIndex first, Nanoseconds width, EventIndex to) const;
  void fetch_next(EventIndex first, EventIndex last, EventIndex to) const;
  EventIndex coarse_fold_end(Nanoseconds t, EventIndex first, EventIndex to) const;

  std::unique_ptr<std::atomic<Page*>[]> pages_;
  std::atomic<EventIndex> first_{0};
  std::atomic<EventIndex> published_{0};
  // Writer's side only.
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

  static constexpr std::size_t kMaxRows = 64;

 private:
  friend class Trace;
  LaneInfo info_;
  std::array<std::unique_ptr<Row>, kMaxRows> rows_;
  std::atomic<std::size_t> row_count_{0};
};

struct TraceCounts {
  std::uint64_t recorded = 0;  ///< events appended, ever
  std::uint64_t evicted = 0;   ///< the oldest ones, gone because of the memory cap
  std::uint64_t dropped = 0;   ///< lost on the way (a writer's queue was full, or more than Lane::kMaxRows overlapped)
  std::uint64_t late = 0;      ///< arrived after the reorder window, and so were packed into a further row
  std::uint64_t clamped = 0;   ///< ended before they started, and were made instants
};

class Trace {
 public:
  /// Keeps at most this much memory in blocks; the oldest blocks go first.
  explicit Trace(std::size_t memory_cap_bytes = std::size_t{2} << 30);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // --- any thread ---------------------------------------------------------------------------------------------------
  /// While one lives, no block is reused, so what has been seen stays readable. Cheap; hold it for a frame, not longer.
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
  std::size_t lane_count() const { return lane_count_.load(std::memory_order_acquire); }
  const Lane& lane(LaneId id) const { return *lanes_[id]; }
  /// Every range that ends before this instant, and everything else that starts before it, is in the trace (see
  /// EventWriter::complete_until). The live edge: what is newer is unknown, not idle.
  Nanoseconds complete_until() const { return complete_until_.load(std::memory_order_acquire); }
  TraceCounts counts() const;
  /// Time of the oldest kept event's start and of the newest end over all lanes; {0, 0} when empty.
  std::pair<Nanoseconds, Nanoseconds> extent() const;
  std::size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  std::size_t memory_cap_bytes() const { return memory_cap_bytes_; }

  /// Finds or makes the lane with this info. Locks; rare. At most kMaxLanes lanes (then base::Error).
  LaneId add_lane(const LaneInfo& info);
  static constexpr std::size_t kMaxLanes = 4096;

  // --- the appending thread -----------------------------------------------------------------------------------------
  /// Appends in start order per lane; packs into the first row that is free at event.start_ns. Published with
  /// publish().
  void append(const Event& event);
  /// Makes everything appended so far visible to readers.
  void publish();
  void set_complete_until(Nanoseconds t) { complete_until_.store(t, std::memory_order_release); }
  void count_dropped(std::uint64_t n) { dropped_.fetch_add(n, std::memory_order_relaxed); }
  void count_late(std::uint64_t n) { late_.fetch_add(n, std::memory_order_relaxed); }

 private:
  struct Retired {
    std::atomic<Block*>* slot;  // cleared when no reader can follow it any more
    std::uint64_t epoch;
  };
  struct FilledBlock {  // in the order in which they were filled: the oldest goes first
    Row* row;
    std::size_t number;
  };
  static constexpr std::size_t kReaderSlots = 64;

  Block* take_block();
  void evict_oldest();
  void reclaim();
  void append_to(Row& row, const Event& event);
  void append_to_new_row(Lane& lane, const Event& event);
  bool begin_block(Row& row);  // false: the row is full
  void end_block(Row& row);

  base::NameTable names_;
  std::array<std::unique_ptr<Lane>, kMaxLanes> lanes_;
  std::atomic<std::size_t> lane_count_{0};
  std::mutex lanes_mutex_;
  std::atomic<Nanoseconds> complete_until_{std::numeric_limits<Nanoseconds>::min()};
  std::atomic<std::uint64_t> recorded_{0}, evicted_{0}, dropped_{0}, late_{0}, clamped_{0};
  std::atomic<std::size_t> memory_bytes_{0};
  const std::size_t memory_cap_bytes_;

  mutable std::array<std::atomic<std::uint64_t>, kReaderSlots> reader_epochs_{};  // 0: the slot is free
  std::atomic<std::uint64_t> epoch_{1};

  // Appending thread only.
  std::vector<Row*> touched_;
  std::deque<FilledBlock> filled_;
  std::vector<Retired> retired_;
  std::vector<Block*> free_;
  std::uint64_t recorded_now_ = 0;
};

}  // namespace lanescope::trace
