// A training step as a CUDA graph, as a PyTorch program makes one with torch.cuda.graph: some steps on a side stream to
// warm up, one capture there, and from then on g.replay() on the main stream, which is one launch for all kernels.
//
// What the step reads must already be in its tensors (static inputs): copies come before it, reads of its results after
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "workload/eager.h"
#include "workload/settings.h"

namespace lanescope::workload {

inline constexpr const char* kCaptureRange = "torch.cuda.graph(g)";  // before and after the statements of the step
inline constexpr const char* kReplayRange = "g.replay()";

class GraphedStep {
 public:
  /// Steps before the capture, as many as in PyTorch's documentation. They are steps of the training loop.
  static constexpr int kWarmUp = 3;

  explicit GraphedStep(Eager& eager) : eager_(eager) {}

  /// Runs a step. `sequence` is what its kernels depend on: sizes, and which tensors they use; if it changes, the step
  /// is warmed up and captured again. `variant`: steps on different tensors that take turns have a graph each.
  template <typename Step>
  void run(std::initializer_list<std::int64_t> sequence, Step step, std::size_t variant = 0) {
    use(sequence, variant);
    if (warmed_up_ < kWarmUp) {
      ++warmed_up_;
      enter_side_stream();
      step();
      return leave_side_stream();
    }
    if (graphs_[variant] == device::Graph::None) {
      begin_capture();
      step();
      end_capture(variant);
    }
    replay(variant);
  }

 private:
  void use(std::initializer_list<std::int64_t> sequence, std::size_t variant);
  void enter_side_stream();
  void leave_side_stream();
  void begin_capture();
  void end_capture(std::size_t variant);
  void replay(std::size_t variant);

  Eager& eager_;
  std::vector<std::int64_t> sequence_;
  std::vector<device::Graph> graphs_;  // by variant
  int warmed_up_ = 0;
  device::Stream side_ = device::Stream::Default;
  device::GpuEvent before_ = device::GpuEvent::None, after_ = device::GpuEvent::None;
};

/// The setting cuda_graph. `unless`: when the workload's step cannot be captured.
SettingSpec cuda_graph_setting(const device::DeviceInfo& device, std::vector<NoEffect> unless = {});
/// cuda_graph is on, and nothing prevents the capture.
bool uses_graph(const Settings& settings);

}  // namespace lanescope::workload
