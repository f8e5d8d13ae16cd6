// Launches, synchronisations and the launch queue, compared with hand-calculated timelines on the round profile.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

TEST(Launch, ReturnsAfterItsOwnCostAndRunsAfterTheLatency) {
  Rig rig;
  rig.kernel(100);
  rig.kernel(200);
  EXPECT_EQ(rig->now_ns(), us(20));
  rig.close();
  // The first arrives at 10 + 5; the second arrives at 25 and waits for the first.
  const auto calls = rig.calls("cudaLaunchKernel");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(span_of(calls[0]), (Span{0, 10}));
  EXPECT_EQ(span_of(calls[1]), (Span{10, 20}));
  EXPECT_EQ(calls[0].flags, trace::kLaunchFlag);
  const auto kernels = rig.kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(span_of(kernels[0]), (Span{15, 115}));
  EXPECT_EQ(span_of(kernels[1]), (Span{115, 315}));
  EXPECT_EQ(rig.text(kernels[0].name), "fill");
}

TEST(Launch, AnIdleGpuStartsWhenTheLaunchArrives) {
  Rig rig;
  rig.kernel(100);
  rig->host_work(us(500));
  rig.kernel(100);
  rig.close();
  // The second call is [510, 520), so its kernel starts at 525, long after the first has ended.
  EXPECT_EQ(span_of(rig.kernels()[1]), (Span{525, 625}));
}

TEST(Synchronise, StreamWaitsForItsLastKernelAndForTheWakeUp) {
  Rig rig;
  rig.kernel(100);
  rig.kernel(100);
  rig->synchronize(Stream::Default);
  // Kernels [15, 115) and [115, 215). The call begins at 20: own until 25, waits until 215, is back at 265.
  const auto calls = rig.calls("cudaStreamSynchronize");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(span_of(calls[0]), (Span{20, 265}));
  EXPECT_EQ(parts_in_us(calls[0]), (Parts{5, 190, 0, 50}));
  EXPECT_EQ(calls[0].flags & kAllCallFlags, trace::kBlockingFlag | trace::kSyncFlag);
  EXPECT_EQ(rig->now_ns(), us(265));
}

TEST(Synchronise, OnAnIdleQueueReturnsFast) {
  Rig rig;
  rig.kernel(100);
  rig->host_work(us(1000));
  rig->synchronize(Stream::Default);
  const auto calls = rig.calls("cudaStreamSynchronize");
  EXPECT_EQ(span_of(calls[0]), (Span{1010, 1018}));
  EXPECT_EQ(parts_in_us(calls[0]), (Parts{5, 0, 0, 3}));
  EXPECT_TRUE(trace::is_sync(calls[0]));
  EXPECT_TRUE(trace::is_blocking(calls[0]));
}

TEST(Synchronise, WorkThatEndsDuringTheCallsOwnCostIsNotWaitedFor) {
  Rig rig;
  rig.kernel(100);                    // [15, 115)
  rig->host_work(us(100));            // until 110
  rig->synchronize(Stream::Default);  // own until 115, which is when the kernel has ended
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize")[0]), (Parts{5, 0, 0, 3}));
}

TEST(Synchronise, DeviceWaitsForEveryStream) {
  Rig rig;
  const Stream other = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100);
  rig.kernel(300, other);
  rig->synchronize();
  // One compute engine: [15, 115) and [115, 415). Called at 20.
  const auto calls = rig.calls("cudaDeviceSynchronize");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(span_of(calls[0]), (Span{20, 465}));
  EXPECT_EQ(parts_in_us(calls[0]), (Parts{5, 390, 0, 50}));
  EXPECT_TRUE(trace::is_sync(calls[0]));
}

TEST(Synchronise, AStreamDoesNotWaitForLaterOrOtherWork) {
  Rig rig;
  const Stream first = rig->create_stream(true), second = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100, first);
  rig.kernel(300, second);
  rig->synchronize(first);
  EXPECT_EQ(span_of(rig.calls("cudaStreamSynchronize")[0]), (Span{20, 165}));
}

