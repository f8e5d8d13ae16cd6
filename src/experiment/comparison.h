// Compares published numbers with the results of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/figure.h"
#include "experiment/session.h"

namespace lanescope::experiment {

struct Compared {
  const Published* published = nullptr;
  std::optional<double> ours;   ///< in the published unit; empty if that side has not run, or the figure does not exist
  std::optional<double> ratio;  ///< ours / published
};

/// Either side may be null. Numbers with their own settings (Published::settings) cannot be derived from a side's run
/// and stay empty; see PublishedRuns for those.
std::vector<Compared> compare(const Experiment& experiment, const Measured* before, const Measured* after);

/// How to run an experiment without a window.
struct RunChoice {
  std::string device;                    ///< as for chosen_device(); empty: the experiment's
  std::uint64_t iterations = 0;          ///< 0: the experiment's
  std::vector<std::string> assignments;  ///< applied last
};
session::SessionOptions side_options(const Experiment& experiment, Side side, const RunChoice& choice,
                                     const std::vector<std::string>& more = {});
/// True if any run that the number is derived from is simulated.
bool is_simulated(const Experiment& experiment, const Published& published, const RunChoice& choice);

/// Makes the runs of numbers with their own settings. Each distinct run is made only once.
class PublishedRuns {
 public:
  PublishedRuns(const Experiment& experiment, RunChoice choice) : experiment_(experiment), choice_(std::move(choice)) {}
  /// Makes the run that `published` needs. The result is empty if stopped. `progress` is called with the number of
  /// iterations done. Throws like MeasuredRun.
  Compared compare(const Published& published, const std::function<void(std::uint64_t)>& progress = {},
                   const std::function<bool()>& should_stop = {});

 private:
  const Experiment& experiment_;
  RunChoice choice_;
  std::map<std::pair<Side, std::vector<std::string>>, Measured> measured_;
};

}  // namespace lanescope::experiment
