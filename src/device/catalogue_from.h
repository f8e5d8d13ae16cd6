// The catalogue for given GPUs: what catalogue.h answers for those of this machine.
#pragma once

#include "device/catalogue.h"
#include "device/cuda/loader.h"

namespace lanescope::device {

/// What was found when the CUDA back end was looked for.
struct FoundGpus {
  cuda::Backend* backend = nullptr;
  std::string problem;              ///< why "auto" takes none of them; empty when it takes one
  std::vector<cuda::GpuInfo> gpus;  ///< all of the back end's, usable or not
};
FoundGpus found_gpus(const cuda::LoadResult& loaded);

std::vector<CatalogueEntry> catalogue_from(const FoundGpus& found);
std::unique_ptr<Device> make_device_from(const FoundGpus& found, std::string_view id, DeviceContext context);
DeviceInfo describe_device_from(const FoundGpus& found, std::string_view id);

}  // namespace lanescope::device
