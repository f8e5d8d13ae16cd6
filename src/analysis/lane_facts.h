// What passes over a trace look up once for each lane and name: the thread or stream of a lane, the role of a call by
// its name; and the open ranges of each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "base/time.h"
#include "trace/event.h"
#include "trace/links.h"
#include "trace/trace.h"

namespace lanescope::analysis {

class LaneFacts {
 public:
  explicit LaneFacts(const trace::Trace& trace) : trace_(trace), owners_(trace) {}

  /// The index of the lane's thread, counted from 0 in the order of the lanes.
  std::size_t thread_of(trace::LaneId lane) { return facts(lane).thread; }
  /// For a GPU lane: unique over the streams of all GPUs.
  std::int64_t stream_of(trace::LaneId lane) { return facts(lane).stream; }
  trace::CallKey key_of(trace::LaneId lane, std::uint32_t correlation) { return {facts(lane).process, correlation}; }
  /// The GPU of a lane with GPU work; kNobody for other lanes.
  trace::GpuNumber gpu_of(trace::LaneId lane) { return facts(lane).gpu; }

 private:
  struct Facts {
    std::int64_t stream = 0;
    std::uint32_t thread = 0;
    trace::ProcessNumber process = 0;
    trace::GpuNumber gpu = 0;
  };

  [[gnu::always_inline]] const Facts& facts(trace::LaneId lane) {
    if (trace_.lane_count() != known_) look();
    return lanes_[lane];
  }
  /// At all lanes again, since a new one may show who owns another. Rare, and kept out of what is inlined.
  void look();

  const trace::Trace& trace_;
  std::size_t known_ = 0;  // lanes
  std::vector<Facts> lanes_;
  trace::Owners owners_;
  std::map<std::pair<trace::Process, std::int64_t>, std::uint32_t> threads_;
};

// --- call names ------------------------------------------------------------------------------------------------------
// Classifies API calls, and kernels, by their names, with one lookup per name.

enum class CallRole : std::uint8_t {
  Other,
  KernelLaunch,  ///< cudaLaunchKernel and related calls
  MemoryCopy,    ///< cudaMemcpy, cudaMemcpyAsync and related calls
  Pinning,       ///< allocates page-locked memory, and blocks the CPU meanwhile
  Allocation,    ///< allocates or frees device memory: blocks the CPU, and may wait for the GPU
  Collective,    ///< no call: a kernel that exchanges data with other GPUs
};

class CallNames {
 public:
  explicit CallNames(const base::NameTable& names) : names_(names) {}
  CallRole role(base::NameId name) {
    if (name >= roles_.size()) learn(name);
    return roles_[name];
  }

 private:
  void learn(base::NameId up_to);

  const base::NameTable& names_;
  std::vector<CallRole> roles_;
};

// --- open ranges -----------------------------------------------------------------------------------------------------
// The open ranges of the program on each thread, to find the range of a call.

/// The innermost known range around a call. During a run, a range is known only when it has ended, after its calls. A
/// range that arrives later may be further inside.
struct RangeAround {
  base::NameId name = 0;  ///< 0: none
  base::Nanoseconds start = 0;

  /// Takes the range [from, to) if it contains `at` and is further inside; false otherwise.
  bool narrow(base::NameId range, base::Nanoseconds from, base::Nanoseconds to, base::Nanoseconds at) {
    if (at < from || at >= to || (name != 0 && from < start)) return false;
    name = range;
    start = from;
    return true;
  }
};

/// Receives ranges in start order; of those that start together, the outer one first.
class OpenRanges {
 public:
  void add(std::size_t thread, base::Nanoseconds start, base::Nanoseconds end, base::NameId name) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    forget(threads_[thread], start);
    threads_[thread].push_back({end, {name, start}});
  }
  /// The innermost range of a thread at time t. `t` must not decrease.
  RangeAround at(std::size_t thread, base::Nanoseconds t) {
    if (thread >= threads_.size()) return {};
    forget(threads_[thread], t);
    return threads_[thread].empty() ? RangeAround{} : threads_[thread].back().range;
  }

 private:
  struct Open {
    base::Nanoseconds end;
    RangeAround range;
  };

  static void forget(std::vector<Open>& ranges, base::Nanoseconds t) {
    while (!ranges.empty() && ranges.back().end <= t) ranges.pop_back();
  }

  std::vector<std::vector<Open>> threads_;  // innermost last
};

// --- ranges of the threads
// --------------------------------------------------------------------------------------------- Of a trace that is
// complete.

/// The ranges of each thread. Fast if the times asked for ascend.
class ThreadRanges {
 public:
  explicit ThreadRanges(const trace::Trace& trace);
  /// The innermost range on the lane's thread at the middle of [from, to), of those that cover half of it or more and
  /// are not longer than `longest_ns`; 0: none.
  base::NameId around(trace::LaneId lane, base::Nanoseconds from, base::Nanoseconds to,
                      base::Nanoseconds longest_ns = std::numeric_limits<base::Nanoseconds>::max());

 private:
  struct Cursor {
    const trace::Row* row;
    trace::EventIndex at = 0;
  };

  LaneFacts facts_;
  std::vector<std::vector<Cursor>> threads_;
};

/// "train.py" of "/home/me/train.py"; "model.py(20): forward" of the profiler's name of a Python function.
std::string_view without_folders(std::string_view path);

// --- copied bytes ----------------------------------------------------------------------------------------------------
// How much a copy moves, for sums.

/// At most 1 TiB: no GPU has as much memory, but a file may claim any number, and sums must not overflow.
inline std::int64_t copied_bytes(const trace::Event& copy) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  return static_cast<std::int64_t>(std::min(trace::bytes_of(copy), kMost));
}

}  // namespace lanescope::analysis
