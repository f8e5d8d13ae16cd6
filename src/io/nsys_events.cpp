// CUDA's part of an export: calls, and what they made the GPU do.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_text.h"
#include "io/chrome_vocabulary.h"
#include "io/nsys_reader.h"

namespace lanescope::io::nsys {
namespace {

using sqlite::narrowed;
using sqlite::RowsAhead;
using trace::Event;
using trace::EventKind;
using trace::LaneKind;

constexpr std::size_t kMostContexts = 100'000;  // against hostile files

std::uint32_t correlation_of(std::int64_t id) { return narrowed<std::uint32_t>(id, 0); }

// What the tables of operations have in common; the first columns of their queries, in this order.
enum Operation : int { kStart, kEnd, kDevice, kStream, kCorrelation, kProcess, kContext, kRest };

std::vector<sqlite::Column> operations(std::initializer_list<sqlite::Column> rest) {
  std::vector<sqlite::Column> columns = {"start",         "end",       "deviceId", "streamId",
                                         "correlationId", "globalPid", "contextId"};
  columns.insert(columns.end(), rest);
  return columns;
}

LaneKind lane_of(trace::CopyDirection direction) {
  if (direction == trace::CopyDirection::HostToDevice) return LaneKind::CopyH2D;
  if (direction == trace::CopyDirection::DeviceToHost) return LaneKind::CopyD2H;
  return LaneKind::CopyOther;
}

}  // namespace

void Reader::read_calls() {
  enum Column : int { kTid = 2, kId, kName, kClass };
  constexpr std::int64_t kDriver = 1;
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_RUNTIME",
                 {"start", "end", "globalTid", "correlationId", "nameId", "eventClass"}, threads_);
  std::uint64_t runtime = 0, driver = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    event.kind = EventKind::Call;
    if (!take_times(rows, event) || !take_thread_lane(LaneKind::Calls, rows.integer(kTid), 0, event)) continue;
    event.correlation = correlation_of(rows.integer(kId));
    event.name = call_name(rows.integer(kName));
    out_.keep(event);
    ++(rows.integer(kClass) == kDriver ? driver : runtime);
  }
  count_read("cuda_runtime", runtime);
  count_read("cuda_driver", driver);
}

bool Reader::take_operation(const RowsAhead& rows, LaneKind kind, Event& event) {
  if (!take_times(rows, event)) return false;
  event.correlation = correlation_of(rows.integer(kCorrelation));
  const std::int64_t pid = pid_of(rows.integer(kProcess));
  const std::int32_t device = device_of(pid, rows.integer(kDevice));
  if (device_of_context_.size() < kMostContexts) device_of_context_[{pid, rows.integer(kContext)}] = device;
  return out_.take_lane({kind, device, narrowed<std::int32_t>(rows.integer(kStream), -1), pid, 0}, event);
}

// As the PyTorch profiler's files have it: the context of a copy and the node of a graph are arguments.
void Reader::take_context(const RowsAhead& rows, int graph_node, Event& event) {
  std::string arguments;
  if (!rows.is_null(kContext) && event.kind != EventKind::Kernel) {
    arguments = fmt::format("\"context\":{}", rows.integer(kContext));
  }
  if (rows.integer(graph_node) != 0) {
    arguments += fmt::format("{}\"graph node id\":{}", arguments.empty() ? "" : ",",
                             static_cast<std::uint64_t>(rows.integer(graph_node)));
  }
  trace::set_arguments(event, out_.number_of_arguments(arguments));
}

