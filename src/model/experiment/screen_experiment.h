// What is on the screen as an experiment: to be saved, and edited by hand.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"
#include "model/timeline/view_control.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// What both sides have in common.
struct ShownRun {
  std::string workload, device;
  std::uint64_t iterations = 1000;  ///< of a headless run
  workload::Settings standard;      ///< of the workload on that device
  workload::Settings now;
  experiment::View view;
};

/// From the settings before a turn to those of now. Its texts say what was turned, in all languages, and what to write
/// in their place. It has an id and a name that are free.
experiment::Experiment experiment_of_turn(const ShownRun& shown, const workload::Settings& before);
/// The sides of an experiment with the other knobs as they are now, and without its published numbers.
experiment::Experiment experiment_like(const experiment::Experiment& like, const ShownRun& shown);

/// "X1-log-interval-1-100.toml"
std::string file_name_of(const experiment::Experiment& experiment);

// What an experiment shows at first, as the view and its trigger understand it.

ViewGoal view_goal(const experiment::View& view);

}  // namespace lanescope::ui
