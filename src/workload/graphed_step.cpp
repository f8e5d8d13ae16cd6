#include "workload/graphed_step.h"

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "workload/common_settings.h"

namespace lanescope::workload {
void GraphedStep::use(std::initializer_list<std::int64_t> sequence, std::size_t variant) {
  if (!std::ranges::equal(sequence, sequence_)) {
    for (const device::Graph graph : graphs_) {
      if (graph != device::Graph::None) eager_.device().destroy_graph(graph);
    }
    graphs_.clear();
    sequence_ = sequence;
    warmed_up_ = 0;
  }
  if (graphs_.size() <= variant) graphs_.resize(variant + 1, device::Graph::None);
}

// side.wait_stream(main)
void GraphedStep::enter_side_stream() {
  device::Device& device = eager_.device();
  if (before_ == device::GpuEvent::None) {
    side_ = device.create_stream(true);
    before_ = device.create_event();
    after_ = device.create_event();
  }
  device.record(before_, Eager::kStream);
  device.wait(side_, before_);
  eager_.set_stream(side_);
}

// main.wait_stream(side)
void GraphedStep::leave_side_stream() {
  eager_.set_stream(Eager::kStream);
  eager_.device().record(after_, side_);
  eager_.device().wait(Eager::kStream, after_);
}

void GraphedStep::begin_capture() {
  const Phase phase(eager_, kCaptureRange);
  eager_.device().begin_capture(side_);
  eager_.set_stream(side_);
}

void GraphedStep::end_capture(std::size_t variant) {
  const Phase phase(eager_, kCaptureRange);
  eager_.set_stream(Eager::kStream);
  graphs_[variant] = eager_.device().end_capture(side_);
}

void GraphedStep::replay(std::size_t variant) {
  const Phase phase(eager_, kReplayRange);
  eager_.launch(graphs_[variant]);
}

SettingSpec cuda_graph_setting(const device::DeviceInfo& device, std::vector<NoEffect> unless) {
  if (device.kind == device::DeviceKind::Cpu) {
    unless.clear();
    unless.emplace_back().reason = N_("a CPU has no CUDA graphs");
  }
  return {.key = key::kCudaGraph,
          .label = N_("CUDA graph"),
          .help = N_("The step's kernels are captured once (torch.cuda.graph) and then launched by a single call; "
                     "copies come before it and reads after it."),
          .type = SettingType::Bool,
          .standard = false,
          .no_effect_when = std::move(unless)};
}

bool uses_graph(const Settings& settings) {
  const SettingSpec* spec = settings.spec(key::kCudaGraph);
  return spec != nullptr && settings.boolean(key::kCudaGraph) && settings.no_effect(*spec) == nullptr;
}

}  // namespace lanescope::workload
