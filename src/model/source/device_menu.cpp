#include "model/source/device_menu.h"

#include <filesystem>

#include "base/translate.h"
#include "device/device.h"

namespace lanescope::ui {

using base::tr;

std::vector<DeviceSection> device_sections(std::span<const device::CatalogueEntry> devices, std::string_view why_no_gpu,
                                           std::span<const RecordedCapture> captures,
                                           const device::DeviceInfo& current) {
  DeviceSection gpus{tr("GPUS"), {}, {}};
  DeviceSection simulated{tr("SIMULATED"), {}, {}};
  DeviceSection cpus{tr("CPU"), {}, {}};
  DeviceSection recorded{tr("RECORDED"), {}, {}};
  bool known = current.id.empty() || current.id.starts_with(kRecordedPrefix);
  const auto section_of = [&](device::DeviceKind kind, bool is_simulated) -> DeviceSection& {
    if (kind == device::DeviceKind::Cpu) return cpus;
    return is_simulated ? simulated : gpus;
  };
  for (const device::CatalogueEntry& entry : devices) {
    const bool chosen = entry.id == current.id;
    known = known || chosen;
    section_of(entry.kind, entry.simulated)
        .choices.push_back({entry.id, entry.name, entry.id, base::tr(entry.summary), chosen});
  }
  if (!known) {
    section_of(current.kind, current.simulated).choices.push_back({current.id, current.name, current.id, {}, true});
  }
  gpus.note = why_no_gpu;  // a GPU may be present but not recordable
  if (gpus.choices.empty() && gpus.note.empty()) gpus.note = tr("none found");
  for (const RecordedCapture& capture : captures) {
    const std::string pick = std::string(kRecordedPrefix) + capture.name;
    recorded.choices.push_back({pick,
                                std::string(tr("recorded")) + ": " + base::tr(capture.title),
                                {},
                                base::tr(capture.summary),
                                pick == current.id});
  }
  if (recorded.choices.empty()) recorded.note = tr("this program includes no recorded runs");
  return {std::move(gpus), std::move(simulated), std::move(cpus), std::move(recorded)};
}

}  // namespace lanescope::ui
