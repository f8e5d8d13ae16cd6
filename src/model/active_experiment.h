// The experiment that runs: which of its sides the settings are, and what each side gave while it ran.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/check.h"
#include "experiment/experiment.h"
#include "experiment/figure.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// Every setting that either side names, with the value that it has on this side: what a flip must set.
std::vector<std::pair<std::string, workload::Value>> side_settings(const experiment::Experiment& experiment,
                                                                   experiment::Side side,
                                                                   const workload::Settings& standard);
/// A flip between the sides needs no new run.
bool flips_in_place(const experiment::Experiment& experiment);

/// The factor between the sides that was published, "4.2x"; else the first number, "0.38 s"; else "".
std::string published_headline(const experiment::Experiment& experiment);
class ActiveExperiment {
 public:
  ActiveExperiment(const experiment::Experiment& experiment, experiment::Side side)
      : experiment_(&experiment), side_(side) {}

  const experiment::Experiment& experiment() const { return *experiment_; }
  /// The side that was started with or flipped to last.
  experiment::Side side() const { return side_; }
  void set_side(experiment::Side side) { side_ = side; }

  /// A run has begun on `device`: `standard` are its default settings. What was measured elsewhere is forgotten.
  void begin_run(const workload::Settings& standard, const std::string& device);
  /// The side whose settings are in effect; empty when a knob of the experiment was turned by hand.
  std::optional<experiment::Side> side_of(const workload::Settings& now) const;
  /// Keeps the figures of the current side. Those of the other are forgotten when a knob outside the experiment has
  /// been turned since: the two cannot be compared any more.
  void keep(const workload::Settings& now, experiment::Measured measured);

  const experiment::Measured* measured(experiment::Side side) const;
  /// What was published beside what the sides gave, and what each number is to them.
  struct Row {
    experiment::Compared compared;
    experiment::Checking checking;
  };
  std::vector<Row> published() const;

 private:
  struct Kept {
    experiment::Measured measured;
    workload::Settings settings;
    std::string device;
  };
  bool same_beside_the_story(const workload::Settings& a, const workload::Settings& b) const;

  const experiment::Experiment* experiment_;
  experiment::Side side_;
  std::array<std::vector<std::pair<std::string, workload::Value>>, 2> wanted_;
  std::string device_;
  std::array<std::optional<Kept>, 2> kept_;
  experiment::FittedSides machines_;
};

}  // namespace lanescope::ui
