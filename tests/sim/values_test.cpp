// Values are real: they move and are computed at the simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

void set_all(Rig& rig, Buffer buffer, std::uint8_t value) {
  const auto bytes = rig->host_data(buffer);
  std::fill(bytes.begin(), bytes.end(), std::byte{value});
}

bool all_are(Rig& rig, Buffer buffer, std::uint8_t value) {
  const auto bytes = rig->host_data(buffer);
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == std::byte{value}; });
}

/// The contents of a device buffer after everything has run.
std::vector<std::byte> device_values(Rig& rig, Buffer buffer, std::size_t bytes) {
  const Buffer host = rig->allocate(MemoryKind::Pageable, bytes);
  rig->synchronize();
  rig->copy({host}, {buffer}, bytes);
  const auto data = rig->host_data(host);
  return {data.begin(), data.end()};
}

bool device_holds(Rig& rig, Buffer buffer, std::size_t bytes, std::uint8_t value) {
  const auto values = device_values(rig, buffer, bytes);
  return std::all_of(values.begin(), values.end(), [&](std::byte b) { return b == std::byte{value}; });
}

class CopyThere : public testing::TestWithParam<std::size_t> {};

TEST_P(CopyThere, AndBackIsTheSame) {
  for (const MemoryKind kind : {MemoryKind::Pageable, MemoryKind::Pinned}) {
    Rig rig;
    rig.make_buffers(kind, GetParam());
    set_all(rig, rig.host, 42);
    rig->copy_async({rig.gpu}, {rig.host}, GetParam(), Stream::Default);
    EXPECT_TRUE(device_holds(rig, rig.gpu, GetParam(), 42));
  }
}

// Inline, staged, and staged with the slots used again.
INSTANTIATE_TEST_SUITE_P(Sizes, CopyThere, testing::Values(1, 65536, 65537, 400'000, 400'001, 3'000'000));

class PageableSource : public testing::TestWithParam<std::size_t> {};

TEST_P(PageableSource, MayBeOverwrittenWhenTheCallIsBack) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, GetParam());
  rig.kernel(500);
  set_all(rig, rig.host, 1);
  rig->copy_async({rig.gpu}, {rig.host}, GetParam(), Stream::Default);
  set_all(rig, rig.host, 2);
  EXPECT_TRUE(device_holds(rig, rig.gpu, GetParam(), 1));
}

INSTANTIATE_TEST_SUITE_P(Sizes, PageableSource, testing::Values(4, 65536, 65537, 400'000, 1'000'000));

TEST(PinnedSource, OverwrittenTooEarlyCorruptsTheCopy) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  set_all(rig, rig.host, 1);
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, Stream::Default);  // back at 20; the DMA ends at 132
  set_all(rig, rig.host, 2);
  EXPECT_TRUE(device_holds(rig, rig.gpu, 1'000'000, 2));
}

TEST(PinnedSource, MayBeOverwrittenAfterTheCopy) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  set_all(rig, rig.host, 1);
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, Stream::Default);
  rig->host_work(us(112));  // until 132, the copy's end
  set_all(rig, rig.host, 2);
  EXPECT_TRUE(device_holds(rig, rig.gpu, 1'000'000, 1));
}

TEST(PinnedDestination, HoldsOldDataUntilTheCopysEnd) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  rig->fill_async({rig.gpu}, 7, 1'000'000, Stream::Default);           // [15, 125)
  rig->copy_async({rig.host}, {rig.gpu}, 1'000'000, Stream::Default);  // [125, 227)
  EXPECT_TRUE(all_are(rig, rig.host, 0));
  rig->host_work(us(196.999));  // until 226.999
  EXPECT_TRUE(all_are(rig, rig.host, 0));
  rig->host_work(1);
  EXPECT_TRUE(all_are(rig, rig.host, 7));
}

TEST(PageableDestination, IsCompleteWhenTheCallIsBack) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1000);
  rig->fill_async({rig.gpu}, 7, 1000, Stream::Default);
  rig->copy_async({rig.host}, {rig.gpu}, 1000, Stream::Default);
  EXPECT_TRUE(all_are(rig, rig.host, 7));
}

TEST(Copies, MoveSlices) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 100);
  set_all(rig, rig.host, 9);
  rig->copy({rig.gpu, 10}, {rig.host, 50}, 20);
  const auto values = device_values(rig, rig.gpu, 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(static_cast<int>(values[i]), i >= 10 && i < 30 ? 9 : 0) << i;
}

