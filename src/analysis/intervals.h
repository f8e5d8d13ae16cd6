// Unions of intervals, in which nothing counts twice; the middle of several values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/time.h"

namespace lanescope::analysis {

/// [first, second); one that ends before it begins is empty.
using Interval = std::pair<base::Nanoseconds, base::Nanoseconds>;

/// In order, and none touches another.
inline std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::ranges::sort(intervals);
  std::vector<Interval> result;
  for (const Interval& i : intervals) {
    if (!result.empty() && i.first <= result.back().second) {
      result.back().second = std::max(result.back().second, i.second);
    } else if (i.second > i.first) {
      result.push_back(i);
    }
  }
  return result;
}

/// Of merged intervals.
inline base::Nanoseconds length(const std::vector<Interval>& intervals) {
  base::Nanoseconds sum = 0;
  for (const Interval& i : intervals) sum += i.second - i.first;
  return sum;
}

/// The time in both, which are merged.
inline base::Nanoseconds overlap(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  base::Nanoseconds sum = 0;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    sum += std::max<base::Nanoseconds>(0, std::min(a[i].second, b[k].second) - std::max(a[i].first, b[k].first));
    a[i].second < b[k].second ? ++i : ++k;
  }
  return sum;
}

/// Of an even number, the larger of the two in the middle; of none, 0. Reorders its argument.
template <class T>
T median(std::vector<T>& values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Of an even number, the smaller of the two, so that of two the larger one is compared with the other; of none, 0.
/// Reorders its argument.
template <class T>
T low_median(std::vector<T>& values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace lanescope::analysis
