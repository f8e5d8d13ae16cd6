#include "app/window_arguments.h"

#include <fmt/format.h>

#include "app/argument_checks.h"
#include "base/error.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/comparison.h"
#include "experiment/own_experiments.h"
#include "lesson/own_lessons.h"
#include "lesson/student_file.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;
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
