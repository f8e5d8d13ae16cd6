// Builds a Trace from the records of a Chrome trace: interprets categories and arguments, and assigns events to lanes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/chrome_parser.h"
#include "io/jax_events.h"
#include "io/trace_assembly.h"

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
  using ThreadKey = std::pair<std::int64_t, std::int64_t>;

  void add_own(const RawEvent& raw);
  /// Sets what the range or marker stands for.
  void take_facts(const RawEvent& raw, std::string_view name, trace::Event& event);
  void add_foreign(const RawEvent& raw);
  /// Interns how a kernel was launched, and the other arguments.
  void take_details(const RawEvent& raw, trace::Event& event);
  void add_metadata(const RawEvent& raw);
  void begin_range(const RawEvent& raw);
  void end_range(const RawEvent& raw);
  void add_sync(const RawEvent& raw);
  void keep(const trace::Event& event, const std::string& category);
  void skip(const RawEvent& raw);
  /// False, and counted, unless start and end are valid times.
  bool take_times(const RawEvent& raw, trace::Event& event);
  std::int64_t number_of(const RawId& id);

  /// Determines the process of each GPU lane.
  void claim_gpu_lanes();
  void take_coverage();
  std::vector<trace::LaneId> make_own_lanes();

  const FileHead& head_;
  const ByteSource& source_;
  TraceAssembly out_;
  JaxEvents jax_;
  std::map<ThreadKey, std::vector<RawEvent>> open_ranges_;
  std::size_t open_range_count_ = 0;
  std::unordered_map<std::string, std::int64_t> text_ids_;
  std::string arguments_;  // keeps its memory
};

}  // namespace lanescope::io
