#include "timeline/minimap_bins.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
using base::Nanoseconds;
using trace::EventIndex;

// Maximum number of the newest bins that are recomputed.
constexpr Nanoseconds kLooseBins = 64;

// A bin with fewer iterations shows what the lanes show: interpolating within an iteration would draw it flat, although
// the bins before the first record and after the last are not.
constexpr std::ptrdiff_t kIterationsToAverage = 4;

std::ptrdiff_t ends_between(std::span<const IterationRecord> records, Nanoseconds from, Nanoseconds to) {
  const auto at = [&](Nanoseconds t) { return std::ranges::lower_bound(records, t, {}, &IterationRecord::end_ns); };
  return at(to) - at(from);
}

// A running total of the records at time `t`, interpolated between two of them.
double total_until(std::span<const IterationRecord> records, Nanoseconds t, Nanoseconds IterationRecord::*member) {
  const auto after = std::upper_bound(records.begin(), records.end(), t,
                                      [](Nanoseconds at, const IterationRecord& r) { return at < r.end_ns; });
  if (after == records.begin()) return static_cast<double>(records.front().*member);
  const IterationRecord& a = *std::prev(after);
  if (after == records.end()) return static_cast<double>(a.*member);
  const double share = static_cast<double>(t - a.end_ns) / static_cast<double>(after->end_ns - a.end_ns);
  return static_cast<double>(a.*member) + share * static_cast<double>((*after).*member - a.*member);
}

// Busy and waiting time of a row within [from, to). An event that crosses an edge counts proportionally.
struct RowTimes {
  double busy = 0, waiting = 0;
};
RowTimes times_of(const trace::Row& row, Nanoseconds from, Nanoseconds to) {
  const EventIndex first = row.first();
  const EventIndex last = row.last();
  EventIndex i = row.first_ending_after(from, first, last);
  EventIndex end = row.first_starting_at_or_after(to, i, last);
  if (i >= end) return {};
  RowTimes times;
  const auto part = [&](EventIndex e) {
    const Nanoseconds length = row.end(e) - row.start(e);
    const Nanoseconds inside = std::min(to, row.end(e)) - std::max(from, row.start(e));
    times.busy += static_cast<double>(inside);
    if (length > 0) {
      times.waiting +=
          static_cast<double>(row.wait_ns(e, e + 1)) * static_cast<double>(inside) / static_cast<double>(length);
    }
  };
  part(i++);
  if (i < end) part(--end);
  if (i < end) {
    times.busy += static_cast<double>(row.busy_ns(i, end));
    times.waiting += static_cast<double>(row.wait_ns(i, end));
  }
  return times;
}

}  // namespace

MinimapBin MinimapBins::bin(const trace::Trace& trace, std::span<const IterationRecord> records, Nanoseconds from,
                            Nanoseconds to) const {
  MinimapBin result;
  const auto length = static_cast<double>(to - from);
  const bool by_records = records.size() > 1 && from >= records.front().end_ns && to <= records.back().end_ns &&
                          ends_between(records, from, to) >= kIterationsToAverage;
  double busy = 0;
  double waiting = 0;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    const bool gpu = trace::is_gpu_work_lane(lane.info().kind);
    const bool calls = lane.info().kind == trace::LaneKind::Calls;
    RowTimes lane_times;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex a = row.first_starting_at_or_after(from, row.first(), row.last());
      result.events += static_cast<std::int64_t>(row.first_starting_at_or_after(to, a, row.last()) - a);
      if (by_records || (!gpu && !calls)) continue;
      const RowTimes times = times_of(row, from, to);
      lane_times.busy += times.busy;
      lane_times.waiting += times.waiting;
    }
    if (gpu) busy = std::max(busy, lane_times.busy);
    if (calls) waiting = std::max(waiting, lane_times.waiting);
  }
  double recorded = length;
  for (std::size_t c = 0; c < trace.coverage_count(); ++c) {
    const auto here = static_cast<double>(trace.coverage(trace.covered_pid(c)).recorded_ns(from, to));
    recorded = c == 0 ? here : std::max(recorded, here);
  }
  if (by_records) {
    const auto rise = [&](Nanoseconds IterationRecord::*member) {
      return total_until(records, to, member) - total_until(records, from, member);
    };
    busy = rise(&IterationRecord::busy_ns);
    waiting = rise(&IterationRecord::wait_ns);
  }
  result.recorded = static_cast<float>(recorded / length);
  result.busy = recorded > 0 ? static_cast<float>(std::clamp(busy / recorded, 0.0, 1.0)) : 0;
  result.waiting = static_cast<float>(std::clamp(waiting / length, 0.0, 1.0));
  return result;
}

