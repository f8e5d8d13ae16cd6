// A capture through CUPTI from start to stop: subscription, activity kinds, buffers, a flush thread and a decode
// thread, calls that are open, and the state of it all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/cupti/cupti_table.h"
#include "trace/capture_health.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti {

/// Each includes those before it; the same steps as device::CaptureLevel.
enum class Level : std::uint8_t { None, Subscribed, Kernels, Operations, Calls, All };

struct SessionOptions {
  Level level = Level::All;
  std::int64_t origin_ns = 0;  ///< of the trace's time, on CLOCK_MONOTONIC
  std::size_t buffer_bytes = 64 * 1024;
  std::size_t buffers = 256;       ///< made and touched at the start
  std::size_t max_buffers = 2048;  ///< the pool grows up to this
  double flush_ms = 15;            ///< while records flow; backs off to 100 when none do
  /// System thread id of the workload's thread. 0: the thread that first makes one of the watched calls (copies, waits,
  /// allocations: Level::All), until set_main_thread() says otherwise.
  std::uint32_t main_thread = 0;
};

class Session {
 public:
  /// Starts; never throws for what CUPTI refuses: health() says it. One at a time in a process: a second is Busy.
  /// `table` is copied; `sink` outlives it. In a child after fork() a session is dead: nothing it does has an effect.
  Session(const CuptiTable& table, trace::EventSink& sink, const SessionOptions& options);
  ~Session();  ///< stop()
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// From any thread. After stop(): as it was at the end.
  trace::CaptureHealth health() const;
  /// The watched calls that have been open for more than 50 µs, oldest first. From any thread.
  std::vector<trace::OpenCall> open_calls() const;
  /// The workload's thread. From any thread; those that were it before keep the lane.
  void set_main_thread(std::uint32_t thread) noexcept;
  /// Returns when all that was issued and has ended is written to the sink, or after `limit_ms`. From any thread.
  void flush(int limit_ms = 2000);
  /// Disables callbacks, then kinds, flushes, waits at most 200 ms for buffers that are still out, writes what is
  /// left, unsubscribes. CUPTI stays loaded (never cuptiFinalize). Idempotent. Gives up on a CUPTI that does not come
  /// back from a call for ten seconds. Happens at the process's exit if nobody has called it, and there takes also what
  /// has not ended yet.
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// Whether a subscription is possible now, by trying: empty, or one line that says why not.
std::string subscription_problem(const CuptiTable& table);

}  // namespace lanescope::capture::cupti
