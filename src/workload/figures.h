// Figures that only the workload itself can know, such as the program's own stopwatch or the number of wrong values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

struct Figure {
  std::string key;    ///< "stopwatch_ms"
  std::string label;  ///< display name: "the program's stopwatch"
  std::string unit;   ///< "ms"
  std::uint64_t count = 0;
  double last = 0;
  double mean = 0;    ///< of all samples since the settings last changed; 0 if there are none
  double total = 0;   ///< their sum
  bool part = false;  ///< one of the parts, in order, that make up an iteration's time
};

/// The workload's thread writes; any thread may read.
class FigureBoard {
 public:
  /// Call before the run. Returns the figure's index.
  std::size_t add(std::string key, std::string label, std::string unit, bool part = false);
  void sample(std::size_t figure, double value);
  /// Drops all samples, because the settings have changed.
  void restart();
  std::vector<Figure> read() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Figure> figures_;
};

// --- stopwatch -------------------------------------------------------------------------------------------------------
// A program's own stopwatch: what time.time() around a statement measures.

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
