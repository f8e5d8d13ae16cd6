// How the plots are looked at: which, on what scale, what is under the mouse.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ui/counter_plot.h"
#include "ui/plot_choice.h"
#include "ui/plot_scale.h"

namespace lanescope::ui {

enum class PlotPart : std::uint8_t { None, Name, Close, Divider, Curves };

/// A part of the plots that can be taken with the mouse.
struct PlotGrip {
  PlotPart part = PlotPart::None;
  std::string key;    ///< of the plot; of a divider, the upper one
  std::string lower;  ///< of a divider
  bool moved = false;
};

struct PlotsView {
  PlotChoice choice;
  bool chosen = false;       ///< the preferences have been read
  bool logarithmic = false;  ///< the plots whose values allow it
  bool menu_open = false, toggle_menu = false;
  std::map<std::string, ShownRange> ranges;     ///< the vertical scales, by PlotInfo::key
  std::map<std::string, CounterPlot> counters;  ///< likewise
  std::optional<float> pointed_px;              ///< x of the mouse over curves that are on the timeline's axis
  std::uint64_t ranges_of = 0;                  ///< the run that the scales are of
  bool ranges_same_axis = false;                ///< and the axis
  PlotGrip grip;                                ///< what the mouse holds
  std::size_t first = 0;                        ///< the topmost, where not all have room
  bool moving = false;                          ///< a scale is easing, a counter is being read
};

}  // namespace lanescope::ui
