// CUDA graphs on the simulated device: capturing launches, and running them with one call.
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "device/sim/sim_device.h"

namespace lanescope::device::sim {

using base::tr;

void SimDevice::forbid_in_capture(CudaCall api) {
  switch (api) {
    case CudaCall::LaunchKernel:
    case CudaCall::MemsetAsync:
    case CudaCall::StreamEndCapture:
      return;
    default:
      capturing_.reset();  // as in CUDA, the capture is invalid from here on
      throw base::Error(tr("{}: operation not permitted when stream is capturing", call_name(api)));
  }
}

SimDevice::Node& SimDevice::capture(const Call& call, std::uint32_t stream) {
  if (capturing_->stream != stream) {
    capturing_.reset();
    throw base::Error(tr("{}: operation not permitted when stream is capturing", call_name(call.api)));
  }
  return capturing_->graph.nodes.emplace_back();
}

void SimDevice::begin_capture(Stream stream) {
  const std::uint32_t index = index_of(stream, CudaCall::StreamBeginCapture);
  if (index == 0) {
    throw base::Error(tr("{}: the default stream cannot be captured", call_name(CudaCall::StreamBeginCapture)));
  }
  end(begin(CudaCall::StreamBeginCapture, costs_.launch), 0);
  Capturing capturing;
  capturing.stream = index;
  capturing_ = std::move(capturing);
}

Graph SimDevice::end_capture(Stream stream) {
  if (!capturing_ || capturing_->stream != index_of(stream, CudaCall::StreamEndCapture)) {
    throw base::Error(tr("{}: the stream is not being captured", call_name(CudaCall::StreamEndCapture)));
  }
  end(begin(CudaCall::StreamEndCapture, costs_.launch), 0);
  SimGraph& graph = graphs_.emplace_back(std::move(capturing_->graph));
  capturing_.reset();
  end(begin(CudaCall::GraphInstantiate, costs_.graph_instantiate(graph.nodes.size())), 0);
  return static_cast<Graph>(graphs_.size());
}

SimDevice::SimGraph& SimDevice::graph_of(Graph graph, CudaCall api) {
  const auto number = static_cast<std::uint32_t>(graph);
  if (number == 0 || number > graphs_.size() || !graphs_[number - 1].exists) {
    throw base::Error(tr("{}: graph {} does not exist", call_name(api), number));
  }
  return graphs_[number - 1];
}

void SimDevice::check_nodes(SimGraph& graph) {
  for (Node& node : graph.nodes) {
    if (node.work.kind == Work::Kind::Fill) {
      memory_.check(node.work.to, node.work.bytes, call_name(CudaCall::GraphLaunch));
    } else {
      const std::span args(node.work.args.data(), node.work.arg_count);
      memory_.check_arguments(args, call_name(CudaCall::GraphLaunch));
      if (!node.compute) memory_.mark_timing_only(args);
    }
  }
  graph.memory = memory_.version();
}

void SimDevice::launch_graph(Graph which, Stream stream) {
  SimGraph& graph = graph_of(which, CudaCall::GraphLaunch);
  const std::uint32_t index = index_of(stream, CudaCall::GraphLaunch);
  if (graph.memory != memory_.version()) check_nodes(graph);
  const Call call = begin(CudaCall::GraphLaunch, costs_.graph_launch(graph.nodes.size()));
  const Nanoseconds waited = wait_for_room(index);
  const trace::LaneId lane = log_.lane(index, trace::LaneKind::Kernels);
  for (const Node& node : graph.nodes) {
    Entry& entry = gpu_.add(index, Engine::Compute, host_ns_ + costs_.launch_latency);
    entry.event = node.event;
    entry.event.correlation = call.correlation;
    entry.event.lane = lane;
    entry.duration_ns = jitter_.apply_to_gpu(node.cost);
    if (&node != &graph.nodes.front()) entry.gap_ns = static_cast<std::int32_t>(costs_.graph_gap);
    const bool fills = node.work.kind == Work::Kind::Fill;
    const bool values = fills ? memory_.has_values(node.work.to.buffer)
                              : node.compute && memory_.have_values({node.work.args.data(), node.work.arg_count});
    if (values) gpu_.set_work(index, node.work);
  }
  end_launch(call, waited);
}

void SimDevice::destroy_graph(Graph which) {
  SimGraph& graph = graph_of(which, CudaCall::GraphExecDestroy);
  end(begin(CudaCall::GraphExecDestroy, costs_.event_create), 0);
  graph = {};
  graph.exists = false;
}

}  // namespace lanescope::device::sim