void Reader::read_kernels() {
  enum Column : int {
    kDemangled = kRest,
    kShort,
    kRegisters,
    kGrid,
    kBlock = kGrid + 3,
    kStatic = kBlock + 3,
    kDynamic,
    kNode
  };
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_KERNEL",
                 operations({"demangledName", "shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX",
                             "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"}),
                 threads_);
  constexpr std::uint32_t kUnknown = trace::LaunchShape::kUnknown;
  const auto number = [&](int column, std::uint32_t otherwise) {
    return rows.is_null(column) ? otherwise : narrowed<std::uint32_t>(rows.integer(column), otherwise);
  };
  std::uint64_t kernels = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    event.kind = EventKind::Kernel;
    if (!take_operation(rows, LaneKind::Kernels, event)) continue;
    event.name = name(rows.integer(rows.is_null(kDemangled) ? kShort : kDemangled));
    trace::LaunchShape shape;
    for (int i = 0; i < 3; ++i) {
      shape.grid[static_cast<std::size_t>(i)] = number(kGrid + i, 0);
      shape.block[static_cast<std::size_t>(i)] = number(kBlock + i, 0);
    }
    shape.registers_per_thread = number(kRegisters, kUnknown);
    shape.static_shared_bytes = number(kStatic, kUnknown);
    shape.dynamic_shared_bytes = number(kDynamic, kUnknown);
    const std::uint64_t shared = std::uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes;
    if (shared < kUnknown) shape.shared_bytes = static_cast<std::uint32_t>(shared);
    shape.context = number(kContext, kUnknown);
    trace::set_launch(event, out_.number_of_launch(shape));
    take_context(rows, kNode, event);
    out_.keep(event);
    ++kernels;
  }
  count_read("kernel", kernels);
}

// Of a graph that was traced as a whole there are no kernels.
void Reader::read_graphs() {
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", operations({"graphId"}), threads_);
  std::uint64_t graphs = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    event.kind = EventKind::Kernel;
    if (!take_operation(rows, LaneKind::Kernels, event)) continue;
    event.name = intern(fmt::format("CUDA graph {}", rows.integer(kRest)));
    out_.keep(event);
    ++graphs;
  }
  count_read("cuda_graph", graphs);
}

void Reader::read_copies() {
  enum Column : int { kBytes = kRest, kKind, kFrom, kTo, kNode };
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_MEMCPY",
                 operations({"bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"}), threads_);
  const auto memory = [&](int column) { return rows.is_null(column) ? -1 : rows.integer(column); };
  std::uint64_t copies = 0;
  while (rows.next()) {
    passed_row();
    const trace::CopyTraits traits = copy_traits(rows.integer(kKind), memory(kFrom), memory(kTo));
    Event event;
    event.kind = EventKind::Copy;
    if (!take_operation(rows, lane_of(traits.direction), event)) continue;
    event.name = intern(copy_label(rows.integer(kKind), traits));
    trace::set_bytes(event, narrowed<std::uint64_t>(rows.integer(kBytes), 0));
    trace::set_copy_traits(event, traits);
    if (is_unified(rows.integer(kKind))) trace::set_migration(event);
    take_context(rows, kNode, event);
    out_.keep(event);
    ++copies;
  }
  count_read("gpu_memcpy", copies);
}

void Reader::read_memsets() {
  enum Column : int { kBytes = kRest, kKind, kNode };
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_MEMSET", operations({"bytes", "memKind", "graphNodeId"}), threads_);
  std::uint64_t memsets = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    event.kind = EventKind::Memset;
    if (!take_operation(rows, LaneKind::Kernels, event)) continue;
    event.name = intern(memset_label(rows.is_null(kKind) ? -1 : rows.integer(kKind)));
    trace::set_bytes(event, narrowed<std::uint64_t>(rows.integer(kBytes), 0));
    take_context(rows, kNode, event);
    out_.keep(event);
    ++memsets;
  }
  count_read("gpu_memset", memsets);
}

// A wait for an event is a wait for the stream on which it was recorded, which only newer exports tell.
void Reader::read_event_streams() {
  constexpr std::size_t kMost = 1'000'000;
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", {"globalPid", "eventId", "eventSyncId", "streamId"},
                 threads_);
  while (rows.next()) {
    out_.stop()();
    if (event_streams_.size() >= kMost) return;
    event_streams_[{pid_of(rows.integer(0)), rows.integer(1), rows.integer(2)}] = rows.integer(3);
  }
}

