// Parses the JSON of a Chrome trace into plain records, one event at a time. Knows the format, not the events' meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "io/byte_source.h"
#include "io/chrome_fields.h"
#include "io/reading.h"
#include "trace/side_tables.h"
#include "trace/sink.h"

namespace lanescope::io {

/// One element of "traceEvents": the parts relevant to a timeline. Its texts are views, valid until the next element.
struct RawEvent {
  std::string_view phase, category, name;
  RawId process, thread;
  RawTime start, duration;
  // Arguments ("args") of the PyTorch profiler and of metadata events.
  std::optional<std::int64_t> correlation, device, stream, wait_on_stream, bytes;
  std::string_view new_name;  ///< process_name, thread_name
  std::optional<std::int64_t> external_id;
  trace::LaunchShape launch;
  std::string_view arguments;  ///< all others, as the members of a JSON object; long values are cut
  /// JAX's text with numbers in it ("size:4096 async:1"), and what it is about. It is one of `arguments`, too.
  enum class Details : std::uint8_t { None, Kernel, Copy, Memset, Memory } details_of = Details::None;
  std::string_view details;
  // Only in Lanescope's own files.
  std::optional<std::int64_t> lane, index, flags, own_ns, copying_ns, returning_ns, version;
  std::optional<double> value;
  std::optional<std::string_view> label;
  std::string_view label_hex, raw;
  std::string_view range_kind, marker_kind, key, before, now;

  void clear();
};

/// The contents of a file outside its events. Filled while parsing; in our own files it precedes the events.
struct FileHead {
  bool own = false;       ///< "otherData" is Lanescope's
  bool marked = false;    ///< own file whose lanes and ranges state their kinds
  bool detailed = false;  ///< own file whose arguments are all known ones, none of them made up
  std::int64_t format = 0;
  RunFacts facts;
  trace::TraceCounts counts;
  std::optional<std::int64_t> complete_until_ns;
  struct Recorded {  ///< of a process, as written: see chrome_write.cpp
    std::int64_t pid = 0, burst_ns = 0, period_ns = 0;
    std::vector<std::int64_t> intervals_ns;
  };
  std::vector<Recorded> recorded;
  std::vector<std::optional<trace::LaneInfo>> lanes;  ///< empty: a lane that this version does not understand
  std::string device_name;                            ///< of the first entry of "deviceProperties"
  base::Nanoseconds base_time_ns = 0;                 ///< "baseTimeNanoseconds": is to be added to all times
  int rank = -1, world_size = 0;                      ///< of "distributedInfo"; -1 and 0: not there
  /// What is missing because the file is cut off or damaged, in sentences, and how many events were left out within it.
  std::string damage;
  std::uint64_t damaged_events = 0;

  /// A member of "otherData", or of the counts in it.
  void take_fact(std::string_view key, const Scalar& value);
  void take_count(std::string_view key, const Scalar& value);
};

/// Passes every event in the file's order. Throws base::FileError with the path, the reason and the position.
void parse_chrome_trace(ByteSource& source, FileHead& head, const std::function<void(const RawEvent&)>& on_event,
                        Threads threads = Threads::Two);

}  // namespace lanescope::io
