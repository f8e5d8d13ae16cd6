// Every combination of call, direction, memory and size, compared with hand-calculated timelines on the round profile:
// own cost 20, copy latency 10, 2 us per copy, 0.1 ns per byte by DMA, 0.2 ns per byte between pageable memory and the
// staging buffer of 4 slots of 100,000 bytes, wake-up 50.
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

constexpr std::uint8_t kLaunch = trace::kLaunchFlag;
constexpr std::uint8_t kHeld = trace::kLaunchFlag | trace::kBlockingFlag;
constexpr std::uint8_t kSynchronous = trace::kLaunchFlag | trace::kBlockingFlag | trace::kSyncFlag;

std::uint8_t flags_of(const trace::Event& call) { return call.flags & kAllCallFlags; }

// --- cudaMemcpyAsync, pinned ---------------------------------------------------------------------------------------

TEST(CopyAsync, PinnedToDeviceReturnsAtOnce) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, Stream::Default);
  rig.close();
  const auto call = rig.calls("cudaMemcpyAsync").at(0);
  EXPECT_EQ(span_of(call), (Span{0, 20}));
  EXPECT_EQ(flags_of(call), kLaunch);
  const auto copy = rig.copies().at(0);
  EXPECT_EQ(span_of(copy), (Span{30, 132}));  // 2 + 100
  EXPECT_EQ(rig.text(copy.name), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace::bytes_of(copy), 1'000'000u);
  EXPECT_EQ(trace::copy_traits_of(copy),
            (trace::CopyTraits{trace::CopyDirection::HostToDevice, MemoryKind::Pinned, MemoryKind::Device, true}));
  EXPECT_EQ(rig.sink.lanes[copy.lane].kind, trace::LaneKind::CopyH2D);
}

TEST(CopyAsync, DeviceToPinnedReturnsAtOnce) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig.kernel(100);  // [15, 115)
  rig->copy_async({rig.host}, {rig.gpu}, 1'000'000, Stream::Default);
  rig.close();
  EXPECT_EQ(span_of(rig.calls("cudaMemcpyAsync").at(0)), (Span{10, 30}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpyAsync").at(0)), kLaunch);
  const auto copy = rig.copies().at(0);
  EXPECT_EQ(span_of(copy), (Span{115, 217}));
  EXPECT_EQ(rig.text(copy.name), "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(rig.sink.lanes[copy.lane].kind, trace::LaneKind::CopyD2H);
}

// --- cudaMemcpyAsync, pageable to device ---------------------------------------------------------------------------

TEST(CopyAsync, PageableOf64KiBRidesInTheCommandQueue) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 65536);
  rig.kernel(100);
  rig->copy_async({rig.gpu}, {rig.host}, 65536, Stream::Default);
  rig.close();
  // The CPU puts 65,536 bytes into the queue at 0.2 ns per byte, and does not wait for the kernel.
  const auto call = rig.calls("cudaMemcpyAsync").at(0);
  EXPECT_EQ(span_of(call), (Span{10, 43.107}));
  EXPECT_EQ(flags_of(call), kLaunch);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{115, 123.554}));  // 2 + 6.554
  EXPECT_EQ(rig.text(rig.copies().at(0).name), "Memcpy HtoD (Pageable -> Device)");
}

TEST(CopyAsync, OneByteMoreIsStagedAndHoldsTheHost) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 65537);
  rig->copy_async({rig.gpu}, {rig.host}, 65537, Stream::Default);
  rig.close();
  const auto call = rig.calls("cudaMemcpyAsync").at(0);
  EXPECT_EQ(parts_in_us(call), (Parts{20, 0, 13.107, 0}));
  EXPECT_EQ(flags_of(call), kHeld);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{43.107, 51.661}));  // staged at 33.107, + 10; 2 + 6.554
}