// Only what they say of the context and the stream is used. What kind of wait it was, the name of the call says: the
// numbers in syncType changed their meaning between versions. The device is that of the context's operations: in these
// rows it is 0 even in a process that uses GPU 1.
void Reader::read_syncs() {
  enum Column : int { kEvent = kRest, kEventSync };
  constexpr std::int64_t kNoStream = std::numeric_limits<std::uint32_t>::max();
  RowsAhead rows(ahead_, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", operations({"eventId", "eventSyncId"}), threads_);
  std::uint64_t syncs = 0;
  while (rows.next()) {
    passed_row();
    ++syncs;
    Event times;
    if (!take_times(rows, times)) continue;
    const std::int64_t pid = pid_of(rows.integer(kProcess));
    std::int64_t stream = rows.integer(kStream);
    if (rows.is_null(kStream) || stream == kNoStream) {
      const auto recorded = event_streams_.find({pid, rows.integer(kEvent), rows.integer(kEventSync)});
      stream = recorded != event_streams_.end() ? recorded->second : -1;
    }
    const auto device = device_of_context_.find({pid, rows.integer(kContext)});
    out_.keep_sync({pid, correlation_of(rows.integer(kCorrelation)), times.start_ns,
                    device != device_of_context_.end() ? device->second : device_of(pid, rows.integer(kDevice)),
                    narrowed<std::int32_t>(stream, -1)});
  }
  count_skipped("cuda_sync", syncs);
}

// --- nsys ranges -----------------------------------------------------------------------------------------------------

namespace {

using sqlite::Rows;

constexpr std::size_t kMaxSizesBytes = 2000;
constexpr std::size_t kMaxMetrics = 100'000;  // against hostile files

}  // namespace

void Reader::read_ranges() {
  enum Column : int { kStart, kEnd, kType, kTid, kText, kTextId };
  sqlite::RowsAhead rows(ahead_, "NVTX_EVENTS",
                         {"start", "end", "eventType", "globalTid", {"text", sqlite::As::Text}, "textId"}, threads_);
  // Ranges that need not nest would be drawn among those that do, and be taken for part of their hierarchy.
  const trace::NameId start_end = intern("start/end ranges");
  std::unordered_map<trace::NameId, trace::RangeKind> kinds;  // by name: most come often
  NamedLoops loops;
  std::uint64_t ranges = 0, marks = 0, others = 0;
  std::string arguments;
  while (rows.next()) {
    passed_row();
    const NvtxKind kind = nvtx_kind(rows.integer(kType));
    const std::int64_t thread = rows.integer(kTid);
    const std::string_view text =
        rows.is_null(kText) ? out_.trace().names().text(name(rows.integer(kTextId))) : rows.text(kText);
    if (kind == NvtxKind::ThreadName) out_.name_thread(pid_of(thread), tid_of(thread), cut(text, 200));
    if (kind == NvtxKind::ThreadName || kind == NvtxKind::Other) {
      ++others;
      continue;
    }
    Event event;
    if (kind == NvtxKind::Mark) {
      event.kind = EventKind::Marker;
      const bool valid = rows.is_integer(kStart);
      const std::int64_t at = valid ? rows.integer(kStart) : std::numeric_limits<std::int64_t>::min();
      if (!out_.take_times(at, at, event) || !take_thread_lane(LaneKind::Markers, thread, 0, event)) continue;
      event.name = intern(text);
      out_.keep(event);
      ++marks;
      continue;
    }
    if (!take_times(rows, event)) continue;  // a range that never ended has no end
    if (const auto iteration = iteration_name(text)) {
      event.name = intern(text);
      event.a = iteration->number;
      loops.add(iteration->word, {event, 0, thread});
      continue;
    }
    const OperatorRange range = operator_range(text);
    event.name = intern(range.name);
    const auto [known, is_new] = kinds.try_emplace(event.name, trace::RangeKind::Operator);
    if (is_new) known->second = kind_of_foreign_range("", range.name);
    trace::set_range_kind(event, range.is_operator ? trace::RangeKind::Operator : known->second);
    if (trace::range_kind_of(event) == trace::RangeKind::Load) event.flags |= trace::kWaitFlag;
    if (!take_thread_lane(LaneKind::Phases, thread, kind == NvtxKind::StartEnd ? start_end : 0, event)) continue;
    trace::set_external_id(event, range.id);
    if (!range.sizes.empty()) {
      arguments = "\"sizes\":";
      base::append_json_string(arguments, cut(range.sizes, kMaxSizesBytes));
      trace::set_arguments(event, out_.number_of_arguments(arguments));
    }
    out_.keep(event);
    ++ranges;
  }
  const std::string outermost = loops.outermost();
  for (const auto& [word, found] : loops.by_word) {
    for (auto [event, process, thread] : found) {
      const bool iteration = word == outermost;
      trace::set_range_kind(event, iteration ? trace::RangeKind::Iteration : trace::RangeKind::Other);
      if (!iteration) event.a = 0;
      if (!take_thread_lane(iteration ? LaneKind::Iterations : LaneKind::Phases, thread, 0, event)) continue;
      out_.keep(event);
      ++ranges;
    }
  }
  count_read("nvtx_range", ranges);
  count_read("nvtx_mark", marks);
  count_skipped("nvtx_other", others);
}

void Reader::read_os_calls() {
  sqlite::RowsAhead rows(ahead_, "OSRT_API", {"start", "end", "globalTid", "nameId"}, threads_);
  const trace::NameId label = intern("OS calls");
  std::uint64_t calls = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    if (!take_times(rows, event) || !take_thread_lane(LaneKind::Phases, rows.integer(2), label, event)) continue;
    event.name = name(rows.integer(3));
    out_.keep(event);
    ++calls;
  }
  count_read("os_runtime", calls);
}

