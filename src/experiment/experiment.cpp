#include "experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "device/catalogue.h"
#include "lanescope_experiments.h"

namespace lanescope::experiment {
namespace {

struct Embedded {
  std::vector<Experiment> experiments;
  std::vector<std::string> errors;

  Embedded() {
    for (const lanescope::experiments::File& file : lanescope::experiments::files()) {
      try {
        experiments.push_back(parse_experiment(file.text, fmt::format("experiments/{}", file.path)));
      } catch (const base::Error& error) {
        errors.emplace_back(error.what());
      }
    }
    std::stable_sort(experiments.begin(), experiments.end(),
                     [](const Experiment& a, const Experiment& b) { return a.order < b.order; });
  }
};

const Embedded& embedded() {
  static const Embedded all;
  return all;
}

}  // namespace

std::string_view side_key(Side side) { return side == Side::Before ? "before" : "after"; }

std::string_view quality_key(Quality quality) {
  constexpr std::array<std::string_view, 4> kKeys{"measured", "measured (machine unknown)", "estimate", "impossible"};
  return kKeys[static_cast<std::size_t>(quality)];
}

std::string_view of_key(About of) {
  constexpr std::array<std::string_view, 3> kKeys{"before", "after", "ratio"};
  return kKeys[static_cast<std::size_t>(of)];
}

bool is_about(About of, Side side) { return of == About::Ratio || (of == About::Before) == (side == Side::Before); }

std::vector<std::string> Experiment::assignments(Side s) const {
  std::vector<std::string> all = settings;
  all.insert(all.end(), side(s).settings.begin(), side(s).settings.end());
  return all;
}

std::span<const Experiment> experiments() { return embedded().experiments; }

const std::vector<std::string>& experiment_errors() { return embedded().errors; }

std::string chosen_device(const Experiment& experiment, Side side, std::string_view asked) {
  const std::string& own = experiment.device_of(side);
  if (asked.empty()) return own;
  return device::kind_named(own) == device::DeviceKind::Cpu ? device::cpu_beside(asked) : std::string(asked);
}

}  // namespace lanescope::experiment
