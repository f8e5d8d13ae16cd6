// `lanescope run --predict K=V [--verify]`: predicts the gain of a change of settings, and verifies it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app/command_requests.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
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

// --- predict check ---------------------------------------------------------------------------------------------------
// `lanescope predict-check`: predicts changes of every workload, runs them, and counts how many fall within the range.

/// One change of one loop.
struct CheckedChange {
  std::string workload;
  std::vector<std::string> settings;  ///< "key=value", over the defaults
  std::vector<std::string> change;    ///< all at once
};
/// More than 40, of all workloads; those with equal settings follow each other.
const std::vector<CheckedChange>& changes_to_check();

struct CheckedPrediction {
  CheckedChange change;
  PredictionReport report;
  std::string failed;  ///< why it could not be run; else empty
};

struct PredictCheck {
  std::string device, device_name;
  std::vector<CheckedPrediction> checked;
  std::size_t left_out = 0;  ///< no time was left

  std::size_t verified() const;  ///< predicted, and run
  std::size_t refused() const;
  std::size_t in_range() const;
  double median_width() const;  ///< of the ranges that were verified, as a share of the prediction
  double median_error() const;  ///< absolute
  double worst_error() const;
};
/// The share of the verified predictions that must be in their range: 36 of 40.
inline constexpr double kPromisedCoverage = 0.9;

/// Each loop is recorded for about a second, or, in virtual time, for a few hundred iterations; each change is run
/// three times, in turns with the loop without it, or once with another seed. Starts no new change after
/// `request.minutes`.
PredictCheck check_predictions(const PredictCheckRequest& request, const std::function<bool()>& should_stop,
                               const std::function<void(const CheckedChange&)>& progress = {});

std::string predict_check_json(const PredictCheck& check);
std::string predict_check_text(const PredictCheck& check, const Style& style);

/// Returns the exit status: 1 if fewer are in their range than promised.
int run_predict_check(const PredictCheckRequest& request);

}  // namespace lanescope::app
