// Records by hand, the Assembler that gets them, and a sink that keeps everything.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "capture/assembly/assembler.h"
#include "capture/assembly/operation_names.h"
#include "trace/sink.h"

namespace lanescope::capture::test {

inline constexpr Nanoseconds kUs = base::kMicrosecond;
inline constexpr Nanoseconds kMs = base::kMillisecond;
inline constexpr Nanoseconds kForever = std::numeric_limits<Nanoseconds>::max();

inline constexpr std::uint32_t kThread = 4711;
inline constexpr std::uint32_t kContext = 1;
inline constexpr std::uint32_t kStream = 7;  // the default one, as CUPTI numbers it
inline constexpr std::uint32_t kAllStreams = 0xFFFFFFFF;
// CUPTI's numbers.
inline constexpr std::uint8_t kToDevice = 1, kToHost = 2, kWithin = 8;        // kinds of copies
inline constexpr std::uint8_t kPageable = 1, kPinned = 2, kDeviceMemory = 3;  // kinds of memory

/// The calls used by the tests, by CUPTI's names.
namespace api {
inline constexpr std::string_view kMemcpy = "cudaMemcpy_v3020", kMemcpyAsync = "cudaMemcpyAsync_v3020",
                                  kLaunch = "cudaLaunchKernel_v7000", kGraphLaunch = "cudaGraphLaunch_v10000",
                                  kHostFunc = "cudaLaunchHostFunc_v10000", kStreamSync = "cudaStreamSynchronize_v3020",
                                  kEventSync = "cudaEventSynchronize_v3020",
                                  kDeviceSync = "cudaDeviceSynchronize_v3020", kEventRecord = "cudaEventRecord_v3020",
                                  kMalloc = "cudaMalloc_v3020", kFree = "cudaFree_v3020",
                                  kBeginCapture = "cudaStreamBeginCapture_v10000",
                                  kEndCapture = "cudaStreamEndCapture_v10000";
}

struct Where {
  std::uint32_t stream = kStream;
  std::uint32_t device = 0;
  std::uint32_t context = kContext;
};
struct CopyOf {
  std::uint8_t kind = kToDevice;
  std::uint8_t from = kPinned;
  std::uint8_t to = kDeviceMemory;
  std::uint64_t bytes = 1024;
  bool asynchronous = true;
};

class Records {
 public:
  struct Named {
    Record record;
    std::string name;
  };

  Records& call(std::string_view raw, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                std::uint32_t thread = kThread, int result = 0) {
    return call_of(raw, false, start, end, correlation, thread, result);
  }
  Records& driver_launch(Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
    return call_of("cuLaunchKernel", true, start, end, correlation, kThread, 0);
  }
  Records& kernel(std::string name, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                  const Where& where = {}) {
    return add(operation(trace::EventKind::Kernel, start, end, correlation, where), std::move(name));
  }
  Records& copy(const CopyOf& of, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                const Where& where = {}) {
    Record record = operation(trace::EventKind::Copy, start, end, correlation, where);
    record.value = of.bytes;
    record.copy_flags = copy_flags({.direction = copy_direction(of.kind),
                                    .source = memory_kind(of.from),
                                    .destination = memory_kind(of.to),
                                    .asynchronous = of.asynchronous});
    return add(record, copy_name(of.kind, of.from, of.to));
  }
  Records& sync(std::uint32_t type, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                std::uint32_t stream = kAllStreams, std::uint64_t event = 0) {
    Record record = of_kind(RecordKind::Sync, start, end, correlation);
    record.detail = type;
    record.context = kContext;
    record.stream = stream;
    record.value = event;
    return add(record);
  }
  Records& gpu_event(std::uint64_t event, std::uint32_t correlation, std::uint32_t stream) {
    Record record = of_kind(RecordKind::GpuEvent, 0, 0, correlation);
    record.context = kContext;
    record.stream = stream;
    record.value = event;
    return add(record);
  }
  Records& overhead(std::uint32_t kind, Nanoseconds start, Nanoseconds end, std::uint32_t thread,
                    std::uint32_t correlation = 0) {
    Record record = of_kind(RecordKind::Overhead, start, end, correlation);
    record.detail = kind;
    record.thread = thread;
    return add(record);
  }
  Records& context(std::uint32_t id, std::uint32_t null_stream) {
    Record record = of_kind(RecordKind::Context, 0, 0, 0);
    record.context = id;
    record.detail = null_stream;
    return add(record);
  }
  Records& stream(std::uint32_t context, std::uint32_t id, std::uint32_t flag) {
    Record record = of_kind(RecordKind::Stream, 0, 0, 0);
    record.context = context;
    record.stream = id;
    record.detail = flag;
    return add(record);
  }
  /// A launch and its kernel.
  Records& launch(Nanoseconds call_start, Nanoseconds call_end, Nanoseconds kernel_start, Nanoseconds kernel_end,
                  std::uint32_t correlation, std::uint32_t stream = kStream) {
    call(api::kLaunch, call_start, call_end, correlation);
    return kernel("k", kernel_start, kernel_end, correlation, {stream, 0, kContext});
  }
  Records& add(const Records& other) {
    records_.insert(records_.end(), other.records_.begin(), other.records_.end());
    return *this;
  }
  void clear() { records_.clear(); }
  const std::vector<Named>& all() const { return records_; }

