// A device for tests: logs every call, keeps events in memory, computes at once, and takes no time except for
// host_work() and one microsecond per call.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

class MemorySink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i] == info) return static_cast<trace::LaneId>(i);
    }
    lanes.push_back(info);
    return static_cast<trace::LaneId>(lanes.size() - 1);
  }
  trace::NameId name(std::string_view text) override { return names.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  /// The events of a lane, as written.
  std::vector<trace::Event> on(trace::LaneKind kind) const {
    std::vector<trace::Event> found;
    for (const trace::Event& event : events) {
      if (lanes[event.lane].kind == kind) found.push_back(event);
    }
    return found;
  }
  std::vector<std::string> names_on(trace::LaneKind kind) const {
    std::vector<std::string> found;
    for (const trace::Event& event : on(kind)) found.emplace_back(names.text(event.name));
    return found;
  }

  base::NameTable names;
  std::vector<trace::LaneInfo> lanes;
  std::vector<trace::Event> events;
  bool keep = true;  ///< false: for long runs of which only the end matters

 private:
  struct Writer final : trace::EventWriter {
    explicit Writer(MemorySink& s) : sink(s) {}
    void write(const trace::Event& event) noexcept override {
      if (sink.keep) sink.events.push_back(event);
    }
    void complete_until(trace::Nanoseconds) noexcept override {}
    MemorySink& sink;
  };
};

class RecordingDevice final : public device::Device {
 public:
  using Buffer = device::Buffer;
  using Stream = device::Stream;
  using GpuEvent = device::GpuEvent;

  RecordingDevice() : writer_(sink_.open_writer()) {
    info_.id = "recording";
    info_.dispatch_us = 10;
    info_.virtual_time = true;
  }

  const device::DeviceInfo& info() const override { return info_; }
  base::Nanoseconds now_ns() const override { return now_; }
  void host_work(base::Nanoseconds ns) override {
    now_ += ns;
    host_work_ns += ns;
    if (log_host_work) log("work " + std::to_string(ns));
  }
  void host_wrote(std::size_t bytes) override { host_work(static_cast<base::Nanoseconds>(bytes)); }
  void host_fill(Buffer, std::size_t bytes) override { host_wrote(bytes); }
  trace::EventSink& sink() override { return sink_; }
  trace::EventWriter& writer() override { return *writer_; }

  Buffer allocate(trace::MemoryKind kind, std::size_t bytes) override {
    if (kind == trace::MemoryKind::Device) log("cudaMalloc " + std::to_string(bytes));
    if (kind == trace::MemoryKind::Pinned) log("cudaHostAlloc " + std::to_string(bytes));
    buffers_.push_back({kind, std::vector<std::byte>(bytes)});
    return static_cast<Buffer>(buffers_.size());
  }
  void release(Buffer) override { log("release"); }
  std::span<std::byte> host_data(Buffer buffer) override { return memory(buffer); }

  // Its threads perform their tasks at once.
  device::HostThread create_host_thread(std::string_view name) override {
    log("thread " + std::string(name));
    return device::HostThread{++threads_};
  }
  void end_host_thread(device::HostThread) override { log("end thread"); }
  device::HostTask submit(device::HostThread, const HostWork& work, device::HostTask) override {
    log("task " + std::string(work.name));
    return device::HostTask{++tasks_};
  }
  bool ended(device::HostTask task) override { return !unended.contains(task); }
  void wait_for(device::HostTask task, std::string_view what) override {
    log("wait for " + std::to_string(static_cast<std::uint64_t>(task)) + ": " + std::string(what));
  }

  Stream create_stream(bool) override { return Stream{++streams_}; }
  GpuEvent create_event() override {
    log("cudaEventCreate");
    return GpuEvent{++events_};
  }
  GpuEvent create_timing_event() override {
    log("cudaEventCreate timing");
    return GpuEvent{++events_};
  }
  std::optional<base::Nanoseconds> elapsed(GpuEvent start, GpuEvent end) override {
    log("cudaEventElapsedTime " + number(start) + " " + number(end));
    if (unfinished.contains(start) || unfinished.contains(end)) return std::nullopt;
    return 250'000;
  }
  void record(GpuEvent event, Stream) override { log("cudaEventRecord " + number(event)); }
  void wait(Stream, GpuEvent event) override { log("cudaStreamWaitEvent " + number(event)); }
  bool query(GpuEvent event) override {
    log("cudaEventQuery " + number(event));
    return !unfinished.contains(event);
  }
  void synchronize(GpuEvent event) override { log("cudaEventSynchronize " + number(event)); }
  void synchronize(Stream) override { log("cudaStreamSynchronize"); }
  void synchronize() override { log("cudaDeviceSynchronize"); }