TEST(CopyAsync, PageableThatFitsTheStagingBufferHoldsTheHostWhileItIsStaged) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig->copy_async({rig.gpu}, {rig.host}, 300'000, Stream::Default);
  rig.close();
  // Chunks are staged at 40, 60 and 80. The DMA starts when the first is known to the device, at 50; the last chunk's
  // runs from 90 to 100.
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 60, 0}));
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{50, 100}));
}

// The CPU has the bytes in its cache and stages 100 KB in 10 us instead of 20: at 30, 40 and 50. From 40 on the DMA has
// a chunk whenever it wants one: 2 + 30.
TEST(CopyAsync, BytesInTheCacheAreStagedFaster) {
  Rig rig(Replaced{{"link.cached_copy_bytes", "300000"}});
  rig.make_buffers(MemoryKind::Pageable, 300'001);
  rig->copy_async({rig.gpu}, {rig.host}, 300'000, Stream::Default);
  rig->synchronize(Stream::Default);
  rig->copy_async({rig.gpu}, {rig.host}, 300'001, Stream::Default);
  rig.close();
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 30, 0}));
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{40, 72}));
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(1)), (Parts{20, 0, 60, 0}));
}

TEST(CopyAsync, PageableThatFitsDoesNotWaitForTheStream) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(100);  // [15, 115)
  rig->copy_async({rig.gpu}, {rig.host}, 300'000, Stream::Default);
  rig.close();
  EXPECT_EQ(span_of(rig.calls("cudaMemcpyAsync").at(0)), (Span{10, 90}));
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 60, 0}));
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{115, 147}));  // everything is staged: 2 + 30
}

TEST(CopyAsync, PageableThatFillsTheStagingBufferWaitsForTheStream) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 600'000);
  rig.kernel(300);  // [15, 315)
  rig->copy_async({rig.gpu}, {rig.host}, 600'000, Stream::Default);
  rig.close();
  // Own until 30. Chunks 1 to 4 are staged at 50, 70, 90, 110: all slots full. The kernel ends at 315; DMAs of the four
  // end at 327, 337, 347, 357. Chunk 5 takes the first slot at 327 and is staged at 347, chunk 6 at 367, when the call
  // returns. Their DMAs end at 367 and 387.
  const auto call = rig.calls("cudaMemcpyAsync").at(0);
  EXPECT_EQ(span_of(call), (Span{10, 367}));
  EXPECT_EQ(parts_in_us(call), (Parts{20, 205, 132, 0}));  // waiting from 110 to 315
  EXPECT_EQ(flags_of(call), kHeld);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{315, 387}));
}

TEST(CopyAsync, PageableOnAnIdleQueueIsNeverHeldBySlots) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 600'000);
  rig->copy_async({rig.gpu}, {rig.host}, 600'000, Stream::Default);
  rig.close();
  // Staged every 20 us from 40 to 140; the DMA of the last chunk runs from 150 to 160.
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 120, 0}));
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{50, 160}));
}

// --- cudaMemcpyAsync, device to pageable ---------------------------------------------------------------------------

TEST(CopyAsync, DeviceToPageableBlocksAtEverySize) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(100);  // [15, 115)
  rig->copy_async({rig.host}, {rig.gpu}, 4, Stream::Default);
  const auto small = rig.calls("cudaMemcpyAsync").at(0);
  // Own until 30, waits for the kernel until 115; 4 bytes take 2 us by DMA and 0.001 out of the staging buffer.
  EXPECT_EQ(parts_in_us(small), (Parts{20, 85, 2.001, 50}));
  EXPECT_EQ(flags_of(small), kSynchronous);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{115, 117}));
  EXPECT_EQ(rig.text(rig.copies().at(0).name), "Memcpy DtoH (Device -> Pageable)");

  rig.start = rig->now_ns();
  rig->copy_async({rig.host}, {rig.gpu}, 300'000, Stream::Default);
  // DMA from 30: chunks arrive at 42, 52, 62; the CPU has emptied them at 62, 82, 102.
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 82, 50}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpyAsync").at(0)), kSynchronous);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{30, 62}));
}

