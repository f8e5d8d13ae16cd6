#include <algorithm>

#include "calibration/probe.h"

namespace lanescope::calibration {
namespace {

using base::to_us;
using trace::Event;

constexpr int kFew = 8, kMany = 32, kLaunches = 64;
constexpr double kAheadMs = 0.5;  // behind this kernel, so that no work waits for the host

/// From the end of each kernel to that of the next.
std::vector<double> apart_us(const std::vector<Event>& kernels) {
  std::vector<double> us;
  for (std::size_t i = 1; i < kernels.size(); ++i) us.push_back(to_us(kernels[i].end_ns - kernels[i - 1].end_ns));
  return us;
}

}  // namespace

GraphCosts measure_graph_costs(Probe& probe) {
  device::Device& d = probe.device();
  const Stream side = d.create_stream(true);
  const auto graph_of = [&](int nodes) {
    d.begin_capture(side);
    for (int i = 0; i < nodes; ++i) probe.tiny_kernel(side);
    return d.end_capture(side);
  };
  const device::Graph few = graph_of(kFew), many = graph_of(kMany);
  const auto launch_us = [&](device::Graph graph) {
    std::vector<double> us;
    for (int i = 0; i < kLaunches; ++i) {
      us.push_back(probe.time_us([&] { d.launch_graph(graph, Stream::Default); }));
      if (i % 4 == 3) d.synchronize();
    }
    us.erase(us.begin(), us.begin() + 4);  // on a real GPU the first launch of a graph uploads it
    return median(us);
  };
  const double small = launch_us(few), large = launch_us(many);
  GraphCosts costs;
  costs.node_us = std::max(0.0, (large - small) / (kMany - kFew));
  costs.launch_us = std::max(0.0, small - kFew * costs.node_us);

  std::vector<Event> queued = probe.operations_of([&] {
    probe.spin(kAheadMs);
    for (int i = 0; i < kMany; ++i) probe.tiny_kernel();
  });
  queued.erase(queued.begin());
  const std::vector<double> apart = apart_us(probe.operations_of([&] { d.launch_graph(many, Stream::Default); }));
  const double gap = median(apart) - median(apart_us(queued));
  if (gap > 2 * uncertainty_of_median(apart) * median(apart)) costs.gap_us = gap;
  for (const device::Graph graph : {few, many}) d.destroy_graph(graph);
  return costs;
}

}  // namespace lanescope::calibration
