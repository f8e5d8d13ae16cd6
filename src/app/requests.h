// What a command line asks for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/screen.h"
#include "session/session.h"

namespace lanescope::app {

/// `lanescope run`
struct RunRequest {
  session::SessionOptions session;   ///< of the first run
  std::vector<std::string> compare;  ///< "key=value", all of them set for the second run; empty: one run
  std::string json;                  ///< a path, "-" for standard output, or empty
  std::filesystem::path trace;
  std::filesystem::path screenshot;
};

/// `lanescope list`
struct ListRequest {
  enum class What : std::uint8_t { Workloads, Devices, Settings };
  What what = What::Workloads;
  bool json = false;
};

/// `lanescope report`
struct ReportRequest {
  std::filesystem::path file;
  std::string json;  ///< as in RunRequest
};

/// `lanescope calibrate`
struct CalibrateRequest {
  std::string device;
  std::filesystem::path out;
};

/// `--measure`, for the benchmarks: the window measures itself and prints one line of JSON.
struct MeasureRequest {
  WindowMeasure what = WindowMeasure::Frames;
  WindowRequest window;
};

/// `--help` and `--version`
struct TextRequest {
  std::string text;
};

using Request =
    std::variant<WindowRequest, RunRequest, ListRequest, ReportRequest, CalibrateRequest, MeasureRequest, TextRequest>;

/// Throws base::UsageError: one line that says what is wrong and what is allowed.
Request parse_command_line(int argc, const char* const* argv);

}  // namespace lanescope::app
