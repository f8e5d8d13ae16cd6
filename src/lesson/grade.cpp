#include "lesson/grade.h"

#include <algorithm>
#include <cmath>

#include "analysis/summary.h"
#include "experiment/named_figure.h"

namespace lanescope::lesson {
namespace {

std::size_t right_choice(const Question& question, const Truth& truth) {
  const auto fits = [&](const Choice& choice) {
    if (question.measure.figure == "verdict") return choice.verdict.empty() || choice.verdict == truth.verdict;
    return truth.value <= choice.up_to;
  };
  const auto found = std::ranges::find_if(question.choices, fits);
  return static_cast<std::size_t>(found - question.choices.begin());
}

}  // namespace

std::optional<Truth> truth_of(const Question& question, const Measured* before, const Measured* after) {
  const Measure& measure = question.measure;
  Truth truth;
  if (measure.figure == "factor") {
    const analysis::Gain gain = before && after ? gain_between(*before, *after) : analysis::Gain{};
    if (!gain.known()) return std::nullopt;
    truth.value = experiment::convert(gain.factor, "x", question.unit).value_or(gain.factor);
  } else {
    const Measured* of = measure.of == Side::Before ? before : after;
    if (!of || !of->summary.pace.known()) return std::nullopt;
    if (measure.figure == "verdict") {
      if (of->summary.verdict.kind == analysis::VerdictKind::Unknown) return std::nullopt;
      truth.verdict = analysis::verdict_key(of->summary.verdict.kind);
    } else {
      const auto value = experiment::figure_value(measure.figure, *of);
      if (!value) return std::nullopt;
      const std::string unit = experiment::figure_info(measure.figure, of->figures).unit;
      truth.value = experiment::convert(*value, unit, question.unit).value_or(*value);
    }
  }
  if (!question.choices.empty()) truth.choice = right_choice(question, truth);
  return truth;
}

bool is_right(const Question& question, const Truth& truth, const Answer& answer) {
  if (const auto* choice = std::get_if<std::size_t>(&answer)) return *choice == truth.choice;
  return std::abs(std::get<double>(answer) - truth.value) <= question.tolerance * std::abs(truth.value);
}

bool Progress::done() const { return changed.empty() && !goals.empty() && std::ranges::all_of(goals, &Line::reached); }

Progress progress_of(const Task& task, const Measured& now, const workload::Settings& start,
                     const workload::Settings& settings) {
  Progress progress;
  for (const Goal& goal : task.goals) {
    Progress::Line line{&goal, {}, false};
    if (now.summary.pace.known()) line.value = experiment::figure_value(goal.figure, now);
    line.reached = line.value && *line.value >= goal.least && *line.value <= goal.most;
    progress.goals.push_back(line);
  }
  for (const std::string& key : task.keep) {
    if (settings.value(key) != start.value(key)) progress.changed.push_back(key);
  }
  return progress;
}

}  // namespace lanescope::lesson
