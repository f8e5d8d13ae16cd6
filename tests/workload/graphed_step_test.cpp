// The setting cuda_graph: what is captured, when it is captured again, and where it has no effect.
#include "workload/graphed_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "workload/recording_device.h"
#include "workload/runner.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Calls = std::vector<std::string>;

class Graphed : public testing::Test {
 protected:
  void start(const char* workload, const std::vector<std::string>& assignments) {
    workload_ = make_workload(workload, device_);
    settings_ = default_settings(workload, device_.info());
    settings_.assign("cuda_graph=true");
    for (const std::string& assignment : assignments) settings_.assign(assignment);
    workload_->set_up(settings_);
    device_.take_log();
  }
  Calls iterate() {
    workload_->iterate(number_++, settings_);
    return device_.take_log();
  }
  /// The iteration after warm-up and capture.
  Calls replayed() {
    for (int i = 0; i <= GraphedStep::kWarmUp; ++i) iterate();
    return iterate();
  }

  RecordingDevice device_;
  Settings settings_;
  std::unique_ptr<Workload> workload_;
  std::uint64_t number_ = 0;
};

// The first backward pass lacks the two additions to .grad, so a step captured without a warm-up would lack them
// always.
TEST_F(Graphed, WarmsUpOnASideStreamAndCapturesTheSteadyStep) {
  start("linear-mse", {"log_interval=0"});
  const Calls first = iterate();
  EXPECT_THAT(first, Contains("cudaEventCreate").Times(2));
  EXPECT_THAT(first, Contains(StartsWith("cudaStreamWaitEvent")).Times(2)) << "side.wait_stream(main) and back";
  const Calls second = iterate();
  EXPECT_THAT(second, Contains(StartsWith("add_in_place")).Times(2));
  iterate();
  Calls captured = iterate();
  // Between side.wait_stream(main) and main.wait_stream(side) there are two calls fewer than here.
  ASSERT_EQ(captured.front(), "cudaStreamBeginCapture");
  ASSERT_EQ(captured.back(), "cudaGraphLaunch 1");
  ASSERT_EQ(captured[captured.size() - 2], "cudaStreamEndCapture");
  const Calls kernels(captured.begin() + 1, captured.end() - 2);
  EXPECT_THAT(kernels, ElementsAreArray(Calls(second.begin() + 2, second.end() - 2)));
  EXPECT_THAT(iterate(), ElementsAre("cudaGraphLaunch 1"));
}

