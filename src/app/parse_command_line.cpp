#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/requests.h"
#include "app/screen.h"
#include "base/error.h"
#include "base/translate.h"
#include "base/version.h"
#include "device/catalogue.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;

constexpr std::uint64_t kDefaultIterations = 1000, kMaxIterations = 1'000'000'000;
constexpr std::uint64_t kDefaultMemoryMb = 2048, kMinMemoryMb = 16, kMaxMemoryMb = 1'048'576;

constexpr const char* kExamples = R"(Examples:
  lanescope                                                    the window, with a loop already running
  lanescope --workload iris-mlp --set log_interval=100         the same with another loop
  lanescope --open trace.json.gz                               a saved trace, also the PyTorch profiler's
  lanescope run --workload linear-mse --iterations 10000       no window: a table of figures
  lanescope run --workload linear-mse --set log_interval=1 --compare log_interval=100 --screenshot both.png
  lanescope list settings                                      what --set takes

Exit status: 0 done; 1 a file, display or device failed; 2 the request was wrong.)";

constexpr const char* kRunNotes =
    R"(--compare runs twice: as set, and again with every --compare K=V set as well. The table then has a column for each run and
the ratio second / first; the JSON is {"runs": [first, second], "ratio": {...}}; the trace of the second run goes to the name
of --trace with "-compare" before its extension; the screenshot shows both runs at one time scale.

Ctrl-C ends the run early and reports what was measured until then (exit status 130); a second Ctrl-C ends the program.
On a simulated device the same command with the same seed gives the same JSON and the same trace, byte for byte.

Examples:
  lanescope run --workload linear-mse
  lanescope run --workload iris-mlp --device sim:teaching --iterations 20000 --seed 7 --json -
  lanescope run --workload linear-mse --trace loop.json.gz --screenshot loop.png
  lanescope run --workload linear-mse --set log_interval=1 --compare log_interval=100)";

constexpr const char* kCalibrateNotes =
    R"(Takes a minute at most, while nothing else should use the GPU. Every number of the profile says how it was measured, on
what and when; a table of bandwidths and of when copies return stands in its comments.

Example:
  lanescope calibrate --out mine.toml
  lanescope --device sim:mine.toml)";

constexpr const char* kReportNotes = R"(Examples:
  lanescope report loop.json.gz
  lanescope report pytorch-profile.json --json -)";

// "run: ", or nothing for the window's own options.
std::string command_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string() : app.get_name() + ": ";
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// What stands in the command line for an option: "--json".
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() && !option->get_group().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw UsageError(
        fmt::format(fmt::runtime(tr("{} is '{}'; allowed: a whole number from {} to {}")), option, text, least, most));
  }
  return number;
}

device::CaptureLevel capture_level(const std::string& name) {
  using device::CaptureLevel;
  static constexpr std::array<std::pair<std::string_view, CaptureLevel>, 5> kLevels{
      {{"none", CaptureLevel::None},
       {"kernels", CaptureLevel::Kernels},
       {"operations", CaptureLevel::Operations},
       {"calls", CaptureLevel::Calls},
       {"all", CaptureLevel::All}}};
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  throw UsageError(
      fmt::format(fmt::runtime(tr("--capture is '{}'; allowed: none, kernels, operations, calls, all")), name));
}

// The options that the window and a headless run share.
struct SessionArguments {
  std::string device = "auto", workload;
  std::vector<std::string> assignments;

  void add_to(CLI::App& app) {
    app.add_option("--workload", workload, tr("which loop; see: lanescope list workloads"))->type_name("W");
    app.add_option("--device", device,
                   tr("auto, cuda:N, sim, sim:PROFILE or sim:FILE.toml; see: lanescope list devices"))
        ->type_name("D");
    app.add_option("--set", assignments, tr("a setting, may be repeated; see: lanescope list settings"))
        ->type_name("K=V")
        ->allow_extra_args(false);
  }
};

struct RunArguments {
  SessionArguments session;
  std::string iterations = std::to_string(kDefaultIterations);
  std::string memory_mb = std::to_string(kDefaultMemoryMb);
  std::string seed, json, trace, screenshot, capture = "all";
  std::vector<std::string> compare;

