// The recordings of several machines on one clock, by the ends of the collectives that they have in common: all ranks
// leave a collective within microseconds of each other.
//
//   node of rank 0      ends    |      |      |        one shift and one slope for each other node, along a tree of the
//   another node         |      |       |              pairs of nodes that have most collectives in common
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/job_summary.h"

namespace lanescope::analysis {

/// Only such collectives tell of clocks: nobody leaves before the last one has come. `operation`: "AllReduce".
bool leaves_together(std::string_view operation);

/// The ends of one collective on two nodes, each on its own clock.
struct EndPair {
  Nanoseconds here_ns = 0, there_ns = 0;
};
/// there = here + shift + slope * (here - at).
struct ClockLine {
  Nanoseconds at_ns = 0;     ///< the middle of what it was made of
  Nanoseconds shift_ns = 0;  ///< there
  double slope = 0;
  Nanoseconds error_ns = 0;  ///< nine tenths of the ends are as near

  Nanoseconds there(Nanoseconds here) const;
};
/// Fewer and shorter tell nothing of a slope: it would add more error than it takes away.
inline constexpr std::size_t kFewestForSlope = 100;
inline constexpr Nanoseconds kShortestForSlope = 10 * base::kSecond;
/// Fewer collectives than this tell nothing of clocks.
inline constexpr std::size_t kFewestEnds = 5;
/// Ends agree to about a microsecond, and yet all of those of one rank may be so much later than another's.
inline constexpr Nanoseconds kEndsError = 20 * base::kMicrosecond;

/// Shift and slope by medians (Theil and Sen), which some ends that are far off do not disturb. Empty: too few.
std::optional<ClockLine> clock_line(std::span<const EndPair> ends);

/// Theil and Sen's slope: the median of those between any two points, which are put together to at most 128 before.
double median_slope(std::span<const std::pair<double, double>> points);

/// Of a communicator, the ends of one node, by number and ascending, on the node's monotonic clock.
struct NodeEnds {
  struct End {
    std::uint64_t number = 0;
    Nanoseconds end_ns = 0;
  };
  std::size_t node = 0;
  std::vector<End> ends;
};

enum class ClockBasis : std::uint8_t { Root, Ends, TimeOfDay, Nothing };
/// Of one node: from its monotonic clock to that of the root.
struct NodeClock {
  ClockBasis basis = ClockBasis::Nothing;
  std::vector<ClockLine> path;  ///< one after the other
  Nanoseconds error_ns = 0;     ///< 0: of the root, or `Nothing`
  std::size_t collectives = 0;  ///< of its own pair
  /// By how much its time of day is ahead of that of the root; empty: not both are known.
  std::optional<Nanoseconds> time_of_day_ns;
  /// That is more than what the kernels of the two said that it could be.
  bool contradicts = false;

  Nanoseconds on_root(Nanoseconds t) const;
  bool known() const { return basis != ClockBasis::Nothing; }
};
/// `nodes`: of each, the clock of any of its recordings; origin_ns is not used. `communicators`: the ends of each, on
/// at least two nodes. The first guess is the time of day; a node without collectives in common with the others keeps
/// it, if the kernels of both say how wrong it may be.
std::vector<NodeClock> node_clocks(std::span<const JobClockFacts> nodes, std::size_t root,
                                   std::span<const std::vector<NodeEnds>> communicators);

}  // namespace lanescope::analysis
