// The quick probe on simulated devices, whose profiles are what it must find, and its text.
#include "calibration/quick_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "device/sim/cost_model.h"
#include "device/sim/sim_device.h"

namespace lanescope::calibration {
namespace {

using device::sim::DeviceProfile;
using ops::Op;
using ops::OpKind;

class Watched final : public device::sim::SimObserver {
 public:
  void called(device::CudaCall, std::uint32_t) override {}
  void launched(const Op&) override {}
  void allocated(trace::MemoryKind, std::size_t bytes) override { largest = std::max(largest, bytes); }
  void released(trace::MemoryKind, std::size_t) override {}
  void host_wrote(std::size_t, std::size_t) override {}
  void downloaded(std::size_t, std::size_t) override {}
  void submitted(const device::Device::HostWork&) override {}
  void waited() override {}
  std::size_t largest = 0;
};

QuickProbe probe(const DeviceProfile& profile, std::vector<Op> ops = {}, Watched* watched = nullptr) {
  QuickProbeRequest request;
  request.make = [&](trace::EventSink& sink, trace::CaptureLevel capture) {
    device::DeviceContext context;
    context.sink = &sink;
    context.capture = capture;
    device::sim::SimOptions options;
    options.observer = watched;
    return std::make_unique<device::sim::SimDevice>(profile, std::move(context), "sim:x", std::move(options));
  };
  request.ops = std::move(ops);
  return probe_quickly(request);
}

std::map<std::string, double> wanted_of(const DeviceProfile& profile) {
  std::map<std::string, double> wanted;
  for (const DeviceProfile::Number& n : profile.numbers) wanted[n.key] = n.value;
  return wanted;
}

class ProbeOf : public testing::TestWithParam<const char*> {};

// Without jitter every number is the profile's own, except that only the sum of a synchronisation's two parts can be
// seen, and that the link's fixed costs are subtracted to within a nanosecond.
TEST_P(ProbeOf, FindsTheProfileWithoutJitter) {
  DeviceProfile profile = device::sim::embedded_profile(GetParam());
  profile.jitter_spread = 0;
  std::map<std::string, double> wanted = wanted_of(profile);
  const double half = (wanted["cpu.sync_us"] + wanted["cpu.idle_return_us"]) / 2;
  wanted["cpu.sync_us"] = wanted["cpu.idle_return_us"] = half;
  for (const ProbedNumber& n : probe(profile).numbers) {
    ASSERT_TRUE(wanted.contains(n.key)) << n.key;
    EXPECT_NEAR(n.value, wanted[n.key], std::max(2e-3, 0.03 * wanted[n.key])) << n.key;
  }
}

// Its uncertainties are two standard errors: of the numbers on a device with jitter, about 19 of 20 are that near.
TEST_P(ProbeOf, SaysHowUncertainItIs) {
  DeviceProfile exact = device::sim::embedded_profile(GetParam());
  DeviceProfile profile = exact;
  profile.jitter_spread = 0.1;
  exact.jitter_spread = 0;
  std::map<std::string, double> wanted;
  for (const ProbedNumber& n : probe(exact).numbers) wanted[n.key] = n.value;
  int near = 0, all = 0;
  for (const ProbedNumber& n : probe(profile).numbers) {
    EXPECT_LT(n.relative, n.key == "gpu.graph_gap_us" ? 0.5 : 0.2) << n.key;  // the gap is a small difference
    const double off = std::abs(n.value - wanted[n.key]);
    near += off <= n.relative * n.value + 2e-3;
    ++all;
  }
  EXPECT_GE(all, 25);
  EXPECT_GE(near, all * 0.8) << "of " << all;
}

// A known machine: a product of 512 x 1000 x 1000 takes what the cost model says.
TEST_P(ProbeOf, TimesOps) {
  DeviceProfile profile = device::sim::embedded_profile(GetParam());
  profile.jitter_spread = 0;
  const std::vector<Op> ops{{OpKind::LinearForward, 512, 1000, 1000}, {OpKind::SgdStep, 5000, 1, 1, 0.1f}};
  const QuickProbe found = probe(profile, ops);
  ASSERT_EQ(found.ops.size(), 2u);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(found.ops[i].op, ops[i]);
    EXPECT_NEAR(found.ops[i].us, base::to_us(device::sim::CostModel(profile).kernel(ops[i])), 0.01);
  }
}
INSTANTIATE_TEST_SUITE_P(Profiles, ProbeOf, testing::Values("rtx4090", "h200", "teaching"),
                         [](const auto& which) { return std::string(which.param); });

// 20 copies of 8 MiB each way at most, so that a running program hardly notices.
TEST(QuickProbe, AllocatesNoMoreThanItNeeds) {
  Watched watched;
  probe(device::sim::embedded_profile("rtx4090"), {}, &watched);
  EXPECT_LE(watched.largest, std::size_t{16} << 20);
}

// 1, 2, 3, 4, 5: the quartiles are 2 and 4, the median is 3: 2 * 1.2533 * (4 - 2) / 1.349 / sqrt(5) / 3 = 0.5540.
TEST(UncertaintyOfMedian, IsWorkedOutByHand) {
  EXPECT_NEAR(uncertainty_of_median({5, 3, 1, 4, 2}), 0.5540, 1e-3);
  EXPECT_EQ(uncertainty_of_median({7, 7, 7, 7}), 0);
  EXPECT_EQ(uncertainty_of_median({1, 2, 3}), 1) << "too few to tell";
}

TEST(QuickProbeText, IsReadAgain) {
  QuickProbe probe;
  probe.device = "cuda:0";
  probe.numbers = {{"link.h2d_pinned_gb_per_s", 25.5, 0.004}, {"cpu.wake_us", 0, 0}};
  probe.ops = {{{OpKind::LinearForward, 128, 1000, 500, 0.5f}, 12.25, 0.01}};
  const std::string text = to_text(probe);
  EXPECT_EQ(text,
            "device cuda:0\n"
            "number link.h2d_pinned_gb_per_s 25.5 0.004\n"
            "number cpu.wake_us 0 0\n"
            "op linear_forward 128 1000 500 0.5 12.25 0.01\n");
  const auto read = parse_quick_probe(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(parse_op(to_text(probe.ops[0].op)), probe.ops[0].op);
}

TEST(QuickProbeText, WhatIsNoneIsRefused) {
  for (const char* text : {"", "device cuda:0\n", "hello\n", "device cuda:0\nnumber cpu.wake_us -1 0\n",
                           "device cuda:0\nnumber cpu.wake_us nan 0\n", "device cuda:0\nnumber cpu.wake_us 1\n",
                           "device cuda:0\nnumber cpu.wake_us 1 0\nop no_kernel 1 1 1 0 1 0\n",
                           "device cuda:0\nnumber cpu.wake_us 1 0\nop fill 0 1 1 0 1 0\n"}) {
    EXPECT_FALSE(parse_quick_probe(text)) << text;
  }
  EXPECT_FALSE(parse_op("linear_forward,1,2"));
  EXPECT_FALSE(parse_op("fill,-1,1,1,0"));
}

}  // namespace
}  // namespace lanescope::calibration
