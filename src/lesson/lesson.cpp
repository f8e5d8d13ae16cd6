#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/time.h"
#include "experiment/named_figure.h"
#include "lanescope_lessons.h"

namespace lanescope::lesson {
namespace {

struct Embedded {
  std::vector<Lesson> lessons;
  std::vector<std::string> errors;

  Embedded() {
    for (const lanescope::lessons::File& file : lanescope::lessons::files()) {
      try {
        lessons.push_back(parse_lesson(file.text, fmt::format("lessons/{}", file.path)));
      } catch (const base::Error& error) {
        errors.emplace_back(error.what());
      }
    }
    std::ranges::stable_sort(lessons, {}, &Lesson::order);
  }
};

const Embedded& embedded() {
  static const Embedded all;
  return all;
}

constexpr const char* kUsualDevice = "sim:rtx4090";

// The step's own experiment. Its sides are called by their settings, which need no translation.
Experiment own_experiment(const Step& step) {
  Experiment e;
  e.id = e.name = step.name;
  e.workload = step.workload;
  e.device = step.device.empty() ? kUsualDevice : step.device;
  e.title = step.title;
  e.shows = step.text;
  const std::array<const std::vector<std::string>*, 2> settings{&step.before, &step.after};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string label = settings[i]->empty() ? "–" : fmt::format("{}", fmt::join(*settings[i], ", "));
    e.sides[i].label.in.fill(label);
    e.sides[i].settings = *settings[i];
  }
  const auto key = [](const std::string& assignment) { return assignment.substr(0, assignment.find('=')); };
  if (step.before.size() == 1 && step.after.size() == 1 && key(step.before[0]) == key(step.after[0])) {
    e.turned_knob = key(step.before[0]);
  }
  return e;
}

}  // namespace

Experiment experiment_of(const Step& step) {
  const bool own = step.experiment.empty();
  Experiment e = own ? own_experiment(step) : experiment::experiment_named(step.experiment);
  if (!own && !step.device.empty()) {
    e.device = step.device;
    for (experiment::Variant& side : e.sides) side.device.clear();
  }
  for (experiment::Variant& side : e.sides) {
    side.settings.insert(side.settings.end(), step.settings.begin(), step.settings.end());
  }
  if (!step.settings.empty() || !step.device.empty()) e.published.clear();  // they are about other runs
  if (step.view) e.sides[static_cast<std::size_t>(step.side)].view = *step.view;
  return e;
}

double Lesson::minutes() const { return slot > 0 ? slot : planned(); }

double Lesson::planned() const {
  return std::transform_reduce(steps.begin(), steps.end(), 0.0, std::plus(), [](const Step& s) { return s.minutes; });
}

std::span<const Lesson> lessons() { return embedded().lessons; }

const std::vector<std::string>& lesson_errors() { return embedded().errors; }

// --- words -----------------------------------------------------------------------------------------------------------

std::string given_number(double value) {
  const bool long_and_whole = std::abs(value) >= 1000 && std::abs(value) < 1e15 && value == std::floor(value);
  return long_and_whole ? base::format_count(std::llround(value)) : fmt::format("{:g}", value);
}

std::string goal_in_words(const Goal& goal, base::Language language) {
  if (!goal.text.empty()) return goal.text[language];
  const experiment::FigureInfo info = experiment::figure_info(goal.figure);
  const std::string unit = info.unit.empty() ? "" : " " + experiment::unit_in_words(info.unit);
  std::string text = info.label;
  if (std::isfinite(goal.least)) text += " ≥ " + given_number(goal.least) + unit;
  if (std::isfinite(goal.most)) text += " ≤ " + given_number(goal.most) + unit;
  return text;
}

}  // namespace lanescope::lesson
