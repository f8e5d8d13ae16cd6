#include "analysis/duration_sample.h"

#include <cmath>

namespace lanescope::analysis {

void DurationSample::add(const DurationSample& other) {
  each.insert(each.end(), other.each.begin(), other.each.end());
  fine.add(other.fine);
  count += other.count;
  sum += other.sum;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

void DurationSample::coarsen() {
  for (const Nanoseconds d : each) fine.add(d);
  each = {};
}

DurationStats DurationSample::stats() {
  if (!each.empty()) return duration_stats(each);
  if (count == 0) return {};
  DurationStats s{count, static_cast<double>(sum) / static_cast<double>(count), 0, 0, least, most};
  if (fine.empty()) return s;
  const auto percentile = [&](std::int64_t p) {
    return std::clamp(fine.at_rank((p * count + 99) / 100), least, most);  // nearest rank
  };
  s.p50_ns = percentile(50);
  s.p99_ns = percentile(99);
  return s;
}

std::optional<std::size_t> DurationBins::bin_of(Nanoseconds duration) const {
  const auto d = static_cast<double>(duration);
  if (edges.size() < 2 || d < edges.front() || d >= edges.back()) return std::nullopt;
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), d) - edges.begin()) - 1;
}

DurationBins duration_bins(const DurationSample& sample) {
  DurationBins bins;
  const auto for_each = [&](auto f) {
    for (const Nanoseconds d : sample.each) f(d, std::int64_t{1});
    // Each bin is represented by its middle, which may exceed the maximum.
    sample.fine.each([&](Nanoseconds d, std::int64_t n) { f(std::min(d, sample.most), n); });
  };
  Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
  for_each([&](Nanoseconds d, std::int64_t n) {
    if (d == 0) bins.instants += n;
    if (d > 0) least = std::min(least, d);
  });
  if (least > sample.most) return bins;
  bins.edges = bin_edges(least, sample.most);
  bins.counts.assign(bins.edges.size() - 1, 0);
  for_each([&](Nanoseconds d, std::int64_t n) {
    if (const auto bin = bins.bin_of(d)) bins.counts[*bin] += n;
  });
  return bins;
}

std::vector<double> bin_edges(Nanoseconds least, Nanoseconds most) {
  constexpr int kMostBins = 48;
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
    if (last - first > kMostBins && steps != 5) continue;
    std::vector<double> edges;
    for (int i = first; i <= last; ++i) edges.push_back(edge(i));
    return edges;
  }
  return {};
}

}  // namespace lanescope::analysis
