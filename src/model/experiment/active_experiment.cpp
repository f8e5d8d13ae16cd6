#include "model/experiment/active_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "base/time.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"

namespace lanescope::ui {

using experiment::About;
using experiment::Experiment;
using experiment::Measured;
using experiment::Published;
using experiment::Side;

namespace {

std::size_t index(Side side) { return static_cast<std::size_t>(side); }
Side other(Side side) { return side == Side::Before ? Side::After : Side::Before; }

// The device is already running: a profile file deleted since then must not end the program.
std::vector<device::FittedNumber> fitted_to(const std::string& device) {
  try {
    return device::fitted_numbers(device);
  } catch (const base::Error&) {
    return {};
  }
}

// A word of the text, not a part of one.
bool names(std::string_view text, std::string_view word) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !in_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::string, workload::Value>> side_settings(const Experiment& experiment, Side side,
                                                                   const workload::Settings& standard) {
  workload::Settings wanted = standard;
  for (const std::string& assignment : experiment.assignments(side)) wanted.assign(assignment);
  std::vector<std::pair<std::string, workload::Value>> found;
  for (const Side s : {side, other(side)}) {
    for (const std::string& assignment : experiment.assignments(s)) {
      const std::string key = assignment.substr(0, assignment.find('='));
      const auto known = [&](const auto& pair) { return pair.first == key; };
      if (std::none_of(found.begin(), found.end(), known)) found.emplace_back(key, wanted.value(key));
    }
  }
  return found;
}

bool flips_in_place(const Experiment& experiment) {
  return experiment.device_of(Side::Before) == experiment.device_of(Side::After);
}

std::string published_headline(const Experiment& experiment) {
  const Published* before = nullptr;
  for (const Published& p : experiment.published) {
    if (p.of == About::Ratio && p.settings.empty()) return base::tr("{}x", fmt::format("{:.3g}", p.value));
    if (p.of == About::Before && p.settings.empty() && !before) before = &p;
  }
  for (const Published& p : experiment.published) {
    const bool alike = before && p.of == About::After && p.settings.empty() && p.figure == before->figure &&
                       p.unit == before->unit && p.iterations == before->iterations && p.value > 0;
    const bool time = experiment::is_time(p.unit), rate = experiment::is_rate(p.unit) || experiment::is_share(p.unit);
    if (!alike || p.figure.empty() || (!rate && !time)) continue;
    const double factor = rate ? p.value / before->value : before->value / p.value;
    return base::tr("{}x", fmt::format("{:.3g}", factor));
  }
  for (const Published& p : experiment.published) {
    if (experiment::is_time(p.unit) && p.value > 0)
      return figure_text(p.value) + " " + experiment::unit_in_words(p.unit);
  }
  return {};
}

void ActiveExperiment::begin_run(const workload::Settings& standard, const std::string& device) {
  for (const Side side : {Side::Before, Side::After}) {
    wanted_[index(side)] = side_settings(*experiment_, side, standard);
    auto& kept = kept_[index(side)];
    const bool elsewhere = kept && kept->device != device;
    if (elsewhere && (flips_in_place(*experiment_) || side == side_)) kept.reset();
  }
  device_ = device;
  standard_ = standard;
  const std::vector<device::FittedNumber> fitted = fitted_to(device);
  for (const Side side : {Side::Before, Side::After}) {
    const bool here = flips_in_place(*experiment_) || side == side_ || !kept_[index(side)];
    if (here) machines_.sides[index(side)] = fitted;
  }
}

std::optional<Side> ActiveExperiment::side_of(const workload::Settings& now) const {
  for (const Side side : {side_, other(side_)}) {
    const bool holds = std::all_of(wanted_[index(side)].begin(), wanted_[index(side)].end(),
                                   [&](const auto& wanted) { return now.value(wanted.first) == wanted.second; });
    if (holds) return side;
    if (!flips_in_place(*experiment_)) break;  // the other side runs on another device
  }
  return std::nullopt;
}

std::vector<std::string> ActiveExperiment::own_knobs() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : wanted_[0]) {
    for (const auto& [other_key, other_value] : wanted_[1]) {
      if (other_key == key && other_value != value) keys.push_back(key);
    }
  }
  return keys;
}

std::vector<std::string> ActiveExperiment::choices(const workload::SettingSpec& spec, const std::string& now) const {
  std::vector<std::string> shown = spec.choices;
  const std::vector<std::string> own = own_knobs();
  if (std::ranges::find(own, spec.key) == own.end()) return shown;
  std::erase_if(shown, [&](const std::string& choice) {
    const workload::Value value = choice;
    const auto is_wanted = [&](const auto& side) {
      return std::ranges::find(side, std::pair(spec.key, value)) != side.end();
    };
    return choice != now && !is_wanted(wanted_[0]) && !is_wanted(wanted_[1]) &&
           !names(experiment_->knob[experiment::Language::English], choice);
  });
  return shown;
}

bool ActiveExperiment::same_beside_the_story(const workload::Settings& a, const workload::Settings& b) const {
  for (const workload::SettingSpec& spec : a.specs()) {
    const auto& story = wanted_[0];
    if (std::any_of(story.begin(), story.end(), [&](const auto& wanted) { return wanted.first == spec.key; })) continue;
    // Device-specific costs may differ between the two devices; nobody turned a knob.
    if (spec.of_device && !flips_in_place(*experiment_)) continue;
    if (!b.spec(spec.key) || b.value(spec.key) != a.value(spec.key)) return false;
  }
  return true;
}

void ActiveExperiment::keep(const workload::Settings& now, Measured measured) {
  for (auto& kept : kept_) {
    if (kept && !same_beside_the_story(now, kept->settings)) kept.reset();
  }
  as_written_ = standard_ && same_beside_the_story(now, *standard_);
  if (const auto side = side_of(now)) kept_[index(*side)] = SideRun{std::move(measured), now, device_};
}

const experiment::InPytorch* ActiveExperiment::in_pytorch() const {
  return as_written_ ? experiment::in_pytorch(*experiment_) : nullptr;
}

std::vector<ActiveExperiment::Row> ActiveExperiment::published() const {
  std::vector<Row> rows;
  for (const experiment::Compared& compared :
       experiment::compare(*experiment_, measured(Side::Before), measured(Side::After))) {
    rows.push_back({compared, check_of(*experiment_, compared, machines_)});
  }
  return rows;
}

const Measured* ActiveExperiment::measured(Side side) const {
  const auto& kept = kept_[index(side)];
  return kept ? &kept->measured : nullptr;
}

}  // namespace lanescope::ui
