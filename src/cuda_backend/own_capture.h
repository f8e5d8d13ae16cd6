// Records the GPU's work and the API calls of this process, for our own training loops: the injected library's code
// without a viewer. It writes messages into a ring, which is read here, on the same thread.
//
//   callbacks, CUPTI's buffers ─▶ ring ─▶ MessageReader ─▶ Assembler ─▶ EventWriter
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/capture_health.h"
#include "trace/sink.h"

namespace lanescope::cuda_backend {

class OwnCapture {
 public:
  /// Starts. If CUPTI refuses, health() gives the reason; nothing is thrown. One at a time: a second one is Busy.
  /// `sink` must outlive it. In a child process after fork() it has no effect. `origin_ns` is CLOCK_MONOTONIC at the
  /// trace's time 0.
  OwnCapture(trace::EventSink& sink, std::int64_t origin_ns, trace::CaptureLevel level);
  ~OwnCapture();  ///< calls stop()
  OwnCapture(const OwnCapture&) = delete;
  OwnCapture& operator=(const OwnCapture&) = delete;

  /// Why nothing can be recorded now, in one line; empty: it can.
  static std::string problem();

  // Callable from any thread.

  /// After stop(): the final state.
  trace::CaptureHealth health() const;
  /// The calls that have been open for more than 50 µs, oldest first.
  std::vector<trace::OpenCall> open_calls() const;
  /// Sets the workload's thread by its system thread id. Earlier ones keep the lane. Until one is named, it is the one
  /// whose call is seen first.
  void set_main_thread(std::uint32_t thread);
  /// Returns once everything issued and ended has been written to the sink, or after `limit_ms`.
  void flush(int limit_ms = 2000);
  /// Writes what is there by then. Gives up if CUPTI does not return within ten seconds. If nobody has called it, it
  /// runs at the process's exit, and then also takes what is not complete.
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace lanescope::cuda_backend
