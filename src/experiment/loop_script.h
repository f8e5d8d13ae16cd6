// The loop of an experiment's side, or of the window, as a program that runs without Lanescope.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "device/device.h"
#include "experiment/experiment.h"
#include "workload/program.h"
#include "workload/settings.h"

namespace lanescope::experiment {

/// What a side's run begins with on this device.
workload::Settings start_settings(const Experiment& experiment, Side side, const device::DeviceInfo& device);

struct LoopOfScript {
  std::string_view workload;
  const workload::Settings& settings;
  bool on_cpu = false;
  std::uint64_t iterations = 200;          ///< that are timed, unless an argument of the script says otherwise
  const Experiment* experiment = nullptr;  ///< may be null
  Side side = Side::Before;                ///< of the experiment
};
/// Its first lines say what it is, and its result names the experiment, the side and the settings.
workload::Script loop_script(const LoopOfScript& loop);

}  // namespace lanescope::experiment
