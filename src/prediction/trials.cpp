#include "prediction/trials.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using analysis::Remedy;

constexpr std::size_t kMostTrials = 3;

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
        return;
      case Remedy::ReadLessOften:
        return read_less_often();
      case Remedy::ReadOnce:
        return set("method", "stacked");
      case Remedy::DecideOnGpu:
        return set("branch", "fixed");
      case Remedy::FewerLaunches:
        larger_batch();
        return set("dispatch_us", "0");
      case Remedy::LessCpuWork:
        return set("dispatch_us", "0");
      case Remedy::PinMemory:
        set("pinned", "true");
        return set("pin_memory", "true");
      case Remedy::PinAhead:
        set("pin_first", "false");
        return set("pinned", "false");
      case Remedy::NonBlocking:
        return propose({"pinned=true", "non_blocking=true"});
      case Remedy::CopyStream:
        return propose({"pinned=true", "non_blocking=true", "copy_stream=side"});
      case Remedy::MoreWorkers:
        return more_workers();
      case Remedy::KeepWorkers:
        return set("persistent_workers", "true");
      case Remedy::WaitForCopy:
        set("method", "one-step-late");
        return set("sync", "true");
      case Remedy::SyncToMeasure:
        set("timing", "synchronized");
        return set("sync", "true");
    }
  }

  void read_less_often() {
    if (card_.range == "found_inf.item()") return set("scaler", "false");  // which no interval changes
    if (is("timing", "synchronized") && card_.range == "synchronize()") return set("timing", "off");
    if (const auto every = number("log_interval"); every > 0) {
      // A hundred, as a person would; from there on, never.
      set("log_interval", every < 100 ? "100" : "0");
    }
    if (const auto every = number("plot_interval"); every > 0) propose({fmt::format("plot_interval={}", 10 * every)});
    if (settings_.spec("method") && (is("method", "item") || is("method", "print") || is("method", "fstring"))) {
      set("method", "stacked");
    }
    if (settings_.spec("method") && is("method", "cpu-numpy")) set("method", "one-step-late");
  }

  void larger_batch() {
    const auto rows = number("batch_size");
    if (rows <= 0) return;
    const auto most = static_cast<std::int64_t>(settings_.spec("batch_size")->maximum);
    const std::int64_t more = std::min(8 * rows, most);
    propose({fmt::format("batch_size={}", more)}, static_cast<double>(more) / static_cast<double>(rows));
  }

  void more_workers() {
    const auto workers = number("num_workers");
    if (workers < 0) return;
    propose({fmt::format("num_workers={}", workers == 0 ? 4 : 2 * workers)});
    if (workers > 0 && number("prefetch_factor") < 4) set("prefetch_factor", "4");
  }

  bool is(const char* key, std::string_view value) const {
    return settings_.spec(key) && workload::to_text(settings_.value(key)) == value;
  }
  std::int64_t number(const char* key) const { return settings_.spec(key) ? settings_.integer(key) : -1; }

  void set(const char* key, const char* value) { propose({fmt::format("{}={}", key, value)}); }

  // What of it is not set so already; nothing when the workload has no such knob or the value is not allowed.
  void propose(const std::vector<std::string>& assignments, double work = 1) {
    workload::Settings changed = settings_;
    Trial trial{{}, work};
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

std::optional<PredictedTrial> best_trial(const analysis::Card& card, const Recorded& recorded, KnownPredictions& known,
                                         std::chrono::milliseconds budget) {
  std::optional<PredictedTrial> best;
  double best_gain = 0;
  for (Trial& trial : trials_for(card, recorded.workload, recorded.settings)) {
    auto found = known.find(trial.assignments);
    if (found == known.end()) {
      found = known.emplace(trial.assignments, predict(recorded, trial.assignments, nullptr, budget)).first;
    }
    const double gain = predicted_gain(found->second, trial.work);
    if (best && gain <= best_gain) continue;
    best_gain = gain;
    best = PredictedTrial{std::move(trial), found->second};
  }
  return best;
}

}  // namespace lanescope::prediction
