#include "trace/trace.h"

#include <fmt/format.h>

#include <thread>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::trace {
namespace {

constexpr std::uint64_t kForgetEvery = 16;  // evicted blocks: then the lines of their calls are forgotten, too

// Interpolation search, see base/guess_search.h: returns the first of the ascending values[from, to) above t, or `to`.
// `before` is <= values[from] and <= t; `after` is >= values[to - 1] and > t.
std::size_t first_above(const Nanoseconds* values, std::size_t from, std::size_t to, Nanoseconds t, Nanoseconds before,
                        Nanoseconds after) {
  const double share = static_cast<double>(t - before) / static_cast<double>(after - before);
  const std::size_t guess = std::min(to - 1, from + static_cast<std::size_t>(share * static_cast<double>(to - from)));
  // Invariant: values before `low` are <= t, values from `high` on are > t.
  std::size_t low = from, high = to;
  std::size_t step = 1;
  if (values[guess] <= t) {
    low = guess + 1;
    while (low + step < high && values[low + step] <= t) {
      low += step + 1;
      step *= 2;
    }
    high = std::min(high, low + step);
  } else {
    high = guess;
    while (low + step < high && values[high - step] > t) {
      high -= step;
      step *= 2;
    }
    low = high - low > step ? high - step : low;
  }
  return static_cast<std::size_t>(std::upper_bound(values + low, values + high, t) - values);
}

// Fetches what the step after this one will be written to: it was last touched long ago, or never, and events that
// follow one another in time go to many places.
void fetch_step(const Block& block, std::size_t first) {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const auto* begin) {
    const auto* const bytes = reinterpret_cast<const char*>(begin);
    for (std::size_t at = 0; at < kBusyStep * sizeof(*begin); at += kLine) __builtin_prefetch(bytes + at, 1);
  };
  fetch(&block.start[first]);
  fetch(&block.end[first]);
  fetch(&block.rest[first]);
}

// The part of a blocking call beyond its own cost.
Nanoseconds wait_of_call(const Event& call) {
  const CallParts parts = parts_of(call);
  return parts.waiting + parts.copying + parts.returning;
}

/// The start of the oldest kept event of some lanes; kAlways if there is none. Not of rows with less than a block of
/// events: these keep theirs for ever.
template <class Counts>
Nanoseconds oldest_of_full_rows(const Trace& trace, Counts&& counts) {
  Nanoseconds oldest = std::numeric_limits<Nanoseconds>::max();
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (!counts(lane.info())) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const Row& row = lane.row(r);
      const EventIndex first = row.first();
      if (row.last() >= first + kBlockEvents) oldest = std::min(oldest, row.start(first));
    }
  }
  return oldest == std::numeric_limits<Nanoseconds>::max() ? Coverage::kAlways : oldest;
}

}  // namespace

// --- Row -------------------------------------------------------------------------------------------------------------

Row::Row() : pages_(std::make_unique<std::atomic<Page*>[]>(kPages)) {}

Event Row::look(EventIndex i) const {
  if (i % kSectionEvents != 0) return untimed_event(i);
  const Section& s = section(i);
  Event e;
  e.name = s.name_kind_flags & PackedEvent::kNameMask;
  e.kind = static_cast<EventKind>(s.name_kind_flags >> 20 & 15);
  e.flags = static_cast<std::uint8_t>(s.name_kind_flags >> 24);
  e.a = s.a;
  return e;
}

Nanoseconds Row::busy_ns(EventIndex from, EventIndex to) const {
  if (from >= to) return 0;
  // Uses to - 1, because the step of `to` may not be written yet.
  return busy_before(to - 1) + (end(to - 1) - start(to - 1)) - busy_before(from);
}

Nanoseconds Row::busy_before(EventIndex i) const {
  if (i % kSectionEvents == 0) return section(i).busy_before;
  const Block& b = *block(i);
  const std::size_t k = i % kBlockEvents;
  Nanoseconds sum = b.steps[k / kBusyStep].busy_before;
  for (std::size_t j = k / kBusyStep * kBusyStep; j < k; ++j) sum += b.end[j] - b.start[j];
  return sum;
}

Nanoseconds Row::wait_ns(EventIndex from, EventIndex to) const {
  if (from >= to) return 0;
  const bool at_step = to % kBusyStep == 0 && to < last();
  return (at_step ? wait_before(to) : wait_before(to - 1) + wait_of(to - 1)) - wait_before(from);
}

