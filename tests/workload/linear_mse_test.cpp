// The calls of a linear-mse iteration, for each of its settings.
#include "workload/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "workload/on_device.h"
#include "workload/recorded_workload.h"
#include "workload/recording_device.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

const Calls kForwardAndLoss{"linear_forward 128x1000x1000", "mse_forward 128x1000x1", "mean_reduce 128x1000x1"};
const Calls kFirstBackward{"fill 1x1x1", "mse_backward 128x1000x1", "linear_weight_grad 128x1000x1000",
                           "linear_bias_grad 128x1000x1"};
const Calls kAccumulate{"add_in_place 1000x1000x1", "add_in_place 1x1000x1"};

const Calls kBackward = kFirstBackward + kAccumulate;

class LinearMse : public testing::Test {
 protected:
  LinearMse() : settings_(linear_mse_settings(device_.info())), workload_(make_linear_mse(device_)) {}

  void set_up() {
    workload_->set_up(settings_);
    device_.take_log();
  }
  Calls iterate(std::uint64_t number) {
    workload_->iterate(number, settings_);
    return device_.take_log();
  }
  /// The second iteration with these settings, when the first gradients and the scratch memory exist.
  Calls steady(std::initializer_list<const char*> assignments) {
    for (const char* assignment : assignments) settings_.assign(assignment);
    set_up();
    iterate(0);
    return iterate(1);
  }

  Figure figure(std::string_view key) const {
    for (const Figure& f : workload_->figures().read()) {
      if (f.key == key) return f;
    }
    ADD_FAILURE() << key;
    return {};
  }

  RecordingDevice device_;
  Settings settings_;
  std::unique_ptr<Workload> workload_;
};

TEST_F(LinearMse, ReadsTheLossBetweenLossAndBackward) {
  EXPECT_THAT(steady({"log_interval=1"}), ElementsAreArray(kForwardAndLoss + kItem + kBackward));
}

const Calls kForward{"linear_forward 128x1000x1000"};

// Like torch.cuda.Event: created when first recorded, both queried, and only then the time between them.
TEST_F(LinearMse, TimesByEventsReadAfterASynchronisation) {
  settings_.assign("log_interval=0");
  settings_.assign("timing=events");
  set_up();
  EXPECT_THAT(iterate(0), testing::IsSupersetOf({"cudaEventCreate timing", "cudaEventElapsedTime 1 2"}));
  const Calls loss(kForwardAndLoss.begin() + 1, kForwardAndLoss.end());
  EXPECT_THAT(iterate(1), ElementsAreArray(Calls{"cudaEventRecord 1"} + kForward +
                                           Calls{"cudaEventRecord 2", "cudaDeviceSynchronize", "cudaEventQuery 1",
                                                 "cudaEventQuery 2", "cudaEventElapsedTime 1 2"} +
                                           loss + kBackward));
  EXPECT_EQ(figure("event_us").last, 250);
  EXPECT_EQ(figure("failed_reads_percent").mean, 0);
  EXPECT_EQ(figure("stopwatch_us").count, 0u);
}

// The end event has not completed: PyTorch raises an error, there is no number, and the trace has a mark.
TEST_F(LinearMse, EventsReadTooEarlyGiveNoNumber) {
  settings_.assign("log_interval=0");
  settings_.assign("timing=events-early");
  set_up();
  device_.unfinished = {device::GpuEvent{2}};
  EXPECT_THAT(iterate(0), testing::AllOf(Contains("cudaEventQuery 2"), Not(Contains(HasSubstr("ElapsedTime")))));
  EXPECT_EQ(figure("event_us").count, 0u);
  EXPECT_EQ(figure("failed_reads_percent").mean, 100);
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Phases),
              Contains("not ready: elapsed_time() raises an error"));
  device_.unfinished.clear();
  iterate(1);
  EXPECT_EQ(figure("event_us").count, 1u);
  EXPECT_EQ(figure("failed_reads_percent").mean, 50);
}

