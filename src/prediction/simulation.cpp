#include "prediction/simulation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "device/sim/sim_device.h"
#include "workload/graphed_step.h"
#include "workload/loop.h"

namespace lanescope::prediction {
namespace {

using device::kCudaCalls;

// Not the recorded run's seed: a prediction must not depend on the same random numbers.
constexpr std::uint64_t kSeed = 0x5eed0001;
constexpr std::size_t kTraceBytes = std::size_t{256} << 20;
constexpr double kMostComputed = 150'000;  // elements
constexpr std::size_t kMostHostBytes = std::size_t{128} << 20;

/// Appends events at once, because a single thread writes them, in order within each lane.
class DirectSink final : public trace::EventSink {
 public:
  explicit DirectSink(trace::Trace& trace) : trace_(trace) {}
  trace::LaneId lane(const trace::LaneInfo& info) override { return trace_.add_lane(info); }
  trace::NameId name(std::string_view text) override { return trace_.names().intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(trace_); }

 private:
  class Writer final : public trace::EventWriter {
   public:
    explicit Writer(trace::Trace& trace) : trace_(trace) {}
    void write(const trace::Event& event) noexcept override { trace_.append(event); }
    void complete_until(Nanoseconds) noexcept override {}

   private:
    trace::Trace& trace_;
  };
  trace::Trace& trace_;
};

class Listener final : public device::sim::SimObserver {
 public:
  explicit Listener(Simulation& simulation) : simulation_(simulation) {}

  void called(CudaCall api, std::uint32_t) override {
    next_.api = static_cast<std::size_t>(api);
    next_.op = std::exchange(op_, {});
    next_.bytes = std::exchange(bytes_, 0);
    if (!is_left_out(api)) mix(next_.api);
    if (api == CudaCall::LaunchKernel) {
      for (const auto part : {static_cast<std::int32_t>(next_.op.kind), next_.op.m, next_.op.n, next_.op.k}) {
        mix(static_cast<std::uint64_t>(part));
      }
    }
    simulation_.issues.push_back(std::exchange(next_, {}));
  }
  void launched(const ops::Op& op) override { op_ = op; }
  void allocated(device::MemoryKind kind, std::size_t bytes) override {
    if (kind == device::MemoryKind::Pinned) bytes_ = bytes;
  }
  void released(device::MemoryKind kind, std::size_t bytes) override {
    if (kind == device::MemoryKind::Pinned) bytes_ = bytes;
  }
  void host_wrote(std::size_t bytes, std::size_t fresh) override {
    next_.host_bytes += bytes;
    next_.host_fresh += fresh;
  }
  void downloaded(std::size_t bytes, std::size_t fresh) override {
    simulation_.issues.back().download = bytes;
    simulation_.issues.back().fresh_download = fresh;
  }
  void submitted(const device::Device::HostWork& work) override {
    simulation_.tasks.push_back({std::string(work.name), work.busy_ns, work.bytes});
    ++tasks_;
  }
  void waited() override { next_.waited = true; }

  void begin_iterations() {
    simulation_.begins.push_back(simulation_.issues.size());
    op_ = {};
    shape_ = 0;
    tasks_ = 0;
  }
  void end_iteration() {
    next_.api = kOtherApi;
    simulation_.issues.push_back(std::exchange(next_, {}));
    mix(tasks_);
    simulation_.shapes.push_back(std::exchange(shape_, 0));
    simulation_.begins.push_back(simulation_.issues.size());
    tasks_ = 0;
  }

 private:
  /// Calls that depend on the GPU's progress, not on the iteration.
  static bool is_left_out(CudaCall api) {
    return api == CudaCall::EventQuery || api == CudaCall::EventCreate || api == CudaCall::HostAlloc;
  }
  void mix(std::uint64_t value) {
    shape_ = (shape_ ^ value) * 0x9e3779b97f4a7c15u;
    shape_ ^= shape_ >> 29;
  }

  Simulation& simulation_;
  Issue next_;
  ops::Op op_;
  std::size_t bytes_ = 0, tasks_ = 0;
  std::uint64_t shape_ = 0;
};

/// Runs the requested number of iterations, each with the program's own time at its end.
class Loop final : public workload::LoopControl {
 public:
  Loop(const Machine& machine, const SimulationRequest& request, device::Device& device, Listener& listener,
       Simulation& simulation, std::function<bool()> out_of_time)
      : machine_(machine),
        request_(request),
        device_(device),
        listener_(listener),
        simulation_(simulation),
        out_of_time_(std::move(out_of_time)) {}

  const workload::Settings& begin() override { return request_.settings; }
  void set_up_done() override {
    simulation_.from = device_.now_ns();
    listener_.begin_iterations();
  }
  const workload::Settings* next(std::uint64_t number) override {
    return number - request_.first < request_.iterations && !out_of_time_() ? &request_.settings : nullptr;
  }
  void end_of_iteration() override {
    if (machine_.after_iteration > 0) device_.host_work(machine_.after_iteration);
  }
  void iterated(std::uint64_t) override { listener_.end_iteration(); }
  void iterations_done() override { simulation_.to = device_.now_ns(); }

