// The figures of a run as JSON: what `lanescope run --json` prints, with its field names and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/breakdown.h"
#include "analysis/summary.h"
#include "io/chrome_trace.h"
#include "trace/capture_health.h"

namespace lanescope::io {

/// A figure of the workload's own: "read_us", "the program's read", "µs".
struct OwnFigure {
  std::string key, label, unit;
  double mean = 0, total = 0, last = 0;
  std::uint64_t count = 0;  ///< of samples; 0: there is no mean
};

/// What a change of settings is predicted to gain.
struct PredictedTrial {
  std::vector<std::string> settings;         ///< "log_interval=100"
  double work = 1;                           ///< an iteration does so many times the work with them (a larger batch)
  double gain = 0;                           ///< how many times as fast, for the same work; 0 when refused
  double measured_ns = 0, iteration_ns = 0;  ///< an iteration, now and then
  std::string refused;                       ///< why there is no prediction; empty: there is one
};

struct RunFigures {
  struct Loss {
    double first = 0, last = 0;
  };
  RunFacts facts;
  analysis::Summary summary;
  trace::TraceCounts events;
  std::uint64_t iterations = 0;
  base::Nanoseconds elapsed_ns = 0;
  /// The first iteration, when it was left out of all figures: on a GPU it loads code, and takes far longer than the
  /// others.
  std::optional<base::Nanoseconds> warm_up_ns;
  std::optional<trace::CaptureHealth> capture;  ///< of a GPU's work; none on a simulated device
  std::optional<Loss> loss;                     ///< none: timing only, or nothing was read
  std::vector<OwnFigure> own;                   ///< what only the workload could know
  /// Of the setting batch_size and the pace; empty when either is not known.
  std::optional<double> samples_per_s() const;
  /// Worked out by the caller, for it takes a pass over the trace.
  std::optional<analysis::Advice> advice;
  std::optional<analysis::Breakdown> breakdown;  ///< the same
  /// For each card of the advice what could be tried against it. Empty: not worked out.
  std::vector<std::optional<PredictedTrial>> trials;
};

/// Indented by two, ends with a line feed; the same figures give the same text. What is not known (a foreign trace's
/// workload, the mean of no iterations, a figure that is no number) is null. Settings get back the type they had: a
/// truth value, a number or a text.
std::string summary_json(const RunFigures& figures);

}  // namespace lanescope::io
