// The capture's counters, written by its threads and readable from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/time.h"
#include "trace/capture_health.h"

namespace lanescope::capture {

using Count = std::atomic<std::uint64_t>;

inline void add(Count& count, std::uint64_t n = 1) { count.fetch_add(n, std::memory_order_relaxed); }

/// Explained at trace::CaptureHealth.
struct Counts {
  Count received{0}, calls{0}, operations{0}, pending{0};
  Count dropped{0}, far_off{0}, duplicates{0}, unknown_kind{0};
  Count clamped{0}, late{0}, before_call{0}, worst_before_call_ns{0};
  Count launches_unmatched{0}, operations_unmatched{0}, queue_full_ns{0}, overhead_ns{0};
  std::atomic<double> latency_p50_ms{0}, latency_p99_ms{0};
};

/// Adds them to what the health has already; of latencies, the larger counts.
void add_to(trace::CaptureHealth& health, const Counts& counts);

// --- latency ---------------------------------------------------------------------------------------------------------
// The recent latency of GPU operations, from their end until they are visible.

class Latency {
 public:
  void add(base::Nanoseconds latency_ns) {
    last_[count_++ % last_.size()] = latency_ns;
    fresh_ = true;
  }
  /// Stores the percentiles from time to time, because sorting is far more expensive than adding.
  void publish(Counts& counts, base::Nanoseconds now_ns, bool in_any_case = false) {
    if (!fresh_ || (!in_any_case && now_ns < next_ns_)) return;
    next_ns_ = now_ns + kInterval;
    fresh_ = false;
    const std::size_t n = std::min(count_, last_.size());
    std::array<base::Nanoseconds, kLast> sorted;
    std::copy_n(last_.begin(), n, sorted.begin());
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
    counts.latency_p50_ms.store(static_cast<double>(sorted[n / 2]) / 1e6, std::memory_order_relaxed);
    counts.latency_p99_ms.store(static_cast<double>(sorted[n * 99 / 100]) / 1e6, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kLast = 1024;
  static constexpr base::Nanoseconds kInterval = 100 * base::kMillisecond;

  std::array<base::Nanoseconds, kLast> last_{};
  std::size_t count_ = 0;
  bool fresh_ = false;
  base::Nanoseconds next_ns_ = std::numeric_limits<base::Nanoseconds>::min();
};

}  // namespace lanescope::capture
