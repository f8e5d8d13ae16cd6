#include "analysis/job_clock.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/intervals.h"

namespace lanescope::analysis {
namespace {

constexpr std::size_t kMostPoints = 128;
/// No clock is more wrong than this.
constexpr double kMostSlope = 0.01;
/// With more nodes in one communicator, they are compared with its first one only, and not with each other.
constexpr std::size_t kFewNodes = 16;

using Point = std::pair<double, double>;

/// Stretches of points become their medians, which lose little of what all of them tell.
std::vector<Point> put_together(std::span<const Point> points) {
  if (points.size() <= kMostPoints) return {points.begin(), points.end()};
  std::vector<Point> few;
  std::vector<double> x, y;
  for (std::size_t k = 0; k < kMostPoints; ++k) {
    x.clear();
    y.clear();
    for (std::size_t i = k * points.size() / kMostPoints; i < (k + 1) * points.size() / kMostPoints; ++i) {
      x.push_back(points[i].first);
      y.push_back(points[i].second);
    }
    few.emplace_back(median(x), median(y));
  }
  return few;
}

}  // namespace

double median_slope(std::span<const Point> points) {
  const std::vector<Point> few = put_together(points);
  std::vector<double> slopes;
  slopes.reserve(few.size() * few.size() / 2);
  for (std::size_t a = 0; a < few.size(); ++a) {
    for (std::size_t b = a + 1; b < few.size(); ++b) {
      const double apart = few[b].first - few[a].first;
      if (apart != 0) slopes.push_back((few[b].second - few[a].second) / apart);
    }
  }
  return median(slopes);
}

Nanoseconds ClockLine::there(Nanoseconds here) const {
  // Wherever bytes that nobody trusts would lead, sums must fit into Nanoseconds.
  return std::clamp<Nanoseconds>(here + shift_ns + std::llround(slope * static_cast<double>(here - at_ns)),
                                 -base::kFarthest, base::kFarthest);
}

bool leaves_together(std::string_view operation) {
  return operation == "AllReduce" || operation == "AllGather" || operation == "ReduceScatter";
}

std::optional<ClockLine> clock_line(std::span<const EndPair> ends) {
  if (ends.size() < kFewestEnds) return std::nullopt;
  const auto [first, last] = std::ranges::minmax_element(ends, {}, [](const EndPair& end) { return end.here_ns; });
  ClockLine line;
  line.at_ns = first->here_ns + (last->here_ns - first->here_ns) / 2;
  // As differences to the first, which doubles hold exactly.
  const Nanoseconds base = ends.front().there_ns - ends.front().here_ns;
  std::vector<Point> points;
  points.reserve(ends.size());
  for (const EndPair& end : ends) {
    points.emplace_back(static_cast<double>(end.here_ns - line.at_ns),
                        static_cast<double>(end.there_ns - end.here_ns - base));
  }
  std::ranges::sort(points);
  const Nanoseconds over = last->here_ns - first->here_ns;
  if (ends.size() >= kFewestForSlope || over >= kShortestForSlope)
    line.slope = std::clamp(median_slope(points), -kMostSlope, kMostSlope);
  std::vector<double> rest;
  rest.reserve(points.size());
  for (const Point& point : points) rest.push_back(point.second - line.slope * point.first);
  const double shift = median(rest);
  line.shift_ns = base + std::llround(shift);
  for (double& one : rest) one = std::abs(one - shift);
  const auto most = rest.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(rest.size() - 1));
  std::ranges::nth_element(rest, most);
  line.error_ns = std::llround(*most);
  return line;
}

// --- the nodes of a job ----------------------------------------------------------------------------------------------

namespace {

struct NodePair {
  std::size_t a = 0, b = 0;  // a < b
  std::size_t common = 0;    // at most so many collectives
  auto key() const { return std::pair(a, b); }
};

class Groups {  // of nodes that are joined by pairs
 public:
  explicit Groups(std::size_t nodes) : of_(nodes) { std::iota(of_.begin(), of_.end(), std::size_t{0}); }
  std::size_t of(std::size_t node) {
    while (of_[node] != node) node = of_[node] = of_[of_[node]];
    return node;
  }
  bool join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    of_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::size_t> of_;
};

using Communicators = std::span<const std::vector<NodeEnds>>;

std::vector<NodePair> pairs_of(Communicators communicators) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> common;
  for (const std::vector<NodeEnds>& nodes : communicators) {
    const std::size_t from = nodes.size() <= kFewNodes ? nodes.size() : std::min<std::size_t>(1, nodes.size());
    for (std::size_t i = 0; i < from; ++i) {
      for (std::size_t k = i + 1; k < nodes.size(); ++k) {
        common[std::minmax(nodes[i].node, nodes[k].node)] += std::min(nodes[i].ends.size(), nodes[k].ends.size());
      }
    }
  }
  std::vector<NodePair> pairs;
  for (const auto& [pair, count] : common) {
    if (count >= kFewestEnds) pairs.push_back({pair.first, pair.second, count});
  }
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &NodePair::common);
  return pairs;
}

void add_common(const NodeEnds& here, const NodeEnds& there, std::vector<EndPair>& ends) {
  auto other = there.ends.begin();
  for (const NodeEnds::End& end : here.ends) {
    while (other != there.ends.end() && other->number < end.number) ++other;
    if (other == there.ends.end()) return;
    if (other->number == end.number) ends.push_back({end.end_ns, other->end_ns});
  }
}

