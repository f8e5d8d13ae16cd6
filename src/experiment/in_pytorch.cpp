#include "experiment/in_pytorch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

#include "base/translate.h"
#include "experiment/loop_script.h"
#include "lanescope_assets.h"
#include "workload/common_settings.h"

namespace lanescope::experiment {
namespace {

// Factors within this are told as "as fast", and two that differ by less agree.
constexpr double kAlike = 1.05, kNear = 1.1;

// No device changes the batch.
double samples_of(const Experiment& experiment, Side side) {
  return workload::batch_size_of(start_settings(experiment, side, {}));
}

// The unit that a figure's name ends with.
std::string unit_by_ending(std::string_view name) {
  for (const auto& [ending, unit] : {std::pair("_gb_per_s", "GB/s"), {"_percent", "%"}, {"_us", "µs"}, {"_ms", "ms"}}) {
    if (name.ends_with(ending)) return unit;
  }
  return "count";
}

PytorchSide side_of(const Experiment& experiment, Side side, const toml::node_view<const toml::node> said) {
  PytorchSide found;
  found.us = said["us"][0].value_or(0.0);
  found.least_us = said["us"][1].value_or(0.0);
  found.most_us = said["us"][2].value_or(0.0);
  analysis::Pace& pace = found.measured.summary.pace;
  pace.basis = analysis::PaceBasis::Elapsed;
  pace.ns = 1e3 * found.us;
  pace.iterations = said["iterations"].value_or(std::int64_t{0});
  found.measured.summary.iteration.count = pace.iterations;
  found.measured.batch_size = samples_of(experiment, side);
  if (const toml::table* figures = said["figures"].as_table()) {
    for (const auto& [key, value] : *figures) {
      workload::Figure figure;
      figure.key = key.str();
      figure.unit = unit_by_ending(figure.key);
      figure.mean = value.value_or(0.0);
      figure.count = 1;
      found.measured.figures.push_back(std::move(figure));
    }
  }
  return found;
}

std::map<std::string, InPytorch, std::less<>> read() {
  std::map<std::string, InPytorch, std::less<>> all;
  const assets::File* file = assets::find("data/pytorch.toml");
  if (file == nullptr) return all;
  const toml::table said = toml::parse(file->text);
  const auto text = [&](const char* key) { return said[key].value_or(std::string()); };
  for (const Experiment& experiment : experiments()) {
    const auto sides = std::as_const(said)["experiments"][experiment.id];
    if (!sides) continue;
    InPytorch& found = all[experiment.id];
    found.torch = text("torch");
    found.gpu = text("gpu");
    found.cpu = text("cpu");
    found.date = text("date");
    found.cores = said["cores"].value_or(std::int64_t{0});
    found.sides = {side_of(experiment, Side::Before, sides["before"]),
                   side_of(experiment, Side::After, sides["after"])};
    found.assignments = {experiment.assignments(Side::Before), experiment.assignments(Side::After)};
  }
  return all;
}

int direction(double factor) { return factor > kAlike ? 1 : factor < 1 / kAlike ? -1 : 0; }

std::string told(double factor) { return fmt::format("{:.2f}", factor); }

}  // namespace

std::string InPytorch::machine() const {
  return fmt::format("PyTorch {}, {}, {}, {}", torch, gpu, base::tr("{} ({} cores)", cpu, cores), date);
}

const InPytorch* in_pytorch(const Experiment& experiment) {
  static const auto all = read();
  const auto found = all.find(experiment.id);
  if (found == all.end()) return nullptr;
  const auto& [before, after] = found->second.assignments;
  const bool same = before == experiment.assignments(Side::Before) && after == experiment.assignments(Side::After);
  return same ? &found->second : nullptr;
}

std::vector<std::optional<double>> published_in_pytorch(const Experiment& experiment, const InPytorch* measured) {
  const auto side = [&](std::size_t s) { return measured != nullptr ? &measured->sides[s].measured : nullptr; };
  std::vector<std::optional<double>> numbers;
  for (const Compared& each : compare(experiment, side(0), side(1))) {
    const std::string& figure = each.published->figure;
    const bool of_time = figure == "total_s" || figure.starts_with("iteration") || figure.starts_with("own.");
    numbers.push_back(of_time ? each.ours : std::nullopt);
  }
  return numbers;
}

std::string disagreement(const InPytorch& measured, const Measured& before, const Measured& after) {
  const double here = gain_between(before, after).factor;
  const double there = measured.gain().factor;
  if (here <= 0 || there <= 0 || direction(here) == direction(there)) return {};
  if (std::max(here / there, there / here) < kNear) return {};
  std::string says = base::tr("In PyTorch on an {} it was otherwise: {} times as fast, here {}.", measured.gpu,
                              told(there), told(here));
  // What costs the GPU time costs the loop none where the GPU waits for the CPU anyway.
  if (direction(there) == 0) says += base::tr(" There the CPU sets the pace, and the GPU waits for launches anyway.");
  return says;
}

}  // namespace lanescope::experiment
