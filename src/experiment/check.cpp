#include "experiment/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/translate.h"
#include "experiment/own_experiments.h"

namespace lanescope::experiment {
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
  constexpr std::array<std::string_view, 4> kKeys{"fitted", "checked", "unchecked", "missing"};
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
  if (result.check == Check::Checked && !compared.ours) result.check = Check::Missing;
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
