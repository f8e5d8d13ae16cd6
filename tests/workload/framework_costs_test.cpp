// Which statements of PyTorch an iteration consists of, as it is charged for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "device/sim/profile.h"
#include "workload/on_device.h"

namespace lanescope::workload {
namespace {

using device::FrameworkCall;

constexpr double kCost = 100'000;  // us, far more than all else

using Counts = std::map<std::string, int>;

class FrameworkCosts : public testing::Test {
 protected:
  ~FrameworkCosts() override { std::filesystem::remove(file_); }

  /// The teaching profile, with one statement that costs 0.1 s; an op costs 1 us.
  std::string profile(FrameworkCall dear, std::string_view table = "pytorch") {
    device::sim::DeviceProfile profile = device::sim::embedded_profile("teaching");
    for (std::size_t i = 0; i < device::kFrameworkCalls; ++i) {
      const double us = i == static_cast<std::size_t>(dear) ? kCost : i == 0 ? 1 : 0;
      profile.numbers.push_back({fmt::format("{}.{}", table, device::kFrameworkKeys[i]), us, "assumed: a test"});
    }
    std::ofstream(file_) << device::sim::profile_text(profile, "");
    return file_.string();
  }
  /// How often an iteration is charged for each statement; those that it is never charged for are left out.
  Counts charged(std::string_view workload, const std::vector<std::string>& assignments) {
    Counts found;
    for (std::size_t i = 1; i < device::kFrameworkCalls; ++i) {
      OnDevice run("sim:" + profile(static_cast<FrameworkCall>(i)), workload, assignments);
      run.iterate(8);
      const int times = static_cast<int>(std::lround(run.us_each(4) / kCost));
      if (times != 0) found[std::string(device::kFrameworkKeys[i])] = times;
    }
    return found;
  }

