// What can be looked at, as the device menu lists it: GPUs, simulated ones, CPUs, recorded runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/catalogue.h"
#include "io/chrome_trace.h"
#include "model/recorded.h"

namespace lanescope::ui {

struct DeviceChoice {
  std::string pick;  ///< "cuda:0", "sim:rtx4090", "cpu", "recorded:NAME"
  std::string name;  ///< "NVIDIA H200"
  std::string id;    ///< beside the name, small; empty for a recorded run
  std::string summary;
  bool current = false;
};

struct DeviceSection {
  std::string title;
  std::vector<DeviceChoice> choices;
  std::string note;  ///< why there are none, or why none of them is taken by itself
};

/// `current` is the id of the device that runs, or "recorded:NAME"; a device that the catalogue does not know (a
/// profile from a file) gets a line of its own.
std::vector<DeviceSection> device_sections(std::span<const device::CatalogueEntry> devices, std::string_view why_no_gpu,
                                           std::span<const RecordedCapture> captures,
                                           const device::DeviceInfo& current);

}  // namespace lanescope::ui
