#include "timeline/plot_extremes.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <ranges>

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
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

}  // namespace lanescope::ui
