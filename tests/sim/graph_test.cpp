// CUDA graphs on the simulated device: what is captured, and when its nodes run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>

#include "base/error.h"
#include "device/sim/sim_cpu_device.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using ops::Op;
using ops::OpKind;
using testing::HasSubstr;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

/// Three kernels of 100 us, captured on a stream of their own. The device is then at 150 us: creating the stream 10, as
/// long as a launch each for beginning the capture, three launches and ending it 5 * 10, and instantiating 3 * 30.
struct ThreeKernels {
  explicit ThreeKernels(Rig& rig) {
    side = rig->create_stream(true);
    rig->begin_capture(side);
    for (int i = 0; i < 3; ++i) rig.kernel(100, side);
    graph = rig->end_capture(side);
  }
  Stream side;
  Graph graph;
};

TEST(Graph, CapturedKernelsDoNotRun) {
  Rig rig;
  const ThreeKernels captured(rig);
  EXPECT_EQ(rig->now_ns(), us(150));
  EXPECT_EQ(span_of(rig.calls("cudaStreamBeginCapture").at(0)), (Span{10, 20}));
  EXPECT_EQ(span_of(rig.calls("cudaStreamEndCapture").at(0)), (Span{50, 60}));
  EXPECT_EQ(span_of(rig.calls("cudaGraphInstantiate").at(0)), (Span{60, 150}));
  // They are no launches: nothing on the GPU is to be expected from them.
  ASSERT_EQ(rig.calls("cudaLaunchKernel").size(), 3u);
  for (const trace::Event& call : rig.calls("cudaLaunchKernel")) EXPECT_EQ(call.flags & kAllCallFlags, 0);
  rig.close();
  EXPECT_TRUE(rig.kernels().empty());
}

// One call of 20 + 3 * 1 us, and the nodes start one launch latency after it: 150 + 23 + 5 = 178. They follow each
// other with a gap of 2 us, so n nodes take n * 100 + (n - 1) * 2 us: 304.
TEST(Graph, AReplayIsOneCallAndItsNodesFollowEachOther) {
  Rig rig;
  const ThreeKernels captured(rig);
  rig->launch_graph(captured.graph, Stream::Default);
  EXPECT_EQ(rig->now_ns(), us(173));
  rig.close();
  const auto calls = rig.calls("cudaGraphLaunch");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(span_of(calls[0]), (Span{150, 173}));
  EXPECT_EQ(calls[0].flags & kAllCallFlags, trace::kLaunchFlag);
  const auto nodes = rig.kernels();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(span_of(nodes[0]), (Span{178, 278}));
  EXPECT_EQ(span_of(nodes[1]), (Span{280, 380}));
  EXPECT_EQ(span_of(nodes[2]), (Span{382, 482}));
  for (const trace::Event& node : nodes) {
    EXPECT_EQ(node.correlation, calls[0].correlation);
    EXPECT_EQ(rig.sink.lanes[node.lane].stream, 7) << "the default stream's, on which the graph was launched";
  }
}

// The second launch takes from 173 to 196 and waits for the stream only: there is no gap before the first node.
TEST(Graph, ReplaysRunOneAfterTheOther) {
  Rig rig;
  const ThreeKernels captured(rig);
  rig->launch_graph(captured.graph, Stream::Default);
  rig->launch_graph(captured.graph, Stream::Default);
  EXPECT_EQ(rig->now_ns(), us(196));
  rig->synchronize(Stream::Default);
  const auto nodes = rig.kernels();
  ASSERT_EQ(nodes.size(), 6u);
  EXPECT_EQ(span_of(nodes[3]), (Span{482, 582}));
  EXPECT_EQ(span_of(nodes[5]), (Span{686, 786}));
  EXPECT_EQ(span_of(rig.calls("cudaStreamSynchronize").at(0)), (Span{196, 836})) << "wake-up 50";
}

