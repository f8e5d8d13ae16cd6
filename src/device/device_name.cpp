#include "device/device_name.h"

#include <fmt/format.h>

#include "base/translate.h"

namespace lanescope::device {
namespace {

constexpr std::string_view kCpuOf = "CPU of ";

}  // namespace

std::string cpu_name_beside(std::string_view gpu) { return std::string(kCpuOf) + std::string(gpu); }

std::string name_in_words(std::string_view name) {
  if (!name.starts_with(kCpuOf)) return base::tr(std::string(name));
  return base::tr("CPU of {}", name.substr(kCpuOf.size()));
}

}  // namespace lanescope::device
