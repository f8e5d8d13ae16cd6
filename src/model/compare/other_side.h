// What the lanes compare the run with: the other side of its experiment, or the settings before the last turn of a
// knob. It is measured, never invented: as it ran before the change or, before the first one, in a simulated run in the
// background.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/background_job.h"
#include "base/translate.h"
#include "inspect/run_snapshot.h"
#include "inspect/trigger.h"
#include "model/experiment/active_experiment.h"
#include "workload/settings.h"

namespace lanescope::ui {

class Model;

class OtherSide {
 public:
  /// Once per frame. `experiment`: the running one; may be null.
  /// `trigger`: what chooses the shown iteration.
  void update(const Model& model, const ActiveExperiment* experiment, const TriggerSettings& trigger);
  bool busy() const { return job_.busy() || replaying_.busy(); }

  /// Two sets of settings are on the lanes: the one that runs, and another one.
  bool has_two() const { return pair_[0] && pair_[1]; }
  /// Which of the two runs: 0 before or old, 1 after or new.
  std::size_t shown() const { return shown_; }
  /// They are the sides of the experiment; otherwise the settings before and after a turn.
  bool of_experiment() const { return of_experiment_; }
  /// What the two are called: "every iteration", "log interval 20".
  std::array<std::string, 2> labels(const ActiveExperiment* experiment, base::Language language) const;
  /// The other one as it ran; null until it has been measured.
  SharedSnapshot run() const;
  double batch_size() const;  ///< of the other one; 0: not known
  /// Turns all knobs that differ to those of the other one. Returns why the run refuses it; empty on success.
  std::string swap(Model& model) const;
  /// Draws this below the lanes instead of the other one; null: no longer.
  void put(SharedSnapshot earlier);
  /// The same for an iteration that a replay has told already (is_replayed()).
  void put_replayed(SharedSnapshot replayed);
  /// Of these, draws an iteration of the usual length as a replay with the changes has it; without any, nothing.
  void ask(const Model& model, std::span<const analysis::Edit> edits);
  /// What is drawn is such a replay.
  bool is_replayed() const { return earlier_ && replayed_; }
  /// Once, when it has come: the iteration of which it is one.
  std::optional<analysis::TimeSpan> just_replayed() { return std::exchange(just_replayed_, std::nullopt); }
  /// Once, when there is no such replay: why.
  std::string just_refused() { return std::exchange(refused_, {}); }

 private:
  struct Settled {
    workload::Settings settings;
    std::string device, key;
    TriggerSettings trigger;  ///< chooses the iteration that is drawn
  };
  struct Candidate {
    Settled side;
    trace::SharedTrace trace;
    SnapshotPlan plan;
  };
  struct Taken {
    std::string key;
    SharedSnapshot run;
  };

  void settle(const Model& model);
  void turn(const Settled& next, const ActiveExperiment* experiment);
  void open(const Model& model, const ActiveExperiment& experiment, const Settled& now);
  void keep(Candidate candidate);
  void measure(const Model& model);
  bool are_sides(const ActiveExperiment* experiment) const;

  std::optional<Settled> now_;
  std::array<std::optional<Settled>, 2> pair_;
  std::size_t shown_ = 0;
  bool of_experiment_ = false;
  const experiment::Experiment* opened_ = nullptr;
  std::optional<Candidate> candidate_;  // the newest steady stretch, and of which settings
  std::optional<Candidate> waiting_;    // to be copied when the job before is done
  std::uint64_t looked_at_ = 0, generation_ = 0;
  std::map<std::string, SharedSnapshot> kept_;  // by key; empty pointer: cannot be measured
  base::BackgroundJob<Taken> job_;
  SharedSnapshot earlier_;
  bool replayed_ = false;  // that is a replay with what was asked last
  std::vector<analysis::Edit> asked_;
  struct Replayed {
    analysis::TimeSpan recorded;
    SharedSnapshot run;
    std::string refusal;  // then there is no run
  };
  base::BackgroundJob<Replayed> replaying_;
  std::optional<analysis::TimeSpan> just_replayed_;
  std::string refused_;
};

}  // namespace lanescope::ui
