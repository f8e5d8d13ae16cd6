// The calls and the cost of drawing an array from the GPU, and when the array is wrong.
#include "workload/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "workload/on_device.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Calls = std::vector<std::string>;

class PlotTransfer : public testing::Test {
 protected:
  PlotTransfer() : settings_(plot_transfer_settings(device_.info())), workload_(make_plot_transfer(device_)) {}

  void set_up(std::initializer_list<const char*> assignments) {
    for (const char* assignment : {"elements=1000", "plot_interval=2"}) settings_.assign(assignment);
    for (const char* assignment : assignments) settings_.assign(assignment);
    workload_->set_up(settings_);
    device_.take_log();
  }
  Calls iterate(std::uint64_t number) {
    workload_->iterate(number, settings_);
    return device_.take_log();
  }

  RecordingDevice device_;
  Settings settings_;
  std::unique_ptr<Workload> workload_;
};

// The C library reuses what was freed, up to 32 MiB; more is mapped each time.
TEST_F(PlotTransfer, CpuNumpyCopiesAndWaits) {
  set_up({"method=cpu-numpy"});
  for (const std::uint64_t first : {0u, 2u}) {
    EXPECT_THAT(iterate(first), ElementsAre("spin 1x1x1", "fill 1000x1x1", "cudaMemcpyAsync device->pageable 4000",
                                            "cudaStreamSynchronize"));
    EXPECT_THAT(iterate(first + 1), ElementsAre("spin 1x1x1"));
  }
  settings_.assign("elements=10000000");
  EXPECT_THAT(iterate(4), Contains("release"));
}

// points[:,0].cpu(): the column is made contiguous on the GPU, and only its bytes are copied.
TEST_F(PlotTransfer, AColumnIsOneKernelMoreAndFewerBytes) {
  set_up({"part=column", "columns=4"});
  EXPECT_THAT(iterate(0), ElementsAre("spin 1x1x1", "fill 1000x1x1", "column 250x1x4",
                                      "cudaMemcpyAsync device->pageable 1000", "cudaStreamSynchronize"));
  settings_.assign("method=one-step-late");
  EXPECT_THAT(iterate(2), ElementsAre("cudaHostAlloc 1024", "cudaHostAlloc 1024", "spin 1x1x1", "fill 1000x1x1",
                                      "column 250x1x4", "cudaMemcpyAsync device->pinned 1000", "cudaEventRecord 1"));
  settings_.assign("columns=3");  // one number of a thousand fills no row
  EXPECT_THAT(iterate(4), Contains("column 333x1x3"));
  EXPECT_EQ(workload_->figures().read()[0].total, 0);  // no wrong array
  settings_.assign("elements=6000000");                // its values are not computed
  EXPECT_THAT(iterate(6), Contains("column 2000000x1x3"));
  EXPECT_EQ(workload_->figures().read()[0].total, 0);
}

TEST(PlotTransferSettings, AColumnNeedsARow) {
  Settings settings = plot_transfer_settings({});
  for (const char* assignment : {"elements=10", "columns=11"}) settings.assign(assignment);
  EXPECT_NO_THROW(check_settings("plot-transfer", settings));
  settings.assign("part=column");
  EXPECT_THROW(check_settings("plot-transfer", settings), base::UsageError);
  settings.assign("columns=10");
  EXPECT_NO_THROW(check_settings("plot-transfer", settings));
}

TEST_F(PlotTransfer, OneIntervalLateAsksForTheArrayBefore) {
  set_up({"method=one-step-late"});
  EXPECT_THAT(iterate(0),
              ElementsAre("spin 1x1x1", "fill 1000x1x1", "cudaMemcpyAsync device->pinned 4000", "cudaEventRecord 1"));
  iterate(1);
  EXPECT_THAT(iterate(2), ElementsAre("spin 1x1x1", "fill 1000x1x1", "cudaMemcpyAsync device->pinned 4000",
                                      "cudaEventRecord 2", "cudaEventSynchronize 1"));
  device_.unfinished = {device::GpuEvent{2}};
  EXPECT_THAT(iterate(4), ElementsAre("spin 1x1x1", "fill 1000x1x1", "cudaMemcpyAsync device->pinned 4000",
                                      "cudaEventRecord 1", "cudaEventSynchronize 2"));
}

TEST_F(PlotTransfer, UnsafeWaitsForNothing) {
  set_up({"method=unsafe"});
  EXPECT_THAT(iterate(0), ElementsAre("spin 1x1x1", "fill 1000x1x1", "cudaMemcpyAsync device->pinned 4000"));
}

