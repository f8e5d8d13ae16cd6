// Runs the same workload repeatedly, varying one or two settings.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/named_figure.h"

namespace lanescope::experiment {

/// Axes that are not settings.
inline constexpr std::string_view kDeviceAxis = "device", kIterationsAxis = "iterations";
enum class AxisKind : std::uint8_t { Setting, Device, Iterations };
constexpr AxisKind axis_kind(std::string_view key) {
  return key == kDeviceAxis ? AxisKind::Device : key == kIterationsAxis ? AxisKind::Iterations : AxisKind::Setting;
}

struct Axis {
  std::string key;                  ///< a setting's key, kDeviceAxis or kIterationsAxis
  std::vector<std::string> values;  ///< as written by the user
};
/// Parses "batch_size=128,512,2048". Throws base::UsageError for a missing '=', an empty value or a duplicate.
Axis parse_axis(std::string_view text);

struct SweepSpec {
  std::string workload;
  std::string device = "auto";
  std::vector<std::string> assignments;
  std::vector<Axis> axes;  ///< one or two; the second varies fastest
  std::string figure = "iteration_us";
  std::string against;  ///< "key=value": each point is also run with it, and its value is figure(against) / figure
  std::uint64_t iterations = 200;

  std::size_t points() const;
  /// The index of a point on each axis.
  std::vector<std::size_t> place(std::size_t point) const;
};
SweepSpec ready_sweep(const Experiment& experiment);  ///< throws base::UsageError if it has none
/// Checks what is possible without running: axes, keys, each value by itself, devices, the figure. Throws
/// base::UsageError, or like device::describe_device().
void check_sweep(const SweepSpec& spec);
/// The number of iterations of a point.
std::uint64_t iterations_at(const SweepSpec& spec, const std::vector<std::string>& at);

struct SweepPoint {
  std::vector<std::string> at;  ///< one value per axis
  bool done = false;
  std::optional<double> value;  ///< of the figure (relative to `against`, if given)
  Measured measured;            ///< of the run itself
  bool simulated = true;
  std::string error;  ///< why there is no value, in one line
};

/// Runs on its own thread, one point at a time, because only one run at a time can use a GPU.
class Sweep {
 public:
  /// Checks like check_sweep(). Does not start.
  explicit Sweep(SweepSpec spec);
  ~Sweep();  ///< cancels
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void start();
  /// Without threads (base/background_job.h): measures the next point. Otherwise does nothing.
  void advance();
  void cancel();  ///< interrupts the current run, whose point stays not done; does not wait
  void wait();
  bool running() const { return running_.load(std::memory_order_acquire); }

  const SweepSpec& spec() const { return spec_; }
  std::size_t done() const { return done_.load(std::memory_order_acquire); }
  /// The results so far; any thread.
  std::vector<SweepPoint> points() const;
  std::string unit() const;  ///< of the values: the figure's, or "x" with `against`

 private:
  void run();
  bool measure_next();  ///< false if it was the last, or was cut short
  SweepPoint measure(std::size_t point);
  const Measured& measure_against(const std::vector<std::string>& at);

  const SweepSpec spec_;
  mutable std::mutex mutex_;
  std::vector<SweepPoint> points_;
  std::map<std::string, Measured> against_;  // sweep's thread only; shared by points that differ only in the `against`
                                             // setting
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> running_{false}, cancelled_{false};
  std::thread thread_;
};

/// CSV according to RFC 4180. One line per completed point, with columns for each axis, the value, the standard
/// figures, the workload's own, and the error.
std::string sweep_csv(const SweepSpec& spec, const std::vector<SweepPoint>& points);

}  // namespace lanescope::experiment
