#include "prediction/device_probe.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/catalogue.h"
#include "device/sim/profile.h"

namespace lanescope::prediction {

std::optional<calibration::QuickProbe> DeviceProbe::with(std::span<const ops::Op> ops) {
  const std::lock_guard lock(mutex_);
  if (failed_) return std::nullopt;
  std::vector<ops::Op> wanted;
  for (const ops::Op& op : ops) {
    const auto is_it = [&](const calibration::ProbedOp& probed) { return probed.op == op; };
    if (!known_ || std::none_of(known_->ops.begin(), known_->ops.end(), is_it)) wanted.push_back(op);
  }
  if (known_ && wanted.empty()) return known_;
  try {
    calibration::QuickProbe more = measure_(wanted);
    if (!known_) {
      known_ = std::move(more);
    } else {  // the numbers stay, so that an answer does not depend on what was asked before
      known_->ops.insert(known_->ops.end(), more.ops.begin(), more.ops.end());
    }
  } catch (const base::Error&) {
    failed_ = !known_;
  }
  return known_;
}

std::shared_ptr<DeviceProbe> probe_of(const std::string& device, DeviceProbe::Measure measure) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<DeviceProbe>> probes;
  const std::lock_guard lock(mutex);
  std::shared_ptr<DeviceProbe>& probe = probes[device];
  if (!probe) probe = std::make_shared<DeviceProbe>(std::move(measure));
  return probe;
}

calibration::QuickProbe probe_here(const std::string& device, std::span<const ops::Op> ops) {
  calibration::QuickProbeRequest request;
  request.make = [&](trace::EventSink& sink, trace::CaptureLevel capture) {
    device::DeviceContext context;
    context.sink = &sink;
    context.capture = capture;
    return device::make_device(device, std::move(context));
  };
  request.ops.assign(ops.begin(), ops.end());
  return calibration::probe_quickly(request);
}

// --- simulated probe -------------------------------------------------------------------------------------------------

std::shared_ptr<DeviceProbe> probe_of_simulated(const device::DeviceInfo& device) {
  if (!device.simulated || device.kind != device::DeviceKind::Gpu) return nullptr;
  const std::vector<std::string> built_in = device::sim::embedded_profiles();
  if (std::find(built_in.begin(), built_in.end(), device.profile) == built_in.end()) return nullptr;
  return probe_of(device.id, [id = device.id](std::span<const ops::Op> ops) { return probe_here(id, ops); });
}

}  // namespace lanescope::prediction