// Doubles the length of the bins.
void MinimapBins::join_pairs() {
  if (from_ & bin_ns()) {  // the first is the second of its pair
    from_ -= bin_ns();
    bins_.insert(bins_.begin(), MinimapBin{});
    ++final_;
  }
  ++exponent_;
  most_events_ = 0;
  std::vector<MinimapBin> joined;
  for (std::size_t i = 0; i < bins_.size(); i += 2) {
    const MinimapBin& a = bins_[i];
    const MinimapBin b = i + 1 < bins_.size() ? bins_[i + 1] : MinimapBin{};
    const float recorded = (a.recorded + b.recorded) / 2;
    const float busy = recorded > 0 ? (a.busy * a.recorded + b.busy * b.recorded) / (2 * recorded) : 0;
    joined.push_back({a.events + b.events, busy, (a.waiting + b.waiting) / 2, recorded});
    most_events_ = std::max(most_events_, joined.back().events);
  }
  bins_ = std::move(joined);
  final_ /= 2;
  next_ = final_;
}

void MinimapBins::update(const trace::Trace& trace, std::span<const IterationRecord> records, Nanoseconds begin,
                         Nanoseconds edge, bool live, std::size_t budget) {
  complete_ = edge <= begin;
  if (complete_) return;
  if (bins_.empty()) {
    while (edge - begin > static_cast<Nanoseconds>(kMost) << exponent_) ++exponent_;
    from_ = begin & ~(bin_ns() - 1);
  }
  while (edge - from_ > static_cast<Nanoseconds>(kMost) << exponent_) join_pairs();
  // Removes bins of evicted events.
  const auto gone = std::clamp<Nanoseconds>((begin - from_) >> exponent_, 0, static_cast<Nanoseconds>(final_));
  if (gone > 0) {
    bins_.erase(bins_.begin(), bins_.begin() + gone);
    from_ += gone << exponent_;
    final_ -= static_cast<std::size_t>(gone);
    next_ = final_;
    most_events_ = 0;
    for (const MinimapBin& b : bins_) most_events_ = std::max(most_events_, b.events);
  }
  // The records of the newest iterations are still missing. Do not wait for a very long one.
  const Nanoseconds recorded = records.empty() ? edge : records.back().end_ns;
  const Nanoseconds settled = live ? std::max(std::min(recorded, edge), edge - (kLooseBins << exponent_)) : edge;
  const trace::Trace::ReadLock lock(trace);
  std::size_t rows = 1;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) rows += trace.lane(static_cast<trace::LaneId>(l)).row_count();
  const auto count = static_cast<std::size_t>(((edge - 1 - from_) >> exponent_) + 1);
  bins_.resize(count);
  next_ = std::clamp(next_, final_, count);
  for (std::size_t spent = 0; spent < budget && next_ < count; spent += rows) {
    const Nanoseconds from = from_ + (static_cast<Nanoseconds>(next_) << exponent_);
    const Nanoseconds to = from + bin_ns();
    bins_[next_] = bin(trace, records, from, std::min(to, edge));
    most_events_ = std::max(most_events_, bins_[next_].events);
    if (to <= settled && next_ == final_) ++final_;
    ++next_;
  }
  complete_ = next_ == count;
  if (complete_) next_ = final_;
}

}  // namespace lanescope::ui
