// From the records of a Chrome trace to a Trace: what the categories and arguments mean, which lane an event belongs
// to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/call_inference.h"
#include "io/chrome_parser.h"
#include "io/event_store.h"

namespace lanescope::io {

class TraceBuilder {
 public:
  /// `head` may still be filled while events are added; `source` is asked only to report errors. `progress` is told how
  /// many events there are, and from finish() on how many have their place.
  TraceBuilder(const FileHead& head, const ByteSource& source, ReadProgress& progress, const ReadLimits& limits);
  ~TraceBuilder();

  void add(RawEvent& raw);
  /// Moves times, works out what calls waited for, and fills the trace. Call once, at the end.
  OpenedTrace finish();

 private:
  struct LaneKey {
    trace::LaneKind kind;
    std::int64_t owner, part;  // process and thread, or device and stream
    bool operator==(const LaneKey&) const = default;
  };
  struct LaneKeyHash {
    std::size_t operator()(const LaneKey& key) const;
  };
  using ThreadKey = std::pair<std::int64_t, std::int64_t>;

  void add_own(const RawEvent& raw);
  void add_foreign(const RawEvent& raw);
  void add_metadata(const RawEvent& raw);
  void begin_range(const RawEvent& raw);
  void end_range(const RawEvent& raw);
  void add_sync(const RawEvent& raw);
  void keep(const trace::Event& event, const std::string& category);
  void skip(const RawEvent& raw);
  /// False, and counted, unless the event has a start and an end that are times.
  bool take_times(const RawEvent& raw, trace::Event& event);
  /// False, and counted, when there are too many lanes.
  bool take_lane(const LaneKey& key, trace::Event& event);
  std::int64_t number_of(const RawId& id);

  void move_to_zero();
  std::vector<trace::LaneId> make_foreign_lanes();
  std::vector<trace::LaneId> make_own_lanes();
  std::vector<std::uint32_t> in_order();
  void fill_trace(const std::vector<trace::LaneId>& lane_ids);

  const FileHead& head_;
  const ByteSource& source_;
  ReadProgress& progress_;
  const std::uint64_t memory_bytes_;  // for events
  const std::size_t most_events_;
  StopCheck stop_;
  OpenedTrace opened_;
  EventStore events_;  // their lane: a place in lanes_ (foreign) or in head_.lanes (own)
  std::vector<trace::LaneInfo> lanes_;
  std::unordered_map<LaneKey, trace::LaneId, LaneKeyHash> lane_of_;
  std::vector<SyncRecord> syncs_;
  std::map<ThreadKey, std::vector<RawEvent>> open_ranges_;
  std::size_t open_range_count_ = 0;
  std::unordered_map<std::string, std::int64_t> text_ids_;
  std::unordered_map<std::int64_t, std::string> process_names_;
};

}  // namespace lanescope::io
