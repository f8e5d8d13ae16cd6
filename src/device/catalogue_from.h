// The functions of catalogue.h for given GPUs instead of this machine's.
#pragma once

#include "device/catalogue.h"
#include "device/cuda/loader.h"

namespace lanescope::device {

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
