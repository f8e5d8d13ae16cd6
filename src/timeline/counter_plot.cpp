#include "timeline/counter_plot.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using trace::EventIndex;

// Maximum number of unread samples of a column that are read individually.
constexpr EventIndex kMostUnread = 2048;

double value_at(const trace::Row& row, EventIndex i) { return trace::value_of(row.untimed_event(i)); }

}  // namespace

void CounterPlot::read(const trace::Row& row, Tree& tree, std::size_t& budget) {
  // A summary includes how long its last sample held, so it needs the next sample.
  while ((tree.size() + 1) * kLeaf < row.last()) {
    if (budget < kLeaf) {
      behind_ = true;
      return;
    }
    const EventIndex from = tree.size() * kLeaf;
    Node node;
    if (from >= row.first()) {  // otherwise it is evicted
      budget -= kLeaf;
      for (EventIndex i = from; i < from + kLeaf; ++i) {
        const double value = value_at(row, i);
        node.take(static_cast<float>(value));
        if (std::isfinite(value)) node.area += value * static_cast<double>(row.start(i + 1) - row.start(i));
      }
    }
    tree.push(node);
  }
}

// Summarises the samples [from, to), the last of which holds until sample `to`. Empty if too many of them are unread.
std::optional<CounterPlot::Node> CounterPlot::over(const trace::Row& row, const Tree& tree, EventIndex from,
                                                   EventIndex to) const {
  Node node;
  const auto look = [&](EventIndex a, EventIndex b) {
    for (EventIndex i = a; i < b; ++i) {
      const double value = value_at(row, i);
      node.take(static_cast<float>(value));
      if (std::isfinite(value)) node.area += value * static_cast<double>(row.start(i + 1) - row.start(i));
    }
  };
  const EventIndex first = std::min<EventIndex>((from + kLeaf - 1) / kLeaf, tree.size());
  const EventIndex last = std::min<EventIndex>(to / kLeaf, tree.size());
  if (first >= last) {
    if (to - from > kMostUnread) return std::nullopt;
    look(from, to);
    return node;
  }
  if (to - last * kLeaf > kMostUnread) return std::nullopt;
  look(from, first * kLeaf);
  node.join(tree.over(first, last));
  look(last * kLeaf, to);
  return node;
}

void CounterPlot::prepare(const trace::Trace& trace, trace::LaneId id, std::uint64_t generation, const TimeAxis& axis,
                          Nanoseconds edge) {
  if (generation != generation_ || id != lane_) {
    generation_ = generation;
    lane_ = id;
    trees_.clear();
  }
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  columns_.assign(static_cast<std::size_t>(std::max(0.0f, axis.width_px())), {kNaN, kNaN, kNaN});
  behind_ = false;
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(id);
  trees_.resize(lane.row_count());
  std::size_t budget = kReadAtOnce;
  for (std::size_t r = 0; r < trees_.size(); ++r) {
    const trace::Row& row = lane.row(r);
    const EventIndex begin = row.first(), end = row.last();
    if (begin == end) continue;
    read(row, trees_[r], budget);
    EventIndex next = row.first_starting_at_or_after(axis.begin_ns(), begin, end);
    for (std::size_t x = 0; x < columns_.size(); ++x) {
      const Nanoseconds from = axis.to_ns(axis.left_px() + static_cast<float>(x));
      if (from >= edge) break;
      const Nanoseconds to = std::min(edge, axis.to_ns(axis.left_px() + static_cast<float>(x) + 1));
      const EventIndex first = next;
      next = row.first_starting_at_or_after(std::max(to, from + 1), first, end);
      PlotColumn& c = columns_[x];
      // Late samples only extend the range of the others.
      if (r > 0 && first == next) continue;
      const bool held = r == 0 && first > begin;
      Extremes range;
      double mean = 0;
      if (first == next) {
        if (!held) continue;
        mean = value_at(row, first - 1);
        range.take(static_cast<float>(mean));
      } else {
        const auto inside = over(row, trees_[r], first, next - 1);
        if (!inside) continue;
        range.join(*inside);
        const double last = value_at(row, next - 1);
        range.take(static_cast<float>(last));
        double area = inside->area;
        const Nanoseconds last_at = row.start(next - 1);
        area += last * static_cast<double>(std::max<Nanoseconds>(0, to - last_at));
        Nanoseconds since = row.start(first);
        if (held) {
          const double before = value_at(row, first - 1);
          range.take(static_cast<float>(before));
          area += before * static_cast<double>(std::max<Nanoseconds>(0, since - from));
          since = std::min(since, from);
        }
        mean = to > since ? area / static_cast<double>(to - since) : last;
      }
      if (range.empty()) continue;
      if (std::isnan(c.mean)) {
        c = {range.min, range.max, std::clamp(static_cast<float>(mean), range.min, range.max)};
      } else {
        c.min = std::min(c.min, range.min);
        c.max = std::max(c.max, range.max);
      }
    }
  }
}

std::optional<double> newest_sample(const trace::Trace& trace, trace::LaneId id) {
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(id);
  std::optional<double> newest;
  Nanoseconds at = 0;
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const EventIndex end = row.last();
    if (row.first() == end || (newest && row.start(end - 1) < at)) continue;
    at = row.start(end - 1);
    newest = value_at(row, end - 1);
  }
  return newest;
}

}  // namespace lanescope::ui