Nanoseconds Row::wait_before(EventIndex i) const {
  if (i % kSectionEvents == 0) return section(i).wait_before;
  const Block& b = *block(i);
  const std::size_t k = i % kBlockEvents;
  Nanoseconds sum = b.steps[k / kBusyStep].wait_before;
  for (std::size_t j = k / kBusyStep * kBusyStep; j < k; ++j) {
    if (is_blocking(trace::untimed_event(b, j))) sum += wait_of_call(trace::event(b, j));
  }
  return sum;
}

Nanoseconds Row::wait_of(EventIndex i) const { return is_blocking(untimed_event(i)) ? wait_of_call(event(i)) : 0; }

// The first block, starting at the one of `from`, that ends after t, or the block of `to - 1`. Galloping, then binary
// search. Reads only the last ends of full blocks.
std::size_t Row::block_of(Nanoseconds t, EventIndex from, EventIndex to) const {
  std::size_t low = from / kBlockEvents;
  const std::size_t last = (to - 1) / kBlockEvents;
  std::size_t step = 1;
  std::size_t high = low;
  while (high < last && block_last_end(high) <= t) {
    low = high + 1;
    high = std::min(last, high + step);
    step *= 2;
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (block_last_end(middle) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

EventIndex Row::first_ending_after(Nanoseconds t, EventIndex from, EventIndex to) const {
  if (from >= to) return to;
  const std::size_t low = block_of(t, from, to);
  const EventIndex block_begin = EventIndex{low} * kBlockEvents;
  const EventIndex begin = std::max(from, block_begin);
  const EventIndex end_index = std::min<EventIndex>(to, block_begin + kBlockEvents);
  const std::size_t first = begin - block_begin;
  const std::size_t past = end_index - block_begin;
  const Nanoseconds* ends = block(begin)->end.data();
  if (ends[first] > t) return begin;
  // The last ends of the blocks lie together in the page, so this reads no block. What is before `from` may be gone.
  const Nanoseconds before = low == from / kBlockEvents ? ends[first] : block_last_end(low - 1);
  if (before > t) return begin;
  const Nanoseconds after = past == kBlockEvents ? block_last_end(low) : ends[past - 1];
  if (after <= t) return end_index;
  return block_begin + first_above(ends, first, past, t, before, after);
}

EventIndex Row::first_starting_at_or_after(Nanoseconds t, EventIndex from, EventIndex to) const {
  // Events that end before t start before t. What remains is at most one event across t, and instants at t.
  EventIndex i = t == std::numeric_limits<Nanoseconds>::min() ? from : first_ending_after(t - 1, from, to);
  while (i < to && start(i) < t) ++i;
  return i;
}

// The end of a long fold, found by whole steps or sections: the first event of the first step or section that does not
// end at or before t. Returns `first` if it lies less than several steps ahead. Sections are stored beside the blocks,
// so reading them touches no block.
EventIndex Row::coarse_fold_end(Nanoseconds t, EventIndex first, EventIndex to) const {
  constexpr EventIndex kSeveral = 4;
  // Usually one step or section shows at once that the end is close: if it does not pass, look no further.
  const auto passes = [&](EventIndex size, auto&& end_of) {
    const EventIndex past = (first + kSeveral * size + size - 1) / size * size;
    return past < to && end_of(past - 1) <= t;
  };
  if (passes(kSectionEvents, [&](EventIndex i) { return section(i).end; })) {
    const std::size_t number = block_of(t, first, to);
    EventIndex end = EventIndex{number} * kBlockEvents;
    const EventIndex past = std::min<EventIndex>(to, end + kBlockEvents);
    while (end + kSectionEvents <= past && section(end).end <= t) end += kSectionEvents;
    if (end < to) return end;
  }
  if (!passes(kBusyStep, [&](EventIndex i) { return step(i).end; })) return first;
  const std::size_t number = block_of(t, first, to);
  const EventIndex block_begin = EventIndex{number} * kBlockEvents;
  const auto& steps = block(block_begin)->steps;
  const std::size_t from = first > block_begin ? (first - block_begin) / kBusyStep : 0;
  const std::size_t whole = std::min<EventIndex>(to - block_begin, kBlockEvents) / kBusyStep;
  const auto found = std::upper_bound(steps.begin() + from, steps.begin() + std::max(from, whole), t,
                                      [](Nanoseconds at, const Step& step) { return at < step.end; });
  const EventIndex end = block_begin + static_cast<EventIndex>(found - steps.begin()) * kBusyStep;
  return end < to ? end : first;
}

constexpr std::size_t kFewEvents = 16;

// first_ending_after() for a fold that coarse_fold_end() found to be short: most end within a few events, and the
// others within a few steps, whose ends are stored together.
EventIndex Row::near_fold_end(Nanoseconds t, EventIndex first, EventIndex to) const {
  const EventIndex past = std::min({to, first + kFewEvents, (first / kBlockEvents + 1) * kBlockEvents});
  if (first >= past) return to;
  const Block& b = *block(first);
  const Nanoseconds* const ends = b.end.data();
  if (ends[(past - 1) % kBlockEvents] > t) {
    while (ends[first % kBlockEvents] <= t) ++first;
    return first;
  }
  const EventIndex block_begin = first - first % kBlockEvents;
  const std::size_t whole = std::min<EventIndex>(to - block_begin, kBlockEvents) / kBusyStep;
  std::size_t from = past - block_begin, n = from / kBusyStep;
  for (; n < whole && b.steps[n].end <= t; ++n) from = (n + 1) * kBusyStep;
  if (n >= whole) return first_ending_after(t, block_begin + from, to);
  return block_begin + static_cast<EventIndex>(std::upper_bound(ends + from, ends + (n + 1) * kBusyStep, t) - ends);
}

// Prefetches what the next fold will probably read. Loops repeat, so the next fold has about as many events. Without
// this, a long trace would cause several cache misses per fold.
void Row::fetch_next(EventIndex first, EventIndex last, EventIndex to) const {
  // Sections are contiguous; the hardware prefetcher handles them.
  if (last >= to || last - first >= 4 * kSectionEvents) return;
  const EventIndex next = std::min(to - 1, last + (last - first));
  const Block& here = *block(last);
  const std::size_t k = last % kBlockEvents;
  __builtin_prefetch(&here.steps[k / kBusyStep]);
  __builtin_prefetch(&here.rest[k]);
  __builtin_prefetch(&here.start[k]);
  const Block& there = *block(next);
  const std::size_t j = next % kBlockEvents;
  __builtin_prefetch(&there.steps[j / kBusyStep]);
  if (last - first >= 4 * kBusyStep) return;
  __builtin_prefetch(&here.end[k]);
  __builtin_prefetch(&here.end[std::min(k + kFewEvents, kBlockEvents - 1)]);
  for (std::size_t n = j / kBusyStep * kBusyStep; n <= j; n += 8) {  // eight per cache line
    __builtin_prefetch(&there.end[n]);
    __builtin_prefetch(&there.start[n]);
  }
}

Fold Row::fold(EventIndex first, Nanoseconds width, EventIndex to) const {
  const Fold fold = fold_at(first, width, to);
  if (fold.last - first > 1) fetch_next(first, fold.last, to);
  return fold;
}

Fold Row::fold_at(EventIndex first, Nanoseconds width, EventIndex to) const {
  Fold fold;
  fold.start = first % kSectionEvents == 0 ? section(first).start : start(first);
  // An event that is `width` wide stands alone, so no event of this fold ends later than this.
  const Nanoseconds until = fold.start + width - 1;
  fold.last = coarse_fold_end(until, first, to);
  if (fold.last != first) {
    fold.end = fold.last % kSectionEvents == 0 ? section(fold.last - 1).end : step(fold.last - 1).end;
    fold.busy_ns = busy_before(fold.last) - busy_before(first);
    return fold;
  }
  // A wide event stands alone, even if instants follow at its very end.
  const bool wide = end(first) - fold.start >= width;
  fold.last = wide ? first + 1 : near_fold_end(until, first + 1, to);
  fold.end = end(fold.last - 1);
  fold.busy_ns = busy_ns(first, fold.last);
  return fold;
}

// --- Trace: any thread -----------------------------------------------------------------------------------------------

Trace::Trace(std::size_t memory_cap_bytes) : memory_cap_bytes_(memory_cap_bytes) {}

// A reader announces the epoch in which it began. A block retired in epoch e may be reused once every announced epoch
// is > e. The reader's "announce, then read Row::first_" and the writer's "move first_, then read the announcements"
// are sequentially ordered, by the fence here, so at least one of the two sees the other.
Trace::ReadLock::ReadLock(const Trace& trace) : trace_(trace) {
  for (;;) {
    for (slot_ = 0; slot_ < kReaderSlots; ++slot_) {
      std::uint64_t free_slot = 0;
      const std::uint64_t epoch = trace.epoch_.load(std::memory_order_seq_cst);
      if (trace.reader_epochs_[slot_].compare_exchange_strong(free_slot, epoch, std::memory_order_seq_cst)) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return;
      }
    }
    std::this_thread::yield();
  }
}

Trace::ReadLock::~ReadLock() { trace_.reader_epochs_[slot_].store(0, std::memory_order_seq_cst); }

TraceCounts Trace::counts() const {
  return {recorded_.load(std::memory_order_relaxed), evicted_.load(std::memory_order_relaxed),
          dropped_.load(std::memory_order_relaxed), late_.load(std::memory_order_relaxed),
          clamped_.load(std::memory_order_relaxed)};
}

const Coverage& Trace::coverage(std::int64_t pid) const {
  static const Coverage kEverything;
  const std::size_t count = coverage_count();
  for (std::size_t i = 0; i < count; ++i) {
    if (coverages_[i]->pid == pid) return coverages_[i]->coverage;
  }
  return kEverything;
}

bool Trace::recorded_in_parts() const {
  const std::size_t count = coverage_count();
  for (std::size_t i = 0; i < count; ++i) {
    if (!coverages_[i]->coverage.complete()) return true;
  }
  return false;
}

std::pair<Nanoseconds, Nanoseconds> Trace::extent() const {
  const ReadLock lock(*this);
  Nanoseconds from = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds to = std::numeric_limits<Nanoseconds>::min();
  for (std::size_t l = 0; l < lane_count(); ++l) {
    for (std::size_t r = 0; r < lane(static_cast<LaneId>(l)).row_count(); ++r) {
      const Row& row = lane(static_cast<LaneId>(l)).row(r);
      const EventIndex first = row.first();
      const EventIndex last = row.last();
      if (first >= last) continue;
      from = std::min(from, row.start(first));
      to = std::max(to, row.end(last - 1));
    }
  }
  return from > to ? std::pair<Nanoseconds, Nanoseconds>{0, 0} : std::pair{from, to};
}

LaneId Trace::add_lane(const LaneInfo& info) {
  const std::lock_guard lock(lanes_mutex_);
  const std::size_t count = lane_count_.load(std::memory_order_relaxed);
  for (std::size_t l = 0; l < count; ++l) {
    if (lanes_[l]->info() == info) return static_cast<LaneId>(l);
  }
  if (count == kMaxLanes) throw base::Error(base::tr("too many lanes in one trace; allowed: {}", kMaxLanes));
  lanes_[count] = std::make_unique<Lane>(info);
  lane_count_.store(count + 1, std::memory_order_release);
  return static_cast<LaneId>(count);
}

// --- Trace: the appending thread -------------------------------------------------------------------------------------

// A separate function, never inlined, so that the common path saves no registers.
[[gnu::noinline]] void Trace::append_to_new_row(Lane& lane, const Event& event) {
  const std::size_t rows = lane.row_count_.load(std::memory_order_relaxed);
  if (rows == Lane::kMaxRows) return count_dropped(1);
  lane.rows_[rows] = std::make_unique<Row>();
  lane.row_count_.store(rows + 1, std::memory_order_release);
  append_to(*lane.rows_[rows], event);
}

bool Trace::append_in_row(std::size_t row, const Event& event) {
  Lane& lane = *lanes_[event.lane];
  const std::size_t rows = lane.row_count_.load(std::memory_order_relaxed);
  if (row < rows) {
    if (event.start_ns < lane.rows_[row]->last_end_) return false;
    append_to(*lane.rows_[row], event);
    return true;
  }
  if (row > rows || rows == Lane::kMaxRows) return false;
  append_to_new_row(lane, event);
  return true;
}

// The common path makes no call but the last, so that it saves no registers.
void Trace::append_to(Row& row, const Event& event) {
  if (row.written_ % kBusyStep == 0 || event.end_ns < event.start_ns) return append_carefully(row, event);
  put(row, event);
}

[[gnu::noinline]] void Trace::append_carefully(Row& row, const Event& event) {
  if (event.end_ns < event.start_ns) {
    Event instant = event;
    instant.end_ns = event.start_ns;
    clamped_.fetch_add(1, std::memory_order_relaxed);
    return append_carefully(row, instant);
  }
  if (row.written_ % kBusyStep == 0 && !begin_step(row, event)) return count_dropped(1);
  put(row, event);
}

inline void Trace::put(Row& row, const Event& event) {
  const std::size_t k = row.written_ % kBlockEvents;
  Block& block = *row.writing_;
  block.start[k] = event.start_ns;
  block.end[k] = event.end_ns;
  block.rest[k] = pack(event);
  row.busy_total_ += event.end_ns - event.start_ns;
  if (is_blocking(event)) row.wait_total_ += wait_of_call(event);
  row.last_end_ = event.end_ns;
  ++recorded_now_;
  const bool first_unpublished = row.written_++ == row.published_.load(std::memory_order_relaxed);
  if (first_unpublished || k % kBusyStep == kBusyStep - 1) after_put(row, first_unpublished);
}

[[gnu::noinline]] void Trace::after_put(Row& row, bool first_unpublished) {
  if (first_unpublished) touched_.push_back(&row);
  if (row.written_ % kBusyStep == 0) end_step(row);
}

// What the summaries need of a step's first event. False: the row is full.
bool Trace::begin_step(Row& row, const Event& event) {
  const std::size_t k = row.written_ % kBlockEvents;
  if (k == 0 && !begin_block(row)) return false;
  if (k + kBusyStep < kBlockEvents) fetch_step(*row.writing_, k + kBusyStep);
  Step& step = row.writing_->steps[k / kBusyStep];
  step.busy_before = row.busy_total_;
  step.wait_before = row.wait_total_;
  if (k % kSectionEvents == 0) {
    row.writing_sections_[k / kSectionEvents] = {
        event.start_ns, event.end_ns, row.busy_total_, row.wait_total_, pack(event).name_kind_flags, event.a};
  }
  return true;
}

// Called right after a step's last event has been written.
void Trace::end_step(Row& row) {
  const std::size_t k = (row.written_ - 1) % kBlockEvents;
  row.writing_->steps[k / kBusyStep].end = row.last_end_;
  if (k % kSectionEvents == kSectionEvents - 1) row.writing_sections_[k / kSectionEvents].end = row.last_end_;
  if (k == kBlockEvents - 1) end_block(row);
}

bool Trace::begin_block(Row& row) {
  const std::size_t number = row.written_ / kBlockEvents;
  std::atomic<Row::Page*>& slot = row.page_slot(number);
  if (number % Row::kPageBlocks == 0) {
    reclaim();
    if (slot.load(std::memory_order_relaxed)) return false;  // the circle is full
    slot.store(take_page(), std::memory_order_release);
  }
  Row::Page* const page = slot.load(std::memory_order_relaxed);
  row.writing_ = take_block();
  row.writing_sections_ = &page->sections[number % Row::kPageBlocks * (kBlockEvents / kSectionEvents)];
  page->blocks[number % Row::kPageBlocks].store(row.writing_, std::memory_order_release);
  return true;
}

// Called right after the block's last event has been written.
void Trace::end_block(Row& row) {
  const std::size_t number = (row.written_ - 1) / kBlockEvents;
  row.page_slot(number).load(std::memory_order_relaxed)->last_end[number % Row::kPageBlocks] = row.last_end_;
  filled_.push_back({&row, number});
}

void Trace::publish() {
  for (Row* row : touched_) row->published_.store(row->written_, std::memory_order_release);
  touched_.clear();
  recorded_.fetch_add(recorded_now_, std::memory_order_relaxed);
  recorded_now_ = 0;
}

Row::Page* Trace::take_page() {
  memory_bytes_.fetch_add(sizeof(Row::Page), std::memory_order_relaxed);
  void* place = nullptr;
  if (pages_without_memory_.empty()) {
    place = arena_.take(sizeof(Row::Page));
  } else {
    place = pages_without_memory_.back();
    pages_without_memory_.pop_back();
  }
  return new (place) Row::Page;
}

// Eviction depends only on what was appended: what is retired and still waits for a reader does not count.
Block* Trace::take_block() {
  const std::size_t cap = memory_cap_bytes();
  const auto full = [&] {
    const std::size_t gone =
        (retired_.size() + free_.size()) * sizeof(Block) + retired_pages_.size() * sizeof(Row::Page);
    return memory_bytes_.load(std::memory_order_relaxed) - gone + sizeof(Block) > cap;
  };
  // More than one if the cap was lowered; not all at once, because the recorder must keep up meanwhile.
  for (int evicted = 0; evicted < kEvictedAtOnce && full() && evict_oldest(); ++evicted) continue;
  reclaim();
  give_back_memory(cap);
  if (!free_.empty()) {
    Block* block = free_.back();
    free_.pop_back();
    return block;
  }
  memory_bytes_.fetch_add(sizeof(Block), std::memory_order_relaxed);
  if (!unused_.empty()) {
    Block* block = unused_.back();
    unused_.pop_back();
    return block;
  }
  return lend_block();
}

Block* Trace::lend_block() { return new (arena_.take(sizeof(Block))) Block; }

void Trace::forget_unused() {
  for (Block* block : unused_) base::Arena::give_back(block, sizeof(Block));
}

// Some are kept, because while a reader holds the oldest, more blocks are in use than the cap allows.
void Trace::give_back_memory(std::size_t cap) {
  while (free_.size() > kKeptFree && memory_bytes_.load(std::memory_order_relaxed) > cap) {
    base::Arena::give_back(free_.back(), sizeof(Block));
    unused_.push_back(free_.back());
    free_.pop_back();
    memory_bytes_.fetch_sub(sizeof(Block), std::memory_order_relaxed);
  }
}

bool Trace::evict_oldest() {
  if (filled_.empty()) return false;
  const auto [row, number] = filled_.front();
  filled_.pop_front();
  const EventIndex next = EventIndex{number + 1} * kBlockEvents;
  if (next > row->published_.load(std::memory_order_relaxed)) publish();
  row->first_.store(next, std::memory_order_seq_cst);
  std::atomic<Row::Page*>& page_slot = row->page_slot(number);
  const std::uint64_t epoch = epoch_.fetch_add(1, std::memory_order_seq_cst);
  retired_.push_back({&page_slot.load()->blocks[number % Row::kPageBlocks], epoch});
  if (number % Row::kPageBlocks == Row::kPageBlocks - 1) retired_pages_.push_back({&page_slot, epoch});
  const std::uint64_t evicted = evicted_.fetch_add(kBlockEvents, std::memory_order_relaxed);
  if (evicted / kBlockEvents % kForgetEvery == 0 && sites_.noted() > 0) {
    sites_.forget_before(oldest_of_full_rows(*this, [](const LaneInfo& info) { return info.kind == LaneKind::Calls; }));
  }
  return true;
}

std::uint64_t Trace::oldest_reader() const {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  for (const auto& slot : reader_epochs_) {
    const std::uint64_t epoch = slot.load(std::memory_order_seq_cst);
    if (epoch != 0) oldest = std::min(oldest, epoch);
  }
  return oldest;
}

void Trace::reclaim() {
  if (retired_.empty()) return;
  const std::uint64_t oldest = oldest_reader();
  std::erase_if(retired_, [&](const Retired<Block>& r) {
    if (r.epoch >= oldest) return false;
    free_.push_back(r.slot->exchange(nullptr, std::memory_order_acq_rel));
    return true;
  });
  // After the blocks, whose slots are in the pages.
  std::erase_if(retired_pages_, [&](const Retired<Row::Page>& r) {
    if (r.epoch >= oldest) return false;
    Row::Page* const page = r.slot->exchange(nullptr, std::memory_order_acq_rel);
    base::Arena::give_back(page, sizeof(Row::Page));
    pages_without_memory_.push_back(page);
    memory_bytes_.fetch_sub(sizeof(Row::Page), std::memory_order_relaxed);
    return true;
  });
}

// --- Trace: which part is recorded -----------------------------------------------------------------------------------

// Null: there are more processes than lanes, so this one has none.
Coverage* Trace::coverage_to_change(std::int64_t pid) {
  const std::size_t count = coverage_count_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < count; ++i) {
    if (coverages_[i]->pid == pid) return &coverages_[i]->coverage;
  }
  if (count == coverages_.size()) return nullptr;
  coverages_[count] = std::make_unique<ProcessCoverage>();
  coverages_[count]->pid = pid;
  coverage_count_.store(count + 1, std::memory_order_release);
  return &coverages_[count]->coverage;
}

// Of the kinds that are recorded in parts.
Nanoseconds Trace::oldest_covered(std::int64_t pid) const {
  return oldest_of_full_rows(*this, [pid](const LaneInfo& info) {
    return info.pid == pid && (info.kind == LaneKind::Calls || is_gpu_lane(info.kind));
  });
}

}  // namespace lanescope::trace
