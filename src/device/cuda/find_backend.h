// Finds the loadable CUDA library, or explains in one line why no GPU can be used; the GPUs' names on the command line,
// what is required of them, and the catalogue for given GPUs instead of this machine's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/catalogue.h"
#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

/// The CUDA version that the driver must support: that of the back end's build.
inline constexpr int kNeededCudaVersion = 13000;
/// Turing: the oldest architecture that the kernels are built for.
inline constexpr int kNeededComputeMajor = 7, kNeededComputeMinor = 5;

std::string gpu_id(int index);  ///< "cuda:0"
/// "cuda" gives 0, "cuda:N" gives N, everything else nothing.
std::optional<int> parse_gpu_id(std::string_view id);

std::string version_text(int cuda_version);  ///< 12020 is "12.2"
/// Why this GPU cannot be used, in one line; empty if it can.
std::string gpu_problem(const GpuInfo& gpu);

// --- loader ----------------------------------------------------------------------------------------------------------
// Finds the loadable CUDA library, or explains in one line why no GPU can be used.

struct LoadResult {
  Backend* backend = nullptr;  ///< lives until the process ends; null: see problem
  /// Why no GPU can be used and recorded, in one line; empty if one can. If both backend and problem are set, a GPU can
  /// be used but not recorded.
  std::string problem;
};

/// Searches once per process, in this order: LANESCOPE_CUDA=off; the library beside the program (or the file that
/// LANESCOPE_CUDA names); the driver library libcuda.so.1; its devices; its version; CUPTI. Thread-safe; never throws.
const LoadResult& load();
/// The problem again, in the current language.
std::string problem_again();

/// The same search in `directory`, not cached; for tests.
LoadResult look_for_backend(const std::string& directory);

}  // namespace lanescope::device::cuda

namespace lanescope::device {

// --- catalogue from --------------------------------------------------------------------------------------------------
// The functions of catalogue.h for given GPUs instead of this machine's.

/// The result of looking for the CUDA back end.
struct FoundGpus {
  cuda::Backend* backend = nullptr;
  std::string problem;              ///< why "auto" selects none of them; empty if it selects one
  std::vector<cuda::GpuInfo> gpus;  ///< all GPUs of the back end, usable or not
};
FoundGpus found_gpus(const cuda::LoadResult& loaded);

std::vector<CatalogueEntry> catalogue_from(const FoundGpus& found);
std::unique_ptr<Device> make_device_from(const FoundGpus& found, std::string_view id, DeviceContext context);
DeviceInfo describe_device_from(const FoundGpus& found, std::string_view id);

}  // namespace lanescope::device
