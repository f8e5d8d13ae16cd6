#include "inspect/range_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "inspect/duration_sample.h"
#include "inspect/event_order.h"

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneId;
using trace::Trace;

constexpr EventIndex kRangePiece = 16'384;  // events per lock
constexpr std::size_t kMostBins = 48;

std::vector<LaneId> lanes_or_all(const Trace& trace, const std::vector<LaneId>& lanes) {
  std::vector<LaneId> all;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto id = static_cast<LaneId>(l);
    const bool wanted = lanes.empty() || std::find(lanes.begin(), lanes.end(), id) != lanes.end();
    if (wanted && has_intervals(trace.lane(id).info().kind)) all.push_back(id);
  }
  return all;
}

class Reading {
 public:
  /// `only`: of this name.
  Reading(const Trace& trace, std::size_t exact_durations, std::optional<trace::NameId> only = {})
      : trace_(trace), most_exact_(exact_durations), only_(only) {}

  void read(LaneId id, Nanoseconds from, Nanoseconds to, const base::Stop* stop) {
    const trace::Lane& lane = trace_.lane(id);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      EventIndex i = 0;
      EventIndex end = 0;
      {
        const Trace::ReadLock lock(trace_);
        const EventIndex last = row.last();
        i = row.first_starting_at_or_after(from, row.first(), last);
        end = row.first_starting_at_or_after(to, i, last);
      }
      while (i < end && !(stop && *stop)) {
        const Trace::ReadLock lock(trace_);
        i = std::max(i, row.first());
        for (const EventIndex piece = std::min(end, i + kRangePiece); i < piece; ++i) {
          const trace::NameId name = row.untimed_event(i).name;
          if (!only_ || name == *only_) take(name, lane.info().kind, row.end(i) - row.start(i));
        }
      }
    }
  }

  RangeStatistics result() {
    RangeStatistics s;
    s.exact = exact_;
    DurationSample all;
    for (auto& [key, sample] : samples_) {
      all.count += sample.count;
      all.sum += sample.sum;
      all.least = std::min(all.least, sample.least);
      all.most = std::max(all.most, sample.most);
      if (exact_) {
        all.each.insert(all.each.end(), sample.each.begin(), sample.each.end());
      } else {
        all.fine.add(sample.fine);
      }
      s.names.push_back({static_cast<trace::NameId>(key >> 8), static_cast<trace::LaneKind>(key & 255), sample.sum,
                         sample.stats(exact_)});
      sample = {};  // frees memory, so that 4 M durations are held only once
    }
    s.sum_ns = all.sum;
    s.all = all.stats(exact_);
    sort_statistics(s.names, trace_.names(), StatisticsColumn::Sum, false);
    fill_histogram(s, all);
    return s;
  }

 private:
  void take(trace::NameId name, trace::LaneKind kind, Nanoseconds duration) {
    const std::uint64_t key = std::uint64_t{name} << 8 | static_cast<std::uint64_t>(kind);
    if (key != last_key_ || !last_) {
      last_ = &samples_[key];
      last_key_ = key;
    }
    if (exact_ && ++kept_ > most_exact_) {
      exact_ = false;
      for (auto& [k, sample] : samples_) sample.coarsen();
    }
    last_->add(duration, exact_);
  }

  void fill_histogram(RangeStatistics& s, const DurationSample& all) const {
    Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
    const auto look = [&](Nanoseconds d, std::int64_t n) {
      if (d == 0) s.instants += n;
      if (d > 0) least = std::min(least, d);
    };
    const auto each = [&](auto f) {
      for (const Nanoseconds d : all.each) f(d, std::int64_t{1});
      // Each bin is represented by its middle, which may exceed the maximum.
      all.fine.each([&](Nanoseconds d, std::int64_t n) { f(std::min(d, all.most), n); });
    };
    each(look);
    if (least > all.most) return;
    s.edges = histogram_edges(least, all.most);
    s.counts.assign(s.edges.size() - 1, 0);
    each([&](Nanoseconds d, std::int64_t n) {
      if (const auto bin = s.bin_of(d)) s.counts[*bin] += n;
    });
  }

  const Trace& trace_;
  const std::size_t most_exact_;
  const std::optional<trace::NameId> only_;
  bool exact_ = true;
  std::size_t kept_ = 0;
  std::unordered_map<std::uint64_t, DurationSample> samples_;
  std::uint64_t last_key_ = 0;
  DurationSample* last_ = nullptr;
};

}  // namespace

