// What a run would take with its settings changed: the simulator runs the same workload on a machine that is fitted to
// what was recorded of this run, and to nothing else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"
#include "trace/trace.h"
#include "workload/settings.h"

namespace lanescope::prediction {

using base::Nanoseconds;

/// What was recorded, and what it was recorded of.
struct Recorded {
  const trace::Trace* trace = nullptr;
  /// The iterations that lie in here as a whole are what is predicted from; `settings` held for all of them. What else
  /// is in the trace (earlier settings, set-up) may fill in what they do not show.
  Nanoseconds from_ns = 0, to_ns = 0;
  std::string workload;
  workload::Settings settings;
  device::DeviceInfo device;
};

/// Where the CPU stands still: the waits of one call in one range of the program, per iteration.
struct Stall {
  std::string range;  ///< "item()"; empty: outside any
  std::string call;   ///< "cudaStreamSynchronize"
  double now_ns = 0, then_ns = 0;
};

/// A refused prediction has no iteration_ns; what is known up to the refusal is there.
struct Prediction {
  std::vector<std::string> settings;   ///< what is changed: "log_interval=0"
  double measured_ns = 0;              ///< an iteration of the recorded stretch, on average
  double reproduced_ns = 0;            ///< the same on the fitted machine with nothing changed
  double fidelity_error = 0;           ///< |reproduced - measured| / measured
  double iteration_ns = 0;             ///< predicted, on average
  double low_ns = 0, high_ns = 0;      ///< between these for all that the recording leaves open
  double idle_now = 0, idle_then = 0;  ///< share of the time in which the GPU has nothing to run, on the fitted machine
  std::vector<Stall> stalls;           ///< the largest change first
  std::string sentence;                ///< where the stall goes: "Of 2.1 ms removed at item(), 1.9 ms return at .to()"
  std::string refused;                 ///< why there is no prediction, one line; empty: there is one
  std::uint64_t period = 1;            ///< with the change, the work repeats after so many iterations
};

/// The fitted machine must reproduce what was measured within this.
inline constexpr double kFidelityLimit = 0.05;
/// What the recording leaves open may move the prediction up or down by this.
inline constexpr double kOpenLimit = 0.05;
/// As few iterations as this are not predicted from.
inline constexpr std::size_t kLeastIterations = 8;

/// So long a person waits for a prediction.
inline constexpr std::chrono::milliseconds kBudget{1000};

/// `assignments` are "key=value", all of them changed at once. Any thread; the trace may go on growing. Throws
/// base::UsageError for a setting that is not allowed. Ends early, refused, when `stop` becomes true. Each simulation
/// has `budget` of the wall clock, beyond which no further iteration of it begins.
Prediction predict(const Recorded& recorded, const std::vector<std::string>& assignments,
                   const std::atomic<bool>* stop = nullptr, std::chrono::milliseconds budget = kBudget);
/// How many times as fast it gets for the same work, where an iteration then does `work` times as much; 0 when refused.
double predicted_gain(const Prediction& prediction, double work);

/// The time of an iteration as measured_ns and iteration_ns mean it, to be put beside a prediction: on average over
/// whole periods of the work, without the beginning, from the end of the GPU's work for one to that for another. 0 when
/// there are too few.
double measured_iteration_ns(const Recorded& recorded, const std::atomic<bool>* stop = nullptr,
                             std::chrono::milliseconds budget = kBudget);

}  // namespace lanescope::prediction
