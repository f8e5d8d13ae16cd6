// S3's three lines: their calls, the CPU cost of each, and that the numbers come back.
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

TEST(RawCuda, IsThreeCallsAndNothingOfAFramework) {
  RecordedWorkload w("raw-cuda", {"kernel_us=0", "own_work_us=0"});
  const base::Nanoseconds before = w.device.host_work_ns;
  EXPECT_THAT(w.iterate(), ElementsAre("cudaMemcpy 4000000", "increment 1000000x1x1", "cudaMemcpy 4000000"));
  EXPECT_EQ(w.device.host_work_ns, before);  // no dispatch
  EXPECT_THAT(w.iterate({"kernel_us=500", "n=1024"}),
              ElementsAre("cudaMemcpy 4096", "spin 1x1x1", "increment 1024x1x1", "cudaMemcpy 4096"));
}

TEST(RawCuda, AsynchronousItWaitsOnce) {
  RecordedWorkload w("raw-cuda", {"copies=async", "pinned=true", "n=1000", "kernel_us=0", "own_work_us=7"});
  const Calls calls{"cudaMemcpyAsync pinned->device 4000", "increment 1000x1x1", "cudaMemcpyAsync device->pinned 4000",
                    "cudaStreamSynchronize"};
  EXPECT_THAT(w.iterate(), ElementsAreArray(calls));
  const base::Nanoseconds before = w.device.host_work_ns;
  EXPECT_THAT(w.iterate(), ElementsAreArray(calls));
  EXPECT_EQ(w.device.host_work_ns - before, 7'000);
}

TEST(RawCuda, ChangesAllocateNothingTheSecondTime) {
  RecordedWorkload w("raw-cuda", {});
  Calls calls;
  for (std::uint64_t i = 0; i < 120; ++i) {
    w.settings.assign(i / 3 % 2 == 0 ? "pinned=true" : "pinned=false");
    w.settings.assign("n=" + std::to_string(1 + i * 37 % 1000));
    if (i == 60) calls.clear();
    for (std::string& call : w.iterate()) calls.push_back(std::move(call));
  }
  for (const char* kind : {"cudaMalloc", "cudaHostAlloc"}) EXPECT_THAT(calls, Not(Contains(HasSubstr(kind))));
}

// Every element is one larger after each iteration, on every device and with every kind of copy.
TEST(RawCuda, TheNumbersComeBack) {
  for (const char* device : {"sim:teaching", "cpu:teaching", "cpu"}) {
    for (const char* copies : {"copies=blocking", "copies=async"}) {
      for (const char* pinned : {"pinned=false", "pinned=true"}) {
        OnDevice run(device, "raw-cuda", {copies, pinned, "n=50000", "kernel_us=0", "own_work_us=0"});
        run.iterate(20);
        run.settings.assign("n=1000");
        run.iterate(20);
        EXPECT_EQ(run.figure("wrong_numbers").total, 0) << device << " " << copies << " " << pinned;
        EXPECT_EQ(run.figure("wrong_numbers").count, 40u);
        EXPECT_EQ(run.stale_reads(), 0);
      }
    }
  }
}

// sim:teaching, 4 MB. Calls of 10 µs, no dispatch, 10 µs from a call to the GPU, chunks of 100,000 bytes that the CPU
// moves in 20 µs and the link in 10.
//   Line 1, the call and 40 chunks staged: 10 + 800. The last chunk is under way when it returns.
//   Line 2, two launches: 20, back at 830. The first kernel starts at 820 + 10 and ends at 1330; the increment takes
//     10 + 8 MB at 1000 GB/s: 1348.
//   Line 3 waits for it, for the first chunk and for 40 that the CPU moves: 1348 + 10 + 800, and is back 100 later,
//   2258.
// With pinned memory and no blocking the three lines are four calls. The link takes 400 each way: from 20 to 420, to
// 938 with the kernels, to 1338, and the CPU, which has computed for 300 meanwhile, is back 100 later.
TEST(SimulatedRawCuda, TheLaunchReturnsAtOnceAndTheCopyBackWaits) {
  OnDevice run("sim:teaching", "raw-cuda", {"kernel_us=500", "own_work_us=300"});
  run.iterate(5);
  EXPECT_NEAR(run.us_each(10), 2558, 0.1);
  EXPECT_NEAR(run.figure("line1_us").mean, 810, 0.1);
  EXPECT_NEAR(run.figure("line2_us").mean, 20, 0.1);
  EXPECT_NEAR(run.figure("line3_us").mean, 1428, 0.1);
  EXPECT_NEAR(run.figure("rest_us").mean, 300, 0.1);
  run.settings.assign("copies=async");
  run.settings.assign("pinned=true");
  run.iterate(5);
  EXPECT_NEAR(run.us_each(10), 1438, 0.1);
  EXPECT_NEAR(run.figure("line1_us").mean, 10, 0.1);
  EXPECT_NEAR(run.figure("line2_us").mean, 20, 0.1);
  EXPECT_NEAR(run.figure("line3_us").mean, 10, 0.1);
  EXPECT_NEAR(run.figure("rest_us").mean, 1398, 0.1);
  // A small array rides in the command queue: 4,096 bytes at 5 GB/s.
  run.settings.assign("copies=blocking");
  run.settings.assign("pinned=false");
  run.settings.assign("n=1024");
  run.iterate(5);
  run.us_each(10);
  EXPECT_NEAR(run.figure("line1_us").mean, 10.8, 0.1);
}

}  // namespace
}  // namespace lanescope::workload
