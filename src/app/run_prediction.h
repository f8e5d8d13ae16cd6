// `lanescope run --predict K=V [--verify]`: predicts the gain of a change of settings, and verifies it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app/reports.h"
#include "app/table.h"
#include "app/terminal.h"
#include "experiment/measured_run.h"
#include "prediction/predict.h"

namespace lanescope::app {

struct PredictionReport {
  prediction::Prediction prediction;
  bool asked_to_verify = false;
  /// The iteration time of each verifying run, ascending; empty if there is no prediction.
  std::vector<double> verified_ns;

  /// The same of the loop without the change, run in turns with them; empty in virtual time, where it stays the same.
  std::vector<double> unchanged_ns;

  double median_ns() const { return verified_ns[verified_ns.size() / 2]; }
  /// How much slower the machine is than when the recording was made: 1.1 is a tenth.
  double slower() const;
  /// Prediction / median of the measurements - 1.
  double error() const { return prediction.iteration_ns / median_ns() - 1; }
  /// Whether the range holds what the changed loop takes at the speed that the machine had in the recording. If the
  /// machine is now slower, that is between the measured time, if the slow part is not in the changed loop, and a time
  /// that is as much shorter.
  bool in_range() const;
};

/// Verifies a prediction: `time(changed)` makes a run with or without the change and returns its time per iteration, or
/// 0 if it cannot be told.
void verify_in_turns(PredictionReport& report, bool virtual_time, const std::function<double(bool changed)>& time,
                     const std::function<bool()>& should_stop);

/// The whole run.
prediction::Recorded recorded_of(const experiment::MeasuredRun& run);
/// A whole saved trace; empty if it is not from one of this version's workloads.
std::optional<prediction::Recorded> recorded_of(const trace::Trace& trace, const trace::RunFacts& facts);
/// For each card of a run's advice, the trial with the largest predicted gain.
std::vector<std::optional<analysis::PredictedTrial>> trials_of(const prediction::Recorded& recorded,
                                                               const analysis::Advice& advice);
/// Generous, because a command's output must not depend on the wall clock.
inline constexpr std::chrono::milliseconds kPredictionBudget{30'000};

/// `run` must have ended; `options` are those it was made with. With `verify`, runs it again with the change, unless
/// the prediction is refused: once in virtual time; three times on a real device, where runs vary, in turns with the
/// loop without the change. Throws base::UsageError for settings that are not allowed.
PredictionReport predict_run(const experiment::MeasuredRun& run, const session::SessionOptions& options,
                             const std::vector<std::string>& assignments, bool verify,
                             const std::function<bool()>& should_stop);

/// The object "prediction".
Json prediction_json(const PredictionReport& report);
/// The result in words.
std::vector<Definition> prediction_lines(const PredictionReport& report);
/// The same with a heading, starting with an empty line.
std::string prediction_text(const PredictionReport& report, const Style& style);

}  // namespace lanescope::app
