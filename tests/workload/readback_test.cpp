// The calls and the cost of each way of reading the loss, and whether its numbers are right.
#include "workload/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "workload/on_device.h"
#include "workload/recorded_workload.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

// A step without its read; the loss goes to the slot with this number.
Calls read_step(const std::string& slot = "1", const Calls& check = {}) {
  return Calls{"spin 1x1x1", "linear_forward 64x1x16", "mse_forward 64x1x1"} + check +
         Calls{"mean_reduce 64x1x" + slot, "fill 1x1x1",     "mse_backward 64x1x1", "linear_weight_grad 64x1x16",
               "linear_bias_grad 64x1x1",  "sgd_step 17x1x1"};
}

class Readback : public testing::Test {
 protected:
  Readback() : settings_(readback_settings(device_.info())), workload_(make_readback(device_)) {}

  void set_up(std::initializer_list<const char*> assignments) {
    for (const char* assignment : assignments) settings_.assign(assignment);
    workload_->set_up(settings_);
    device_.take_log();
  }
  Calls iterate(std::uint64_t number) {
    workload_->iterate(number, settings_);
    return device_.take_log();
  }
  Calls steady(std::initializer_list<const char*> assignments) {
    set_up(assignments);
    iterate(0);
    return iterate(1);
  }

  Figure figure(std::string_view key) const {
    for (const Figure& figure : workload_->figures().read()) {
      if (figure.key == key) return figure;
    }
    ADD_FAILURE() << "there is no figure " << key;
    return {};
  }

  RecordingDevice device_;
  Settings settings_;
  std::unique_ptr<Workload> workload_;
};

TEST_F(Readback, WithoutAReadOnlyTheStepIsLeft) {
  EXPECT_THAT(steady({"method=none"}), ElementsAreArray(read_step()));
  EXPECT_EQ(workload_->losses_read(), 0u);
  EXPECT_EQ(workload_->last_loss(), std::nullopt);
}

TEST_F(Readback, AnItemAndAnFStringAreOneWaitEach) {
  EXPECT_THAT(steady({"method=item"}), ElementsAreArray(read_step() + kItem));
  settings_.assign("method=fstring");
  EXPECT_THAT(iterate(2), ElementsAreArray(read_step() + kItem));
  settings_.assign("log_interval=5");
  EXPECT_THAT(iterate(3), ElementsAreArray(read_step()));
  EXPECT_THAT(iterate(5), ElementsAreArray(read_step() + kItem));
  EXPECT_EQ(workload_->losses_read(), 4u);
}

// torch/_tensor_str.py of PyTorch 2.11 on a float: masked_select() reads how many numbers there are, and the value
// itself is read twice: three numbers. Three comparisons are read, and the fourth, which decides sci_mode, twice: five
// bools. A profiler on an H200 counted the same: 20 kernels, 8 copies (4 B, then 1 B, 1 B, ...) and 8 synchronisations.
TEST_F(Readback, APrintIsTwentyKernelsAndEightWaits) {
  const std::string a_bool = "cudaMemcpyAsync device->pinned 1";
  const Calls calls = steady({"method=print"});
  EXPECT_EQ(std::count(calls.begin(), calls.end(), kItem[0]), 3);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), a_bool), 5);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), kItem[1]), 8);
  EXPECT_EQ(calls.size(), read_step().size() + 20 + 2 * 8);
  EXPECT_THAT(Calls(calls.end() - 6, calls.end()), ElementsAreArray(kItem + kItem + Calls{a_bool, kItem[1]}));
  EXPECT_EQ(workload_->losses_read(), 2u);  // one for each print
}

// if loss < 0.1: a comparison on the GPU, and one byte. The program does not learn the loss.
TEST_F(Readback, ABoolIsAComparisonAndAnItemOfOneByte) {
  EXPECT_THAT(steady({"method=bool"}),
              ElementsAreArray(read_step() + Calls{"compare_greater 1x1x1", "cudaMemcpyAsync device->pinned 1",
                                                   "cudaStreamSynchronize"}));
  EXPECT_EQ(workload_->losses_read(), 0u);
  EXPECT_EQ(workload_->last_loss(), std::nullopt);
  EXPECT_EQ(figure("numbers_read").total, 2);
  settings_.assign("log_interval=10");
  EXPECT_THAT(iterate(11), ElementsAreArray(read_step()));
}

