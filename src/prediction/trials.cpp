#include "prediction/trials.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "workload/common_settings.h"
#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using analysis::Remedy;
namespace key = workload::key;
namespace choice = workload::choice;

constexpr std::size_t kMostTrials = 3;
constexpr double kAsGood = 0.98;  // a smaller difference between two gains decides nothing

class Trials {
 public:
  Trials(const analysis::Card& card, std::string_view workload, const workload::Settings& settings)
      : card_(card), workload_(workload), settings_(settings) {}

  std::vector<Trial> all() {
    for (const Remedy remedy : card_.remedies) add(remedy);
    if (found_.size() > kMostTrials) found_.resize(kMostTrials);
    return std::move(found_);
  }

 private:
  void add(Remedy remedy) {
    switch (remedy) {
      case Remedy::None:
      case Remedy::PackCopies:
      case Remedy::LessCpuWork:  // nobody can set what the framework costs
        return;
      case Remedy::ReadLessOften:
        return read_less_often();
      case Remedy::ReadOnce:
        return set(key::kMethod, is(key::kMethod, choice::kPrint) ? choice::kItem : choice::kStacked);
      case Remedy::DecideOnGpu:
        return set(key::kBranch, choice::kFixedBranch);
      case Remedy::FewerLaunches:
        cuda_graph();
        return larger_batch();
      case Remedy::PinMemory:
        set(key::kPinned, "true");
        return set(key::kPinMemory, "true");
      case Remedy::PinAhead:
        propose({with(key::kPinFirst, "false"), with(key::kPinned, "true")});
        set(key::kPinFirst, "false");
        return set(key::kPinned, "false");
      case Remedy::NonBlocking:
        return propose({with(key::kPinned, "true"), with(key::kNonBlocking, "true")});
      case Remedy::CopyStream:
        return propose(
            {with(key::kPinned, "true"), with(key::kNonBlocking, "true"), with(key::kCopyStream, choice::kSideStream)});
      case Remedy::MoreWorkers:
        return more_workers();
      case Remedy::KeepWorkers:
        return set(key::kPersistentWorkers, "true");
      case Remedy::WaitForCopy:
        set(key::kMethod, choice::kOneStepLate);
        return set(key::kSync, "true");
      case Remedy::SyncToMeasure:
        set(key::kTiming, choice::kSynchronized);
        return set(key::kSync, "true");
    }
  }

  void read_less_often() {
    // A read with its own setting: no interval changes how often it happens.
    for (const workload::SettingSpec& spec : settings_.specs()) {
      if (!spec.range || spec.range->range != card_.range) continue;
      if (settings_.value(spec.key) != spec.range->with) continue;
      return propose({with(spec.key, workload::to_text(spec.range->without))});
    }
    if (const auto every = number(key::kLogInterval); every > 0) {
      // 100, as a person would choose; from 100 on, never.
      set(key::kLogInterval, every < 100 ? "100" : "0");
    }
    if (const auto every = number(key::kPlotInterval); every > 0) propose({with(key::kPlotInterval, 10 * every)});
    if (is(key::kMethod, choice::kItem) || is(key::kMethod, choice::kPrint) || is(key::kMethod, choice::kFstring)) {
      set(key::kMethod, choice::kStacked);
    }
    if (is(key::kMethod, choice::kCpuNumpy)) set(key::kMethod, choice::kOneStepLate);
  }

  /// Not where the step cannot be captured.
  void cuda_graph() {
    const workload::SettingSpec* spec = settings_.spec(key::kCudaGraph);
    if (spec != nullptr && settings_.no_effect(*spec) == nullptr) set(key::kCudaGraph, "true");
  }

  void larger_batch() {
    const auto rows = number(key::kBatchSize);
    if (rows <= 0) return;
    const auto most = static_cast<std::int64_t>(settings_.spec(key::kBatchSize)->maximum);
    const std::int64_t more = std::min(8 * rows, most);
    propose({with(key::kBatchSize, more)});
  }

  void more_workers() {
    const auto workers = number(key::kNumWorkers);
    if (workers < 0) return;
    propose({with(key::kNumWorkers, workers == 0 ? 4 : 2 * workers)});
    if (workers > 0 && number(key::kPrefetchFactor) < 4) set(key::kPrefetchFactor, "4");
  }

  bool is(const char* key, std::string_view value) const {
    return settings_.spec(key) && workload::to_text(settings_.value(key)) == value;
  }
  std::int64_t number(const char* key) const { return settings_.spec(key) ? settings_.integer(key) : -1; }

  template <class Value>
  static std::string with(std::string_view key, const Value& value) {
    return fmt::format("{}={}", key, value);
  }
  void set(const char* key, const char* value) { propose({with(key, value)}); }

  // Proposes the assignments that change something; nothing if the workload has no such setting or the value is not
  // allowed.
  void propose(const std::vector<std::string>& assignments) {
    workload::Settings changed = settings_;
    Trial trial;
    try {
      for (const std::string& assignment : assignments) {
        const workload::Settings before = changed;
        changed.assign(assignment);
        if (changed != before) trial.assignments.push_back(assignment);
      }
      workload::check_settings(workload_, changed);
    } catch (const base::UsageError&) {
      return;
    }
    trial.work = analysis::work_between(workload::batch_size_of(settings_), workload::batch_size_of(changed));
    if (trial.assignments.empty() || std::find(found_.begin(), found_.end(), trial) != found_.end()) return;
    found_.push_back(std::move(trial));
  }

  const analysis::Card& card_;
  const std::string_view workload_;
  const workload::Settings& settings_;
  std::vector<Trial> found_;
};

}  // namespace

std::vector<Trial> trials_for(const analysis::Card& card, std::string_view workload,
                              const workload::Settings& settings) {
  return Trials(card, workload, settings).all();
}

std::size_t best_of(const std::vector<Trial>& trials, const KnownPredictions& known) {
  const auto gain = [&](const Trial& trial) {
    const auto found = known.find(trial.assignments);
    return found == known.end() ? 0 : predicted_gain(found->second);
  };
  double most = 0;
  for (const Trial& trial : trials) most = std::max(most, gain(trial));
  const auto best = std::ranges::find_if(trials, [&](const Trial& trial) { return gain(trial) >= kAsGood * most; });
  return static_cast<std::size_t>(best - trials.begin());
}

std::optional<PredictedTrial> best_trial(const analysis::Card& card, const Recorded& recorded, KnownPredictions& known,
                                         std::chrono::milliseconds budget) {
  std::vector<Trial> trials = trials_for(card, recorded.workload, recorded.settings);
  if (trials.empty()) return std::nullopt;
  for (const Trial& trial : trials) {
    if (!known.contains(trial.assignments))
      known.emplace(trial.assignments, predict(recorded, trial.assignments, nullptr, budget));
  }
  Trial& best = trials[best_of(trials, known)];
  Prediction prediction = known.at(best.assignments);
  return PredictedTrial{std::move(best), std::move(prediction)};
}

}  // namespace lanescope::prediction
