// How far the prediction moves with what is not known exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/evidence.h"
#include "prediction/fit.h"
#include "prediction/predict.h"

namespace lanescope::prediction {

/// Relative to the prediction: less <= 0 <= more.
struct Span {
  double less = 0, more = 0;

  double width() const { return more - less; }
  void include(double moved) {
    less = std::min(less, moved);
    more = std::max(more, moved);
  }
};

/// The effect of all open numbers with one name and one basis, moved together.
struct Effect {
  std::string what;
  Basis basis = Basis::Assumed;
  Span span;
};

struct OpenEffects {
  /// Of what was recorded or probed: independent errors, so the root of the sum of their squares.
  Span measured;
  /// Of what is assumed: from all at their fast ends to all at their slow ends.
  Span assumed;
  std::vector<Effect> each;  ///< largest first; those that move nothing are left out

  /// The name of the largest effect with this basis; empty if there is none.
  std::string largest(Basis basis) const;
};

/// The time of an iteration on a machine, with the change or without it.
using TimeOn = std::function<double(const Machine& machine, bool changed)>;

/// `unsure`: the relative uncertainty of the recorded loop's time. The machine must still give that time, so what moves
/// the recorded loop by more than this moves the prediction only by what is left once that is taken back.
OpenEffects open_effects(const Fit& fit, const TimeOn& time, double unsure);

// --- scatter ---------------------------------------------------------------------------------------------------------
// How far the mean of a recorded stretch may be from that of another run, as the stretch itself shows it.

/// The 97.5 % quantile of Student's t distribution: t = z + (z^3 + z) / 4v + (5z^5 + 16z^3 + 3z) / 96v^2
/// + (3z^7 + 19z^5 + 17z^3 - 15z) / 384v^3, z = 1.96 (M. Abramowitz and I. Stegun, "Handbook of Mathematical
/// Functions", 26.7.5). Within 1 % for v >= 4 degrees of freedom.
double student_t(std::size_t degrees_of_freedom);

/// Half the 95 % confidence interval of the mean, in the unit of the values. Neighbouring values depend on each other
/// (run-ahead, the operating system, clock rates), so the series is cut into b blocks of equally many neighbours:
///
///   t(b - 1) * sqrt(sum (m_i - m)^2 / (b - 1) / b),   m_i the means of the blocks, m their mean
///
/// With 10 to 30 blocks, this depends little on their number (B. Schmeiser, "Batch size effects in the analysis of
/// simulation output", Operations Research 30, 1982, 556 to 568); b is 10, or as many as there are values. A rest that
/// does not fill a block is left out at the beginning. 0 if there are fewer than kFewestBlocks values.
double scatter_of_mean(std::span<const double> values);
/// The same for a machine whose speed wanders slowly, as a shared CPU's does: a whole other run may be as fast or as
/// slow as one of the blocks was, so it is expected where one more block is,
///
///   t(b - 1) * sqrt(sum (m_i - m)^2 / (b - 1) * (1 + 1 / b)),   around the mean of the recorded ones
double scatter_of_next(std::span<const double> values);
inline constexpr std::size_t kFewestBlocks = 5, kMostBlocks = 10;

// --- stalls ----------------------------------------------------------------------------------------------------------
// Compares where the CPU stalls before and after a change.

/// Largest change first.
std::vector<Stall> stalls_of(const analysis::Evidence& now, const base::NameTable& names_now,
                             const analysis::Evidence& then, const base::NameTable& names_then);
/// Empty if hardly anything changes; `iteration_ns` is the time per iteration before the change.
std::string stall_sentence(const std::vector<Stall>& stalls, double iteration_ns);

}  // namespace lanescope::prediction