// The caller makes the copy, and waits; another thread only writes the record.
TEST_F(Readback, TensorBoardCopiesHereAndWritesElsewhere) {
  const Calls numpy{"cudaMemcpyAsync device->pageable 4", "cudaStreamSynchronize"};
  set_up({"method=tensorboard"});
  EXPECT_THAT(iterate(0), ElementsAreArray(read_step() + numpy + Calls{"thread SummaryWriter", "task write record"}));
  EXPECT_THAT(iterate(1), ElementsAreArray(read_step() + numpy + Calls{"task write record"}));
  EXPECT_EQ(workload_->losses_read(), 2u);
  // SummaryWriter(max_queue=10): the eleventh record waits for the first one. Tasks count from 1; two have ended.
  for (std::uint64_t task = 3; task <= 13; ++task) device_.unended.insert(device::HostTask{task});
  for (std::uint64_t i = 2; i < 12; ++i) EXPECT_THAT(iterate(i), Not(Contains(HasSubstr("wait"))));
  EXPECT_THAT(iterate(12), Contains("wait for 3: the writer's queue is full"));
  settings_.assign("method=item");
  EXPECT_EQ(iterate(13).front(), "end thread");
  workload_->finish();
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaDeviceSynchronize"));
}

TEST_F(Readback, AccumulatingIsOneKernelAndOneItemPerWindow) {
  std::vector<double> losses;
  {
    RecordingDevice other;
    const auto items = make_readback(other);
    const Settings settings = readback_settings(other.info());
    items->set_up(settings);
    for (std::uint64_t i = 0; i < 6; ++i) {
      items->iterate(i, settings);
      losses.push_back(*items->last_loss());
    }
  }
  const Calls add{"add_in_place 1x1x1"};
  set_up({"method=accumulate", "window=3"});
  for (const std::uint64_t first : {0u, 3u}) {
    EXPECT_THAT(iterate(first), ElementsAreArray(read_step() + Calls{"fill 1x1x1"} + add));
    EXPECT_THAT(iterate(first + 1), ElementsAreArray(read_step() + add));
    Calls last = iterate(first + 2);
    std::erase_if(last, [](const std::string& call) { return call.starts_with("cudaHostAlloc"); });  // the first item
    EXPECT_THAT(last, ElementsAreArray(read_step() + add + kItem));
    EXPECT_NEAR(*workload_->last_loss(), (losses[first] + losses[first + 1] + losses[first + 2]) / 3, 1e-6);
  }
  EXPECT_EQ(workload_->losses_read(), 2u);
  settings_.assign("window=4");
  settings_.assign("log_interval=2");
  EXPECT_THAT(iterate(6), ElementsAreArray(read_step() + Calls{"fill 1x1x1"} + add));
  EXPECT_THAT(iterate(7), ElementsAreArray(read_step()));
  iterate(8);
  EXPECT_THAT(iterate(9), ElementsAreArray(read_step() + kItem));
}

TEST_F(Readback, APageableCopyIsOneCall) {
  EXPECT_THAT(steady({"method=pageable"}), ElementsAreArray(read_step() + Calls{"cudaMemcpyAsync device->pageable 4"}));
  EXPECT_EQ(workload_->losses_read(), 2u);
}

TEST_F(Readback, AValidationLoopLearnsNothing) {
  EXPECT_THAT(steady({"validation=true"}),
              ElementsAreArray(
                  Calls{"spin 1x1x1", "linear_forward 64x1x16", "mse_forward 64x1x1", "mean_reduce 64x1x1"} + kItem));
  const double loss = *workload_->last_loss();
  iterate(2);
  EXPECT_EQ(*workload_->last_loss(), loss);
}