TEST(CopyAsync, DeviceToPageableOnAnotherStreamDoesNotWaitForTheFirst) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  const Stream copies = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(500);
  rig->copy_async({rig.host}, {rig.gpu}, 4, copies);
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 12.001, 50}));
}

// --- cudaMemcpy ----------------------------------------------------------------------------------------------------

TEST(Copy, PinnedToDeviceIsSynchronous) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig.kernel(100);  // [15, 115)
  rig->copy({rig.gpu}, {rig.host}, 1'000'000);
  const auto call = rig.calls("cudaMemcpy").at(0);
  EXPECT_EQ(parts_in_us(call), (Parts{20, 85, 102, 50}));
  EXPECT_EQ(flags_of(call), kSynchronous);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{115, 217}));
  EXPECT_FALSE(trace::copy_traits_of(rig.copies().at(0)).asynchronous);

  rig.start = rig->now_ns();
  rig->copy({rig.gpu}, {rig.host}, 1'000'000);
  // On an idle queue there is nothing to wait for; the latency to the device counts as copying.
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpy").at(0)), (Parts{20, 0, 112, 50}));
}

TEST(Copy, DeviceToPinnedIsSynchronous) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig->copy({rig.host}, {rig.gpu}, 1'000'000);
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpy").at(0)), (Parts{20, 0, 112, 50}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpy").at(0)), kSynchronous);
}

TEST(Copy, DeviceToPageableReturnsWhenComplete) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(100);
  rig->copy({rig.host}, {rig.gpu}, 300'000);
  // DMA [115, 147), emptied 40 us after: 187.
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpy").at(0)), (Parts{20, 85, 72, 50}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpy").at(0)), kSynchronous);
}

TEST(Copy, PageableToDeviceWaitsForTheStreamAndReturnsWhenStaged) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(300);  // [15, 315)
  rig->copy({rig.gpu}, {rig.host}, 300'000);
  EXPECT_EQ(rig->now_ns() - rig.start, us(375));
  rig.close();
  // Own until 30, waits until 315, stages until 375. The DMA starts at 345 and ends 20 after the last chunk is staged.
  const auto call = rig.calls("cudaMemcpy").at(0);
  EXPECT_EQ(parts_in_us(call), (Parts{20, 285, 60, 0}));
  EXPECT_EQ(flags_of(call), kSynchronous);
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{345, 395}));
}

TEST(Copy, PageableToDeviceOf64KiBIsInlineToo) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 65536);
  rig.kernel(300);
  rig->copy({rig.gpu}, {rig.host}, 65536);
  EXPECT_EQ(span_of(rig.calls("cudaMemcpy").at(0)), (Span{10, 43.107}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpy").at(0)), kLaunch);
}

TEST(Copy, UsesTheDefaultStreamAndSoWaitsForBlockingStreams) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Stream blocking = rig->create_stream(false);
  rig.start = rig->now_ns();
  rig.kernel(100, blocking);
  rig->copy({rig.gpu}, {rig.host}, 1'000'000);
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpy").at(0)), (Parts{20, 85, 102, 50}));
}

// --- inside one memory ---------------------------------------------------------------------------------------------

TEST(Copy, InsideTheDeviceHoldsNobody) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1'000'000);
  const Buffer other = rig->allocate(MemoryKind::Device, 1'000'000);
  rig.start = rig->now_ns();
  rig->copy({other}, {rig.gpu}, 1'000'000);
  rig.close();
  EXPECT_EQ(span_of(rig.calls("cudaMemcpy").at(0)), (Span{0, 20}));
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpy").at(0)), kLaunch);
  // Read and written at 100 GB/s: 20 us.
  EXPECT_EQ(span_of(rig.copies().at(0)), (Span{30, 52}));
  EXPECT_EQ(rig.text(rig.copies().at(0).name), "Memcpy DtoD (Device -> Device)");
  EXPECT_EQ(rig.sink.lanes[rig.copies().at(0).lane].kind, trace::LaneKind::CopyOther);
}

