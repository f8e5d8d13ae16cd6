// How two runs differ: in their settings, and in where the time of an iteration goes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "inspect/run_snapshot.h"

namespace lanescope::ui {

enum class DifferenceGroup : std::uint8_t {
  Iteration,  ///< the time of an iteration
  Gpu,        ///< how the GPU (or the CPU of a run without one) spends that time: these lines add up to it
  Beside,     ///< in addition: CPU time, copies without a concurrent kernel, calls
};

struct DifferenceRow {
  DifferenceGroup group = DifferenceGroup::Beside;
  std::string name;           ///< "idle: after a sync"
  std::string in_a_sentence;  ///< for lines of the group Gpu: "idle (after a sync)"
  bool count = false;         ///< calls per iteration; otherwise nanoseconds per iteration
  bool neutral = false;       ///< neither more nor less of it is better
  double a = 0, b = 0;

  double difference() const { return b - a; }
};

/// All lines of at least a thousandth of an iteration on either side, ordered by group and by the size of the
/// difference (counts after times). Without `b`, its figures are 0, and the largest figures of A come first.
std::vector<DifferenceRow> difference_rows(const RunSnapshot& a, const RunSnapshot* b);

/// How much faster B is, for the same work; of traces without iterations, for all of them.
analysis::Gain gain_between(const RunSnapshot& a, const RunSnapshot& b);
enum class Better : std::uint8_t { Same, B, A };
/// Runs that differ by less count as equal.
inline constexpr double kSameWithin = 0.01;
Better better(const RunSnapshot& a, const RunSnapshot& b);

/// "161.9 µs", "1.00"; "–" for 0.
std::string value_text(const DifferenceRow& row, double value);
/// "↓ 38.4 µs", "↑ 0.99"; "=" if the displayed digits are equal.
std::string difference_text(const DifferenceRow& row);
/// -1: B has less; 1: B has more; 0: the displayed digits are equal.
int difference_sign(const DifferenceRow& row);

/// "B is 75.8 µs shorter: 1.88x as fast", "B is 75.8 µs longer: 1.88x as slow", "B takes as long as A", each with its
/// basis: ", by elapsed time". If a side has no time per iteration, the reason.
std::string headline(const RunSnapshot& a, const RunSnapshot& b);
/// Where the time went: "Gone: 38.35 µs idle (after a sync), 9.8 µs idle (CPU work). New: 9 µs of GPU work." Lists at
/// most three parts of at least a tenth of the difference. Empty if the runs take equally long.
std::string where_it_went(const RunSnapshot& a, const RunSnapshot& b);

struct SideTexts {
  std::string a, b;
};
/// What distinguishes the runs, for each side: "log interval 1" and "log interval 100"; also the workload's title and
/// the device's name, after the side's label if it has one. If nothing does: "the same settings". Without `b`, the
/// title of A.
SideTexts side_texts(const RunSnapshot& a, const RunSnapshot* b, std::size_t most = 3);
/// "key value" for the settings that both share, in one line.
std::string shared_settings(const RunSnapshot& a, const RunSnapshot& b);

/// The table with its headline in Markdown, for a pull request.
std::string markdown(const RunSnapshot& a, const RunSnapshot& b);

}  // namespace lanescope::ui
