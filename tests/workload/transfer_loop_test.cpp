// The calls of transfer-loop, the cost of its copies, and what it takes to hide them behind the model.
#include "workload/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/on_device.h"
#include "workload/recorded_workload.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;
using trace::LaneKind;

// 1000 x 2 floats are 8,000 bytes.
const Calls kCopies{"cudaMemcpyAsync pageable->device 8000", "cudaStreamSynchronize",
                    "cudaMemcpyAsync pageable->device 8000", "cudaStreamSynchronize"};
const Calls kModel{"spin 1x1x1", "mse_forward 1000x2x1", "mean_reduce 1000x2x1"};

TEST(TransferLoop, CopiesTwoTensorsAndReadsTheLossInEachIteration) {
  RecordedWorkload w("transfer-loop", {});
  EXPECT_THAT(w.steady(), ElementsAreArray(kCopies + kModel + kItem));
}

TEST(TransferLoop, WithResidentDataOnlyTheModelIsLeft) {
  RecordedWorkload w("transfer-loop", {"feed=resident", "log_interval=3", "copy_stream=side"});
  EXPECT_THAT(w.iterate(), Contains("cudaStreamSynchronize"));
  EXPECT_THAT(w.iterate(), ElementsAreArray(kModel));
  EXPECT_THAT(w.iterate({"model_us=0"}), ElementsAre("mse_forward 1000x2x1", "mean_reduce 1000x2x1"));
}

// data.cpu() and .cuda(): X alone, pageable and waited for in both directions, and the model reads what came back.
TEST(TransferLoop, ARoundTripIsTwoCopiesAndTwoWaits) {
  const Calls trip{"cudaMemcpyAsync device->pageable 8000", "cudaStreamSynchronize",
                   "cudaMemcpyAsync pageable->device 8000", "cudaStreamSynchronize"};
  RecordedWorkload w("transfer-loop", {"feed=resident", "log_interval=0", "round_trip=true"});
  EXPECT_THAT(w.steady(), ElementsAreArray(trip + kModel));
  EXPECT_THAT(w.iterate({"feed=per-iteration"}), ElementsAreArray(kCopies + trip + kModel));
  EXPECT_THAT(w.iterate({"round_trip=false"}), ElementsAreArray(kCopies + kModel));
  // A larger batch needs room for what comes back, too, and needs it once.
  EXPECT_THAT(w.iterate({"round_trip=true", "batch_size=5000"}), Contains(HasSubstr("cudaMalloc")));
  EXPECT_THAT(w.iterate({"batch_size=4000"}), Not(Contains(HasSubstr("cudaMalloc"))));
}

// Events 1 and 2: the first batch has been copied, and used; 3 and 4: the second. 5 and 6 tell the allocator of pinned
// memory that a block's copy is done. The second iteration uses the second batch and copies the next one over the
// first.
TEST(TransferLoop, ASideStreamIsOneBatchAheadAndBothStreamsWaitForEachOther) {
  RecordedWorkload w("transfer-loop", {"copy_stream=side", "pinned=true", "non_blocking=true", "log_interval=0"});
  const Calls copies{"cudaStreamWaitEvent 2", "cudaMemcpyAsync pinned->device 8000",
                     "cudaEventRecord 5",     "cudaMemcpyAsync pinned->device 8000",
                     "cudaEventRecord 6",     "cudaEventRecord 1"};
  EXPECT_THAT(w.steady(), ElementsAreArray(Calls{"cudaEventQuery 6", "cudaEventQuery 5"} + copies +
                                           Calls{"cudaStreamWaitEvent 3"} + kModel + Calls{"cudaEventRecord 4"}));
}

TEST(TransferLoop, LeavingTheSideStreamWaitsForTheCopiesThatAreUnderWay) {
  RecordedWorkload w("transfer-loop", {"copy_stream=side"});
  w.iterate();
  const Calls left = w.iterate({"copy_stream=main"});
  EXPECT_THAT(left,
              ElementsAreArray(Calls{"cudaStreamWaitEvent 1", "cudaStreamWaitEvent 3"} + kCopies + kModel + kItem));
  EXPECT_THAT(w.iterate(), ElementsAreArray(kCopies + kModel + kItem));
  // And back: the main stream's use of both comes first, and two batches are copied.
  const Calls entered = w.iterate({"copy_stream=side"});
  EXPECT_THAT(entered, ElementsAreArray(Calls{"cudaEventRecord 2", "cudaEventRecord 4", "cudaStreamWaitEvent 2"} +
                                        kCopies + Calls{"cudaEventRecord 1", "cudaStreamWaitEvent 4"} + kCopies +
                                        Calls{"cudaEventRecord 3", "cudaStreamWaitEvent 1"} + kModel +
                                        Calls{"cudaEventRecord 2"} + kItem));
}

