#include "app/window_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/argument_checks.h"
#include "base/error.h"
#include "base/machine_memory.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/comparison.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;
using experiment::Side;

constexpr std::uint64_t kMinMemoryMb = 16, kMaxMemoryMb = 1'048'576;  // as of `run`

// A quarter of the machine's memory, so that it stays usable: on one with 16 GB, 4 GB, which are 110 million events.
std::uint64_t default_memory_mb() {
  return std::clamp<std::uint64_t>(base::machine_memory_bytes() / 4 >> 20, 1024, 16'384);
}

}  // namespace

void WindowArguments::add_to(CLI::App& app) {
  session_.add_to(app);
  app.add_option("--side", side_, tr("side of the experiment: before or after"))->type_name("SIDE");
  app.add_option("--open", open_, tr("show a saved trace instead of a run (.json or .json.gz)"))->type_name("FILE");
  app.add_option("--memory-mb", memory_mb_,
                 fmt::format(fmt::runtime(tr("memory for the trace, {} to {}; default a quarter of the machine's, at "
                                             "most {}; the oldest events are evicted first")),
                             kMinMemoryMb, kMaxMemoryMb, 16'384))
      ->type_name("MB");
  app.add_option("--theme", theme_, tr("dark, light or high-contrast; default: the last one used"))->type_name("THEME");
  add_language(app);
  app.add_option("--shader-dir", shader_dir_, tr("reload the shaders from this folder while developing"))
      ->type_name("DIR");
  app.add_option("--measure", measure_)->group("");  // for the benchmarks: no help, no promise
}

Request WindowArguments::request(const CLI::App& app) const {
  const WindowRequest window = window_request(app);
  if (measure_.empty()) return window;
  if (measure_ == "frames") return MeasureRequest{WindowMeasure::Frames, window};
  if (measure_ == "rest") return MeasureRequest{WindowMeasure::Rest, window};
  throw UsageError(fmt::format(fmt::runtime(tr("--measure is '{}'; allowed: frames, rest")), measure_));
}

WindowRequest WindowArguments::window_request(const CLI::App& app) const {
  WindowRequest window;
  session_.check(app);
  if (!open_.empty()) {
    refuse_options(app, {"--workload", "--experiment", "--device", "--set"},
                   tr("{} applies to a run, but --open shows a file; give one of the two"));
    window.open = open_;
  }
  window.session.memory_cap_bytes =
      static_cast<std::size_t>(memory_mb_.empty() ? default_memory_mb()
                                                  : whole_number("--memory-mb", memory_mb_, kMinMemoryMb, kMaxMemoryMb))
      << 20;
  window.theme = theme_;
  if (app.count("--lang") != 0) window.language = base::language();
  window.shader_dir = shader_dir_;
  session::SessionOptions begun = window.session;  // as the run will be
  if (session_.experiment.empty()) {
    refuse_options(app, {"--side"}, tr("{} needs --experiment; see: lanescope --help"));
    window.plain = !session_.workload.empty();
    if (window.plain) window.session.workload = session_.workload;
    window.session.device = session_.device_or_auto();
    window.session.assignments = session_.assignments;
    begun = window.session;
  } else {
    const experiment::Experiment& told = experiment::experiment_named(session_.experiment);
    if (!side_.empty() && side_ != "before" && side_ != "after") {
      throw UsageError(fmt::format(fmt::runtime(tr("--side is '{}'; allowed: before, after")), side_));
    }
    window.experiment = told.id;
    window.side = side_ == "after" ? Side::After : Side::Before;
    window.session.device = session_.device_or_auto();
    window.session.assignments = session_.assignments;
    begun = side_options(told, window.side,
                         {.device = session_.device, .iterations = 0, .assignments = session_.assignments});
  }
  check_window(window);
  // What is wrong is said before a window opens, and where none can.
  workload::Settings settings = workload::default_settings(begun.workload, device::describe_device(begun.device));
  for (const std::string& assignment : begun.assignments) settings.assign(assignment);
  workload::check_settings(begun.workload, settings);
  return window;
}

}  // namespace lanescope::app
