// Which devices there are, and how one is named on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::device {

struct CatalogueEntry {
  std::string id;       ///< "cuda:0", "sim:rtx4090", "cpu", "cpu:rtx4090"
  std::string name;     ///< "NVIDIA H200", "NVIDIA GeForce RTX 4090 (simulated)"
  std::string summary;  ///< one sentence
  bool simulated = true;
  DeviceKind kind = DeviceKind::Gpu;
};

/// Every device that can be named without a file: GPUs, simulated GPUs, this machine's CPU, simulated CPUs. The one
/// that "auto" takes comes first.
std::vector<CatalogueEntry> catalogue();

/// Why "auto" takes no GPU, in one line; empty when it takes one. Looks once per process.
const std::string& why_no_gpu();

/// How much of a GPU's work is recorded. Each step includes those before it.
enum class CaptureLevel : std::uint8_t {
  None,        ///< CUPTI is not touched
  Subscribed,  ///< CUPTI is there and records nothing
  Kernels,     ///< kernels
  Operations,  ///< + copies and memsets
  Calls,       ///< + API calls, synchronisations, events, overheads
  All,         ///< + blocking calls while they last
};

/// What a device needs from its surroundings.
struct DeviceContext {
  trace::EventSink* sink = nullptr;
  std::uint64_t seed = 1;
  /// Virtual-time devices: called on the workload's thread whenever its clock has advanced to t (pacing); may be empty.
  std::function<void(base::Nanoseconds t)> advanced;
  CaptureLevel capture = CaptureLevel::All;
};

/// `id` is "auto" (the first usable GPU, else the simulator), "cuda", "cuda:N", "sim", "sim:PROFILE", "sim:FILE.toml",
/// "cpu" (this machine's), "cpu:PROFILE" or "cpu:FILE.toml" (a profile's, simulated). Throws base::UsageError (unknown:
/// lists what is allowed), base::FileError (a profile that cannot be read: file, line, key) or base::Error (a GPU that
/// cannot be used: why).
std::unique_ptr<Device> make_device(std::string_view id, DeviceContext context);
/// The same device's description without making it.
DeviceInfo describe_device(std::string_view id);

/// A number of a simulated device's profile that comes from numbers which the tutorials published.
struct FittedNumber {
  std::string key;                ///< "link.h2d_pinned_gb_per_s"
  std::vector<std::string> from;  ///< "P20.h2d_pinned"
};
/// None of a device that is not simulated. Throws as describe_device() does; reads the profile anew.
std::vector<FittedNumber> fitted_numbers(std::string_view id);

}  // namespace lanescope::device