// What waits by its nature, and what PyTorch's check detects of it: blocking copies, as made by item(), bool(), print()
// and add_scalar(); not event.synchronize(), and not a non-blocking copy into pageable memory.
TEST_F(Readback, TheSyncCheckSeesWhatPyTorchsSees) {
  struct Expected {
    const char* method;
    double waits, warnings;
  };
  set_up({"window=1", "sync_debug=warn"});
  std::uint64_t number = 0;
  double all = 0;
  for (const Expected& e : {Expected{"none", 0, 0}, Expected{"item", 1, 1}, Expected{"bool", 1, 1},
                            Expected{"print", 8, 8}, Expected{"fstring", 1, 1}, Expected{"tensorboard", 1, 1},
                            Expected{"list-of-items", 1, 1}, Expected{"stacked", 1, 1}, Expected{"accumulate", 1, 1},
                            Expected{"pageable", 1, 0}, Expected{"one-step-late", 1, 0}, Expected{"unsafe", 0, 0}}) {
    settings_.assign(std::string("method=") + e.method);
    device_.unfinished = {device::GpuEvent{1}, device::GpuEvent{2}};
    iterate(number++);  // one-step-late has nothing to read yet
    workload_->figures().restart();
    iterate(number++);
    EXPECT_EQ(figure("waits").total, e.waits) << e.method;
    EXPECT_EQ(figure("sync_warnings").total, e.warnings) << e.method;
    all += 2 * e.warnings;
  }
  const auto warnings = [&] {
    const std::vector<std::string> names = device_.recorded().names_on(trace::LaneKind::Phases);
    return std::count(names.begin(), names.end(), "UserWarning: called a synchronizing CUDA operation");
  };
  EXPECT_EQ(warnings(), all);
  settings_.assign("sync_debug=off");
  settings_.assign("method=item");
  workload_->figures().restart();
  iterate(number);
  EXPECT_EQ(figure("waits").total, 1);
  EXPECT_EQ(figure("sync_warnings").total, 0);
  EXPECT_EQ(warnings(), all);
}

TEST_F(Readback, AListOfItemsIsReadAtTheEndOfAWindow) {
  set_up({"method=list-of-items", "window=3"});
  for (const std::uint64_t first : {0u, 3u}) {
    EXPECT_THAT(iterate(first), ElementsAreArray(read_step("1")));
    EXPECT_THAT(iterate(first + 1), ElementsAreArray(read_step("2")));
    Calls last = iterate(first + 2);
    std::erase_if(last, [](const std::string& call) { return call.starts_with("cudaHostAlloc"); });  // the first item
    EXPECT_THAT(last, ElementsAreArray(read_step("3") + kItem + kItem + kItem));
    EXPECT_EQ(workload_->losses_read(), first + 3);
  }
}

TEST_F(Readback, StackedIsOneKernelAndOneCopyPerWindow) {
  set_up({"method=stacked", "window=6", "log_interval=2"});
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_THAT(iterate(i), Not(Contains(HasSubstr("Synchronize"))));
  EXPECT_THAT(iterate(5), ElementsAreArray(read_step("4") + Calls{"stack 3x1x1", "cudaMemcpyAsync device->pageable 12",
                                                                  "cudaStreamSynchronize"}));
  EXPECT_EQ(workload_->losses_read(), 3u);
}

TEST_F(Readback, OneStepLateAsksForTheCopyOfTheStepBefore) {
  const Calls copy{"cudaMemcpyAsync device->pinned 4"};
  set_up({"method=one-step-late"});
  EXPECT_THAT(iterate(0), ElementsAreArray(read_step() + copy + Calls{"cudaEventRecord 1"}));
  EXPECT_THAT(iterate(1), ElementsAreArray(read_step() + copy + Calls{"cudaEventRecord 2", "cudaEventSynchronize 1"}));
  EXPECT_THAT(iterate(2), ElementsAreArray(read_step() + copy + Calls{"cudaEventRecord 1", "cudaEventSynchronize 2"}));
  EXPECT_THAT(iterate(3), ElementsAreArray(read_step() + copy + Calls{"cudaEventRecord 2", "cudaEventSynchronize 1"}));
  EXPECT_EQ(workload_->losses_read(), 3u);
  settings_.assign("log_interval=2");
  EXPECT_THAT(iterate(5), ElementsAreArray(read_step() + Calls{"cudaEventSynchronize 2"}));
  EXPECT_THAT(iterate(6), ElementsAreArray(read_step() + copy + Calls{"cudaEventRecord 1"}));
  EXPECT_THAT(iterate(7), ElementsAreArray(read_step() + Calls{"cudaEventSynchronize 1"}));
  EXPECT_THAT(iterate(9), ElementsAreArray(read_step()));
}

