// P01 to P03, P21: copies two fresh host tensors to the GPU in every iteration, compared with resident data.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo transfer_loop_info();
Settings transfer_loop_settings(const device::DeviceInfo& device);
/// Throws base::UsageError if the batch does not fit in memory.
void check_transfer_loop(const Settings& settings);
std::unique_ptr<Workload> make_transfer_loop(device::Device& device);

}  // namespace lanescope::workload
