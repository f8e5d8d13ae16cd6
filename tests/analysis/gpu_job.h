// A hand-written job of several GPUs, each of a process of its own, with a stream for kernels and one for collectives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lanescope::analysis_test {

inline constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

class GpuJob {
 public:
  explicit GpuJob(int gpus) : GpuJob(gpus, nullptr) {}
  /// Into this trace.
  GpuJob(int gpus, trace::Trace& into) : GpuJob(gpus, &into) {}
  GpuJob(const GpuJob&) = delete;
  GpuJob& operator=(const GpuJob&) = delete;

  // Times in µs.
  void kernel(int gpu, const std::string& name, base::Nanoseconds start, base::Nanoseconds end,
              const std::string& arguments = "") {
    add(gpu, name.starts_with("nccl") ? 1 : 0, trace::EventKind::Kernel, name, start, end, arguments);
  }
  void copy(int gpu, base::Nanoseconds start, base::Nanoseconds end) {
    add(gpu, 2, trace::EventKind::Copy, "Memcpy HtoD", start, end);
  }
  trace::LaneId lane(int gpu, int which) const { return lanes_[static_cast<std::size_t>(3 * gpu + which)]; }

 private:
  std::unique_ptr<trace::Trace> own_;

 public:
  trace::Trace& trace;

 private:
  GpuJob(int gpus, trace::Trace* into)
      : own_(into ? nullptr : std::make_unique<trace::Trace>()), trace(into ? *into : *own_) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      add_lane(gpu, 7, trace::LaneKind::Kernels);
      add_lane(gpu, 20, trace::LaneKind::Kernels);
      add_lane(gpu, 7, trace::LaneKind::CopyH2D);
    }
  }
  void add_lane(int gpu, int stream, trace::LaneKind kind) {
    trace::LaneInfo lane;
    lane.kind = kind;
    lane.name = kind == trace::LaneKind::Kernels ? "kernels" : "copies";
    lane.pid = 100 + gpu;
    lane.device = gpu;
    lane.stream = stream;
    lanes_.push_back(trace.add_lane(lane));
  }
  void add(int gpu, int which, trace::EventKind kind, const std::string& name, base::Nanoseconds start,
           base::Nanoseconds end, const std::string& arguments = "") {
    trace::Event e{.start_ns = start * 1000,
                   .end_ns = end * 1000,
                   .name = trace.names().intern(name),
                   .lane = lane(gpu, which),
                   .kind = kind};
    if (!arguments.empty()) trace::set_arguments(e, trace.arguments().intern(arguments));
    trace.append(e);
  }

  std::vector<trace::LaneId> lanes_;
};

}  // namespace lanescope::analysis_test
