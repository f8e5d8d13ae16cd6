// What the profiles are fitted to, and what they should show.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <vector>

#include "device/sim/sim_cpu_device.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using ops::Op;
using ops::OpKind;

/// A training loop as eager PyTorch issues it, for its times only.
class Loop {
 public:
  explicit Loop(const char* profile) : rig_(embedded_profile(profile)) { rig_.make_buffers(MemoryKind::Pinned, 4); }

  void launch(const Op& op) {
    dispatch();
    rig_->launch(op, {}, Stream::Default, false);
  }
  void sgd_step(std::initializer_list<int> parameters) {
    launch({OpKind::SgdStep, std::accumulate(parameters.begin(), parameters.end(), 0), 1});
  }
  void item() {
    dispatch();
    rig_->copy_async({rig_.host}, {rig_.gpu}, 4, Stream::Default);
    rig_->synchronize(Stream::Default);
  }
  double microseconds() const { return base::to_us(rig_.device->now_ns() - rig_.start); }
  Rig& rig() { return rig_; }

 private:
  void dispatch() { rig_->host_work(us(rig_->info().dispatch_us)); }

  Rig rig_;
};

/// The same on the profile's CPU: the step is an operation per parameter, and a read is nothing but its dispatch.
class CpuLoop {
 public:
  explicit CpuLoop(const char* profile) {
    DeviceContext context;
    context.sink = &sink_;
    device_ = std::make_unique<SimCpuDevice>(embedded_profile(profile), context);
  }
  void launch(const Op& op) {
    item();
    device_->launch(op, {}, Stream::Default, false);
  }
  void sgd_step(std::initializer_list<int> parameters) {
    for (const int count : parameters) launch({OpKind::SgdStep, count, 1});
  }
  void item() { device_->host_work(us(device_->info().dispatch_us)); }
  double microseconds() const { return base::to_us(device_->now_ns()); }

 private:
  CollectingSink sink_;
  std::unique_ptr<SimCpuDevice> device_;
};

// An epoch of the 4-10-3 network on 120 rows: 16 kernels on a GPU.
template <typename AnyLoop>
void iris_epoch(AnyLoop& loop) {
  loop.launch({OpKind::LinearForward, 120, 10, 4});
  loop.launch({OpKind::ReluForward, 120, 10});
  loop.launch({OpKind::LinearForward, 120, 3, 10});
  loop.launch({OpKind::LogSoftmaxForward, 120, 3});
  loop.launch({OpKind::NllLossForward, 120, 3});
  loop.launch({OpKind::Fill, 1, 1});
  loop.launch({OpKind::Fill, 120, 3});
  loop.launch({OpKind::NllLossBackward, 120, 3});
  loop.launch({OpKind::LogSoftmaxBackward, 120, 3});
  loop.launch({OpKind::LinearInputGrad, 120, 3, 10});
  loop.launch({OpKind::LinearWeightGrad, 120, 3, 10});
  loop.launch({OpKind::LinearBiasGrad, 120, 3});
  loop.launch({OpKind::ReluBackward, 120, 10});
  loop.launch({OpKind::LinearWeightGrad, 120, 10, 4});
  loop.launch({OpKind::LinearBiasGrad, 120, 10});
  loop.sgd_step({40, 10, 30, 3});
}

template <typename AnyLoop>
double iris_us_per_epoch(int log_interval) {
  constexpr int kEpochs = 4000;
  AnyLoop loop("rtx4070-laptop-wsl2");
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    iris_epoch(loop);
    if (epoch % log_interval != 0) continue;
    loop.item();
    if (epoch % std::max(log_interval, 100) == 0) loop.item();  // printed
  }
  return loop.microseconds() / kEpochs;
}