TEST_F(Graphed, OneDispatchForAReplay) {
  start("linear-mse", {"log_interval=0", "dispatch_us=10"});
  replayed();
  const base::Nanoseconds before = device_.host_work_ns;
  iterate();
  EXPECT_EQ(device_.host_work_ns - before, 10'000);
}

TEST_F(Graphed, CopiesComeBeforeTheReplayAndReadsAfterIt) {
  start("linear-mse", {"log_interval=1", "feed=per-iteration", "pinned=true", "non_blocking=true"});
  Calls calls = replayed();
  std::erase_if(calls, [](const std::string& call) { return call.starts_with("cudaEvent"); });
  EXPECT_THAT(calls, ElementsAre("cudaMemcpyAsync pinned->device 512000", "cudaMemcpyAsync pinned->device 512000",
                                 "cudaGraphLaunch 1", "cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"));
}

TEST_F(Graphed, ANewBatchSizeIsWarmedUpAndCapturedAgain) {
  start("iris-mlp", {"log_interval=0"});
  EXPECT_THAT(replayed(), ElementsAre("cudaGraphLaunch 1"));
  settings_.assign("log_interval=1");
  EXPECT_THAT(iterate(), ElementsAre("cudaGraphLaunch 1", "cudaHostAlloc 4", "cudaMemcpyAsync device->pinned 4",
                                     "cudaStreamSynchronize"))
      << "the interval of the reads is not part of the step";
  settings_.assign("log_interval=0");
  settings_.assign("batch_size=60");
  EXPECT_EQ(iterate().front(), "cudaGraphExecDestroy 1");
  iterate();
  iterate();
  EXPECT_EQ(iterate().back(), "cudaGraphLaunch 2");
  EXPECT_THAT(iterate(), ElementsAre("cudaGraphLaunch 2"));
}

TEST_F(Graphed, TheTwoBatchesOfASideStreamHaveAGraphEach) {
  start("transfer-loop", {"log_interval=0", "copy_stream=side", "pinned=true", "non_blocking=true", "train=true"});
  for (int i = 0; i < GraphedStep::kWarmUp + 2; ++i) iterate();
  const auto graph_of = [](const Calls& calls) {
    return *std::ranges::find_if(calls, [](const std::string& call) { return call.starts_with("cudaGraphLaunch"); });
  };
  const std::string one = graph_of(iterate()), other = graph_of(iterate());
  EXPECT_NE(one, other);
  EXPECT_EQ(graph_of(iterate()), one);
}

TEST_F(Graphed, AFixedBranchCanBeCaptured) {
  start("control-flow", {"branch=fixed", "checks=4", "log_interval=0"});
  EXPECT_THAT(replayed(), ElementsAre("cudaGraphLaunch 1"));
}

// 1,000 samples in batches of 128 are seven, and one of 104. The slice is copied into the static inputs.
TEST_F(Graphed, TheSmallerLastBatchHasItsOwnGraph) {
  start("break-even", {"log_interval=0"});
  for (int i = 0; i < 8; ++i) iterate();
  const auto batch = [](const char* bytes, const char* graph) {
    return Calls{std::string("cudaMemcpyAsync device->device ") + bytes,
                 std::string("cudaMemcpyAsync device->device ") + bytes, graph};
  };
  for (int i = 0; i < 7; ++i) EXPECT_THAT(iterate(), ElementsAreArray(batch("1024", "cudaGraphLaunch 1"))) << i;
  EXPECT_THAT(iterate(), ElementsAreArray(batch("832", "cudaGraphLaunch 2")));
}

TEST_F(Graphed, ReadsOfTheLossComeAfterTheReplay) {
  start("readback", {"method=item"});
  EXPECT_THAT(replayed(),
              ElementsAre("cudaGraphLaunch 1", "cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"));
}

struct Blocked {
  const char* workload;
  std::vector<std::string> assignments;
  const char* reason;
};

// PyTorch raises an error there; here the step runs eagerly, and the knob says why.
TEST(CudaGraph, HasNoEffectWhereTheStepCannotBeCaptured) {
  const Blocked all[] = {
      {"linear-mse", {"timing=naive"}, "times a part of the step"},
      {"linear-mse", {"timing=events-polled"}, "times a part of the step"},
      {"iris-mlp", {"hook=reads"}, "operation not permitted when stream is capturing"},
      {"iris-mlp", {"model_on=cpu"}, "raises an error before its first kernel"},
      {"transfer-loop", {"scaler=true"}, "GradScaler reads found_inf"},
      {"readback", {"method=stacked"}, "each loss is kept in its own place"},
      {"readback", {"method=unsafe"}, "changes in every iteration"},
      {"control-flow", {"branch=data-dependent"}, "operation not permitted when stream is capturing"},
  };
  for (const Blocked& blocked : all) {
    RecordingDevice device;
    const auto workload = make_workload(blocked.workload, device);
    Settings settings = default_settings(blocked.workload, device.info());
    settings.assign("cuda_graph=true");
    for (const std::string& assignment : blocked.assignments) settings.assign(assignment);
    const NoEffect* none = settings.no_effect(*settings.spec("cuda_graph"));
    ASSERT_NE(none, nullptr) << blocked.workload;
    EXPECT_THAT(none->reason, HasSubstr(blocked.reason));
    workload->set_up(settings);
    device.take_log();
    for (std::uint64_t i = 0; i < 6; ++i) workload->iterate(i, settings);
    EXPECT_THAT(device.take_log(), Not(Contains(HasSubstr("Graph")))) << blocked.workload;
  }
  // A hook that is never called reads nothing.
  Settings settings = default_settings("iris-mlp", {});
  for (const char* assignment : {"cuda_graph=true", "hook=reads", "call_with=forward"}) settings.assign(assignment);
  EXPECT_TRUE(uses_graph(settings));
  settings.assign("cuda_graph=false");
  EXPECT_FALSE(uses_graph(settings));
}

TEST(CudaGraph, ACpuHasNone) {
  MemorySink sink;
  device::DeviceContext context;
  context.sink = &sink;
  const auto cpu = device::make_device("cpu:rtx4090", context);
  Settings settings = default_settings("iris-mlp", cpu->info());
  settings.assign("cuda_graph=true");
  EXPECT_EQ(settings.no_effect(*settings.spec("cuda_graph"))->reason, "a CPU has no CUDA graphs");
  Runner runner(*cpu, make_workload("iris-mlp", *cpu), settings, 6, nullptr);
  runner.start();
  runner.wait();
  EXPECT_EQ(runner.error(), "");
}

// Warm-up steps are steps of the loop, and a replay computes what the calls would: the losses are the same.
TEST(CudaGraph, LearnsTheSameAsWithout) {
  for (const char* workload : {"iris-mlp", "control-flow", "readback"}) {
    std::vector<double> losses;
    for (const char* graph : {"cuda_graph=false", "cuda_graph=true"}) {
      MemorySink sink;
      sink.keep = false;
      device::DeviceContext context;
      context.sink = &sink;
      const auto gpu = device::make_device("sim:teaching", context);
      Settings settings = default_settings(workload, gpu->info());
      settings.assign(graph);
      settings.assign("log_interval=100");
      if (settings.spec("network")) settings.assign("network=while-loop");
      if (settings.spec("branch")) settings.assign("branch=fixed");
      Runner runner(*gpu, make_workload(workload, *gpu), settings, 301, nullptr);
      runner.start();
      runner.wait();
      EXPECT_EQ(runner.error(), "");
      ASSERT_TRUE(runner.last_loss());
      losses.push_back(*runner.last_loss());
    }
    EXPECT_EQ(losses[0], losses[1]) << workload;
  }
}

}  // namespace
}  // namespace lanescope::workload
