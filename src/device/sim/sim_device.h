// A CUDA-like device in virtual time: a timing model with real semantics, deterministic for a seed.
//
// Each call advances the calling thread's clock by its cost. Work is queued on streams, and GpuTimeline decides when it
// runs. Values are real: bytes move and ops are computed when the simulated time of their end is reached, so a pinned
// buffer overwritten too early is corrupted here as on a real GPU.
//
// Rules beyond device.h:
// - An operation can start one launch latency after its call returns, at the earliest.
// - cudaMemcpyAsync and cudaMemcpy from pageable memory up to the inline limit (64 KB) put the bytes into the command
//   queue and return. Larger ones go through the driver's staging buffer, chunk by chunk, and block the CPU meanwhile.
//   A larger cudaMemcpy waits for the stream first and returns when the last chunk is staged.
// - An engine runs one operation at a time; a copy keeps its engine from its first chunk to its last.
// - A launch, copy or memset on a stream with launch_queue_depth unfinished operations waits until the oldest has
// ended.
// - Synchronising the default stream waits for the blocking streams, too.
// - A synchronisation whose last operation is a copy reports so in its parts (copying).
// - Fresh pageable memory costs its page faults when host_fill(), a host thread or a copy from the device first writes
//   it; in the last case, they slow down the CPU side of the staging.
// - A timing event completes when its stream reaches it, so the time between two events includes GPU idle time.
//   cudaEventElapsedTime costs as much CPU time as cudaEventQuery (assumed). It is exact, whereas CUDA's resolution is
//   about half a microsecond.
// - cudaGraphLaunch is one call, and its nodes wait for one launch latency together. They run one after the other, each
//   graph_gap_us after the one before it. Each counts as an operation in the launch queue (assumed).
// - A call on a stream that is being captured costs what it costs otherwise, and so do cudaStreamBeginCapture and
//   cudaStreamEndCapture (assumed: a launch's cost). cudaGraphExecDestroy costs as much as creating an event (assumed).
// - A host thread's calls take their own cost and are not slowed down by other threads.
// - host_fill() leaves bytes of unknown value: copies of them take their time but move nothing, until host_data() is
//   called or a copy brings values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "device/sim/cost_model.h"
#include "device/sim/gpu_timeline.h"
#include "device/sim/log.h"
#include "device/sim/memory.h"
#include "device/sim/profile.h"
#include "device/sim/sim_host_threads.h"

namespace lanescope::device::sim {

DeviceInfo info_of(const DeviceProfile& profile, std::string id);

class SimDevice final : public Device {
 public:
  /// `id` is as on the command line; empty means "sim:" and the profile's id.
  SimDevice(const DeviceProfile& profile, DeviceContext context, std::string id = {});
  /// Decides and writes all outstanding work.
  ~SimDevice() override;
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

  const DeviceInfo& info() const override { return info_; }
  Nanoseconds now_ns() const override { return host_ns_; }
  void host_work(Nanoseconds ns) override;
  void host_wrote(std::size_t bytes) override;
  trace::EventSink& sink() override { return *context_.sink; }
  trace::EventWriter& writer() override { return *writer_; }
  bool host_read(Buffer buffer, std::size_t bytes) override;

  HostThread create_host_thread(std::string_view name) override { return threads_.create(name); }
  void end_host_thread(HostThread thread) override { threads_.end(thread); }
  HostTask submit(HostThread thread, const HostWork& work, HostTask after) override;
  bool ended(HostTask task) override { return threads_.ended(task); }
  void wait_for(HostTask task, std::string_view what) override;

  Buffer allocate(MemoryKind kind, std::size_t bytes) override;
  void release(Buffer buffer) override;
  std::span<std::byte> host_data(Buffer buffer) override;
  void host_fill(Buffer buffer, std::size_t bytes) override;

