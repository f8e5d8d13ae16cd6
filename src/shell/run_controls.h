// What a person turns to control the run: knobs, devices, experiments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "model/active_experiment.h"
#include "model/recorded.h"

namespace lanescope::ui {

/// The knob whose value is being typed.
struct KnobEditing {
  std::string setting;  ///< empty: none
  std::string text;
};

/// The device menu. It is a popup of ImGui's, which alone knows when a click beside it has closed it.
struct DeviceMenuState {
  bool open = false;    ///< in the frame that was drawn last
  bool toggle = false;  ///< requested; the top bar opens it with fresh lists, or closes it
  std::vector<device::CatalogueEntry> devices;
  std::vector<RecordedCapture> recorded = recorded_captures();
};

/// How fast a run must go so that something happens to look at: while it is on, ten times as fast when nothing does.
struct AutoSpeed {
  bool on = false;
  double set = 0;  ///< when the speed is another one, a person has chosen it
  std::size_t iterations = 0;
  std::chrono::steady_clock::time_point since{};
};

struct ExperimentState {
  std::optional<ActiveExperiment> active;
  std::uint64_t generation = 0;  ///< the run that it was last told of
  std::uint64_t summary = 0;     ///< the figures that it was last given
  std::string real_gpu;          ///< the one in use last, unless a simulated one was chosen since
  AutoSpeed auto_speed;
  bool shows_open = false, correction_open = false;  ///< long texts, unfolded
};

}  // namespace lanescope::ui
