// Why a GPU arrives last in a collective: what it did since the collective before, compared with the other GPUs.
//
//   GPU 0   ==]  gemm  gemm         [=======
//   GPU 1   ==]  gemm  gemm  gemm  gemm  [==      kernels: 2 gemm more
//   GPU 2   ==]  gemm        gemm        [==      idle for longer
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advisor.h"
#include "analysis/collectives.h"
#include "analysis/evidence.h"

namespace lanescope::analysis {

// --- collective rates ------------------------------------------------------------------------------------------------
// How fast the GPUs of a group exchange bytes: the bus bandwidth, which is what their links carry, whatever the
// operation and however many take part. With a transfer of B bytes in time t among n GPUs it is B/t times 2(n-1)/n for
// all-reduce, (n-1)/n for all-gather and reduce-scatter, and 1 for broadcast and reduce: as NVIDIA's NCCL tests count
// it (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).

/// What each link carries; 0 if the bytes or the factor of this operation are not known.
double bus_bytes(const Collective& collective);
/// In bytes per second: bus_bytes() by the mean of the parts' transfer times; 0: unknown.
double bus_rate(const Collective& collective);

struct GroupRate {
  std::vector<trace::GpuNumber> gpus;  ///< that take part
  std::int64_t collectives = 0;
  double bytes_per_s = 0;       ///< median of their bus bandwidths
  Nanoseconds transfer_ns = 0;  ///< of a GPU, in all
};
/// Of each group of GPUs, in the order of their numbers: of its collectives with at least so many bytes, of which the
/// rate is known. Those that last less than ten times the error of the clocks are left out.
std::vector<GroupRate> group_rates(const Collectives& collectives, std::uint64_t least_bytes = limits::kLargeExchange);
std::string rate_text(double bytes_per_s);  ///< "48.2 GB/s"
/// "rank 0, rank 1", or "8 GPUs".
std::string group_text(const Collectives& collectives, const GroupRate& group);
/// One sentence for each group, of at most four: what its links carry. Translated.
std::vector<std::string> rate_sentences(const Collectives& collectives);

// --- stragglers ------------------------------------------------------------------------------------------------------

enum class LateBy : std::uint8_t { Kernels, Copies, Idle };
inline constexpr std::size_t kLateBy = 3;
std::string_view late_by_key(LateBy by);  ///< "kernels", "copies", "idle"

/// By how much the GPU needed longer, from the end of its last collective to the start of the next, than the others did
/// on average. The parts add up to late_ns; negative where it needed less.
struct Lateness {
  trace::GpuNumber gpu = 0;
  /// In which it was the last, and before which all was recorded since each GPU's last one. 0: nothing is known.
  std::int64_t collectives = 0;
  Nanoseconds late_ns = 0;
  /// Other kernels; copies while no kernel ran; and neither.
  std::array<Nanoseconds, kLateBy> part_ns{};
  LateBy by = LateBy::Idle;  ///< the largest part
  /// The kernels that make the largest difference, and how many there were, also per other GPU. 0: none.
  base::NameId kernel = 0;
  Nanoseconds kernel_ns = 0;
  double launches = 0, launches_elsewhere = 0;
  /// The longest such kernel, copy or gap on this GPU. In a gap, the lane is that of the collective.
  Place place;

  /// Of that kernel, by more than a twentieth.
  bool more_launches() const { return launches > 1.05 * launches_elsewhere; }
  Nanoseconds part(LateBy which) const { return part_ns[static_cast<std::size_t>(which)]; }
};

/// Why this one's last GPU came last.
Lateness lateness_of(const trace::Trace& trace, const Collectives& collectives, std::size_t number);
/// The sum over all collectives in which this GPU was the last, of the newest `most` of them.
Lateness lateness_of_gpu(const trace::Trace& trace, const Collectives& collectives, trace::GpuNumber gpu,
                         std::size_t most = 2000);
/// The GPU that arrives last most often; empty if the verdict says that nobody knows who that is.
std::optional<trace::GpuNumber> most_often_last(const Collectives& collectives);
/// Of that one; empty without it, or if nothing is known of what it did.
std::optional<Lateness> lateness_of_worst(const trace::Trace& trace, const Collectives& collectives);
/// "its kernels take 310 µs longer: 24 × gemm instead of 20", translated. Of one collective, or the mean of several.
std::string lateness_text(const trace::Trace& trace, const Lateness& lateness);
/// The collectives' sentence and, of the one that lateness_of_worst() found, the reason.
std::string collectives_text(const trace::Trace& trace, const Collectives& collectives,
                             const std::optional<Lateness>& worst);

}  // namespace lanescope::analysis
