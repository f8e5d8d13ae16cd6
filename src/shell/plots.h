// The plots: which exist, how they are shown, and the curves kept as a ghost.
#pragma once

#include <optional>
#include <vector>

#include "model/compare/ghost.h"
#include "timeline/plot_set.h"
#include "timeline/plots_view.h"

namespace lanescope::ui {

struct Plots {
  PlotSet set;                   ///< of all GPUs together
  std::vector<PlotSet> of_gpus;  ///< of each, if there are several
  PlotsView view;
  GhostRun ghost;
  std::optional<bool> on_timeline_axis;  ///< empty: depends on the view (roll: the timeline's, else history)
};

}  // namespace lanescope::ui
