// The plots: which there are, how they are seen, and the curves that are kept as a ghost.
#pragma once

#include <optional>

#include "model/ghost.h"
#include "timeline/plot_set.h"
#include "timeline/plots_view.h"

namespace lanescope::ui {

struct Plots {
  PlotSet set;
  PlotsView view;
  GhostRun ghost;
  std::optional<bool> on_timeline_axis;  ///< empty: by the view (roll: the timeline's, else history)
};

}  // namespace lanescope::ui
