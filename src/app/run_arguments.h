// The options of `lanescope run`, and those it shares with the window and with sweeps.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/picture_arguments.h"
#include "app/requests.h"

namespace lanescope::app {

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

  SessionArguments session_;
  PictureArguments picture_;
  std::string iterations_, memory_mb_, json_, html_, trace_, capture_ = "all", side_;
  bool verify_ = false;
  std::vector<std::string> compare_, predict_;
};

}  // namespace lanescope::app
