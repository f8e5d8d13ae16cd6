// What the messages in a ring say of calls and of the GPU, as records for the Assembler. The same for a process that is
// attached to and for a loop of our own. Nothing in a message is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "capture/assembly/counts.h"
#include "capture/assembly/record.h"
#include "capture/ring_reader.h"
#include "trace/capture_health.h"
#include "trace/side_tables.h"
#include "trace/sink.h"

namespace lanescope::capture {

/// What stands behind the numbers of texts and launch shapes, which are sent once each, before the first message that
/// refers to them.
class Words {
 public:
  struct Call {
    base::NameId name = 0;
    trace::CallNature nature = trace::CallNature::Other;
    std::uint8_t traits = 0;
    bool launches = false, launches_graph = false;  // kernels, or graphs of them
    bool known = false;
  };

  /// `sink` must outlive it.
  explicit Words(trace::EventSink& sink);

  /// A message of kind Text or Shape. One that cannot be right is ignored.
  void learn(const Message& message);

  /// The name's number in the trace; that of "(no name)" if the trace has no room for another one.
  base::NameId name(std::string_view text);
  const std::string& text(std::uint32_t id) const { return texts_[id < texts_.size() ? id : 0]; }  ///< empty: unknown
  Call call(const wire::CallMessage& sent);
  base::NameId kernel(std::uint32_t text_id);  ///< the name that is shown
  /// Of a launch in this context, in the trace; LaunchTable::kNone: unknown.
  std::uint32_t shape(std::uint32_t id, std::uint32_t context);

 protected:
  static constexpr std::uint32_t kMostIds = 1 << 20;
  /// Null: the id cannot be.
  template <typename T>
  static T* place_for(std::vector<T>& table, std::uint32_t id) {
    if (id == 0 || id >= kMostIds) return nullptr;
    if (id >= table.size()) table.resize(id + 1);
    return &table[id];
  }

 private:
  void learn_text(const Message& message);
  void learn_shape(const Message& message);

  trace::EventSink& sink_;
  const base::NameId no_name_;
  std::vector<std::string> texts_{1};
  std::unordered_map<std::uint32_t, trace::LaunchShape> shapes_;
  std::unordered_map<std::uint64_t, std::uint32_t> launches_;  // the trace's number, by context and shape
  std::unordered_map<std::uint32_t, Call> calls_;              // by wire::CallMessage::api
  std::unordered_map<std::uint32_t, base::NameId> kernels_;    // by text
};

class MessageReader {
 public:
  /// `origin_ns` is CLOCK_MONOTONIC at the trace's time 0. Both others must outlive it.
  MessageReader(Words& words, Counts& counts, Nanoseconds origin_ns)
      : words_(words), counts_(counts), origin_ns_(origin_ns) {}

  /// Before messages are read; in the trace's time.
  void set_now(Nanoseconds now_ns) { now_ns_ = now_ns; }
  /// A time that cannot be stays one that cannot be, but may be calculated with.
  Nanoseconds here(std::int64_t monotonic_ns) const;
  /// False, and counted: the times cannot be.
  bool plausible(Nanoseconds start_ns, Nanoseconds end_ns);

  // Nothing if it has no plausible times, or is of no such kind.
  std::optional<Record> call(const wire::CallMessage& call, const Words::Call& known);
  std::optional<Record> operation(const wire::OperationMessage& op, bool kernel);
  /// Kernel, Copy, Sync, Event, Stall, Context, Stream: what CUPTI has recorded.
  std::optional<Record> record(const Message& message);

 private:
  std::optional<Record> timed(Record record, std::int64_t start_ns, std::int64_t end_ns);

  Words& words_;
  Counts& counts_;
  const Nanoseconds origin_ns_;
  Nanoseconds now_ns_ = 0;
};

// --- health ----------------------------------------------------------------------------------------------------------

/// A number that none of this version's library has is a failure.
wire::State library_state(const wire::Status& status);
trace::CaptureState capture_state(wire::State state);
/// "/usr/lib/libcupti.so.13 (API 130001)"; empty: none was found.
std::string library_text(const RingReader& ring);
/// What was lost on the way, added to what the health has already.
void add_to(trace::CaptureHealth& health, const wire::Status& status);

}  // namespace lanescope::capture
