// How far the prediction moves with what is not known exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "prediction/fit.h"

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

}  // namespace lanescope::prediction
