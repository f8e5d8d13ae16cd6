// P27, P28: a model that is fed by a DataLoader.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

inline constexpr std::int64_t kPrefetchNotGiven = 0;
/// The remaining share of a sample's load time (assumed): without opening a file for each sample, and when it comes
/// from a cache of preprocessed samples filled by the first epoch.
inline constexpr double kTarredShare = 0.75;
inline constexpr double kCachedShare = 0.25;

WorkloadInfo dataloader_info();
Settings dataloader_settings(const device::DeviceInfo& device);
/// Throws base::UsageError for what PyTorch's DataLoader rejects, and for batches that do not fit in memory.
void check_dataloader(const Settings& settings);
std::int64_t dataloader_period(const Settings& settings);
std::unique_ptr<Workload> make_dataloader(device::Device& device);

}  // namespace lanescope::workload
