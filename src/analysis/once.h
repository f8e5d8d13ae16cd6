// What happens once, or now and then, is told apart from what each iteration does: set-up, warm-up, what is rare, and
// what follows the loop are stretches of their own, with times of their own. Figures, verdict, idle ledger and cards of
// a recording are of the steady part, which is the rest.
//
// A part of the loop is rare if it takes more than kRareTimes as long as is usual, without being how the loop paces
// itself: the time between two iterations (an evaluation, a checkpoint, the next epoch), or a long iteration. For half
// of it or more, the CPU does not wait for the GPU and the GPU does not work; or more is launched in it than that many
// usual iterations launch. The one iteration in a hundred that reads the loss waits for the GPU's work of the others:
// it is long, and as usual as they are. (A wait for the data loader is none for the GPU.) From the end of the iteration
// before to the end of the one that is affected, as everywhere, because totals are known there. (So the first iteration
// after an evaluation, which finds the queue empty, is left out with it.)
//
// Usual is the larger of the median and the mean of the times from end to end: with a queue that fills, most iterations
// take less than the GPU needs; and where iterations are marked as a small part of the loop, what lies between two is
// usual. kRareTimes is that of pace.cpp: an iteration that takes more has waited for the work of others. That the mean
// counts in what is rare hides little: if that is a twentieth of all (kMostRare), it shows from 4.75 times on, since
// 4.75 = 4 * (0.95 + 0.05 * 4.75).
//
// What happens more often than in every twentieth iteration is the loop's normal, and so is all that together takes
// less than a hundredth of the loop: it changes no figure that is shown. Below kFewestForRare iterations one is a
// twentieth, and only a pause that is longer than all of them together is not the loop's.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"

namespace lanescope::analysis {

inline constexpr std::int64_t kRareTimes = 4, kMostRare = 20, kFewestForRare = 20;

/// What is rare among the iterations of a process, without its warm-up; ascending. Adjacent ones are one. Each begins
/// and ends where an iteration does. In parts: between two bursts iterations may be unknown, so time between two known
/// ones counts only if all of it was recorded, or the iterations around it were followed without a recording.
std::vector<TimeSpan> rare_spans(std::span<const IterationRecord> records);

/// Of all that is rare, what happens at one place.
struct RareRow {
  std::string place;       ///< "train.py:88", "evaluate", "cudaStreamSynchronize"; empty: not known
  std::string detail;      ///< what is called in that line: "evaluate"
  std::string file;        ///< if the place is a line, its whole path
  std::uint32_t line = 0;  ///< 0: the place is not a line
  bool between = false;    ///< it lies between two iterations (the first of them)
  std::vector<TimeSpan> spans;
  Nanoseconds total_ns = 0;
  TimeSpan longest;

  std::int64_t count() const { return static_cast<std::int64_t>(spans.size()); }
  Nanoseconds mean_ns() const { return spans.empty() ? 0 : total_ns / count(); }
};

/// A trace in stretches, which add up to it.
struct Once {
  Nanoseconds set_up_ns = 0;   ///< before the first iteration
  Nanoseconds warm_up_ns = 0;  ///< the iterations that are left out at the start
  Nanoseconds steady_ns = 0;
  Nanoseconds rare_ns = 0;
  Nanoseconds end_ns = 0;  ///< after the last iteration
  std::int64_t steady_iterations = 0, iterations = 0;
  std::vector<RareRow> rows;  ///< of rare_ns, the longest first

  Nanoseconds all_ns() const { return set_up_ns + warm_up_ns + steady_ns + rare_ns + end_ns; }
};
/// `records` are those of the process that `summary` is about; there is one at least. A place is the user's line that
/// makes the calls in half of the time or more, without those that usual iterations make; else the innermost range that
/// covers half of it or more; else the call in it that waits longest, if that is half of it.
Once once_of(const trace::Trace& trace, std::span<const IterationRecord> records, const Summary& summary);

/// "evaluate in train.py:88"; translated where it is not known: "between iterations", "long iterations".
std::string rare_text(const RareRow& row);
/// "3 times, 300 ms each"; translated.
std::string how_often(const RareRow& row);

}  // namespace lanescope::analysis
