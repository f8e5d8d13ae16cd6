// The chart of a sweep, as far as it has come: a line over one axis; over two a heat map, or, where the first has a few
// values that are no numbers (pinned or not), a line for each.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/sweep.h"
#include "ui/fonts.h"
#include "ui/gl/draw_target.h"
#include "ui/theme.h"

struct ImDrawList;

namespace lanescope::ui {

/// Everything that is written in a chart; made once per sweep.
struct SweepTexts {
  std::vector<std::string> axes;  ///< a title per axis: "Batch size"
  std::string value;              ///< "time per iteration, µs", "CPU time / GPU time"
  std::string unit;               ///< "µs", "x"
  bool is_ratio = false;          ///< the values are times faster: 1 is where both are equal
};
/// `unit` is the sweep's own. What a workload's own figure is called is known when the first of `points` has run.
SweepTexts sweep_texts(const experiment::SweepSpec& spec, const std::string& unit,
                       std::span<const experiment::SweepPoint> points);

/// "4 KiB" for 4096 of "bytes", "sim:rtx4090" as it is, "12,000" for 12000.
std::string axis_value_text(std::string_view key, const std::string& value);
/// Three digits that count, with the unit: "842 µs", "1.35 x", "13.4 GB/s".
std::string sweep_value_text(double value, std::string_view unit);

/// Where a value stands between the bottom (0) and the top (1) of a line chart.
struct ValueScale {
  double low = 0, high = 1;
  bool logarithmic = false;

  float place(double value) const;
  /// Where the grid's lines are: round numbers.
  std::vector<double> ticks() const;
};
/// From 0, unless the values are so far apart (60 times) that the small ones could not be told from it: then
/// logarithmic.
ValueScale value_scale(std::span<const experiment::SweepPoint> points, bool is_ratio);

struct SweepChart {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  const SweepTexts& texts;
  std::optional<std::size_t> marked;  ///< a point to stand out
};

/// Draws into `area`, in logical pixels; `scale` is the font scale. Returns the point at `mouse_x`, `mouse_y`.
std::optional<std::size_t> draw_sweep_chart(ImDrawList& list, const Fonts& fonts, const Theme& theme, float scale,
                                            const SweepChart& chart, const Rect& area, float mouse_x, float mouse_y);

}  // namespace lanescope::ui
