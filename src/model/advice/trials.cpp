#include "model/advice/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using analysis::Edit;
using analysis::EditKind;
using analysis::Remedy;
using analysis::WhatIf;
using base::tr;
using workload::Settings;
using workload::SettingSpec;
namespace key = workload::key;
namespace choice = workload::choice;

constexpr std::size_t kMostTrials = 3;
constexpr double kAsGood = 0.98;  // a smaller difference between two gains decides nothing
constexpr double kSame = 1.03;

class Trials {
 public:
  Trials(const analysis::Card& card, std::string_view workload, const Settings& settings)
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
        set(key::kCudaGraph, "true");
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
    for (const SettingSpec& spec : settings_.specs()) {
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

  void larger_batch() {
    const auto rows = number(key::kBatchSize);
    if (rows <= 0 || workload::batch_size_of(settings_) <= 0) return;  // what it does not tell, nobody can compare
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

  // Proposes the assignments that change something; nothing if the workload has no such setting, or one of them is not
  // allowed or has no effect.
  void propose(const std::vector<std::string>& assignments) {
    Settings changed = settings_;
    Trial trial;
    try {
      for (const std::string& assignment : assignments) {
        const Settings before = changed;
        changed.assign(assignment);
        if (changed == before) continue;
        trial.assignments.push_back(assignment);
        if (changed.no_effect(*changed.spec(assignment.substr(0, assignment.find('='))))) return;
      }
      workload::check_settings(workload_, changed);
    } catch (const base::UsageError&) {
      return;
    }
    trial.work = analysis::work_between(workload::batch_size_of(settings_), workload::batch_size_of(changed));
    trial.edits = edits_of(settings_, changed);
    if (trial.assignments.empty() || std::find(found_.begin(), found_.end(), trial) != found_.end()) return;
    found_.push_back(std::move(trial));
  }

  const analysis::Card& card_;
  const std::string_view workload_;
  const Settings& settings_;
  std::vector<Trial> found_;
};

constexpr const char* kBatchCopy = "copy";  // the range in which the batch is copied

/// The range in which the loop reads its loss every so often; empty if it does more there than read it.
std::string range_of_read(const Settings& settings) {
  if (!settings.spec(key::kMethod) || settings.choice(key::kMethod) == choice::kItem) return "item()";
  return settings.choice(key::kMethod) == choice::kFstring ? "f-string" : "";
}

/// Of an interval of reads; 0: never.
std::optional<Edit> edit_of_interval(std::int64_t before, std::int64_t after, const std::string& range) {
  if (before < 1 || range.empty()) return std::nullopt;
  if (after == 0) return Edit{EditKind::NoWait, 0, range};
  if (after <= before || after % before != 0) return std::nullopt;
  return Edit{EditKind::ReadEvery, static_cast<double>(after / before), range};
}

/// What a setting does that is changed among others; empty: more than an edit can say. That is so of what it does not
/// name: another batch or way to read, a plot's interval (which drawing takes part in), a branch that is fixed and a
/// scaler that goes (whose kernels go, too).
std::optional<Edit> edit_of(const SettingSpec& spec, const Settings& before, const Settings& after) {
  const workload::Value &from = before.value(spec.key), &to = after.value(spec.key);
  const auto turned = [&](const char* key, const workload::Value& on) { return spec.key == key && to == on; };
  if (turned(key::kPinned, true) || turned(key::kPinMemory, true)) return Edit{EditKind::Pinned, 0, kBatchCopy};
  if (turned(key::kNonBlocking, true)) return Edit{EditKind::NonBlocking, 0, kBatchCopy};
  if (turned(key::kCopyStream, std::string(choice::kSideStream))) return Edit{EditKind::CopyStream, 0, kBatchCopy};
  if (turned(key::kCudaGraph, true)) return Edit{EditKind::Graph, 0, {}};
  if (spec.key == key::kTiming && from == spec.range->with && to == spec.range->without)
    return Edit{EditKind::NoWait, 0, spec.range->range};
  if (spec.key != key::kLogInterval && spec.key != key::kNumWorkers) return std::nullopt;
  const auto few = std::get<std::int64_t>(from), many = std::get<std::int64_t>(to);
  if (spec.key == key::kLogInterval) return edit_of_interval(few, many, range_of_read(before));
  if (few < 1 || many < 1) return std::nullopt;  // without workers the program loads its data itself
  return Edit{EditKind::Workers, static_cast<double>(many) / static_cast<double>(few), {}};
}

}  // namespace

std::vector<Trial> trials_for(const analysis::Card& card, std::string_view workload, const Settings& settings) {
  return Trials(card, workload, settings).all();
}

std::optional<std::vector<Edit>> edits_of(const Settings& before, const Settings& after) {
  std::vector<Edit> edits;
  for (const SettingSpec& spec : before.specs()) {
    if (before.value(spec.key) == after.value(spec.key)) continue;
    std::optional<Edit> edit = edit_of(spec, before, after);
    if (!edit) return std::nullopt;
    edits.push_back(*std::move(edit));
  }
  return edits;
}

WhatIf prediction_of(const Trial& trial, const analysis::Replay& replay, const analysis::Link& link) {
  WhatIf prediction;
  if (!trial.edits) {
    prediction.refusal = tr("a replay of the recording cannot tell what this changes");
    return prediction;
  }
  prediction = replay.with(*trial.edits, link);
  // Of another's program only the wait may go; a knob takes the statement with it. (Of a graph both are about how soon
  // a driver begins it.)
  const bool graph = std::ranges::count(*trial.edits, EditKind::Graph, &Edit::kind) > 0;
  if (!prediction.refusal.empty() || graph) return prediction;
  const auto [least_ns, most_ns] = std::minmax(prediction.without_ns, prediction.gone_ns);
  prediction.least_factor *= most_ns / prediction.gone_ns;
  prediction.most_factor *= least_ns / prediction.gone_ns;
  return prediction;
}

double predicted_gain(const WhatIf& prediction) {
  return prediction.refusal.empty() ? std::sqrt(prediction.least_factor * prediction.most_factor) : 0;
}

Outlook outlook(const WhatIf& prediction) {
  const double gain = predicted_gain(prediction);
  if (gain <= 0) return Outlook::Unknown;
  return gain >= kSame ? Outlook::Gain : gain > 1 / kSame ? Outlook::NoGain : Outlook::Loss;
}

std::size_t best_of(const std::vector<Trial>& trials, const Predictions& known) {
  const auto gain = [&](const Trial& trial) {
    const auto found = known.find(trial.assignments);
    return found == known.end() ? 0 : predicted_gain(found->second);
  };
  double most = 0;
  for (const Trial& trial : trials) most = std::max(most, gain(trial));
  const auto best = std::ranges::find_if(trials, [&](const Trial& trial) { return gain(trial) >= kAsGood * most; });
  return static_cast<std::size_t>(best - trials.begin());
}

}  // namespace lanescope::ui