TEST_F(Readback, UnsafeCopiesTheLossAndItsCheckAndWaitsForNothing) {
  EXPECT_THAT(steady({"method=unsafe"}),
              ElementsAreArray(read_step("2", {"fill 1x1x1"}) + Calls{"cudaMemcpyAsync device->pinned 8"}));
  // This device copies at once, so that the numbers are right.
  EXPECT_EQ(workload_->figures().read()[1].total, 0);
}

TEST_F(Readback, WhatWasKeptIsForgottenWhenTheMethodChanges) {
  set_up({"method=stacked", "window=4"});
  for (std::uint64_t i = 0; i < 3; ++i) iterate(i);
  settings_.assign("method=one-step-late");
  iterate(3);
  settings_.assign("method=stacked");
  for (std::uint64_t i = 4; i < 7; ++i) EXPECT_THAT(iterate(i), Not(Contains(HasSubstr("Synchronize"))));
  EXPECT_THAT(iterate(7), Contains("stack 4x1x1"));
  EXPECT_EQ(workload_->losses_read(), 4u);
  // A window smaller than the number of kept losses ends at once.
  for (std::uint64_t i = 8; i < 11; ++i) iterate(i);
  settings_.assign("window=2");
  EXPECT_THAT(iterate(11), Contains("stack 4x1x1"));
}

TEST_F(Readback, ABiggerBatchGoesOnLearningAndANewSeedStartsOver) {
  set_up({"model_us=0"});
  for (std::uint64_t i = 0; i < 300; ++i) iterate(i);
  const double learned = *workload_->last_loss();
  settings_.assign("batch_size=200");
  const Calls grown = iterate(300);
  EXPECT_THAT(grown, Contains("linear_forward 200x1x16"));
  EXPECT_THAT(grown, Not(Contains(HasSubstr("spin"))));
  EXPECT_LT(*workload_->last_loss(), 3 * learned);
  settings_.assign("seed=2");
  iterate(301);
  EXPECT_GT(*workload_->last_loss(), 5 * learned);
  EXPECT_THAT(iterate(302), Not(Contains(HasSubstr("cudaMalloc"))));
}

TEST_F(Readback, ChangesAllocateNothingTheSecondTime) {
  set_up({});
  Calls calls;
  for (std::uint64_t i = 0; i < 160; ++i) {
    const std::vector<std::string>& methods = settings_.spec("method")->choices;
    settings_.assign("method=" + methods[i / 5 % methods.size()]);
    settings_.assign("window=" + std::to_string(1 + i % 9));
    settings_.assign("batch_size=" + std::to_string(1 + i * 37 % 1000));
    settings_.assign("seed=" + std::to_string(i / 20));
    if (i == 80) calls.clear();
    for (std::string& call : iterate(i)) calls.push_back(std::move(call));
  }
  for (const char* kind : {"cudaMalloc", "cudaHostAlloc", "cudaEventCreate"}) {
    EXPECT_THAT(calls, Not(Contains(HasSubstr(kind))));
  }
}

TEST_F(Readback, ItsPhases) {
  set_up({"window=1"});
  std::uint64_t number = 0;
  for (const std::string& method : settings_.spec("method")->choices) {
    settings_.assign("method=" + method);
    iterate(number++);
    iterate(number++);
  }
  const std::vector<std::string> phases = device_.recorded().names_on(trace::LaneKind::Phases);
  for (const char* phase : {"forward", "loss", "backward", "step", "item()", "print(loss)", "f-string", "list of items",
                            "stack().cpu()", "copy to pinned", "read one step late", "read at once", "if loss < 0.1",
                            "add_scalar()", "zeros()", "total += loss", "total.item()", "copy to pageable"}) {
    EXPECT_THAT(phases, Contains(phase));
  }
}

