// The events of a file while it is read: lane by lane, in the file's order, packed like those of a trace. As the trace
// takes them over, their memory is given back, so that both together need it once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "trace/arena.h"
#include "trace/trace.h"

namespace lanescope::io {

class EventStore {
 public:
  static constexpr std::size_t kPiece = 1024;  ///< events
  /// Where an event is. In a lane, they ascend.
  using Handle = std::uint32_t;
  static constexpr std::size_t kMostEvents = 0xFFFFFFFFu - kPiece * trace::Trace::kMaxLanes;

  EventStore() = default;
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
    const Piece& from = piece(h);
    const trace::PackedEvent& rest = from.rest[h % kPiece];
    trace::Event event;
    event.start_ns = from.start[h % kPiece];
    event.end_ns = from.end[h % kPiece];
    event.name = rest.name_kind_flags & ((1u << 20) - 1);
    event.kind = static_cast<trace::EventKind>(rest.name_kind_flags >> 20 & 15);
    event.flags = static_cast<std::uint8_t>(rest.name_kind_flags >> 24);
    event.correlation = rest.correlation;
    event.a = rest.a;
    event.b = rest.b;
    event.c = rest.c;
    event.lane = lane_of_[h / kPiece];
    return event;
  }
  /// The event stays in its lane.
  void set(Handle h, const trace::Event& event) {
    Piece& to = *pieces_[h / kPiece];
    to.start[h % kPiece] = event.start_ns;
    to.end[h % kPiece] = event.end_ns;
    to.rest[h % kPiece] = {
        event.name | static_cast<std::uint32_t>(event.kind) << 20 | static_cast<std::uint32_t>(event.flags) << 24,
        event.correlation, event.a, event.b, event.c};
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
    }
  }
  /// Gives back the memory of the piece with the i-th event of a lane, and of no other.
  void give_back(std::size_t lane, std::size_t i) {
    trace::Arena::give_back(pieces_[lanes_[lane].pieces[i / kPiece]], sizeof(Piece));
  }

 private:
  struct Piece {
    std::array<base::Nanoseconds, kPiece> start, end;
    std::array<trace::PackedEvent, kPiece> rest;
  };
  static_assert(sizeof(Piece) % 4096 == 0);  // whole pages
  struct Lane {
    std::vector<std::uint32_t> pieces;  // numbers in pieces_
    std::size_t size = 0;
  };

  const Piece& piece(Handle h) const { return *pieces_[h / kPiece]; }
  void add_piece(trace::LaneId lane) {
    lanes_[lane].pieces.push_back(static_cast<std::uint32_t>(pieces_.size()));
    lane_of_.push_back(lane);
    pieces_.push_back(new (arena_.take(sizeof(Piece))) Piece);
  }

  trace::Arena arena_;
  std::vector<Piece*> pieces_;
  std::vector<trace::LaneId> lane_of_;  // the lane of each piece
  std::vector<Lane> lanes_;
  std::size_t size_ = 0;
};

}  // namespace lanescope::io
