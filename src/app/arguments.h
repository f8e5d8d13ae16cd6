// The options of the commands that run loops, and of the window.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "app/requests.h"
#include "app/screen.h"

namespace lanescope::app {

class PictureArguments {
 public:
  /// `what` is what gets written, for the help text. Only a timeline can omit its caption, and be an SVG.
  void add_to(CLI::App& app, const char* what, PictureOptions::Of of);
  /// Throws base::UsageError for an invalid extension, scale or theme, or if there is no file.
  PictureOptions options(const CLI::App& app) const;

 private:
  PictureOptions::Of of_ = PictureOptions::Of::Timeline;
  std::string file_, scale_, theme_;
  bool no_caption_ = false;
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

 private:
  void check_prediction(const CLI::App& app) const;
  RunRequest workload_request(const CLI::App& app) const;
  ExperimentRequest experiment_request(const CLI::App& app) const;
  experiment::Side side() const;
  std::size_t memory() const;
  std::uint64_t stretch() const;

  SessionArguments session_;
  PictureArguments picture_;
  std::string iterations_, stretch_, memory_mb_, seed_, json_, html_, trace_, capture_ = "all", side_;
  bool no_extra_ = false, verify_ = false;
  std::vector<std::string> compare_, predict_;
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
  std::string memory_mb_, theme_, shader_dir_, measure_, side_, lesson_, student_;
};

}  // namespace lanescope::app
