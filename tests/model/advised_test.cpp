// The cards of all experiments, on both sides: none advises what is set already, and what looks like the thing to do
// does gain something.
#include <gtest/gtest.h>

#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "model/advice/trials.h"
#include "workload/common_settings.h"

namespace lanescope::ui {
namespace {

using analysis::Card;
using analysis::Remedy;
using experiment::Experiment;
using experiment::MeasuredRun;
using experiment::Side;
namespace key = workload::key;

/// The settings by which a remedy is carried out; without any of them that has an effect, a workload cannot do it.
std::vector<std::string> settings_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::KeepWorkers:
      return {key::kPersistentWorkers};
    case Remedy::PinMemory:
      return {key::kPinned, key::kPinMemory};
    case Remedy::NonBlocking:
      return {key::kNonBlocking};
    case Remedy::PinAhead:
      return {key::kPinFirst};
    case Remedy::SyncToMeasure:
      return {key::kTiming, key::kSync};
    default:
      return {};
  }
}

// The advised remedy would change nothing.
bool is_set_already(const Card& card, const std::string& workload, const workload::Settings& settings) {
  if (card.remedies.empty()) return false;
  Card first = card;
  first.remedies = {card.remedies.front()};
  const std::vector<std::string> keys = settings_of(card.remedies.front());
  const bool possible = std::ranges::any_of(keys, [&](const std::string& k) {
    const workload::SettingSpec* spec = settings.spec(k);
    return spec != nullptr && settings.no_effect(*spec) == nullptr;
  });
  return possible && trials_for(first, workload, settings).empty();
}

class Advised : public testing::TestWithParam<std::size_t> {};

TEST_P(Advised, OnBothSides) {
#ifdef LANESCOPE_SANITIZED
  GTEST_SKIP() << "a run of every experiment, twice: minutes under a sanitizer, which sees the same code elsewhere";
#endif
  const Experiment& e = experiment::experiments()[GetParam()];
  for (const Side side : {Side::Before, Side::After}) {
    SCOPED_TRACE(side_key(side));
    const std::uint64_t iterations = std::min<std::uint64_t>(e.iterations, 300);
    session::SessionOptions options =
        side_options(e, side, {.device = {}, .iterations = iterations, .assignments = {}});
    MeasuredRun run(options);
    run.run();
    const analysis::Advice advice = run.advice(run.figures());
    const auto records = run.analysis().records();
    const std::size_t first = std::min<std::size_t>(50, records.size() / 4);
    const analysis::Replay replay(run.trace(), records[first].start_ns, records.back().end_ns);
    for (const Card& card : advice.cards) {
      SCOPED_TRACE(card.title);
      EXPECT_FALSE(is_set_already(card, e.workload, run.settings()));
      if (card.weight != analysis::Weight::Costs) continue;
      const std::vector<Trial> trials = trials_for(card, e.workload, run.settings());
      Predictions known;
      for (const Trial& trial : trials)
        known[trial.assignments] = prediction_of(trial, replay, {run.facts().h2d_peak_gb_per_s});
      if (trials.empty()) continue;
      const Trial& best = trials[best_of(trials, known)];
      const analysis::WhatIf& prediction = known.at(best.assignments);
      if (outlook(prediction) != Outlook::Gain) continue;
      session::SessionOptions changed = options;
      for (const std::string& assignment : best.assignments) changed.assignments.push_back(assignment);
      MeasuredRun with(changed);
      with.run();
      EXPECT_GT(gain_between(run.measured(), with.measured()).factor, 1)
          << testing::PrintToString(best.assignments) << ", predicted " << predicted_gain(prediction);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Advised, testing::Range<std::size_t>(0, experiment::experiments().size()),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name(experiment::experiments()[which.param].id);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lanescope::ui
