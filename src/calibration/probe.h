// A device together with its recording, and functions to time it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "calibration/calibrate.h"

namespace lanescope::calibration {

using base::Nanoseconds;
using device::Buffer;
using device::Stream;

/// Collects GPU operations. Thread-safe.
class OperationSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override;
  trace::NameId name(std::string_view text) override { return names_.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override;
  /// Removes and returns the events so far, by start.
  std::vector<trace::Event> take();

 private:
  class Writer;
  std::mutex mutex_;
  std::vector<trace::LaneInfo> lanes_;
  std::vector<trace::Event> operations_;
  base::NameTable names_;
};

double median(std::vector<double> values);
/// The lower quartile: of times that others' work on a shared machine makes longer.
double undisturbed(std::vector<double> values);

/// The relative uncertainty of the median of measured values, as two standard errors. For normally distributed values,
/// the standard deviation is the interquartile range / 1.349, and the standard error of the median of n of them
/// sqrt(pi / 2) times that of their mean (J. F. Kenney and E. S. Keeping, "Mathematics of Statistics", part 1, 1962,
/// section 13.13). 1 if there are fewer than four values.
double uncertainty_of_median(std::vector<double> values);

/// The mean of calls timed one after another, at the speed that a shared machine has when it is left alone: of groups
/// of neighbours, the fastest tenth begins below this.
double undisturbed_mean(const std::vector<double>& times);

class Probe {
 public:
  /// `largest`: the longest copy. No larger buffers are allocated.
  Probe(const MakeDevice& make, trace::CaptureLevel capture, std::size_t largest = kLargest);

  device::Device& device() { return *device_; }
  /// The time each call blocks the host, in microseconds. Waits for the device after every 32 calls.
  template <typename Call>
  std::vector<double> call_times_us(int calls, Call call);
  /// The GPU operations that `issue` causes, by start. Waits for them. Throws base::Error if none is recorded.
  template <typename Issue>
  std::vector<trace::Event> operations_of(Issue issue);
  template <typename Work>
  double time_us(Work work);

  void spin(double ms);
  void tiny_kernel(Stream stream = Stream::Default);
  /// A buffer with the lifetime of the probe.
  Buffer buffer(trace::MemoryKind kind, std::size_t bytes);
  void copy(Path path, std::size_t bytes);  ///< asynchronous, on the default stream
  void upload_now(std::size_t bytes);       ///< cudaMemcpy from pageable memory
  void download_now(std::size_t bytes);

  static constexpr std::size_t kLargest = std::size_t{64} << 20;

 private:
  const std::size_t largest_;
  [[noreturn]] void nothing_recorded() const;
  Buffer host(Path path);

  std::unique_ptr<OperationSink> sink_;
  std::unique_ptr<device::Device> device_;
  Buffer small_{}, on_device_{}, pinned_{}, pageable_{};
};

template <typename Work>
double Probe::time_us(Work work) {
  const Nanoseconds start = device_->now_ns();
  work();
  return base::to_us(device_->now_ns() - start);
}

template <typename Call>
std::vector<double> Probe::call_times_us(int calls, Call call) {
  constexpr int kBetweenWaits = 32;
  std::vector<double> times;
  for (int i = 0; i < kBetweenWaits; ++i) call();  // the first calls load code and fill caches
  device_->synchronize();
  for (int i = 0; i < calls; ++i) {
    if (i % kBetweenWaits == 0) device_->synchronize();
    times.push_back(time_us(call));
  }
  device_->synchronize();
  return times;
}

template <typename Issue>
std::vector<trace::Event> Probe::operations_of(Issue issue) {
  device_->synchronize();
  device_->flush_capture();
  sink_->take();
  issue();
  device_->synchronize();
  device_->flush_capture();
  std::vector<trace::Event> operations = sink_->take();
  if (operations.empty()) nothing_recorded();
  return operations;
}

// --- gemm fit --------------------------------------------------------------------------------------------------------
// Measures a machine's matrix products and fits the tile size of the simulator's cost model to them.

struct GemmFit {
  double tflops = 0;  ///< of the fastest product
  int tile_rows = 128, tile_columns = 64;
  int products = 0;
  double mean_error = 0;  ///< mean relative error of the fitted durations
};

/// Measures products from 128 x 1000 x 1000 to 4096 x 4096 x 4096. Throws base::Error if no kernels are recorded.
GemmFit fit_gemm(Probe& probe, int sm_count, double kernel_floor_us);

// --- graph costs -----------------------------------------------------------------------------------------------------

struct GraphCosts {
  double launch_us = 0, node_us = 0;  ///< of the host, per launch and for each node
  double gap_us = 0;                  ///< how much further apart its nodes are than kernels of a stream; 0: not seen
};
/// From two graphs of small kernels.
GraphCosts measure_graph_costs(Probe& probe);

// --- host cpu --------------------------------------------------------------------------------------------------------
// Measures this machine's CPU on the catalogue's ops, for the simulated CPU of a profile.

struct HostCpu {
  std::string name;
  double cores = 0;  ///< number of threads it can run at once
  double copy_gb_per_s = 0;
  double page_fault_us_per_mib = 0;
  double fp32_gflops = 0;  ///< one thread's product of two 512 x 512 matrices, times the cores
  double op_us = 0;        ///< time of an op on a single element
};

/// Blocks for a few hundred milliseconds.
HostCpu measure_host_cpu();

}  // namespace lanescope::calibration
