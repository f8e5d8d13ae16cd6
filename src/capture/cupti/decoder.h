// From CUPTI's activity records to the trace's events: reads buffers, joins calls with what they caused, mends or
// counts what cannot be, works out the parts of blocking calls, and writes events in start order, lane by lane.
//
// All of it runs on one thread, the decoder's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "capture/cupti/clock_map.h"
#include "capture/cupti/counts.h"
#include "capture/cupti/cupti_table.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti {

class Decoder {
 public:
  /// `counts` outlives it; `sink` too. Lanes: calls of a thread as trace::LaneKind::Calls "CUDA calls", process
  /// "lanescope", pid 0; tid 0 for the thread named by set_main_thread() and the thread's id for others (their lane is
  /// called "CUDA calls, thread 123"). Streams: number as CUPTI counts them, names as the simulated device's
  /// ("kernels", "copy H2D"; other streams than the default one: "kernels, stream 13").
  Decoder(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts);
  ~Decoder();

  /// The workload's thread (its system thread id). May change; those that were it before keep the lane.
  void set_main_thread(std::uint32_t tid);

  /// Reads one completed buffer. What is unreadable is counted, never thrown.
  void take(std::uint8_t* buffer, std::size_t valid_bytes);

  /// What the session knows of records that are still to come.
  struct Progress {
    Nanoseconds asked_ns = 0;                         ///< trace time at which the last flush that has returned began
    std::vector<std::uint32_t> threads_with_buffers;  ///< that asked for buffers which CUPTI still holds
    Nanoseconds oldest_open_call_ns = std::numeric_limits<Nanoseconds>::max();
  };
  /// Writes what is complete: an event is held back until everything that starts before it is known, so that lanes are
  /// written in start order and a call's parts can be worked out. Complete is everything that starts before the
  /// earliest of
  /// - asked_ns and oldest_open_call_ns;
  /// - the start of the oldest launch whose GPU operation has not come (waited for at most 10 s);
  /// - of every thread that holds a buffer (for at most 10 s after its last call) or whose last call ended less than
  ///   200 ms before asked_ns, that call's end.
  void advance(const Progress& progress);
  /// Up to where the trace is complete.
  Nanoseconds complete_until() const;

  /// The end: writes everything that is held back.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lanescope::capture::cupti