TEST_F(PlotTransfer, TakesEverySettingAtTheNextIteration) {
  set_up({"plot_interval=1", "model_us=0"});
  iterate(0);
  settings_.assign("method=unsafe");
  EXPECT_THAT(iterate(1), ElementsAre("cudaHostAlloc 4096", "cudaHostAlloc 4096", "fill 1000x1x1",
                                      "cudaMemcpyAsync device->pinned 4000"));
  settings_.assign("elements=5000000");  // its values are not computed
  EXPECT_THAT(iterate(2), Contains("fill 5000000x1x1"));
  settings_.assign("elements=900");
  const Calls calls = iterate(3);
  EXPECT_THAT(calls, Contains("fill 900x1x1"));
  EXPECT_THAT(calls, Not(Contains(HasSubstr("cudaMalloc"))));
  settings_.assign("plot_ms=3");
  const base::Nanoseconds before = device_.host_work_ns;
  iterate(4);
  EXPECT_NEAR(base::to_us(device_.host_work_ns - before), 3'000 + 2 * 10, 0.1);  // and two dispatches
}

TEST_F(PlotTransfer, ChangesAllocateNothingTheSecondTime) {
  set_up({"plot_interval=1"});
  Calls calls;
  for (std::uint64_t i = 0; i < 120; ++i) {
    const std::vector<std::string>& methods = settings_.spec("method")->choices;
    settings_.assign("method=" + methods[i / 4 % methods.size()]);
    settings_.assign("elements=" + std::to_string(1 + i * 37 % 1000));
    if (i == 60) calls.clear();
    for (std::string& call : iterate(i)) calls.push_back(std::move(call));
  }
  for (const char* kind : {"cudaMalloc", "cudaHostAlloc", "cudaEventCreate"}) {
    EXPECT_THAT(calls, Not(Contains(HasSubstr(kind))));
  }
  EXPECT_EQ(workload_->figures().read()[0].total, 0);  // this device copies at once
}

TEST_F(PlotTransfer, ItsPhases) {
  set_up({"plot_interval=1"});
  std::uint64_t number = 0;
  for (const std::string& method : settings_.spec("method")->choices) {
    settings_.assign("method=" + method);
    iterate(number++);
    iterate(number++);
  }
  const std::vector<std::string> phases = device_.recorded().names_on(trace::LaneKind::Phases);
  for (const char* phase :
       {"model", "points", ".cpu().numpy()", "copy to pinned", "read one interval late", "read at once", "draw"}) {
    EXPECT_THAT(phases, Contains(phase));
  }
}

// Ten iterations of 500 µs and the array: 10 µs and 4 µs for its 4 MB. The copy takes 400 µs from pinned memory; to
// pageable memory 10 µs for the first chunk and 40 x 20 µs, and 100 µs for each MiB of fresh pages, 381.5.
//   cpu-numpy: starts at 30, the GPU has written the array at 5044, the CPU is back 1191.5 + 100 µs later, waits 10 µs
//     for nothing and draws for 2000: 8345.5.
//   the others: the GPU never stands still: 5014 + 400.
TEST(SimulatedPlotTransfer, AnArrayThatIsDrawnLaterCostsTheGpuNothing) {
  for (const auto& [method, us] :
       {std::pair{"cpu-numpy", 7964.0}, std::pair{"one-step-late", 5414.0}, std::pair{"unsafe", 5414.0}}) {
    OnDevice run("sim:teaching", "plot-transfer", {std::string("method=") + method});
    run.iterate(201);
    EXPECT_NEAR(10 * run.us_each(100), us, 1) << method;
    EXPECT_EQ(run.figure("transfer_ms").count, 10u) << method;
    EXPECT_EQ(run.calls("cudaStreamSynchronize"), method == std::string("cpu-numpy") ? 10 : 0);
  }
}

TEST(SimulatedPlotTransfer, OnlyTheUnsafeArrayIsWrong) {
  for (const char* method : {"cpu-numpy", "one-step-late", "unsafe"}) {
    OnDevice run("sim:teaching", "plot-transfer", {"elements=100000", std::string("method=") + method});
    run.iterate(11);
    run.us_each(100);
    EXPECT_EQ(run.figure("wrong_arrays").count, 10u) << method;
    EXPECT_EQ(run.figure("wrong_arrays").total, method == std::string("unsafe") ? 10 : 0) << method;
    EXPECT_EQ(run.stale_reads(), method == std::string("unsafe") ? 10 : 0) << method;
  }
}

TEST(SimulatedPlotTransfer, OfALargeArrayOnlyTheTimeIsModelled) {
  OnDevice run("sim:teaching", "plot-transfer",
               {"elements=100000000", "plot_interval=1", "method=one-step-late", "model_us=0"});
  run.iterate(5);
  // 400 MB: 400 µs to write, 10 of the kernel's own, and 40,000 over the link.
  EXPECT_NEAR(run.us_each(10), 40'410, 1);
  EXPECT_EQ(run.figure("wrong_arrays").total, 0);
}

TEST(CpuPlotTransfer, EveryArrayIsRight) {
  for (const char* device : {"cpu:teaching", "cpu"}) {
    for (const char* method : {"cpu-numpy", "one-step-late", "unsafe"}) {
      OnDevice run(device, "plot-transfer",
                   {"elements=5000", "plot_interval=1", "plot_ms=0", "model_us=0", std::string("method=") + method});
      run.iterate(11);
      EXPECT_GE(run.figure("wrong_arrays").count, 10u) << method;
      EXPECT_EQ(run.figure("wrong_arrays").total, 0) << method;
    }
  }
}

}  // namespace
}  // namespace lanescope::workload
