// What tells one run from another: the settings that differ, and where the time of an iteration went.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ui/compare/run_snapshot.h"

namespace lanescope::ui {

enum class DifferenceGroup : std::uint8_t {
  Iteration,  ///< how long one takes
  Gpu,        ///< what the GPU does meanwhile, or the CPU of a run without one: these lines add up to it
  Beside,     ///< what the CPU does, copies without a kernel beside them, calls
};

struct DifferenceRow {
  DifferenceGroup group = DifferenceGroup::Beside;
  std::string name;           ///< "idle: after a sync"
  std::string in_a_sentence;  ///< of the GPU's lines: "idle (after a sync)"
  bool count = false;         ///< calls per iteration; else nanoseconds per iteration
  bool neutral = false;       ///< less of it is neither good nor bad
  double a = 0, b = 0;

  double difference() const { return b - a; }
};

/// All lines that are a thousandth of an iteration on one side at least, group by group, in each the largest difference
/// first (counts after times). Without `b` its figures are 0, and the largest of A comes first.
std::vector<DifferenceRow> difference_rows(const RunSnapshot& a, const RunSnapshot* b);

enum class Better : std::uint8_t { Same, B, A };
/// Runs that differ by less are as long as each other.
inline constexpr double kSameWithin = 0.01;
Better better(const RunSnapshot& a, const RunSnapshot& b);

/// "161.9 µs", "1.00"; "–" for a value that is 0.
std::string value_text(const DifferenceRow& row, double value);
/// "↓ 38.4 µs", "↑ 0.99", "=" for what is the same in the digits that are shown.
std::string difference_text(const DifferenceRow& row);
/// -1: B has less, 1: more, 0: the same in the digits that are shown.
int difference_sign(const DifferenceRow& row);

/// "B is 75.8 µs shorter: 1.88x as fast", "B is 75.8 µs longer: 1.88x as slow", "B takes as long as A", each with what
/// it is of: ", by elapsed time". Where a side does not say what an iteration takes, why not.
std::string headline(const RunSnapshot& a, const RunSnapshot& b);
/// Where the time went: "Gone: 38.35 µs idle (after a sync), 9.8 µs idle (CPU work). New: 9 µs of GPU work."; the
/// parts that are a tenth of the difference or more, three at most; empty where the runs are as long as each other.
std::string where_it_went(const RunSnapshot& a, const RunSnapshot& b);

struct SideTexts {
  std::string a, b;
};
/// What differs between the runs, each in its own words: "log interval 1" and "log interval 100"; the workload's title
/// and the device's name too, behind the side's label if it has one. Where nothing does: "the same settings". Without
/// `b`, A by its title.
SideTexts side_texts(const RunSnapshot& a, const RunSnapshot* b, std::size_t most = 3);
/// "key value" of the settings that both have, in one line.
std::string shared_settings(const RunSnapshot& a, const RunSnapshot& b);

/// The table with its headline, for a pull request.
std::string markdown(const RunSnapshot& a, const RunSnapshot& b);

}  // namespace lanescope::ui
