// A copy of a stretch of the run that the window shows.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/run_snapshot.h"

namespace lanescope::ui {

class Model;

/// The newest iterations with the settings of now; of an opened trace, its newest without the warm-up, and the figures
/// of all of it. Empty: no iteration has ended since the last turn of a knob, or there is nothing at all.
std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events = kMostSnapshotEvents);
/// What figures are of, of a live run.
analysis::Summary figures_of_now(const Model& model);

}  // namespace lanescope::ui
