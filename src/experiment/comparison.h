// What was published beside what a run gave.
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
#include "session/session.h"

namespace lanescope::experiment {

struct Compared {
  const Published* published = nullptr;
  std::optional<double> ours;   ///< in the published unit; empty: that side has not run, or there is no such figure
  std::optional<double> ratio;  ///< ours / published
};

/// Either side may be missing. Numbers with settings of their own (Published::settings) are not among what a side's
/// run can tell, and stay empty here; see PublishedRuns for those.
std::vector<Compared> compare(const Experiment& experiment, const Measured* before, const Measured* after);

/// How an experiment is run without a window.
struct RunChoice {
  std::string device;                    ///< as chosen_device() takes it; empty: as the experiment says
  std::uint64_t iterations = 0;          ///< 0: the experiment's
  std::vector<std::string> assignments;  ///< over all others
};
session::SessionOptions side_options(const Experiment& experiment, Side side, const RunChoice& choice,
                                     const std::vector<std::string>& more = {});
/// Whether any of the runs that a number is worked out from is simulated.
bool is_simulated(const Experiment& experiment, const Published& published, const RunChoice& choice);

/// The runs of the numbers that have settings of their own; the same run is made once.
class PublishedRuns {
 public:
  PublishedRuns(const Experiment& experiment, RunChoice choice) : experiment_(experiment), choice_(std::move(choice)) {}
  /// Runs what `published` is about; empty when it was stopped. `progress` gets the iterations done of a run.
  Compared compare(const Published& published, const std::function<void(std::uint64_t)>& progress = {},
                   const std::function<bool()>& should_stop = {});

 private:
  const Experiment& experiment_;
  RunChoice choice_;
  std::map<std::pair<Side, std::vector<std::string>>, Measured> measured_;
};

}  // namespace lanescope::experiment
