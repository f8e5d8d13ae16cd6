// torch.cuda.Event(enable_timing=True): two events around some work, and the GPU time between them.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

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
