// A CUPTI capture from start to stop: subscription, activity kinds, buffers, a flush thread, a decode thread, open
// calls, and its health.
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

struct CaptureOptions {
  trace::CaptureLevel level = trace::CaptureLevel::All;
  std::int64_t origin_ns = 0;  ///< zero of the trace's time, on CLOCK_MONOTONIC
  std::size_t buffer_bytes = 64 * 1024;
  std::size_t buffers = 256;       ///< allocated and touched at the start
  std::size_t max_buffers = 2048;  ///< the pool grows up to this
  double flush_ms = 15;            ///< while records arrive; backs off to 100 when none do
  /// System thread id of the workload's thread. 0: the thread that first makes one of the watched calls (copies, waits,
  /// allocations: trace::CaptureLevel::All), until set_main_thread() is called.
  std::uint32_t main_thread = 0;
};

class CuptiCapture {
 public:
  /// Starts the capture. If CUPTI refuses, health() gives the reason; nothing is thrown. Only one capture per process
  /// can run: a second one is Busy. `table` is copied; `sink` must outlive the capture. In a child process after fork()
  /// a capture has no effect.
  CuptiCapture(const CuptiTable& table, trace::EventSink& sink, const CaptureOptions& options);
  ~CuptiCapture();  ///< calls stop()
  CuptiCapture(const CuptiCapture&) = delete;
  CuptiCapture& operator=(const CuptiCapture&) = delete;

  /// Callable from any thread. After stop(): the final state.
  trace::CaptureHealth health() const;
  /// The watched calls that have been open for more than 50 µs, oldest first. Callable from any thread.
  std::vector<trace::OpenCall> open_calls() const;
  /// Sets the workload's thread. Earlier main threads keep the lane. Callable from any thread.
  void set_main_thread(std::uint32_t thread) noexcept;
  /// Returns once everything issued and ended has been written to the sink, or after `limit_ms`. Callable from any
  /// thread.
  void flush(int limit_ms = 2000);
  /// Disables callbacks, then activity kinds; flushes, waits at most 200 ms for outstanding buffers, writes what is
  /// left, and unsubscribes. CUPTI stays loaded (cuptiFinalize is never called). Idempotent. Gives up if CUPTI does not
  /// return from a call within ten seconds. If nobody has called it, it runs at process exit and then also includes
  /// unfinished work.
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// Tries to subscribe. Empty if that is possible now, otherwise the reason in one line.
std::string subscription_problem(const CuptiTable& table);

}  // namespace lanescope::capture::cupti
