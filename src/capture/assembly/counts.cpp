#include "capture/assembly/counts.h"

#include <algorithm>

namespace lanescope::capture {

void add_to(trace::CaptureHealth& health, const Counts& counts) {
  health.received += counts.received;
  health.calls += counts.calls;
  health.operations += counts.operations;
  health.pending += counts.pending;
  health.dropped += counts.dropped;
  health.far_off += counts.far_off;
  health.duplicates += counts.duplicates;
  health.unknown_kind += counts.unknown_kind;
  health.clamped += counts.clamped;
  health.late += counts.late;
  health.before_call += counts.before_call;
  health.worst_before_call_ns =
      std::max(health.worst_before_call_ns, static_cast<trace::Nanoseconds>(counts.worst_before_call_ns.load()));
  health.launches_unmatched += counts.launches_unmatched;
  health.operations_unmatched += counts.operations_unmatched;
  health.queue_full_ns += counts.queue_full_ns;
  health.overhead_ns += counts.overhead_ns;
  health.latency_p50_ms = std::max(health.latency_p50_ms, counts.latency_p50_ms.load());
  health.latency_p99_ms = std::max(health.latency_p99_ms, counts.latency_p99_ms.load());
}

}  // namespace lanescope::capture
