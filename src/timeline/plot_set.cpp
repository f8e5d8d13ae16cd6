#include "timeline/plot_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "base/huge_pages.h"

namespace lanescope::ui {

using analysis::CauseGroup;
using analysis::IterationRecord;

double plot_value(PlotKind kind, const IterationRecord& before, const IterationRecord& last) {
  const auto ns = static_cast<double>(last.end_ns - before.end_ns);
  // A part of an iteration says little: a burst's first moment is all kernel. What is recorded counts if it is as long
  // as an iteration.
  const auto recorded = static_cast<double>(last.recorded_since(before));
  const bool known = recorded * static_cast<double>(last.number - before.number) >= ns;
  constexpr PlotKinds kAlwaysKnown{PlotKind::IterationsPerSecond, PlotKind::IterationTime, PlotKind::CpuWaiting,
                                   PlotKind::DataWaiting,         PlotKind::Syncs,         PlotKind::Loss};
  const auto rise = [&](auto member) { return static_cast<double>(last.*member - before.*member); };
  const auto idle = [&](CauseGroup group) {
    return static_cast<double>(idle_of(last.bubble_ns, group) - idle_of(before.bubble_ns, group)) / recorded * 100;
  };
  const auto rate = [&](auto bytes, auto time) {
    const double copying = rise(time);
    return copying > 0 ? rise(bytes) / copying : 0;
  };
  if (ns <= 0 || (!known && !kAlwaysKnown.has(kind))) return std::numeric_limits<double>::quiet_NaN();
  switch (kind) {
    case PlotKind::IterationsPerSecond:
      return rise(&IterationRecord::number) / ns * 1e9;
    case PlotKind::IterationTime:
      return rise(&IterationRecord::iterations_ns) / std::max(1.0, rise(&IterationRecord::number));
    case PlotKind::GpuBusy:
      return rise(&IterationRecord::busy_ns) / recorded * 100;
    case PlotKind::CpuWaiting:
      return rise(&IterationRecord::wait_ns) / ns * 100;
    case PlotKind::DataWaiting:
      return rise(&IterationRecord::loader_wait_ns) / ns * 100;
    case PlotKind::RunAhead:
      return rise(&IterationRecord::run_ahead_ns) / recorded;
    case PlotKind::RunAheadMax:
      return static_cast<double>(last.run_ahead_max);
    case PlotKind::H2D:
      return rate(&IterationRecord::h2d_bytes, &IterationRecord::h2d_ns);
    case PlotKind::D2H:
      return rate(&IterationRecord::d2h_bytes, &IterationRecord::d2h_ns);
    case PlotKind::Syncs:
      return rise(&IterationRecord::sync_count) / std::max(1.0, rise(&IterationRecord::number));
    case PlotKind::IdleAfterSync:
      return idle(CauseGroup::AfterSync);
    case PlotKind::IdleLaunch:
      return idle(CauseGroup::Launch);
    case PlotKind::IdleCopy:
      return idle(CauseGroup::Copy);
    case PlotKind::IdleLoader:
      return idle(CauseGroup::Loader);
    case PlotKind::Loss:
      return last.loss;
  }
  return 0;
}

Extremes plot_extremes(PlotKind kind, const IterationRecord& before, const IterationRecord& last) {
  Extremes result;
  const bool of_many = last.number > before.number + 1 && last.shortest_ns > 0;
  if (kind == PlotKind::IterationTime && last.longest_ns > 0) {
    result.take(static_cast<float>(last.shortest_ns));
    result.take(static_cast<float>(last.longest_ns));
    return result;
  }
  result.take(static_cast<float>(plot_value(kind, before, last)));
  if (kind == PlotKind::IterationsPerSecond && of_many) {
    result.take(static_cast<float>(1e9 / static_cast<double>(last.shortest_ns)));
    result.take(static_cast<float>(1e9 / static_cast<double>(last.longest_ns)));
  }
  return result;
}

// --- plot extremes ---------------------------------------------------------------------------------------------------

namespace {

using Records = std::span<const IterationRecord>;

// Gaps, run-ahead and loss become known late, so the newest records may change, all from some record on. This many
// unchanged ones in a row mean that those before them have not changed either.
constexpr std::size_t kUnchanged = 64;

std::uint64_t late_value(const IterationRecord& r) {
  auto sum = static_cast<std::uint64_t>(std::accumulate(r.bubble_ns.begin(), r.bubble_ns.end(), std::int64_t{0}));
  sum = sum * 31 + static_cast<std::uint64_t>(r.run_ahead_ns);
  sum = sum * 31 + static_cast<std::uint64_t>(r.run_ahead_max);
  return sum * 31 + std::bit_cast<std::uint64_t>(r.loss);
}

bool is_late(PlotKind kind) {
  constexpr PlotKinds kLate{PlotKind::RunAhead, PlotKind::RunAheadMax, PlotKind::IdleAfterSync, PlotKind::IdleLaunch,
                            PlotKind::IdleCopy, PlotKind::IdleLoader,  PlotKind::Loss};
  return kLate.has(kind);
}

Extremes extremes_value_at(PlotKind kind, Records records, std::size_t i) {
  // The first record's totals include what happened before the first iteration: it serves only as a reference for the
  // next.
  return i == 0 ? Extremes{} : plot_extremes(kind, records[i - 1], records[i]);
}

}  // namespace

bool PlotExtremes::sync(Records records, PlotKinds kinds, std::uint64_t generation) {
  bool changed = kinds != kinds_;
  kinds_ = kinds;
  if (generation != generation_ || records.empty() || (!numbers_.empty() && records.back().number < numbers_.back())) {
    generation_ = generation;
    clear();
    for (auto& tree : trees_) tree.clear();
    changed = true;
  }
  const std::size_t common = std::min(numbers_.size(), records.size());
  // Records are only removed between others, so an equal number at the same index means that none was removed.
  if (common > 0 && (numbers_.size() > common || numbers_[common - 1] != records[common - 1].number)) {
    merge(records);
    changed = true;
  }
  changed = forget_changed(records) || numbers_.size() < records.size() || changed;
  for (std::size_t i = numbers_.size(); i < records.size(); ++i) note(records[i]);
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    const auto kind = static_cast<PlotKind>(k);
    BlockTree<Extremes>& tree = trees_[k];
    if (!kinds.has(kind)) {
      tree.clear();
      continue;
    }
    for (std::size_t i = tree.size(); i < records.size(); ++i) tree.push(extremes_value_at(kind, records, i));
  }
  return changed;
}

