// Measures a machine, through the Device interface alone, and gives a profile for the simulator. On a simulated device
// it finds that device's own profile again, which is its test.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "device/sim/profile.h"

namespace lanescope::calibration {

/// Makes a new device with this much capture. Calls are timed with none, what the GPU does with its operations
/// recorded.
using MakeDevice = std::function<std::unique_ptr<device::Device>(trace::EventSink& sink, device::CaptureLevel capture)>;

enum class Path : std::uint8_t { H2DPinned, H2DPageable, D2HPinned, D2HPageable };
inline constexpr std::size_t kPaths = 4;
const char* to_text(Path path);  ///< "H2D pinned"

/// A copy with a wait for it, as the host sees it.
struct Bandwidth {
  Path path;
  std::size_t bytes;
  double gb_per_s;
};

/// How long cudaMemcpyAsync held the host while a kernel kept the stream busy for kSpinMs.
struct HostReturn {
  Path path;
  std::size_t bytes;
  double returned_ms;
};
inline constexpr double kSpinMs = 20;
/// Whether the copy waited for the stream before the host had it back.
inline bool waited(const HostReturn& r) { return r.returned_ms > kSpinMs / 2; }

struct Calibration {
  device::sim::DeviceProfile profile;  ///< without an id
  std::vector<Bandwidth> bandwidths;
  std::vector<HostReturn> returns;
};

struct CalibrationRequest {
  MakeDevice make;
  std::string date;  ///< "2026-11-20": goes into every source
  /// Called before each part, with what it measures.
  std::function<void(const std::string& what)> progress;
};

/// Takes 10 to 60 seconds on a GPU. Throws base::Error when the device fails or nothing of it can be recorded.
Calibration calibrate(const CalibrationRequest& request);

/// The profile as TOML, the two tables as comments.
std::string to_toml(const Calibration& calibration);

}  // namespace lanescope::calibration
