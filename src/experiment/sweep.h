// The same workload again and again, with one or two settings changed from run to run.
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
#include "experiment/figure.h"

namespace lanescope::experiment {

struct Axis {
  std::string key;                  ///< a setting's, or "device", or "iterations"
  std::vector<std::string> values;  ///< as they were written
};
/// "batch_size=128,512,2048"; throws base::UsageError for no '=', an empty value, a value twice.
Axis parse_axis(std::string_view text);

struct SweepSpec {
  std::string workload;
  std::string device = "auto";
  std::vector<std::string> assignments;
  std::vector<Axis> axes;  ///< one or two; the second runs fastest
  std::string figure = "iteration_us";
  std::string against;  ///< "key=value": each point is run with it, too, and its value is figure(against) / figure
  std::uint64_t iterations = 200;

  std::size_t points() const;
  /// The place of a point on every axis.
  std::vector<std::size_t> place(std::size_t point) const;
};
SweepSpec ready_sweep(const Experiment& experiment);  ///< throws base::UsageError when it has none
/// What can be checked without running: axes, keys, each value by itself, devices, the figure. Throws base::UsageError
/// or what describing a device throws.
void check_sweep(const SweepSpec& spec);
/// How many iterations a point runs.
std::uint64_t iterations_at(const SweepSpec& spec, const std::vector<std::string>& at);

struct SweepPoint {
  std::vector<std::string> at;  ///< a value per axis
  bool done = false;
  std::optional<double> value;  ///< of the figure (over `against`, if any)
  Measured measured;            ///< of the run itself
  bool simulated = true;
  std::string error;  ///< why there is no value: one line
};

/// Runs on a thread of its own, a point at a time; a GPU is used by one run at a time anyway.
class Sweep {
 public:
  /// As check_sweep(), and starts nothing.
  explicit Sweep(SweepSpec spec);
  ~Sweep();  ///< cancels
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void start();
  void cancel();  ///< the run that is going on is cut short, and its point not done; does not wait
  void wait();
  bool running() const { return running_.load(std::memory_order_acquire); }

  const SweepSpec& spec() const { return spec_; }
  std::size_t done() const { return done_.load(std::memory_order_acquire); }
  /// As far as it is; any thread.
  std::vector<SweepPoint> points() const;
  std::string unit() const;  ///< of the values: the figure's, "x" with `against`

 private:
  void run();
  SweepPoint measure(std::size_t point);
  const Measured& measure_against(const std::vector<std::string>& at);

  const SweepSpec spec_;
  mutable std::mutex mutex_;
  std::vector<SweepPoint> points_;
  std::map<std::string, Measured> against_;  // of the sweep's thread: points that differ only in what is set against
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> running_{false}, cancelled_{false};
  std::thread thread_;
};

/// As RFC 4180 says. A line per point that was run: a column per axis, the value, the figures that every workload has,
/// the workload's own, the error.
std::string sweep_csv(const SweepSpec& spec, const std::vector<SweepPoint>& points);

}  // namespace lanescope::experiment
