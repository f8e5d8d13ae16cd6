// The simulated GPU: streams, engines, and when each operation runs. A small discrete-event simulation that decides as
// late as it can: nothing that a later call could still influence is decided before the host's clock has passed it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/sim/memory.h"
#include "trace/sink.h"

namespace lanescope::device::sim {

using base::Nanoseconds;

enum class Engine : std::uint8_t { Compute, CopyH2D, CopyD2H, None };
inline constexpr std::size_t kEngines = 3;

/// An entry of a stream: the seq-th that was ever put there.
struct Position {
  static constexpr std::uint32_t kNoStream = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t stream = kNoStream;
  std::uint64_t seq = 0;

  bool operator==(const Position&) const = default;
};

/// When an event with timing happened: its newest record, once that is decided.
struct EventStamp {
  Position position;
  Nanoseconds at_ns = 0;
};

/// One command in a stream: an operation on an engine, or (Engine::None) an event record or a wait, which take no time.
struct Entry {
  trace::Event event;          ///< of an operation: complete but for its times, which the timeline decides
  Nanoseconds arrival_ns = 0;  ///< when its launch has reached the device
  Nanoseconds duration_ns = 0;
  Nanoseconds earliest_end_ns = 0;  ///< a staged copy: its last chunk is not there before
  Position after;                   ///< another stream's entry that it waits for
  EventStamp* stamp = nullptr;      ///< an event record with timing: where its instant is kept
  std::uint64_t order = 0;          ///< of issue
  Nanoseconds free_ns = 0;          ///< decided: when nothing earlier stood in its way any more, its launch aside
  Nanoseconds copy_start_ns = 0;    ///< decided: if its end is the end of a copy, that copy's start, else its end
  Engine engine = Engine::None;
  bool has_work = false;  ///< it changes bytes when it ends

  bool is_operation() const { return engine != Engine::None; }
};

/// Ends an operation whose duration depends on its start.
class EndRule {
 public:
  virtual ~EndRule() = default;
  virtual Nanoseconds end_for(Nanoseconds start) = 0;
};

class GpuTimeline {
 public:
  GpuTimeline(trace::EventWriter& writer, Memory& memory) : writer_(writer), memory_(memory) { add_stream(true); }

  /// Streams are numbered from 0, the legacy default stream. A blocking stream and the default stream wait for each
  /// other.
  std::uint32_t add_stream(bool blocking);

  /// Appends an entry, after what the legacy default stream's rule asks for. `work` goes with it if it has_work.
  Position push(std::uint32_t stream, const Entry& entry, const Work* work = nullptr);
  /// Appends a command that takes no time: an event record, or with `after` a wait.
  Position push_marker(std::uint32_t stream, Nanoseconds arrival, Position after = {}, EventStamp* stamp = nullptr);

  /// The host's clock is `now`: decides what starts until then, and runs the work of what has ended.
  void settle(Nanoseconds now);
  /// The host is blocked, so that no further call can come: decides on until this entry is decided.
  const Entry& decide(Position position);
  /// The same for one operation whose end follows from its start by a rule.
  const Entry& decide(Position position, EndRule& rule);
  /// Decides everything; for the end of the run.
  void decide_all();

  /// As of the last settle().
  bool finished(Position position) const { return position.seq < streams_[position.stream].head; }
  /// The last entry of a stream that has not finished, if any.
  bool tail(std::uint32_t stream, Position& out) const;
  std::uint32_t stream_count() const { return static_cast<std::uint32_t>(streams_.size()); }
  bool is_blocking(std::uint32_t stream) const { return streams_[stream].blocking; }
  /// Operations of a stream that have been issued and had not ended at the last settle().
  std::size_t outstanding(std::uint32_t stream) const { return streams_[stream].operations; }
  Position oldest_operation(std::uint32_t stream) const;
  Nanoseconds last_end() const { return last_end_; }

 private:
  struct Stream {
    std::vector<Entry> ring;  // entry seq is at seq & (size - 1); size is a power of two
    std::vector<Work> work;   // beside it
    std::uint64_t head = 0;   // first that has not finished
    std::uint64_t next = 0;   // first that is not decided
    std::uint64_t tail = 0;
    std::size_t operations = 0;     // in [head, tail)
    Nanoseconds last_end = 0;       // of the last decided
    Nanoseconds last_work_end = 0;  // when the last operation or waited-for event ended
    Nanoseconds last_copy_start = 0;
    bool blocking = true;
    std::uint64_t default_waits_for = 0;  // blocking streams: entries before this one are known to the default stream
    std::uint64_t waits_for_default = 0;  // and the other way round

    Entry& at(std::uint64_t seq) { return ring[seq & (ring.size() - 1)]; }
    const Entry& at(std::uint64_t seq) const { return ring[seq & (ring.size() - 1)]; }
  };

  void grow(Stream& stream);
  void join_legacy(std::uint32_t stream, Nanoseconds arrival);
  Position append(std::uint32_t stream, const Entry& entry);
  bool decided(Position p) const { return p.seq < streams_[p.stream].next; }
  bool step(Nanoseconds limit);
  void decide_entry(Stream& stream, Entry& entry, Nanoseconds start);
  void finish_until(Nanoseconds now);

  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  trace::EventWriter& writer_;
  Memory& memory_;
  std::vector<Stream> streams_;
  std::array<Nanoseconds, kEngines> engine_free_{};
  std::uint64_t next_order_ = 0;
  Nanoseconds next_start_ = kNever;  // nothing undecided starts before this
  Nanoseconds next_end_ = kNever;    // nothing decided and unfinished ends before this
  Nanoseconds last_end_ = 0;
  Position ruled_;
  EndRule* rule_ = nullptr;
};

}  // namespace lanescope::device::sim
