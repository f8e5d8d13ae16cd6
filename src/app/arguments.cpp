#include "app/arguments.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "app/argument_checks.h"
#include "base/error.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/own_experiments.h"
#include "experiment/published_numbers.h"
#include "lesson/own_lessons.h"
#include "lesson/student_file.h"
#include "workload/workload.h"

namespace lanescope::app {

using base::tr;

void PictureArguments::add_to(CLI::App& app, const char* what, PictureOptions::Content content) {
  content_ = content;
  app.add_option("--screenshot", file_, what)->type_name("FILE");
  app.add_option("--theme", theme_, tr("of the picture: dark, light or high-contrast; default dark"))
      ->type_name("THEME");
}

PictureOptions PictureArguments::options(const CLI::App& app) const {
  PictureOptions options;
  if (app.count("--screenshot") == 0) {
    refuse_options(app, {"--theme"}, N_("{} needs --screenshot"));
    return options;
  }
  options.file = file_;
  options.content = content_;
  options.theme = theme_;
  check_picture(options);
  return options;
}

// --- run arguments ---------------------------------------------------------------------------------------------------

namespace {

using base::UsageError;

constexpr std::uint64_t kDefaultIterations = 1000;
constexpr std::uint64_t kDefaultMemoryMb = 2048;

trace::CaptureLevel capture_level(const std::string& name) {
  using trace::CaptureLevel;
  static constexpr std::array<std::pair<std::string_view, CaptureLevel>, 3> kLevels{
      {{"none", CaptureLevel::None}, {"operations", CaptureLevel::Operations}, {"all", CaptureLevel::All}}};
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  throw UsageError(tr("--capture is '{}'; allowed: none, operations, all", name));
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
  app.add_option("--capture", capture_, tr("how much of a GPU's work is recorded: none, operations, all"))
      ->type_name("LEVEL");
  app.add_option("--json", json_, tr("write the figures as JSON to a file, or to standard output (-)"))
      ->type_name("FILE|-");
  app.add_option("--html", html_, tr("write the report as one page (.html) to a file, or to standard output (-)"))
      ->type_name("FILE|-");
  app.add_option("--trace", trace_,
                 tr("write the trace: a session file (.lanescope), or Chrome Trace JSON (.json or .json.gz)"))
      ->type_name("FILE");
  picture_.add_to(app, tr("write a picture of the timeline (.png or .svg)"), PictureOptions::Content::Timeline);
  app.add_option("--compare", compare_, tr("run again with this setting as well, and compare; may be repeated"))
      ->type_name("K=V")
      ->allow_extra_args(false);
  app.add_option("--what-if", what_if_, tr("replay the recording with this change; several are made together"))
      ->type_name("CHANGE")
      ->allow_extra_args(false);
  add_language(app);
  app.add_option("--memory-mb", memory_mb_,
                 tr("memory for the trace, {} to {}; default {}; the oldest events are evicted first", kMinMemoryMb,
                    kMaxMemoryMb, kDefaultMemoryMb))
      ->type_name("MB");
}

Request RunArguments::request(const CLI::App& app, const std::string& command) const {
  session_.check(app);
  refuse_two_on_standard_output(json_, html_);
  check_what_if(app);
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

void RunArguments::check_what_if(const CLI::App& app) const {
  if (what_if_.empty()) return;
  refuse_options(app, {"--compare"}, N_("{} cannot be combined with --what-if"));
  if (!session_.experiment.empty() && (side_.empty() || side_ == "both")) {
    throw UsageError(tr("--what-if is for one side of an experiment; allowed: --side before, --side after"));
  }
}

std::vector<analysis::Edit> RunArguments::what_if() const {
  std::vector<analysis::Edit> edits;
  for (const std::string& edit : what_if_) edits.push_back(analysis::parse_edit(edit));
  return edits;
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
  run.compare = compare_;
  run.what_if = what_if();
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
  run.what_if = what_if();
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

// --- sweep arguments -------------------------------------------------------------------------------------------------

namespace {

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
  picture_.add_to(app, tr("write the chart (.png)"), PictureOptions::Content::Sweep);
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
    if (!session_.experiment.empty())
      ready_sweep(experiment::experiment_from_argument(session_.experiment));  // refuses
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

// --- window arguments ------------------------------------------------------------------------------------------------

namespace {

using experiment::Side;

}  // namespace

void WindowArguments::add_to(CLI::App& app) {
  session_.add_to(app);
  app.add_option("--side", side_, tr("side of the experiment: before or after"))->type_name("SIDE");
  app.add_option("--lesson", lesson_, tr("begin a lesson: its name (see: lanescope list lessons) or its file"))
      ->type_name("NAME|FILE");
  app.add_option("--student", student_, tr("keep this student's answers to the lesson in a file in this folder"))
      ->type_name("NAME");
  app.add_option("--open", open_,
                 tr("show a saved trace instead of a run (.lanescope, .json, .json.gz, .sqlite or .nsys-rep); several "
                    "files, or a folder, become one picture"))
      ->type_name("FILE");
  app.add_option("--memory-mb", memory_mb_,
                 tr("memory for the trace, {} to {}; default: the last choice, or a quarter of the machine's, at "
                    "most {}; the oldest events are evicted first",
                    kMinMemoryMb, kMaxMemoryMb, 16'384))
      ->type_name("MB");
  app.add_option("--theme", theme_, tr("dark, light or high-contrast; default: the last one used"))->type_name("THEME");
  add_language(app);
}

Request WindowArguments::request(const CLI::App& app) const {
  const WindowRequest window = window_request(app);
  const std::string measure = base::environment("LANESCOPE_MEASURE");  // for benchmarks
  if (measure.empty()) return window;
  if (measure == "frames") return MeasureRequest{WindowMeasure::Frames, window};
  if (measure == "large-frames") return MeasureRequest{WindowMeasure::LargeFrames, window};
  if (measure == "rest") return MeasureRequest{WindowMeasure::Rest, window};
  if (measure == "start") return MeasureRequest{WindowMeasure::Start, window};
  throw UsageError(tr("{} is '{}'; allowed: {}", "LANESCOPE_MEASURE", measure, "frames, large-frames, rest, start"));
}

WindowRequest WindowArguments::window_request(const CLI::App& app) const {
  WindowRequest window;
  session_.check(app);
  if (!open_.empty()) {
    refuse_options(app, {"--workload", "--experiment", "--device", "--set"},
                   N_("{} applies to a run, but --open shows a file; give one of the two"));
    for (const std::string& file : open_) window.open.push_back(file);
  }
  if (!student_.empty() && lesson_.empty()) throw UsageError(tr("{} needs {}", "--student", "--lesson"));
  if (!lesson_.empty()) {
    refuse_options(app, {"--workload", "--experiment", "--device", "--set", "--open"},
                   N_("{} and --lesson both say what to show; give one of the two"));
    window.lesson = &lesson::lesson_from_argument(lesson_);
    if (!student_.empty()) lesson::check_student_name(student_);
    window.student = student_;
  }
  if (!memory_mb_.empty()) {
    const std::uint64_t mb = whole_number("--memory-mb", memory_mb_, kMinMemoryMb, kMaxMemoryMb);
    window.memory_cap_bytes = static_cast<std::size_t>(mb) << 20;
  }
  window.theme = theme_;
  if (app.count("--lang") != 0) window.language = base::language();
  window.shader_dir = base::environment("LANESCOPE_SHADERS");  // reloaded when they change
  session::SessionOptions session = window.session;            // of the coming run
  if (session_.experiment.empty()) {
    refuse_options(app, {"--side"}, N_("{} needs --experiment; see: lanescope --help"));
    window.plain = !session_.workload.empty();
    if (window.plain) window.session.workload = session_.workload;
    window.session.device = session_.device_or_auto();
    window.session.assignments = session_.assignments;
    session = window.session;
  } else {
    const experiment::Experiment& experiment = experiment::experiment_from_argument(session_.experiment);
    if (!side_.empty() && side_ != "before" && side_ != "after") {
      throw UsageError(tr("--side is '{}'; allowed: before, after", side_));
    }
    window.experiment = experiment.id;
    window.side = side_ == "after" ? Side::After : Side::Before;
    window.session.device = session_.device_or_auto();
    window.session.assignments = session_.assignments;
    session = side_options(experiment, window.side,
                           {.device = session_.device, .iterations = 0, .assignments = session_.assignments});
  }
  check_window(window);
  // Checks the settings before the window opens, and even if none can open.
  workload::Settings settings = workload::default_settings(session.workload, device::describe_device(session.device));
  for (const std::string& assignment : session.assignments) settings.assign(assignment);
  workload::check_settings(session.workload, settings);
  return window;
}

}  // namespace lanescope::app
