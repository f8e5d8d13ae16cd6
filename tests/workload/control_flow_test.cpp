// The calls of control-flow, how often it waits, and that real values end its loop.
#include "workload/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/on_device.h"
#include "workload/recorded_workload.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

const Calls kLayer{"linear_forward 128x1000x1000"};
const Calls kCheck = Calls{"sum_reduce 128x1000x1"} + kItem;
const Calls kLoss{"mse_forward 128x1000x1", "mean_reduce 128x1000x1"};
const Calls kLossBackward{"fill 1x1x1", "mse_backward 128x1000x1"};
const Calls kWeights{"linear_weight_grad 128x1000x1000", "linear_bias_grad 128x1000x1"};
const Calls kAdd{"add_in_place 1000x1000x1", "add_in_place 1x1000x1"};

// Each application of the one layer has its own gradients, which are summed and then added to .grad.
const Calls kTwoLayersBackward = kLossBackward + Calls{"linear_input_grad 128x1000x1000"} + kWeights + kWeights + kAdd;

TEST(ControlFlow, AnIfAfterEachLayerReadsASum) {
  RecordedWorkload w("control-flow", {"checks=2"});
  const Calls forward = 2 * (kLayer + kCheck);
  Calls first = w.iterate();
  first.erase(std::remove(first.begin(), first.end(), "cudaHostAlloc 4"), first.end());  // the read's scratch
  EXPECT_THAT(first, ElementsAreArray(forward + kLoss + kTwoLayersBackward));
  EXPECT_THAT(w.iterate(), ElementsAreArray(forward + kLoss + kTwoLayersBackward + kAdd));
  EXPECT_EQ(w.figure("syncs_in_forward").last, 2);
  EXPECT_EQ(w.figure("branch_checks").last, 2);
  EXPECT_EQ(w.figure("branches_taken").last, 0);
  EXPECT_FALSE(w.device.computed);
}

TEST(ControlFlow, AFixedBranchReadsNothing) {
  RecordedWorkload w("control-flow", {"checks=2", "branch=fixed"});
  EXPECT_THAT(w.steady(), ElementsAreArray(2 * kLayer + kLoss + kTwoLayersBackward + kAdd));
  EXPECT_EQ(w.figure("syncs_in_forward").last, 0);
}

TEST(ControlFlow, TheNumberOfLayersMayChangeAtAnyTime) {
  RecordedWorkload w("control-flow", {"checks=1", "log_interval=1"});
  w.iterate();
  EXPECT_THAT(w.iterate({"checks=3"}), Contains("cudaMalloc 512000").Times(2));
  EXPECT_THAT(w.iterate({"checks=0"}), ElementsAreArray(kLoss + kItem));
  EXPECT_THAT(w.iterate({"checks=2"}), Not(Contains(HasSubstr("cudaMalloc"))));
  EXPECT_EQ(w.workload->last_loss(), std::nullopt);  // this network is timing only
  EXPECT_THAT(w.iterate({"batch_size=129"}), Contains("linear_forward 129x1000x1000").Times(2));
  EXPECT_THAT(w.iterate({"network=while-loop"}), Contains("linear_forward 129x100x100"));
  EXPECT_NE(w.workload->last_loss(), std::nullopt);
}

// P12: the sum begins at about 32 x 100 x 0.225 = 720, between 2^9 and 2^10: ten halvings and the check that ends the
// loop, whatever the seed. The tutorial counts 320, as if every row had a loop of its own.
TEST(ControlFlow, TheWhileLoopEndsWhenTheRealSumHasFallenToOne) {
  for (const char* seed : {"seed=1", "seed=2", "seed=3", "seed=77"}) {
    RecordedWorkload w("control-flow", {"network=while-loop", "batch_size=32", seed});
    const Calls calls = w.steady();
    EXPECT_THAT(calls, Contains("sum_reduce 32x100x1").Times(11)) << seed;
    EXPECT_THAT(calls, Contains("cudaStreamSynchronize").Times(11)) << seed;
    EXPECT_THAT(calls, Contains("scale 32x100x1").Times(10 + 10)) << seed;  // and backwards
    EXPECT_EQ(w.figure("syncs_in_forward").last, 11);
    EXPECT_EQ(w.figure("branches_taken").last, 10);
    EXPECT_TRUE(w.device.computed);
    // Four times the rows, four times the sum: two halvings more.
    EXPECT_THAT(w.iterate({"batch_size=128"}), Contains("sum_reduce 128x100x1").Times(13)) << seed;
  }
}

