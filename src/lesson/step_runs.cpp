#include "lesson/step_runs.h"

#include <fmt/format.h>

#include "base/error.h"
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

}  // namespace lanescope::lesson
