// The options of the commands that run loops, and of the window.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "app/argument_checks.h"
#include "app/command_requests.h"
#include "app/graphics.h"
#include "attach/program_state.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/session_file.h"

namespace lanescope::app {

class PictureArguments {
 public:
  /// `what` is what gets written, for the help text. Only a timeline can be an SVG.
  void add_to(CLI::App& app, const char* what, PictureOptions::Content content);
  /// Throws base::UsageError for an invalid extension or theme, or if there is no file.
  PictureOptions options(const CLI::App& app) const;

 private:
  PictureOptions::Content content_ = PictureOptions::Content::Timeline;
  std::string file_, theme_;
};

// --- run arguments ---------------------------------------------------------------------------------------------------
// The options of `lanescope run`, and those it shares with the window and with sweeps.

inline constexpr std::uint64_t kMaxIterations = 1'000'000'000, kMinMemoryMb = 16, kMaxMemoryMb = 1'048'576;

struct SessionArguments {
  std::string device, workload, experiment;
  std::vector<std::string> assignments;

  void add_to(CLI::App& app);
  std::string device_or_auto() const { return device.empty() ? "auto" : device; }
  /// Throws base::UsageError if both a workload and an experiment are given.
  void check(const CLI::App& app) const;
};

class RunArguments {
 public:
  void add_to(CLI::App& app);
  /// `command` is the whole command line, to be shown on the page.
  Request request(const CLI::App& app, const std::string& command) const;
  /// True if a workload or an experiment is given.
  bool has_loop() const { return !session_.workload.empty() || !session_.experiment.empty(); }
  const std::string& json() const { return json_; }
  const std::string& html() const { return html_; }
  const std::string& trace() const { return trace_; }
  std::vector<analysis::Edit> what_if() const;

 private:
  void check_what_if(const CLI::App& app) const;
  RunRequest workload_request(const CLI::App& app) const;
  ExperimentRequest experiment_request(const CLI::App& app) const;
  experiment::Side side() const;
  std::size_t memory() const;

  SessionArguments session_;
  PictureArguments picture_;
  std::string iterations_, memory_mb_, json_, html_, trace_, capture_ = "all", side_;
  std::vector<std::string> compare_, what_if_;
};

// --- sweep arguments -------------------------------------------------------------------------------------------------
// The options of `lanescope sweep`.

class SweepArguments {
 public:
  void add_to(CLI::App& app);
  SweepRequest request(const CLI::App& app) const;

 private:
  experiment::SweepSpec spec() const;

  SessionArguments session_;
  PictureArguments picture_;
  std::vector<std::string> over_;
  std::string figure_, against_, iterations_, csv_, json_;
};

// --- window arguments ------------------------------------------------------------------------------------------------
// The options of the window.

class WindowArguments {
 public:
  void add_to(CLI::App& app);
  Request request(const CLI::App& app) const;

 private:
  WindowRequest window_request(const CLI::App& app) const;

  SessionArguments session_;
  std::vector<std::string> open_;
  std::string memory_mb_, theme_, side_, lesson_, student_;
};

// --- attach ----------------------------------------------------------------------------------------------------------

struct AttachArguments {
  std::vector<std::string> command, variables, trials;
  std::string record, level = "acquire", share, folder, memory_mb, theme, to, host, job, bandwidth, pid;
  bool no_launch_lines = false, knobs = false, ranks = false;

