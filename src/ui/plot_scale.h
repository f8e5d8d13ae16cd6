// The vertical scale of a plot: 1-2-5 ticks, linear or logarithmic, and a range that grows at once and shrinks slowly.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ui/gl/plot_renderer.h"

namespace lanescope::ui {

/// Values at which a grid line and a label stand, ascending, `low` and `high` included where they are round. At most
/// `most` of them, at least one where any fits.
std::vector<double> plot_ticks(double low, double high, std::size_t most, bool logarithmic);

/// The range that the scale shows for values from `low` to `high`: both ends round, so that they can be read.
std::pair<double, double> round_range(double low, double high, bool logarithmic);

class ShownRange {
 public:
  /// Towards a range: what must become visible does at once, what is no longer needed goes slowly, after a while in
  /// which it was not needed; `eased` or with one step. `seconds`: since the last frame.
  void update(double low, double high, bool logarithmic, double seconds, bool eased = true);
  double low() const { return low_; }
  double high() const { return high_; }
  bool moving() const { return moving_; }

 private:
  double low_ = 0, high_ = 0;
  double wanted_low_ = 0, wanted_high_ = 0;
  double waited_ = 0;  // seconds since the range has been larger than needed
  bool logarithmic_ = false;
  bool moving_ = false;
};

/// Where a value stands between the bottom (0) and the top (1) of the scale; not clamped but for what has no logarithm.
double plot_position(double value, double low, double high, bool logarithmic);
/// The columns as a linear plot from 0 to 1 has them.
std::vector<PlotColumn> in_scale(std::span<const PlotColumn> columns, double low, double high, bool logarithmic);
/// A range of values can be drawn on a logarithmic scale: none is negative and some are positive.
inline bool can_be_logarithmic(double low, double high) { return low >= 0 && high > 0; }
/// The smallest positive value of the columns, which is where a logarithmic scale begins; 0 without any.
double least_positive(std::span<const PlotColumn> columns);

}  // namespace lanescope::ui
