// Builds a Trace from the records of a Chrome trace: interprets categories and arguments, and assigns events to lanes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/call_inference.h"
#include "io/chrome_parser.h"
#include "io/event_store.h"

namespace lanescope::io {

class TraceBuilder {
 public:
  /// `head` may still be filled while events are added. `source` is used only for error messages. `progress` receives
  /// the number of events and, during finish(), of events put into the trace.
  TraceBuilder(const FileHead& head, const ByteSource& source, ReadProgress& progress, const ReadLimits& limits);
  ~TraceBuilder();

  void add(RawEvent& raw);
  /// Shifts times, infers what calls waited for, and fills the trace. Call once, at the end. Throws base::FileError or
  /// Cancelled.
  OpenedTrace finish();

 private:
  struct LaneKey {
    trace::LaneKind kind;
    std::int64_t owner, part;  // process and thread, or device and stream
    std::int64_t process = 0;  // of a GPU lane: the file's, which may be just the device's number
    bool operator==(const LaneKey&) const = default;
  };
  struct LaneKeyHash {
    std::size_t operator()(const LaneKey& key) const;
  };
  using ThreadKey = std::pair<std::int64_t, std::int64_t>;

  void add_own(const RawEvent& raw);
  /// Sets what the range or marker stands for.
  void take_facts(const RawEvent& raw, std::string_view name, trace::Event& event);
  void add_foreign(const RawEvent& raw);
  /// Interns how a kernel was launched, and the other arguments.
  void take_details(const RawEvent& raw, trace::Event& event);
  trace::NameId number_of_arguments(std::string_view arguments);
  void add_metadata(const RawEvent& raw);
  void begin_range(const RawEvent& raw);
  void end_range(const RawEvent& raw);
  void add_sync(const RawEvent& raw);
  void keep(const trace::Event& event, const std::string& category);
  void skip(const RawEvent& raw);
  /// False, and counted, unless start and end are valid times.
  bool take_times(const RawEvent& raw, trace::Event& event);
  /// False, and counted, if there are too many lanes.
  bool take_lane(const LaneKey& key, trace::Event& event);
  std::int64_t number_of(const RawId& id);

  /// Determines the process of each GPU lane.
  void claim_gpu_lanes();
  void take_coverage();
  void move_to_zero();
  std::vector<trace::LaneId> make_foreign_lanes();
  std::vector<trace::LaneId> make_own_lanes();
  std::vector<std::uint32_t> in_order();
  void fill_trace(const std::vector<trace::LaneId>& lane_ids);

  const FileHead& head_;
  const ByteSource& source_;
  ReadProgress& progress_;
  const std::uint64_t memory_bytes_;  // limit for events
  const bool half_of_the_machine_;    // whether that limit is half of the machine's memory
  const std::size_t most_events_;
  StopCheck stop_;
  OpenedTrace opened_;
  EventStore events_;  // their lane: an index into lanes_ (foreign) or head_.lanes (own)
  std::vector<trace::LaneInfo> lanes_;
  std::vector<std::int64_t> file_process_;  // of each of lanes_
  std::unordered_map<LaneKey, trace::LaneId, LaneKeyHash> lane_of_;
  std::vector<SyncRecord> syncs_;
  std::map<ThreadKey, std::vector<RawEvent>> open_ranges_;
  std::size_t open_range_count_ = 0;
  std::unordered_map<std::string, std::int64_t> text_ids_;
  std::unordered_map<std::int64_t, std::string> process_names_;
  std::map<ThreadKey, std::string> thread_names_;
  std::uint64_t argument_bytes_ = 0;
  std::string arguments_;  // keeps its memory
};

}  // namespace lanescope::io
