// What the user turns to control the run: knobs, devices, experiments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "model/experiment/active_experiment.h"
#include "model/source/recorded.h"

namespace lanescope::ui {

/// The knob whose value is being typed.
struct KnobEditing {
  std::string setting;  ///< empty: none
  std::string text;
};

/// The device menu. It is an ImGui popup: only ImGui knows when a click outside has closed it.
struct DeviceMenuState {
  bool open = false;       ///< in the last frame
  bool toggle = false;     ///< requested; the top bar opens it with fresh lists, or closes it
  float widest_badge = 0;  ///< so far, in logical pixels
  std::vector<device::CatalogueEntry> devices;
  std::vector<RecordedCapture> recorded = recorded_captures();
};

/// Finds a speed at which something visibly happens: while on, goes ten times as fast when nothing does.
struct AutoSpeed {
  bool on = false;
  double set = 0;  ///< if the speed differs from this, the user has chosen it
  std::size_t iterations = 0;
  std::chrono::steady_clock::time_point since{};
  bool held = false;  ///< in the last frame: by a pause, or behind an overlay
};

struct ExperimentState {
  std::optional<ActiveExperiment> active;
  std::uint64_t generation = 0;                     ///< the last run that it was notified of
  std::uint64_t summary = 0;                        ///< the last figures that it was given
  std::string real_gpu;                             ///< the last one in use, unless a simulated GPU was chosen since
  const experiment::Experiment* of_step = nullptr;  ///< what the lesson's step runs
  std::optional<experiment::Side> viewed;           ///< the side whose view was last gone to
  AutoSpeed auto_speed;
  bool shows_open = false, correction_open = false;  ///< whether the long texts are unfolded
};

}  // namespace lanescope::ui