TEST(Copy, InsideHostMemoryIsMadeByTheCpuAfterTheStream) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 100'000);
  const Buffer other = rig->allocate(MemoryKind::Pageable, 100'000);
  rig->host_data(other);  // its pages are there
  rig.kernel(100);        // [15, 115)
  rig->copy_async({other}, {rig.host}, 100'000, Stream::Default);
  const auto call = rig.calls("cudaMemcpyAsync").at(0);
  EXPECT_EQ(parts_in_us(call), (Parts{20, 85, 10, 0}));  // 100,000 bytes at 10 GB/s
  EXPECT_EQ(flags_of(call), trace::kBlockingFlag | trace::kSyncFlag);
  rig.close();
  EXPECT_TRUE(rig.copies().empty());
}

TEST(Copy, OfNothingIsOnlyACall) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 100);
  rig->copy_async({rig.gpu}, {rig.host}, 0, Stream::Default);
  rig->copy({rig.host}, {rig.gpu}, 0);
  rig->fill_async({rig.gpu}, 0, 0, Stream::Default);
  EXPECT_EQ(rig.calls("cudaMemcpyAsync").at(0).flags, 0);
  EXPECT_EQ(rig.calls("cudaMemcpy").at(0).flags, 0);
  EXPECT_EQ(rig->now_ns() - rig.start, us(50));
  rig.close();
  EXPECT_TRUE(rig.copies().empty());
}

// --- what PyTorch issues -------------------------------------------------------------------------------------------

TEST(CallTable, ItemIsACopyToPinnedScratchAndASynchronise) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 4);
  rig.kernel(300);  // call [0, 10): [15, 315)
  rig->copy_async({rig.host}, {rig.gpu}, 4, Stream::Default);
  rig->synchronize(Stream::Default);
  // The wait is in the synchronise: it begins at 30 and is back 50 after the copy's end at 317.
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpyAsync").at(0)), kLaunch);
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize").at(0)), (Parts{5, 280, 2, 50}));
}

TEST(CallTable, ItemOfOlderBuildsWaitsInsideTheCopy) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 4);
  rig.kernel(300);
  rig->copy_async({rig.host}, {rig.gpu}, 4, Stream::Default);
  rig->synchronize(Stream::Default);
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 285, 2.001, 50}));
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize").at(0)), (Parts{5, 0, 0, 3}));
}

TEST(CallTable, ToDevicePageableBlocksTwice) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(300);  // [15, 315)
  rig->copy_async({rig.gpu}, {rig.host}, 300'000, Stream::Default);
  rig->synchronize(Stream::Default);
  // Staged behind the kernel; the synchronise from 90 on waits for the kernel, then for the DMA [315, 347).
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 0, 60, 0}));
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize").at(0)), (Parts{5, 220, 32, 50}));
}

TEST(CallTable, ToDevicePinnedBlocksInTheSynchroniseOnly) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 300'000);
  rig.kernel(300);  // [15, 315)
  rig->copy_async({rig.gpu}, {rig.host}, 300'000, Stream::Default);
  rig->synchronize(Stream::Default);
  EXPECT_EQ(flags_of(rig.calls("cudaMemcpyAsync").at(0)), kLaunch);
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize").at(0)), (Parts{5, 280, 32, 50}));
}

TEST(CallTable, ToCpuBlocksInsideTheCopy) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 300'000);
  rig.kernel(300);
  rig->copy_async({rig.host}, {rig.gpu}, 300'000, Stream::Default);
  rig->synchronize(Stream::Default);
  EXPECT_EQ(parts_in_us(rig.calls("cudaMemcpyAsync").at(0)), (Parts{20, 285, 72, 50}));
  EXPECT_EQ(parts_in_us(rig.calls("cudaStreamSynchronize").at(0)), (Parts{5, 0, 0, 3}));
}

