// Which API call issued which GPU operation, and which operation a call waited for. This is the only place that
// decides.
//
// The key is (process, correlation), because each process assigns its own correlation numbers. A call may have issued
// many operations (a CUDA graph). The numbers need not ascend. If a number is reused, an operation belongs to the
// newest call with that number that began before the operation ended.
//
// The trace itself serves as the table. The index stores the smallest and the largest correlation of every 32, 1,024
// and 32,768 events of a row: 0.26 bytes per call or operation, or up to twice that while the vectors grow. Evicted
// events leave the index, too. A search skips blocks that cannot contain the number. It takes about a microsecond where
// numbers ascend along a row, as in real traces; elsewhere it reads the events in turn, nearest first, and gives up
// after `limit` of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::trace {

/// What a call and its operations have in common.
struct CallKey {
  ProcessNumber process = 0;
  std::uint32_t correlation = 0;  ///< 0: none, links nothing

  bool operator==(const CallKey&) const = default;
};
struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    return static_cast<std::size_t>((std::uint64_t{key.process} << 32 | key.correlation) * 0x9E3779B97F4A7C15u >> 16);
  }
};
/// For code that cannot use Links: it reads a few events once, or its events are not in a trace yet.
template <class Value>
using CallMap = std::unordered_map<CallKey, Value, CallKeyHash>;

/// The place of an event, without the event itself.
struct EventPlace {
  static constexpr EventIndex kUnknown = std::numeric_limits<EventIndex>::max();

  LaneId lane = 0;
  std::uint16_t row = 0;
  EventIndex index = kUnknown;
};

/// Not synchronised: no other thread may use the object during update().
class Links {
 public:
  static constexpr std::size_t kAllEvents = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLimit = std::size_t{1} << 20;
  static constexpr std::size_t kMostOperations = std::size_t{1} << 16;

  /// Empty until the first update(). The trace must outlive it.
  explicit Links(const Trace& trace);

  /// Indexes what was published since the last call, about `most` events at most. Returns false if there is more.
  bool update(std::size_t most = kAllEvents);
  /// Only finds new lanes and their owners.
  void find_lanes() { find_rows(); }
  const Trace& trace() const { return trace_; }
  /// As of the last update().
  const Owners& owners() const { return owners_; }

  /// The call that issued a GPU operation of this lane. Of nested calls with the same number, the outer one.
  std::optional<EventRef> call_of(LaneId lane, const Event& operation, std::size_t limit = kLimit) const;
  /// The operations that a call of this lane issued, ordered by start.
  std::vector<EventRef> operations_of(LaneId lane, const Event& call, std::size_t most = kMostOperations,
                                      std::size_t limit = kLimit) const;
  /// The first of them.
  std::optional<EventRef> operation_of(LaneId lane, const Event& call, std::size_t limit = kLimit) const;
  /// The operation that a blocking call waited for: of the operations of its process that end during the wait, the
  /// last.
  std::optional<EventRef> waited_for(LaneId lane, const Event& call) const;
  /// What the calls on the lane's thread that start in [from, to) issued, as runs of events. Exact for up to 16,384
  /// such calls; beyond that, everything with a number between their smallest and largest.
  std::vector<EventRun> issued_in(LaneId lane, Nanoseconds from, Nanoseconds to) const;

  std::optional<EventRef> call_of(const EventRef& e) const { return call_of(e.lane, e.event); }
  std::optional<EventRef> operation_of(const EventRef& e) const { return operation_of(e.lane, e.event); }
  std::vector<EventRef> operations_of(const EventRef& e) const { return operations_of(e.lane, e.event); }
  std::optional<EventRef> waited_for(const EventRef& e) const { return waited_for(e.lane, e.event); }

  std::size_t memory_bytes() const;

 private:
  /// The correlation range of some consecutive events; events without a correlation do not count.
  struct Span {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;

    void add(std::uint32_t correlation) {
      if (correlation < least) least = correlation;
      if (correlation > most) most = correlation;
    }
    bool may_hold(std::uint32_t from, std::uint32_t to) const { return least <= to && from <= most; }
    bool within(std::uint32_t from, std::uint32_t to) const { return from <= least && most <= to && least <= most; }
  };
  static constexpr EventIndex kFine = 256, kMiddle = 4096, kCoarse = 65536;

  struct RowSpans {
    const Row* row = nullptr;
    LaneId lane = 0;
    std::size_t number = 0;
    EventIndex base = 0;  ///< of the first span at each of the three levels; a multiple of kCoarse
    EventIndex read = 0;  ///< events before it have been read
    std::vector<Span> fine, middle, coarse;

    void add(EventIndex i, std::uint32_t correlation);
    void forget(EventIndex before);
    EventIndex first() const;
    const Span& fine_at(EventIndex i) const { return fine[(i - base) / kFine]; }
    const Span& middle_at(EventIndex i) const { return middle[(i - base) / kMiddle]; }
    const Span& coarse_at(EventIndex i) const { return coarse[(i - base) / kCoarse]; }
    template <class Visit>
    void forward(EventIndex from, std::uint32_t correlation, std::size_t limit, Visit visit) const;
    std::optional<EventIndex> backward(EventIndex before, std::uint32_t correlation, std::size_t limit) const;
  };

  void find_rows();
  template <class F>
  void for_calls_of(ProcessNumber process, F f) const;
  template <class F>
  void for_operations_of(ProcessNumber process, F f) const;
  Nanoseconds next_use(LaneId lane, const Event& call, std::size_t limit) const;

  const Trace& trace_;
  Owners owners_;
  std::vector<std::size_t> rows_seen_;  // indexed by lane
  std::vector<RowSpans> calls_, operations_;
};

}  // namespace lanescope::trace