TEST(TransferLoop, ABatchOfAnotherSizeIsCopiedAnew) {
  RecordedWorkload w("transfer-loop", {"copy_stream=side", "log_interval=0"});
  w.steady();
  EXPECT_THAT(w.iterate(), Contains("cudaMemcpyAsync pageable->device 8000").Times(2));
  EXPECT_THAT(w.iterate({"batch_size=500"}), Contains("cudaMemcpyAsync pageable->device 4000").Times(4));
  EXPECT_THAT(w.iterate(), Contains("cudaMemcpyAsync pageable->device 4000").Times(2));
}

// The kernels of autocast and GradScaler, and the hidden read in a step.
TEST(TransferLoop, AScalerReadsANumberInEachStep) {
  RecordedWorkload w("transfer-loop", {"feed=resident", "log_interval=0", "scaler=true"});
  EXPECT_THAT(w.steady(), ElementsAreArray(Calls{"scale 1000x2x1", "scale 10000x1x1"} + kModel +
                                           Calls{"scale 1x1x1", "fill 1x1x1", "scale 1x1x1", "mse_backward 1000x2x1",
                                                 "spin 1x1x1", "spin 1x1x1", "scale 1x1x1", "scale 1x1x1",
                                                 "scale 1x1x1", "fill 1x1x1", "scale 10000x1x1"} +
                                           kItem + Calls{"sgd_step 10000x1x1", "scale 1x1x1"}));
}

// 2,000 numbers have room in 2,048; 2,050 take 4,096: 16,384 bytes for a batch's two tensors and three more.
TEST(TransferLoop, ALargerBatchAllocatesOnce) {
  RecordedWorkload w("transfer-loop", {});
  EXPECT_THAT(w.iterate({"batch_size=1024"}), Not(Contains(HasSubstr("cudaMalloc"))));
  EXPECT_THAT(w.iterate({"batch_size=1025"}), Contains("cudaMalloc 16384").Times(5));
  EXPECT_THAT(w.iterate({"batch_size=1", "features=4096"}), Not(Contains(HasSubstr("cudaMalloc"))));
}

TEST(TransferLoop, RefusesABatchThatNoMemoryHolds) {
  RecordingDevice device;
  Settings settings = transfer_loop_settings(device.info());
  settings.assign("batch_size=65536");
  settings.assign("features=4096");
  EXPECT_NO_THROW(check_settings("transfer-loop", settings));
  settings.assign("batch_size=65537");
  try {
    check_settings("transfer-loop", settings);
    FAIL() << "not refused";
  } catch (const base::UsageError& error) {
    EXPECT_STREQ(error.what(), "transfer-loop: batch_size x features is 268439552 numbers; allowed: at most 268435456");
  }
}

TEST(TransferLoop, ItsPhases) {
  RecordedWorkload w("transfer-loop", {"scaler=true"});
  w.iterate();
  EXPECT_THAT(w.device.recorded().names_on(LaneKind::Phases),
              ElementsAre("set up", "make batch", "copy", "forward", "loss", "item()", "backward", "unscale",
                          "found_inf.item()", "step"));
}

// P01 on the teaching profile, in microseconds. A tensor is written in 0.8. A copy: dispatch 10, call 10 and 1.6 to put
// 8,000 bytes into the queue; while the synchronisation begins (10) the copy is on its way (10) and takes 0.8; wake-up
// 100. Launches: 3 x 20. The spin starts 30 after the first launch began and ends at 530, the elementwise kernel
// (24,000 bytes) takes 10.024, the mean (8,004 bytes) 10.008: the read, begun at 60, is back at 550.032 + 100. The
// model takes 500 from its launch on, so that 440 of the read are waiting for it, and no transfer.
TEST(TransferLoop, TheFiguresOfAnIterationAddUp) {
  OnDevice w("sim:teaching", "transfer-loop", {});
  w.iterate(2);
  const double make = 2 * 0.8, copy = 2 * (10 + 11.6 + 10 + 0.8 + 100), launch = 60, read = 650.032 - 60;
  EXPECT_NEAR(w.us_each(1), make + copy + launch + read, 0.01);
  EXPECT_NEAR(w.figure("make_us").last, make, 0.01);
  EXPECT_NEAR(w.figure("copy_us").last, copy, 0.01);
  EXPECT_NEAR(w.figure("launch_us").last, launch, 0.01);
  EXPECT_NEAR(w.figure("read_us").last, read, 0.01);
  EXPECT_NEAR(w.figure("read_own_us").last, read - 440, 0.01);
  EXPECT_NEAR(w.figure("transfer_share_percent").last, 100 * (copy + read - 440) / (make + copy + launch + read), 0.01);
  EXPECT_EQ(w.calls("cudaStreamSynchronize"), 3);
}

