// The simulated GPU: its streams, its engines, and when each operation runs. A small discrete-event simulation that
// decides as late as possible: what a later call could still influence stays undecided until the host's clock has
// passed it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/time.h"
#include "device/sim/memory.h"
#include "trace/sink.h"

namespace lanescope::device::sim {

using base::Nanoseconds;

enum class Engine : std::uint8_t { Compute, CopyH2D, CopyD2H, None };
inline constexpr std::size_t kEngines = 3;

/// The seq-th entry ever put into a stream.
struct Position {
  static constexpr std::uint32_t kNoStream = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t stream = kNoStream;
  std::uint64_t seq = 0;

  bool operator==(const Position&) const = default;
};

/// When a timing event completed: for its newest record, once decided.
struct EventStamp {
  Position position;
  Nanoseconds at_ns = 0;
};

/// One command in a stream: an operation on an engine, or (Engine::None) an event record or a wait, which take no time.
/// Two cache lines, so that its place in a ring takes no division.
struct alignas(64) Entry {
  trace::Event event;          ///< of an operation: complete except for its times, which the timeline decides
  Nanoseconds arrival_ns = 0;  ///< when its launch reaches the device
  Nanoseconds duration_ns = 0;
  Nanoseconds earliest_end_ns = 0;  ///< a staged copy: its last chunk does not arrive earlier
  Position after;                   ///< another stream's entry that it waits for
  EventStamp* stamp = nullptr;      ///< for a timing event's record: receives its time
  std::uint64_t order = 0;          ///< order of issue
  Nanoseconds free_ns = 0;          ///< decided: when everything earlier was out of its way, apart from its own launch
  Nanoseconds copy_start_ns = 0;    ///< decided: if it ends with a copy, that copy's start, else its own end
  std::int32_t gap_ns = 0;          ///< a graph's node: it starts this long after the node before it, at the earliest
  Engine engine = Engine::None;
  bool has_work = false;  ///< it changes bytes when it ends

  bool is_operation() const { return engine != Engine::None; }
};
static_assert(sizeof(Entry) == 128);

/// Computes the end of an operation whose duration depends on its start.
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

  /// Appends an entry, after whatever the legacy default stream's rule requires. All else has its default and is filled
  /// in by the caller, at once: built elsewhere and copied, an entry would cost several times as much.
  Entry& add(std::uint32_t stream, Engine engine, Nanoseconds arrival) {
    if (streams_.size() > 1) join_legacy(stream, arrival);
    return append(stream, engine, arrival);
  }
  /// The work of the entry that was added last.
  void set_work(std::uint32_t stream, const Work& work) {
    Stream& s = streams_[stream];
    s.at(s.tail - 1).has_work = true;
    s.work[(s.tail - 1) & (s.work.size() - 1)] = work;
  }
  /// Appends an entry made elsewhere. `work` belongs to it if has_work.
  Position push(std::uint32_t stream, const Entry& entry, const Work* work = nullptr);
  /// Appends a command that takes no time: an event record or, with `after`, a wait.
  Position push_marker(std::uint32_t stream, Nanoseconds arrival, Position after = {}, EventStamp* stamp = nullptr);

  /// Advances to the host's clock `now`: decides what starts by then, and runs the work of what has ended.
  void settle(Nanoseconds now) {
    if (next_start_ <= now) decide_until(now);
    if (next_end_ <= now) finish_until(now);
  }
  /// The host is blocked, so no further call can come: decides as far as this entry.
  const Entry& decide(Position position);
  /// The same for an operation whose end follows from its start by a rule.
  const Entry& decide(Position position, EndRule& rule);
  /// Decides everything. Call at the end of the run.
  void decide_all();

  /// As of the last settle().
  bool finished(Position position) const { return position.seq < streams_[position.stream].head; }
  /// The last unfinished entry of a stream; false if there is none.
  bool tail(std::uint32_t stream, Position& out) const;
  std::uint32_t stream_count() const { return static_cast<std::uint32_t>(streams_.size()); }
  bool is_blocking(std::uint32_t stream) const { return streams_[stream].blocking; }
  /// Operations of a stream that were issued and unfinished at the last settle().
  std::size_t outstanding(std::uint32_t stream) const { return streams_[stream].operations; }
  Position oldest_operation(std::uint32_t stream) const;
  Nanoseconds last_end() const { return last_end_; }

 private:
  struct Stream {
    std::vector<Entry> ring;  // entry seq is at seq & (size - 1); size is a power of two
    std::vector<Work> work;   // parallel to ring
    std::uint64_t head = 0;   // first unfinished entry
    std::uint64_t next = 0;   // first undecided entry
    std::uint64_t tail = 0;
    std::size_t operations = 0;     // in [head, tail)
    Nanoseconds last_end = 0;       // of the last decided entry
    Nanoseconds last_work_end = 0;  // when the last operation or awaited event ended
    Nanoseconds last_copy_start = 0;
    bool blocking = true;
    std::uint64_t default_waits_for = 0;  // blocking streams: the default stream already waits for entries before this
                                          // one
    std::uint64_t waits_for_default = 0;  // and vice versa

