// Durations as they are read from a trace: individually, or counted if there are too many. Gives count, mean,
// percentiles and a histogram.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::analysis {

// Counts durations in 64 bins per power of two, so that percentiles are accurate to 1 %.
class FineCounts {
 public:
  void add(Nanoseconds duration, std::int64_t n = 1) {
    const std::size_t bin = bin_of(static_cast<std::uint64_t>(std::max<Nanoseconds>(0, duration)));
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    counts_[bin] += n;
  }
  void add(const FineCounts& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  bool empty() const { return counts_.empty(); }
  Nanoseconds at_rank(std::int64_t rank) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if ((rank -= counts_[i]) <= 0) return middle_of(i);
    }
    return 0;
  }
  template <class F>
  void each(F f) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) f(middle_of(i), counts_[i]);
    }
  }

 private:
  static std::size_t bin_of(std::uint64_t d) {
    if (d < 128) return static_cast<std::size_t>(d);
    const auto shift = static_cast<unsigned>(std::bit_width(d)) - 7;
    return (std::size_t{shift} << 6) + static_cast<std::size_t>(d >> shift);
  }
  static Nanoseconds middle_of(std::size_t bin) {
    if (bin < 128) return static_cast<Nanoseconds>(bin);
    const std::size_t shift = (bin >> 6) - 1;
    return static_cast<Nanoseconds>(((bin - (shift << 6)) << shift) + (std::size_t{1} << shift) / 2);
  }
  std::vector<std::int64_t> counts_;
};

struct DurationSample {
  enum class Keep : std::uint8_t { Sums, Each, Counts };

  std::vector<Nanoseconds> each;
  FineCounts fine;
  std::int64_t count = 0;
  Nanoseconds sum = 0, least = std::numeric_limits<Nanoseconds>::max(), most = 0;

  void add(Nanoseconds d, Keep keep) {
    ++count;
    sum += d;
    least = std::min(least, d);
    most = std::max(most, d);
    if (keep == Keep::Each) {
      each.push_back(d);
    } else if (keep == Keep::Counts) {
      fine.add(d);
    }
  }
  void add(const DurationSample& other);
  /// From now on they are counted.
  void coarsen();
  /// Without percentiles if only sums were kept. Reorders `each`.
  DurationStats stats();
};

/// A histogram of durations. Bin widths grow by a constant factor: bin i covers [edges[i], edges[i + 1]). Instants have
/// no duration and are in no bin.
struct DurationBins {
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
  std::int64_t instants = 0;

  /// The bin of a duration; empty if there is none.
  std::optional<std::size_t> bin_of(Nanoseconds duration) const;
};
DurationBins duration_bins(const DurationSample& sample);
/// The edges of bins from at or below `least` to above `most`, both at least 1: steps of 1/20, 1/10 or 1/5 of a decade,
/// so that there are at most 48 bins.
std::vector<double> bin_edges(Nanoseconds least, Nanoseconds most);

}  // namespace lanescope::analysis
