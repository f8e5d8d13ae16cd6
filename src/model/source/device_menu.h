// The contents of the device menu: GPUs, simulated GPUs, CPUs, recorded runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/catalogue.h"
#include "model/source/recorded.h"

namespace lanescope::ui {

struct DeviceChoice {
  std::string pick;  ///< "cuda:0", "sim:rtx4090", "cpu", "recorded:NAME"
  std::string name;  ///< "NVIDIA H200"
  std::string id;    ///< shown small beside the name; empty for a recorded run
  std::string summary;
  bool current = false;
};

struct DeviceSection {
  std::string title;
  std::vector<DeviceChoice> choices;
  std::string note;  ///< why there are none, or why none is chosen automatically
};

/// `current.id` is the id of the running device, or "recorded:NAME"; a device that is not in the catalogue (a profile
/// from a file) gets its own line.
std::vector<DeviceSection> device_sections(std::span<const device::CatalogueEntry> devices, std::string_view why_no_gpu,
                                           std::span<const RecordedCapture> captures,
                                           const device::DeviceInfo& current);

}  // namespace lanescope::ui