void PlotExtremes::clear() {
  numbers_.clear();
  ends_.clear();
  late_values_.clear();
}

void PlotExtremes::note(const IterationRecord& record) {
  numbers_.push_back(record.number);
  ends_.push_back(record.end_ns);
  late_values_.push_back(late_value(record));
}

// The first record from which on each covers just itself, up to the newest known one: reading the numbers of all of
// them would take milliseconds.
std::size_t PlotExtremes::first_complete(Records records) const {
  const auto newest = std::ranges::lower_bound(records, numbers_.back(), {}, &IterationRecord::number);
  if (newest == records.end() || newest->number != numbers_.back()) return records.size();
  const auto until = static_cast<std::size_t>(newest - records.begin());
  const auto removed_before = [&](std::size_t i) {
    const auto known = std::ranges::lower_bound(numbers_, records[i].number);
    return static_cast<std::size_t>(known - numbers_.begin()) - i;
  };
  const auto all = std::views::iota(std::size_t{0}, until + 1);
  // The record found may itself cover those that were removed right before it.
  return *std::ranges::lower_bound(all, removed_before(until), {}, removed_before) + 1;
}

void PlotExtremes::merge(Records records) {
  // The number of old records that each current record covers; one that also covers something new ends the list.
  std::vector<std::uint32_t> taken;
  const std::size_t complete = first_complete(records);
  std::size_t old = 0;
  for (const IterationRecord& r : records.first(complete)) {
    const std::size_t from = old;
    while (old < numbers_.size() && numbers_[old] <= r.number) ++old;
    if (old == from || numbers_[old - 1] != r.number) break;
    taken.push_back(static_cast<std::uint32_t>(old - from));
  }
  if (taken.size() == complete) taken.resize(complete + numbers_.size() - old, 1);
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    BlockTree<Extremes>& tree = trees_[k];
    if (tree.size() == 0) continue;
    BlockTree<Extremes> merged;
    std::size_t leaf = 0;
    for (const std::uint32_t count : taken) {
      if (leaf + count > tree.size()) break;
      Extremes joined;
      for (std::uint32_t i = 0; i < count; ++i) joined.join(tree.leaf(leaf++));
      merged.push(joined);
    }
    // A record that also covers something new: keep what was seen of it.
    if (const std::size_t i = merged.size(); i < records.size() && i > 0 && leaf < tree.size()) {
      Extremes joined = extremes_value_at(static_cast<PlotKind>(k), records, i);
      while (leaf < tree.size() && numbers_[leaf] <= records[i].number) joined.join(tree.leaf(leaf++));
      merged.push(joined);
    }
    tree = std::move(merged);
  }
  old = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    old += taken[i];
    numbers_[i] = numbers_[old - 1];
    ends_[i] = ends_[old - 1];
    late_values_[i] = taken[i] == 1 ? late_values_[old - 1] : late_value(records[i]);
  }
  numbers_.resize(taken.size());
  ends_.resize(taken.size());
  late_values_.resize(taken.size());
}

bool PlotExtremes::forget_changed(Records records) {
  std::size_t first = numbers_.size();
  for (std::size_t i = numbers_.size(), same = 0; i > 0 && same < kUnchanged; --i) {
    const std::uint64_t now = late_value(records[i - 1]);
    same = now == late_values_[i - 1] ? same + 1 : 0;
    if (same == 0) first = i - 1;
    late_values_[i - 1] = now;
  }
  if (first == numbers_.size()) return false;
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    if (is_late(static_cast<PlotKind>(k))) trees_[k].truncate(first);
  }
  return true;
}

