#include "model/experiment/sweep_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/translate.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kMostSuggested = 8;

std::string joined(const std::vector<std::string>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

// At most kMostSuggested values: the first, the last, and the rest evenly between.
std::vector<std::string> sweep_thinned(const std::vector<std::string>& values) {
  if (values.size() <= kMostSuggested) return values;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < kMostSuggested; ++i) {
    some.push_back(values[i * (values.size() - 1) / (kMostSuggested - 1)]);
  }
  return some;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

}  // namespace

std::string suggested_values(const workload::SettingSpec& spec) {
  using workload::SettingType;
  if (spec.type == SettingType::Bool) return "false, true";
  if (spec.type == SettingType::Choice) return joined(spec.choices);
  std::vector<std::string> values;
  if (!spec.stops.empty()) {
    for (const double stop : spec.stops) values.push_back(fmt::format("{:.0f}", stop));
    return joined(sweep_thinned(values));
  }
  // From a quarter of the default value on, doubling each time, up to the maximum.
  const auto* integer = std::get_if<std::int64_t>(&spec.standard);
  const double usual = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(spec.standard);
  double value = std::max({usual / 4, spec.minimum, spec.type == SettingType::Integer ? 1.0 : 0.0});
  if (value == 0) value = spec.maximum / 64;
  std::set<std::string> seen;
  for (; value <= spec.maximum && values.size() < 6; value *= 2) {
    const double shown = spec.type == SettingType::Integer ? std::round(value) : value;
    const std::string text = fmt::format("{:g}", shown);
    if (text.find('e') == std::string::npos && seen.insert(text).second) values.push_back(text);
  }
  return joined(values);
}

std::uint64_t enough_iterations(const SweepDraft& draft) {
  constexpr std::uint64_t kUsual = 200, kTimes = 4, kMost = 100'000;
  std::uint64_t enough = kUsual;
  for (const AxisDraft& axis : draft.axes) {
    if (!axis.key.ends_with("interval")) continue;
    const std::string values = without_blanks(axis.values) + ",";
    for (std::size_t at = 0; at < values.size(); at = values.find(',', at) + 1) {
      std::uint64_t value = 0;
      std::from_chars(values.data() + at, values.data() + values.size(), value);
      if (value <= kMost / kTimes) enough = std::max(enough, kTimes * value);
    }
  }
  return enough;
}

SweepDraft draft_of(const experiment::SweepSpec& spec) {
  SweepDraft draft;
  for (std::size_t i = 0; i < std::min(spec.axes.size(), draft.axes.size()); ++i) {
    draft.axes[i] = {spec.axes[i].key, joined(spec.axes[i].values)};
  }
  draft.figure = spec.figure;
  draft.against = spec.against;
  draft.iterations = std::to_string(spec.iterations);
  draft.own_iterations = true;
  draft.workload = spec.workload;
  draft.device = spec.device;
  draft.assignments = spec.assignments;
  return draft;
}

experiment::SweepSpec spec_of(const SweepDraft& draft, const std::string& workload, const std::string& device,
                              const std::vector<std::string>& assignments) {
  experiment::SweepSpec spec;
  const bool own = !draft.workload.empty();
  spec.workload = own ? draft.workload : workload;
  spec.device = own ? draft.device : device;
  spec.assignments = own ? draft.assignments : assignments;
  for (const AxisDraft& axis : draft.axes) {
    if (axis.key.empty()) continue;
    spec.axes.push_back(experiment::parse_axis(axis.key + "=" + without_blanks(axis.values)));
  }
  spec.figure = draft.figure;
  spec.against = without_blanks(draft.against);
  const std::string iterations = without_blanks(draft.iterations);
  const char* end = iterations.data() + iterations.size();
  const auto parsed = std::from_chars(iterations.data(), end, spec.iterations);
  constexpr std::uint64_t kMost = 1'000'000;
  if (parsed.ec != std::errc() || parsed.ptr != end || spec.iterations < 1 || spec.iterations > kMost) {
    throw base::UsageError(base::tr("iterations: '{}'; allowed: 1 to {}", iterations, kMost));
  }
  return spec;
}

std::string sweep_title(const SweepState& state) {
  if (state.told) return state.told->id + "  " + state.told->title[base::language()];
  return state.sweep ? base::tr(workload::workload_info(state.sweep->spec().workload).title) : "";
}

}  // namespace lanescope::ui
