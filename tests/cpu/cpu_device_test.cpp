// This machine's CPU as a device: real values, real time, and nothing that looks like CUDA.
#include "device/cpu/cpu_device.h"

#include <gmock/gmock.h>

#include <cstring>
#include <sstream>

#include "base/error.h"
#include "base/random.h"
#include "cpu/locked_sink.h"
#include "device/cpu/products.h"

namespace lanescope::device::cpu {
namespace {

using ops::Op;
using ops::OpKind;
using testing::ElementsAre;
using testing::Pointwise;
using Values = std::vector<float>;

class Cpu : public testing::Test {
 protected:
  Cpu() {
    DeviceContext context;
    context.sink = &locked;
    device = std::make_unique<CpuDevice>(std::move(context));
  }
  Buffer floats(const Values& values, MemoryKind kind = MemoryKind::Device) {
    const Buffer buffer = device->allocate(kind, values.size() * sizeof(float));
    std::memcpy(device->host_data(buffer).data(), values.data(), values.size() * sizeof(float));
    return buffer;
  }
  Values read(Buffer buffer) {
    const std::span<std::byte> bytes = device->host_data(buffer);
    Values values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  workload::LockedSink locked;
  workload::MemorySink& sink = locked.kept;
  std::unique_ptr<CpuDevice> device;
};

struct ProductCase {
  Op op;
  std::vector<std::size_t> sizes;  // of the arguments; the last is the result
};

std::vector<ProductCase> products() {
  std::vector<ProductCase> cases;
  for (const auto& [m, n, k] : {std::array{1, 1, 1}, {120, 10, 4}, {7, 33, 65}, {64, 48, 100}}) {
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
    cases.push_back({{OpKind::LinearForward, m, n, k}, {size(m, k), size(n, k), size(n, 1), size(m, n)}});
    cases.push_back({{OpKind::LinearWeightGrad, m, n, k}, {size(m, n), size(m, k), size(n, k)}});
    cases.push_back({{OpKind::LinearInputGrad, m, n, k}, {size(m, n), size(n, k), size(m, k)}});
  }
  return cases;
}

Values some_values(std::size_t count, base::Random& random) {
  Values values(count);
  for (float& value : values) value = random.uniform(1.0f);
  return values;
}

// Sums of up to 120 terms below 1, in another order: some units in the last place of 1e-7 each.
TEST_F(Cpu, ProductsAreAsTheReferenceHasThem) {
  base::Random random(3);
  for (const ProductCase& each : products()) {
    std::vector<Values> arguments;
    std::vector<Buffer> buffers;
    std::vector<std::span<float>> spans;
    for (const std::size_t size : each.sizes) {
      arguments.push_back(some_values(size, random));
      buffers.push_back(floats(arguments.back()));
    }
    for (Values& values : arguments) spans.emplace_back(values);
    device->launch(each.op, buffers, Stream::Default, true);
    ops::run_reference(each.op, spans);
    EXPECT_THAT(read(buffers.back()), Pointwise(testing::FloatNear(2e-5f), arguments.back()))
        << ops::kernel_name(each.op.kind) << " " << each.op.m;
    // And with the instructions that every CPU has.
    const int stride = each.op.kind == ops::OpKind::LinearForward ? each.op.k : each.op.n;
    Product product{each.op.kind, each.op.m, each.op.n, each.op.k, stride, {}};
    Values other(arguments.back().size());
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) product.args[i] = spans[i].data();
    product.args[spans.size() - 1] = other.data();
    product_for_any_cpu(product);
    EXPECT_THAT(other, Pointwise(testing::FloatNear(2e-5f), arguments.back()));
  }
}

TEST_F(Cpu, OpsAreRangesOfTheirOwnLaneAndNothingIsACall) {
  const Buffer x = floats({-1, 2, -3, 4}), out = device->allocate(MemoryKind::Pinned, 16);
  const std::array args{x, out};
  device->launch({OpKind::ReluForward, 4, 1}, args, Stream::Default, false);  // computed all the same
  EXPECT_THAT(read(out), ElementsAre(0, 2, 0, 4));
  device->launch({OpKind::Spin, 1, 1, 1, 200.0f}, {}, Stream::Default, false);
  const Buffer copy = device->allocate(MemoryKind::Pageable, 16);
  device->copy_async({copy, 4}, {x, 0}, 12, device->create_stream(true));
  EXPECT_THAT(read(copy), ElementsAre(0, -1, 2, -3));
  device->fill_async({copy, 0}, 0, 8, Stream::Default);
  EXPECT_THAT(read(copy), ElementsAre(0, 0, 2, -3));
  const GpuEvent event = device->create_event();
  device->record(event, Stream::Default);
  EXPECT_TRUE(device->query(event));
  device->synchronize(event);
  const GpuEvent start = device->create_timing_event(), end = device->create_timing_event();
  EXPECT_THROW(device->elapsed(start, end), base::Error);
  device->synchronize();

  ASSERT_EQ(sink.events.size(), 2u);
  EXPECT_THAT(sink.names_on(trace::LaneKind::Phases), ElementsAre("relu_forward", "spin"));
  EXPECT_EQ(sink.lanes[sink.events[0].lane].name, "CPU ops");
  const trace::Event& spin = sink.events[1];
  EXPECT_EQ(spin.kind, trace::EventKind::Range);
  EXPECT_GE(spin.duration(), 200'000);
  EXPECT_LE(sink.events[0].end_ns, spin.start_ns);
  EXPECT_EQ(sink.lanes.size(), 1u);
}

TEST_F(Cpu, TimeIsReal) {
  const auto wall = std::chrono::steady_clock::now();
  const Nanoseconds start = device->now_ns();
  device->host_work(300'000);
  device->host_wrote(1 << 30);  // has passed already
  const Nanoseconds took = device->now_ns() - start;
  EXPECT_GE(took, 300'000);
  EXPECT_LE(took, (std::chrono::steady_clock::now() - wall).count());
}

TEST_F(Cpu, HostFillMakesArbitraryValues) {
  const Buffer buffer = device->allocate(MemoryKind::Pageable, 400);
  device->host_fill(buffer, 200);
  const Values values = read(buffer);
  EXPECT_NE(values[0], values[49]);
  for (const float value : values) EXPECT_TRUE(value >= 0 && value < 1) << value;
  EXPECT_EQ(values[50], 0);
}

TEST_F(Cpu, FurtherThreadsWorkMeanwhile) {
  const Buffer from = floats({1, 2}, MemoryKind::Pageable), to = floats({0, 0}, MemoryKind::Pageable);
  const HostThread worker = device->create_host_thread("worker");
  const Nanoseconds start = device->now_ns();
  const HostTask task = device->submit(worker, {"load", 2'000'000, to, from, 8, 7}, HostTask::None);
  device->wait_for(task, "next");
  EXPECT_GE(device->now_ns() - start, 2'000'000);
  EXPECT_THAT(read(to), ElementsAre(1, 2));
  device->end_host_thread(worker);
}

TEST_F(Cpu, MistakesAreNamed) {
  const Buffer a = floats({1, 2}), b = floats({1, 2, 3});
  const std::array args{a, b, b, b};
  EXPECT_THROW(device->launch({OpKind::LinearForward, 2, 2, 2}, args, Stream::Default, true), base::Error);
  EXPECT_THROW(device->launch({OpKind::Fill, 3, 1}, {&a, 1}, Stream::Default, true), base::Error);
  EXPECT_THROW(device->copy({a}, {b}, 12), base::Error);
  EXPECT_THROW(CpuDevice({}), base::Error);
}

TEST(CpuName, IsTheModels) {
  std::istringstream intel(
      "processor\t: 0\nmodel\t\t: 151\nmodel name\t: 12th Gen Intel(R) Core(TM) i7-12800HX\nx: y\n");
  EXPECT_EQ(cpu_name_from(intel), "12th Gen Intel(R) Core(TM) i7-12800HX");
  std::istringstream arm("processor\t: 0\nBogoMIPS\t: 100.00\n");
  EXPECT_EQ(cpu_name_from(arm), "");
  EXPECT_NE(cpu_name(), "");
}

}  // namespace
}  // namespace lanescope::device::cpu
