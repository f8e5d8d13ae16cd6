// Which devices there are, and how one is named on the command line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::device {

struct CatalogueEntry {
  std::string id;       ///< "sim:rtx4090"
  std::string name;     ///< "NVIDIA GeForce RTX 4090 (simulated)"
  std::string summary;  ///< one sentence
};

/// Every device that can be named without a file.
std::vector<CatalogueEntry> catalogue();

/// What a device needs from its surroundings.
struct DeviceContext {
  trace::EventSink* sink = nullptr;
  std::uint64_t seed = 1;
  /// Virtual-time devices: called on the workload's thread whenever its clock has advanced to t (pacing); may be empty.
  std::function<void(base::Nanoseconds t)> advanced;
};

/// `id` is "auto", "sim", "sim:PROFILE" or "sim:FILE.toml". Throws base::UsageError (unknown: lists what is allowed) or
/// base::FileError (a profile that cannot be read: file, line, key).
std::unique_ptr<Device> make_device(std::string_view id, DeviceContext context);
/// The same device's description without making it.
DeviceInfo describe_device(std::string_view id);

}  // namespace lanescope::device
