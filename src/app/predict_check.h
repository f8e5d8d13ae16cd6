// `lanescope predict-check`: predicts changes of every workload, runs them, and counts how many fall within the range.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/requests.h"
#include "app/run_prediction.h"
#include "app/terminal.h"

namespace lanescope::app {

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
