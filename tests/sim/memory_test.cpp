// Allocation: its cost, its waits, and its errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using testing::HasSubstr;

template <typename F>
std::string memory_error_of(F&& action) {
  try {
    action();
  } catch (const base::Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Allocate, EachKindCostsWhatTheProfileSays) {
  Rig rig;
  rig->allocate(MemoryKind::Pageable, 1 << 30);
  EXPECT_EQ(rig->now_ns(), 0);
  EXPECT_TRUE(rig.sink.events.empty());
  rig->allocate(MemoryKind::Device, 1 << 30);
  EXPECT_EQ(span_of(rig.calls("cudaMalloc").at(0)), (Span{0, 100}));
  rig->allocate(MemoryKind::Pinned, 3 << 20);  // 100, and 1000 per MiB
  EXPECT_EQ(span_of(rig.calls("cudaHostAlloc").at(0)), (Span{100, 3200}));
  EXPECT_EQ(rig.calls("cudaMalloc").at(0).flags, 0);
  EXPECT_EQ(rig.calls("cudaHostAlloc").at(0).flags, 0);
}

TEST(Allocate, GivesZeroedMemory) {
  Rig rig;
  for (int i = 0; i < 3; ++i) {
    const Buffer buffer = rig->allocate(MemoryKind::Pinned, 1000);
    const auto bytes = rig->host_data(buffer);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
    std::fill(bytes.begin(), bytes.end(), std::byte{255});
    rig->release(buffer);
  }
}

TEST(Release, OfDeviceAndPinnedMemoryWaitsForTheDevice) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1 << 20);
  const Stream other = rig->create_stream(true);
  rig.start = rig->now_ns();
  rig.kernel(300, other);  // call [0, 10): [15, 315)
  rig->release(rig.gpu);   // own until 50
  const auto freed = rig.calls("cudaFree").at(0);
  EXPECT_EQ(parts_in_us(freed), (Parts{40, 265, 0, 50}));
  EXPECT_EQ(freed.flags, trace::kBlockingFlag);
  rig->release(rig.host);  // nothing is running: 30, and 500 per MiB
  EXPECT_EQ(parts_in_us(rig.calls("cudaFreeHost").at(0)), (Parts{530, 0, 0, 0}));
  EXPECT_EQ(rig.calls("cudaFreeHost").at(0).flags, trace::kBlockingFlag);
}

TEST(Release, OfPageableMemoryIsNoCall) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1000);
  rig.kernel(300);
  rig->copy_async({rig.gpu}, {rig.host}, 1000, Stream::Default);  // its bytes are captured
  const std::size_t events_before = rig.sink.events.size();
  const Nanoseconds before = rig->now_ns();
  rig->release(rig.host);
  EXPECT_EQ(rig.sink.events.size(), events_before);
  EXPECT_EQ(rig->now_ns(), before);
  rig->synchronize();
}

TEST(Lifetime, AReleasedBufferIsKnownAsSuch) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  rig->release(rig.gpu);
  const Buffer again = rig->allocate(MemoryKind::Device, 1000);
  EXPECT_NE(again, rig.gpu);
  const Buffer args[] = {rig.gpu};
  EXPECT_THAT(memory_error_of([&] { rig->copy({rig.gpu}, {rig.host}, 1); }),
              AllOf(HasSubstr("cudaMemcpy"), HasSubstr("released")));
  EXPECT_THAT(memory_error_of([&] { rig->copy_async({rig.host}, {rig.gpu}, 1, Stream::Default); }),
              HasSubstr("released"));
  EXPECT_THAT(memory_error_of([&] { rig->fill_async({rig.gpu}, 0, 1, Stream::Default); }),
              HasSubstr("cudaMemsetAsync"));
  EXPECT_THAT(memory_error_of([&] { rig->launch({}, args, Stream::Default, false); }), HasSubstr("cudaLaunchKernel"));
  EXPECT_THAT(memory_error_of([&] { rig->release(rig.gpu); }), HasSubstr("released"));
  rig->release(rig.host);
  EXPECT_THAT(memory_error_of([&] { rig->host_data(rig.host); }), HasSubstr("released"));
}

TEST(Lifetime, WhatWasNeverMadeIsKnownAsSuch) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pageable, 1000);
  EXPECT_THAT(memory_error_of([&] { rig->release(Buffer::None); }), HasSubstr("never allocated"));
  EXPECT_THAT(memory_error_of([&] { rig->copy({rig.gpu}, {static_cast<Buffer>(77)}, 1); }),
              HasSubstr("never allocated"));
  EXPECT_THAT(memory_error_of([&] { rig->synchronize(static_cast<Stream>(1)); }),
              HasSubstr("stream 1 was never created"));
  EXPECT_THAT(memory_error_of([&] { rig->query(GpuEvent::None); }), HasSubstr("event 0 was never created"));
  EXPECT_THAT(memory_error_of([&] { rig->record(static_cast<GpuEvent>(1), Stream::Default); }),
              HasSubstr("cudaEventRecord: event 1 was never created"));
}

TEST(Arguments, OutOfBoundsWrongKindAndEmpty) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  EXPECT_THAT(memory_error_of([&] {
                rig->copy({rig.gpu, 1}, {rig.host}, 1000);
              }),
              HasSubstr("1000 bytes at offset 1 do not fit in a buffer of 1000 bytes"));
  EXPECT_THAT(memory_error_of([&] { rig->copy({rig.gpu}, {rig.host, 2000}, 0); }), HasSubstr("offset 2000"));
  EXPECT_THAT(memory_error_of([&] { rig->copy({rig.gpu, ~std::size_t{0}}, {rig.host}, 2); }), HasSubstr("do not fit"));
  EXPECT_THAT(memory_error_of([&] { rig->fill_async({rig.host}, 0, 1, Stream::Default); }), HasSubstr("device memory"));
  EXPECT_THAT(memory_error_of([&] { rig->host_data(rig.gpu); }), HasSubstr("on the device"));
  EXPECT_THAT(memory_error_of([&] { rig->allocate(MemoryKind::Device, 0); }), HasSubstr("0 bytes"));
  EXPECT_THAT(memory_error_of([&] { rig->allocate(MemoryKind::Unknown, 1); }), HasSubstr("unknown"));
  const Buffer host_args[] = {rig.host};
  EXPECT_THAT(memory_error_of([&] { rig->launch({}, host_args, Stream::Default, false); }), HasSubstr("device memory"));
  const std::vector<Buffer> many(ops::kMaxArgs + 1, rig.gpu);
  EXPECT_THAT(memory_error_of([&] { rig->launch({}, many, Stream::Default, false); }), HasSubstr("at most 8"));
  EXPECT_THAT(memory_error_of([&] {
                rig->launch({ops::OpKind::Fill, 0, 1, 1, 0}, {}, Stream::Default, false);
              }),
              HasSubstr("m=0"));
  // A rejected request cost no time and left no event.
  EXPECT_EQ(rig->now_ns(), rig.start);
}

TEST(SimDevice, NeedsASink) { EXPECT_THROW(SimDevice(embedded_profile("teaching"), DeviceContext{}), base::Error); }

}  // namespace
}  // namespace lanescope::device::sim
