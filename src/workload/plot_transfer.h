// S0 and T4: a script that draws a whole array from the GPU every few iterations.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo plot_transfer_info();
Settings plot_transfer_settings(const device::DeviceInfo& device);
/// Throws base::UsageError for settings that do not fit together.
void check_plot_transfer(const Settings& settings);
std::int64_t plot_transfer_period(const Settings& settings);
std::unique_ptr<Workload> make_plot_transfer(device::Device& device);

}  // namespace lanescope::workload