  Stream create_stream(bool non_blocking) override;
  GpuEvent create_event() override { return new_event(false); }
  GpuEvent create_timing_event() override { return new_event(true); }
  void record(GpuEvent event, Stream stream) override;
  void wait(Stream stream, GpuEvent event) override;
  bool query(GpuEvent event) override;
  std::optional<Nanoseconds> elapsed(GpuEvent start, GpuEvent end) override;
  void synchronize(GpuEvent event) override;
  void synchronize(Stream stream) override;
  void synchronize() override;

  void copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) override;
  void copy(Slice to, Slice from, std::size_t bytes) override;
  void fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) override;
  void launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) override;

  void begin_capture(Stream stream) override;
  Graph end_capture(Stream stream) override;
  void launch_graph(Graph graph, Stream stream) override;
  void destroy_graph(Graph graph) override;

 private:
  class ThreadCalls;
  struct SimEvent {
    EventStamp stamp;
    bool timing = false;
  };
  struct Call {  // 16 bytes, which a function returns in registers
    Nanoseconds start_ns;
    std::uint32_t correlation;
    CudaCall api;
  };
  /// What a blocking call waits for. `pending` is false if there is nothing left to wait for.
  struct Awaited {
    bool pending = false;
    Nanoseconds end_ns = 0;
    Nanoseconds copy_start_ns = 0;
  };
  /// A launch that only takes time: a loop repeats a few, and repeated ones need no check. Its arguments hold no values
  /// and will not, as long as no buffer is allocated or released.
  struct KnownLaunch {
    ops::Op op;
    Stream stream = Stream::Default;
    std::size_t arg_count = 0;
    std::array<Buffer, ops::kMaxArgs> args{};
    Nanoseconds cost = 0;
    trace::NameId name = 0;
    trace::LaneId lane = 0;
    std::uint64_t memory = 0;  ///< as of this Memory::version(); 0: none yet

    bool is(const ops::Op& other, std::span<const Buffer> its_args, Stream its_stream) const {
      return op == other && stream == its_stream && arg_count == its_args.size() &&
             std::equal(its_args.begin(), its_args.end(), args.begin());
    }
    static std::size_t place(const ops::Op& op, std::span<const Buffer> args) {
      const auto first = args.empty() ? 0 : static_cast<std::uint64_t>(args.front());
      const std::uint64_t number = first << 40 ^ static_cast<std::uint64_t>(op.kind) << 32 ^
                                   static_cast<std::uint64_t>(op.m) * 31 ^ static_cast<std::uint64_t>(op.n);
      return number * 0x9E3779B97F4A7C15u >> 57;
    }
    static constexpr std::size_t kPlaces = 128;
  };
  /// A kernel or memset of a graph.
  struct Node {
    Work work;
    trace::Event event;  // without its times, correlation and lane
    Nanoseconds cost = 0;
    bool compute = false;
  };
  struct SimGraph {
    std::vector<Node> nodes;
    std::uint64_t memory = 0;  // as of this Memory::version(), its nodes need no check
    bool exists = true;
  };
  struct Capturing {
    std::uint32_t stream = 0;
    SimGraph graph;
  };
  struct Transfer {
    Slice to, from;
    std::size_t bytes;
    MemoryKind to_kind, from_kind;
    std::uint32_t stream;
    bool synchronous;
  };

  Call begin(CudaCall api, Nanoseconds own_cost);
  /// Throws base::Error if the call cannot be captured.
  void forbid_in_capture(CudaCall api);
  trace::Event call_event(const Call& call, std::uint8_t flags);
  void end(const Call& call, std::uint8_t flags);
  void end_blocking(const Call& call, const trace::CallParts& parts, std::uint8_t flags);
  /// Completes a launch call, which was blocking if the queue was full.
  void end_launch(const Call& call, Nanoseconds waited);
  void end_synchronize(const Call& call, const Awaited& awaited);
  void advance_to(Nanoseconds t) {
    host_ns_ = t;
    if (threads_.next_end() <= t) end_tasks(t);
    gpu_.settle(t);
  }
  void end_tasks(Nanoseconds t);
  /// Reports how far the record is complete: every time if `always`, otherwise at intervals.
  void progress(bool always) {
    constexpr Nanoseconds kStep = 20 * base::kMicrosecond;
    if (always || paced_ || host_ns_ - reported_until_ns_ >= kStep) report();
  }
  void report();
  Nanoseconds own_of(const Call& call) const { return own_end_ns_ - call.start_ns; }

  std::uint32_t index_of(Stream stream, CudaCall api) const;
  /// Adds a node to the graph that is being captured, and returns it. Throws base::Error if another stream is captured.
  Node& capture(const Call& call, std::uint32_t stream);
  SimGraph& graph_of(Graph graph, CudaCall api);
  void check_nodes(SimGraph& graph);
  GpuEvent new_event(bool timing);
  SimEvent& event_of(GpuEvent event, CudaCall api);
  /// Throws base::Error unless the event was created with timing.
  const EventStamp& stamp_of(GpuEvent event);
  bool happened(const SimEvent& event) const;
  Nanoseconds prepare(HostTasks::Task& task, trace::LaneId calls, Nanoseconds now);
  Nanoseconds wait_for_room(std::uint32_t stream) {
    return gpu_.outstanding(stream) < costs_.queue_depth ? 0 : wait_until_there_is_room(stream);
  }
  Nanoseconds wait_until_there_is_room(std::uint32_t stream);
  void consider(Awaited& awaited, Position position);
  Awaited await_stream(std::uint32_t stream);
  Awaited await_device();

  Entry operation(const Call& call, Engine engine, trace::EventKind kind, trace::NameId name, trace::LaneId lane,
                  Nanoseconds latency, Nanoseconds duration) const;
  Entry copy_operation(const Call& call, const Transfer& t, Nanoseconds duration);
  /// The work that moves the bytes, if they have values. `captured`: the source is read now.
  Work copy_work(const Transfer& t, Entry& entry, bool captured);
  void check_launch(const ops::Op& op, std::span<const Buffer> args, Stream stream) const;
  void transfer(CudaCall api, Slice to, Slice from, std::size_t bytes, Stream stream, bool synchronous);
  void copy_on_host(const Call& call, const Transfer& t);
  void copy_direct(const Call& call, const Transfer& t, Nanoseconds waited);
  void upload_staged(const Call& call, const Transfer& t, Nanoseconds waited);
  void download_staged(const Call& call, const Transfer& t, Nanoseconds waited);
  void keep_host_write(Position position, const Slice& to, std::size_t bytes);
  void end_copied(const Call& call, const Entry& entry, Nanoseconds done);
  StagingRates rates(double host_ns_per_byte, double dma_ns_per_byte);

  DeviceContext context_;
  const bool paced_ = static_cast<bool>(context_.advanced);
  DeviceInfo info_;
  CostModel costs_;
  Jitter jitter_;
  Log log_;
  std::unique_ptr<trace::EventWriter> writer_;
  Memory memory_;
  GpuTimeline gpu_;
  SimHostThreads threads_;
  std::optional<Capturing> capturing_;
  std::vector<SimGraph> graphs_;
  std::deque<SimEvent> events_;  // a deque: the timeline keeps their addresses
  struct HostWrite {
    Position position;
    Slice to;
    std::size_t bytes;
  };
  std::vector<HostWrite> host_writes_;  // copies into host memory that may not have ended
  std::array<KnownLaunch, KnownLaunch::kPlaces> known_launches_;
  std::vector<double> scratch_;
  Nanoseconds host_ns_ = 0;
  Nanoseconds own_end_ns_ = 0;  // when the current call's own cost had passed
  Nanoseconds reported_until_ns_ = 0, waited_for_reader_ns_ = 0;
  std::uint32_t next_correlation_ = 1;
};

}  // namespace lanescope::device::sim
