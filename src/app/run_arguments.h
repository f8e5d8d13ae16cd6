// The options of `lanescope run`, and those that it shares with the window and with sweeps.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/picture_arguments.h"
#include "app/requests.h"

namespace lanescope::app {

/// As --lang gives it; empty: the system's.
experiment::Language language_of(const std::string& key);

struct SessionArguments {
  std::string device, workload, experiment;
  std::vector<std::string> assignments;

  void add_to(CLI::App& app);
  std::string device_or_auto() const { return device.empty() ? "auto" : device; }
  /// Throws base::UsageError when both a workload and an experiment are given.
  void check(const CLI::App& app) const;
};

class RunArguments {
 public:
  void add_to(CLI::App& app);
  Request request(const CLI::App& app) const;

 private:
  RunRequest workload_request(const CLI::App& app) const;
  ExperimentRequest experiment_request(const CLI::App& app) const;
  experiment::Side side() const;
  std::size_t memory() const;

  SessionArguments session_;
  PictureArguments picture_;
  std::string iterations_, memory_mb_, seed_, json_, trace_, capture_ = "all", side_, language_;
  bool no_extra_ = false;
  std::vector<std::string> compare_;
};

}  // namespace lanescope::app
