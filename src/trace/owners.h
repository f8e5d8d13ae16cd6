// The owner of each lane: which process on which host, and which of its GPUs.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace lanescope::trace {

/// Numbers the processes, or GPUs, of one trace from 0, in the order of their lanes.
using ProcessNumber = std::uint16_t;
using GpuNumber = std::uint16_t;
inline constexpr std::uint16_t kNobody = std::numeric_limits<std::uint16_t>::max();

struct Process {
  std::string host;  ///< empty: the machine the trace was recorded on
  std::int64_t pid = 0;

  auto operator<=>(const Process&) const = default;
};

/// A device as numbered by one process. Device 0 of two processes may be two different GPUs (CUDA_VISIBLE_DEVICES), and
/// traces do not say whether they are. A GPU shared by two processes therefore counts once for each.
struct Gpu {
  ProcessNumber process = kNobody;
  std::int32_t device = 0;

  auto operator<=>(const Gpu&) const = default;
};

/// How a process of a job is named in files and lists: "rank 3 · train.py"; "rank 3" if the program has no name. The
/// same in every language.
std::string rank_name(int rank, std::string_view program);
/// The rank in such a name: for the readers of files that do not state it (LaneInfo::rank).
std::optional<int> rank_in(std::string_view process);

/// Reads lanes only, so it costs nothing per event. Not thread-safe. The trace must outlive it.
class Owners {
 public:
  explicit Owners(const Trace& trace) : trace_(trace) { refresh(); }

  /// Looks at new lanes; cheap if there are none. Numbers already assigned stay.
  void refresh() {
    if (trace_.lane_count() != lanes_.size()) look();
  }
  /// The process of a lane. A GPU lane without a pid (from a trace written by an older version) belongs to the only
  /// process that makes calls, if there is just one.
  ProcessNumber process_of(LaneId lane) const { return lane < lanes_.size() ? lanes_[lane].process : kNobody; }
  /// The GPU of a lane with GPU work; kNobody for other lanes.
  GpuNumber gpu_of(LaneId lane) const { return lane < lanes_.size() ? lanes_[lane].gpu : kNobody; }

  const std::vector<Process>& processes() const { return processes_; }
  const std::vector<Gpu>& gpus() const { return gpus_; }
  /// In a job of several, as its lanes say.
  std::optional<int> rank_of(ProcessNumber process) const { return ranks_[process]; }

 private:
  struct Owner {
    ProcessNumber process = kNobody;
    GpuNumber gpu = kNobody;
  };

  void look();

  const Trace& trace_;
  std::vector<Owner> lanes_;
  std::vector<Process> processes_;
  std::vector<std::optional<int>> ranks_;  // of each process
  std::vector<Gpu> gpus_;
};

}  // namespace lanescope::trace
