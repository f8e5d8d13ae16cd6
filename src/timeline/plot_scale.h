// The vertical scale of a plot: 1-2-5 ticks, linear or logarithmic, and a range that grows at once and shrinks slowly.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "timeline/plot.h"

namespace lanescope::ui {

/// Values for grid lines and labels, ascending, including `low` and `high` if they are round. At most `most`; at least
/// one if any fits.
std::vector<double> plot_ticks(double low, double high, std::size_t most, bool logarithmic);

/// The range to show for values from `low` to `high`: both ends are round and readable.
std::pair<double, double> round_range(double low, double high, bool logarithmic);

class ShownRange {
 public:
  /// Moves towards a range: expands at once; shrinks slowly, after the extra space has not been needed for a while.
  /// Without `eased`, moves in one step. `seconds`: since the last frame.
  void update(double low, double high, bool logarithmic, double seconds, bool eased = true);
  double low() const { return low_; }
  double high() const { return high_; }
  bool moving() const { return moving_; }

 private:
  double low_ = 0, high_ = 0;
  double wanted_low_ = 0, wanted_high_ = 0;
  double waited_ = 0;  // seconds for which the range has been larger than needed
  bool logarithmic_ = false;
  bool moving_ = false;
};

/// The position of a value between bottom (0) and top (1) of the scale. Not clamped, except for values without a
/// logarithm.
double plot_position(double value, double low, double high, bool logarithmic);
/// Converts the columns to a linear plot from 0 to 1.
std::vector<PlotColumn> in_scale(std::span<const PlotColumn> columns, double low, double high, bool logarithmic);
/// True if a logarithmic scale is possible: no value is negative and some are positive.
inline bool can_be_logarithmic(double low, double high) { return low >= 0 && high > 0; }
/// The smallest positive value, where a logarithmic scale begins; 0 if there is none.
double least_positive(std::span<const PlotColumn> columns);

}  // namespace lanescope::ui
