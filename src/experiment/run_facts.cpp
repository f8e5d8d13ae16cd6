#include "experiment/run_facts.h"

#include "device/catalogue.h"

namespace lanescope::experiment {

trace::RunFacts facts_of(const session::Session& session) {
  const device::DeviceInfo& device = session.device();
  trace::RunFacts facts;
  facts.workload = session.workload().name;
  facts.device = device.id;
  facts.device_name = device.name;
  facts.simulated = device.simulated;
  facts.sm_count = device.sm_count;
  facts.h2d_peak_gb_per_s = device.h2d_peak_gb_per_s;
  facts.d2h_peak_gb_per_s = device.d2h_peak_gb_per_s;
  const workload::Settings settings = session.settings();
  for (const workload::SettingSpec& spec : settings.specs()) {
    facts.settings[spec.key] = workload::to_text(settings.value(spec.key));
  }
  return facts;
}

device::DeviceInfo device_of(const trace::RunFacts& facts) {
  device::DeviceInfo device;
  device.id = facts.device;
  device.name = facts.device_name;
  device.simulated = facts.simulated;
  device.sm_count = facts.sm_count;
  device.h2d_peak_gb_per_s = facts.h2d_peak_gb_per_s;
  device.d2h_peak_gb_per_s = facts.d2h_peak_gb_per_s;
  device.kind = device::kind_named(facts.device);
  if (facts.simulated) device.profile = device::profile_named(facts.device);
  return device;
}

}  // namespace lanescope::experiment
