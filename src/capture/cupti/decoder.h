// Converts CUPTI's activity records to the trace's events. It reads buffers, pairs calls with their operations, repairs
// or counts inconsistencies, derives the parts of blocking calls, and writes events in start order, lane by lane.
//
// Runs on one thread only, the decoder thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "capture/assembly/counts.h"
#include "capture/assembly/record.h"
#include "capture/cupti/clock_map.h"
#include "capture/cupti/cupti_table.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti {

class Decoder {
 public:
  /// `counts` and `sink` must outlive it. Lanes: a thread's calls as trace::LaneKind::Calls "CUDA calls", process
  /// "lanescope", pid 0; tid 0 for the thread set by set_main_thread(), the thread's id for others (whose lane is named
  /// "CUDA calls, thread 123"). Streams: numbered as by CUPTI, named as on the simulated device ("kernels", "copy H2D";
  /// for other streams than the default one "kernels, stream 13").
  Decoder(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts);
  ~Decoder();

  /// Sets the workload's thread by its system thread id. Earlier main threads keep the lane.
  void set_main_thread(std::uint32_t tid);

  /// Reads one completed buffer. Unreadable records are counted; nothing is thrown.
  void take(std::uint8_t* buffer, std::size_t valid_bytes);

  using Progress = capture::Progress;
  /// Writes what is complete. An event is held back until everything that starts before it is known, so that lanes are
  /// written in start order and a call's parts can be derived. Complete is everything that starts before the earliest
  /// of
  /// - asked_ns and oldest_open_call_ns;
  /// - the start of the oldest launch whose GPU operation is missing (for at most 10 s);
  /// - the end of the last call of each thread that holds a buffer (for at most 10 s after that call) or that made this
  ///   call less than 200 ms before asked_ns.
  void advance(const Progress& progress);
  /// The time up to which the trace is complete.
  Nanoseconds complete_until() const;

  /// Ends the capture: writes everything held back.
  void finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lanescope::capture::cupti
