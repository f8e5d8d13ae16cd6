// The ranges of the program that are under way on each thread, to be asked which one a call was made in.
#pragma once

#include <cstddef>
#include <vector>

#include "base/name_table.h"
#include "base/time.h"

namespace lanescope::analysis {

/// The innermost range that is known around a call. While a run goes on a range is known only when it has ended, after
/// the calls in it; of those that are still to come each may lie further in.
struct RangeAround {
  base::NameId name = 0;  ///< 0: none
  base::Nanoseconds start = 0;

  /// False where the range [from, to) is not around `at`, or lies further out.
  bool narrow(base::NameId range, base::Nanoseconds from, base::Nanoseconds to, base::Nanoseconds at) {
    if (at < from || at >= to || (name != 0 && from < start)) return false;
    name = range;
    start = from;
    return true;
  }
};

/// Told of ranges in the order in which they start, of those that start together the outer one first.
class OpenRanges {
 public:
  void add(std::size_t thread, base::Nanoseconds start, base::Nanoseconds end, base::NameId name) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    forget(threads_[thread], start);
    threads_[thread].push_back({end, {name, start}});
  }
  /// The innermost one on a thread at an instant, which must not go back.
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

  std::vector<std::vector<Open>> threads_;  // the innermost last
};

}  // namespace lanescope::analysis