  void add_to(CLI::App& app) {
    session.add_to(app);
    app.add_option(
           "--iterations", iterations,
           fmt::format(fmt::runtime(tr("how many, 1 to {}; {} unless told")), kMaxIterations, kDefaultIterations))
        ->type_name("N");
    app.add_option("--seed", seed, tr("the same as --set seed=S"))->type_name("S");
    app.add_option("--capture", capture,
                   tr("how much of a GPU's work is recorded: none, kernels, operations, calls, all"))
        ->type_name("LEVEL");
    app.add_option("--json", json, tr("write the figures as JSON to a file, or to standard output (-)"))
        ->type_name("FILE|-");
    app.add_option("--trace", trace, tr("write the trace as Chrome Trace JSON (.json or .json.gz)"))->type_name("FILE");
    app.add_option("--screenshot", screenshot, tr("write a picture of the timeline (PNG)"))->type_name("FILE");
    app.add_option("--compare", compare, tr("run again with this set as well, and compare; may be repeated"))
        ->type_name("K=V")
        ->allow_extra_args(false);
    app.add_option("--memory-mb", memory_mb,
                   fmt::format(fmt::runtime(tr("memory for the trace, {} to {}; {} unless told; the oldest events go "
                                               "first")),
                               kMinMemoryMb, kMaxMemoryMb, kDefaultMemoryMb))
        ->type_name("MB");
  }

  RunRequest request() const {
    if (session.workload.empty()) {
      throw UsageError(
          fmt::format(fmt::runtime(tr("run needs --workload; allowed: {}")), joined(workload::workload_names())));
    }
    RunRequest run;
    run.session.workload = session.workload;
    run.session.device = session.device;
    run.session.assignments = session.assignments;
    if (!seed.empty()) run.session.assignments.push_back("seed=" + seed);
    run.session.iterations = whole_number("--iterations", iterations, 1, kMaxIterations);
    run.session.memory_cap_bytes = whole_number("--memory-mb", memory_mb, kMinMemoryMb, kMaxMemoryMb) << 20;
    run.session.paced = false;
    run.session.capture = capture_level(capture);
    run.compare = compare;
    run.json = json;
    run.trace = trace;
    run.screenshot = screenshot;
    return run;
  }
};

struct WindowArguments {
  SessionArguments session;
  std::string open, theme, shader_dir, measure;

  void add_to(CLI::App& app) {
    session.add_to(app);
    app.add_option("--open", open, tr("show a saved trace instead of a run (.json or .json.gz)"))->type_name("FILE");
    app.add_option("--theme", theme, tr("dark or light; else as remembered"))->type_name("THEME");
    app.add_option("--shader-dir", shader_dir, tr("reload the shaders from this folder while developing"))
        ->type_name("DIR");
    app.add_option("--measure", measure)->group("");  // for the benchmarks: no help, no promise
  }

  Request request(const CLI::App& app) const {
    const WindowRequest window = window_request(app);
    if (measure.empty()) return window;
    if (measure == "frames") return MeasureRequest{WindowMeasure::Frames, window};
    if (measure == "rest") return MeasureRequest{WindowMeasure::Rest, window};
    throw UsageError(fmt::format(fmt::runtime(tr("--measure is '{}'; allowed: frames, rest")), measure));
  }

 private:
  WindowRequest window_request(const CLI::App& app) const {
    WindowRequest window;
    if (!open.empty()) {
      for (const char* other : {"--workload", "--device", "--set"}) {
        if (app.count(other) != 0) {
          throw UsageError(fmt::format(
              fmt::runtime(tr("{} belongs to a run, but --open shows a file; give one of the two")), other));
        }
      }
      window.open = open;
    }
    window.theme = theme;
    window.shader_dir = shader_dir;
    check_window(window);
    if (!session.workload.empty()) window.session.workload = session.workload;
    window.session.device = session.device;
    window.session.assignments = session.assignments;
    // What is wrong is said before a window opens, and where none can.
    workload::Settings settings =
        workload::default_settings(window.session.workload, device::describe_device(window.session.device));
    for (const std::string& assignment : window.session.assignments) settings.assign(assignment);
    return window;
  }
};

struct ListArguments {
  std::string what;
  bool json = false;

  void add_to(CLI::App& app) {
    app.add_option("what", what, tr("workloads, devices or settings"))->type_name("");
    app.add_flag("--json", json, tr("as JSON"))->disable_flag_override();
  }
  ListRequest request() const {
    using What = ListRequest::What;
    if (what == "workloads") return {What::Workloads, json};
    if (what == "devices") return {What::Devices, json};
    if (what == "settings") return {What::Settings, json};
    throw UsageError(
        fmt::format(fmt::runtime(what.empty() ? tr("list needs to know what; allowed: workloads, devices, settings")
                                              : tr("list does not know '{}'; allowed: workloads, devices, settings")),
                    what));
  }
};

struct ReportArguments {
  std::string file, json;

  void add_to(CLI::App& app) {
    app.add_option("FILE", file, tr("a trace (.json or .json.gz)"))->type_name("");
    app.add_option("--json", json, tr("write the figures as JSON to a file, or to standard output (-)"))
        ->type_name("FILE|-");
  }
  ReportRequest request() const {
    if (file.empty()) throw UsageError(tr("report needs a trace file (.json or .json.gz)"));
    return {file, json};
  }
};

