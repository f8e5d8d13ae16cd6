// The shell's state of the oscilloscope apart from the trigger's settings, which are in ViewControl: the average,
// computed in the background, and the contents of the trigger panel.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"
#include "inspect/outlier.h"
#include "inspect/trigger.h"
#include "timeline/average.h"

namespace lanescope::ui {

struct ShellState;

/// The inputs of an average.
struct AverageRequest {
  std::vector<Nanoseconds> triggers;
  Nanoseconds before = 0, after = 0;
  std::size_t columns = 0;

  bool operator==(const AverageRequest&) const = default;
};

struct ScopeState {
  AverageSettings average;
  AveragePicture picture;
  bool panel_open = false;

  AverageRequest asked;  ///< the request of `picture`, or of the next one
  base::BackgroundJob<AveragePicture> pending;
  std::size_t markers = 0;  ///< knobs turned so far; another one restarts the average
  Nanoseconds since = std::numeric_limits<Nanoseconds>::min();  ///< averaged windows begin after the last turn
  std::uint64_t generation = 0;

  base::BackgroundJob<std::optional<Outlier>> worst;  ///< the iteration that took longest, being looked for

  std::vector<TriggerName> names;  ///< for the panel; read again from time to time while it is open
  std::chrono::steady_clock::time_point names_read{};
  std::string filter;

  /// Discards the average, and stops its computation.
  void drop_average();
};

/// Once per frame, after the view was updated: collects pictures for the average and takes finished averages.
void update_scope(ShellState& state);
/// The average is drawn instead of the events in this frame.
bool shows_average(const ShellState& state);

/// What the trigger's chip says: "trigger", "iteration start"; "held", "L".
struct ScopeStatus {
  std::string label, value;
  bool waits = false;  ///< armed, or nothing has fired yet
};
ScopeStatus scope_status(const ShellState& state);

}  // namespace lanescope::ui
