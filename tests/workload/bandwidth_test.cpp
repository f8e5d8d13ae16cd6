// The calls of bandwidth, its stopwatch, and the duration of its copy.
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
using trace::LaneKind;

Calls steady(std::initializer_list<const char*> assignments) {
  RecordedWorkload w("bandwidth", assignments);
  w.steady();
  return w.iterate();
}

const char* const kWait = "cudaStreamSynchronize";
const char* const kSync = "cudaDeviceSynchronize";

TEST(Bandwidth, AnIterationIsOneTransfer) {
  EXPECT_THAT(steady({}), ElementsAre("cudaMemcpyAsync pageable->device 16777216", kWait, kSync));
  EXPECT_THAT(steady({"pinned=true"}), ElementsAre("cudaMemcpyAsync pinned->device 16777216", kWait, kSync));
  EXPECT_THAT(steady({"direction=d2h", "bytes=4099"}),
              ElementsAre("cudaMemcpyAsync device->pageable 4096", kWait, kSync));
  EXPECT_THAT(steady({"direction=d2h", "pinned=true", "non_blocking=true"}),
              ElementsAre("cudaMemcpyAsync device->pinned 16777216", kSync));
  // Without one inside the stopwatch, there is one after it.
  EXPECT_THAT(steady({"pinned=true", "non_blocking=true", "sync=false"}),
              ElementsAre("cudaMemcpyAsync pinned->device 16777216", kSync));
  EXPECT_THAT(steady({"gpu_first=true", "bytes=8000"}),
              ElementsAre("fill 2000x1x1", "cudaMemcpyAsync pageable->device 8000", kWait, kSync));
}

// The C library keeps up to 32 MiB, and gives more back to the system.
TEST(Bandwidth, FreshPageableMemoryIsNewAndFreshPinnedMemoryIsReused) {
  EXPECT_THAT(steady({"fresh=true"}), ElementsAre("cudaMemcpyAsync pageable->device 16777216", kWait, kSync));
  EXPECT_THAT(steady({"fresh=true", "bytes=33554432"}), Not(Contains("release")));
  EXPECT_THAT(steady({"fresh=true", "bytes=33554436"}),
              ElementsAre("release", "cudaMemcpyAsync pageable->device 33554436", kWait, kSync));
  EXPECT_THAT(steady({"fresh=true", "pinned=true", "non_blocking=true"}),
              ElementsAre("cudaEventRecord 1", "cudaEventQuery 1", "cudaMemcpyAsync pinned->device 16777216", kSync));
}

TEST(Bandwidth, SizesThatAreDraggedLeakNothing) {
  RecordedWorkload w("bandwidth", {"bytes=4096"});
  // The previous device tensor is dropped; 5,000 bytes fit into 8,192.
  const Calls grown = w.iterate({"bytes=5000"});
  EXPECT_THAT(grown, Contains("release").Times(1));
  EXPECT_THAT(grown, Contains("cudaMalloc 8192"));
  const Calls within = w.iterate({"bytes=6000"});
  EXPECT_THAT(within, Not(Contains("release")));
  EXPECT_THAT(within, Not(Contains(HasSubstr("cudaMalloc"))));
  // No larger than the largest transfer, or it would not fit on small GPUs.
  EXPECT_EQ(bandwidth_settings(w.device.info()).spec("bytes")->maximum, 1.6e9);
}

TEST(Bandwidth, ItsPhases) {
  RecordedWorkload w("bandwidth", {"fresh=true", "gpu_first=true"});
  w.iterate();
  w.iterate({"sync=false"});
  EXPECT_THAT(w.device.recorded().names_on(LaneKind::Phases),
              ElementsAre("set up", "make tensor", "fill on the GPU", "copy", "synchronize()", "stopwatch",
                          "make tensor", "fill on the GPU", "copy", "stopwatch", "wait, not timed"));
}

/// The stopwatch in microseconds on the teaching profile, in a steady state.
double stopwatch_us(std::vector<std::string> assignments) {
  OnDevice w("sim:teaching", "bandwidth", assignments);
  w.iterate(1);
  w.us_each(1);
  return 1000 * w.figure("stopwatch_ms").last;
}

// A million bytes: 100 over the link, twice that to stage. The statement: dispatch 10, call 10; the copy starts 10
// later. A synchronisation takes 10 and 100 to wake up, or 10 alone when nothing is left to wait for.
TEST(Bandwidth, TheStopwatchShowsWhatTheProgramWaitsFor) {
  const std::string million = "bytes=1000000";
  EXPECT_NEAR(stopwatch_us({million, "pinned=true", "non_blocking=true", "sync=false"}), 20, 0.01);
  EXPECT_NEAR(stopwatch_us({million, "pinned=true", "non_blocking=true"}), 20 + 10 + 100 + 100, 0.01);
  EXPECT_NEAR(stopwatch_us({million, "pinned=true"}), 20 + 10 + 100 + 100 + 10, 0.01);
  // Pageable: 200 to stage; the last chunk of 100,000 bytes follows 10 + 10 later, in which the synchronisation begins.
  EXPECT_NEAR(stopwatch_us({million, "non_blocking=true", "sync=false"}), 20 + 200, 0.01);
  EXPECT_NEAR(stopwatch_us({million, "sync=false"}), 20 + 200 + 10 + 10 + 100, 0.01);
  // A kernel that makes 100 megabytes first: it starts 10 after its launch and takes 10 + 100, so that the copy starts
  // at 120 instead of 30.
  EXPECT_NEAR(stopwatch_us({"bytes=100000000", "pinned=true", "sync=false", "gpu_first=true"}), 120 + 10'000 + 100,
              0.01);
}

