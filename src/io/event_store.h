// The events of a file while it is read: lane by lane, in the file's order, packed like those of a trace, in memory of
// the trace. As it takes them over, it uses that memory again, so that both together need it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "base/name_table.h"
#include "io/reading.h"
#include "trace/event.h"
#include "trace/names.h"
#include "trace/sink.h"
#include "trace/trace.h"

namespace lanescope::io {

class EventStore {
 public:
  static constexpr std::size_t kPiece = trace::kBlockEvents;
  /// Where an event is. In a lane, they ascend.
  using Handle = std::uint32_t;
  static constexpr std::size_t kMostEvents = 0xFFFFFFFFu - kPiece * trace::Trace::kMaxLanes;

  /// The trace is used only for memory.
  explicit EventStore(trace::Trace& trace) : trace_(trace) {}
  EventStore(const EventStore&) = delete;
  EventStore& operator=(const EventStore&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t lane_count() const { return lanes_.size(); }
  std::size_t size(std::size_t lane) const { return lanes_[lane].size; }

  void push_back(const trace::Event& event) {
    if (event.lane >= lanes_.size()) lanes_.resize(std::size_t{event.lane} + 1);
    Lane& lane = lanes_[event.lane];
    if (lane.size == lane.pieces.size() * kPiece) add_piece(event.lane);
    ++size_;
    set(handle(event.lane, lane.size++), event);
  }
  Handle handle(std::size_t lane, std::size_t i) const {
    return static_cast<Handle>(lanes_[lane].pieces[i / kPiece] * kPiece + i % kPiece);
  }

  base::Nanoseconds start(Handle h) const { return piece(h).start[h % kPiece]; }
  base::Nanoseconds end(Handle h) const { return piece(h).end[h % kPiece]; }
  std::uint32_t correlation(Handle h) const { return piece(h).rest[h % kPiece].correlation; }
  trace::LaneId lane(Handle h) const { return lane_of_[h / kPiece]; }
  trace::Event operator[](Handle h) const {
    trace::Event event = trace::event(piece(h), h % kPiece);
    event.lane = lane_of_[h / kPiece];
    return event;
  }
  /// The event stays in its lane.
  void set(Handle h, const trace::Event& event) {
    trace::Block& to = *pieces_[h / kPiece];
    to.start[h % kPiece] = event.start_ns;
    to.end[h % kPiece] = event.end_ns;
    to.rest[h % kPiece] = trace::pack(event);
  }

  /// Passes every handle, lane by lane.
  template <class Function>
  void for_each(Function&& function) const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      for (std::size_t i = 0; i < lanes_[lane].size; ++i) function(handle(lane, i));
    }
  }
  /// Those left stay in order; handles taken before are no longer valid.
  template <class Keep>
  void keep_if(Keep&& keep) {
    size_ = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < lanes_[lane].size; ++i) {
        const Handle from = handle(lane, i);
        if (keep(from)) set(handle(lane, kept++), (*this)[from]);
      }
      lanes_[lane].size = kept;
      size_ += kept;
      std::vector<std::uint32_t>& pieces = lanes_[lane].pieces;
      for (; pieces.size() * kPiece >= kept + kPiece; pieces.pop_back()) trace_.take_back(pieces_[pieces.back()]);
    }
  }
  /// Those after it in its lane move up.
  void remove(std::size_t lane, std::size_t i) {
    for (; i + 1 < lanes_[lane].size; ++i) set(handle(lane, i), (*this)[handle(lane, i + 1)]);
    --lanes_[lane].size;
    --size_;
  }
  /// The trace gets the memory of the piece with the i-th event of a lane, which is no longer needed.
  void give_back(std::size_t lane, std::size_t i) { trace_.take_back(pieces_[lanes_[lane].pieces[i / kPiece]]); }

 private:
  struct Lane {
    std::vector<std::uint32_t> pieces;  // numbers in pieces_
    std::size_t size = 0;
  };

  const trace::Block& piece(Handle h) const { return *pieces_[h / kPiece]; }
  void add_piece(trace::LaneId lane) {
    lanes_[lane].pieces.push_back(static_cast<std::uint32_t>(pieces_.size()));
    lane_of_.push_back(lane);
    pieces_.push_back(trace_.lend_block());
  }

  trace::Trace& trace_;
  std::vector<trace::Block*> pieces_;
  std::vector<trace::LaneId> lane_of_;  // the lane of each piece
  std::vector<Lane> lanes_;
  std::size_t size_ = 0;
};

// --- call inference --------------------------------------------------------------------------------------------------
// Derives what another program's trace does not state about its API calls: which of them synchronise or launch, and how
// long a blocking one waited, copied and took to return.

/// The profiler's own record of a synchronisation ("cuda_sync"): the GPU side of the call with the same correlation.
struct SyncRecord {
  std::int64_t pid = 0;  ///< the calling process
  std::uint32_t correlation = 0;
  base::Nanoseconds start_ns = 0;
  std::int32_t device = -1;  ///< -1: unknown
  std::int32_t stream = -1;  ///< the stream waited for; -1: the whole device, or unknown
};

/// What is wrong with a file's records of the GPU.
struct RecordFaults {
  static constexpr base::Nanoseconds kBegin = std::numeric_limits<base::Nanoseconds>::min(),
                                     kEnd = std::numeric_limits<base::Nanoseconds>::max();
  std::size_t launches = 0;  ///< of kernels and graphs, outside of captures
  std::size_t without = 0;   ///< three or more one after the other whose operation is not in the file
  /// Meanwhile: what the GPU did in [from, to) is not known; of the calls after it, those from `calls_from` on are.
  struct Unknown {
    std::int64_t pid = 0;
    base::Nanoseconds from = 0, to = 0, calls_from = 0;
  };
  std::vector<Unknown> unknown;
  std::size_t early = 0;  ///< operations that begin far earlier than the call that launched them
  base::Nanoseconds most_early_ns = 0;
};

/// Sets the flags and parts of every Call, and which copies are asynchronous. An event's lane is its index in `lanes`;
/// GPU lanes have the pid of the process that uses the GPU.
///
/// A synchronisation waited until the last GPU operation ended that was issued before the call, ran on the stream (or
/// device) waited for, and ended within the call; the rest is its return. If there is no such operation, nothing is
/// known, and all of its time stays own cost. A blocking copy, a copy from the device to pageable memory, and one of
/// more than 64 KB from pageable memory were blocked while their own bytes moved, and before that waited for earlier
/// work on their stream. Throws Cancelled if `progress` requests a stop.
RecordFaults infer_calls(EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
                         std::span<const SyncRecord> syncs, const ReadProgress& progress);

// --- recordings ------------------------------------------------------------------------------------------------------
// What a foreign file recorded: a profiler that is switched on again and again (PyTorch's `schedule(repeat=2)`) leaves
// holes between its recordings, in which a program was not idle but unseen.

struct Recorded {
  base::Nanoseconds from_ns = 0, to_ns = 0;
};

/// Of each process of which the file holds several recordings: when they were, in order. Two recordings are told by
/// numbers of iterations that do not follow each other, or by the profiler's own statement of when it ran (`windows`,
/// in any order), with nothing between them: no call, no operator, no work of the GPU. Other ranges may go on, since
/// their ends are the program's. Throws Cancelled if `stop` says so.
std::map<std::int64_t, std::vector<Recorded>> recordings_in(const EventStore& events,
                                                            std::span<const trace::LaneInfo> lanes,
                                                            std::vector<Recorded> windows, StopCheck& stop);

}  // namespace lanescope::io
