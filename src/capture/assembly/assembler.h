// Holds events back until everything that starts before them is known, then writes them lane by lane in start order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "capture/assembly/containers.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/operation_names.h"
#include "capture/assembly/pairing.h"
#include "capture/assembly/record.h"
#include "trace/sink.h"

namespace lanescope::capture {

/// One thread at a time.
class Assembler {
 public:
  /// `noted` is told of each call that is written.
  using OnCallWritten = std::function<void(const trace::Event& call, const Record& record)>;
  Assembler(trace::EventSink& sink, Counts& counts, LaneNames names = {}, OnCallWritten noted = {});

  void set_main_thread(std::uint32_t tid);
  bool is_main(std::uint32_t tid) const {
    return std::find(main_tids_.begin(), main_tids_.end(), tid) != main_tids_.end();
  }
  void add(const Record& record);
  /// Bounds memory use: if too many events are held back, writes the older half, even if earlier ones may still come.
  void relieve(Nanoseconds now_ns);
  void advance(const Progress& progress, Nanoseconds now_ns);
  void finish(Nanoseconds now_ns);
  /// After finish(): nothing more comes, so other writers of the same trace need not be held up by this one.
  void close() { writer_.reset(); }
  Nanoseconds complete_until() const { return complete_ns_; }

 private:
  static constexpr std::int32_t kNoLane = -1;   // not created yet
  static constexpr std::int32_t kNowhere = -2;  // the sink has no more lanes
  struct StartsBefore {
    bool operator()(const Record& a, const Record& b) const { return starts_before(a, b); }
  };
  struct Lane {
    SortedQueue<Record, StartsBefore> held;
    std::int32_t id = kNoLane;
    Nanoseconds written_ns = std::numeric_limits<Nanoseconds>::min();  // start of the last event
  };
  struct Thread {
    std::uint32_t tid = 0;
    Lane calls;
  };
  struct Stream {
    std::uint32_t device = 0, context = 0, number = 0;
    std::array<Lane, 4> lanes;  // kernels, copies H2D, copies D2H, other copies
  };

  void add_call(const Record& record);
  void add_operation(const Record& record);
  void add_overhead(const Record& record);
  /// Index into threads_ or streams_; kTooMany if there is no space left.
  std::uint32_t thread_of(std::uint32_t tid);
  std::uint32_t stream_of(const Record& op);
  static constexpr std::uint32_t kTooMany = 0xFFFFFFFF;
  static constexpr std::uint32_t kMost = 4096;  // threads, and streams, respectively

  Nanoseconds complete_at(const Progress& progress);
  void release(Nanoseconds until, Nanoseconds now_ns);
  template <typename Write>
  void release(Lane& lane, Nanoseconds until, Write&& write);
  /// Returns whether the lane exists; creates it for its first event.
  template <typename Describe>
  bool open(Lane& lane, Describe&& describe);
  trace::LaneInfo describe(const Thread& thread) const;
  trace::LaneInfo describe(const Stream& stream, std::size_t which) const;
  void write(const trace::Event& event, Lane& lane);
  void publish_pending() { counts_.pending.store(held_, std::memory_order_relaxed); }

  trace::EventSink& sink_;
  Counts& counts_;
  const LaneNames names_;
  const OnCallWritten noted_;
  std::unique_ptr<trace::EventWriter> writer_;
  Pairing pairing_;
  Waits waits_;
  Latency latency_;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_places_;
  std::unordered_map<std::uint64_t, std::uint32_t> stream_places_;  // by device and stream number
  std::uint32_t last_thread_ = 0, last_stream_ = 0;                 // the last indices looked up, as a cache
  std::vector<std::uint32_t> main_tids_;                            // they share one lane, because they take turns
  std::size_t held_ = 0;
  Nanoseconds complete_ns_ = std::numeric_limits<Nanoseconds>::min() + 1;  // already reported at the start; before all
                                                                           // times
  std::vector<Nanoseconds> starts_;                                        // scratch space of relieve()
};

}  // namespace lanescope::capture