std::optional<std::size_t> RangeStatistics::bin_of(Nanoseconds duration) const {
  const auto d = static_cast<double>(duration);
  if (edges.size() < 2 || d < edges.front() || d >= edges.back()) return std::nullopt;
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), d) - edges.begin()) - 1;
}

std::vector<double> histogram_edges(Nanoseconds least, Nanoseconds most) {
  for (const int steps : {20, 10, 5}) {
    const auto edge = [&](int i) {
      // Makes whole decades exact integers, even if pow() is inexact.
      const double value = std::pow(10.0, static_cast<double>(i) / steps);
      return i % steps == 0 ? std::round(value) : value;
    };
    auto first = static_cast<int>(std::floor(std::log10(static_cast<double>(least)) * steps));
    while (edge(first) > static_cast<double>(least)) --first;
    while (edge(first + 1) <= static_cast<double>(least)) ++first;
    int last = first + 1;
    while (edge(last) <= static_cast<double>(most)) ++last;
    if (static_cast<std::size_t>(last - first) > kMostBins && steps != 5) continue;
    std::vector<double> edges;
    for (int i = first; i <= last; ++i) edges.push_back(edge(i));
    return edges;
  }
  return {};
}

RangeStatistics range_statistics(const Trace& trace, Nanoseconds from, Nanoseconds to, const std::vector<LaneId>& lanes,
                                 const base::Stop* stop, std::size_t exact_durations) {
  Reading reading(trace, exact_durations);
  for (const LaneId lane : lanes_or_all(trace, lanes)) reading.read(lane, from, to, stop);
  return stop && *stop ? RangeStatistics{} : reading.result();
}

NameStatistics name_statistics(const Trace& trace, trace::NameId name, trace::LaneKind kind, const base::Stop* stop,
                               bool* exact, std::size_t exact_durations) {
  Reading reading(trace, exact_durations, name);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<LaneId>(l);
    if (trace.lane(lane).info().kind != kind) continue;
    reading.read(lane, std::numeric_limits<Nanoseconds>::min(), std::numeric_limits<Nanoseconds>::max(), stop);
  }
  NameStatistics none;
  none.name = name;
  none.kind = kind;
  if (stop && *stop) return none;
  const RangeStatistics all = reading.result();
  if (exact) *exact = all.exact;
  return all.names.empty() ? none : all.names.front();
}

void sort_statistics(std::vector<NameStatistics>& lines, const base::NameTable& names, StatisticsColumn by,
                     bool ascending) {
  const auto value = [&](const NameStatistics& s) -> double {
    switch (by) {
      case StatisticsColumn::Count:
        return static_cast<double>(s.durations.count);
      case StatisticsColumn::Mean:
        return s.durations.mean_ns;
      case StatisticsColumn::P50:
        return static_cast<double>(s.durations.p50_ns);
      case StatisticsColumn::P99:
        return static_cast<double>(s.durations.p99_ns);
      case StatisticsColumn::Max:
        return static_cast<double>(s.durations.max_ns);
      case StatisticsColumn::Min:
        return static_cast<double>(s.durations.min_ns);
      default:
        return static_cast<double>(s.sum_ns);
    }
  };
  std::sort(lines.begin(), lines.end(), [&](const NameStatistics& a, const NameStatistics& b) {
    const auto by_name = std::pair(names.text(a.name), a.kind) <=> std::pair(names.text(b.name), b.kind);
    if (by == StatisticsColumn::Name) return ascending ? by_name > 0 : by_name < 0;
    const double x = value(a);
    const double y = value(b);
    return x != y ? (ascending ? x < y : x > y) : by_name < 0;  // equal ones keep a stable order
  });
}

}  // namespace lanescope::ui