// --- plot set --------------------------------------------------------------------------------------------------------

void PlotSet::prepare(std::span<const IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge,
                      const PlotsWanted& wanted) {
  const bool changed = extremes_.sync(records, wanted.kinds, wanted.generation);
  if (!changed && wanted_ == wanted && axis_ == axis && live_edge_ == live_edge) return;
  wanted_ = wanted;
  axis_ = axis;
  live_edge_ = live_edge;
  const auto count = static_cast<std::size_t>(std::max(0.0f, axis.width_px()));
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<PlotKind> kinds;
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    const auto kind = static_cast<PlotKind>(k);
    columns_[k].assign(wanted.kinds.has(kind) ? count : 0, {kNaN, kNaN, kNaN});
    if (wanted.kinds.has(kind)) kinds.push_back(kind);
  }
  records_.assign(count, -1);
  if (records.empty()) return;
  const std::span<const base::Nanoseconds> ends = extremes_.ends();
  const auto first_ending_at = [&](std::size_t from, base::Nanoseconds t) {
    // Starts near `from`, where the next column is: doubling steps, then binary search.
    std::size_t step = 1;
    std::size_t low = from;
    while (low + step < ends.size() && ends[low + step] < t) {
      low += step;
      step *= 2;
    }
    const auto high = ends.begin() + static_cast<std::ptrdiff_t>(std::min(ends.size(), low + step + 1));
    return static_cast<std::size_t>(std::lower_bound(ends.begin() + static_cast<std::ptrdiff_t>(low), high, t) -
                                    ends.begin());
  };
  std::size_t begin = first_ending_at(0, axis.begin_ns());
  std::size_t later = begin;
  for (std::size_t column = 0; column < count && begin < records.size(); ++column) {
    const base::Nanoseconds from = axis.to_ns(axis.left_px() + static_cast<float>(column));
    const base::Nanoseconds to = axis.to_ns(axis.left_px() + static_cast<float>(column) + 1);
    if (from >= live_edge) break;
    constexpr float kColumnsAhead = 8;
    later = first_ending_at(later, axis.to_ns(axis.left_px() + static_cast<float>(column) + kColumnsAhead));
    if (later > 0) base::prefetch(&records[later - 1], sizeof(IterationRecord));
    begin = first_ending_at(begin, from);
    if (begin == records.size()) break;
    if (records[begin].start_ns >= to) continue;  // between two iterations of an opened trace
    // The first record's totals include what happened before the first iteration: it serves only as a reference for the
    // next.
    if (begin == 0) {
      if (records.size() == 1 || records[1].start_ns >= to) continue;
      begin = 1;
    }
    // The iterations that end in this column, and the one that covers it.
    const std::size_t end = std::max(begin + 1, first_ending_at(begin, to));
    records_[column] = static_cast<std::int64_t>(end) - 1;
    for (const PlotKind kind : kinds) {
      PlotColumn& c = columns_[static_cast<std::size_t>(kind)][column];
      c.mean = static_cast<float>(plot_value(kind, records[begin - 1], records[end - 1]));
      c.min = c.max = c.mean;
      const Extremes found = extremes_.over(kind, begin, end);
      if (found.empty()) continue;
      if (kind == PlotKind::RunAheadMax) c.mean = c.max = found.max;
      c.min = std::min(c.min, found.min);
      c.max = std::max(c.max, found.max);
    }
  }
}

std::pair<float, float> PlotSet::range(PlotKind kind, RangeOf of) const { return range_of(columns(kind), of); }

std::vector<PlotColumn> mean_columns(std::span<const PlotSet> of_gpus, PlotKind kind) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<PlotColumn> means(of_gpus.empty() ? 0 : of_gpus.front().columns(kind).size(), {kNaN, kNaN, kNaN});
  for (std::size_t column = 0; column < means.size(); ++column) {
    PlotColumn& mean = means[column];
    int known = 0;
    for (const PlotSet& gpu : of_gpus) {
      const PlotColumn& one = gpu.columns(kind)[column];
      if (!std::isfinite(one.mean)) continue;
      if (known == 0) {
        mean = one;
      } else {
        mean = {std::min(mean.min, one.min), std::max(mean.max, one.max), mean.mean + one.mean};
      }
      ++known;
    }
    if (known > 1) mean.mean /= static_cast<float>(known);
  }
  return means;
}

std::pair<float, float> range_of(std::span<const PlotColumn> columns, RangeOf of) {
  Extremes range;
  for (const PlotColumn& c : columns) {
    if (!std::isfinite(c.mean)) continue;
    range.take(of == RangeOf::Means ? c.mean : c.min);
    range.take(of == RangeOf::Means ? c.mean : c.max);
  }
  return range.empty() ? std::pair{0.0f, 0.0f} : std::pair{range.min, range.max};
}

}  // namespace lanescope::ui
