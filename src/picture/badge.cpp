#include "picture/badge.h"

#include <filesystem>

#include "base/translate.h"
#include "device/device.h"
#include "experiment/session.h"

namespace lanescope::ui {

using base::tr;

std::string badge_text(const trace::RunFacts& facts, bool live) {
  const device::DeviceInfo device = experiment::device_of(facts);
  const bool cpu = device.kind == device::DeviceKind::Cpu;
  if (!device.simulated) {
    const std::string says = !live ? tr("RECORDED") : cpu ? tr("CPU") : tr("GPU");
    const std::string name = device.name.empty() ? device.id : device::name_in_words(device.name);
    return name.empty() ? says : says + " · " + name;
  }
  const std::string says = cpu ? tr("SIMULATED CPU") : tr("SIMULATED");
  return device.profile.empty() ? says : says + " · " + std::filesystem::path(device.profile).filename().string();
}

std::string badge_text(const trace::RunFacts& a, const trace::RunFacts& b) {
  const trace::RunFacts& facts = a.simulated ? a : b;
  if (a.device == b.device) return badge_text(facts, false);
  return facts.simulated ? tr("SIMULATED") : tr("MEASURED");
}

}  // namespace lanescope::ui
