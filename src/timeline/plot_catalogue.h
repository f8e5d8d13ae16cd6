// Everything that can be plotted for a run or a file: figures of the iterations, and every counter of the trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "timeline/plot_set.h"
#include "timeline/theme.h"
#include "trace/trace.h"

namespace lanescope::ui {

enum class PlotUnit : std::uint8_t { Count, Duration /*ns*/, Percent, GigabytesPerSecond, Plain };
enum class PlotGroup : std::uint8_t { Pace, Waiting, Idle, Copies, Values };

struct PlotInfo {
  std::string key;  ///< stable, for preferences: "gpu-busy", "counter loss"
  std::optional<PlotKind> kind;
  std::optional<trace::LaneId> lane;  ///< of a counter
  PlotGroup group = PlotGroup::Pace;
  std::string label, brief;  ///< `brief` is used beside the value
  Colour colour = Colour::Accent;
  PlotUnit unit = PlotUnit::Plain;
  /// Limits that the scale always includes, if set.
  std::optional<float> floor{}, ceiling{};
  /// What determines the scale. Means, if single iterations are not meaningful (a rate is over many).
  RangeOf range = RangeOf::Extremes;
  bool can_be_logarithmic = true;
};

/// In menu order. Without iterations, only counters.
std::vector<PlotInfo> plot_catalogue(const trace::Trace& trace, bool has_iterations);
const char* group_title(PlotGroup group);

/// "2,512", "397.2 µs", "53 %", "12.31", "0.3312"; "–" if unknown.
std::string plot_text(PlotUnit unit, double value);
/// A tick's value without redundant digits.
std::string tick_text(PlotUnit unit, double value);
/// The value of a kind over the stretch of a summary; NaN if there is none.
double summary_value(PlotKind kind, const analysis::Summary& summary, double loss);

}  // namespace lanescope::ui
