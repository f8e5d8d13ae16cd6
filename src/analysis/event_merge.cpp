#include "analysis/event_merge.h"

#include <algorithm>
#include <bit>

namespace lanescope::analysis {

using trace::LaneKind;

EventMerge::EventMerge(const trace::Trace& trace, std::initializer_list<LaneKind> kinds, trace::GpuNumber only)
    : trace_(trace), owners_(trace), only_(only) {
  for (const LaneKind kind : kinds) kinds_ |= 1u << static_cast<unsigned>(kind);
}

std::uint32_t EventMerge::rank(LaneKind kind) {
  switch (kind) {
    case LaneKind::Iterations:
      return 0;
    case LaneKind::Phases:
      return 1;
    case LaneKind::Calls:
      return 2;
    default:
      return 3;
  }
}

bool EventMerge::wanted(trace::LaneId id, LaneKind kind) const {
  if ((kinds_ >> static_cast<unsigned>(kind) & 1u) == 0) return false;
  if (only_ == trace::kNobody || kind == LaneKind::Markers || kind == LaneKind::Counter) return true;
  return owners_.process_of(id) == owners_.gpus()[only_].process;
}

void EventMerge::add_row(const WatchedLane& lane, std::size_t number) {
  static_assert(trace::Trace::kMaxLanes <= 1u << 16 && trace::Lane::kMaxRows <= 1u << 8);
  const trace::Row& row = lane.lane->row(number);
  Source source{&row, row.first(), row.last(), lane.id, lane.lane->info().kind};
  source.order = rank(source.kind) << 24 | std::uint32_t{lane.id} << 8 | static_cast<std::uint32_t>(number);
  if (source.kind == LaneKind::Iterations) {
    if (from_ != kFromTheBeginning) source.next = row.first_starting_at_or_after(from_, source.next, source.last);
  } else {
    const Nanoseconds from = source.kind == LaneKind::Phases ? from_ : context_from_;
    if (from != kFromTheBeginning) source.next = row.first_ending_after(from - 1, source.next, source.last);
  }
  sources_.push_back(source);
}

/// Looks for newly published events. Returns true if GPU work was evicted unread.
bool EventMerge::refresh() {
  owners_.refresh();
  for (const std::size_t count = trace_.lane_count(); lanes_seen_ < count; ++lanes_seen_) {
    const auto id = static_cast<trace::LaneId>(lanes_seen_);
    const trace::Lane& lane = trace_.lane(id);
    if (wanted(id, lane.info().kind)) lanes_.push_back({&lane, id});
  }
  const std::size_t known = sources_.size();
  for (WatchedLane& lane : lanes_)
    for (const std::size_t rows = lane.lane->row_count(); lane.rows < rows; ++lane.rows) add_row(lane, lane.rows);
  if (sources_.size() != known) std::ranges::sort(sources_, {}, &Source::order);

  bool lost = false;
  leaves_ = std::bit_ceil(sources_.size());
  heads_.assign(2 * leaves_, Head{});
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& s = sources_[i];
    s.last = s.row->last();
    s.block = nullptr;  // may have been reused since the last lock
    if (const trace::EventIndex first = s.row->first(); first > s.next) {
      s.next = first;
      lost |= trace::is_gpu_work_lane(s.kind);
    }
    if (s.next < s.last) heads_[leaves_ + i] = {s.row->start(s.next), static_cast<std::uint32_t>(i)};
  }
  compete();
  return lost;
}

/// From the heads of the sources, which are in the second half.
void EventMerge::compete() {
  later_.resize(leaves_);
  for (std::size_t n = leaves_ - 1; n > 0; --n) {
    const Head &a = heads_[2 * n], &b = heads_[2 * n + 1];
    heads_[n] = b.before(a) ? b : a;
    later_[n] = b.before(a) ? a : b;
  }
  later_[0] = heads_[1];
}

}  // namespace lanescope::analysis