// One set of numbers for the CPU and the GPU. The tutorial's own runs scatter: with a read every 1,000 epochs (P26) it
// took 16.15 s, longer than with one every 100 or 200, which no model without noise does, and 24 % longer than the same
// loop with one every 2,000 (13.1 s). The profile lies between the others and leaves that one out.
TEST(LaptopProfile, TakesAsLongAsTheTutorialMeasured) {
  // P22 is 4.62 s for 20,000 epochs, P24 with a hundredth of the reads 5.21 s: the profile stands between them.
  EXPECT_NEAR(iris_us_per_epoch<CpuLoop>(1), 231, 0.1 * 231);
  EXPECT_NEAR(iris_us_per_epoch<CpuLoop>(100), 260.5, 0.1 * 260.5);
  const double each = iris_us_per_epoch<Loop>(1), rare = iris_us_per_epoch<Loop>(2000);
  EXPECT_NEAR(each, 842.5, 0.02 * 842.5);              // P23
  EXPECT_NEAR(rare, 654, 0.05 * 654);                  // P25
  EXPECT_NEAR(each - rare, 842.5 - 654, 0.1 * 188.5);  // what the reads cost
  constexpr double kPerEpoch = 1e6 / 20'000;           // P26: seconds for 20,000 epochs
  EXPECT_NEAR(iris_us_per_epoch<Loop>(100), 14.6 * kPerEpoch, 0.08 * 14.6 * kPerEpoch);
  EXPECT_NEAR(iris_us_per_epoch<Loop>(200), 13.95 * kPerEpoch, 0.05 * 13.95 * kPerEpoch);
  EXPECT_NEAR(rare, 13.1 * kPerEpoch, 0.05 * 13.1 * kPerEpoch);
}

struct Shares {
  double us_per_iteration, busy, after_sync, launch;
};

/// Linear(1000, 1000) on a batch of 128 with a mean squared error, and how the GPU spent the second half of the run.
Shares linear_mse(const char* profile, int log_interval) {
  constexpr int kIterations = 1000;
  Loop loop(profile);
  for (int i = 0; i < kIterations; ++i) {
    loop.launch({OpKind::LinearForward, 128, 1000, 1000});
    loop.launch({OpKind::MseForward, 128, 1000});
    loop.launch({OpKind::MeanReduce, 128, 1000});
    if (i % log_interval == 0) loop.item();
    loop.launch({OpKind::Fill, 1, 1});
    loop.launch({OpKind::MseBackward, 128, 1000});
    loop.launch({OpKind::LinearWeightGrad, 128, 1000, 1000});
    loop.launch({OpKind::LinearBiasGrad, 128, 1000});
    loop.launch({OpKind::AddInPlace, 1000, 1000});
    loop.launch({OpKind::AddInPlace, 1, 1000});
  }
  const double total = loop.microseconds();
  loop.rig().close();

  std::vector<trace::Event> work, syncs;
  for (const trace::Event& e : loop.rig().sink.events) {
    if (trace::is_gpu_work(e.kind)) work.push_back(e);
    if (trace::is_sync(e)) syncs.push_back(e);
  }
  std::sort(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  const Nanoseconds from = work[work.size() / 2].start_ns;
  Nanoseconds busy_until = from, busy = 0, after_sync = 0, launch = 0;
  for (const trace::Event& e : work) {
    if (e.start_ns < from) continue;
    const bool drained_by_sync = std::any_of(syncs.begin(), syncs.end(), [&](const trace::Event& s) {
      return s.start_ns <= busy_until && busy_until < s.end_ns;
    });
    if (e.start_ns > busy_until) (drained_by_sync ? after_sync : launch) += e.start_ns - busy_until;
    busy += std::max<Nanoseconds>(0, e.end_ns - std::max(e.start_ns, busy_until));
    busy_until = std::max(busy_until, e.end_ns);
  }
  const auto all = static_cast<double>(busy_until - from);
  return {total / kIterations, static_cast<double>(busy) / all, static_cast<double>(after_sync) / all,
          static_cast<double>(launch) / all};
}

TEST(DesktopProfile, IsSyncBoundWithAReadEachIterationAndLaunchBoundWithout) {
  const Shares each = linear_mse("rtx4090", 1);
  EXPECT_GT(each.after_sync, 0.2);
  EXPECT_GT(each.after_sync, 1.1 * each.launch);
  const Shares rare = linear_mse("rtx4090", 100);
  EXPECT_LT(rare.after_sync, 0.01);
  EXPECT_GT(rare.launch, 0.1);
  EXPECT_GT(each.us_per_iteration, 1.3 * rare.us_per_iteration);
}

TEST(TeachingProfile, IsSyncBoundWithAReadEachIterationAndGpuBoundWithout) {
  const Shares each = linear_mse("teaching", 1);
  EXPECT_GT(each.after_sync, 0.25);
  EXPECT_LT(each.launch, 0.05);
  const Shares rare = linear_mse("teaching", 100);
  EXPECT_GT(rare.busy, 0.98);
  EXPECT_GT(each.us_per_iteration, 1.4 * rare.us_per_iteration);
}

}  // namespace
}  // namespace lanescope::device::sim
