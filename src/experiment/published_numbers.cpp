#include "experiment/published_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/measured_run.h"
#include "experiment/named_figure.h"
#include "experiment/own_experiments.h"

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
  if (p.of == About::Ratio) {
    if (!first || !second || *second == 0) return std::nullopt;
    return convert(*first / *second, "x", p.unit);
  }
  const std::optional<double>& value = p.of == About::Before ? first : second;
  if (!value) return std::nullopt;
  const Measured* run = p.of == About::Before ? before : after;
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

// --- check -----------------------------------------------------------------------------------------------------------

namespace {

/// The number's own name, and the names of all numbers it follows from.
std::set<std::string> decided_by(const Experiment& experiment, const Published& published) {
  std::set<std::string> names{fmt::format("{}.{}", experiment.id, published.name)};
  std::vector<std::string> open = published.follows;
  while (!open.empty()) {
    std::string name = std::move(open.back());
    open.pop_back();
    const auto [at, is_new] = names.insert(std::move(name));
    if (!is_new) continue;
    if (const Published* other = published_named(*at)) {
      open.insert(open.end(), other->follows.begin(), other->follows.end());
    }
  }
  return names;
}

}  // namespace

std::string_view check_key(Check check) {
  constexpr std::array<std::string_view, 5> kKeys{"fitted", "checked", "unchecked", "missing", "differs"};
  return kKeys[static_cast<std::size_t>(check)];
}

const char* checking_text(const Checking& checking) {
  switch (checking.check) {
    case Check::Fitted:
      return checking.itself ? N_("fitted to this") : N_("follows from the fit");
    case Check::Checked:
      return N_("checked against this");
    case Check::Missing:
      return N_("not in this run");
    case Check::Differs:
      return N_("does not agree with this");
    default:
      return N_("cannot be checked");
  }
}

FittedSides fitted_sides(const Experiment& experiment, std::string_view asked) {
  FittedSides machines;
  for (const Side side : {Side::Before, Side::After}) {
    machines.sides[static_cast<std::size_t>(side)] = device::fitted_numbers(chosen_device(experiment, side, asked));
  }
  return machines;
}

Checking check_of(const Experiment& experiment, const Published& published, const FittedSides& machines) {
  const std::set<std::string> names = decided_by(experiment, published);
  Checking result;
  for (const Side side : {Side::Before, Side::After}) {
    if (!is_about(published.of, side)) continue;
    for (const device::FittedNumber& number : machines.sides[static_cast<std::size_t>(side)]) {
      const bool decides =
          std::any_of(number.from.begin(), number.from.end(), [&](const auto& name) { return names.count(name) > 0; });
      const std::string own = fmt::format("{}.{}", experiment.id, published.name);
      result.itself |= std::find(number.from.begin(), number.from.end(), own) != number.from.end();
      const bool known = std::find(result.fitted.begin(), result.fitted.end(), number.key) != result.fitted.end();
      if (decides && !known) result.fitted.push_back(number.key);
    }
  }
  if (!result.fitted.empty()) {
    result.check = Check::Fitted;
  } else if (!published.figure.empty() && published.unchecked.empty()) {
    result.check = Check::Checked;
  }
  return result;
}

Checking check_of(const Experiment& experiment, const Compared& compared, const FittedSides& machines) {
  Checking result = check_of(experiment, *compared.published, machines);
  if (result.check != Check::Checked) return result;
  if (!compared.ours) result.check = Check::Missing;
  if (compared.ratio && (*compared.ratio > kAgrees || *compared.ratio < 1 / kAgrees)) result.check = Check::Differs;
  return result;
}

const Published* published_named(std::string_view name) {
  for (const Experiment* experiment : all_experiments()) {
    if (!name.starts_with(experiment->id) || name.substr(experiment->id.size(), 1) != ".") continue;
    const std::string_view wanted = name.substr(experiment->id.size() + 1);
    for (const Published& p : experiment->published) {
      if (p.name == wanted) return &p;
    }
  }
  return nullptr;
}

}  // namespace lanescope::experiment
