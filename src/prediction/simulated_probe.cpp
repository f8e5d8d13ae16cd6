#include "prediction/simulated_probe.h"

#include <algorithm>
#include <string>
#include <vector>

#include "device/sim/profile.h"

namespace lanescope::prediction {

std::shared_ptr<DeviceProbe> probe_of_simulated(const device::DeviceInfo& device) {
  if (!device.simulated || device.kind != device::DeviceKind::Gpu) return nullptr;
  const std::vector<std::string> built_in = device::sim::embedded_profiles();
  if (std::find(built_in.begin(), built_in.end(), device.profile) == built_in.end()) return nullptr;
  return probe_of(device.id, [id = device.id](std::span<const ops::Op> ops) { return probe_here(id, ops); });
}

}  // namespace lanescope::prediction
