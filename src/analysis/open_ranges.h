// The open ranges of the program on each thread, to find the range of a call.
#pragma once

#include <cstddef>
#include <vector>

#include "base/name_table.h"
#include "base/time.h"

namespace lanescope::analysis {

/// The innermost known range around a call. During a run, a range is known only when it has ended, after its calls. A
/// range that arrives later may be further inside.
struct RangeAround {
  base::NameId name = 0;  ///< 0: none
  base::Nanoseconds start = 0;

  /// Takes the range [from, to) if it contains `at` and is further inside; false otherwise.
  bool narrow(base::NameId range, base::Nanoseconds from, base::Nanoseconds to, base::Nanoseconds at) {
    if (at < from || at >= to || (name != 0 && from < start)) return false;
    name = range;
    start = from;
    return true;
  }
};

/// Receives ranges in start order; of those that start together, the outer one first.
class OpenRanges {
 public:
  void add(std::size_t thread, base::Nanoseconds start, base::Nanoseconds end, base::NameId name) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    forget(threads_[thread], start);
    threads_[thread].push_back({end, {name, start}});
  }
  /// The innermost range of a thread at time t. `t` must not decrease.
  RangeAround at(std::size_t thread, base::Nanoseconds t) {
    if (thread >= threads_.size()) return {};
    forget(threads_[thread], t);
    return threads_[thread].empty() ? RangeAround{} : threads_[thread].back().range;
  }

 private:
  struct Open {
    base::Nanoseconds end;
    RangeAround range;
  };

  static void forget(std::vector<Open>& ranges, base::Nanoseconds t) {
    while (!ranges.empty() && ranges.back().end <= t) ranges.pop_back();
  }

  std::vector<std::vector<Open>> threads_;  // innermost last
};

}  // namespace lanescope::analysis
