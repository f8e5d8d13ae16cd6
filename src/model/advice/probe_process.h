// Probes a GPU in a process of its own, beside a run that uses it: a process has one capture, and a probe in this one
// would be in the run's record.
#pragma once

#include <span>
#include <string>

#include "calibration/quick_probe.h"
#include "device/op.h"

namespace lanescope::ui {

/// Runs `lanescope probe --device ID` and waits for it, for ten seconds at most. Throws base::Error if that fails.
calibration::QuickProbe probe_in_a_process(const std::string& device, std::span<const ops::Op> ops);
/// The same with another program.
calibration::QuickProbe probe_with(const std::string& program, const std::string& device, std::span<const ops::Op> ops);

}  // namespace lanescope::ui