// Without a synchronisation, each pair is read when it has completed, oldest first, and reused.
TEST_F(LinearMse, EventsThatArePolledNeitherWaitNorFail) {
  settings_.assign("log_interval=0");
  settings_.assign("timing=events-polled");
  set_up();
  device_.unfinished = {device::GpuEvent{2}};
  iterate(0);
  EXPECT_THAT(iterate(1), testing::AllOf(Contains("cudaEventRecord 3"), Contains("cudaEventQuery 2"),
                                         Not(Contains(HasSubstr("ElapsedTime")))));
  EXPECT_EQ(figure("event_us").count, 0u);
  device_.unfinished.clear();
  const Calls third = iterate(2);
  EXPECT_THAT(third, testing::IsSupersetOf(
                         {"cudaEventElapsedTime 1 2", "cudaEventElapsedTime 3 4", "cudaEventElapsedTime 5 6"}));
  EXPECT_THAT(third, Not(Contains("cudaDeviceSynchronize")));
  EXPECT_THAT(iterate(3), Not(Contains(HasSubstr("cudaEventCreate"))));
  EXPECT_EQ(figure("event_us").count, 4u);
  EXPECT_EQ(figure("failed_reads_percent").mean, 0);
}

TEST_F(LinearMse, NeverReadsWithoutALogInterval) {
  EXPECT_THAT(steady({"log_interval=0"}), ElementsAreArray(kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, TheFirstGradientsAreNotAdded) {
  settings_.assign("log_interval=0");
  set_up();
  EXPECT_THAT(iterate(0), ElementsAreArray(kForwardAndLoss + kFirstBackward));
  EXPECT_THAT(iterate(1), ElementsAreArray(kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, ReadsEveryNthIterationCountedFromZero) {
  settings_.assign("log_interval=3");
  set_up();
  std::vector<std::uint64_t> reads;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const Calls calls = iterate(i);
    if (std::count(calls.begin(), calls.end(), "cudaStreamSynchronize") > 0) reads.push_back(i);
  }
  EXPECT_THAT(reads, ElementsAre(0, 3, 6));
}

// A batch of 128 x 1000 floats is 512,000 bytes, for the data and for the target.
TEST_F(LinearMse, FeedsPageableBlocking) {
  EXPECT_THAT(steady({"log_interval=0", "feed=per-iteration"}),
              ElementsAreArray(Calls{"cudaMemcpyAsync pageable->device 512000", "cudaStreamSynchronize",
                                     "cudaMemcpyAsync pageable->device 512000", "cudaStreamSynchronize"} +
                               kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, FeedsPageableNonBlocking) {
  EXPECT_THAT(
      steady({"log_interval=0", "feed=per-iteration", "non_blocking=true"}),
      ElementsAreArray(Calls{"cudaMemcpyAsync pageable->device 512000", "cudaMemcpyAsync pageable->device 512000"} +
                       kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, FeedsPinnedBlocking) {
  EXPECT_THAT(steady({"log_interval=0", "feed=per-iteration", "pinned=true"}),
              ElementsAreArray(Calls{"cudaMemcpyAsync pinned->device 512000", "cudaStreamSynchronize",
                                     "cudaMemcpyAsync pinned->device 512000", "cudaStreamSynchronize"} +
                               kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, FeedsPinnedNonBlocking) {
  EXPECT_THAT(
      steady({"log_interval=0", "feed=per-iteration", "pinned=true", "non_blocking=true"}),
      ElementsAreArray(Calls{"cudaEventQuery 1", "cudaEventQuery 2", "cudaMemcpyAsync pinned->device 512000",
                             "cudaEventRecord 2", "cudaMemcpyAsync pinned->device 512000", "cudaEventRecord 1"} +
                       kForwardAndLoss + kBackward));
}

// A pinned block whose copy has not run must not be overwritten: the CPU runs ahead and pins another pair.
TEST_F(LinearMse, APinnedBatchThatIsStillReadIsNotRewritten) {
  for (const char* assignment : {"log_interval=0", "feed=per-iteration", "pinned=true", "non_blocking=true"}) {
    settings_.assign(assignment);
  }
  set_up();
  device_.unfinished = {device::GpuEvent{1}, device::GpuEvent{2}, device::GpuEvent{3}, device::GpuEvent{4}};
  EXPECT_THAT(iterate(0), Contains("cudaHostAlloc 524288").Times(2));
  const Calls second = iterate(1);
  EXPECT_THAT(second, Contains("cudaHostAlloc 524288").Times(2));
  EXPECT_EQ(second.front(), "cudaEventQuery 1");
  device_.unfinished.clear();
  EXPECT_THAT(iterate(2), Not(Contains(HasSubstr("cudaHostAlloc"))));
}

TEST_F(LinearMse, TheMakingOfABatchIsCpuWork) {
  settings_.assign("dispatch_us=0");
  settings_.assign("feed=per-iteration");
  set_up();
  device_.host_work_ns = 0;
  iterate(0);
  EXPECT_EQ(device_.host_work_ns, 2 * 512'000);  // at a byte a nanosecond
}

// 1 + 2 kernels forward, an item, 4 + 2 kernels backward: 10 operations.
TEST_F(LinearMse, EveryOperationCostsItsDispatch) {
  settings_.assign("dispatch_us=7");
  set_up();
  iterate(0);
  device_.host_work_ns = 0;
  iterate(1);
  EXPECT_EQ(device_.host_work_ns, 10 * 7'000);
  settings_.assign("dispatch_us=0");
  device_.host_work_ns = 0;
  iterate(2);
  EXPECT_EQ(device_.host_work_ns, 0);
}

TEST_F(LinearMse, ItsPhases) {
  settings_.assign("feed=per-iteration");
  set_up();
  iterate(0);
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Phases),
              ElementsAre("set up", "make batch", "copy", "forward", "loss", "item()", "backward"));
}

TEST_F(LinearMse, ALargerBatchAllocatesOnce) {
  settings_.assign("log_interval=0");
  set_up();
  iterate(0);
  settings_.assign("batch_size=200");  // 256 rows of 1000 floats: 1,024,000 bytes
  const Calls growing = iterate(1);
  EXPECT_THAT(growing, Contains("cudaMalloc 1024000").Times(5));
  EXPECT_THAT(growing, Contains("linear_forward 200x1000x1000"));
  EXPECT_THAT(growing, Not(Contains("release")));
  for (const char* batch : {"batch_size=201", "batch_size=256", "batch_size=1", "batch_size=255"}) {
    settings_.assign(batch);
    EXPECT_THAT(iterate(2), Not(Contains(HasSubstr("cudaMalloc")))) << batch;
  }
}

TEST_F(LinearMse, ANewSeedCopiesNewWeights) {
  settings_.assign("log_interval=0");
  set_up();
  iterate(0);
  settings_.assign("seed=2");
  EXPECT_THAT(iterate(1), ElementsAreArray(Calls{"cudaMemcpyAsync pageable->device 4000000", "cudaStreamSynchronize",
                                                 "cudaMemcpyAsync pageable->device 4000", "cudaStreamSynchronize"} +
                                           kForwardAndLoss + kBackward));
  EXPECT_THAT(iterate(2), ElementsAreArray(kForwardAndLoss + kBackward));
}

TEST_F(LinearMse, IsTimingOnlyAndHasNoLoss) {
  steady({"log_interval=1"});
  EXPECT_FALSE(device_.computed);
  EXPECT_FALSE(workload_->info().computes_values);
  EXPECT_EQ(workload_->last_loss(), std::nullopt);
  EXPECT_EQ(workload_->losses_read(), 0u);
}

TEST_F(LinearMse, ItsStopwatchMaySynchroniseBeforeAndAfterTheModel) {
  const Calls model{"linear_forward 128x1000x1000"};
  const Calls sync{"cudaDeviceSynchronize"};
  const Calls loss{kForwardAndLoss[1], kForwardAndLoss[2]};
  EXPECT_THAT(steady({"log_interval=0", "timing=synchronized"}),
              ElementsAreArray(sync + model + sync + loss + kBackward));
  settings_.assign("timing=naive");
  EXPECT_THAT(iterate(2), ElementsAreArray(kForwardAndLoss + kBackward));
}

// P14 on the teaching profile: to launch the layer takes 20 us (dispatch and call). Its kernel starts 10 later and
// takes 110.05; a synchronisation comes back 100 after it.
TEST(SimulatedLinearMse, ANaiveStopwatchShowsTheLaunchAndASynchronisedOneTheModel) {
  OnDevice w("sim:teaching", "linear-mse", {"timing=naive", "log_interval=0"});
  w.us_each(3);
  EXPECT_NEAR(w.figure("stopwatch_us").mean, 20, 0.01);
  w.settings.assign("timing=synchronized");
  w.us_each(3);
  EXPECT_NEAR(w.figure("stopwatch_us").mean, 20 + 10 + 110.05 + 100, 0.01);
  EXPECT_EQ(w.calls("cudaDeviceSynchronize"), 6);
  w.settings.assign("timing=off");
  w.us_each(3);
  EXPECT_EQ(w.figure("stopwatch_us").count, 0u);
}

TEST_F(LinearMse, FinishesWithADeviceSynchronise) {
  set_up();
  workload_->finish();
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaDeviceSynchronize"));
}

}  // namespace
}  // namespace lanescope::workload