void Reader::read_metrics() {
  enum Column : int { kTime, kType, kMetric, kValue };
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> titles;
  Rows infos(database_, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"});
  while (infos.next() && titles.size() < kMaxMetrics) {
    const std::int64_t gpu = infos.integer(0) & 0xFF;
    titles[{infos.integer(0), infos.integer(1)}] = fmt::format("GPU {}: {}", gpu, cut(infos.text(2), 200));
  }
  std::map<std::pair<std::int64_t, std::int64_t>, trace::NameId> labels;
  sqlite::RowsAhead rows(ahead_, "GPU_METRICS", {"timestamp", "typeId", "metricId", {"value", sqlite::As::Real}},
                         threads_);
  std::uint64_t samples = 0;
  while (rows.next()) {
    passed_row();
    const std::pair metric(rows.integer(kType), rows.integer(kMetric));
    const auto [label, added] = labels.try_emplace(metric, 0);
    if (added) {
      const auto title = titles.find(metric);
      label->second =
          intern(title != titles.end() ? title->second : fmt::format("GPU {}: {}", metric.first & 0xFF, metric.second));
    }
    Event event;
    event.kind = EventKind::Counter;
    const std::int64_t at = rows.is_integer(kTime) ? rows.integer(kTime) : std::numeric_limits<std::int64_t>::min();
    if (!out_.take_times(at, at, event)) continue;
    if (!out_.take_lane({LaneKind::Counter, metric.first & 0xFF, 0, 0, label->second}, event)) continue;
    event.name = label->second;
    trace::set_value(event, rows.real(kValue));
    out_.keep(event);
    ++samples;
  }
  count_read("gpu_metric", samples);
}

}  // namespace lanescope::io::nsys
