// Host memory without values: first touches, arbitrary values, and premature reads.
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

constexpr std::size_t kMib = 1 << 20;  // 104.858 us at 10 GB/s; 100 us of page faults

double took_us(Rig& rig, const std::function<void()>& action) {
  const Nanoseconds before = rig->now_ns();
  action();
  return base::to_us(rig->now_ns() - before);
}

TEST(FirstTouch, OfPageableMemoryCostsItsPageFaultsOnce) {
  Rig rig;
  const Buffer buffer = rig->allocate(MemoryKind::Pageable, 2 * kMib);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(buffer, kMib); }), 204.858);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(buffer, kMib); }), 104.858);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(buffer, 2 * kMib); }), 309.715);  // the second MiB is fresh
  rig->release(buffer);
  const Buffer anew = rig->allocate(MemoryKind::Pageable, kMib);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(anew, kMib); }), 204.858);
}

TEST(FirstTouch, PinnedMemoryAndWhatTheProgramWroteHaveTheirPages) {
  Rig rig;
  const Buffer pinned = rig->allocate(MemoryKind::Pinned, kMib), written = rig->allocate(MemoryKind::Pageable, kMib);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(pinned, kMib); }), 104.858);
  rig->host_data(written);
  EXPECT_EQ(took_us(rig, [&] { rig->host_fill(written, kMib); }), 104.858);
}

// 1 MiB in chunks of 100,000 bytes; the CPU is the slower side by far and needs 0.2 ns a byte, with faults 0.2954. The
// first chunk's DMA ends at 2 + 10; then 209.715 us of emptying, and 100 us of page faults.
TEST(FirstTouch, SlowsTheCpusSideOfADownload) {
  Rig rig;
  const Buffer gpu = rig->allocate(MemoryKind::Device, kMib), host = rig->allocate(MemoryKind::Pageable, kMib);
  rig->copy_async({host}, {gpu}, kMib, Stream::Default);
  rig->copy_async({host}, {gpu}, kMib, Stream::Default);
  const auto calls = rig.calls("cudaMemcpyAsync");
  EXPECT_NEAR(parts_in_us(calls.at(1)).copying, 10 + 12 + 209.715, 0.01);
  EXPECT_NEAR(parts_in_us(calls.at(0)).copying - parts_in_us(calls.at(1)).copying, 100, 0.01);
}

TEST(HostFill, LeavesArbitraryValuesThatCopiesDoNotMove) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1000);
  const auto bytes = rig->host_data(rig.host);
  std::fill(bytes.begin(), bytes.end(), std::byte{7});
  rig->copy({rig.gpu}, {rig.host}, 1000);
  const Buffer out = rig->allocate(MemoryKind::Pageable, 1000);
  rig->host_fill(out, 1000);
  rig->copy({out}, {rig.gpu}, 1000);  // known values come back: it has some again
  EXPECT_EQ(rig->host_data(out)[999], std::byte{7});
  rig->host_fill(rig.host, 1000);
  rig->copy({rig.gpu}, {rig.host}, 1000);  // and now the device holds unknown values
  rig->host_data(out)[0] = std::byte{9};
  rig->copy({out}, {rig.gpu}, 1000);
  EXPECT_EQ(rig->host_data(out)[0], std::byte{9});
  EXPECT_THROW(rig->host_fill(out, 1001), base::Error);
  EXPECT_THROW(rig->host_fill(rig.gpu, 10), base::Error);
}

TEST(HostFill, HostDataGivesValuesAgain) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  rig->host_fill(rig.host, 1000);
  rig->host_data(rig.host)[5] = std::byte{3};
  rig->copy({rig.gpu}, {rig.host}, 1000);
  rig->host_data(rig.host)[5] = std::byte{0};
  rig->copy({rig.host}, {rig.gpu}, 1000);
  EXPECT_EQ(rig->host_data(rig.host)[5], std::byte{3});
}

// 64 TB: if any copy touched a byte, this would fail.
TEST(HostFill, HugeBuffersCostNothing) {
  Rig rig(Replaced{{"cpu.host_alloc_us_per_mib", "0"}});
  const std::size_t bytes = std::size_t{16} << 40;
  const Buffer pageable = rig->allocate(MemoryKind::Pageable, bytes), pinned = rig->allocate(MemoryKind::Pinned, bytes);
  const Buffer gpu = rig->allocate(MemoryKind::Device, bytes), other = rig->allocate(MemoryKind::Pageable, bytes);
  const HostThread thread = rig->create_host_thread("worker");
  for (int i = 0; i < 2; ++i) {  // untouched at first, then filled
    for (const Buffer host : {pinned, other}) {
      rig->copy_async({gpu}, {host}, bytes / 1000, Stream::Default);
      rig->copy_async({host}, {gpu}, bytes / 1000, Stream::Default);
    }
    rig->wait_for(rig->submit(thread, {"copy", 0, pinned, pageable, bytes}, HostTask::None), "wait");
    rig->host_fill(pageable, bytes);
    rig->host_fill(pinned, bytes);
  }
  rig->synchronize();
}

TEST(HostRead, KnowsWhenACopyHasNotArrived) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  EXPECT_TRUE(rig->host_read(rig.host, 1'000'000));
  rig->copy_async({rig.host, 500'000}, {rig.gpu}, 400'000, Stream::Default);  // back at 20; [30, 72)
  EXPECT_TRUE(rig->host_read(rig.host, 500'000));
  EXPECT_FALSE(rig->host_read(rig.host, 500'001));
  rig->host_work(us(51.999));
  EXPECT_FALSE(rig->host_read(rig.host, 1'000'000));
  rig->host_work(1);
  EXPECT_TRUE(rig->host_read(rig.host, 1'000'000));
}

TEST(HostRead, AlsoOfATimingOnlyCopyAndOfManyAtOnce) {
  Rig rig(Replaced{{"gpu.launch_queue_depth", "500"}});
  rig.make_buffers(MemoryKind::Pinned, 4000);
  const Buffer args[] = {rig.gpu};
  rig->launch({ops::OpKind::Fill, 1000, 1, 1, 1.0f}, args, Stream::Default, false);
  rig.kernel(20'000);
  for (std::size_t i = 0; i < 200; ++i) rig->copy_async({rig.host, 20 * i}, {rig.gpu}, 20, Stream::Default);
  for (const std::size_t bytes : {1, 20, 21, 4000}) EXPECT_FALSE(rig->host_read(rig.host, bytes)) << bytes;
  rig->synchronize();
  EXPECT_TRUE(rig->host_read(rig.host, 4000));
  EXPECT_THROW(rig->host_read(rig.gpu, 4), base::Error);
}

}  // namespace
}  // namespace lanescope::device::sim