struct CalibrateArguments {
  std::string device = "auto", out;

  void add_to(CLI::App& app) {
    app.add_option("--out", out, tr("write the profile here (.toml)"))->type_name("FILE");
    app.add_option("--device", device, tr("which GPU; see: lanescope list devices"))->type_name("D");
  }
  CalibrateRequest request() const {
    if (out.empty()) throw UsageError(tr("calibrate needs --out FILE.toml"));
    return {device, out};
  }
};

// The command that was asked for: a subcommand, or the window.
const CLI::App& asked_for(const CLI::App& root) {
  const auto selected = root.get_subcommands();
  return selected.empty() ? root : *selected.front();
}

[[noreturn]] void miss_value(const CLI::Option& option) {
  throw UsageError(fmt::format(fmt::runtime(tr("{} needs a value: {}")), option.get_name(), option.get_type_name()));
}

// "--json --trace x" is a slip, not a file of that name.
void check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->count() > 0; })) {
    if (option->get_items_expected_max() == 0 || option->get_positional()) continue;
    for (const std::string& value : option->results()) {
      if (value.empty() || value.rfind("--", 0) == 0) miss_value(*option);
    }
  }
}

[[noreturn]] void reject_leftover(const CLI::App& root) {
  const CLI::App& app = asked_for(root);
  check_values(app);
  const std::vector<std::string> leftover = root.remaining(true);
  const std::string what = leftover.empty() ? std::string() : leftover.front();
  if (&app == &root && what.rfind('-', 0) != 0) {
    throw UsageError(
        fmt::format(fmt::runtime(tr("unknown command '{}'; allowed: run, calibrate, list, report")), what));
  }
  throw UsageError(fmt::format(fmt::runtime(tr("{}unknown argument '{}'; allowed: {}")), command_of(app), what,
                               joined(option_names(app))));
}

// An option without its value, or given twice.
[[noreturn]] void reject_count(const CLI::App& root, const std::string& message) {
  for (const CLI::Option* option : asked_for(root).get_options()) {
    if (message.rfind(option->get_name() + ":", 0) != 0) continue;
    if (option->count() <= 1) miss_value(*option);
    throw UsageError(
        fmt::format(fmt::runtime(tr("{} is given {} times; once is allowed")), option->get_name(), option->count()));
  }
  throw UsageError(fmt::format(fmt::runtime(tr("{}; see: lanescope --help")), message));
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv) {
  CLI::App root(tr("An oscilloscope for CPU-GPU programs: a live CPU and GPU timeline of a training loop."),
                "lanescope");
  root.footer(tr(kExamples));
  root.set_version_flag("--version", fmt::format("lanescope {}", base::kVersion), tr("print the version"));
  root.require_subcommand(0, 1);
  WindowArguments window;
  window.add_to(root);

  CLI::App& run = *root.add_subcommand("run", tr("run without a window and report what was measured"));
  run.footer(tr(kRunNotes));
  RunArguments run_arguments;
  run_arguments.add_to(run);
  CLI::App& calibrate =
      *root.add_subcommand("calibrate", tr("measure this machine's GPU and write a profile for the simulator"));
  calibrate.footer(tr(kCalibrateNotes));
  CalibrateArguments calibrate_arguments;
  calibrate_arguments.add_to(calibrate);
  CLI::App& list = *root.add_subcommand("list", tr("list workloads, devices or settings"));
  ListArguments list_arguments;
  list_arguments.add_to(list);
  CLI::App& report = *root.add_subcommand("report", tr("analyse a saved trace"));
  report.footer(tr(kReportNotes));
  ReportArguments report_arguments;
  report_arguments.add_to(report);

  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return TextRequest{root.help()};
  } catch (const CLI::CallForVersion& version) {
    return TextRequest{std::string(version.what()) + '\n'};
  } catch (const CLI::ExtrasError&) {
    reject_leftover(root);
  } catch (const CLI::ParseError& error) {
    reject_count(root, error.what());
  }

  const CLI::App& asked = asked_for(root);
  check_values(asked);
  if (&asked == &root) return window.request(root);
  for (const std::string& name : option_names(root)) {
    if (name != "--help" && name != "--version" && root.count(name) != 0) {
      throw UsageError(fmt::format(fmt::runtime(tr("{} stands before '{}'; it belongs to the window, or after '{}'")),
                                   name, asked.get_name(), asked.get_name()));
    }
  }
  if (&asked == &run) return run_arguments.request();
  if (&asked == &calibrate) return calibrate_arguments.request();
  if (&asked == &list) return list_arguments.request();
  return report_arguments.request();
}

}  // namespace lanescope::app