 private:
  static Record of_kind(RecordKind kind, Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
    Record record;
    record.kind = kind;
    record.start_ns = start;
    record.end_ns = end;
    record.correlation = correlation;
    return record;
  }
  static Record operation(trace::EventKind kind, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                          const Where& where) {
    Record record = of_kind(RecordKind::Operation, start, end, correlation);
    record.event_kind = kind;
    record.stream = where.stream;
    record.device = where.device;
    record.context = where.context;
    return record;
  }
  Records& call_of(std::string_view raw, bool driver, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                   std::uint32_t thread, int result) {
    const ApiFacts facts = api_facts(raw, driver);
    Record record = of_kind(RecordKind::Call, start, end, correlation);
    record.nature = facts.nature;
    record.traits = facts.traits;
    if (result != 0) record.traits |= kFailed;
    record.thread = thread;
    return add(record, std::string(facts.name));
  }
  Records& add(const Record& record, std::string name = {}) {
    records_.push_back({record, std::move(name)});
    return *this;
  }

  std::vector<Named> records_;
};

class KeepingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    const auto known = std::find(lanes.begin(), lanes.end(), info);
    if (known != lanes.end()) return static_cast<trace::LaneId>(known - lanes.begin());
    if (lanes.size() >= most_lanes) throw std::runtime_error("no more lanes");
    lanes.push_back(info);
    events.emplace_back();
    return static_cast<trace::LaneId>(lanes.size() - 1);
  }
  trace::NameId name(std::string_view text) override { return names.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  std::vector<trace::LaneInfo> lanes;
  std::vector<std::vector<trace::Event>> events;  // by lane
  base::NameTable names;
  std::size_t most_lanes = 4096;
  Nanoseconds complete = std::numeric_limits<Nanoseconds>::min();
  // Events that arrived although the trace had been reported complete there.
  int broken_promises = 0;
  trace::Event first_broken;

 private:
  class Writer final : public trace::EventWriter {
   public:
    explicit Writer(KeepingSink& sink) : sink_(sink) {}
    void write(const trace::Event& event) noexcept override {
      sink_.events[event.lane].push_back(event);
      if (event.start_ns >= sink_.complete) return;
      if (sink_.broken_promises++ == 0) sink_.first_broken = event;
    }
    void complete_until(Nanoseconds t) noexcept override { sink_.complete = t; }

   private:
    KeepingSink& sink_;
  };
};

class Rig {
 public:
  Rig() { assembler.set_main_thread(kThread); }

  void take(const Records& records) {
    for (const auto& [record, name] : records.all()) {
      Record named = record;
      if (!name.empty()) named.name = sink.name(name);
      counts.received += record.kind == RecordKind::Call || record.kind == RecordKind::Operation;
      assembler.add(named);
    }
    assembler.relieve(now);
  }
  void advance(Nanoseconds asked, Nanoseconds oldest_open_call = kForever) {
    now = std::max(now, asked);
    assembler.advance({asked, oldest_open_call}, now);
  }
  void finish() { assembler.finish(now); }

  /// The events of the lane with this name.
  std::vector<trace::Event> on(std::string_view lane) const {
    for (std::size_t i = 0; i < sink.lanes.size(); ++i) {
      if (sink.lanes[i].name == lane) return sink.events[i];
    }
    return {};
  }
  std::vector<trace::Event> calls() const { return on("CUDA calls"); }
  std::string text(const trace::Event& event) const { return std::string(sink.names.text(event.name)); }
  std::vector<std::string> lane_names() const {
    std::vector<std::string> names;
    for (const trace::LaneInfo& lane : sink.lanes) names.push_back(lane.name);
    return names;
  }
  /// received = written + every loss + what is held back.
  bool accounts() const {
    return counts.received == counts.calls + counts.operations + counts.pending + counts.duplicates + counts.dropped;
  }

  Nanoseconds now = 10 * kMs;
  Counts counts;
  KeepingSink sink;
  Assembler assembler{sink, counts};
};

}  // namespace lanescope::capture::test