 private:
  const Machine& machine_;
  const SimulationRequest& request_;
  device::Device& device_;
  Listener& listener_;
  Simulation& simulation_;
  const std::function<bool()> out_of_time_;
};

}  // namespace

Machine with_cpu_times(Machine machine, double factor) {
  auto& cpu = machine.profile.cpu;
  for (double* us : {&cpu.launch_us, &cpu.memcpy_us, &cpu.memset_us, &cpu.event_record_us, &cpu.event_query_us,
                     &cpu.stream_wait_us, &cpu.sync_us, &cpu.idle_return_us, &cpu.wake_us, &cpu.stream_create_us,
                     &cpu.event_create_us, &cpu.malloc_us, &cpu.free_us, &cpu.host_alloc_us, &cpu.host_alloc_us_per_mib,
                     &cpu.host_free_us, &cpu.host_free_us_per_mib, &cpu.page_fault_us_per_mib}) {
    *us *= factor;
  }
  // All but the first, with which the settings' dispatch_us scales the others.
  auto& framework = machine.profile.pytorch;
  if (framework.known()) {
    std::for_each(framework.us.begin() + 1, framework.us.end(), [&](double& us) { us *= factor; });
  }
  cpu.memory_gb_per_s /= factor;
  cpu.copy_gb_per_s /= factor;
  // The CPU moves the bytes of pageable memory.
  machine.profile.link.h2d_pageable_gb_per_s /= factor;
  machine.profile.link.h2d_cached_gb_per_s /= factor;
  machine.profile.link.d2h_pageable_gb_per_s /= factor;
  const auto longer = [&](Nanoseconds& ns) { ns = static_cast<Nanoseconds>(static_cast<double>(ns) * factor); };
  std::for_each(machine.before_call.begin(), machine.before_call.end(), longer);
  std::for_each(machine.before_launch.begin(), machine.before_launch.end(), longer);
  longer(machine.after_iteration);
  return machine;
}

Machine with_copy_times(Machine machine, double factor) {
  auto& link = machine.profile.link;
  for (double* rate : {&link.h2d_pageable_gb_per_s, &link.h2d_cached_gb_per_s, &link.d2h_pageable_gb_per_s,
                       &link.h2d_pinned_gb_per_s, &link.d2h_pinned_gb_per_s}) {
    *rate /= factor;
  }
  return machine;
}

Machine with_gpu_times(Machine machine, double factor) {
  auto& gpu = machine.profile.gpu;
  for (double* us :
       {&gpu.launch_latency_us, &gpu.copy_latency_us, &gpu.kernel_floor_us, &machine.profile.link.copy_fixed_us}) {
    *us *= factor;
  }
  for (double* rate : {&gpu.fp32_tflops, &gpu.memory_gb_per_s, &machine.profile.link.h2d_pinned_gb_per_s,
                       &machine.profile.link.d2h_pinned_gb_per_s}) {
    *rate /= factor;
  }
  for (device::sim::KnownOp& op : machine.ops) {
    op.cost = static_cast<Nanoseconds>(static_cast<double>(op.cost) * factor);
  }
  return machine;
}

Simulation simulate(const Machine& machine, const SimulationRequest& request, const std::atomic<bool>* stop) {
  const auto until = std::chrono::steady_clock::now() + request.budget;
  Simulation simulation;
  simulation.trace = std::make_unique<trace::Trace>(kTraceBytes);
  simulation.lead_in += static_cast<std::size_t>(workload::graph_lead_in(request.settings));
  DirectSink sink(*simulation.trace);
  Listener listener(simulation);
  device::DeviceContext context;
  context.sink = &sink;
  context.seed = kSeed;
  device::sim::SimOptions options;
  options.ops = machine.ops;
  options.before_call = machine.before_call;
  options.before_launch = machine.before_launch;
  options.observer = &listener;
  options.most_computed = kMostComputed;
  options.most_host_bytes = kMostHostBytes;
  device::sim::DeviceProfile profile = machine.profile;
  if (!request.jitter) profile.jitter_spread = profile.jitter_gpu_spread = 0;
  Nanoseconds end = 0;
  {
    device::sim::SimDevice device(profile, std::move(context), "fitted", std::move(options));
    const std::unique_ptr<workload::Workload> workload = workload::make_workload(request.workload, device);
    const auto out_of_time = [&] { return (stop != nullptr && *stop) || std::chrono::steady_clock::now() > until; };
    Loop loop(machine, request, device, listener, simulation, out_of_time);
    workload::run_loop(device, *workload, request.first, loop);
    end = device.now_ns();
  }
  end = std::max(end, simulation.trace->extent().second);
  simulation.trace->publish();
  simulation.trace->set_complete_until(simulation.trace->extent().second + 1);
  return simulation;
}

std::size_t period_of(const Simulation& simulation) {
  const std::vector<std::uint64_t>& shapes = simulation.shapes;
  const std::size_t n = shapes.size();
  for (std::size_t period = 1; period <= (n > 1 ? (n - 1) / 2 : 0); ++period) {
    bool repeats = true;
    for (std::size_t i = n; repeats && i-- > simulation.lead_in + period;) repeats = shapes[i] == shapes[i - period];
    if (repeats) return period;
  }
  return 1;
}

}  // namespace lanescope::prediction
