// The view state of the plots: which are shown, on what scale, and what is under the mouse.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "timeline/counter_plot.h"
#include "timeline/plot_choice.h"
#include "timeline/plot_scale.h"

namespace lanescope::ui {

enum class PlotPart : std::uint8_t { None, Name, Close, Divider, Curves };

/// A part of the plots that the mouse can grab.
struct PlotGrip {
  PlotPart part = PlotPart::None;
  std::string key;    ///< key of the plot; for a divider, the upper one
  std::string lower;  ///< for a divider, the lower one
  bool moved = false;
};

struct PlotsView {
  PlotChoice choice;
  bool chosen = false;       ///< the preferences have been read
  bool logarithmic = false;  ///< for plots whose values allow it
  bool menu_open = false, toggle_menu = false;
  std::map<std::string, ShownRange> ranges;     ///< vertical scales, by PlotInfo::key
  std::map<std::string, CounterPlot> counters;  ///< by PlotInfo::key
  std::optional<float> pointed_px;              ///< x of the mouse over curves that share the timeline's axis
  std::uint64_t ranges_of = 0;                  ///< the run of the scales
  bool ranges_same_axis = false;                ///< and whether they are for the timeline's axis
  PlotGrip grip;                                ///< what the mouse has grabbed
  std::size_t first = 0;                        ///< the topmost plot, if not all fit
  bool moving = false;                          ///< a scale is easing, or a counter is being read
};

}  // namespace lanescope::ui
