// Builds a Trace from the records of a Chrome trace: interprets categories and arguments, and assigns events to lanes.
// The events of JAX's profiler are put into the PyTorch profiler's words first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/chrome_parser.h"
#include "io/chrome_vocabulary.h"
#include "io/iteration_names.h"
#include "io/trace_assembly.h"

namespace lanescope::io {

class JaxEvents {
 public:
  void name_process(std::int64_t pid, std::string_view name);
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);
  /// Some process is one of XProf's: "/host:CPU", "/device:GPU:0".
  bool any() const { return host_.has_value() || !devices_.empty(); }
  /// What follows a GPU's number in its process's name; empty if nothing does.
  const std::string& device_name() const { return device_name_; }
  /// The event with a category, and what else it is told by there; as it is, if it is of another process. Its texts are
  /// valid until the next one.
  RawEvent translated(const RawEvent& raw);

 private:
  struct Line {
    std::string name;
    std::optional<std::int64_t> stream;  ///< of "Stream #13(Compute)"
  };
  void translate_gpu(RawEvent& event, std::int64_t device, const Line& line);
  void translate_host(RawEvent& event);

  std::optional<std::int64_t> host_;              // the process
  std::map<std::int64_t, std::int64_t> devices_;  // of the process
  std::map<std::pair<std::int64_t, std::int64_t>, Line> lines_;
  std::string device_name_;
  std::string name_;  // of the event translated last
};

// --- chrome builder --------------------------------------------------------------------------------------------------
// Builds a Trace from the records of a Chrome trace: interprets categories and arguments, and assigns events to lanes.

class TraceBuilder {
 public:
  /// `head` may still be filled while events are added. `source` is used only for error messages. `progress` receives
  /// the number of events and, during finish(), of events put into the trace.
  TraceBuilder(const FileHead& head, const ByteSource& source, ReadProgress& progress, const ReadLimits& limits);
  ~TraceBuilder();

  void add(const RawEvent& raw);
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
  void skip(const RawEvent& raw);
  /// What follows from a category, which many events have.
  struct Category {
    std::string text;
    std::uint64_t number = 0;  ///< of its own
    Meaning meaning = Meaning::Nothing;
    std::optional<trace::EventKind> own_kind;
    std::uint64_t *read = nullptr, *skipped = nullptr;  ///< its counts, once there are any
  };
  /// Valid until another one is asked for.
  Category& category(std::string_view text);
  void keep(const trace::Event& event, const trace::LaneInfo& lane, Category& category);
  /// What follows from a range's name and category.
  struct RangeFacts {
    std::uint64_t category = 0;
    trace::RangeKind kind = trace::RangeKind::Other;
    std::optional<std::uint32_t> step;
    std::optional<IterationName> named{};  ///< like an iteration; its word is the name's in the trace
    bool optimizer = false;                ///< torch's own range around a step of an optimizer
  };
  RangeFacts range_facts(const RawEvent& raw, const Category& category, trace::NameId name);
  /// False, and counted, unless start and end are valid times.
  bool take_times(const RawEvent& raw, trace::Event& event);
  std::int64_t number_of(const RawId& id);
  /// Numbers that do not fit are replaced by others that nothing in the file has.
  std::uint32_t correlation_of(const RawEvent& raw);
  std::int32_t stream_of(std::int64_t written);

  void keep_named_iterations();
  void keep_optimizer_iterations();
  /// Work of devices that are not understood becomes that of a GPU, and a sentence says so.
  void take_other_devices();
  /// If there is no GPU, operators are computed by the CPU.
  void take_cpu_only();
  void note_overhead(const RawEvent& raw);
  void say_overhead();
  /// Ranges that stand on a stream of a GPU are no thread's.
  void move_ranges_of_streams();
  /// Determines the process of each GPU lane.
  void claim_gpu_lanes();
  void take_bytes_of_calls();
  void take_coverage();
  std::vector<trace::LaneId> make_own_lanes();

  const FileHead& head_;
  const ByteSource& source_;
  TraceAssembly out_;
  JaxEvents jax_;
  /// An event with texts of its own.
  struct OpenRange {
    explicit OpenRange(const RawEvent& raw);
    RawEvent event() const;

   private:
    RawEvent raw_;
    std::string category_, name_, arguments_;
  };
  std::map<ThreadKey, std::vector<OpenRange>> open_ranges_;
  std::size_t open_range_count_ = 0;
  std::unordered_map<std::string, std::int64_t> text_ids_;
  std::unordered_map<std::int64_t, std::uint32_t> large_correlations_;
  std::map<std::int64_t, std::int32_t> large_streams_;
  NamedLoops loops_;            // ranges that are iterations if the profiler names none
  NamedLoops optimizer_steps_;  // if nobody names any, an iteration ends with each of these
  bool numbered_steps_ = false;
  std::map<std::string, base::Nanoseconds, std::less<>> overhead_ns_;           // the profiler's own work, by name
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint64_t> call_bytes_;  // by process and correlation
  std::string arguments_;                                                       // keeps its memory
  std::vector<Category> categories_;                                            // those of late
  std::uint64_t category_count_ = 0;
  std::vector<RangeFacts> range_facts_;  // by the range's name
};

}  // namespace lanescope::io
