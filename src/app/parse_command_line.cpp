#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "app/argument_checks.h"
#include "app/arguments.h"
#include "app/command_requests.h"
#include "app/version_text.h"
#include "attach/program_state.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/own_experiments.h"
#include "io/session_file.h"
#include "lesson/own_lessons.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;

constexpr const char* kExamples = N_(R"(Examples:
  lanescope                                                    the window, with a loop already running
  lanescope --workload iris-mlp --set log_interval=100         the same with another loop
  lanescope --open trace.json.gz                               a saved trace, also the PyTorch profiler's
  lanescope --open report.sqlite                               an export of Nsight Systems
  lanescope attach -- python train.py                          your own program, live
  lanescope run --workload linear-mse --iterations 10000       no window: a table of figures
  lanescope run --workload linear-mse --set log_interval=1 --compare log_interval=100 --screenshot both.png
  lanescope run --experiment P09                               a tutorial's experiment, beside what was published
  lanescope sweep --workload linear-mse --over log_interval=1,10,100
  lanescope list experiments                                   what --experiment accepts
  lanescope list settings                                      what --set accepts

Exit status: 0 done; 1 a file, display, device or point of a sweep failed; 2 the request was wrong.)");

constexpr const char* kRunNotes = N_(
    R"(--compare runs twice: as set, and again with every --compare K=V set as well. The table then has a column for each run and
the ratio second / first; the JSON is {"runs": [first, second], "ratio": {...}}; the trace of the second run is written to the
name given by --trace, with "-compare" before its extension; the screenshot shows both on one clock, with their differences.

--experiment runs both sides of one of the tutorials' experiments (lanescope list experiments), or the --side that is named,
and shows the published numbers beside its own. --device, --set and --iterations override the experiment's own.

--what-if replays what was recorded with a CHANGE: no-wait, read-every=N, read-late, pinned, non-blocking or copy-stream, each
also with :PLACE (a range or a line, train.py:41); loader-in-time, workers=TIMES, graph, no-straggler, faster=TIMES:PLACE.

Ctrl-C ends the run early and reports what was measured until then (exit status 130); a second Ctrl-C ends the program.
On a simulated device the same command with the same seed gives the same JSON and the same trace, byte for byte.

Examples:
  lanescope run --workload linear-mse
  lanescope run --workload iris-mlp --device sim:teaching --iterations 20000 --json -
  lanescope run --workload linear-mse --trace loop.json.gz --screenshot loop.png
  lanescope run --workload linear-mse --set log_interval=1 --compare log_interval=100
  lanescope run --experiment P09 --json -)");

constexpr const char* kSweepNotes = N_(
    R"(Each point is a run of its own. One --over gives a line of bars, two a matrix. device and iterations can be swept, too.
--against K=V runs each point again with that setting; the value is that run's figure / the point's figure: with device=cpu
it is how many times faster than the CPU. An experiment with its own sweep (lanescope list experiments --json) needs no --over.

Points that fail are named, and the others are kept; the exit status is then 1. Ctrl-C keeps the points that have run (130).

Examples:
  lanescope sweep --workload linear-mse --over log_interval=1,2,5,10,20,50,100
  lanescope sweep --workload linear-mse --over batch_size=128,512,2048 --over log_interval=1,100 --csv grid.csv)");

constexpr const char* kAttachNotes = N_(
    R"(Starts the command and shows it live: its calls, its GPU's work, and the line of Python behind every wait. The program is not
changed; its input, output, signals and exit status are its own. Closing the window does not end it.

With --knobs it is changed while a trial runs: some iterations with a knob turned, some without, in turn, and the difference is
measured. --try KNOB does that without a window and lets the program go on alone afterwards; a knob is written as a change for
--what-if: non_blocking, pinned:train.py:31, read-every=10:train.py:58, or VARIABLE=VALUE.

Levels, also in the window: waits (only what blocks), acquire (that, and everything in bursts of whole iterations, at most {}%
of the time unless --share says otherwise), calls (everything, all the time), all (the same, with every call of the API).

Examples:
  lanescope attach -- python train.py
  lanescope attach --level waits -- python train.py --epochs 3
  lanescope attach --record run.lanescope -- python train.py
  lanescope attach --to train.py
  lanescope attach --pid 1234
  lanescope attach --host me@node -- python train.py
  lanescope attach --job 1234.3
  lanescope attach --try list --try log_interval=100 -- python train.py)");

