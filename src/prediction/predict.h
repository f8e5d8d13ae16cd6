// Predicts a run's time with changed settings: the simulator runs the same workload on a machine fitted to this run's
// recording. What matters and is not recorded is measured by a probe of the same device, or assumed if there is none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "prediction/device_probe.h"
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
  /// Measures on the same device what the recording does not show. Null: the device is not here (an opened trace).
  std::shared_ptr<DeviceProbe> probe;
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

/// A number that matters to a prediction and that the recording does not show.
struct Foreign {
  std::string what;  ///< "how fast pinned memory is copied to the GPU"
  std::string
      key;  ///< as in a profile, with its unit: "link.h2d_pinned_gb_per_s"; of an op: "linear_forward 128x10x10"
  double value = 0, low = 0, high = 0;
};
/// "13.4 GB/s", "12 to 57.3 GB/s": the number with its unit, or its range if that is wider than a hundredth.
std::string text_of(const Foreign& number);

/// A refused prediction has no iteration_ns, but the fields known before the refusal are set.
struct Prediction {
  std::vector<std::string> settings;   ///< the changes: "log_interval=0"
  double measured_ns = 0;              ///< mean iteration in the recorded stretch
  double reproduced_ns = 0;            ///< the same on the fitted machine without the change
  double fidelity_error = 0;           ///< |reproduced - measured| / measured
  double iteration_ns = 0;             ///< predicted mean
  double low_ns = 0, high_ns = 0;      ///< the range in which a run with the change is expected, see below
  std::vector<Foreign> probed;         ///< what a probe of the same device measured, largest effect first
  std::vector<Foreign> assumed;        ///< what is neither recorded nor probed; the range is then assumed, too
  double idle_now = 0, idle_then = 0;  ///< GPU idle share, on the fitted machine
  std::vector<Stall> stalls;           ///< largest change first
  std::string sentence;                ///< where the stall moves: "Of 2.1 ms removed at item(), 1.9 ms return at .to()"
  std::string refused;                 ///< why there is no prediction, in one line; empty if there is one
  double work = 1;                     ///< with the change, an iteration has so many times as many samples
  std::uint64_t period = 1;            ///< with the change, the work repeats after this many iterations
};

// The range. A run with the change is expected between low_ns and high_ns, in 19 of 20 cases. Around the predicted time
// lie, as shares of it, independent of each other and therefore added as the root of the sum of squares:
//   - the scatter of the recorded run's mean, and that of a run like it (scatter_of_mean() of its whole periods, or if
//     there are few, of the differences between its iterations and the same ones on the fitted machine);
//   - the scatter of the changed loop's mean on the fitted machine, twice: of the prediction, and of the run;
//   - what the fitted machine is off for the recorded run, and kModelError: it rounds and averages;
//     (this and the first are times of the recorded run, and may all be in what a change leaves of it;)
//   - the effects of the uncertainties of recorded and probed numbers (open_effects());
//   - on a real device, two runs differ by more than their iterations do: kAgainCpu and kAgainGpu,
//     and the speed of a shared CPU wanders (scatter_of_next() of the recorded periods);
//   - on a real device, copies of a kind and size that are neither recorded nor probed: kOtherSize.
// If numbers are assumed, the range extends on both sides by what they move.

/// What a prediction is off where nothing is uncertain: half of the 814 changes of scripts/prediction_table.py, all on
/// simulated devices, are off by less than 0.07 %, and nine of ten by less than 0.4 %.
inline constexpr double kModelError = 0.002;
/// The maximum error with which the fitted machine must reproduce the measurement.
inline constexpr double kFidelityLimit = 0.05;
/// The same on a real machine whose speed wandered by as much in the recording.
inline constexpr double kMostFidelityLimit = 0.15;
/// Where there is a probe, the maximum by which what it does not show may change the prediction, in either direction.
inline constexpr double kOpenLimit = 0.05;
/// A probe is asked if what the recording does not show changes the prediction by more than this, in all.
inline constexpr double kProbeLimit = 0.005;
/// By how much the CPU's and the GPU's times differ between two runs on a real machine, as two standard deviations. On
/// an NVIDIA H200 in a virtual machine (docs/manual.md), loops that wait for the CPU, run again without a change, took
/// another time by 5.6 % (root mean square of 22 medians of three runs), and loops that the GPU or the link limits by
/// 0.8 %; 23 predictions for the latter were off by 2.3 % at most. In virtual time, runs do not differ like that.
inline constexpr double kAgainCpu = 0.112, kAgainGpu = 0.023;
/// By how much the rate of copies differs with their size. On an NVIDIA H100, copies of 4 to 64 MiB went to the GPU at
/// 23.9 to 40.2 GB/s from pinned memory and at 6.6 to 12.3 from pageable memory (lanescope calibrate): by a quarter to
/// both sides of the middle.
inline constexpr double kOtherSize = 0.25;
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

// --- prediction text -------------------------------------------------------------------------------------------------
// A prediction in words, the same on the command line, on the page and in the window.

/// "how fast pinned memory is copied to the GPU: 12 to 57.3 GB/s"; without a value if it has no single one.
std::vector<std::string> texts_of(const std::vector<Foreign>& numbers);

/// predicted_gain() at the slow and the fast end of the range; 0 if refused.
std::pair<double, double> predicted_gains(const Prediction& prediction);

/// "1.44 times as fast", "1.10 times as slow", "no change"; "from 1.10 times as slow to 1.30 times as fast, assumed" if
/// numbers are assumed. Per sample if the work of an iteration changes.
std::string gain_sentence(const Prediction& prediction);

}  // namespace lanescope::prediction
