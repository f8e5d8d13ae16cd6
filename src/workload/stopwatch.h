// A program's own stopwatch: what time.time() around a statement measures.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

/// Reads the calling thread's clock, which takes no time. Each measurement is a range on the "stopwatch" lane, so that
/// it can be compared with the GPU's work.
class Stopwatch {
 public:
  explicit Stopwatch(device::Device& device) : device_(device) {}

  void start() { started_ns_ = device_.now_ns(); }
  /// The time since start().
  base::Nanoseconds stop();

 private:
  device::Device& device_;
  std::optional<trace::LaneId> lane_;  // created when first needed
  trace::NameId name_ = 0;
  base::Nanoseconds started_ns_ = 0;
};

// --- event timer -----------------------------------------------------------------------------------------------------
// torch.cuda.Event(enable_timing=True): two events around some work, and the GPU time between them.

/// Makes the same calls as PyTorch (c10/cuda/CUDAEvent.h). An event is created when first recorded. elapsed_time()
/// queries both events and raises a RuntimeError if one has not completed. (Older versions do not query: they call
/// cudaEventElapsedTime and raise its cudaErrorNotReady.)
class EventTimer {
 public:
  explicit EventTimer(device::Device& device) : device_(device) {}

  /// start.record(), end.record()
  void start(device::Stream stream);
  void stop(device::Stream stream);

  /// start.elapsed_time(end) of the newest pair, which becomes reusable. Empty if it raised an error; that leaves an
  /// empty range "not ready" on the "reads" lane.
  std::optional<base::Nanoseconds> read_newest();
  /// The oldest pair's end.query().
  bool oldest_happened();
  /// The oldest pair's elapsed_time().
  std::optional<base::Nanoseconds> read_oldest();

 private:
  struct Pair {
    device::GpuEvent start, end;
  };
  std::optional<base::Nanoseconds> elapsed(const Pair& pair);

  device::Device& device_;
  std::deque<Pair> recorded_;  // oldest first
  std::vector<Pair> idle_;
  Pair running_{};
  std::optional<trace::LaneId> reads_lane_;
};

}  // namespace lanescope::workload
