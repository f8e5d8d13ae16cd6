#include "calibration/calibrate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "calibration/probe.h"
#include "device/sim/sim_device.h"

namespace lanescope::calibration {
namespace {

using device::sim::DeviceProfile;
using testing::HasSubstr;

Calibration calibrate_simulated(const DeviceProfile& profile) {
  CalibrationRequest request;
  request.make = [&](trace::EventSink& sink, trace::CaptureLevel capture) {
    device::DeviceContext context;
    context.sink = &sink;
    context.capture = capture;
    return std::make_unique<device::sim::SimDevice>(profile, std::move(context));
  };
  request.date = "2026-01-02";
  return calibrate(request);
}

std::map<std::string, double> numbers_of(const DeviceProfile& profile) {
  std::map<std::string, double> numbers;
  for (const DeviceProfile::Number& n : profile.numbers) numbers[n.key] = n.value;
  return numbers;
}

class FindsItselfAgain : public testing::TestWithParam<const char*> {};

// A simulated device is measured from outside; what comes out must be the profile that went in. Costs are jittered, so
// medians come within a few percent.
TEST_P(FindsItselfAgain, EveryNumber) {
  const DeviceProfile truth = device::sim::embedded_profile(GetParam());
  const Calibration found = calibrate_simulated(truth);
  const std::map<std::string, double> numbers = numbers_of(found.profile), wanted = numbers_of(truth);
  ASSERT_EQ(numbers.size(), wanted.size() + 1);
  // It is not in the profile, so what the GPU does varies as much as what the CPU does. The middle 80 % of a triangular
  // distribution are within 1 - sqrt(0.2) = 0.55 of its spread.
  EXPECT_NEAR(numbers.at("jitter.gpu_spread"), 0.55 * truth.jitter_spread, 0.2 * truth.jitter_spread);
  const auto expect_near = [&](const char* key, double value, double share) {
    ASSERT_TRUE(numbers.contains(key)) << key;
    EXPECT_NEAR(numbers.at(key), value, std::max(1e-3, value * share)) << key;
  };
  for (const char* key : {"cpu.launch_us",
                          "cpu.memcpy_us",
                          "cpu.memset_us",
                          "cpu.event_record_us",
                          "cpu.event_query_us",
                          "cpu.stream_wait_us",
                          "cpu.stream_create_us",
                          "cpu.event_create_us",
                          "cpu.host_alloc_us",
                          "cpu.malloc_us",
                          "cpu.host_alloc_us_per_mib",
                          "cpu.host_free_us",
                          "cpu.host_free_us_per_mib",
                          "cpu.memory_gb_per_s",
                          "cpu.wake_us",
                          "cpu.graph_launch_us",
                          "gpu.launch_latency_us",
                          "gpu.copy_latency_us",
                          "gpu.kernel_floor_us",
                          "gpu.launch_queue_depth",
                          "gpu.sm_count",
                          "link.h2d_pinned_gb_per_s",
                          "link.d2h_pinned_gb_per_s",
                          "link.h2d_pageable_gb_per_s",
                          "link.d2h_pageable_gb_per_s",
                          "link.copy_fixed_us",
                          "link.inline_limit_bytes"}) {
    expect_near(key, wanted.at(key), 0.08);
  }
  // Small differences between jittered times: within ten nanoseconds.
  EXPECT_NEAR(numbers.at("cpu.graph_node_us"), wanted.at("cpu.graph_node_us"), 0.01);
  EXPECT_NEAR(numbers.at("gpu.graph_gap_us"), wanted.at("gpu.graph_gap_us"), 0.01);
  // No framework stands between the calibration and the device.
  EXPECT_NEAR(numbers.at("cpu.dispatch_us"), 0, 0.08 * wanted.at("cpu.launch_us"));
  // Their sum is what can be seen from outside.
  EXPECT_NEAR(numbers.at("cpu.sync_us") + numbers.at("cpu.idle_return_us"),
              wanted.at("cpu.sync_us") + wanted.at("cpu.idle_return_us"),
              0.08 * (wanted.at("cpu.sync_us") + wanted.at("cpu.idle_return_us")));
  // Rates are given as reached, so their products with the share are what must agree.
  const double reached = wanted.at("gpu.reached_fraction");
  expect_near("gpu.memory_gb_per_s", wanted.at("gpu.memory_gb_per_s") * reached, 0.05);
  expect_near("gpu.reached_fraction", 1, 0);
  // The largest product, 4096 x 4096, has tiles for a last wave that is not full.
  EXPECT_GT(numbers.at("gpu.fp32_tflops"), wanted.at("gpu.fp32_tflops") * reached * 0.9);
  EXPECT_LE(numbers.at("gpu.fp32_tflops"), wanted.at("gpu.fp32_tflops") * reached * 1.1);
  // Slots times chunk is what the host can hand over without waiting.
  EXPECT_NEAR(numbers.at("link.staging_slots") * numbers.at("link.staging_chunk_bytes"),
              wanted.at("link.staging_slots") * wanted.at("link.staging_chunk_bytes"),
              wanted.at("link.staging_chunk_bytes"));
  // Triangular between -s and s: the middle 80 % are 2 * 0.553 s wide.
  EXPECT_NEAR(numbers.at("jitter.spread"), 0.553 * wanted.at("jitter.spread"),
              0.25 * wanted.at("jitter.spread") + 1e-3);
}
INSTANTIATE_TEST_SUITE_P(Profiles, FindsItselfAgain, testing::Values("rtx4090", "rtx4070-laptop-wsl2"),
                         [](const auto& which) { return which.index == 0 ? "rtx4090" : "laptop"; });

TEST(Calibrate, FindsThatCopiesFromTheCacheAreFaster) {
  DeviceProfile truth = device::sim::embedded_profile("rtx4090");
  const double rate = truth.link.h2d_pageable_gb_per_s;
  EXPECT_EQ(numbers_of(calibrate_simulated(truth).profile).at("link.cached_copy_bytes"), 0);
  truth.link.h2d_cached_gb_per_s = 2 * rate;
  truth.link.cached_copy_bytes = 20e6;
  const std::map<std::string, double> found = numbers_of(calibrate_simulated(truth).profile);
  EXPECT_NEAR(found.at("link.h2d_cached_gb_per_s"), 2 * rate, 0.1 * rate);
  EXPECT_NEAR(found.at("link.h2d_pageable_gb_per_s"), rate, 0.1 * rate);
  EXPECT_EQ(found.at("link.cached_copy_bytes"), 32 << 20);
}

// 1, 2, 3, 4, 5: the quartiles are 2 and 4, the median is 3: 2 * 1.2533 * (4 - 2) / 1.349 / sqrt(5) / 3 = 0.5540.
TEST(UncertaintyOfMedian, IsWorkedOutByHand) {
  EXPECT_NEAR(uncertainty_of_median({5, 3, 1, 4, 2}), 0.5540, 1e-3);
  EXPECT_EQ(uncertainty_of_median({7, 7, 7, 7}), 0);
  EXPECT_EQ(uncertainty_of_median({1, 2, 3}), 1) << "too few to tell";
}

TEST(Toml, IsAProfileThatTheSimulatorReads) {
  const Calibration found = calibrate_simulated(device::sim::embedded_profile("rtx4090"));
  const std::string text = to_toml(found);
  const DeviceProfile read = device::sim::parse_profile(text, "mine.toml");
  EXPECT_EQ(read.id, "mine");
  EXPECT_EQ(read.name, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(numbers_of(read), numbers_of(found.profile));
  for (const DeviceProfile::Number& n : read.numbers) {
    if (n.key == "cpu.launch_us") {
      EXPECT_EQ(n.source,
                "measured on NVIDIA GeForce RTX 4090, 2026-01-02: 4000 calls, the fastest tenth of groups of 50");
    }
  }
  EXPECT_THAT(text, HasSubstr("H2D pageable"));
  EXPECT_THAT(text, HasSubstr(" 64 KiB + 4: yes "));
}

// A CPU of any kind does a billion FLOP a second per core and an op of one element in less than a millisecond.
TEST(HostCpu, IsMeasured) {
  const HostCpu cpu = measure_host_cpu();
  EXPECT_NE(cpu.name, "");
  EXPECT_GE(cpu.cores, 1);
  EXPECT_EQ(cpu.cores, std::floor(cpu.cores));
  EXPECT_GT(cpu.fp32_gflops, 0.1 * cpu.cores);
  EXPECT_LT(cpu.fp32_gflops, 1e4 * cpu.cores);
  EXPECT_GT(cpu.op_us, 0);
  EXPECT_LT(cpu.op_us, 1000);
  EXPECT_GT(cpu.page_fault_us_per_mib, 0);
  EXPECT_LT(cpu.page_fault_us_per_mib, 1e5);
}

TEST(HostCpu, ThatOfASimulatedGpuIsAssumed) {
  const Calibration found = calibrate_simulated(device::sim::embedded_profile("teaching"));
  std::size_t assumed = 0;
  for (const DeviceProfile::Number& n : found.profile.numbers) {
    for (const char* key : {"cpu.cores", "cpu.fp32_gflops", "cpu.op_us", "cpu.page_fault_us_per_mib"}) {
      assumed += n.key == key && n.source.starts_with("assumed: the CPU beside a simulated GPU");
    }
  }
  EXPECT_EQ(assumed, 4u);
}

TEST(Toml, AnyNameComesBack) {
  DeviceProfile profile = device::sim::embedded_profile("teaching");
  profile.name = "a \"quoted\" \\ name\twith\n\x01 and é";
  EXPECT_EQ(device::sim::parse_profile(device::sim::profile_text(profile, "of\nlines"), "x.toml").name, profile.name);
}

// Behind a spinning kernel, on the simulated device as its head says: pinned copies never wait, pageable ones to the
// host always, pageable ones to the device when they are longer than the staging buffer.
TEST(Returns, SayWhoWaits) {
  const Calibration found = calibrate_simulated(device::sim::embedded_profile("rtx4090"));
  for (const HostReturn& r : found.returns) {
    const bool staged_beyond = r.path == Path::H2DPageable && r.bytes > (std::size_t{2} << 20) + 65536;
    EXPECT_EQ(waited(r), r.path == Path::D2HPageable || staged_beyond) << to_text(r.path) << " " << r.bytes;
  }
}

TEST(Refuses, ADeviceWhoseWorkIsNotRecorded) {
  CalibrationRequest request;
  struct Deaf final : trace::EventSink {
    trace::LaneId lane(const trace::LaneInfo&) override { return 0; }
    trace::NameId name(std::string_view) override { return 0; }
    struct Writer final : trace::EventWriter {
      void write(const trace::Event&) noexcept override {}
      void complete_until(trace::Nanoseconds) noexcept override {}
    };
    std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(); }
  } deaf;
  request.make = [&](trace::EventSink&, trace::CaptureLevel) {
    device::DeviceContext context;
    context.sink = &deaf;
    return std::make_unique<device::sim::SimDevice>(device::sim::embedded_profile("teaching"), std::move(context));
  };
  try {
    calibrate(request);
    FAIL() << "nothing was said";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no GPU operation was recorded"));
  }
}

}  // namespace
}  // namespace lanescope::calibration
