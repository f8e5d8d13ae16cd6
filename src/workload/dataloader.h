// P27, P28: a model that is fed by a DataLoader.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo dataloader_info();
Code dataloader_code(const Settings& settings);
Settings dataloader_settings(const device::DeviceInfo& device);
/// Throws base::UsageError for what PyTorch's DataLoader rejects, and for batches that do not fit in memory.
void check_dataloader(const Settings& settings);
std::int64_t dataloader_period(const Settings& settings);
std::unique_ptr<Workload> make_dataloader(device::Device& device);

}  // namespace lanescope::workload
