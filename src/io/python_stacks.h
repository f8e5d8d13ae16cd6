// Where in the program calls were made: the Python functions that the profiler recorded around them (with_stack=True).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/event_store.h"
#include "io/reading.h"
#include "trace/trace.h"

namespace lanescope::io {

/// "torch/utils/data/dataloader.py(630): __next__"
struct PythonFrame {
  std::string_view file, function;
  std::uint32_t line = 0;
};
std::optional<PythonFrame> python_frame(std::string_view name);

/// For the names of a trace, with one look at each.
class PythonFrames {
 public:
  explicit PythonFrames(trace::Trace& trace) : trace_(trace) {}
  /// Null: the name is no Python function's.
  const trace::Frame* frame(trace::NameId name);
  /// It is not of the user's own code.
  bool library(trace::NameId name) { return frame(name) != nullptr && known_[name].library; }

 private:
  struct Known {
    bool looked = false, is_frame = false, library = false;
    trace::Frame frame;
  };
  trace::Trace& trace_;
  std::vector<Known> known_;
};

/// Notes in trace.sites() the functions around each call of a thread, and around its waits for data. Both lanes are in
/// start order, outer ranges first; `offset_ns` is taken from their times.
void note_python_stacks(const EventStore& events, std::size_t ranges, trace::LaneId ranges_id,
                        std::optional<std::size_t> calls, trace::LaneId calls_id, base::Nanoseconds offset_ns,
                        PythonFrames& frames, trace::Trace& trace, StopCheck& stop);

}  // namespace lanescope::io
