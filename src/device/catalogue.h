// The available devices, and how they are named on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "trace/capture_health.h"

namespace lanescope::device {

struct CatalogueEntry {
  std::string id;       ///< "cuda:0", "sim:rtx4090", "cpu", "cpu:rtx4090"
  std::string name;     ///< "NVIDIA H200", "NVIDIA GeForce RTX 4090 (simulated)"
  std::string summary;  ///< one sentence
  bool simulated = true;
  DeviceKind kind = DeviceKind::Gpu;
};

/// Every device that can be named without a file: GPUs, simulated GPUs, this machine's CPU, simulated CPUs. The one
/// that "auto" selects comes first.
std::vector<CatalogueEntry> catalogue();

/// The id of the first usable GPU, or of the simulator where there is none.
inline constexpr std::string_view kAutoDevice = "auto";
/// Why "auto" selects no GPU, in one line; empty if it selects one. Determined once per process.
const std::string& why_no_gpu();
/// The GPUs of this machine have been looked for, which takes a while: why_no_gpu() is at hand.
bool has_looked_for_gpus();

/// What a device needs from its environment.
struct DeviceContext {
  trace::EventSink* sink = nullptr;
  std::uint64_t seed = 1;
  /// Virtual-time devices call it on the workload's thread when their clock has advanced to t (for pacing). May be
  /// empty.
  std::function<void(base::Nanoseconds t)> advanced;
  /// The same without pacing, but only when they report how far their record is complete, which costs less. May be
  /// empty.
  std::function<void()> recorded;
  trace::CaptureLevel capture = trace::CaptureLevel::All;
  std::string id;            ///< of a device that is not simulated, if not its usual one: "cuda:0+FILE.toml"
  FrameworkCosts framework;  ///< of a device that is not simulated
};

/// Sets what the context says of a device that is not simulated.
void add_costs(DeviceInfo& info, const DeviceContext& context);

/// `id` is "auto" (the first usable GPU, else the simulator), "cuda", "cuda:N", "sim", "sim:PROFILE", "sim:FILE.toml",
/// "cpu" (this machine's), "cpu:PROFILE" or "cpu:FILE.toml" (simulated from a profile). To "cuda", "cuda:N" and "cpu",
/// "+FILE.toml" adds the framework's costs from a profile. Throws base::UsageError for an unknown id, with the valid
/// ones; base::FileError for an unreadable profile, with file, line and key; and base::Error for an unusable GPU, with
/// the reason.
std::unique_ptr<Device> make_device(std::string_view id, DeviceContext context);
/// Describes the device without creating it.
DeviceInfo describe_device(std::string_view id);

// What an id says by itself, whether its device can be made here or not.

/// "cpu" and "cpu:PROFILE" are CPUs.
DeviceKind kind_named(std::string_view id);
/// The profile of "sim:rtx4090" is "rtx4090", a file's is its path; the whole id where it names none.
std::string_view profile_named(std::string_view id);
/// The CPU of a device's machine: "cpu:rtx4090" beside "sim:rtx4090", "cpu" beside "cuda:0" and "auto".
std::string cpu_beside(std::string_view id);

/// The device is simulated, and its profile assumes what PyTorch's statements cost (sim::assumes_pytorch); false, too,
/// if the profile cannot be read. Reads a profile once.
bool assumes_pytorch(std::string_view id);

/// A number of a simulated device's profile that was taken from or fitted to a published number of the tutorials.
struct FittedNumber {
  std::string key;                ///< "link.h2d_pinned_gb_per_s"
  std::vector<std::string> from;  ///< "P20.h2d_pinned"
};
/// Empty for a device that is not simulated. Throws like describe_device(). Reads the profile again.
std::vector<FittedNumber> fitted_numbers(std::string_view id);

}  // namespace lanescope::device
