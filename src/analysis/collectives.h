// The collectives of several GPUs (NCCL, RCCL): which kernels are one, who arrived last, and how much of their time is
// waiting for that GPU.
//
//   GPU 0   [======================]      waits from its start to the last start, then transfers
//   GPU 1             [============]      arrived last: it transfers all the time
//
// A collective's kernels transfer only while all of them run, so those that belong together overlap in time. Where the
// kernels name their process group, as in the PyTorch profiler's files, only those of one group belong together, and
// those of one sequence number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/whole_iterations.h"
#include "base/background_job.h"
#include "trace/links.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// "AllReduce", "SendRecv"; empty if a kernel of this name is no collective.
std::string_view collective_operation(std::string_view kernel);
/// Most of RCCL's kernels are "Generic": then by what they say, if they do.
std::string_view collective_operation(std::string_view kernel, const trace::CollectiveFacts& says);

struct CollectivePart {
  trace::GpuNumber gpu = 0;
  trace::EventPlace place;
  Nanoseconds start_ns = 0, end_ns = 0;
};
/// One collective, with a part for each GPU of its process group, in the order of the GPUs.
struct Collective {
  std::string_view operation;
  std::vector<CollectivePart> parts;
  Nanoseconds last_start_ns = 0;
  Nanoseconds last_but_one_ns = 0;  ///< the start of the last but one
  std::size_t last = 0;             ///< of the parts: the one that arrived last
  std::uint64_t bytes = 0;          ///< see bytes_of_collective(); 0: not known

  Nanoseconds waited_ns(const CollectivePart& part) const { return last_start_ns - part.start_ns; }
  Nanoseconds transfer_ns(const CollectivePart& part) const { return part.end_ns - last_start_ns; }
};

enum class CollectiveVerdict : std::uint8_t {
  Inconclusive,  ///< too few, or too many kernels without their counterparts
  Transfer,      ///< most of their time is transfer: bytes and links
  Skew,          ///< most of their time is waiting for the last GPU: look at what that one did before
  Mixed,
};
std::string_view verdict_key(CollectiveVerdict verdict);  ///< "arrival-skew-dominated"

struct GpuCollectives {
  trace::GpuNumber gpu = 0;
  std::string name;  ///< gpu_name()
  std::int64_t count = 0, arrived_last = 0;
  Nanoseconds wait_ns = 0, transfer_ns = 0;
  Nanoseconds communication_ns = 0;     ///< the union of all its collective kernels, also unmatched ones
  Nanoseconds exposed_ns = 0;           ///< of that, while no other kernel ran on the GPU
  Nanoseconds exposed_transfer_ns = 0;  ///< of transfer_ns, likewise
  Nanoseconds delays_ns = 0;            ///< where it arrived last: how long after the last but one
};
struct Collectives {
  std::vector<Collective> all;       ///< in time order
  std::vector<GpuCollectives> gpus;  ///< of each GPU that takes part
  std::int64_t unmatched = 0;        ///< kernels without a counterpart on every other GPU of their group
  CollectiveVerdict verdict = CollectiveVerdict::Inconclusive;
  Nanoseconds clock_error_ns = 0;  ///< as given
  /// One sentence, translated.
  std::string sentence;
};
/// The collective kernels of all GPUs that start in [from, to). Empty (no GPUs) without such kernels. Where only one
/// GPU has any, its communication is known, and nothing else. A skew below twice `clock_error_ns` (of GPUs whose clocks
/// had to be aligned) says nothing about who arrived last. Empty, too, soon after `stop` was set.
Collectives collectives(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, Nanoseconds clock_error_ns = 0,
                        const base::Stop* stop = nullptr);
/// Of several stretches, in time order.
Collectives collectives(const trace::Trace& trace, std::span<const TimeSpan> stretches, Nanoseconds clock_error_ns = 0,
                        const base::Stop* stop = nullptr);

/// What is exchanged, as NCCL's tests count it: the array that is reduced or sent, or the one that is gathered or
/// scattered, whole. 0: not known. `operation`: "AllGather"; `gpus`: how many take part.
std::uint64_t bytes_of_collective(const trace::CollectiveFacts& says, std::string_view operation, std::size_t gpus);

}  // namespace lanescope::analysis
