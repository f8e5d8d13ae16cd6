// `lanescope run --predict K=V [--verify]`: what a change of settings would gain, and whether it does.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app/table.h"
#include "app/terminal.h"
#include "experiment/measured_run.h"
#include "prediction/predict.h"

namespace lanescope::app {

struct PredictionReport {
  prediction::Prediction prediction;
  bool asked_to_verify = false;
  /// An iteration of each run that was made with the change, in ascending order; none when there is no prediction.
  std::vector<double> verified_ns;

  double median_ns() const { return verified_ns[verified_ns.size() / 2]; }
  /// Predicted over the median of what was measured, less 1.
  double error() const { return prediction.iteration_ns / median_ns() - 1; }
};

/// All of a run.
prediction::Recorded recorded_of(const experiment::MeasuredRun& run);
/// All of a saved trace; empty when it is of none of this version's workloads.
std::optional<prediction::Recorded> recorded_of(const trace::Trace& trace, const io::RunFacts& facts);
/// For each card of a run's advice the trial that is predicted to gain most.
std::vector<std::optional<io::PredictedTrial>> trials_of(const prediction::Recorded& recorded,
                                                         const analysis::Advice& advice);
/// The wall clock is no matter in a command, and what it prints must not depend on it.
inline constexpr std::chrono::milliseconds kPredictionBudget{30'000};

/// `run` has ended; `options` are what it was made from. With `verify` it is run again with the change, unless the
/// prediction is refused: once in virtual time, and three times on a real device, where no two runs are the same.
/// Throws base::UsageError for settings that are not allowed.
PredictionReport predict_run(const experiment::MeasuredRun& run, const session::SessionOptions& options,
                             const std::vector<std::string>& assignments, bool verify,
                             const std::function<bool()>& should_stop);

/// JSON as io::summary_json() writes it, with "prediction" at its end.
std::string with_prediction(const std::string& json, const PredictionReport& report);
/// What there is to say of it to a person.
std::vector<Definition> prediction_lines(const PredictionReport& report);
/// The same with a heading, beginning with an empty one.
std::string prediction_text(const PredictionReport& report, const Style& style);

}  // namespace lanescope::app
