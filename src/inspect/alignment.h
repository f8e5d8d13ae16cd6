// Aligns two runs on a common time axis for a comparison.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "inspect/run_snapshot.h"

namespace lanescope::ui {

enum class CompareAlign : std::uint8_t {
  Iteration,  ///< iteration k of A starts where iteration k of B starts; the shorter one is followed by a gap
  Time,       ///< the typical iterations start together, and both runs continue without gaps
};

inline constexpr std::size_t kSideA = 0, kSideB = 1;

/// Common time 0 is the start of the typical iteration of both sides. Nanoseconds have the same length on both sides.
class Alignment {
 public:
  static constexpr int kSlotsBefore = 8, kSlotsAfter = 16;  ///< by iteration: this many around the typical one

  struct Side {
    std::span<const IterationSpan> iterations;  ///< empty: there is no such run
    std::size_t typical = 0;
  };
  /// [at, until) of the common time shows the run's own time from `source_ns` on.
  struct Piece {
    Nanoseconds at = 0, until = 0, source_ns = 0;
    bool operator==(const Piece&) const = default;
  };
  /// One iteration in the common time; number 0 is the typical one.
  struct Mark {
    int number = 0;
    Nanoseconds from = 0, to = 0;
    bool operator==(const Mark&) const = default;
  };
  /// By iteration: the interval reserved for iteration `number` of both sides.
  struct Slot {
    int number = 0;
    Nanoseconds from = 0, to = 0;
    bool operator==(const Slot&) const = default;
  };

  Alignment() = default;
  Alignment(CompareAlign align, const Side& a, const Side& b);

  CompareAlign align() const { return align_; }
  Nanoseconds begin() const { return begin_; }
  Nanoseconds end() const { return end_; }
  const std::vector<Slot>& slots() const { return slots_; }  ///< in order; empty by time
  const std::vector<Piece>& pieces(std::size_t side) const { return pieces_[side]; }
  const std::vector<Mark>& marks(std::size_t side) const { return marks_[side]; }
  /// Iteration `number` of a side.
  const Mark* mark(std::size_t side, int number) const;
  /// The initial view: the typical iteration of both sides, and the start of what follows.
  std::pair<Nanoseconds, Nanoseconds> first_view() const;

 private:
  void by_iteration(const std::array<Side, 2>& sides);
  void by_time(const std::array<Side, 2>& sides);

  CompareAlign align_ = CompareAlign::Iteration;
  Nanoseconds begin_ = 0, end_ = 1;
  std::vector<Slot> slots_;
  std::array<std::vector<Piece>, 2> pieces_;
  std::array<std::vector<Mark>, 2> marks_;
};

}  // namespace lanescope::ui
