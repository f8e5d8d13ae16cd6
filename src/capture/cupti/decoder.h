// Converts CUPTI's activity records to the trace's events. It reads buffers, pairs calls with their operations, repairs
// or counts inconsistencies, derives the parts of blocking calls, and writes events in start order, lane by lane.
//
// Runs on one thread only, the decoder thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/operation_names.h"
#include "capture/assembly/record.h"
#include "capture/cupti/cupti_table.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti {

// --- clock map -------------------------------------------------------------------------------------------------------
// Converts CUPTI's timestamps to the trace's time.

using base::Nanoseconds;

/// CUPTI uses its own clock (CLOCK_REALTIME on Linux); the trace's time is CLOCK_MONOTONIC minus an origin. Both run at
/// the same rate, so their offset changes only when the wall clock is set. Decoder thread only.
class ClockMap {
 public:
  struct Clocks {
    std::function<std::uint64_t()> cupti_ns;  ///< cuptiGetTimestamp
    std::function<Nanoseconds()> trace_ns;    ///< CLOCK_MONOTONIC minus the origin
  };
  explicit ClockMap(Clocks clocks);

  /// Compares the clocks, using the best of several brackets. Returns true if the offset has jumped by more than 50 µs,
  /// which starts a new epoch. The first call only determines the offset.
  bool compare();
  bool known() const { return !epochs_.empty(); }
  Nanoseconds now_ns() const { return clocks_.trace_ns(); }
  /// How far CUPTI's clock was set forward (negative: back) at the last jump.
  Nanoseconds last_jump_ns() const;
  /// Uses the newest known epoch in which the timestamp is not in the future, or the newest of all if there is none.
  Nanoseconds to_trace(std::uint64_t cupti_ns) const;

 private:
  struct Epoch {
    Nanoseconds distance_ns;  ///< offset: CUPTI's clock minus the trace's
  };
  Clocks clocks_;
  std::deque<Epoch> epochs_;                                                   // oldest first, at most 8
  mutable Nanoseconds seen_now_ns_ = std::numeric_limits<Nanoseconds>::min();  // a lower bound of the current time
};

// --- names -----------------------------------------------------------------------------------------------------------
// The names of CUPTI's calls, kernels and copies in the trace.

class Names {
 public:
  Names(const CuptiTable& table, trace::EventSink& sink) : table_(table), sink_(sink) {}

  struct Api {
    NameId name = 0;
    trace::CallNature nature = trace::CallNature::Other;
    std::uint8_t traits = 0;  ///< as in Record
    bool known = false;
  };
  /// The name and the traits of the call with this number.
  Api api(bool driver, std::uint32_t cbid);
  /// Compares the text itself, because CUPTI may later store another name at the same address.
  NameId kernel(const char* text);
  /// Takes CUPTI's numbers for the kinds of copy and memory.
  NameId copy(std::uint8_t copy_kind, std::uint8_t from, std::uint8_t to);
  NameId memset(std::uint16_t memory_kind);

 private:
  static constexpr std::size_t kMaxCbid = 4096;
  struct AtAddress {
    const char* address = nullptr;
    std::string text;
    NameId id = 0;
  };
  Api make_api(bool driver, std::uint32_t cbid);

  const CuptiTable table_;
  trace::EventSink& sink_;
  std::array<std::vector<Api>, 2> apis_;  // runtime, driver
  std::array<AtAddress, 256> recent_;     // by hash of the address
  std::unordered_map<std::string, NameId> kernels_;
  std::array<NameId, kCopyKinds * kMemoryKinds * kMemoryKinds> copies_{};
  std::array<NameId, kMemoryKinds> memsets_{};
};

// --- launches --------------------------------------------------------------------------------------------------------
// The launch configurations of recorded kernels, with a cache so that a kernel that was launched this way before takes
// no lock.

class Launches {
 public:
  explicit Launches(trace::EventSink& sink) : sink_(sink) {}

  /// LaunchTable::kNone if the sink cannot take it.
  std::uint32_t number_of(const trace::LaunchShape& shape) {
    Known& known = recent_[trace::hash_of(shape) % recent_.size()];
    if (known.number == trace::LaunchTable::kNone || known.shape != shape) {
      try {
        known = {shape, sink_.launch(shape)};
      } catch (...) {  // out of memory: the kernel itself is not lost
        return trace::LaunchTable::kNone;
      }
    }
    return known.number;
  }

 private:
  struct Known {
    trace::LaunchShape shape;
    std::uint32_t number = trace::LaunchTable::kNone;
  };

  trace::EventSink& sink_;
  std::array<Known, 512> recent_{};
};

// --- record reader ---------------------------------------------------------------------------------------------------
// Converts the structs of cupti_activity.h to Record. Each struct is read as its oldest version that has the required
// fields, because newer versions only append fields.

class RecordReader {
 public:
  RecordReader(const CuptiTable& table, const ClockMap& clock, Names& names, Launches& launches, Counts& counts)
      : version_(table.version), clock_(clock), names_(names), launches_(launches), counts_(counts) {}

  /// False if the record is of an unused kind, or has no plausible timestamp (which is counted). Frees what CUPTI
  /// allocated for the record.
  bool read(const CUpti_Activity& activity, Nanoseconds now, Record& record);

 private:
  bool read_call(const CUpti_ActivityAPI& api, bool driver, Nanoseconds now, Record& record);
  template <typename Copy>
  bool read_copy(const Copy& copy, Nanoseconds now, Record& record);
  bool read_overhead(const CUpti_Activity& activity, Nanoseconds now, Record& record);
  bool set_times(std::uint64_t start, std::uint64_t end, Nanoseconds now, Record& record);

  const std::uint32_t version_;
  const ClockMap& clock_;
  Names& names_;
  Launches& launches_;
  Counts& counts_;
};

// --- decoder ---------------------------------------------------------------------------------------------------------

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