TEST(Synchronise, ALastCopyIsShownAsCopying) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig.kernel(100);
  rig->copy_async({rig.host}, {rig.gpu}, 1'000'000, Stream::Default);
  rig->synchronize(Stream::Default);
  // Kernel [15, 115), copy [115, 217). The synchronise begins at 30, own until 35, waits for the kernel until 115.
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize")[0]), (Parts{5, 80, 102, 50}));
}

TEST(LaunchQueue, ALaunchWaitsForRoomAndIsNoSynchronisation) {
  Rig rig;  // 8 operations
  for (int i = 0; i < 10; ++i) rig.kernel(100);
  const auto calls = rig.calls("cudaLaunchKernel");
  // Kernel i ends at 115 + 100 i. Launches 0 to 7 take [0, 80); launch 8 has spent its own cost at 90 and waits until
  // 115; launch 9 at 125, and waits until 215.
  EXPECT_EQ(span_of(calls[7]), (Span{70, 80}));
  EXPECT_EQ(calls[7].flags, trace::kLaunchFlag);
  EXPECT_EQ(span_of(calls[8]), (Span{80, 115}));
  EXPECT_EQ(parts_in_us(calls[8]), (Parts{10, 25, 0, 0}));
  EXPECT_EQ(calls[8].flags & kAllCallFlags, trace::kLaunchFlag | trace::kBlockingFlag);
  EXPECT_EQ(span_of(calls[9]), (Span{115, 215}));
  EXPECT_EQ(parts_in_us(calls[9]), (Parts{10, 90, 0, 0}));
  rig.close();
  // The GPU never runs dry: 10 kernels back to back.
  EXPECT_EQ(span_of(rig.kernels()[9]), (Span{915, 1015}));
}

TEST(LaunchQueue, CopiesAndMemsetsTakeRoomAndWaitForIt) {
  Rig rig(Replaced{{"gpu.launch_queue_depth", "2"}});
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig.kernel(100);                                                 // [15, 115)
  rig->fill_async({rig.gpu}, 0, 1'000'000, Stream::Default);       // [115, 225): 100 + 10
  rig->copy_async({rig.gpu}, {rig.host}, 1'000, Stream::Default);  // begins at 20, own until 40, room at 115
  rig->fill_async({rig.gpu}, 0, 1'000'000, Stream::Default);       // begins at 115, own until 125, room at 225
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync")[0]), (Parts{20, 75, 0, 0}));
  EXPECT_FALSE(trace::is_sync(rig.calls("cudaMemcpyAsync")[0]));
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemsetAsync")[1]), (Parts{10, 100, 0, 0}));
}

TEST(LaunchQueue, EachStreamHasItsOwn) {
  Rig rig(Replaced{{"gpu.launch_queue_depth", "1"}});
  const Stream other = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(100);
  rig.kernel(100, other);
  EXPECT_EQ(span_of(rig.calls("cudaLaunchKernel")[1]), (Span{10, 20}));
  rig.kernel(100);
  EXPECT_EQ(parts_in_us(rig.calls("cudaLaunchKernel")[2]), (Parts{10, 85, 0, 0}));  // own until 30, kernel ends at 115
}

TEST(Memset, RunsOnTheComputeEngineAndOnTheKernelLane) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1'000'000);
  rig->fill_async({rig.gpu}, 0, 1'000'000, Stream::Default);
  rig.close();
  const trace::Event memset = rig.sink.events.back();
  EXPECT_EQ(memset.kind, trace::EventKind::Memset);
  EXPECT_EQ(memset.start_ns - rig.start, us(15));
  EXPECT_EQ(memset.duration(), us(110));  // the floor, and 1 MB at 100 GB/s
  EXPECT_EQ(trace::bytes_of(memset), 1'000'000u);
  EXPECT_EQ(rig.text(memset.name), "Memset (Device)");
  EXPECT_EQ(rig.sink.lanes[memset.lane].kind, trace::LaneKind::Kernels);
}

TEST(HostWork, MovesTheClockAndIsNotRecorded) {
  Rig rig;
  rig->host_work(us(123));
  EXPECT_EQ(rig->now_ns(), us(123));
  EXPECT_TRUE(rig.sink.events.empty());
  EXPECT_THROW(rig->host_work(-1), base::Error);
}

}  // namespace
}  // namespace lanescope::device::sim
