// The workloads on CPUs: what PyTorch does with tensors on the CPU, and how long it takes.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "cpu/locked_sink.h"
#include "device/catalogue.h"
#include "workload/eager.h"
#include "workload/runner.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;
using testing::ElementsAre;
using testing::IsEmpty;

struct Outcome {
  double us_per_iteration = 0;
  std::optional<double> loss;
  std::vector<trace::Event> calls;
  std::size_t ops = 0;
};

Outcome run(const std::string& device_id, const std::string& workload, std::uint64_t iterations,
            const std::vector<std::string>& assignments = {}) {
  LockedSink locked;
  device::DeviceContext context;
  context.sink = &locked;
  auto device = device::make_device(device_id, context);
  Settings settings = default_settings(workload, device->info());
  for (const std::string& assignment : assignments) settings.assign(assignment);
  Outcome outcome;
  {
    Runner runner(*device, make_workload(workload, *device), settings, iterations, nullptr);
    runner.start();
    runner.wait();
    EXPECT_EQ(runner.error(), "") << workload << " on " << device_id;
    outcome.us_per_iteration = base::to_us(runner.ended_ns() - runner.started_ns()) / static_cast<double>(iterations);
    outcome.loss = runner.last_loss();
  }
  device.reset();  // joins the program's further threads
  const MemorySink& sink = locked.kept;
  outcome.calls = sink.on(trace::LaneKind::Calls);
  for (const trace::Event& event : sink.on(trace::LaneKind::Phases)) {
    outcome.ops += sink.lanes[event.lane].name == "CPU ops";
  }
  return outcome;
}

/// The framework on the teaching profile's CPU: 10 us per op and 10 us for its dispatch.
class EagerOnCpu : public testing::Test {
 protected:
  EagerOnCpu() {
    device::DeviceContext context;
    context.sink = &sink_;
    device_ = device::make_device("cpu:teaching", context);
    eager_.emplace(*device_, true);
    eager_->set_dispatch_us(10);
  }

  MemorySink sink_;
  std::unique_ptr<device::Device> device_;
  std::optional<Eager> eager_;
};

TEST_F(EagerOnCpu, ToReturnsTheTensorItself) {
  const Tensor tensor = eager_->tensor(3);
  for (const bool pinned : {false, true}) {
    const HostTensor from = eager_->host_tensor(3, pinned);
    EXPECT_FALSE(from.pinned);
    for (float& value : eager_->values(from)) value = pinned ? 5.0f : 4.0f;
    eager_->copy_to_device(tensor, from, 3, pinned);
    eager_->drop(from);
    EXPECT_EQ(eager_->values({tensor.buffer, 3})[2], pinned ? 5.0f : 4.0f);
  }
  const HostTensor back = eager_->host_tensor(3, false);
  eager_->copy_to_host(back, tensor, 3, false);
  EXPECT_THAT(eager_->read(back, 3), ElementsAre(5, 5, 5));
  eager_->synchronize();
  EXPECT_EQ(device_->now_ns(), 0);
  EXPECT_THAT(sink_.events, IsEmpty());
}

TEST_F(EagerOnCpu, ItemIsAPlainRead) {
  const Tensor tensor = eager_->tensor(2);
  eager_->launch(Op{OpKind::Fill, 2, 1, 1, 2.5f}, {tensor});
  const base::Nanoseconds before = device_->now_ns();
  EXPECT_EQ(eager_->item(tensor, 1), 2.5f);
  EXPECT_EQ(device_->now_ns() - before, base::from_us(10));  // its dispatch
  EXPECT_THAT(sink_.on(trace::LaneKind::Calls), IsEmpty());
}

TEST_F(EagerOnCpu, AStepIsAnOperationPerParameter) {
  const Tensor a = eager_->tensor(2), b = eager_->tensor(3), ones = eager_->tensor(3);
  eager_->launch(Op{OpKind::Fill, 3, 1, 1, 1.0f}, {ones});
  const Tensor two_ones = eager_->tensor(2);
  eager_->launch(Op{OpKind::Fill, 2, 1, 1, 1.0f}, {two_ones});
  eager_->launch(Op{OpKind::SgdStep, 5, 1, 1, 0.5f}, {a, two_ones, b, ones});
  EXPECT_THAT(sink_.names_on(trace::LaneKind::Phases), ElementsAre("fill", "fill", "sgd_step", "sgd_step"));
  EXPECT_EQ(eager_->item(a, 1), -0.5f);
  EXPECT_EQ(eager_->item(b, 2), -0.5f);
}

// P22: 4.62 s for 20,000 epochs are 231 us. 15 operations and a step for each of the four parameters.
TEST(IrisOnCpu, TakesAsLongAsOnTheTutorialsLaptop) {
  const Outcome cpu = run("cpu:rtx4070-laptop-wsl2", "iris-mlp", 1'000);
  EXPECT_NEAR(cpu.us_per_iteration, 231, 0.1 * 231);
  EXPECT_EQ(cpu.ops, 19'000u);
  EXPECT_THAT(cpu.calls, IsEmpty());
}

TEST(IrisOnCpu, LearnsWhatTheGpuLearns) {
  const std::vector<std::string> settings{"seed=5", "log_interval=500", "dispatch_us=0"};
  const Outcome gpu = run("sim:teaching", "iris-mlp", 1'000, settings);
  const Outcome simulated = run("cpu:teaching", "iris-mlp", 1'000, settings);
  const Outcome real = run("cpu", "iris-mlp", 1'000, settings);
  ASSERT_TRUE(gpu.loss && simulated.loss && real.loss);
  EXPECT_EQ(*simulated.loss, *gpu.loss);
  EXPECT_NEAR(*real.loss, *gpu.loss, 1e-4);  // its products add up in another order
  EXPECT_LT(*real.loss, *run("cpu", "iris-mlp", 1, {"seed=5"}).loss);
  EXPECT_EQ(real.ops, 19'000u);
  EXPECT_THAT(real.calls, IsEmpty());
  EXPECT_EQ(run("cpu:teaching", "iris-mlp", 1'000,
                {"seed=5", "log_interval=500", "feed=per-iteration", "pinned=true", "non_blocking=true"})
                .loss,
            gpu.loss);
}

// Every workload runs on every device.
TEST(EveryWorkload, RunsOnCpus) {
  for (const std::string& name : workload_names()) {
    for (const char* id : {"cpu", "cpu:teaching"}) {
      EXPECT_THAT(run(id, name, 2).calls, IsEmpty()) << name << " " << id;
    }
  }
}

}  // namespace
}  // namespace lanescope::workload