// All calls except the step's launches: where the CPU waits, per iteration in the steady state.
TEST(SimulatedReadback, WaitsAsOftenAsTheMethodSays) {
  struct Expected {
    const char* method;
    std::ptrdiff_t stream_waits, event_waits;
  };
  for (const Expected& e : {Expected{"none", 0, 0}, Expected{"item", 20, 0}, Expected{"print", 160, 0},
                            Expected{"fstring", 20, 0}, Expected{"list-of-items", 20, 0}, Expected{"stacked", 2, 0},
                            Expected{"one-step-late", 0, 20}, Expected{"unsafe", 0, 0}, Expected{"bool", 20, 0},
                            Expected{"tensorboard", 20, 0}, Expected{"accumulate", 2, 0}, Expected{"pageable", 0, 0}}) {
    // Without a model the GPU is always done with the step before.
    OnDevice run("sim:teaching", "readback", {"model_us=0", "window=10", std::string("method=") + e.method});
    run.iterate(10);
    run.us_each(20);
    EXPECT_EQ(run.calls("cudaStreamSynchronize"), e.stream_waits) << e.method;
    EXPECT_EQ(run.calls("cudaEventSynchronize"), e.event_waits) << e.method;
  }
}

// Calls of 10 µs with 10 µs before each but waits and events, kernels of 10 µs, 10 µs from a call to the GPU. The GPU
// has 500 + 8 x 10 = 580 µs of work, and while the CPU is ahead that is an iteration.
//   item: the first kernel starts at 20 + 10, so that the GPU ends at 610; the CPU is back 100 µs later: 710.
//   print: the GPU ends at 610 + 7 x 10 = 680, and the CPU is back at 780. After that the GPU is quick: an item takes
//     30 and a launch 20: 9 x 20 + 30, 2 x 20 + 30, 20 + 30, 20 + 30, 30, 30, 30: 470 more, 1250.
//   list of 10: the GPU ends at 30 + 10 x 580, the first item is back at 5930, the nine others take 30 each: 6200.
//   stacked: 10 µs for one more kernel, back at 5940, and a wait of 10 µs for nothing: 5950.
//   unsafe: a kernel more in each step.
//   bool: a kernel more before the read: 720.
//   tensorboard: the wait is in the copy, which is back at 710, and a wait of 10 µs for nothing follows: 720.
//   accumulate: a kernel more in each step and one in a window; the GPU ends at 30 + 10 x 590 + 10, and the CPU is back
//     100 µs later: 6040.
//   pageable: the copy alone: 710.
TEST(SimulatedReadback, CostsWhatTheGpuStandsStill) {
  const std::map<std::string, double> expected{{"none", 580},          {"item", 710},       {"print", 1250},
                                               {"fstring", 710},       {"stacked", 595},    {"list-of-items", 620},
                                               {"one-step-late", 580}, {"unsafe", 590},     {"bool", 720},
                                               {"tensorboard", 720},   {"accumulate", 604}, {"pageable", 710}};
  for (const auto& [method, us] : expected) {
    OnDevice run("sim:teaching", "readback", {"window=10", "method=" + method});
    run.iterate(50);
    EXPECT_NEAR(run.us_each(100), us, 0.6) << method;
  }
}

// Nine kernels, 20 µs each, copy 20, record 10, query 10; the GPU has less to do.
TEST(SimulatedReadback, OneStepLateWaitsForNothingWhereTheCpuIsTheSlowerOne) {
  OnDevice run("sim:teaching", "readback", {"model_us=100", "method=one-step-late"});
  run.iterate(10);
  EXPECT_NEAR(run.us_each(100), 220, 0.1);
  EXPECT_EQ(run.figure("reads_behind").mean, 1);
}

// A validation: 500 µs and three kernels; with the 30 until the first begins and the 100 until the CPU is back, 660.
// The sum of 10 batches costs 11 small kernels and one of these gaps: 10 x 540 + 10 + 30 + 100.
TEST(SimulatedReadback, AValidationCostsItsGapsOrOneOfThem) {
  OnDevice items("sim:teaching", "readback", {"validation=true"});
  items.iterate(50);
  EXPECT_NEAR(items.us_each(100), 660, 0.1);
  OnDevice sum("sim:teaching", "readback", {"validation=true", "method=accumulate", "window=10"});
  sum.iterate(50);
  EXPECT_NEAR(sum.us_each(100), 554, 0.1);
}

