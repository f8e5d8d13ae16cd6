// The workloads. Each has its texts, its settings on a device, and makes itself; its program as code is in the same
// file or, of the longest, in NAME_code.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/program.h"
#include "workload/workload.h"

namespace lanescope::workload {

// --- bandwidth -------------------------------------------------------------------------------------------------------
// P16 to P20: one transfer between host and device, and how the program's stopwatch measures it.

WorkloadInfo bandwidth_info();
Settings bandwidth_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_bandwidth(device::Device& device);

// --- break even ------------------------------------------------------------------------------------------------------
// P04 to P06: S0's training loop over a data set of a given size, to compare the CPU with the GPU.

WorkloadInfo break_even_info();
Settings break_even_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_break_even(device::Device& device);

// --- control flow ----------------------------------------------------------------------------------------------------
// P11 to P13: a model whose control flow depends on values on the GPU.

WorkloadInfo control_flow_info();
Settings control_flow_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_control_flow(device::Device& device);

// --- dataloader ------------------------------------------------------------------------------------------------------
// P27, P28: a model that is fed by a DataLoader.

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

// --- iris mlp --------------------------------------------------------------------------------------------------------
// P22 to P26: the tutorial's iris network, so small that the GPU is launch-bound.

/// The error PyTorch raises if a layer's weights are on the CPU and its input is on the GPU. The first layer is an
/// addmm, whose first argument is the bias.
inline constexpr const char* kWrongDevice =
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! "
    "(when checking argument for argument mat1 in method wrapper_CUDA_addmm)";

/// The number of epochs between prints. An epoch prints if it logs and is at least 100 epochs after the last print.
std::uint64_t epochs_between_prints(std::uint64_t log_interval);

WorkloadInfo iris_mlp_info();
Settings iris_mlp_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_iris_mlp(device::Device& device);

// --- linear mse ------------------------------------------------------------------------------------------------------
// P08 to P10, P14, P15: one Linear(1000, 1000) on a batch that stays on the GPU. Shows the cost of reading its loss or
// of timing its forward pass.

WorkloadInfo linear_mse_info();
Settings linear_mse_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_linear_mse(device::Device& device);

// --- plot transfer ---------------------------------------------------------------------------------------------------
// S0 and T4: a script that draws a whole array from the GPU every few iterations.

WorkloadInfo plot_transfer_info();
Settings plot_transfer_settings(const device::DeviceInfo& device);
/// Throws base::UsageError for settings that do not fit together.
void check_plot_transfer(const Settings& settings);
std::int64_t plot_transfer_period(const Settings& settings);
std::unique_ptr<Workload> make_plot_transfer(device::Device& device);

// --- raw cuda --------------------------------------------------------------------------------------------------------
// S3's three lines of CUDA C++: copy to the GPU, run a kernel, copy back. No framework, so no dispatch cost.

/// The limit of every GPU; beyond it, <<<1, N>>> is an invalid configuration.
inline constexpr std::int64_t kThreadsOfABlock = 1024;

WorkloadInfo raw_cuda_info();
Settings raw_cuda_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_raw_cuda(device::Device& device);

// --- readback --------------------------------------------------------------------------------------------------------
// P15 and S0's advice: ways to read a loss from the GPU, from .item() to a copy that is read one step late.

WorkloadInfo readback_info();
Settings readback_settings(const device::DeviceInfo& device);
std::int64_t readback_period(const Settings& settings);
std::unique_ptr<Workload> make_readback(device::Device& device);

// --- transfer loop ---------------------------------------------------------------------------------------------------
// P01 to P03, P21: copies two fresh host tensors to the GPU in every iteration, compared with resident data.

WorkloadInfo transfer_loop_info();
Settings transfer_loop_settings(const device::DeviceInfo& device);
/// Throws base::UsageError if the batch does not fit in memory.
void check_transfer_loop(const Settings& settings);
std::unique_ptr<Workload> make_transfer_loop(device::Device& device);

// --- iris data -------------------------------------------------------------------------------------------------------
// Fisher's iris measurements, split and scaled as the tutorial does.

struct IrisData {
  static constexpr std::int32_t kFeatures = 4;
  static constexpr std::int32_t kClasses = 3;

  std::int32_t rows = 0;
  std::vector<float> features;  ///< rows x 4, scaled to [0, 1] by the rows' minimum and maximum
  std::vector<float> classes;   ///< rows: 0 setosa, 1 versicolor, 2 virginica
};

/// The training rows in the order of the tutorial's split.
IrisData iris_training_rows();

}  // namespace lanescope::workload
