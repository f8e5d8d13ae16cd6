// How fast the GPUs of a group exchange bytes: the bus bandwidth, which is what their links carry, whatever the
// operation and however many take part. With a transfer of B bytes in time t among n GPUs it is B/t times 2(n-1)/n for
// all-reduce, (n-1)/n for all-gather and reduce-scatter, and 1 for broadcast and reduce: as NVIDIA's NCCL tests count
// it (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).
#pragma once

#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/collectives.h"

namespace lanescope::analysis {

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

}  // namespace lanescope::analysis