TEST(Copies, InsideTheDeviceAndInsideTheHost) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 100);
  const Buffer other_gpu = rig->allocate(MemoryKind::Device, 100);
  const Buffer other_host = rig->allocate(MemoryKind::Pageable, 100);
  set_all(rig, rig.host, 3);
  rig->copy_async({other_host}, {rig.host}, 100, Stream::Default);
  EXPECT_TRUE(all_are(rig, other_host, 3));
  rig->copy_async({rig.gpu}, {other_host}, 100, Stream::Default);
  rig->copy_async({other_gpu}, {rig.gpu}, 100, Stream::Default);
  EXPECT_TRUE(device_holds(rig, other_gpu, 100, 3));
}

TEST(Kernels, ComputeWhenTheyRunAndNotWhenTheyAreLaunched) {
  // relu of a batch that arrives by an earlier pinned copy on the same stream.
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 4 * sizeof(float));
  const Buffer out = rig->allocate(MemoryKind::Device, 4 * sizeof(float));
  const float batch[4] = {-1, 2, -3, 4};
  std::memcpy(rig->host_data(rig.host).data(), batch, sizeof(batch));
  rig->copy_async({rig.gpu}, {rig.host}, sizeof(batch), Stream::Default);
  const Buffer args[] = {rig.gpu, out};
  rig->launch({ops::OpKind::ReluForward, 1, 4}, args, Stream::Default, true);
  rig->copy({rig.host}, {out}, sizeof(batch));
  float result[4];
  std::memcpy(result, rig->host_data(rig.host).data(), sizeof(result));
  EXPECT_EQ(std::vector<float>(result, result + 4), (std::vector<float>{0, 2, 0, 4}));
}

TEST(Kernels, RunInTheOrderOfTheirEndsAcrossStreams) {
  // Two kernels write one buffer: the one issued second runs first, because the other waits for a copy.
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1'000'000);
  const Buffer target = rig->allocate(MemoryKind::Device, sizeof(float));
  const Stream late = rig->create_stream(true), early = rig->create_stream(true);
  const Buffer args[] = {target};
  rig->copy_async({rig.gpu}, {rig.host}, 1'000'000, late);
  rig->launch({ops::OpKind::Fill, 1, 1, 1, 5.0f}, args, late, true);
  rig->launch({ops::OpKind::Fill, 1, 1, 1, 6.0f}, args, early, true);
  const auto values = device_values(rig, target, sizeof(float));
  float value;
  std::memcpy(&value, values.data(), sizeof(value));
  EXPECT_EQ(value, 5.0f);
}

TEST(Kernels, ArgumentsThatDoNotFitAreAnError) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 4);
  const Buffer args[] = {rig.gpu};
  rig->launch({ops::OpKind::Fill, 100, 100, 1, 0}, args, Stream::Default, true);
  EXPECT_THROW(rig->synchronize(), base::Error);  // as on a GPU, the error appears at the next synchronisation
}

TEST(TimingOnly, BuffersHoldNoValuesAndCopiesMoveNothing) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  const Buffer args[] = {rig.gpu};
  rig->launch({ops::OpKind::Fill, 250, 1, 1, 1.0f}, args, Stream::Default, false);
  set_all(rig, rig.host, 8);
  rig->copy({rig.host}, {rig.gpu}, 1000);
  EXPECT_TRUE(all_are(rig, rig.host, 8));
  EXPECT_EQ(rig.copies().size(), 1u);  // its time is modelled all the same
}

TEST(TimingOnly, SpreadsThroughCopiesAndKernels) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  const Buffer second = rig->allocate(MemoryKind::Device, 1000), third = rig->allocate(MemoryKind::Device, 1000);
  const Buffer first_only[] = {rig.gpu};
  rig->launch({ops::OpKind::Fill, 250, 1, 1, 1.0f}, first_only, Stream::Default, false);
  rig->copy_async({second}, {rig.gpu}, 1000, Stream::Default);
  const Buffer relu[] = {second, third};
  rig->launch({ops::OpKind::ReluForward, 250, 1}, relu, Stream::Default, true);
  set_all(rig, rig.host, 8);
  rig->copy({rig.host}, {third}, 1000);
  EXPECT_TRUE(all_are(rig, rig.host, 8));
}

TEST(TimingOnly, HugeBuffersCostNothing) {
  // 64 TB of device memory: if anything touched it, this would fail.
  Rig rig;
  const std::size_t bytes = std::size_t{16} << 40;
  const Buffer args[] = {rig->allocate(MemoryKind::Device, bytes), rig->allocate(MemoryKind::Device, bytes),
                         rig->allocate(MemoryKind::Device, bytes), rig->allocate(MemoryKind::Device, bytes)};
  rig->launch({ops::OpKind::LinearForward, 128, 1000, 1000}, args, Stream::Default, false);
  rig->synchronize();
  rig.close();
  EXPECT_EQ(rig.kernels().size(), 1u);
}

}  // namespace
}  // namespace lanescope::device::sim
