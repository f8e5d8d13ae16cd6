// All that can be plotted of a run or a file: figures of the iterations, and every counter that the trace has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "trace/trace.h"
#include "ui/plot_kind.h"
#include "ui/plot_set.h"
#include "ui/theme.h"

namespace lanescope::ui {

enum class PlotUnit : std::uint8_t { Count, Duration /*ns*/, Percent, GigabytesPerSecond, Plain };
enum class PlotGroup : std::uint8_t { Pace, Waiting, Idle, Copies, Values };

struct PlotInfo {
  std::string key;  ///< stable, for what is remembered: "gpu-busy", "counter loss"
  std::optional<PlotKind> kind;
  std::optional<trace::LaneId> lane;  ///< of a counter
  PlotGroup group = PlotGroup::Pace;
  std::string label, brief;  ///< the latter where the value stands beside it
  Colour colour = Colour::Accent;
  PlotUnit unit = PlotUnit::Plain;
  /// The scale covers at least this, where it is set.
  std::optional<float> floor{}, ceiling{};
  /// What the scale covers: where single iterations say little (a rate is that of many), the means.
  RangeOf range = RangeOf::Extremes;
  bool can_be_logarithmic = true;
};

/// In the order of the menu. Without iterations there are only counters.
std::vector<PlotInfo> plot_catalogue(const trace::Trace& trace, bool has_iterations);
const char* group_title(PlotGroup group);

/// "2,512", "397.2 µs", "53 %", "12.31", "0.3312"; "–" for what is not known.
std::string plot_text(PlotUnit unit, double value);
/// A tick's value, without digits that say nothing.
std::string tick_text(PlotUnit unit, double value);
/// The value of a kind over the stretch that the summary is of; NaN where there is none.
double summary_value(PlotKind kind, const analysis::Summary& summary, double loss);

}  // namespace lanescope::ui
