// The durations of one name: individually, or counted if there are too many. Gives count, mean and percentiles.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::ui {

using base::Nanoseconds;

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

inline std::int64_t rank_of(std::int64_t percent, std::int64_t n) { return (percent * n + 99) / 100; }

// The durations of one name: individually, or counted if there are too many.
struct DurationSample {
  std::vector<Nanoseconds> each;
  FineCounts fine;
  std::int64_t count = 0;
  Nanoseconds sum = 0, least = std::numeric_limits<Nanoseconds>::max(), most = 0;

  void add(Nanoseconds d, bool exact) {
    ++count;
    sum += d;
    least = std::min(least, d);
    most = std::max(most, d);
    if (exact) {
      each.push_back(d);
    } else {
      fine.add(d);
    }
  }
  void coarsen() {
    for (const Nanoseconds d : each) fine.add(d);
    each = {};
  }
  // Reorders its durations.
  analysis::DurationStats stats(bool exact) {
    analysis::DurationStats s;
    if (count == 0) return s;
    s.count = count;
    s.mean_ns = static_cast<double>(sum) / static_cast<double>(count);
    s.min_ns = least;
    s.max_ns = most;
    const std::int64_t p50 = rank_of(50, count);
    const std::int64_t p99 = rank_of(99, count);
    if (exact) {
      std::nth_element(each.begin(), each.begin() + (p50 - 1), each.end());
      s.p50_ns = each[static_cast<std::size_t>(p50 - 1)];
      std::nth_element(each.begin() + (p50 - 1), each.begin() + (p99 - 1), each.end());
      s.p99_ns = each[static_cast<std::size_t>(p99 - 1)];
    } else {
      s.p50_ns = std::clamp(fine.at_rank(p50), least, most);
      s.p99_ns = std::clamp(fine.at_rank(p99), least, most);
    }
    return s;
  }
};

}  // namespace lanescope::ui
