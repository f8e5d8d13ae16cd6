// Copies a stretch of the run that the window shows.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/run_snapshot.h"

namespace lanescope::ui {

class Model;

/// Plans a copy of the newest iterations with the current settings; for an opened trace, its newest iterations without
/// the warm-up, and the figures of the whole trace. Empty: no iteration has ended since the last turn of a knob, or
/// nothing is shown.
std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events = kMostSnapshotEvents);

}  // namespace lanescope::ui
