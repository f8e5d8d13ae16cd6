#include "device/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "device/sim/profile.h"
#include "device/sim/sim_device.h"

namespace lanescope::device {
namespace {

using base::tr;

constexpr std::string_view kSim = "sim";
constexpr std::string_view kSimPrefix = "sim:";
constexpr std::string_view kStandardProfile = "rtx4090";

/// What a simulated device's id names: a profile of the program, or a file.
struct SimChoice {
  std::string id;
  sim::DeviceProfile profile;
};

bool names_a_file(std::string_view name) { return name.ends_with(".toml") || name.find('/') != std::string_view::npos; }

std::string allowed() {
  std::string all = fmt::format("auto, {}", kSim);
  for (const std::string& id : sim::embedded_profiles()) all += fmt::format(", {}{}", kSimPrefix, id);
  return all + fmt::format(", {}FILE.toml", kSimPrefix);
}

bool is_embedded(std::string_view name) {
  for (const std::string& id : sim::embedded_profiles()) {
    if (id == name) return true;
  }
  return false;
}

SimChoice choose(std::string_view id) {
  std::string_view name;
  if (id == "auto" || id == kSim) {
    name = kStandardProfile;
  } else if (id.starts_with(kSimPrefix)) {
    name = id.substr(kSimPrefix.size());
  }
  if (names_a_file(name)) return {std::string(id), sim::load_profile(std::string(name))};
  if (name.empty() || !is_embedded(name)) {
    throw base::UsageError(fmt::format(fmt::runtime(tr("device '{}' is unknown; allowed: {}")), id, allowed()));
  }
  return {fmt::format("{}{}", kSimPrefix, name), sim::embedded_profile(name)};
}

}  // namespace

std::vector<CatalogueEntry> catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const std::string& id : sim::embedded_profiles()) {
    const sim::DeviceProfile profile = sim::embedded_profile(id);
    entries.push_back({fmt::format("{}{}", kSimPrefix, id),
                       fmt::format(fmt::runtime(tr("{} (simulated)")), profile.name), profile.summary});
    // The one that is taken when nothing is said comes first.
    if (id == kStandardProfile) std::rotate(entries.begin(), entries.end() - 1, entries.end());
  }
  return entries;
}

std::unique_ptr<Device> make_device(std::string_view id, DeviceContext context) {
  SimChoice choice = choose(id);
  return std::make_unique<sim::SimDevice>(choice.profile, std::move(context), std::move(choice.id));
}

DeviceInfo describe_device(std::string_view id) {
  SimChoice choice = choose(id);
  return sim::info_of(choice.profile, std::move(choice.id));
}

}  // namespace lanescope::device