/// From one monotonic clock to the time of day, by a machine's pairs; `at`: that clock's time.
std::optional<Nanoseconds> time_of_day(const JobClockFacts& facts, Nanoseconds at) {
  if (facts.pairs.empty()) return std::nullopt;
  // Between two pairs the clock is straight; outside, it goes on as at its nearest one.
  const auto after = std::ranges::lower_bound(facts.pairs, at, {}, &ClockPair::monotonic_ns);
  if (after == facts.pairs.end()) return at - facts.pairs.back().monotonic_ns + facts.pairs.back().real_ns;
  if (after == facts.pairs.begin()) return at - after->monotonic_ns + after->real_ns;
  const ClockPair& before = *std::prev(after);
  const double share = static_cast<double>(at - before.monotonic_ns) /
                       static_cast<double>(std::max<Nanoseconds>(1, after->monotonic_ns - before.monotonic_ns));
  return before.real_ns + std::llround(share * static_cast<double>(after->real_ns - before.real_ns));
}
/// The largest that its kernel said; 0: it did not say.
Nanoseconds most_error(const JobClockFacts& facts) {
  Nanoseconds most = 0;
  for (const ClockPair& pair : facts.pairs) {
    if (pair.most_error_ns <= 0) return 0;
    most = std::max(most, pair.most_error_ns);
  }
  return most;
}

}  // namespace

Nanoseconds NodeClock::on_root(Nanoseconds t) const {
  for (const ClockLine& line : path) t = line.there(t);
  return t;
}

std::vector<NodeClock> node_clocks(std::span<const JobClockFacts> nodes, std::size_t root,
                                   Communicators communicators) {
  std::vector<NodeClock> clocks(nodes.size());
  if (nodes.empty()) return clocks;
  // Which communicators a node is in, and where among their nodes.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> in(nodes.size());
  for (std::size_t c = 0; c < communicators.size(); ++c) {
    for (std::size_t n = 0; n < communicators[c].size(); ++n) in[communicators[c][n].node].emplace_back(c, n);
  }
  const auto line_between = [&](std::size_t here, std::size_t there, std::size_t& collectives) {
    std::vector<EndPair> ends;
    auto other = in[there].begin();
    for (const auto& [c, n] : in[here]) {
      while (other != in[there].end() && other->first < c) ++other;
      if (other == in[there].end()) break;
      if (other->first == c) add_common(communicators[c][n], communicators[c][other->second], ends);
    }
    collectives = ends.size();
    return clock_line(ends);
  };

  std::vector<std::vector<std::size_t>> tree(nodes.size());
  Groups groups(nodes.size());
  for (const NodePair& pair : pairs_of(communicators)) {
    if (!groups.join(pair.a, pair.b)) continue;
    tree[pair.a].push_back(pair.b);
    tree[pair.b].push_back(pair.a);
  }
  clocks[root].basis = ClockBasis::Root;
  std::vector<std::size_t> reached{root};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::size_t parent = reached[i];
    for (const std::size_t node : tree[parent]) {
      NodeClock& clock = clocks[node];
      if (clock.known()) continue;
      const auto line = line_between(node, parent, clock.collectives);
      if (!line) continue;
      clock.basis = ClockBasis::Ends;
      clock.path.push_back(*line);
      clock.path.insert(clock.path.end(), clocks[parent].path.begin(), clocks[parent].path.end());
      // Medians are far better than what single ends vary by, so that the worst of a path bounds all of it.
      clock.error_ns = std::max(clocks[parent].error_ns, line->error_ns + kEndsError);
      reached.push_back(node);
    }
  }
  const JobClockFacts& of_root = nodes[root];
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    NodeClock& clock = clocks[n];
    if (nodes[n].pairs.empty() || of_root.pairs.empty()) continue;
    const Nanoseconds own = most_error(nodes[n]), roots = most_error(of_root);
    const Nanoseconds bound = own > 0 && roots > 0 ? own + roots : 0;
    const Nanoseconds at = nodes[n].pairs[nodes[n].pairs.size() / 2].monotonic_ns;
    const Nanoseconds here = *time_of_day(nodes[n], at);
    if (clock.known()) {
      clock.time_of_day_ns = here - *time_of_day(of_root, clock.on_root(at));
      clock.contradicts = bound > 0 && std::abs(*clock.time_of_day_ns) > bound + clock.error_ns;
    } else if (bound > 0) {
      // Where the root's clock was when both had this time of day.
      const ClockPair& near = of_root.pairs[of_root.pairs.size() / 2];
      const auto mono = static_cast<double>(of_root.pairs.back().monotonic_ns - of_root.pairs.front().monotonic_ns);
      const auto real = static_cast<double>(of_root.pairs.back().real_ns - of_root.pairs.front().real_ns);
      const double rate = real > 0 ? std::clamp(mono / real, 1 - kMostSlope, 1 + kMostSlope) : 1;
      const Nanoseconds on_root = near.monotonic_ns + std::llround(rate * static_cast<double>(here - near.real_ns));
      clock.basis = ClockBasis::TimeOfDay;
      clock.path.push_back({at, on_root - at, 0, 0});
      clock.error_ns = bound;
    }
  }
  return clocks;
}

}  // namespace lanescope::analysis
