// What eager PyTorch costs the CPU, measured by a Python program (assets/torch/costs.py).
#pragma once

#include <string_view>

#include "calibration/calibrate.h"

namespace lanescope::calibration {

/// The program. It needs PyTorch, and prints what parse_torch_costs() reads in its last line.
std::string_view torch_costs_program();

/// Adds the tables [pytorch] and [pytorch_cpu] to the numbers of a profile, each if it was measured. Of each
/// statement's time, the CUDA calls in it are subtracted at the profile's costs, or on a CPU its operations at
/// cpu.op_us. Throws base::Error if `output` is not that program's.
void add_torch_costs(device::sim::DeviceProfile& profile, std::string_view output, std::string_view date);

}  // namespace lanescope::calibration
