// Predicts a run's time with changed settings: the simulator runs the same workload on a machine fitted to this run's
// recording, and to nothing else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "trace/owners.h"
#include "trace/trace.h"
#include "workload/settings.h"

namespace lanescope::prediction {

using base::Nanoseconds;

/// A recording, and what it is a recording of.
struct Recorded {
  const trace::Trace* trace = nullptr;
  /// The basis of the prediction: the iterations that lie completely in this interval, all with `settings`. The rest of
  /// the trace (earlier settings, set-up) may fill in what they do not show.
  Nanoseconds from_ns = std::numeric_limits<Nanoseconds>::min(), to_ns = std::numeric_limits<Nanoseconds>::max();
  /// With several GPUs (trace::Owners::gpus), the one whose process is predicted; kNobody: the first with iterations.
  trace::GpuNumber gpu = trace::kNobody;
  std::string workload;
  workload::Settings settings;
  device::DeviceInfo device;
};

/// The whole trace. Empty if it is not from one of this program's workloads, or from another version of one.
std::optional<Recorded> recorded_of(const trace::Trace& trace, const std::string& workload,
                                    const std::map<std::string, std::string>& settings,
                                    const device::DeviceInfo& device);

/// Where the CPU stalls: the waits of one call in one range of the program, per iteration.
struct Stall {
  std::string range;  ///< "item()"; empty: outside any
  std::string call;   ///< "cudaStreamSynchronize"
  double now_ns = 0, then_ns = 0;
};

/// A refused prediction has no iteration_ns, but the fields known before the refusal are set.
struct Prediction {
  std::vector<std::string> settings;   ///< the changes: "log_interval=0"
  double measured_ns = 0;              ///< mean iteration in the recorded stretch
  double reproduced_ns = 0;            ///< the same on the fitted machine without the change
  double fidelity_error = 0;           ///< |reproduced - measured| / measured
  double iteration_ns = 0;             ///< predicted mean
  double low_ns = 0, high_ns = 0;      ///< the range for everything that the recording leaves open
  double idle_now = 0, idle_then = 0;  ///< GPU idle share, on the fitted machine
  std::vector<Stall> stalls;           ///< largest change first
  std::string sentence;                ///< where the stall moves: "Of 2.1 ms removed at item(), 1.9 ms return at .to()"
  std::string refused;                 ///< why there is no prediction, in one line; empty if there is one
  double work = 1;                     ///< with the change, an iteration has so many times as many samples
  std::uint64_t period = 1;            ///< with the change, the work repeats after this many iterations
};

/// The maximum error with which the fitted machine must reproduce the measurement.
inline constexpr double kFidelityLimit = 0.05;
/// The maximum by which open numbers may change the prediction, in either direction.
inline constexpr double kOpenLimit = 0.05;
/// The minimum number of iterations for a prediction.
inline constexpr std::size_t kLeastIterations = 8;

/// The acceptable waiting time for a prediction.
inline constexpr std::chrono::milliseconds kBudget{1000};

/// `assignments` are "key=value", all changed at once. Any thread, even while the trace grows. Throws base::UsageError
/// for a setting that is not allowed. Ends early, refused, when `stop` becomes true. Each simulation starts no further
/// iteration after `budget` of wall time.
Prediction predict(const Recorded& recorded, const std::vector<std::string>& assignments,
                   const std::atomic<bool>* stop = nullptr, std::chrono::milliseconds budget = kBudget);
/// The factor by which the same work gets faster; 0 if refused.
double predicted_gain(const Prediction& prediction);

/// The measured time of an iteration for comparison with a prediction, defined like measured_ns and iteration_ns: the
/// mean over whole periods, without the beginning, between the ends of the iterations' GPU work. 0 if there are too few
/// iterations.
double measured_iteration_ns(const Recorded& recorded, const std::atomic<bool>* stop = nullptr,
                             std::chrono::milliseconds budget = kBudget);

}  // namespace lanescope::prediction
