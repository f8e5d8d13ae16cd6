// The parsed command line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/edit.h"
#include "app/graphics.h"
#include "attach/program_state.h"
#include "experiment/experiment.h"
#include "experiment/published_numbers.h"
#include "experiment/session.h"
#include "experiment/sweep.h"
#include "lesson/lesson.h"

namespace lanescope::app {

inline constexpr int kDone = 0, kFailed = 1, kWrongRequest = 2, kEndedEarly = 130;  ///< exit statuses of the program

/// `lanescope run`
struct RunRequest {
  session::SessionOptions session;      ///< for the first run
  std::vector<std::string> compare;     ///< "key=value", all set for the second run; empty: one run
  std::vector<analysis::Edit> what_if;  ///< made together; empty: nothing is asked
  std::string json;                     ///< a path, "-" for standard output, or empty
  std::string html;                     ///< path of the HTML page, like json. "-" for at most one of them
  std::string command;                  ///< the command line, to be shown on the page
  std::filesystem::path trace;
  PictureOptions screenshot;
};

/// `lanescope run --experiment`
struct ExperimentRequest {
  const experiment::Experiment* experiment = nullptr;  ///< embedded, or the user's own
  std::optional<experiment::Side> side;                ///< empty: both sides
  experiment::RunChoice choice;
  std::vector<analysis::Edit> what_if;  ///< as in RunRequest; only with a single side
  std::size_t memory_cap_bytes = 0;
  trace::CaptureLevel capture = trace::CaptureLevel::All;
  std::string json, html, command;  ///< as in RunRequest
  std::filesystem::path trace;
  PictureOptions screenshot;
};

/// `lanescope attach`
struct AttachRequest {
  attach::AttachOptions options;
  std::string to;                               ///< instead of a command: follow this recording; empty: a command
  std::optional<attach::RemoteOptions> remote;  ///< run the command elsewhere
  std::optional<attach::JobRank> job;           ///< where that is: in the job, which is still to be asked
  bool ranks_here = false;                      ///< only print the job's processes on this machine
  std::filesystem::path record;                 ///< without a window, into this file; empty: the window
  std::vector<attach::KnobWish> trials;         ///< without a window: one after another
  bool list_knobs = false;                      ///< without a window: before the trials
  WindowRequest window;
};

/// `lanescope sweep`
struct SweepRequest {
  experiment::SweepSpec spec;
  std::string title;      ///< of the experiment, if there is one
  std::string csv, json;  ///< as in RunRequest; "-" for at most one of them
  PictureOptions screenshot;
};

/// `lanescope list`
struct ListRequest {
  enum class What : std::uint8_t { Workloads, Devices, Settings, Figures, Experiments, Lessons };
  static constexpr std::array<const char*, 6> kNames{"workloads", "devices",     "settings",
                                                     "figures",   "experiments", "lessons"};
  What what = What::Workloads;
  bool json = false;
};

/// `lanescope report FILE...`; with a workload or an experiment, it becomes a run
struct ReportRequest {
  std::vector<std::filesystem::path> files;  ///< several become one trace
  std::string json, html, command;           ///< as in RunRequest
  std::filesystem::path trace = {};          ///< the same events in a file of the other kind; may be empty
  std::vector<analysis::Edit> what_if;       ///< as in RunRequest
};

/// `lanescope compare FIRST SECOND`
struct CompareRequest {
  std::filesystem::path first, second;
  std::string json, html, csv, markdown;  ///< as in RunRequest; "-" for at most one of them
  std::string command;                    ///< as in RunRequest
};

/// `lanescope reduce FILE...|DIR`
struct ReduceRequest {
  std::vector<std::filesystem::path> files;  ///< or one folder
  std::size_t part = 0, parts = 1;           ///< of all files, every `parts`-th from this one on
};

/// `lanescope join DIR`
struct JoinRequest {
  std::filesystem::path folder;
  std::string json, html;  ///< as in RunRequest
};

/// `lanescope export FILE...`
struct ExportRequest {
  std::vector<std::filesystem::path> files;   ///< several become one trace
  std::filesystem::path csv, sqlite, chrome;  ///< a folder, and files; empty: not wanted
};

/// `lanescope lesson`
struct LessonRequest {
  const lesson::Lesson* lesson = nullptr;
  std::string notes, worksheet;  ///< paths of HTML pages, "-" for at most one of them; none: the plan as text
  bool answers = false;          ///< the sheet with the measured answers, instead of the questions
};

/// `lanescope grade`
struct GradeRequest {
  std::vector<std::string> files;
  std::string csv, json;  ///< as in RunRequest; "-" for at most one of them
};

/// `lanescope script`
struct ScriptRequest {
  std::string workload;                                ///< without an experiment
  const experiment::Experiment* experiment = nullptr;  ///< may be null
  experiment::Side side = experiment::Side::Before;
  std::string device;                    ///< empty: the experiment's
  std::vector<std::string> assignments;  ///< "key=value"
  std::optional<std::uint64_t> iterations;
  std::string out = "-";  ///< a path, or "-" for standard output
};

/// `lanescope calibrate`
struct CalibrateRequest {
  std::string device;
  std::filesystem::path out;
  std::string torch;  ///< the Python that measures what PyTorch costs; empty: not measured
};

/// LANESCOPE_MEASURE, for benchmarks: the window measures itself and prints one line of JSON.
struct MeasureRequest {
  WindowMeasure what = WindowMeasure::Frames;
  WindowRequest window;
};

/// `--help` and `--version`
struct TextRequest {
  std::string text;
};

using Request = std::variant<WindowRequest, AttachRequest, RunRequest, ExperimentRequest, SweepRequest, ListRequest,
                             ReportRequest, CompareRequest, ReduceRequest, JoinRequest, ExportRequest, LessonRequest,
                             GradeRequest, ScriptRequest, CalibrateRequest, MeasureRequest, TextRequest>;

/// Throws base::UsageError: one line that says what is wrong and what is allowed.
Request parse_command_line(int argc, const char* const* argv);

}  // namespace lanescope::app
