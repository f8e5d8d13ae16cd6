// The recent latency of GPU operations, from their end until they are visible.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "base/time.h"
#include "capture/assembly/counts.h"

namespace lanescope::capture {

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
