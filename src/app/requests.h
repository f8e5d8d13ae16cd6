// The parsed command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/screen.h"
#include "experiment/comparison.h"
#include "experiment/experiment.h"
#include "experiment/sweep.h"
#include "lesson/lesson.h"
#include "session/session.h"

namespace lanescope::app {

/// `lanescope run`
struct RunRequest {
  session::SessionOptions session;   ///< for the first run
  std::vector<std::string> compare;  ///< "key=value", all set for the second run; empty: one run
  std::vector<std::string> predict;  ///< "key=value", all changed at once; empty: no prediction
  bool verify = false;               ///< also runs what was predicted
  std::string json;                  ///< a path, "-" for standard output, or empty
  std::string html;                  ///< path of the HTML page, like json. "-" for at most one of them
  std::string command;               ///< the command line, to be shown on the page
  std::filesystem::path trace;
  PictureOptions screenshot;
};

/// `lanescope run --experiment`
struct ExperimentRequest {
  const experiment::Experiment* experiment = nullptr;  ///< one of experiment::experiments()
  std::optional<experiment::Side> side;                ///< empty: both sides
  experiment::RunChoice choice;
  bool extra = true;                 ///< also the runs of published numbers with their own settings
  std::vector<std::string> predict;  ///< as in RunRequest; only with a single side
  bool verify = false;
  std::size_t memory_cap_bytes = 0;
  trace::CaptureLevel capture = trace::CaptureLevel::All;
  std::string json, html, command;  ///< as in RunRequest
  std::filesystem::path trace;
  PictureOptions screenshot;
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
  enum class What : std::uint8_t { Workloads, Devices, Settings, Experiments, Lessons };
  What what = What::Workloads;
  bool json = false;
};

/// `lanescope report FILE`; with a workload or an experiment, it becomes a run
struct ReportRequest {
  std::filesystem::path file;
  std::string json, html, command;  ///< as in RunRequest
};

/// `lanescope lesson`
struct LessonRequest {
  const lesson::Lesson* lesson = nullptr;
  std::string notes, worksheet;  ///< paths of HTML pages, "-" for at most one of them; none: the plan as text
  bool answers = false;          ///< the sheet with the measured answers, instead of the questions
};

/// `lanescope calibrate`
struct CalibrateRequest {
  std::string device;
  std::filesystem::path out;
};

/// `--measure`, for benchmarks: the window measures itself and prints one line of JSON.
struct MeasureRequest {
  WindowMeasure what = WindowMeasure::Frames;
  WindowRequest window;
};

/// `--help` and `--version`
struct TextRequest {
  std::string text;
};

using Request = std::variant<WindowRequest, RunRequest, ExperimentRequest, SweepRequest, ListRequest, ReportRequest,
                             LessonRequest, CalibrateRequest, MeasureRequest, TextRequest>;

/// Throws base::UsageError: one line that says what is wrong and what is allowed.
Request parse_command_line(int argc, const char* const* argv);

}  // namespace lanescope::app