TEST(CallTable, LoggingOneStepLateWaitsForTheEventOnly) {
  // pinned.copy_(g, non_blocking=True), an event, the next step's kernel, and then the event.
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 4);
  const GpuEvent event = rig->create_event();
  rig.start = rig->now_ns();
  rig.kernel(100);                                             // [15, 115)
  rig->copy_async({rig.host}, {rig.gpu}, 4, Stream::Default);  // until 30; [115, 117)
  rig->record(event, Stream::Default);                         // until 31
  rig.kernel(300);                                             // until 41; [117, 417)
  rig->synchronize(event);                                     // own until 46, waits until 117
  EXPECT_EQ(span_of(rig.calls("cudaEventSynchronize").at(0)), (Span{41, 167}));
  // The event's end is the copy's end: its last 2 us are the copy.
  EXPECT_EQ(parts_in_us(rig.calls("cudaEventSynchronize").at(0)), (Parts{5, 69, 2, 50}));
}

// --- the published bandwidths --------------------------------------------------------------------------------------

struct Bandwidth {
  MemoryKind host;
  bool upload;
  double published_gb_per_s;
};

class PublishedBandwidth : public testing::TestWithParam<Bandwidth> {};

// As NVIDIA's bandwidthTest measures: 100 copies of 16 MB, and one wait. Within half a percent of P20.
TEST_P(PublishedBandwidth, ComesOutOnAnIdleQueue) {
  DeviceProfile profile = embedded_profile("rtx4090");
  profile.jitter_spread = 0;
  Rig rig(profile);
  constexpr std::size_t kBytes = 16'000'000;
  constexpr int kCopies = 100;
  rig.make_buffers(GetParam().host, kBytes);
  const Buffer none[] = {rig.gpu};
  rig->launch({ops::OpKind::Fill, 1, 1, 1, 0}, none, Stream::Default, false);  // timing only: no bytes need to move
  rig->synchronize();
  const Nanoseconds from = rig->now_ns();
  for (int i = 0; i < kCopies; ++i) {
    if (GetParam().upload) {
      rig->copy_async({rig.gpu}, {rig.host}, kBytes, Stream::Default);
    } else {
      rig->copy_async({rig.host}, {rig.gpu}, kBytes, Stream::Default);
    }
  }
  rig->synchronize();
  const double gb_per_s = static_cast<double>(kBytes) * kCopies / static_cast<double>(rig->now_ns() - from);
  // A wake-up per copy out of pageable memory is 1 % of its 3.1 ms.
  const bool wakes_each_time = !GetParam().upload && GetParam().host == MemoryKind::Pageable;
  EXPECT_NEAR(gb_per_s / GetParam().published_gb_per_s, 1, wakes_each_time ? 0.015 : 0.005) << gb_per_s;
}

INSTANTIATE_TEST_SUITE_P(P20, PublishedBandwidth,
                         testing::Values(Bandwidth{MemoryKind::Pageable, true, 5.959},
                                         Bandwidth{MemoryKind::Pageable, false, 5.125},
                                         Bandwidth{MemoryKind::Pinned, true, 13.454},
                                         Bandwidth{MemoryKind::Pinned, false, 13.370}));

TEST(PublishedRead, FourBytesAndASynchroniseOnAnIdleQueueTakeAboutThirtyTwoMicroseconds) {
  DeviceProfile profile = embedded_profile("rtx4090");
  profile.jitter_spread = 0;
  Rig rig(profile);
  rig.make_buffers(MemoryKind::Pinned, 4);
  rig->copy_async({rig.host}, {rig.gpu}, 4, Stream::Default);
  rig->synchronize(Stream::Default);
  EXPECT_NEAR(base::to_us(rig->now_ns() - rig.start), 31.4, 0.5);
}

}  // namespace
}  // namespace lanescope::device::sim
