// Predictions compared with measurements, and the reasons for refusals.
#include "prediction/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "device/sim/profile.h"
#include "io/trace_file.h"
#include "prediction/recorded_run.h"
#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using test::RecordedRun;
using testing::HasSubstr;
using testing::IsEmpty;

struct Change {
  const char* name;
  const char* workload;
  std::vector<std::string> settings;
  std::vector<std::string> change;
  std::uint64_t iterations = 200;
  const char* device = "sim:rtx4090";
};

class PredictTest : public testing::TestWithParam<Change> {};

TEST_P(PredictTest, IsWhatIsMeasuredThen) {
  const Change& c = GetParam();
  const RecordedRun now(c.workload, c.settings, c.iterations, c.device);
  const Prediction p = predict(now.with_probe(), c.change);
  ASSERT_THAT(p.refused, IsEmpty());
  EXPECT_LE(p.fidelity_error, kFidelityLimit);
  EXPECT_LE(p.low_ns, p.iteration_ns);
  EXPECT_GE(p.high_ns, p.iteration_ns);

  std::vector<std::string> settings = c.settings;
  settings.insert(settings.end(), c.change.begin(), c.change.end());
  const RecordedRun then(c.workload, settings, c.iterations, c.device);
  const double measured = measured_iteration_ns(then.recorded());
  ASSERT_GT(measured, 0);
  EXPECT_NEAR(p.iteration_ns / measured, 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    OneKnob, PredictTest,
    testing::Values(
        Change{"NoRead", "linear-mse", {"log_interval=1"}, {"log_interval=0"}},
        Change{"AReadAfterNone", "linear-mse", {"log_interval=0"}, {"log_interval=1"}},
        Change{"OneIn100", "iris-mlp", {"log_interval=1"}, {"log_interval=100"}, 300, "sim:rtx4070-laptop-wsl2"},
        Change{"Resident", "transfer-loop", {"feed=per-iteration"}, {"feed=resident"}},
        Change{"Fed", "transfer-loop", {"feed=resident"}, {"feed=per-iteration"}},
        Change{"SideStream",
               "transfer-loop",
               {"batch_size=100000", "features=6", "log_interval=0", "pinned=true", "non_blocking=true"},
               {"copy_stream=side"}},
        Change{"FixedBranch", "control-flow", {"network=while-loop", "batch_size=32"}, {"branch=fixed"}, 60},
        Change{"OneStepLate", "readback", {"model_us=200"}, {"method=one-step-late"}},
        Change{"Stacked", "readback", {"method=list-of-items", "model_us=20"}, {"method=stacked"}, 300},
        Change{"Workers",
               "dataloader",
               {"num_workers=2", "pin_memory=true", "samples=128", "log_interval=0"},
               {"num_workers=4"},
               80},
        Change{"SmallerArray", "plot-transfer", {"plot_interval=5"}, {"elements=100000"}, 60},
        Change{"LargerBatch", "break-even", {"problem_size=10000", "batch_size=128"}, {"batch_size=512"}},
        Change{"Graph", "linear-mse", {"log_interval=0"}, {"cuda_graph=true"}, 300},
        Change{"GraphAndReads", "iris-mlp", {"log_interval=10"}, {"cuda_graph=true"}, 300},
        Change{"Seed", "linear-mse", {}, {"seed=7"}},
        Change{"TwoAtOnce", "linear-mse", {"log_interval=1"}, {"log_interval=0", "dispatch_us=20"}}),
    [](const testing::TestParamInfo<Change>& tested) { return tested.param.name; });

// On the fitted machine item() waits; without it the CPU runs ahead until the queue is full.
TEST(PredictStallTest, AWaitThatGoesIsNamed) {
  const RecordedRun run("linear-mse", {"log_interval=1"});
  const Prediction p = predict(run.recorded(), {"log_interval=0"});
  ASSERT_FALSE(p.stalls.empty());
  EXPECT_EQ(p.stalls[0].range, "item()");
  EXPECT_EQ(p.stalls[0].call, "cudaStreamSynchronize");
  EXPECT_GT(p.stalls[0].now_ns, 20'000);
  EXPECT_EQ(p.stalls[0].then_ns, 0);
  EXPECT_THAT(p.sentence, HasSubstr("of waiting at item() disappear"));
  EXPECT_GT(p.idle_now, p.idle_then + 0.1);
}

TEST(PredictStallTest, AWaitThatReturnsElsewhereIsFollowed) {
  const RecordedRun run("readback", {"model_us=500"});
  const Prediction p = predict(run.recorded(), {"method=one-step-late"});
  EXPECT_THAT(p.sentence, testing::MatchesRegex("Of .* removed at item\\(\\), .* reappear at read one step late"));
}

// The tutorials' central question: a run that shows no pinned copy, and what pinning would gain.
TEST(PredictProbeTest, WhatTheRunDoesNotShowIsProbed) {
  for (const char* device : {"sim:rtx4090", "sim:h200", "sim:rtx4070-laptop-wsl2"}) {
    SCOPED_TRACE(device);
    const RecordedRun run("bandwidth", {"pinned=false"}, 40, device);
    const Prediction p = predict(run.with_probe(), {"pinned=true"});
    ASSERT_THAT(p.refused, IsEmpty());
    EXPECT_THAT(p.assumed, IsEmpty());
    ASSERT_FALSE(p.probed.empty());
    EXPECT_EQ(p.probed[0].what, "how fast pinned memory is copied to the GPU");
    EXPECT_EQ(p.probed[0].key, "link.h2d_pinned_gb_per_s");
    const device::sim::DeviceProfile profile = device::sim::embedded_profile(std::string(device).substr(4));
    EXPECT_NEAR(p.probed[0].value / profile.link.h2d_pinned_gb_per_s, 1, 0.1);
    const RecordedRun then("bandwidth", {"pinned=true", "seed=7"}, 40, device);
    const double measured = measured_iteration_ns(then.recorded());
    EXPECT_LE(p.low_ns, measured);
    EXPECT_GE(p.high_ns, measured);
    EXPECT_LT(p.high_ns - p.low_ns, 0.3 * p.iteration_ns);
  }
}

TEST(PredictProbeTest, WhatTheRunShowsIsNotProbed) {
  int asked = 0;
  const auto probe = std::make_shared<DeviceProbe>([&](std::span<const ops::Op> ops) {
    ++asked;
    return probe_here("sim:rtx4090", ops);
  });
  const RecordedRun reads("linear-mse", {"log_interval=1"});
  Recorded recorded = reads.recorded();
  recorded.probe = probe;
  const Prediction shown = predict(recorded, {"log_interval=0"});
  EXPECT_THAT(shown.refused, IsEmpty());
  EXPECT_THAT(shown.probed, IsEmpty());
  EXPECT_EQ(asked, 0);
  const RecordedRun copies("bandwidth", {"pinned=false"}, 40);
  recorded = copies.recorded();
  recorded.probe = probe;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(predict(recorded, {"pinned=true"}).probed, testing::Not(IsEmpty()));
    EXPECT_EQ(asked, 1) << "kept for the session";
  }
}

// A matrix product of another size: recorded nowhere, and timed by the probe.
TEST(PredictProbeTest, OpsOfAnotherSizeAreTimed) {
  const RecordedRun run("linear-mse", {"log_interval=0"});
  const Prediction p = predict(run.with_probe(), {"batch_size=8192"});
  ASSERT_THAT(p.refused, IsEmpty());
  const auto product = std::find_if(p.probed.begin(), p.probed.end(), [](const Foreign& f) {
    return f.what == "how long matrix products of another size take";
  });
  ASSERT_NE(product, p.probed.end());
  EXPECT_THAT(product->key, testing::StartsWith("linear_"));
  const RecordedRun then("linear-mse", {"log_interval=0", "batch_size=8192", "seed=7"});
  const double measured = measured_iteration_ns(then.recorded());
  EXPECT_LE(p.low_ns, measured);
  EXPECT_GE(p.high_ns, measured);
}

// An opened trace has no device: the answer is a range, and what it rests on is named. 16 MiB from pageable memory at
// 5.96 GB/s take 2.8 ms; from pinned memory at 13.5 to 36.5 GB/s 1.24 to 0.46 ms, with the CPU's part.
TEST(PredictProbeTest, WithoutADeviceTheRangeIsAssumed) {
  const RecordedRun run("bandwidth", {"pinned=false"}, 40);
  const Prediction p = predict(run.recorded(), {"pinned=true"});
  ASSERT_THAT(p.refused, IsEmpty());
  EXPECT_THAT(p.probed, IsEmpty());
  ASSERT_FALSE(p.assumed.empty());
  EXPECT_EQ(p.assumed[0].what, "how fast pinned memory is copied to the GPU");
  EXPECT_NEAR(p.assumed[0].low, 13.45, 0.3);
  EXPECT_NEAR(p.assumed[0].high, 36.5, 1);
  EXPECT_LT(p.low_ns, 0.55e6);
  EXPECT_GT(p.low_ns, 0.4e6);
  EXPECT_GT(p.high_ns, 1.25e6);
  EXPECT_LT(p.high_ns, 1.5e6);
  const RecordedRun then("bandwidth", {"pinned=true"}, 40);
  const double measured = measured_iteration_ns(then.recorded());
  EXPECT_LE(p.low_ns, measured);
  EXPECT_GE(p.high_ns, measured);
}

TEST(PredictProbeTest, ADeviceThatCannotBeProbedIsAsNone) {
  const RecordedRun run("bandwidth", {"pinned=false"}, 40);
  Recorded recorded = run.recorded();
  int asked = 0;
  recorded.probe = std::make_shared<DeviceProbe>([&](std::span<const ops::Op>) -> calibration::QuickProbe {
    ++asked;
    throw base::Error("the GPU is gone");
  });
  for (int i = 0; i < 2; ++i) {
    const Prediction p = predict(recorded, {"pinned=true"});
    EXPECT_THAT(p.refused, IsEmpty());
    EXPECT_THAT(p.assumed, testing::Not(IsEmpty()));
  }
  EXPECT_EQ(asked, 1) << "not tried again";
}

// A probe that knows nothing about pinned memory: what no probe says is refused.
TEST(PredictRefusalTest, WhatNeitherTheRunNorTheProbeShowsIsNamed) {
  const RecordedRun run("bandwidth", {"pinned=false"}, 20);
  Recorded recorded = run.recorded();
  recorded.probe = std::make_shared<DeviceProbe>([&](std::span<const ops::Op>) {
    calibration::QuickProbe probe;
    probe.numbers = {{"cpu.wake_us", 20, 0}};
    return probe;
  });
  const Prediction p = predict(recorded, {"pinned=true"});
  EXPECT_EQ(
      p.refused,
      "it depends on how fast pinned memory is copied to the GPU, which neither this run nor a probe of the device "
      "shows");
  EXPECT_EQ(p.iteration_ns, 0);
  EXPECT_LE(p.fidelity_error, kFidelityLimit);
}

// A launch takes 32 us there, and the run does not tell how much of that a graph's launch takes; the read waits for all
// of it.
TEST(PredictProbeTest, AGraphsLaunchIsProbed) {
  const RecordedRun run("iris-mlp", {"log_interval=1"}, 100, "sim:rtx4070-laptop-wsl2");
  const RecordedRun then("iris-mlp", {"log_interval=1", "cuda_graph=true"}, 100, "sim:rtx4070-laptop-wsl2");
  const double measured = measured_iteration_ns(then.recorded());
  const Prediction probed = predict(run.with_probe(), {"cuda_graph=true"});
  ASSERT_THAT(probed.refused, IsEmpty());
  EXPECT_NEAR(probed.iteration_ns / measured, 1, 0.03);
  const Prediction assumed = predict(run.recorded(), {"cuda_graph=true"});
  ASSERT_FALSE(assumed.assumed.empty());
  EXPECT_EQ(assumed.assumed[0].what, "what launching a CUDA graph costs the CPU");
  EXPECT_GT(assumed.high_ns - assumed.low_ns, probed.high_ns - probed.low_ns);
  EXPECT_LE(assumed.low_ns, measured);
  EXPECT_GE(assumed.high_ns, measured);
}

TEST(PredictRefusalTest, ARunWithAGraphDoesNotSayWhichKernelIsWhich) {
  const RecordedRun run("iris-mlp", {"log_interval=1", "cuda_graph=true"}, 100);
  EXPECT_THAT(predict(run.recorded(), {"log_interval=10"}).refused, HasSubstr("not told apart which kernel is which"));
  EXPECT_GT(measured_iteration_ns(run.recorded()), 0) << "what it takes is measured all the same";
}

// On a real machine two runs differ by more than their iterations do; a loop that waits for the CPU by kAgainCpu.
TEST(PredictRangeTest, OnARealDeviceAnotherRunDiffers) {
  const RecordedRun run("iris-mlp", {"log_interval=100"}, 300);
  Recorded recorded = run.recorded();
  const Prediction simulated = predict(recorded, {"log_interval=1"});
  recorded.device.simulated = recorded.device.virtual_time = false;
  const Prediction real = predict(recorded, {"log_interval=1"});
  ASSERT_THAT(real.refused, IsEmpty());
  EXPECT_LT(simulated.high_ns - simulated.low_ns, 0.03 * simulated.iteration_ns);
  // The framework's own time per op does not scale: host_work() waits for the exact time.
  EXPECT_GT(real.high_ns / real.iteration_ns, 1 + 0.2 * kAgainCpu);
  EXPECT_LT(real.high_ns / real.iteration_ns, 1 + 1.5 * kAgainCpu);
}

TEST(PredictRefusalTest, AFewIterationsAreTooFew) {
  const RecordedRun run("linear-mse", {}, 5);
  EXPECT_EQ(predict(run.recorded(), {"seed=2"}).refused, "only 5 iterations are recorded; at least 8 are needed");
}

TEST(PredictRefusalTest, ACpuHasNoMachine) {
  const RecordedRun run("iris-mlp", {}, 20, "cpu:rtx4090");
  EXPECT_THAT(predict(run.recorded(), {"seed=2"}).refused, HasSubstr("runs on a CPU"));
}

TEST(PredictRefusalTest, AnotherProgramCannotBeRun) {
  const RecordedRun run("linear-mse", {}, 20);
  Recorded recorded = run.recorded();
  recorded.workload = "python train.py";
  EXPECT_THAT(predict(recorded, {"seed=2"}).refused, HasSubstr("not one that can be run here"));
  EXPECT_EQ(measured_iteration_ns(recorded), 0);
}

TEST(PredictRefusalTest, OtherSettingsThanRecordedAreFoundOut) {
  const RecordedRun run("linear-mse", {"log_interval=0"}, 40);
  Recorded recorded = run.recorded();
  recorded.settings.assign("log_interval=1");
  EXPECT_THAT(predict(recorded, {"seed=2"}).refused, HasSubstr("calls are not those that linear-mse makes"));
}

// A program that claims to spend 100 µs per operation but spent 10: no machine fits.
TEST(PredictRefusalTest, AMachineThatDoesNotGiveWhatWasMeasuredIsRefused) {
  const RecordedRun run("linear-mse", {"dispatch_us=10"}, 40);
  Recorded recorded = run.recorded();
  recorded.settings.assign("dispatch_us=100");
  const Prediction p = predict(recorded, {"log_interval=0"});
  EXPECT_THAT(p.refused, testing::MatchesRegex("the fitted machine is .* % off \\(.* instead of .*\\)"));
  EXPECT_GT(p.fidelity_error, kFidelityLimit);
  EXPECT_EQ(p.iteration_ns, 0);
}

TEST(PredictRefusalTest, ASettingThatIsNotAllowedThrows) {
  const RecordedRun run("linear-mse", {}, 20);
  EXPECT_THROW(predict(run.recorded(), {"log_interval=-1"}), base::UsageError);
  EXPECT_THROW(predict(run.recorded(), {"foo=1"}), base::UsageError);
}

TEST(PredictRefusalTest, ItEndsWhenItIsStopped) {
  const RecordedRun run("linear-mse", {}, 40);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(predict(run.recorded(), {"seed=2"}, &stop).refused, "it was stopped");
}

// In the middle of a run, set-up may be missing, and iterations are not counted from 0.
TEST(PredictStretchTest, APartOfARunIsEnough) {
  const RecordedRun run("linear-mse", {"log_interval=1"}, 300);
  Recorded recorded = run.recorded();
  const auto [from, to] = run.trace().extent();
  recorded.from_ns = from + (to - from) / 2;
  recorded.to_ns = from + (to - from) * 3 / 4;
  const Prediction p = predict(recorded, {"log_interval=0"});
  ASSERT_THAT(p.refused, IsEmpty());
  EXPECT_NEAR(p.iteration_ns, predict(run.recorded(), {"log_interval=0"}).iteration_ns, 2000);
}

// Real runs on an NVIDIA H200, whose products use library kernels, with calls that the simulated device does not know.
class PredictCaptureTest : public testing::Test {
 protected:
  static Recorded recorded_of(const io::OpenedTrace& opened) {
    Recorded r;
    r.trace = opened.trace.get();
    r.from_ns = std::numeric_limits<Nanoseconds>::min();
    r.to_ns = std::numeric_limits<Nanoseconds>::max();
    r.workload = opened.facts.workload;
    r.device.sm_count = 132;
    r.settings = workload::default_settings(r.workload, r.device);
    for (const auto& [key, value] : opened.facts.settings) r.settings.set_text(key, value);
    return r;
  }
  static io::OpenedTrace opened(const std::string& name) {
    return io::read_chrome_trace(
        std::filesystem::path(LANESCOPE_SOURCE_DIR "/assets/captures/h200--" + name + ".json.gz"));
  }
};

TEST_F(PredictCaptureTest, ARealRunIsReproduced) {
  const io::OpenedTrace iris = opened("iris-mlp--log-1");
  const Prediction p = predict(recorded_of(iris), {"log_interval=100"});
  EXPECT_THAT(p.refused, IsEmpty());
  EXPECT_LE(p.fidelity_error, 0.03);
}

TEST_F(PredictCaptureTest, ReadsAreForeseenInARealRunThatHasFew) {
  const io::OpenedTrace few = opened("linear-mse--log-100"), each = opened("linear-mse--log-1");
  const Prediction p = predict(recorded_of(few), {"log_interval=1"});
  ASSERT_THAT(p.refused, IsEmpty());
  EXPECT_NEAR(p.iteration_ns / measured_iteration_ns(recorded_of(each)), 1, 0.1);
}

}  // namespace
}  // namespace lanescope::prediction