  void add_to(CLI::App& app) {
    app.add_option("COMMAND", command, base::tr("the program and its arguments, after --"))->type_name("");
    app.add_option("--level", level, base::tr("how much is recorded: waits, acquire, calls or all; default acquire"))
        ->type_name("LEVEL");
    app.add_option("--share", share, base::tr("acquire: percent of the time, 1 to 100; default {}", kDefaultShare))
        ->type_name("PERCENT");
    app.add_flag("--no-launch-lines", no_launch_lines, base::tr("no Python lines for launches, only for what blocks"))
        ->disable_flag_override();
    app.add_option("--record", record,
                   base::tr("no window: write the trace to this file (.lanescope, .json or .json.gz), or a file per "
                            "rank into a folder"))
        ->type_name("FILE|DIR/");
    app.add_flag("--knobs", knobs,
                 base::tr("its knobs can be tried from the window: while a trial runs, it changes the program"))
        ->disable_flag_override();
    app.add_option("--try", trials,
                   base::tr("no window: try this knob of the program and say what it gains; list: which there are"))
        ->type_name("KNOB")
        ->allow_extra_args(false);
    app.add_option("--to", to,
                   base::tr("no command: a window on what is being recorded here, by process number or name"))
        ->type_name("PID|NAME");
    app.add_option("--pid", pid, base::tr("no command: watch a program of yours that runs already"))->type_name("PID");
    app.add_option(
           "--host", host,
           base::tr("run the command on another machine, over your own ssh; after \":\", where lanescope is there"))
        ->type_name("USER@NODE[:/FILE]");
    app.add_option("--job", job,
                   base::tr("no command: look into a running job of Slurm's, at what is recorded of this rank; "
                            "default rank 0"))
        ->type_name("JOB[.RANK][:/FILE]");
    app.add_flag("--ranks", ranks, "")->group("");  // what --job asks on the job's nodes
    app.add_option("--bandwidth", bandwidth,
                   base::tr("--host, --job: MB/s at most for the recording; default {}", kDefaultBandwidth))
        ->type_name("MB/S");
    app.add_option("--folder", folder, base::tr("the program's working directory; default: this one"))
        ->type_name("DIR");
    app.add_option("--env", variables, base::tr("a variable of the program's environment; may be repeated"))
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);  // "--" after it begins the command
    app.add_option("--memory-mb", memory_mb, base::tr("memory for the trace; the oldest events are evicted first"))
        ->type_name("MB");
    app.add_option("--theme", theme, base::tr("dark, light or high-contrast; default: the last one used"))
        ->type_name("THEME");
    add_language(app);
  }
  AttachRequest request(const CLI::App& app) const {
    if (std::string why = attach::why_not(); !why.empty()) throw base::UsageError(std::move(why));
    if (!to.empty()) return request_to(app);
    AttachRequest request;
    request.ranks_here = ranks;
    if (ranks) return request;
    if (!job.empty()) {
      request.job = parse_job_rank(job);
      refuse_beside(app, "--job", {"--host", "--folder", "--env"});
      if (!command.empty())
        throw base::UsageError(base::tr("{} cannot be used with {}", "--job", base::tr("a command")));
      if (pid.empty()) refuse_beside(app, "--job", {"--level", "--share", "--no-launch-lines"});
    }
    if (!pid.empty()) {
      if (!command.empty())
        throw base::UsageError(base::tr("{} cannot be used with {}", "--pid", base::tr("a command")));
      refuse_beside(app, "--pid", {"--folder", "--env"});
      request.options.pid = static_cast<std::uint32_t>(whole_number("--pid", pid, 1, 4'194'304));
    } else if (command.empty() && !request.job) {
      throw base::UsageError(base::tr("attach needs a command: lanescope attach -- python train.py"));
    }
    request.options.command.words = command;
    request.options.command.folder = folder;
    for (const std::string& variable : variables) {
      const std::size_t equals = variable.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw base::UsageError(base::tr("--env '{}' is no variable; allowed: NAME=VALUE", variable));
      }
      request.options.command.variables[variable.substr(0, equals)] = variable.substr(equals + 1);
    }
    request.options.intensity.level = attach::parse_level(level);
    request.options.intensity.launch_lines = !no_launch_lines;
    if (!share.empty()) {
      if (request.options.intensity.level != wire::Level::Acquire) {
        throw base::UsageError(base::tr("{} needs {}", "--share", "--level acquire"));
      }
      request.options.intensity.share = static_cast<double>(whole_number("--share", share, 1, 100)) / 100;
      request.options.intensity.sparing = false;
    }
    request.record = record;
    if (app.count("--host") != 0 || request.job) request.remote = elsewhere(request.options);
    if (app.count("--bandwidth") != 0 && !request.remote) {
      throw base::UsageError(base::tr("{} needs {}", "--bandwidth", "--host"));
    }
    if (request.remote && !record.empty() && request.record.extension().string() != io::kSessionEnding) {
      throw base::UsageError(base::tr("--record {}: with {} only a .lanescope file can be written", record,
                                      request.job ? "--job" : "--host"));
    }
    set_knobs(request);
    set_memory(request);
    if (record.empty() && trials.empty()) set_window(app, request);
    return request;
  }

 private:
  static void refuse_beside(const CLI::App& app, const char* option, std::initializer_list<const char*> others) {
    for (const char* other : others) {
      if (app.count(other) != 0) throw base::UsageError(base::tr("{} cannot be used with {}", option, other));
    }
  }
  void set_knobs(AttachRequest& request) const {
    request.options.knobs = knobs || !trials.empty();
    if (!request.options.knobs) return;
    const char* option = trials.empty() ? "--knobs" : "--try";
    if (request.remote)
      throw base::UsageError(base::tr("{} cannot be used with {}", option, request.job ? "--job" : "--host"));
    if (trials.empty() && !record.empty()) {
      throw base::UsageError(base::tr("{} needs {}", "--knobs", base::tr("the window, or --try")));
    }
    if (!trials.empty() && !theme.empty()) {
      throw base::UsageError(base::tr("{} cannot be used with {}", "--try", "--theme"));
    }
    for (const std::string& trial : trials) {
      if (trial == "list") {
        request.list_knobs = true;
      } else {
        request.trials.push_back(attach::parse_knob_wish(trial));
      }
    }
    // Without a recording nobody looks at the trace.
    if (!trials.empty() && record.empty()) request.options.memory_cap_bytes = kMemoryForTrials;
  }
  void set_memory(AttachRequest& request) const {
    if (memory_mb.empty()) return;
    request.options.memory_cap_bytes = static_cast<std::size_t>(whole_number("--memory-mb", memory_mb, 16, 1'048'576))
                                       << 20;
    request.window.memory_cap_bytes = request.options.memory_cap_bytes;
  }
  void set_window(const CLI::App& app, AttachRequest& request) const {
    request.window.theme = theme;
    if (app.count("--lang") != 0) request.window.language = base::language();
    check_window(request.window);
  }
  AttachRequest request_to(const CLI::App& app) const {
    if (!command.empty()) throw base::UsageError(base::tr("{} cannot be used with {}", "--to", base::tr("a command")));
    refuse_beside(app, "--to",
                  {"--pid", "--host", "--job", "--record", "--level", "--share", "--no-launch-lines", "--folder",
                   "--env", "--knobs", "--try"});
    AttachRequest request;
    request.to = to;
    set_memory(request);
    set_window(app, request);
    return request;
  }
  attach::RemoteOptions elsewhere(const attach::AttachOptions& options) const {
    attach::RemoteOptions remote;
    std::size_t path = host.rfind(":/");
    if (host.find("://") == path) path = std::string::npos;  // ssh://user@node
    remote.host = host.substr(0, path);
    if (path != std::string::npos) remote.lanescope = host.substr(path + 1);
    remote.command = options.command;
    remote.pid = options.pid;
    if (remote.pid != 0) remote.command.words = {"PID", std::to_string(remote.pid)};  // what the window shows
    remote.intensity = options.intensity;
    if (!bandwidth.empty())
      remote.bytes_per_s = static_cast<std::uint64_t>(whole_number("--bandwidth", bandwidth, 1, 10'000)) * 1'000'000;
    return remote;
  }

 public:
  static constexpr int kDefaultShare = 10, kDefaultBandwidth = 4;
  static constexpr std::size_t kMemoryForTrials = std::size_t{128} << 20;
};

}  // namespace lanescope::app