 private:
  const std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("costs-{}.toml", testing::UnitTest::GetInstance()->current_test_info()->name());
};

// output = model(data); loss = F.mse_loss(output, target); loss.item(); loss.backward(), whose gradients are added to
// the ones of before. The input needs no gradient, so the layer has two kernels in its backward pass.
TEST_F(FrameworkCosts, OfLinearMse) {
  EXPECT_EQ(charged("linear-mse", {"log_interval=1"}), (Counts{{"accumulate_us", 2},
                                                               {"backward_us", 1},
                                                               {"item_us", 1},
                                                               {"linear_backward_us", 2},
                                                               {"linear_us", 1},
                                                               {"mse_backward_us", 1},
                                                               {"mse_loss_us", 1},
                                                               {"reduce_us", 1}}));
}

// Two layers with relu between them: 2 + 3 kernels of their backward passes, four parameters.
TEST_F(FrameworkCosts, OfIrisMlp) {
  EXPECT_EQ(charged("iris-mlp", {"log_interval=0"}), (Counts{{"backward_us", 1},
                                                             {"cross_entropy_backward_us", 1},
                                                             {"cross_entropy_us", 1},
                                                             {"linear_backward_us", 5},
                                                             {"linear_us", 2},
                                                             {"node_us", 1},
                                                             {"relu_us", 1},
                                                             {"step_parameter_us", 4},
                                                             {"step_us", 1},
                                                             {"zero_grad_parameter_us", 4},
                                                             {"zero_grad_us", 1}}));
}

// What an iteration costs more when its loss is printed, or given to a writer: the eight reads and the one of a print,
// and what formatting takes beside them; the writer's copy, into a new tensor.
TEST_F(FrameworkCosts, OfALog) {
  const auto more = [&](std::string_view method) {
    Counts found = charged("readback", {"model_us=0", fmt::format("method={}", method), "log_interval=1"});
    for (const auto& [key, times] : charged("readback", {"model_us=0", "log_interval=1000"})) {
      if ((found[key] -= times) == 0) found.erase(key);
    }
    return found;
  };
  EXPECT_EQ(more("print"), (Counts{{"item_us", 8}, {"print_us", 1}, {"reduce_us", 3}}));
  EXPECT_EQ(more("tensorboard"), (Counts{{"add_scalar_us", 1}, {"empty_us", 1}, {"to_us", 1}}));
}

TEST_F(FrameworkCosts, OfAGraph) {
  EXPECT_EQ(charged("iris-mlp", {"log_interval=0", "cuda_graph=true"}), (Counts{{"replay_us", 1}}));
}

// Two tensors of 128 x 1024 numbers, half a MiB each.
TEST_F(FrameworkCosts, OfABatch) {
  const std::vector<std::string> fed{"log_interval=0", "batch_size=128", "features=1024",
                                     "model_us=0",     "pinned=true",    "non_blocking=true"};
  const Counts found = charged("transfer-loop", fed);
  EXPECT_EQ(found, (Counts{{"empty_pinned_us", 2},
                           {"mse_loss_us", 1},
                           {"random_us", 2},
                           {"random_us_per_mib", 1},
                           {"reduce_us", 1},
                           {"to_non_blocking_us", 2}}));
}

// dispatch_us scales all costs: with twice the op's, everything takes twice as long; with 0, there is no framework.
TEST_F(FrameworkCosts, AreScaledByTheSetting) {
  for (const auto& [dispatch, times] : {std::pair("dispatch_us=1", 1), {"dispatch_us=2", 2}, {"dispatch_us=0", 0}}) {
    OnDevice run("sim:" + profile(FrameworkCall::Backward), "iris-mlp", {"log_interval=0", dispatch});
    run.iterate(8);
    EXPECT_EQ(std::lround(run.us_each(4) / kCost), times) << dispatch;
  }
}

TEST_F(FrameworkCosts, OfACpuAreThoseOfItsTable) {
  const std::string file = profile(FrameworkCall::Linear, "pytorch_cpu");
  OnDevice cpu("cpu:" + file, "iris-mlp", {"log_interval=0"});
  EXPECT_EQ(std::lround(cpu.us_each(4) / kCost), 2);
  OnDevice gpu("sim:" + file, "iris-mlp", {"log_interval=0"});
  EXPECT_EQ(std::lround(gpu.us_each(4) / kCost), 0);
}

// There the optimizer has an operation for each of the four parameters, but its step() is called once.
TEST_F(FrameworkCosts, OfTheOptimizerOnACpu) {
  for (const auto& [call, times] : {std::pair(FrameworkCall::Step, 1), {FrameworkCall::StepParameter, 4}}) {
    OnDevice cpu("cpu:" + profile(call, "pytorch_cpu"), "iris-mlp", {"log_interval=0"});
    cpu.iterate(8);
    EXPECT_EQ(std::lround(cpu.us_each(4) / kCost), times);
  }
}

// A real device with the costs of a profile.
TEST_F(FrameworkCosts, OfADeviceOfThisMachine) {
  const std::string id = "cpu+" + profile(FrameworkCall::Linear, "pytorch_cpu");
  const device::DeviceInfo info = device::describe_device(id);
  EXPECT_EQ(info.id, id);
  EXPECT_EQ(info.kind, device::DeviceKind::Cpu);
  EXPECT_EQ(info.dispatch_us, 1);
  EXPECT_TRUE(info.framework.known());
  EXPECT_EQ(device::kind_named(id), device::DeviceKind::Cpu);
  EXPECT_EQ(device::cpu_beside("cuda:0" + id.substr(3)), id);
  OnDevice cpu(id, "iris-mlp", {"log_interval=0"});
  EXPECT_EQ(cpu.device->info().id, id);
  EXPECT_GE(cpu.us_each(1), 2 * kCost);
}

TEST_F(FrameworkCosts, AProfileWithoutThemIsNamed) {
  const std::string file = profile(FrameworkCall::Linear, "pytorch");
  try {
    device::describe_device("cpu+" + file);
    FAIL() << "it has no table pytorch_cpu";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.what(), file + ": has no table 'pytorch_cpu'; `lanescope calibrate --torch` measures it");
  }
}

}  // namespace
}  // namespace lanescope::workload
