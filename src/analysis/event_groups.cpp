#include "analysis/event_groups.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::NameId;

// As PyTorch's profiler names Python functions.
bool is_python_function(std::string_view name) {
  return name.find(".py(") != std::string_view::npos || name.starts_with("<built-in ") ||
         name.starts_with("nn.Module: ");
}

class Grouping {
 public:
  Grouping(const base::NameTable& names, const EventQuery& query)
      : names_(names),
        query_(query),
        filter_(query.names, query.name),
        keep_(query.detail == GroupDetail::Sums ? DurationSample::Keep::Sums : DurationSample::Keep::Each) {}

  void take(const EventSource& source, const trace::Block& block, EventIndex first, EventIndex last) {
    for (EventIndex i = first; i < last; ++i) {
      const std::size_t k = i % trace::kBlockEvents;
      const Event look = trace::untimed_event(block, k);
      if (!filter_.passes(names_, look.name)) continue;
      ++events_;
      const Nanoseconds duration = block.end[k] - block.start[k];
      if (query_.group != GroupBy::NameAndKind) {
        const auto part = query_.group == GroupBy::Name ? 0 : static_cast<std::size_t>(source.kind);
        add(source, block, k, look.name, part, duration);
        continue;
      }
      add(source, block, k, look.name, static_cast<std::size_t>(kind_of(look)), duration);
      if (!trace::is_blocking(look)) continue;
      const Nanoseconds waiting = trace::parts_of(trace::event(block, k)).waiting;
      if (waiting > 0) add(source, block, k, look.name, static_cast<std::size_t>(GroupKind::Waits), waiting);
    }
  }

  EventGroups result() {
    EventGroups result;
    result.events = events_;
    result.exact = keep_ != DurationSample::Keep::Counts;
    const bool together = query_.detail == GroupDetail::Distribution;
    DurationSample all;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (together) all.add(samples_[i]);
      groups_[i].sum_ns = samples_[i].sum;
      groups_[i].durations = samples_[i].stats();
      result.sum_ns += samples_[i].sum;
      samples_[i] = {};  // frees memory, so that all durations are held only once
    }
    if (together) {
      result.bins = duration_bins(all);
      result.all = all.stats();
    }
    result.groups = std::move(groups_);
    return result;
  }

 private:
  static constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kParts = 16;  // of a name: kinds of lanes, or of groups
  static_assert(kGroupKinds <= kParts && static_cast<std::size_t>(trace::LaneKind::Counter) < kParts);

  GroupKind kind_of(const Event& event) {
    switch (event.kind) {
      case EventKind::Kernel:
        return GroupKind::Kernels;
      case EventKind::Copy:
      case EventKind::Memset:
        return GroupKind::Copies;
      case EventKind::Call:
        return GroupKind::Calls;
      default:
        break;
    }
    if (trace::is_host_wait(event)) return GroupKind::Waits;
    const bool python =
        trace::range_kind_of(event) == trace::RangeKind::Operator || python_(names_, event.name, is_python_function);
    return python ? GroupKind::Python : GroupKind::Ranges;
  }

  void add(const EventSource& source, const trace::Block& block, std::size_t k, NameId name, std::size_t part,
           Nanoseconds duration) {
    const std::size_t at = query_.group == GroupBy::Name ? name : std::size_t{name} * kParts + part;
    if (at >= places_.size()) places_.resize(std::max(at + 1, 2 * places_.size()), kNoPlace);
    std::uint32_t& place = places_[at];
    if (place == kNoPlace) {
      place = static_cast<std::uint32_t>(samples_.size());
      samples_.emplace_back();
      EventGroup& group = groups_.emplace_back();
      group.name = name;
      if (query_.group == GroupBy::NameAndKind) group.kind = static_cast<GroupKind>(part);
      group.lane_kind = source.kind;
      group.lane = source.lane;
      group.example = trace::event(block, k);
    }
    if (keep_ == DurationSample::Keep::Each && ++kept_ > query_.exact_durations) {
      keep_ = DurationSample::Keep::Counts;
      for (DurationSample& sample : samples_) sample.coarsen();
    }
    samples_[place].add(duration, keep_);
  }

  const base::NameTable& names_;
  const EventQuery& query_;
  NameFilter filter_;
  DurationSample::Keep keep_;
  std::int64_t events_ = 0;
  std::size_t kept_ = 0;
  std::vector<std::uint32_t> places_;  // by name and part
  std::vector<DurationSample> samples_;
  std::vector<EventGroup> groups_;  // without their figures
  NameMemo python_;
};

