// Measures a machine through the Device interface alone and produces a profile for the simulator. On a simulated device
// it reproduces that device's profile, which serves as its test.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/catalogue.h"
#include "device/sim/profile.h"

namespace lanescope::calibration {

/// Creates a new device with this capture level. Calls are timed without capture, GPU operations with it.
using MakeDevice = std::function<std::unique_ptr<device::Device>(trace::EventSink& sink, trace::CaptureLevel capture)>;

enum class Path : std::uint8_t { H2DPinned, H2DPageable, D2HPinned, D2HPageable };
inline constexpr std::size_t kPaths = 4;
const char* to_text(Path path);  ///< "H2D pinned"

/// The rate of a copy including the wait for it, as seen by the host, in 1e9 bytes per second.
struct Bandwidth {
  Path path;
  std::size_t bytes;
  double gb_per_s;
};

/// How long cudaMemcpyAsync blocked the host while a kernel kept the stream busy for kSpinMs.
struct HostReturn {
  Path path;
  std::size_t bytes;
  double returned_ms;
};
inline constexpr double kSpinMs = 20;
/// True if the copy waited for the stream before it returned.
inline bool waited(const HostReturn& r) { return r.returned_ms > kSpinMs / 2; }

struct Calibration {
  device::sim::DeviceProfile profile;  ///< without an id
  std::vector<Bandwidth> bandwidths;
  std::vector<HostReturn> returns;
};

struct CalibrationRequest {
  MakeDevice make;
  std::string date;  ///< "2026-11-20"; recorded in every source
  /// Called before each part with what is measured next. May be empty.
  std::function<void(const std::string& what)> progress;
};

/// Takes 10 to 60 seconds on a GPU. Throws base::Error if the device fails or its work cannot be recorded.
Calibration calibrate(const CalibrationRequest& request);

/// The profile as TOML, with the two tables as comments.
std::string to_toml(const Calibration& calibration);

// --- torch costs -----------------------------------------------------------------------------------------------------
// What eager PyTorch costs the CPU, measured by a Python program (assets/torch/costs.py).

/// The program. It needs PyTorch, and prints what parse_torch_costs() reads in its last line.
std::string_view torch_costs_program();

/// Adds the tables [pytorch] and [pytorch_cpu] to the numbers of a profile, each if it was measured. Of each
/// statement's time, the CUDA calls in it are subtracted at the profile's costs, or on a CPU its operations at
/// cpu.op_us. Throws base::Error if `output` is not that program's.
void add_torch_costs(device::sim::DeviceProfile& profile, std::string_view output, std::string_view date);

}  // namespace lanescope::calibration
