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

#include "analysis/collectives.h"
#include "analysis/evidence.h"

namespace lanescope::analysis {

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
