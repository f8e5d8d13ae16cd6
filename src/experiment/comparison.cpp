#include "experiment/comparison.h"

#include "device/catalogue.h"
#include "experiment/measured_run.h"
#include "experiment/unit.h"

namespace lanescope::experiment {
namespace {

// Only figures are needed, and they include what the cap evicts.
constexpr std::size_t kSmallTrace = std::size_t{64} << 20;

constexpr std::array kSides{Side::Before, Side::After};

std::optional<double> figure_of(const Published& p, const Measured* measured) {
  return measured == nullptr ? std::nullopt : figure_value(p.figure, *measured, p.iterations == 0 ? 1 : p.iterations);
}

std::optional<double> ours(const Published& p, const Measured* before, const Measured* after) {
  if (p.figure.empty()) return std::nullopt;
  const std::optional<double> first = figure_of(p, before), second = figure_of(p, after);
  if (p.of == Of::Ratio) {
    if (!first || !second || *second == 0) return std::nullopt;
    return convert(*first / *second, "x", p.unit);
  }
  const std::optional<double>& value = p.of == Of::Before ? first : second;
  if (!value) return std::nullopt;
  const Measured* run = p.of == Of::Before ? before : after;
  return convert(*value, figure_info(p.figure, run->figures).unit, p.unit);
}

Compared compare_one(const Published& p, const Measured* before, const Measured* after) {
  Compared compared{.published = &p, .ours = ours(p, before, after), .ratio = std::nullopt};
  if (compared.ours && p.value > 0) compared.ratio = *compared.ours / p.value;
  return compared;
}

}  // namespace

std::vector<Compared> compare(const Experiment& experiment, const Measured* before, const Measured* after) {
  std::vector<Compared> all;
  for (const Published& p : experiment.published) {
    all.push_back(p.settings.empty() ? compare_one(p, before, after) : compare_one(p, nullptr, nullptr));
  }
  return all;
}

session::SessionOptions side_options(const Experiment& experiment, Side side, const RunChoice& choice,
                                     const std::vector<std::string>& more) {
  session::SessionOptions options;
  options.workload = experiment.workload;
  options.device = chosen_device(experiment, side, choice.device);
  options.assignments = experiment.assignments(side);
  options.assignments.insert(options.assignments.end(), more.begin(), more.end());
  options.assignments.insert(options.assignments.end(), choice.assignments.begin(), choice.assignments.end());
  options.iterations = choice.iterations == 0 ? experiment.iterations : choice.iterations;
  options.paced = false;
  return options;
}

bool is_simulated(const Experiment& experiment, const Published& published, const RunChoice& choice) {
  return std::any_of(kSides.begin(), kSides.end(), [&](Side side) {
    return is_about(published.of, side) &&
           device::describe_device(chosen_device(experiment, side, choice.device)).simulated;
  });
}

Compared PublishedRuns::compare(const Published& published, const std::function<void(std::uint64_t)>& progress,
                                const std::function<bool()>& should_stop) {
  std::array<const Measured*, 2> sides{};
  for (const Side side : kSides) {
    if (!is_about(published.of, side) || published.figure.empty()) continue;
    const auto key = std::pair(side, published.settings);
    auto found = measured_.find(key);
    if (found == measured_.end()) {
      session::SessionOptions options = side_options(experiment_, side, choice_, published.settings);
      options.memory_cap_bytes = kSmallTrace;
      MeasuredRun run(std::move(options));
      run.run(progress, should_stop);
      if (should_stop && should_stop()) return {.published = &published, .ours = {}, .ratio = {}};
      found = measured_.emplace(key, run.measured()).first;
    }
    sides[static_cast<std::size_t>(side)] = &found->second;
  }
  return compare_one(published, sides[0], sides[1]);
}

}  // namespace lanescope::experiment
