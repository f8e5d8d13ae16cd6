#include "app/run_arguments.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "app/argument_checks.h"
#include "base/error.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "experiment/own_experiments.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;

constexpr std::uint64_t kDefaultIterations = 1000;
constexpr std::uint64_t kDefaultMemoryMb = 2048;

trace::CaptureLevel capture_level(const std::string& name) {
  using trace::CaptureLevel;
  static constexpr std::array<std::pair<std::string_view, CaptureLevel>, 5> kLevels{
      {{"none", CaptureLevel::None},
       {"kernels", CaptureLevel::Kernels},
       {"operations", CaptureLevel::Operations},
       {"calls", CaptureLevel::Calls},
       {"all", CaptureLevel::All}}};
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  throw UsageError(tr("--capture is '{}'; allowed: none, kernels, operations, calls, all", name));
}

std::uint64_t stretch_of_developers() {
  constexpr const char* kVariable = "LANESCOPE_STRETCH";
  const std::string text = base::environment(kVariable);
  return text.empty() ? 0 : whole_number(kVariable, text, 1, kMaxIterations);
}

}  // namespace

void SessionArguments::add_to(CLI::App& app) {
  app.add_option("--workload", workload, tr("which loop; see: lanescope list workloads"))->type_name("W");
  app.add_option("--experiment", experiment,
                 tr("an experiment, or a file with one of your own; see: lanescope list experiments"))
      ->type_name("ID|FILE");
  app.add_option("--device", device,
                 tr("auto, cuda:N, cpu, sim, sim:PROFILE or sim:FILE.toml; see: lanescope list devices"))
      ->type_name("D");
  app.add_option("--set", assignments, tr("a setting, may be repeated; see: lanescope list settings"))
      ->type_name("K=V")
      ->allow_extra_args(false);
}

void SessionArguments::check(const CLI::App& app) const {
  if (experiment.empty()) return;
  refuse_options(app, {"--workload"}, N_("{} and --experiment both choose the loop; give one of the two"));
}

void RunArguments::add_to(CLI::App& app) {
  session_.add_to(app);
  app.add_option("--side", side_, tr("side of the experiment: before, after or both; default both"))->type_name("SIDE");
  app.add_option(
         "--iterations", iterations_,
         tr("number of iterations, 1 to {}; default {}, or the experiment's own", kMaxIterations, kDefaultIterations))
      ->type_name("N");
  app.add_option("--capture", capture_,
                 tr("how much of a GPU's work is recorded: none, kernels, operations, calls, all"))
      ->type_name("LEVEL");
  app.add_option("--json", json_, tr("write the figures as JSON to a file, or to standard output (-)"))
      ->type_name("FILE|-");
  app.add_option("--html", html_, tr("write the report as one page (.html) to a file, or to standard output (-)"))
      ->type_name("FILE|-");
  app.add_option("--trace", trace_,
                 tr("write the trace: a session file (.lanescope), or Chrome Trace JSON (.json or .json.gz)"))
      ->type_name("FILE");
  picture_.add_to(app, tr("write a picture of the timeline (.png or .svg)"), PictureOptions::Of::Timeline);
  app.add_option("--compare", compare_, tr("run again with this setting as well, and compare; may be repeated"))
      ->type_name("K=V")
      ->allow_extra_args(false);
  app.add_option("--predict", predict_, tr("predict the time of an iteration with this setting; may be repeated"))
      ->type_name("K=V")
      ->allow_extra_args(false);
  app.add_flag("--verify", verify_,
               tr("also run with the settings of --predict, and report how far off the prediction is"))
      ->disable_flag_override();
  add_language(app);
  app.add_option("--memory-mb", memory_mb_,
                 tr("memory for the trace, {} to {}; default {}; the oldest events are evicted first", kMinMemoryMb,
                    kMaxMemoryMb, kDefaultMemoryMb))
      ->type_name("MB");
}

Request RunArguments::request(const CLI::App& app, const std::string& command) const {
  session_.check(app);
  refuse_two_on_standard_output(json_, html_);
  check_prediction(app);
  if (!session_.experiment.empty()) {
    refuse_options(app, {"--compare"}, N_("{} is for a single loop; --experiment compares its own two sides"));
    ExperimentRequest run = experiment_request(app);
    run.html = html_;
    run.command = command;
    return run;
  }
  refuse_options(app, {"--side"}, N_("{} needs --experiment; see: lanescope run --help"));
  RunRequest run = workload_request(app);
  run.html = html_;
  run.command = command;
  return run;
}

void RunArguments::check_prediction(const CLI::App& app) const {
  if (predict_.empty()) return refuse_options(app, {"--verify"}, N_("{} needs --predict; see: lanescope run --help"));
  refuse_options(app, {"--compare"}, N_("{} cannot be combined with --predict; --verify runs with the change"));
  if (!session_.experiment.empty() && (side_.empty() || side_ == "both")) {
    throw UsageError(tr("--predict is for one side of an experiment; allowed: --side before, --side after"));
  }
}

RunRequest RunArguments::workload_request(const CLI::App& app) const {
  if (session_.workload.empty()) {
    throw UsageError(tr("run needs --workload or --experiment; allowed: {}", joined(workload::workload_names())));
  }
  RunRequest run;
  run.session.workload = session_.workload;
  run.session.device = session_.device_or_auto();
  run.session.assignments = session_.assignments;
  run.session.iterations =
      iterations_.empty() ? kDefaultIterations : whole_number("--iterations", iterations_, 1, kMaxIterations);
  run.session.memory_cap_bytes = memory();
  run.session.paced = false;
  run.session.capture = capture_level(capture_);
  run.stretch = stretch_of_developers();
  run.compare = compare_;
  run.predict = predict_;
  run.verify = verify_;
  run.json = json_;
  run.trace = trace_;
  run.screenshot = picture_.options(app);
  return run;
}

ExperimentRequest RunArguments::experiment_request(const CLI::App& app) const {
  ExperimentRequest run;
  run.experiment = &experiment::experiment_from_argument(session_.experiment);
  if (!side_.empty() && side_ != "both") run.side = side();
  run.choice.device = session_.device;
  run.choice.assignments = session_.assignments;
  if (!iterations_.empty()) run.choice.iterations = whole_number("--iterations", iterations_, 1, kMaxIterations);
  run.stretch = stretch_of_developers();
  run.extra = base::environment("LANESCOPE_NO_EXTRA").empty();
  run.predict = predict_;
  run.verify = verify_;
  run.memory_cap_bytes = memory();
  run.capture = capture_level(capture_);
  run.json = json_;
  run.trace = trace_;
  run.screenshot = picture_.options(app);
  return run;
}

experiment::Side RunArguments::side() const {
  for (const experiment::Side side : {experiment::Side::Before, experiment::Side::After}) {
    if (side_key(side) == side_) return side;
  }
  throw UsageError(tr("--side is '{}'; allowed: before, after, both", side_));
}

std::size_t RunArguments::memory() const {
  const std::uint64_t megabytes =
      memory_mb_.empty() ? kDefaultMemoryMb : whole_number("--memory-mb", memory_mb_, kMinMemoryMb, kMaxMemoryMb);
  return static_cast<std::size_t>(megabytes) << 20;
}

}  // namespace lanescope::app