double group_value(const EventGroup& group, GroupColumn column) {
  const DurationStats& d = group.durations;
  switch (column) {
    case GroupColumn::Count:
      return static_cast<double>(d.count);
    case GroupColumn::Mean:
      return d.mean_ns;
    case GroupColumn::P50:
      return static_cast<double>(d.p50_ns);
    case GroupColumn::P99:
      return static_cast<double>(d.p99_ns);
    case GroupColumn::Max:
      return static_cast<double>(d.max_ns);
    case GroupColumn::Min:
      return static_cast<double>(d.min_ns);
    case GroupColumn::Kind:
      return -static_cast<double>(group.kind);
    default:
      return static_cast<double>(group.sum_ns);
  }
}

void sort_groups(std::vector<EventGroup>& groups, const base::NameTable& names, GroupOrder order) {
  const auto by_name = [&](const EventGroup& a, const EventGroup& b) {
    return std::tuple(names.text(a.name), a.kind, a.lane_kind) < std::tuple(names.text(b.name), b.kind, b.lane_kind);
  };
  std::ranges::sort(groups, [&, by = order.by, ascending = order.ascending](const EventGroup& a, const EventGroup& b) {
    if (by == GroupColumn::Name) return ascending ? by_name(b, a) : by_name(a, b);
    const double x = group_value(a, by), y = group_value(b, by);
    return x != y ? (ascending ? x < y : x > y) : by_name(a, b);
  });
}

// Brings sorted groups into the order that they had, but for those that have clearly overtaken another.
void keep_places(std::vector<EventGroup>& groups, GroupOrder order, std::span<const EventGroup> before) {
  constexpr double kOvertaken = 1.05;
  std::map<std::pair<NameId, GroupKind>, std::size_t> place_before;
  for (std::size_t i = 0; i < before.size(); ++i) place_before.emplace(std::pair(before[i].name, before[i].kind), i);
  const auto old_place = [&](const EventGroup& group) {
    const auto found = place_before.find({group.name, group.kind});
    return found == place_before.end() ? before.size() : found->second;
  };
  std::ranges::stable_sort(groups, {}, old_place);
  // By insertion: not every pair can be put into one order.
  const auto overtakes = [&](const EventGroup& a, const EventGroup& b) {
    const double x = group_value(a, order.by), y = group_value(b, order.by);
    const bool known = old_place(a) < before.size() && old_place(b) < before.size();
    const double least = known ? kOvertaken : 1;
    return order.ascending ? x * least < y : x > y * least;
  };
  for (std::size_t i = 1; i < groups.size(); ++i) {
    for (std::size_t j = i; j > 0 && overtakes(groups[j], groups[j - 1]); --j) std::swap(groups[j], groups[j - 1]);
  }
}

}  // namespace

const char* group_kind_title(GroupKind kind) {
  constexpr std::array<const char*, kGroupKinds> kTitles{N_("kernels"), N_("copies"), N_("API calls"),
                                                         N_("waits"),   N_("ranges"), N_("Python")};
  return tr(kTitles[static_cast<std::size_t>(kind)]);
}

std::string_view group_kind_key(GroupKind kind) {
  constexpr std::array<std::string_view, kGroupKinds> kKeys{"kernel", "copy", "call", "wait", "range", "python"};
  return kKeys[static_cast<std::size_t>(kind)];
}

EventGroups event_groups(const trace::Trace& trace, const EventQuery& query, const Watch& watch) {
  EventQuery stretch = query;
  if (query.whole()) {
    std::tie(stretch.from, stretch.to) = trace.extent();
    ++stretch.to;
  }
  Grouping grouping(trace.names(), query);
  scan(trace, event_sources(trace, stretch), watch,
       [&](const EventSource& source, const trace::Block& block, EventIndex first, EventIndex last) {
         grouping.take(source, block, first, last);
       });
  if (watch.stopped()) return {};
  EventGroups result = grouping.result();
  result.from = stretch.from;
  result.to = stretch.to;
  sort_groups(result.groups, trace.names(), query.order);
  if (query.limit > 0 && result.groups.size() > query.limit) {
    result.left_out = result.groups.size() - query.limit;
    result.groups.resize(query.limit);
  }
  return result;
}

std::vector<EventGroup> arranged(std::span<const EventGroup> groups, const base::NameTable& names,
                                 const GroupWish& wish, std::span<const EventGroup> before) {
  constexpr std::size_t kMostSteady = 2'000;
  const NameQuery query(wish.name);
  std::vector<EventGroup> wanted;
  for (const EventGroup& group : groups) {
    if (wish.kind && group.kind != *wish.kind) continue;
    if (query.empty() || query.matches(names.text(group.name))) wanted.push_back(group);
  }
  sort_groups(wanted, names, wish.order);
  const bool text = wish.order.by == GroupColumn::Name || wish.order.by == GroupColumn::Kind;
  if (!before.empty() && !text && wanted.size() <= kMostSteady) keep_places(wanted, wish.order, before);
  return wanted;
}

}  // namespace lanescope::analysis
