// The capture's counters, written by its threads and readable from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/capture_health.h"

namespace lanescope::capture {

using Count = std::atomic<std::uint64_t>;

inline void add(Count& count, std::uint64_t n = 1) { count.fetch_add(n, std::memory_order_relaxed); }

/// Explained at trace::CaptureHealth.
struct Counts {
  // Decoder.
  Count received{0}, calls{0}, operations{0}, pending{0};
  Count untimed{0}, far_off{0}, duplicates{0}, unknown_kind{0};
  Count clamped{0}, late{0}, before_call{0}, worst_before_call_ns{0};
  Count launches_unmatched{0}, operations_unmatched{0}, clock_steps{0}, queue_full_ns{0}, overhead_ns{0};
  std::atomic<double> latency_p50_ms{0}, latency_p99_ms{0};
  // Buffers.
  Count dropped{0}, no_buffer{0};
  Count buffers_total{0}, buffers_out{0}, buffers_peak{0}, buffers_completed{0};
};

/// Adds them to what the health has already; of latencies, the larger counts.
void add_to(trace::CaptureHealth& health, const Counts& counts);

}  // namespace lanescope::capture