constexpr const char* kCalibrateNotes = N_(
    R"(Takes at most a minute; nothing else should use the GPU meanwhile. Every number in the profile says how, on what and when it
was measured; a table of bandwidths and of when copies return is in its comments.

With --torch, the simulator's loops cost what they cost in PyTorch on this machine; on a real GPU or CPU they do so where
the profile is named after the device: cuda:0+mine.toml, cpu+mine.toml.

Examples:
  lanescope calibrate --out mine.toml
  lanescope --device sim:mine.toml
  lanescope calibrate --torch --out mine.toml
  lanescope run --workload iris-mlp --device cuda:0+mine.toml)");

constexpr const char* kGradeNotes = N_(
    R"(Each FILE has the answers of one student to one lesson. Every question's step is run here, on the simulated device of its
experiment, and an answer is right if it is what this run gives; a task is run with the settings with which it was solved.

The exit status is 1 if a file cannot be read; the others are graded all the same.

Examples:
  lanescope grade class/*.answers.json
  lanescope grade class/*.answers.json --csv class.csv)");

constexpr const char* kScriptNotes = N_(
    R"(The program is what the code view shows: this loop, with these settings, and what it needs to run: imports, model, data,
warm-up, timing. It needs PyTorch, but not Lanescope, and prints its figures as one line of JSON; raw-cuda is CUDA C++.

Examples:
  lanescope script --experiment P09 --side after
  lanescope script --workload transfer-loop --set pinned=true --out loop.py && python loop.py --iterations 500)");

constexpr const char* kReportNotes = N_(
    R"(Reports on a FILE, which may come from the PyTorch profiler, or on a run: --workload or --experiment runs first, with all
options of `run`. --html writes one self-contained page with verdict, advice, pictures and tables: no network, no scripts.

--what-if replays what was recorded with a CHANGE: no-wait, read-every=N, read-late, pinned, non-blocking or copy-stream, each
also with :PLACE (a range or a line, train.py:41); loader-in-time, workers=TIMES, graph, no-straggler, faster=TIMES:PLACE.

Examples:
  lanescope report loop.json.gz
  lanescope report pytorch-profile.json --html profile.html
  lanescope report run.lanescope --what-if no-wait:train.py:41 --what-if pinned
  lanescope report --workload linear-mse --set log_interval=1 --html report.html
  lanescope report --experiment P09 --html P09.html --json P09.json)");

constexpr const char* kCompareNotes = N_(
    R"(Kernels, copies, idle time by cause, operators, calls and waits, with their number and time per iteration in both, those
that cost or save most first. The traces may come from different programs and profilers.

Examples:
  lanescope compare before.lanescope after.lanescope
  lanescope compare before.json.gz after.json.gz --markdown - >> pull-request.md
  lanescope compare before.lanescope after.lanescope --html compare.html)");

constexpr const char* kReduceNotes = N_(
    R"(For jobs of more ranks than one machine can open: each recording gets a summary of at most 40 kB beside it, made where the
recording is; `lanescope join` makes one report of them. --part takes a share of a folder, as for a job array.

Examples:
  lanescope reduce job/rank0017.lanescope
  lanescope reduce job/ --part 3/64
  sbatch --array=0-63 --wrap 'lanescope reduce job/ --part $SLURM_ARRAY_TASK_ID/64')");

constexpr const char* kJoinNotes = N_(
    R"(Who is late, how often, since when, by how much and why, and what the job loses by it: of up to 10,000 ranks.

Examples:
  lanescope join job/
  lanescope join job/ --html job.html --json job.json)");

constexpr const char* kExportNotes = N_(
    R"(Tables: about, lanes, events, waits, bubbles; the manual describes their columns. Times are nanoseconds from the trace's
beginning. The line of the program is there where it was recorded (lanescope attach).

Examples:
  lanescope export train.lanescope --csv tables
  lanescope export train.lanescope --sqlite train.db && sqlite3 train.db "select file, line, sum(waiting_ns) from waits group by 1, 2"
  lanescope export train.lanescope --chrome train.json.gz)");

constexpr const char* kListNotes = N_(
    R"(Examples:
  lanescope list workloads
  lanescope list experiments --lang en
  lanescope list settings --json)");

constexpr const char* kLessonNotes = N_(
    R"(Without an option, the plan is printed. Notes and sheets need a run of each step, which takes some seconds.

Examples:
  lanescope lesson one-line
  lanescope lesson one-line --notes notes.html --worksheet sheet.html
  lanescope lesson my-lesson.toml --worksheet answers.html --answers)");

struct ListArguments {
  std::string what;
  bool json = false;

  void add_to(CLI::App& app) {
    app.add_option("what", what, joined({ListRequest::kNames.begin(), ListRequest::kNames.end()}))->type_name("");
    app.add_flag("--json", json, tr("as JSON"))->disable_flag_override();
    add_language(app);
  }
  ListRequest request() const {
    constexpr auto& kNames = ListRequest::kNames;
    if (const auto at = std::ranges::find(kNames, what); at != kNames.end()) {
      return {static_cast<ListRequest::What>(at - kNames.begin()), json};
    }
    const std::string allowed = joined({kNames.begin(), kNames.end()});
    if (what.empty()) throw UsageError(tr("list needs a subject; allowed: {}", allowed));
    throw UsageError(tr("list: unknown subject '{}'; allowed: {}", what, allowed));
  }
};

struct LessonArguments {
  std::string name, notes, worksheet;
  bool answers = false;

  void add_to(CLI::App& app) {
    app.add_option("NAME", name, tr("a lesson, or a file with one of your own; see: lanescope list lessons"))
        ->type_name("");
    app.add_option("--notes", notes, tr("the plan for the teacher as an HTML page, with the measured answers"))
        ->type_name("FILE");
    app.add_option("--worksheet", worksheet, tr("a sheet for the students as an HTML page, in both languages"))
        ->type_name("FILE");
    app.add_flag("--answers", answers, tr("the sheet with the measured answers, instead of the questions"))
        ->disable_flag_override();
    add_language(app);
  }
  LessonRequest request() const {
    if (name.empty()) throw UsageError(tr("lesson needs a name; see: lanescope list lessons"));
    if (answers && worksheet.empty()) throw UsageError(tr("{} needs {}", "--answers", "--worksheet"));
    if (notes == "-" && worksheet == "-") {
      throw UsageError(tr("--notes and --worksheet both write to standard output; give one of them a file"));
    }
    return {&lesson::lesson_from_argument(name), notes, worksheet, answers};
  }
};

struct GradeArguments {
  std::vector<std::string> files;
  std::string csv, json;

  void add_to(CLI::App& app) {
    app.add_option("FILES", files, tr("students' files (.answers.json)"))->type_name("");
    app.add_option("--csv", csv, tr("one line for each student and question, to a file or to standard output"))
        ->type_name("FILE|-");
    app.add_option("--json", json, tr("the grades as JSON, to a file or to standard output"))->type_name("FILE|-");
    add_language(app);
  }
  GradeRequest request() const {
    if (files.empty()) throw UsageError(tr("grade needs one or more students' files (.answers.json)"));
    if (csv == "-" && json == "-") {
      throw UsageError(tr("--csv and --json both write to standard output; give one of them a file"));
    }
    return {files, csv, json};
  }
};

struct ScriptArguments {
  SessionArguments loop;
  std::string side, iterations, out = "-";

  void add_to(CLI::App& app) {
    loop.add_to(app);
    app.add_option("--side", side, tr("side of the experiment: before or after; default before"))->type_name("SIDE");
    app.add_option("--iterations", iterations, tr("that the script times, unless it is told otherwise"))
        ->type_name("N");
    app.add_option("--out", out, tr("the file to write (.py, or .cu for raw-cuda); default: standard output"))
        ->type_name("FILE|-");
    add_language(app);
  }
  ScriptRequest request(const CLI::App& app) const {
    loop.check(app);
    ScriptRequest script;
    if (loop.experiment.empty()) {
      if (loop.workload.empty()) {
        throw UsageError(
            tr("script needs --workload or --experiment; allowed: {}", joined(workload::workload_names())));
      }
      refuse_options(app, {"--side"}, N_("{} needs --experiment; see: lanescope script --help"));
      script.workload = loop.workload;
    } else {
      script.experiment = &experiment::experiment_from_argument(loop.experiment);
      if (side == "after") script.side = experiment::Side::After;
      if (!side.empty() && side != "before" && side != "after") {
        throw UsageError(tr("--side is '{}'; allowed: before, after", side));
      }
    }
    script.device = loop.device;
    script.assignments = loop.assignments;
    if (!iterations.empty()) script.iterations = whole_number("--iterations", iterations, 1, 1'000'000'000);
    script.out = out;
    return script;
  }
};

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& files) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& file : files) paths.push_back(file);
  return paths;
}

// For files, or for a new run with all options of `run`.
struct ReportArguments {
  std::vector<std::string> files;
  RunArguments run;

  void add_to(CLI::App& app) {
    app.add_option("FILE", files, tr("a trace (.lanescope, .json, .json.gz, .sqlite or .nsys-rep); several become one"))
        ->type_name("");
    run.add_to(app);
  }
  Request request(const CLI::App& app, const std::string& command) const {
    if (files.empty()) {
      if (!run.has_loop()) {
        throw UsageError(
            tr("report needs a trace file (.lanescope, .json, .json.gz, .sqlite or .nsys-rep), or --workload or "
               "--experiment to run first"));
      }
      return run.request(app, command);
    }
    for (const std::string& option : option_names(app)) {
      if (option != "--json" && option != "--html" && option != "--trace" && option != "--what-if" &&
          option != "--lang" && option != "--help") {
        refuse_options(app, {option.c_str()},
                       N_("{} applies to a run, but a trace file is given; give one of the two"));
      }
    }
    refuse_two_on_standard_output(run.json(), run.html());
    return ReportRequest{paths_of(files), run.json(), run.html(), command, run.trace(), run.what_if()};
  }
};

struct CompareArguments {
  std::string first, second, json, html, csv, markdown;

  void add_to(CLI::App& app) {
    app.add_option("FIRST", first, tr("a trace (.lanescope, .json, .json.gz, .sqlite or .nsys-rep)"))->type_name("");
    app.add_option("SECOND", second, tr("another one"))->type_name("");
    const auto output = [&](const char* name, std::string& path, const char* text) {
      app.add_option(name, path, text)->type_name("FILE|-");
    };
    output("--json", json, tr("write the figures as JSON to a file, or to standard output (-)"));
    output("--html", html, tr("write the report as one page (.html) to a file, or to standard output (-)"));
    output("--csv", csv, tr("write all differences as CSV"));
    output("--markdown", markdown, tr("write the differences as a table in Markdown, for a pull request"));
    add_language(app);
  }
  CompareRequest request(const std::string& command) const {
    if (second.empty())
      throw UsageError(tr("compare needs two trace files (.lanescope, .json, .json.gz, .sqlite or .nsys-rep)"));
    const std::array outputs{&json, &html, &csv, &markdown};
    if (std::ranges::count_if(outputs, [](const std::string* path) { return *path == "-"; }) > 1) {
      throw UsageError(tr("only one output can go to standard output (-)"));
    }
    return {first, second, json, html, csv, markdown, command};
  }
};

struct ReduceArguments {
  std::vector<std::string> files;
  std::string part;

  void add_to(CLI::App& app) {
    app.add_option("FILE", files, tr("a recording, or one folder with all that is in it"))->type_name("");
    app.add_option("--part", part, tr("only part K, counted from 0, of N equal ones"))->type_name("K/N");
    add_language(app);
  }
  ReduceRequest request() const {
    if (files.empty()) throw UsageError(tr("reduce needs a recording or a folder"));
    ReduceRequest request{paths_of(files)};
    if (part.empty()) return request;
    const std::size_t slash = part.find('/');
    if (slash == std::string::npos) throw UsageError(tr("--part is '{}'; allowed: K/N, such as 0/64", part));
    constexpr std::uint64_t kMostParts = 1'000'000;
    request.parts = static_cast<std::size_t>(whole_number("--part", part.substr(slash + 1), 1, kMostParts));
    request.part = static_cast<std::size_t>(whole_number("--part", part.substr(0, slash), 0, request.parts - 1));
    return request;
  }
};

struct JoinArguments {
  std::string folder, json, html;

  void add_to(CLI::App& app) {
    app.add_option("DIR", folder, tr("the folder with the summaries (.summary)"))->type_name("");
    app.add_option("--json", json, tr("write the figures as JSON to a file, or to standard output (-)"))
        ->type_name("FILE|-");
    app.add_option("--html", html, tr("write the report as one page (.html) to a file, or to standard output (-)"))
        ->type_name("FILE|-");
    add_language(app);
  }
  JoinRequest request() const {
    if (folder.empty()) throw UsageError(tr("join needs the folder with the summaries; lanescope reduce makes them"));
    refuse_two_on_standard_output(json, html);
    return {folder, json, html};
  }
};

struct ExportArguments {
  std::vector<std::string> files;
  std::string csv, sqlite, chrome;

  void add_to(CLI::App& app) {
    app.add_option("FILE", files, tr("a trace (.lanescope, .json, .json.gz, .sqlite or .nsys-rep); several become one"))
        ->type_name("");
    app.add_option("--csv", csv, tr("tables as CSV files in this folder"))->type_name("FOLDER");
    app.add_option("--sqlite", sqlite, tr("tables in an SQLite database"))->type_name("FILE");
    app.add_option("--chrome", chrome, tr("Chrome JSON, for Perfetto (.json or .json.gz)"))->type_name("FILE");
    add_language(app);
  }
  ExportRequest request() const {
    if (files.empty())
      throw UsageError(tr("export needs a trace file (.lanescope, .json, .json.gz, .sqlite or .nsys-rep)"));
    if (csv.empty() && sqlite.empty() && chrome.empty()) {
      throw UsageError(tr("export needs to know what to write: --csv FOLDER, --sqlite FILE or --chrome FILE"));
    }
    return {paths_of(files), csv, sqlite, chrome};
  }
};

// Every command apart from those that could take an experiment but were given none.
bool takes_own_files(const CLI::App& asked) {
  const bool window = asked.get_parent() == nullptr;
  return window || asked.get_option_no_throw("--experiment") == nullptr || asked.count("--experiment") != 0;
}

struct CalibrateArguments {
  std::string device = "auto", out, torch;

  void add_to(CLI::App& app) {
    app.add_option("--out", out, tr("file to write the profile to (.toml)"))->type_name("FILE");
    app.add_option("--device", device, tr("which GPU; see: lanescope list devices"))->type_name("D");
    app.add_flag("--torch{python3}", torch,
                 tr("also measure what PyTorch's statements cost, with this Python (--torch=/usr/bin/python3)"));
    add_language(app);
  }
  CalibrateRequest request() const {
    if (out.empty()) throw UsageError(tr("calibrate needs --out FILE.toml"));
    return {device, out, torch};
  }
};

// Translates CLI11's own texts, for this command and for those added to it later.
void translate_messages(CLI::App& app) {
  app.option_defaults()->group(tr("Options"));
  app.set_help_flag("-h,--help", tr("Print this help message and exit"));
  for (const char* word : {N_("Usage"), N_("OPTIONS"), N_("SUBCOMMAND"), N_("Positionals")}) {
    app.get_formatter()->label(word, tr(word));
  }
}

/// A subcommand and its arguments.
template <class Arguments>
struct Command {
  Command(CLI::App& root, const char* name, const std::string& help = {}, const std::string& notes = {})
      : app(*root.add_subcommand(name, help)) {
    app.footer(notes);
    arguments.add_to(app);
  }
  CLI::App& app;
  Arguments arguments;
};

std::string typed_command(int argc, const char* const* argv) {
  std::vector<std::string> words{"lanescope"};
  words.insert(words.end(), argv + 1, argv + argc);
  return attach::joined_words(words);
}

/// Returns what --help and --version print.
std::optional<std::string> parse_words(CLI::App& root, int argc, const char* const* argv) {
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return root.help();
  } catch (const CLI::CallForVersion& version) {
    return version.what();
  } catch (const CLI::ExtrasError&) {
    reject_leftover(root);
  } catch (const CLI::ParseError& error) {
    reject_count(root, error.what());
  }
  return {};
}

void refuse_window_options(const CLI::App& root, const CLI::App& asked) {
  for (const std::string& name : option_names(root)) {
    if (name != "--help" && name != "--version" && root.count(name) != 0) {
      throw UsageError(
          tr("{} before '{}' is for the window; put it after '{}'", name, asked.get_name(), asked.get_name()));
    }
  }
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv) {
  base::set_language(requested_language(argc, argv));
  CLI::App root(tr("An oscilloscope for CPU-GPU programs: a live CPU and GPU timeline of a training loop."),
                "lanescope");
  translate_messages(root);
  root.footer(tr(kExamples));
  root.set_version_flag("--version", version_text(), tr("print the version, and what the program was built with"));
  root.require_subcommand(0, 1);
  WindowArguments window;
  window.add_to(root);

  Command<AttachArguments> attach(root, "attach", tr("start a program of your own and watch it live"),
                                  tr(kAttachNotes, AttachArguments::kDefaultShare));
  Command<RunArguments> run(root, "run", tr("run without a window and report what was measured"), tr(kRunNotes));
  Command<SweepArguments> sweep(root, "sweep", tr("run repeatedly with one or two settings varied, and chart a figure"),
                                tr(kSweepNotes));
  Command<CalibrateArguments> calibrate(
      root, "calibrate", tr("measure this machine's GPU and write a profile for the simulator"), tr(kCalibrateNotes));
  Command<ListArguments> list(
      root, "list", tr("list what the other commands accept: workloads, settings, figures and so on"), tr(kListNotes));
  Command<ReportArguments> report(
      root, "report", tr("analyse a saved trace or a run, and report as a table, as JSON or as an HTML page"),
      tr(kReportNotes));
  Command<CompareArguments> compare(root, "compare", tr("say what changed between two saved traces, and by how much"),
                                    tr(kCompareNotes));
  Command<ReduceArguments> reduce(root, "reduce", tr("leave a summary beside each recording of a large job"),
                                  tr(kReduceNotes));
  Command<JoinArguments> join(root, "join", tr("say of the summaries of a job's ranks who is late, and why"),
                              tr(kJoinNotes));
  Command<ExportArguments> exported(
      root, "export", tr("write the events, waits and bubbles of a saved trace as tables for pandas, DuckDB or SQLite"),
      tr(kExportNotes));
  Command<LessonArguments> lesson(
      root, "lesson", tr("print a lesson's plan, notes for the teacher, or sheets for the students"), tr(kLessonNotes));
  Command<GradeArguments> grade(root, "grade", tr("grade students' answers by what their lesson's runs give"),
                                tr(kGradeNotes));
  Command<ScriptArguments> script(root, "script", tr("write a loop as a PyTorch script that runs on its own"),
                                  tr(kScriptNotes));
  for (CLI::App* command : root.get_subcommands({})) {
    command->group(tr("Subcommands"));
    command->get_help_ptr()->group(tr("Options"));  // which it got before it had the translated defaults
  }

  if (auto text = parse_words(root, argc, argv)) return TextRequest{std::move(*text)};

  const CLI::App& asked = given_command(root);
  check_values(asked);
  check_language(asked);
  if (&asked != &root) refuse_window_options(root, asked);
  const bool other_list =
      &asked == &list.app && list.arguments.what != "experiments" && list.arguments.what != "lessons";
  if (!other_list && &asked != &calibrate.app && takes_own_files(asked)) lesson::OwnFolders().look();
  const std::string command = typed_command(argc, argv);
  if (&asked == &root) return window.request(root);
  if (&asked == &attach.app) return attach.arguments.request(attach.app);
  if (&asked == &run.app) return run.arguments.request(run.app, command);
  if (&asked == &sweep.app) return sweep.arguments.request(sweep.app);
  if (&asked == &calibrate.app) return calibrate.arguments.request();
  if (&asked == &list.app) return list.arguments.request();
  if (&asked == &compare.app) return compare.arguments.request(command);
  if (&asked == &reduce.app) return reduce.arguments.request();
  if (&asked == &join.app) return join.arguments.request();
  if (&asked == &exported.app) return exported.arguments.request();
  if (&asked == &lesson.app) return lesson.arguments.request();
  if (&asked == &grade.app) return grade.arguments.request();
  if (&asked == &script.app) return script.arguments.request(script.app);
  return report.arguments.request(report.app, command);
}

}  // namespace lanescope::app
