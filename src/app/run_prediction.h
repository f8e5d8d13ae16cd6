// `lanescope run --predict K=V [--verify]`: what a change of settings would gain, and whether it does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal.h"
#include "experiment/measured_run.h"
#include "prediction/predict.h"

namespace lanescope::app {

struct PredictionReport {
  prediction::Prediction prediction;
  bool asked_to_verify = false;
  std::optional<double> verified_ns;  ///< an iteration of a run with the change; none when there is no prediction

  /// Predicted over measured, less 1.
  double error() const { return *verified_ns > 0 ? prediction.iteration_ns / *verified_ns - 1 : 0; }
};

/// `run` has ended; `options` are what it was made from. With `verify` a second run is made with the change, unless the
/// prediction is refused. Throws base::UsageError for settings that are not allowed.
PredictionReport predict_run(const experiment::MeasuredRun& run, const session::SessionOptions& options,
                             const std::vector<std::string>& assignments, bool verify,
                             const std::function<bool()>& should_stop);

/// JSON as io::summary_json() writes it, with "prediction" at its end.
std::string with_prediction(const std::string& json, const PredictionReport& report);
/// A few lines for a person, beginning with an empty one.
std::string prediction_text(const PredictionReport& report, const Style& style);

}  // namespace lanescope::app
