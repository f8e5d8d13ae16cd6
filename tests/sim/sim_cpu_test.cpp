// The CPU of a profile, on round numbers: 8 cores of 10 FLOP per ns, memory 0.1 ns per byte, 2 us per op.
#include "device/sim/sim_cpu_device.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using ops::Op;
using ops::OpKind;
using testing::ElementsAre;

DeviceProfile round_profile(const Replaced& replaced = {}) {
  return parse_profile(round_profile_text(replaced), "round.toml");
}

class SimCpu : public testing::Test {
 protected:
  void open(const Replaced& replaced = {}, std::uint64_t seed = 1) {
    DeviceContext context;
    context.sink = &sink;
    context.seed = seed;
    context.advanced = [this](Nanoseconds t) { advanced = t; };
    device = std::make_unique<SimCpuDevice>(round_profile(replaced), context);
  }
  Buffer floats(std::vector<float> values, MemoryKind kind = MemoryKind::Device) {
    const Buffer buffer = device->allocate(kind, values.size() * sizeof(float));
    std::memcpy(device->host_data(buffer).data(), values.data(), values.size() * sizeof(float));
    return buffer;
  }
  std::vector<float> read(Buffer buffer) {
    const std::span<std::byte> bytes = device->host_data(buffer);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  CollectingSink sink;
  std::unique_ptr<SimCpuDevice> device;
  Nanoseconds advanced = 0;
};

Nanoseconds cost(const Op& op) { return CpuCostModel(round_profile().cpu).op(op); }

TEST(CpuCost, IsTheLargerOfArithmeticAndMemory) {
  // 1,000 elements read and written: 8,000 bytes at 0.1 ns, against 1,000 FLOP at 0.1 ns.
  EXPECT_EQ(cost({OpKind::ReluForward, 1000, 1}), us(2 + 0.8));
  // 2 * 32 * 500 * 32 = 1,024,000 FLOP and 16,000 for the bias, on one core; its 88,000 bytes would take 8.8 us.
  EXPECT_EQ(cost({OpKind::LinearForward, 32, 500, 32}), us(2 + 104));
  EXPECT_EQ(cost({OpKind::Spin, 1, 1, 1, 123.0f}), us(123));
}

TEST(CpuCost, LargeOpsAreSharedAmongTheCores) {
  // 32,768 elements still go to one thread, one more to two; four fill the memory: 262,144 and 262,152 bytes, 8 MB.
  EXPECT_EQ(cost({OpKind::ReluForward, 32'768, 1}), 2'000 + 26'214);
  EXPECT_EQ(cost({OpKind::ReluForward, 32'769, 1}), 2'000 + 13'108);
  EXPECT_EQ(cost({OpKind::ReluForward, 1'000'000, 1}), us(2 + 8e6 * 0.1 / 4 / 1e3));
  // 2,000,000,000 FLOP and a million for the bias at 80 per ns.
  EXPECT_EQ(cost({OpKind::LinearForward, 1000, 1000, 1000}), us(2 + 25'012.5));
  const CpuCostModel model(round_profile().cpu);
  EXPECT_EQ(model.threads({OpKind::LinearInputGrad, 64, 64, 128}), 1);  // 2^20 FLOP exactly
  EXPECT_EQ(model.threads({OpKind::LinearInputGrad, 64, 64, 129}), 2);
  EXPECT_EQ(model.threads({OpKind::LinearInputGrad, 1000, 1000, 1000}), 8);
}

TEST_F(SimCpu, OpsFollowEachOtherOnTheirLaneAndNothingIsACall) {
  open();
  const Buffer x = floats({-1, 2, -3, 4}), out = device->allocate(MemoryKind::Pageable, 16);
  const std::array args{x, out};
  device->launch({OpKind::ReluForward, 2, 2}, args, Stream::Default, true);  // 32 bytes: 3.2 ns
  device->host_work(us(10));
  const std::array scaled{out, out};
  device->launch({OpKind::Scale, 2, 2, 1, 0.5f}, scaled, Stream::Default, true);
  EXPECT_THAT(read(out), ElementsAre(0, 1, 0, 2));
  ASSERT_EQ(sink.events.size(), 2u);
  const trace::Event& first = sink.events[0];
  EXPECT_EQ(first.kind, trace::EventKind::Range);
  EXPECT_EQ(sink.names.text(first.name), "relu_forward");
  EXPECT_EQ(sink.names.text(sink.events[1].name), "scale");
  EXPECT_EQ(first.start_ns, 0);
  EXPECT_EQ(first.end_ns, 2'003);
  EXPECT_EQ(sink.events[1].start_ns, 12'003);
  EXPECT_EQ(sink.events[1].end_ns, 14'006);
  ASSERT_EQ(sink.lanes.size(), 1u);
  EXPECT_EQ(sink.lanes[0].kind, trace::LaneKind::Phases);
  EXPECT_EQ(sink.lanes[0].name, "CPU ops");
  EXPECT_EQ(sink.lanes[0].process, "lanescope");
  EXPECT_EQ(device->now_ns(), 14'006);
  EXPECT_EQ(advanced, 14'006);
  EXPECT_EQ(sink.complete.back(), 14'006);
  EXPECT_EQ(sink.complete_after.back(), 2u);
}

TEST_F(SimCpu, CopiesTakeTheMemorysTimeAndSynchronisingNone) {
  open();
  const Buffer a = floats({1, 2, 3, 4}, MemoryKind::Pinned), b = device->allocate(MemoryKind::Device, 16);
  device->copy_async({b, 4}, {a, 0}, 12, device->create_stream(true));
  EXPECT_THAT(read(b), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(device->now_ns(), 1);  // 1.2 ns
  const Buffer large = device->allocate(MemoryKind::Device, 1'000'000);
  device->fill_async({large}, 1, 1'000'000, Stream::Default);
  EXPECT_EQ(device->now_ns(), 1 + 100'000);
  device->host_wrote(10'000);
  device->host_fill(large, 10'000);
  EXPECT_EQ(device->now_ns(), 1 + 102'000);
  // A MiB of fresh pages: 104.858 us to write it and 100 us for the faults, which come once.
  const Buffer fresh = device->allocate(MemoryKind::Pageable, 1 << 20);
  device->host_fill(fresh, 1 << 20);
  EXPECT_EQ(device->now_ns(), 1 + 102'000 + 204'858);
  device->host_fill(fresh, 1 << 20);
  EXPECT_EQ(device->now_ns(), 1 + 102'000 + 204'858 + 104'858);
  const Nanoseconds now = device->now_ns();
  device->hand_over({a}, {b}, 16);
  EXPECT_THAT(read(a), ElementsAre(0, 1, 2, 3));
  const GpuEvent event = device->create_event();
  device->record(event, Stream::Default);
  device->wait(Stream::Default, event);
  EXPECT_TRUE(device->query(event));
  device->synchronize(event);
  device->synchronize(Stream::Default);
  device->synchronize();
  device->release(large);
  EXPECT_EQ(device->now_ns(), now);
  EXPECT_TRUE(sink.events.empty());
}

TEST_F(SimCpu, FurtherThreadsWorkMeanwhile) {
  open();
  const Buffer from = floats({1, 2}, MemoryKind::Pageable), to = floats({0, 0}, MemoryKind::Pageable);
  const HostThread worker = device->create_host_thread("worker");
  const HostTask task = device->submit(worker, {"load", us(100), to, from, 8, 7}, HostTask::None);
  device->host_work(us(60));
  EXPECT_FALSE(device->ended(task));
  EXPECT_FALSE(device->host_read(to, 8));
  EXPECT_THROW(device->release(to), base::Error);
  device->wait_for(task, "next");
  EXPECT_EQ(device->now_ns(), us(100) + 1);  // 8 bytes at 0.1 ns
  EXPECT_TRUE(device->host_read(to, 8));
  EXPECT_THAT(read(to), ElementsAre(1, 2));
  device->end_host_thread(worker);
}

TEST_F(SimCpu, WhatIsOnlyTimedHoldsNoValues) {
  open();
  const Buffer a = floats({1, 2}), b = floats({5, 6});
  const std::array args{a, b};
  device->launch({OpKind::Stack, 2, 1}, args, Stream::Default, false);
  EXPECT_THAT(read(b), ElementsAre(5, 6));
  EXPECT_EQ(device->now_ns(), 2'002);
  device->copy({b}, {a}, 8);  // takes its time and moves nothing
  EXPECT_THAT(read(b), ElementsAre(5, 6));
}

TEST_F(SimCpu, TheSameSeedVariesAlike) {
  const auto end = [this](std::uint64_t seed) {
    open({{"jitter.spread", "0.2"}}, seed);
    for (int i = 0; i < 100; ++i) device->launch({OpKind::Spin, 1, 1, 1, 10.0f}, {}, Stream::Default, false);
    return device->now_ns();
  };
  const Nanoseconds first = end(1);
  EXPECT_EQ(end(1), first);
  EXPECT_NE(end(2), first);
  EXPECT_NEAR(static_cast<double>(first), 1e6, 3e4);
}

TEST_F(SimCpu, MistakesAreNamed) {
  open();
  const Buffer a = floats({1, 2});
  EXPECT_THROW(device->copy({a, 4}, {a, 0}, 8), base::Error);
  EXPECT_THROW(device->copy_async({a}, {a}, 4, static_cast<Stream>(3)), base::Error);
  EXPECT_THROW(device->query(GpuEvent::None), base::Error);
  EXPECT_THROW(device->launch({OpKind::Spin, 0, 1}, {}, Stream::Default, false), base::Error);
  EXPECT_THROW(device->host_work(-1), base::Error);
  EXPECT_THROW(device->allocate(MemoryKind::Device, 0), base::Error);
  device->release(a);
  EXPECT_THROW(device->host_data(a), base::Error);
  EXPECT_THROW(SimCpuDevice(round_profile(), {}), base::Error);
}

}  // namespace
}  // namespace lanescope::device::sim