TEST(ControlFlow, TheWhileLoopsBackwardPass) {
  RecordedWorkload w("control-flow", {"network=while-loop", "branch=fixed", "checks=1", "batch_size=32"});
  EXPECT_THAT(
      w.steady(),
      ElementsAre("linear_forward 32x100x100", "scale 32x100x1", "linear_forward 32x10x100", "mse_forward 32x10x1",
                  "mean_reduce 32x10x1", "fill 1x1x1", "mse_backward 32x10x1", "linear_input_grad 32x10x100",
                  "linear_weight_grad 32x10x100", "linear_bias_grad 32x10x1", "add_in_place 10x100x1",
                  "add_in_place 1x10x1", "scale 32x100x1", "linear_weight_grad 32x100x100", "linear_bias_grad 32x100x1",
                  "add_in_place 100x100x1", "add_in_place 1x100x1"));
}

// P13 computes the same as P12 without waiting.
TEST(ControlFlow, AFixedLoopOfTenGivesTheSameLoss) {
  RecordedWorkload asks("control-flow", {"network=while-loop", "batch_size=32", "log_interval=1"});
  RecordedWorkload fixed("control-flow", {"network=while-loop", "batch_size=32", "log_interval=1", "branch=fixed"});
  asks.iterate();
  fixed.iterate();
  ASSERT_TRUE(asks.workload->last_loss());
  EXPECT_EQ(asks.workload->last_loss(), fixed.workload->last_loss());
  EXPECT_EQ(fixed.workload->losses_read(), 1u);
  OnDevice simulated("sim:teaching", "control-flow", {"network=while-loop", "batch_size=32", "log_interval=1"});
  simulated.iterate(1);
  EXPECT_EQ(simulated.workload->last_loss(), asks.workload->last_loss());
  EXPECT_THAT(fixed.iterate({"log_interval=0"}), Not(Contains("cudaStreamSynchronize")));
}

TEST(ControlFlow, ItsPhases) {
  for (const char* network : {"network=if-each-layer", "network=while-loop"}) {
    RecordedWorkload w("control-flow", {network, "log_interval=1"});
    w.iterate();
    EXPECT_THAT(w.device.recorded().names_on(trace::LaneKind::Phases),
                ElementsAre("set up", "forward", "loss", "item()", "backward"));
  }
}

// P11. A check: the layer's launch 20, the sum's 20; the sum's kernel ends after the layer (110.05) and itself (10.512
// for 512,004 bytes), 30 after the layer's launch began: at 150.562; wake-up 100, so 250.562 a layer, ten times. With a
// fixed branch the forward pass costs the CPU its launches alone, 20 each.
TEST(ControlFlow, EachCheckWaitsForTheGpu) {
  const auto forward_us = [](const char* branch) {
    OnDevice w("sim:teaching", "control-flow", {branch});
    w.iterate(1);
    w.workload->finish();
    w.us_each(1);
    EXPECT_EQ(w.calls("cudaStreamSynchronize"), w.figure("syncs_in_forward").last);
    const trace::Event phase = w.sink.on(trace::LaneKind::Phases).front();
    EXPECT_EQ(w.sink.names.text(phase.name), "forward");
    return base::to_us(phase.duration());
  };
  EXPECT_NEAR(forward_us("branch=data-dependent"), 10 * 250.562, 0.1);
  EXPECT_NEAR(forward_us("branch=fixed"), 10 * 20, 0.1);
}

TEST(ControlFlow, RunsOnACpu) {
  for (const char* cpu : {"cpu", "cpu:teaching"}) {
    OnDevice w(cpu, "control-flow", {"network=while-loop", "batch_size=32"});
    w.iterate(2);
    EXPECT_EQ(w.figure("branches_taken").last, 10) << cpu;
    for (const char* assignment : {"network=if-each-layer", "batch_size=2", "checks=3"}) w.settings.assign(assignment);
    w.iterate(1);
    w.workload->finish();
    EXPECT_EQ(w.figure("branch_checks").last, 3) << cpu;
  }
}

}  // namespace
}  // namespace lanescope::workload
