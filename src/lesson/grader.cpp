#include "lesson/grader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/measured_run.h"
#include "workload/workload.h"

namespace lanescope::lesson {
namespace {

// Only figures are needed, and they include what the cap evicts.
constexpr std::size_t kSmallTrace = std::size_t{64} << 20;

std::string name_of(const Experiment& experiment, const std::string& device, const workload::Settings& settings) {
  std::string name = fmt::format("{} {} {}", experiment.workload, experiment.iterations, device);
  for (const workload::SettingSpec& spec : settings.specs()) {
    name += fmt::format(" {}={}", spec.key, workload::to_text(settings.value(spec.key)));
  }
  return name;
}

}  // namespace

workload::Settings settings_of(const Step& step, Side side, const std::vector<std::string>& settings) {
  const Experiment e = experiment_of(step);
  workload::Settings all = workload::default_settings(e.workload, device::describe_device(e.device_of(side)));
  for (const std::string& assignment : e.assignments(side)) all.assign(assignment);
  for (const std::string& assignment : settings) all.assign(assignment);
  workload::check_settings(e.workload, all);
  return all;
}

std::vector<std::string> turned_between(const workload::Settings& start, const workload::Settings& now) {
  std::vector<std::string> turned;
  for (const workload::SettingSpec& spec : now.specs()) {
    const workload::Value& value = now.value(spec.key);
    if (value != start.value(spec.key)) turned.push_back(fmt::format("{}={}", spec.key, workload::to_text(value)));
  }
  return turned;
}

std::size_t StepRuns::need(const Step& step, Side side, const std::vector<std::string>& settings) {
  Experiment e = experiment_of(step);
  const std::string name = name_of(e, e.device_of(side), settings_of(step, side, settings));
  Run run{std::move(e), side, settings, settings_of(step, side, settings), {}, {}};
  const auto [found, is_new] = numbers_.emplace(name, runs_.size());
  if (is_new) runs_.push_back(std::move(run));
  return found->second;
}

bool StepRuns::run(const std::function<void(std::size_t)>& progress, const std::function<bool()>& should_stop) {
  for (; made_ < runs_.size(); ++made_) {
    if (progress) progress(made_);
    Run& run = runs_[made_];
    session::SessionOptions options =
        side_options(run.experiment, run.side, {.device = {}, .iterations = 0, .assignments = run.assignments});
    options.memory_cap_bytes = kSmallTrace;
    try {
      experiment::MeasuredRun measured(std::move(options));
      measured.run(
          [&](std::uint64_t) {
            if (progress) progress(made_);
          },
          should_stop);
      if (should_stop && should_stop()) return false;
      run.measured = measured.measured();
    } catch (const base::Error& error) {
      run.error = error.what();
    }
  }
  if (progress) progress(made_);
  return true;
}

// --- grader ----------------------------------------------------------------------------------------------------------

namespace {

using base::tr;

bool fits(const Question& question, const Answer& answer) {
  const auto* choice = std::get_if<std::size_t>(&answer);
  return choice ? *choice < question.choices.size() : question.choices.empty();
}

}  // namespace

std::size_t GradedFile::points() const {
  return static_cast<std::size_t>(std::ranges::count_if(steps, [](const GradedStep& s) { return s.right == true; }));
}

double GradedFile::seconds() const {
  return std::transform_reduce(file.steps.begin(), file.steps.end(), 0.0, std::plus(),
                               [](const StepRecord& record) { return record.seconds; });
}

int GradedFile::hints() const {
  return std::transform_reduce(file.steps.begin(), file.steps.end(), 0, std::plus(),
                               [](const StepRecord& record) { return record.hints; });
}

void Grader::add(std::string path, StudentFile file) {
  Entry entry;
  entry.graded.path = std::move(path);
  entry.graded.file = std::move(file);
  entry.graded.lesson = &lesson_named(entry.graded.file.lesson);
  const std::string now = lesson_digest(*entry.graded.lesson), then = entry.graded.file.lesson_digest;
  entry.graded.other_version = now != then && now.size() == then.size();
  for (const Step& step : entry.graded.lesson->steps) {
    if (!step.asks()) continue;
    GradedStep graded;
    graded.step = &step;
    if (const StepRecord* record = entry.graded.file.record(step.name)) graded.record = *record;
    entry.needed.push_back(need(graded));
    entry.graded.steps.push_back(std::move(graded));
  }
  entries_.push_back(std::move(entry));
}

Grader::Needed Grader::need(GradedStep& graded) {
  Needed needed;
  const Step& step = *graded.step;
  if (step.question) {
    graded.answered = graded.record && graded.record->answer;
    needed.before = runs_.need(step, Side::Before);
    needed.after = runs_.need(step, Side::After);
    return needed;
  }
  graded.answered = graded.record && (graded.record->solved || !graded.record->settings.empty());
  if (!graded.answered) return needed;
  try {
    needed.solution = runs_.need(step, step.side, graded.record->settings);
  } catch (const base::UsageError& error) {
    graded.problem = error.what();
  }
  return needed;
}

bool Grader::run(const std::function<void(std::size_t)>& progress, const std::function<bool()>& should_stop) {
  return runs_.run(progress, should_stop);
}

void Grader::grade(GradedStep& graded, const Needed& needed) const {
  const Step& step = *graded.step;
  if (step.question) {
    const StepRuns::Run &before = runs_[needed.before], &after = runs_[needed.after];
    const auto measured = [](const StepRuns::Run& run) { return run.error.empty() ? &run.measured : nullptr; };
    graded.truth = truth_of(*step.question, measured(before), measured(after));
    if (!graded.answered) return;
    if (!graded.truth) {
      const std::string& error = before.error.empty() ? after.error : before.error;
      graded.problem = error.empty() ? tr("not measured") : error;
    } else if (!fits(*step.question, *graded.record->answer)) {
      graded.problem = tr("the answer is not one of those to choose from");
    } else {
      graded.right = is_right(*step.question, *graded.truth, *graded.record->answer);
    }
    return;
  }
  if (!needed.solution) return;
  const StepRuns::Run& solution = runs_[*needed.solution];
  const workload::Settings start = settings_of(step, step.side);
  graded.turned = turned_between(start, solution.settings);
  graded.problem = solution.error;
  if (!solution.error.empty()) return;
  graded.progress = progress_of(*step.task, solution.measured, start, solution.settings);
  graded.right = graded.progress->done();
}

std::vector<GradedFile> Grader::grades() const {
  std::vector<GradedFile> all;
  for (const Entry& entry : entries_) {
    all.push_back(entry.graded);
    GradedFile& graded = all.back();
    for (std::size_t i = 0; i < graded.steps.size(); ++i) grade(graded.steps[i], entry.needed[i]);
  }
  return all;
}

}  // namespace lanescope::lesson