// Writing beside the loop costs nothing until the queue is full: from then on, a record takes as long as an iteration.
TEST(SimulatedReadback, TheWritersThreadWorksBeside) {
  OnDevice run("sim:teaching", "readback", {"method=tensorboard", "write_us=600"});
  run.iterate(50);
  EXPECT_NEAR(run.us_each(100), 720, 0.6);
  const std::vector<std::string> names = run.sink.names_on(trace::LaneKind::Phases);
  EXPECT_NEAR(static_cast<double>(std::count(names.begin(), names.end(), "write record")), 100, 1);
  run.settings.assign("write_us=2000");
  run.iterate(50);
  EXPECT_NEAR(run.us_each(100), 2000, 1);
}

// The values read, by the number of the iteration that read them.
std::vector<double> losses(const std::string& method, std::uint64_t iterations) {
  OnDevice run("sim:teaching", "readback", {"window=20", "method=" + method});
  std::vector<double> found;
  for (std::uint64_t i = 0, read = 0; i < iterations; ++i) {
    run.iterate(1);
    if (run.workload->losses_read() == read) continue;
    read = run.workload->losses_read();
    found.push_back(*run.workload->last_loss());
  }
  return found;
}

TEST(SimulatedReadback, LateNumbersAreTheRightOnes) {
  const std::vector<double> item = losses("item", 400);
  ASSERT_EQ(item.size(), 400u);
  EXPECT_GT(item[0], 0.2);
  EXPECT_LT(item[399], 0.05 * item[0]);  // it learns
  for (const char* same : {"print", "fstring", "tensorboard", "pageable"})
    EXPECT_EQ(losses(same, 100), std::vector(item.begin(), item.begin() + 100));
  EXPECT_EQ(losses("one-step-late", 401), item);
  for (const char* windowed : {"list-of-items", "stacked"}) {
    const std::vector<double> last_of_window = losses(windowed, 400);
    ASSERT_EQ(last_of_window.size(), 20u) << windowed;
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(last_of_window[i], item[20 * i + 19]) << windowed;
  }
  OnDevice run("sim:teaching", "readback", {"window=20", "method=stacked"});
  run.us_each(40);
  EXPECT_EQ(run.figure("numbers_read").total, 40);
  EXPECT_EQ(run.figure("reads_behind").mean, 9.5);  // 19 to 0
  EXPECT_EQ(run.figure("reads_per_list").mean, 1);
  OnDevice each("sim:teaching", "readback", {"window=20", "method=list-of-items"});
  each.us_each(40);
  EXPECT_EQ(each.figure("reads_per_list").count, 2u);
  EXPECT_EQ(each.figure("reads_per_list").mean, 20);
}

// The CPU is up to a launch queue of 100 ahead, 11 calls per iteration: what it reads is nine steps old.
TEST(SimulatedReadback, UnsafeReadsOldNumbersAndSaysSo) {
  OnDevice run("sim:teaching", "readback", {"method=unsafe"});
  run.iterate(50);
  run.us_each(100);
  EXPECT_EQ(run.figure("wrong_numbers").total, 100);
  EXPECT_EQ(run.figure("numbers_read").total, 100);
  EXPECT_NEAR(run.figure("reads_behind").mean, 9, 1);
  EXPECT_EQ(run.stale_reads(), 100);
  run.settings.assign("method=one-step-late");
  run.iterate(3);
  run.us_each(100);
  EXPECT_EQ(run.figure("wrong_numbers").total, 0);
  EXPECT_EQ(run.stale_reads(), 0);
}

// On a CPU, a loss is available as soon as it is computed, however it is read.
TEST(CpuReadback, EveryNumberIsRight) {
  for (const char* device : {"cpu:teaching", "cpu"}) {
    for (const char* method :
         {"item", "print", "list-of-items", "stacked", "one-step-late", "unsafe", "tensorboard", "pageable"}) {
      if (std::string_view(method) == "tensorboard" && std::string_view(device) == "cpu") continue;  // a real thread
      OnDevice run(device, "readback", {"window=5", "model_us=0", std::string("method=") + method});
      run.iterate(101);
      EXPECT_GE(run.workload->losses_read(), 100u) << method;
      EXPECT_LT(*run.workload->last_loss(), 1) << method;
      EXPECT_EQ(run.figure("wrong_numbers").total, 0) << method;
      EXPECT_EQ(run.stale_reads(), 0) << method;
      EXPECT_EQ(run.sink.names_on(trace::LaneKind::Calls).size(), 0u) << method;
    }
  }
}

}  // namespace
}  // namespace lanescope::workload
