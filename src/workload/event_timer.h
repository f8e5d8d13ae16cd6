// torch.cuda.Event(enable_timing=True): two events around some work, and the time between them on the GPU.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

/// Makes the calls that PyTorch makes (c10/cuda/CUDAEvent.h): an event is created when it is first recorded;
/// elapsed_time() asks for both events, and raises a RuntimeError where one has not happened. (Older versions do not
/// ask: they go on to cudaEventElapsedTime, which answers cudaErrorNotReady, and raise that.)
class EventTimer {
 public:
  explicit EventTimer(device::Device& device) : device_(device) {}

  /// start.record(), end.record()
  void start(device::Stream stream);
  void stop(device::Stream stream);

  /// start.elapsed_time(end) of the newest pair, which may be used again afterwards. Empty: it raised an error, which
  /// leaves a range "not ready" of no length on the lane "reads".
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
