#include "app/sweep_arguments.h"

#include <fmt/format.h>

#include <cstdint>

#include "app/argument_checks.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/own_experiments.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;
using experiment::SweepSpec;

constexpr std::string_view kAgainstDevice = "device=";

// The experiment's own sweep or, without one, a sweep of its first side.
SweepSpec sweep_of(const experiment::Experiment& experiment) {
  if (experiment.sweep) return ready_sweep(experiment);
  SweepSpec spec;
  spec.workload = experiment.workload;
  spec.device = experiment.device_of(experiment::Side::Before);
  spec.assignments = experiment.assignments(experiment::Side::Before);
  spec.iterations = experiment.iterations;
  return spec;
}

}  // namespace

void SweepArguments::add_to(CLI::App& app) {
  session_.add_to(app);
  app.add_option("--over", over_, tr("a setting, device or iterations, and its values; once or twice"))
      ->type_name("K=A,B,C")
      ->allow_extra_args(false);
  app.add_option("--figure", figure_,
                 tr("figure to chart; default iteration_us, or the experiment's own; own.NAME is one of the workload's "
                    "own figures"))
      ->type_name("F");
  app.add_option("--against", against_,
                 tr("run each point again with this setting; the value is the ratio with / without it"))
      ->type_name("K=V");
  app.add_option("--iterations", iterations_,
                 tr("iterations of each run, 1 to {}; default {}, or the experiment's own", kMaxIterations,
                    SweepSpec().iterations))
      ->type_name("N");
  app.add_option("--csv", csv_, tr("write all figures of all points as CSV, to a file or to standard output (-)"))
      ->type_name("FILE|-");
  app.add_option("--json", json_, tr("the same as JSON"))->type_name("FILE|-");
  picture_.add_to(app, tr("write the chart (.png)"), PictureOptions::Of::Sweep);
  add_language(app);
}

SweepSpec SweepArguments::spec() const {
  SweepSpec spec;
  if (session_.experiment.empty()) {
    spec.workload = session_.workload;
    spec.device = session_.device_or_auto();
  } else {
    spec = sweep_of(experiment::experiment_from_argument(session_.experiment));
    if (!session_.device.empty()) {
      spec.device = session_.device;
      // The CPU of the requested device's machine.
      if (spec.against.starts_with(std::string(kAgainstDevice) + "cpu")) {
        spec.against = std::string(kAgainstDevice) + device::cpu_beside(session_.device);
      }
    }
  }
  spec.assignments.insert(spec.assignments.end(), session_.assignments.begin(), session_.assignments.end());
  if (!over_.empty()) spec.axes.clear();
  for (const std::string& over : over_) spec.axes.push_back(experiment::parse_axis(over));
  if (!figure_.empty()) spec.figure = figure_;
  if (!against_.empty()) spec.against = against_;
  if (!iterations_.empty()) spec.iterations = whole_number("--iterations", iterations_, 1, kMaxIterations);
  return spec;
}

SweepRequest SweepArguments::request(const CLI::App& app) const {
  session_.check(app);
  if (session_.workload.empty() && session_.experiment.empty()) {
    throw UsageError(tr("sweep needs --workload or --experiment; allowed: {}", joined(workload::workload_names())));
  }
  SweepRequest request;
  request.spec = spec();
  if (request.spec.axes.empty()) {
    throw UsageError(tr("sweep needs --over KEY=VALUE,VALUE,...; for example --over batch_size=128,512"));
  }
  if (csv_ == "-" && json_ == "-") {
    throw UsageError(tr("--csv and --json both write to standard output; give one of them a file"));
  }
  if (!session_.experiment.empty()) {
    const experiment::Experiment& experiment = experiment::experiment_from_argument(session_.experiment);
    request.title = fmt::format("{} {}", experiment.id, experiment.title[base::language()]);
  }
  request.csv = csv_;
  request.json = json_;
  request.screenshot = picture_.options(app);
  return request;
}

}  // namespace lanescope::app
