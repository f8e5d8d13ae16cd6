// The running experiment: which side the current settings match, and what was measured on each side.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/in_pytorch.h"
#include "experiment/named_figure.h"
#include "experiment/published_numbers.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// Every setting that either side names, with its value on this side: what a flip must set.
std::vector<std::pair<std::string, workload::Value>> side_settings(const experiment::Experiment& experiment,
                                                                   experiment::Side side,
                                                                   const workload::Settings& standard);
/// Whether flipping between the sides needs no new run.
bool flips_in_place(const experiment::Experiment& experiment);

/// The published factor between the sides, "4.2x"; else the first published time, "0.38 s"; else "".
std::string published_headline(const experiment::Experiment& experiment);
class ActiveExperiment {
 public:
  ActiveExperiment(const experiment::Experiment& experiment, experiment::Side side)
      : experiment_(&experiment), side_(side) {}

  const experiment::Experiment& experiment() const { return *experiment_; }
  /// The side that was started with, or last flipped to.
  experiment::Side side() const { return side_; }
  void set_side(experiment::Side side) { side_ = side; }

  /// A run has begun on `device`, whose default settings are `standard`. Forgets what was measured on another device.
  void begin_run(const workload::Settings& standard, const std::string& device);
  /// The side whose settings are in effect; empty when a knob of the experiment was turned by hand.
  std::optional<experiment::Side> side_of(const workload::Settings& now) const;
  /// The keys of the settings that differ between the sides; empty before the first run.
  std::vector<std::string> own_knobs() const;
  /// Of an own knob's choices, those that the experiment is about: of its sides, named where it says what to turn, or
  /// in effect. Of other settings: all.
  std::vector<std::string> choices(const workload::SettingSpec& spec, const std::string& now) const;
  /// Keeps the figures of the current side. Forgets the other side's figures if a knob outside the experiment has been
  /// turned since, because the two sides are no longer comparable.
  void keep(const workload::Settings& now, experiment::Measured measured);

  const experiment::Measured* measured(experiment::Side side) const;
  /// Each published number next to the measured one, and its check status on these machines
  /// (experiment/published_numbers.h).
  struct Row {
    experiment::Compared compared;
    experiment::Checking checking;
  };
  std::vector<Row> published() const;
  /// What its sides took in PyTorch; null: not measured, or another knob was turned than those of the experiment.
  const experiment::InPytorch* in_pytorch() const;

 private:
  struct SideRun {
    experiment::Measured measured;
    workload::Settings settings;
    std::string device;
  };
  bool same_beside_the_story(const workload::Settings& a, const workload::Settings& b) const;

  const experiment::Experiment* experiment_;
  experiment::Side side_;
  std::array<std::vector<std::pair<std::string, workload::Value>>, 2> wanted_;
  std::string device_;
  std::optional<workload::Settings> standard_;  ///< of the device
  bool as_written_ = true;                      ///< what is kept: no other knob than those in wanted_ was turned
  std::array<std::optional<SideRun>, 2> kept_;
  experiment::FittedSides machines_;
};

}  // namespace lanescope::ui