// Queue depth 8: three graphs of three nodes are 9 operations in flight, so a fourth launch waits at 242 (219 + 23)
// until only 7 are left: the second node ends at 380.
TEST(Graph, EachNodeTakesAPlaceInTheLaunchQueue) {
  Rig rig;
  const ThreeKernels captured(rig);
  for (int i = 0; i < 4; ++i) rig->launch_graph(captured.graph, Stream::Default);
  const auto calls = rig.calls("cudaGraphLaunch");
  EXPECT_EQ(span_of(calls.at(2)), (Span{196, 219}));
  EXPECT_EQ(span_of(calls.at(3)), (Span{219, 380}));
  EXPECT_EQ(parts_in_us(calls.at(3)), (Parts{23, 138, 0, 0}));
}

TEST(Graph, NodesComputeAtEachReplayAndNotBefore) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 4 * sizeof(float));
  const Stream side = rig->create_stream(true);
  const auto read = [&] {
    rig->copy({rig.host}, {rig.gpu}, 4 * sizeof(float));
    std::array<float, 4> values{};
    std::memcpy(values.data(), rig->host_data(rig.host).data(), sizeof values);
    return values;
  };
  rig->begin_capture(side);
  rig->launch(Op{OpKind::Increment, 4, 1, 1, 1.0f}, std::array{rig.gpu}, side, true);
  rig->launch(Op{OpKind::Increment, 4, 1, 1, 2.0f}, std::array{rig.gpu}, side, true);
  const Graph graph = rig->end_capture(side);
  EXPECT_EQ(read()[3], 0);
  for (int i = 0; i < 3; ++i) rig->launch_graph(graph, Stream::Default);
  EXPECT_EQ(read()[3], 9);

  rig->begin_capture(side);
  rig->fill_async({rig.gpu}, 0, 2 * sizeof(float), side);
  const Graph clear = rig->end_capture(side);
  EXPECT_EQ(read()[0], 9);
  rig->launch_graph(clear, Stream::Default);
  EXPECT_EQ(read(), (std::array<float, 4>{0, 0, 9, 9}));
}

TEST(Graph, WhatCannotBeCapturedIsRefused) {
  Rig rig;
  const Stream side = rig->create_stream(true);
  const auto in_capture = [&](const std::function<void()>& call) {
    rig->begin_capture(side);
    return error_of(call);
  };
  EXPECT_EQ(in_capture([&] { rig->synchronize(side); }),
            "cudaStreamSynchronize: operation not permitted when stream is capturing");
  EXPECT_EQ(in_capture([&] { rig->allocate(MemoryKind::Device, 4); }),
            "cudaMalloc: operation not permitted when stream is capturing");
  EXPECT_EQ(in_capture([&] { rig.kernel(100); }), "cudaLaunchKernel: operation not permitted when stream is capturing")
      << "on a stream that is not captured";
  EXPECT_THAT(error_of([&] { rig->end_capture(side); }), HasSubstr("not being captured")) << "the error ended it";
  EXPECT_THAT(error_of([&] { rig->begin_capture(Stream::Default); }), HasSubstr("default stream"));
  rig.kernel(100);  // the device still works
  rig->synchronize();
  EXPECT_EQ(rig.kernels().size(), 1u);
}

TEST(Graph, ADestroyedGraphIsNotLaunched) {
  Rig rig;
  const ThreeKernels captured(rig);
  EXPECT_THAT(error_of([&] { rig->launch_graph(Graph{2}, Stream::Default); }), HasSubstr("graph 2 does not exist"));
  rig->destroy_graph(captured.graph);
  EXPECT_EQ(rig.calls("cudaGraphExecDestroy").size(), 1u);
  EXPECT_THAT(error_of([&] { rig->launch_graph(captured.graph, Stream::Default); }),
              HasSubstr("graph 1 does not exist"));
}

TEST(Graph, ACpuHasNone) {
  CollectingSink sink;
  DeviceContext context;
  context.sink = &sink;
  SimCpuDevice cpu(parse_profile(round_profile_text(), "round.toml"), context);
  EXPECT_THAT(error_of([&] { cpu.begin_capture(Stream::Default); }), HasSubstr("this device has no CUDA graphs"));
}

}  // namespace
}  // namespace lanescope::device::sim
