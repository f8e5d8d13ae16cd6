// What an experiment shows at first, as the view and its trigger understand it.
#pragma once

#include "experiment/experiment.h"
#include "model/view_control.h"

namespace lanescope::ui {

ViewGoal view_goal(const experiment::View& view);

}  // namespace lanescope::ui