  void copy_async(Slice to, Slice from, std::size_t bytes, Stream) override {
    log("cudaMemcpyAsync " + side(from) + "->" + side(to) + " " + std::to_string(bytes));
    std::memcpy(memory(to.buffer).data() + to.offset, memory(from.buffer).data() + from.offset, bytes);
  }
  void copy(Slice, Slice, std::size_t bytes) override { log("cudaMemcpy " + std::to_string(bytes)); }
  void fill_async(Slice, std::uint8_t, std::size_t bytes, Stream) override {
    log("cudaMemsetAsync " + std::to_string(bytes));
  }
  void launch(const ops::Op& op, std::span<const Buffer> args, Stream, bool compute) override {
    if (keep_log) {
      log(std::string(ops::kernel_name(op.kind)) + " " + std::to_string(op.m) + "x" + std::to_string(op.n) + "x" +
          std::to_string(op.k));
    }
    computed = computed || compute;
    const auto run = [this, op, compute, buffers = std::vector<Buffer>(args.begin(), args.end())] {
      if (compute) compute_now(op, buffers);
    };
    capturing_ ? nodes_.push_back(run) : run();
  }

  // Captured launches are logged like others, and computed when the graph is launched.
  void begin_capture(Stream stream) override {
    log("cudaStreamBeginCapture");
    EXPECT_NE(stream, Stream::Default);
    capturing_ = true;
    nodes_.clear();
  }
  device::Graph end_capture(Stream) override {
    log("cudaStreamEndCapture");
    capturing_ = false;
    graphs_.push_back(std::exchange(nodes_, {}));
    return static_cast<device::Graph>(graphs_.size());
  }
  void launch_graph(device::Graph graph, Stream) override {
    log("cudaGraphLaunch " + std::to_string(static_cast<std::uint32_t>(graph)));
    for (const auto& node : graphs_.at(static_cast<std::size_t>(graph) - 1)) node();
  }
  void destroy_graph(device::Graph graph) override {
    log("cudaGraphExecDestroy " + std::to_string(static_cast<std::uint32_t>(graph)));
  }

 private:
  void compute_now(const ops::Op& op, const std::vector<Buffer>& buffers) {
    std::vector<std::span<float>> spans;
    for (const Buffer buffer : buffers) {
      const std::span<std::byte> bytes = memory(buffer);
      spans.emplace_back(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float));
    }
    ops::run_reference(op, spans);
  }

 public:
  /// The calls since the last call of this function.
  std::vector<std::string> take_log() { return std::exchange(log_, {}); }
  const MemorySink& recorded() const { return sink_; }
  void set_dispatch_us(double us) { info_.dispatch_us = us; }
  void set_virtual_time(bool is_virtual) { info_.virtual_time = is_virtual; }

  bool log_host_work = false;
  bool keep_log = true;
  base::Nanoseconds host_work_ns = 0;
  bool computed = false;
  std::set<GpuEvent> unfinished;       ///< events that query() reports as not done
  std::set<device::HostTask> unended;  ///< tasks that ended() reports as not done

 private:
  struct Memory {
    trace::MemoryKind kind;
    std::vector<std::byte> bytes;
  };

  static std::string number(GpuEvent event) { return std::to_string(static_cast<std::uint32_t>(event)); }
  std::span<std::byte> memory(Buffer buffer) { return buffers_.at(static_cast<std::size_t>(buffer) - 1).bytes; }
  std::string side(Slice slice) {
    switch (buffers_.at(static_cast<std::size_t>(slice.buffer) - 1).kind) {
      case trace::MemoryKind::Pageable:
        return "pageable";
      case trace::MemoryKind::Pinned:
        return "pinned";
      default:
        return "device";
    }
  }
  void log(std::string call) {
    now_ += 1'000;
    if (keep_log) log_.push_back(std::move(call));
  }

  device::DeviceInfo info_;
  MemorySink sink_;
  std::unique_ptr<trace::EventWriter> writer_;
  std::vector<Memory> buffers_;
  std::vector<std::string> log_;
  bool capturing_ = false;
  std::vector<std::function<void()>> nodes_;
  std::vector<std::vector<std::function<void()>>> graphs_;
  std::uint32_t streams_ = 0, events_ = 0, threads_ = 0;
  std::uint64_t tasks_ = 0;
  base::Nanoseconds now_ = 0;
};

}  // namespace lanescope::workload