    Entry& at(std::uint64_t seq) { return ring[seq & (ring.size() - 1)]; }
    const Entry& at(std::uint64_t seq) const { return ring[seq & (ring.size() - 1)]; }
  };

  void grow(Stream& stream);
  void join_legacy(std::uint32_t stream, Nanoseconds arrival);
  Entry& append(std::uint32_t s, Engine engine, Nanoseconds arrival) {
    Stream& stream = streams_[s];
    if (stream.tail - stream.head == stream.ring.size()) grow(stream);
    static constexpr Entry kNew;  // a constant: copying what has just been written would stall
    Entry& entry = stream.at(stream.tail++);
    entry = kNew;
    entry.arrival_ns = arrival;
    entry.engine = engine;
    entry.order = next_order_++;
    if (engine != Engine::None) ++stream.operations;
    next_start_ = std::min(next_start_, arrival);
    return entry;
  }
  Position last(std::uint32_t stream) const { return {stream, streams_[stream].tail - 1}; }
  bool decided(Position p) const { return p.seq < streams_[p.stream].next; }
  bool step(Nanoseconds limit);
  void decide_until(Nanoseconds now);
  void decide_alone(Nanoseconds now);
  void finish_alone(Nanoseconds now);
  void decide_entry(Stream& stream, Entry& entry, Nanoseconds start);
  void finish_until(Nanoseconds now);

  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  trace::EventWriter& writer_;
  Memory& memory_;
  std::vector<Stream> streams_;
  std::array<Nanoseconds, kEngines> engine_free_{};
  std::uint64_t next_order_ = 0;
  Nanoseconds next_start_ = kNever;  // nothing undecided starts earlier
  Nanoseconds next_end_ = kNever;    // nothing decided and unfinished ends earlier
  Nanoseconds last_end_ = 0;
  Position ruled_;
  EndRule* rule_ = nullptr;
};

// --- staging ---------------------------------------------------------------------------------------------------------
// Models copies between pageable memory and the device: they pass through the driver's staging buffer, chunk by chunk.

/// The two ends of the pipeline and the buffer between them. Times are in nanoseconds from the start of the call.
struct StagingRates {
  double host_ns_per_byte = 0;  ///< CPU time between the program's memory and the staging buffer
  double dma_ns_per_byte = 0;
  base::Nanoseconds latency = 0;  ///< from staging a chunk until its DMA can start
  base::Nanoseconds fixed = 0;    ///< fixed cost of the whole copy
  std::size_t chunk = 0;
  std::size_t slots = 0;
};

/// Host to device: the CPU fills slots starting at `begin`. Each chunk's DMA follows, in order, and frees its slot when
/// it ends.
class StagedUpload {
 public:
  StagedUpload(const StagingRates& rates, std::size_t bytes, base::Nanoseconds begin);

  /// True if every chunk has its own slot, so that the CPU never waits for the DMA.
  bool fits() const { return chunks_ <= rates_.slots; }
  /// The earliest start of the first chunk's DMA.
  base::Nanoseconds arrival() const;
  /// When the CPU is done, if it never waits for the DMA. If !fits(): when it has filled every slot.
  base::Nanoseconds filled() const;
  /// The duration of the whole DMA, if the CPU is never late.
  base::Nanoseconds dma_duration() const;
  /// A lower bound for the end of the DMA, given by when the CPU stages the last chunk. Only if fits().
  base::Nanoseconds earliest_end() const;

  struct Result {
    base::Nanoseconds host_done = 0;
    base::Nanoseconds dma_end = 0;
  };
  /// Runs the whole pipeline, with the first DMA starting at `start`. `scratch` only saves an allocation.
  Result run(base::Nanoseconds start, std::vector<double>& scratch) const;

 private:
  std::size_t chunk_bytes(std::size_t i) const;

  StagingRates rates_;
  std::size_t bytes_;
  std::size_t chunks_;
  base::Nanoseconds begin_;
};

/// Device to host, the CPU emptying each slot as soon as its chunk arrives. Durations from the start of the DMA.
struct StagedDownload {
  base::Nanoseconds dma = 0;   ///< until the last chunk's DMA has ended
  base::Nanoseconds host = 0;  ///< until the CPU has emptied the last slot
};
StagedDownload staged_download(const StagingRates& rates, std::size_t bytes, std::vector<double>& scratch);

}  // namespace lanescope::device::sim