// P02: what is left without a read is the model on the GPU, 520.032; with one in 100 the read's own cost once in a
// while.
TEST(TransferLoop, ResidentDataLeaveTheModelAlone) {
  OnDevice w("sim:teaching", "transfer-loop", {"feed=resident", "log_interval=100"});
  w.iterate(200);
  EXPECT_NEAR(w.us_each(1'000), 520.032, 0.01 * 520);
  EXPECT_EQ(w.calls("cudaStreamSynchronize"), 10);
}

/// How long copies ran while the model did, per iteration, in microseconds. The copies take 2 x 200, the model 500.
double overlap_us(std::vector<std::string> assignments) {
  assignments.insert(assignments.end(), {"batch_size=250000", "log_interval=1"});
  OnDevice w("sim:teaching", "transfer-loop", assignments);
  w.iterate(3);
  w.us_each(10);
  base::Nanoseconds overlap = 0;
  for (const trace::Event& copy : w.sink.on(LaneKind::CopyH2D)) {
    for (const trace::Event& kernel : w.sink.on(LaneKind::Kernels)) {
      overlap += std::max<base::Nanoseconds>(
          0, std::min(copy.end_ns, kernel.end_ns) - std::max(copy.start_ns, kernel.start_ns));
    }
  }
  return base::to_us(overlap) / 10;
}

// T6 of the tutorial on pinned memory: all three are required.
TEST(TransferLoop, CopiesOverlapOnlyPinnedNonBlockingAndOnASideStream) {
  EXPECT_EQ(overlap_us({"copy_stream=main", "pinned=true", "non_blocking=true"}), 0);
  EXPECT_EQ(overlap_us({"copy_stream=side", "pinned=true"}), 0);
  EXPECT_EQ(overlap_us({"copy_stream=side"}), 0);
  // The pageable copy's last chunk may still be on the way when the model is launched: 10 and 10 of latency and
  // copying.
  EXPECT_LT(overlap_us({"copy_stream=side", "non_blocking=true"}), 20);
  EXPECT_GT(overlap_us({"copy_stream=side", "pinned=true", "non_blocking=true"}), 300);
}

// The prefetched batch must not overwrite a tensor that the model still reads: with everything in flight, a copy starts
// after the end of the kernel two batches earlier that read the same tensor.
TEST(TransferLoop, ACopyAheadWaitsForTheModelThatReadsItsTensor) {
  OnDevice w("sim:teaching", "transfer-loop",
             {"copy_stream=side", "pinned=true", "non_blocking=true", "log_interval=0", "model_us=5000"});
  w.iterate(30);
  w.workload->finish();
  const std::vector<trace::Event> copies = w.sink.on(LaneKind::CopyH2D);
  std::vector<trace::Event> readers;
  for (const trace::Event& kernel : w.sink.on(LaneKind::Kernels)) {
    if (w.sink.names.text(kernel.name) == "mse_forward") readers.push_back(kernel);
  }
  ASSERT_EQ(readers.size(), 30u);
  // The weights, and then two copies for each of 31 batches, of which the last was never used.
  ASSERT_EQ(copies.size(), 1u + 2 * 31);
  for (std::size_t batch = 0; batch < 31; ++batch) {
    const trace::Event &first = copies[1 + 2 * batch], &last = copies[2 + 2 * batch];
    if (batch >= 2) {
      EXPECT_GE(first.start_ns, readers[batch - 2].end_ns) << batch;
    }
    if (batch < 30) {
      EXPECT_LE(last.end_ns, readers[batch].start_ns) << batch;
    }
  }
}

// One read in a step that does not log: it waits for forward, backward and unscale, 3 x 500 of GPU time in total.
TEST(TransferLoop, TheScalersReadWaitsForTheWholeStep) {
  OnDevice w("sim:teaching", "transfer-loop", {"feed=resident", "log_interval=0", "scaler=true"});
  w.iterate(2);
  w.us_each(1);
  EXPECT_EQ(w.calls("cudaStreamSynchronize"), 1);
  EXPECT_GT(w.figure("read_us").last, 1'000);
}

TEST(TransferLoop, RunsOnACpu) {
  for (const char* cpu : {"cpu", "cpu:teaching"}) {
    OnDevice w(cpu, "transfer-loop", {"scaler=true", "model_us=10"});
    w.iterate(2);
    for (const char* stream : {"copy_stream=side", "copy_stream=main"}) {
      w.settings.assign(stream);
      w.iterate(2);
    }
    w.workload->finish();
    EXPECT_EQ(w.figure("make_us").count, 6u) << cpu;
  }
}

}  // namespace
}  // namespace lanescope::workload
