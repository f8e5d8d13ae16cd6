// What the shell keeps of the oscilloscope beside the trigger's settings, which are ViewControl's: the average, which
// is worked out beside the drawing, and what the trigger panel shows.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"
#include "inspect/trigger.h"
#include "timeline/average.h"

namespace lanescope::ui {

struct ShellState;

/// What an average is of.
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

  AverageRequest asked;  ///< what `picture` is of, or will be
  base::BackgroundJob<AveragePicture> pending;
  std::size_t markers = 0;  ///< knobs turned so far; another one restarts the average
  Nanoseconds since = std::numeric_limits<Nanoseconds>::min();  ///< windows begin after the last turn
  std::uint64_t generation = 0;

  std::vector<TriggerName> names;  ///< for the panel, read again now and then while it is open
  std::chrono::steady_clock::time_point names_read{};
  std::string filter;

  /// The average is forgotten, and what is being worked out no longer needs the trace.
  void drop_average();
};

/// Once per frame, after the view was updated: collects pictures for the average, and takes it when it is ready.
void update_scope(ShellState& state);
/// The average stands for the events in this frame.
bool shows_average(const ShellState& state);

/// What the top bar says of the trigger.
struct ScopeStatus {
  std::string what;               ///< "trigger: iteration start"
  std::vector<std::string> says;  ///< how it goes, the longest wording first
  bool waits = false;             ///< armed, or nothing has fired yet
  bool only_settings = false;     ///< `says` lists the trigger's settings, since there is nothing else to say
};
ScopeStatus scope_status(const ShellState& state);

}  // namespace lanescope::ui