// P17, in virtual time and with little real memory: 1.6 GB take 160 ms over the link; the stopwatch, which stops when
// the copy has been issued, shows 0.02 ms, "80,000 GB/s".
TEST(Bandwidth, TheStopwatchOfP17StopsLongBeforeTheCopy) {
  OnDevice w("sim:teaching", "bandwidth", {"bytes=1600000000", "pinned=true", "non_blocking=true", "sync=false"});
  w.iterate(1);
  w.us_each(1);
  EXPECT_NEAR(w.figure("stopwatch_ms").last, 0.02, 1e-4);
  EXPECT_NEAR(w.figure("stopwatch_gb_per_s").last, 80'000, 1);
  const std::vector<trace::Event> copies = w.sink.on(LaneKind::CopyH2D);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].duration(), 160 * base::kMillisecond);
  std::vector<trace::Event> stopwatches;
  for (const trace::Event& range : w.sink.on(LaneKind::Phases)) {
    if (w.sink.names.text(range.name) == "stopwatch") stopwatches.push_back(range);
  }
  ASSERT_EQ(stopwatches.size(), 1u);
  EXPECT_LT(stopwatches[0].end_ns, copies[0].start_ns);
}

// P16, P18, P19: pageable memory, a fresh destination and a kernel in front of the copy each cost; all of it is timed.
TEST(Bandwidth, ItsCostsAreFoundInTheStopwatch) {
  const std::string size = "bytes=160000000";
  const double pinned = stopwatch_us({size, "direction=d2h", "pinned=true", "non_blocking=true"});
  const double pageable = stopwatch_us({size, "direction=d2h"});
  const double fresh = stopwatch_us({size, "direction=d2h", "fresh=true"});
  const double first = stopwatch_us({size, "direction=d2h", "fresh=true", "gpu_first=true"});
  EXPECT_NEAR(pinned, 16'000, 0.02 * 16'000);
  EXPECT_NEAR(pageable, 32'000, 0.02 * 32'000);
  EXPECT_GT(fresh, pageable + 100 * 152);    // 100 per MiB of fresh pages
  EXPECT_NEAR(first - fresh, 160 + 10, 30);  // the kernel: a megabyte is a microsecond
}

// P20: NVIDIA's bandwidthTest, 16 MB on an RTX 4090, as in the tutorial's notebook.
TEST(Bandwidth, TheRtx4090CopiesAsFastAsInTheNotebook) {
  const auto gb_per_s = [](const char* direction, const char* pinned) {
    OnDevice w("sim:rtx4090", "bandwidth", {direction, pinned, "sync=false"});
    w.iterate(1);
    w.us_each(20);
    return w.figure("stopwatch_gb_per_s").mean;
  };
  EXPECT_NEAR(gb_per_s("direction=h2d", "pinned=false"), 5.959, 0.1 * 5.959);
  EXPECT_NEAR(gb_per_s("direction=d2h", "pinned=false"), 5.125, 0.1 * 5.125);
  EXPECT_NEAR(gb_per_s("direction=h2d", "pinned=true"), 13.454, 0.1 * 13.454);
  EXPECT_NEAR(gb_per_s("direction=d2h", "pinned=true"), 13.370, 0.1 * 13.370);
}

// T1: the first pin_memory() page-locks the memory, later ones reuse it; a mean of both would describe neither.
TEST(Bandwidth, TheCopyThatPageLocksStandsApart) {
  OnDevice w("sim:rtx4090", "bandwidth", {"bytes=4194304", "pin_first=true", "non_blocking=true", "sync=true"});
  w.iterate(5);
  const Figure all = w.figure("stopwatch_ms"), first = w.figure("first_ms"), later = w.figure("later_ms");
  EXPECT_EQ(first.count, 1u);
  EXPECT_EQ(later.count, 4u);
  EXPECT_EQ(w.calls("cudaHostAlloc"), 1);
  EXPECT_GT(first.mean, 1.5 * later.mean);
  EXPECT_NEAR(all.mean, (first.mean + 4 * later.mean) / 5, 1e-9);
  w.settings.assign("pin_first=false");
  w.iterate(2);
  EXPECT_EQ(w.figure("first_ms").count, 2u);
  EXPECT_EQ(w.figure("later_ms").count, 5u);
}

TEST(Bandwidth, RunsOnACpu) {
  for (const char* direction : {"direction=h2d", "direction=d2h"}) {
    for (const auto& [cpu, bytes] :
         {std::pair("cpu", "bytes=1000000"), std::pair("cpu:teaching", "bytes=1600000000")}) {
      OnDevice w(cpu, "bandwidth", {direction, "fresh=true", "gpu_first=true", bytes});
      w.iterate(2);
      w.workload->finish();
      EXPECT_EQ(w.figure("stopwatch_ms").count, 2u) << cpu;
    }
  }
}

}  // namespace
}  // namespace lanescope::workload
