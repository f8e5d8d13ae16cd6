// The DataLoader and what it feeds, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/catalogue.h"
#include "workload/recording_device.h"
#include "workload/workload.h"

namespace lanescope::workload {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;

/// The workload on sim:teaching, iteration by iteration. A batch is 8 samples of 4 ms: 32 ms, give or take a little.
class Training {
 public:
  explicit Training(const std::vector<std::string>& assignments = {}) {
    device::DeviceContext context;
    context.sink = &sink;
    device = device::make_device("sim:teaching", context);
    settings = default_settings("dataloader", device->info());
    set(assignments);
    workload = make_workload("dataloader", *device);
    workload->set_up(settings);
  }
  void set(const std::vector<std::string>& assignments) {
    for (const std::string& assignment : assignments) settings.assign(assignment);
  }
  /// The milliseconds that it takes.
  double run(std::uint64_t iterations) {
    const base::Nanoseconds before = device->now_ns();
    for (std::uint64_t i = 0; i < iterations; ++i) workload->iterate(number++, settings);
    return base::to_us(device->now_ns() - before) / 1000;
  }
  Figure figure(std::string_view key) const {
    for (const Figure& f : workload->figures().read()) {
      if (f.key == key) return f;
    }
    ADD_FAILURE() << key;
    return {};
  }
  /// The ranges of that name, by lane.
  std::map<std::string, std::vector<trace::Event>> ranges(std::string_view name) const {
    std::map<std::string, std::vector<trace::Event>> found;
    for (const trace::Event& e : sink.events) {
      if (e.kind == trace::EventKind::Range && sink.names.text(e.name) == name) {
        found[sink.lanes[e.lane].name].push_back(e);
      }
    }
    return found;
  }
  /// The CUDA calls of that name on a lane.
  std::vector<trace::Event> calls(std::string_view name, std::string_view lane) const {
    std::vector<trace::Event> found;
    for (const trace::Event& e : sink.events) {
      if (e.kind == trace::EventKind::Call && sink.names.text(e.name) == name && sink.lanes[e.lane].name == lane) {
        found.push_back(e);
      }
    }
    return found;
  }
  std::vector<std::string> lanes() const {
    std::vector<std::string> names;
    for (const trace::LaneInfo& lane : sink.lanes) names.push_back(lane.name);
    return names;
  }

  MemorySink sink;
  std::unique_ptr<device::Device> device;
  Settings settings;
  std::unique_ptr<Workload> workload;
  std::uint64_t number = 0;
};

// Two batches are outstanding for each of three workers, until there is nothing left to request.
TEST(DataLoader, KeepsPrefetchTimesWorkersOutstanding) {
  Training t({"num_workers=3", "samples=160"});
  for (int i = 0; i < 20; ++i) {
    t.run(1);
    const double outstanding = std::min(6, 20 - (i + 1));
    EXPECT_EQ(t.figure("outstanding").last, outstanding) << i;
    EXPECT_DOUBLE_EQ(t.figure("ram_mib").last, outstanding * 8 * 588 / 1024);
  }
  EXPECT_EQ(t.figure("epoch_ms").count, 1u);
  Training more({"num_workers=3", "prefetch_factor=5"});
  more.run(1);
  EXPECT_EQ(more.figure("outstanding").last, 15);
}

TEST(DataLoader, AsksTheWorkersInTurnAndHandsOutInOrder) {
  Training t({"num_workers=3", "samples=100"});  // 12 batches of 8, and one of 4
  t.run(13);
  const auto loaded = t.ranges("load batch");
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    const std::vector<trace::Event>& lane = loaded.at("worker " + std::to_string(worker));
    ASSERT_EQ(lane.size(), worker == 0 ? 5u : 4u);
    for (std::size_t i = 0; i < lane.size(); ++i) EXPECT_EQ(trace::index_of(lane[i]), worker + 3 * i);
  }
  const trace::Event& last = loaded.at("worker 0").back();
  EXPECT_NEAR(base::to_us(last.duration()), 16'000, 2'000);
  EXPECT_EQ(t.ranges("start worker").size(), 3u);
  EXPECT_EQ(t.ranges("wait for batch").begin()->first, "waiting");
}

struct Rate {
  int workers, load_ms, model_ms;
  const char* pinned;
};
void PrintTo(const Rate& r, std::ostream* out) {
  *out << r.workers << " workers, " << r.load_ms << " ms, model " << r.model_ms << " ms";
}
class Throughput : public testing::TestWithParam<Rate> {};

// In the steady state a batch takes the longer of 8 * load_ms / workers and what it takes on the GPU: the model, and
// its copy before it on the same stream, 4,816,896 bytes at 10 GB/s.
TEST_P(Throughput, IsThatOfTheLoaderOrTheModel) {
  const Rate& p = GetParam();
  Training t({"num_workers=" + std::to_string(p.workers), "load_ms=" + std::to_string(p.load_ms),
              "model_ms=" + std::to_string(p.model_ms), "samples=2400", "non_blocking=true",
              std::string("pin_memory=") + p.pinned});
  t.run(100);
  const double expected = std::max(8.0 * p.load_ms / p.workers, p.model_ms + 0.48);
  EXPECT_NEAR(t.run(160) / 160, expected, 0.02 * expected);
}

INSTANTIATE_TEST_SUITE_P(Steady, Throughput,
                         testing::Values(Rate{1, 4, 8, "false"}, Rate{2, 4, 8, "true"}, Rate{4, 4, 20, "true"},
                                         Rate{7, 4, 8, "true"}, Rate{4, 1, 8, "true"}));

TEST(DataLoader, WithoutWorkersLoadsInsideNext) {
  Training t({"num_workers=0", "log_interval=1", "pin_memory=true", "samples=80"});
  t.run(2);
  // 32 ms of loading, then 8 of the model; next to that a few copies of 4.6 MiB.
  const double per_iteration = t.run(8) / 8;
  EXPECT_GT(per_iteration, 40);
  EXPECT_LT(per_iteration, 44);
  EXPECT_GT(t.figure("wait_ms").mean, 31);
  EXPECT_LT(t.figure("wait_ms").mean, 36);
  EXPECT_EQ(t.figure("outstanding").mean, 0);
  EXPECT_EQ(t.figure("epoch_ms").count, 1u);
  EXPECT_THAT(t.lanes(), Not(Contains("worker 0")));
  // Loading in the program itself counts as waiting for data, too.
  EXPECT_THAT(t.lanes(), Contains("waiting"));
}

// Every epoch begins with an empty queue: the first batch takes its whole load time, plus the start of the workers
// unless they are persistent. Eight batches for four workers.
TEST(DataLoader, EachEpochBeginsAnewAndPersistentWorkersSaveOnlyTheirStart) {
  Training fresh({"samples=64"}), persistent({"samples=64", "persistent_workers=true"});
  for (Training* t : {&fresh, &persistent}) {
    t->run(8);
    EXPECT_GT(t->figure("epoch_start_ms").last, 60 + 30);
    t->workload->figures().restart();
    t->run(3 * 8);
    EXPECT_EQ(t->figure("epoch_ms").count, 3u);
  }
  EXPECT_NEAR(persistent.figure("epoch_start_ms").mean, 32, 2);
  EXPECT_NEAR(fresh.figure("epoch_start_ms").mean - persistent.figure("epoch_start_ms").mean, 60, 0.5);
  EXPECT_NEAR(fresh.figure("epoch_ms").mean - persistent.figure("epoch_ms").mean, 60, 1);
  EXPECT_EQ(fresh.ranges("start worker").at("worker 0").size(), 4u);
  EXPECT_EQ(persistent.ranges("start worker").at("worker 0").size(), 1u);
  // The workers of each epoch stay on the lanes of the last.
  const std::vector<std::string> lanes = fresh.lanes();
  EXPECT_EQ(std::count(lanes.begin(), lanes.end(), "worker 0"), 1);
}

// Batches go through the pin thread in order of arrival, not by number.
TEST(DataLoader, OneThreadPinsBatchesAsTheyArrive) {
  Training t({"num_workers=4", "pin_memory=true", "samples=2400"});
  t.run(200);
  std::map<std::uint32_t, base::Nanoseconds> arrived;
  for (const auto& [lane, loads] : t.ranges("load batch")) {
    for (const trace::Event& e : loads) arrived[trace::index_of(e)] = e.end_ns;
  }
  const std::vector<trace::Event> pins = t.ranges("pin batch").at("pin thread");
  ASSERT_GE(pins.size(), 200u);
  bool out_of_order = false;
  for (std::size_t i = 1; i < pins.size(); ++i) {
    EXPECT_LE(arrived.at(trace::index_of(pins[i - 1])), arrived.at(trace::index_of(pins[i])));
    out_of_order = out_of_order || trace::index_of(pins[i]) < trace::index_of(pins[i - 1]);
  }
  EXPECT_TRUE(out_of_order);  // load times vary, so it happens
}

// 2 workers for each of which 1, 2, 4 or 8 batches of 4.6 MiB are outstanding. Each is pinned when it has arrived, on
// the pin thread: 8 MiB, 100 us and 400 per MiB on sim:teaching. So the first batch is there after the start of its
// worker, its load, one allocation and one copy, whatever the prefetch factor, and the program's thread allocates
// nothing but the four bytes of item().
TEST(DataLoader, BatchesArePinnedAsTheyArriveByThePinThread) {
  std::vector<double> first, whole;
  for (const char* prefetch : {"prefetch_factor=1", "prefetch_factor=2", "prefetch_factor=4", "prefetch_factor=8"}) {
    SCOPED_TRACE(prefetch);
    Training t({"num_workers=2", "pin_memory=true", "samples=2400", prefetch});
    whole.push_back(t.run(60));
    first.push_back(t.figure("epoch_start_ms").last);
    const auto by_program = t.calls("cudaHostAlloc", "CUDA calls");
    EXPECT_EQ(by_program.size(), 1u);  // item()
    const auto pinned = t.calls("cudaHostAlloc", "CUDA calls, pin thread");
    ASSERT_FALSE(pinned.empty());
    EXPECT_NEAR(base::to_us(pinned[0].duration()), 100 + 8 * 400, 0.15 * 3300);
    const trace::Event pin = t.ranges("pin batch").at("pin thread")[0];
    EXPECT_EQ(pinned[0].start_ns, pin.start_ns);
    EXPECT_GT(pin.end_ns, pinned[0].end_ns);
  }
  for (std::size_t i = 1; i < first.size(); ++i) {
    EXPECT_NEAR(first[i], first[0], 0.03 * first[0]);
    EXPECT_LT(whole[i], 1.02 * whole[0]);
  }
}

// As many blocks as batches wait or are in use, and no new ones once the queue has been full: with a model slower than
// the loader, all 8 outstanding batches are pinned, and up to ten more are still being copied from, because an item()
// in every tenth iteration limits how far the CPU runs ahead.
TEST(DataLoader, PinnedMemoryIsBoundedAndReused) {
  Training t({"num_workers=4", "pin_memory=true", "samples=24000", "load_ms=1", "non_blocking=true"});
  t.run(60);
  const std::size_t blocks = t.calls("cudaHostAlloc", "CUDA calls, pin thread").size();
  EXPECT_GE(blocks, 8u);
  EXPECT_LE(blocks, 8u + 10);
  t.run(300);
  EXPECT_EQ(t.calls("cudaHostAlloc", "CUDA calls, pin thread").size(), blocks);
  // When waiting for the loader, the program returns each block before the next batch arrives.
  Training bound({"num_workers=4", "pin_memory=true", "samples=24000", "load_ms=8"});
  bound.run(100);
  EXPECT_LE(bound.calls("cudaHostAlloc", "CUDA calls, pin thread").size(), 5u);
}

// The program may end while the pin thread still has batches.
TEST(DataLoader, EndsWhileBatchesAreBeingPinned) {
  Training t({"num_workers=4", "pin_memory=true", "prefetch_factor=8", "samples=2400"});
  t.run(3);
  t.workload.reset();
  t.device->host_work(base::from_us(1e6));
  EXPECT_GT(t.ranges("pin batch").at("pin thread").size(), 20u);
  t.device.reset();
}

// PyTorch warns that there is no accelerator, and starts no pin thread.
TEST(DataLoader, OnACpuNothingIsPinned) {
  MemorySink sink;
  device::DeviceContext context;
  context.sink = &sink;
  const auto cpu = device::make_device("cpu:teaching", context);
  Settings settings = default_settings("dataloader", cpu->info());
  for (const char* assignment : {"num_workers=2", "pin_memory=true", "samples=32"}) settings.assign(assignment);
  const auto workload = make_workload("dataloader", *cpu);
  workload->set_up(settings);
  for (std::uint64_t i = 0; i < 8; ++i) workload->iterate(i, settings);
  std::vector<std::string> lanes;
  for (const trace::LaneInfo& lane : sink.lanes) lanes.push_back(lane.name);
  EXPECT_THAT(lanes, Contains("worker 1"));
  EXPECT_THAT(lanes, Not(Contains("pin thread")));
}

// Every fourth batch makes a step; the gradients of the three behind the first are added to what is there.
TEST(DataLoader, AccumulatesTheGradientsOfSeveralBatches) {
  Training t({"accumulate=4", "samples=800"});
  t.run(12);
  std::map<std::string, int> kernels;
  for (const trace::Event& e : t.sink.events) {
    if (e.kind == trace::EventKind::Kernel) ++kernels[std::string(t.sink.names.text(e.name))];
  }
  t.workload->finish();
  EXPECT_EQ(t.ranges("step").at("phase").size(), 3u);
  EXPECT_EQ(t.ranges("backward").at("phase").size(), 12u);
  EXPECT_EQ(t.figure("step_ms").count, 2u);
  kernels.clear();
  for (const trace::Event& e : t.sink.events) {
    if (e.kind == trace::EventKind::Kernel) ++kernels[std::string(t.sink.names.text(e.name))];
  }
  EXPECT_EQ(kernels["sgd_step"], 3);
  EXPECT_EQ(kernels["add_in_place"], 9);
  EXPECT_EQ(kernels["scale"], 12);  // loss / 4
}

// 588 KiB x 8 are 4.59375 MiB; in float16 half of it. Autocast casts on the GPU: what is copied stays the same.
TEST(DataLoader, AutocastCopiesTheSameBytesAndAHalfPrecisionInputHalf) {
  const auto bytes = [](const std::vector<std::string>& assignments) {
    Training t(assignments);
    t.run(4);
    t.workload->finish();
    std::uint64_t sum = 0;
    for (const trace::Event& e : t.sink.events) {
      const bool up =
          e.kind == trace::EventKind::Copy && trace::copy_traits_of(e).direction == trace::CopyDirection::HostToDevice;
      if (up) sum += trace::bytes_of(e);
    }
    EXPECT_DOUBLE_EQ(4 * 1024 * 1024 * t.figure("h2d_mib").mean, static_cast<double>(sum));
    return sum;
  };
  EXPECT_EQ(bytes({}), 4u * 4'816'896);
  EXPECT_EQ(bytes({"autocast=true"}), 4u * 4'816'896);
  EXPECT_EQ(bytes({"input=float16"}), 4u * 2'408'448);
  EXPECT_EQ(bytes({"input=float16", "autocast=true", "pin_memory=true"}), 4u * 2'408'448);
}

// Like Lightning's move_data_to_device with a dictionary: a copy per tensor, and a wait for each blocking one.
TEST(DataLoader, ABatchOfSeveralTensorsIsCopiedTensorByTensor) {
  for (const bool non_blocking : {false, true}) {
    Training t({"tensors=3", "sample_kib=1", "batch_size=4", non_blocking ? "non_blocking=true" : "log_interval=0"});
    t.set({"log_interval=0"});
    t.run(2);
    t.workload->finish();
    std::vector<std::uint64_t> copies;
    for (const trace::Event& e : t.sink.events) {
      if (e.kind == trace::EventKind::Copy) copies.push_back(trace::bytes_of(e));
    }
    // 1,024 floats in thirds: 342, 342 and 340.
    EXPECT_THAT(copies, ElementsAre(1368, 1368, 1360, 1368, 1368, 1360));
    EXPECT_EQ(t.calls("cudaStreamSynchronize", "CUDA calls").size(), non_blocking ? 0u : 6u);
  }
}

// Of 32 ms for a batch of 8: a tar file takes three quarters; a cache is filled in the first epoch, and takes a quarter
// from then on. One worker, so that the loads follow each other.
TEST(DataLoader, StorageChangesWhatASampleTakesToLoad) {
  const auto loads = [](const char* storage) {
    Training t({"num_workers=1", "samples=64", "persistent_workers=true", storage});
    t.run(24);
    std::vector<double> ms(3);
    const auto ranges = t.ranges("load batch").at("worker 0");
    for (std::size_t i = 0; i < 24; ++i) ms[i / 8] += base::to_us(ranges.at(i).duration()) / 1000 / 8;
    return ms;
  };
  // 0.48 ms of each are the copy of its bytes.
  const std::vector<double> files = loads("storage=files"), tarred = loads("storage=tarred");
  const std::vector<double> cached = loads("storage=cached");
  for (const std::size_t epoch : {0, 1, 2}) {
    EXPECT_NEAR(files[epoch], 32, 2);
    EXPECT_NEAR(tarred[epoch], 24, 2);
  }
  EXPECT_NEAR(cached[0], 32, 2);
  EXPECT_NEAR(cached[1], 8, 2);
  EXPECT_NEAR(cached[2], 8, 2);
}

TEST(DataLoader, AChangeOfTheLoaderMakesANewOneAndOthersDoNot) {
  Training t({"num_workers=2"});
  t.run(5);
  t.set({"non_blocking=true", "model_ms=2", "load_ms=1", "log_interval=3", "sample_kib=10"});
  t.run(5);
  EXPECT_TRUE(t.ranges("new loader").empty());
  const std::vector<std::string> changes = {"num_workers=3",           "prefetch_factor=3", "pin_memory=true",
                                            "persistent_workers=true", "batch_size=4",      "num_workers=1"};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    t.set({changes[i]});
    t.run(3);
    EXPECT_EQ(t.ranges("new loader").at("phase").size(), i + 1) << changes[i];
    EXPECT_EQ(t.ranges("iter(loader)").at("phase").size(), i + 2) << changes[i];
  }
  EXPECT_EQ(t.figure("outstanding").last, 3);
  t.set({"num_workers=0"});
  EXPECT_THROW(t.run(1), base::UsageError);
}

TEST(DataLoader, IsTheSameForASeed) {
  Training a, b, c({"seed=2"});
  const double first = a.run(100);
  EXPECT_EQ(b.run(100), first);
  EXPECT_NE(c.run(100), first);
  EXPECT_NEAR(base::to_us(c.device->now_ns()) / 1000, first, 0.05 * first);
}

TEST(DataLoader, RefusesWhatPyTorchRefuses) {
  RecordingDevice device;
  const auto error_of = [&](const std::vector<std::string>& assignments) -> std::string {
    Settings settings = default_settings("dataloader", device.info());
    for (const std::string& assignment : assignments) settings.assign(assignment);
    try {
      check_settings("dataloader", settings);
    } catch (const base::UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({"num_workers=0"}), "");
  EXPECT_EQ(error_of({"num_workers=1", "prefetch_factor=4", "persistent_workers=true"}), "");
  EXPECT_EQ(error_of({"num_workers=0", "prefetch_factor=4"}),
            "prefetch_factor=4 with num_workers=0: prefetch_factor could only be specified in multiprocessing; "
            "allowed: num_workers > 0, or prefetch_factor=0 (not given)");
  EXPECT_EQ(error_of({"num_workers=0", "persistent_workers=true"}),
            "persistent_workers=true with num_workers=0: persistent_workers option needs num_workers > 0; allowed: "
            "num_workers > 0, or persistent_workers=false");
  // 64 * 64 + 1 batches of 32 samples of 588 KiB.
  EXPECT_EQ(
      error_of({"num_workers=64", "prefetch_factor=64", "batch_size=32"}),
      "num_workers=64 prefetch_factor=64 batch_size=32 sample_kib=588: the batches take 75282 MiB of host memory; "
      "at most 32768 are allowed");
}

// Without workers it runs on any device, and issues what PyTorch does.
TEST(DataLoader, CallsOfAnIterationWithoutWorkers) {
  RecordingDevice device;
  const auto workload = make_workload("dataloader", device);
  Settings settings = default_settings("dataloader", device.info());
  for (const char* assignment : {"num_workers=0", "pin_memory=true", "log_interval=1", "sample_kib=1"}) {
    settings.assign(assignment);
  }
  workload->set_up(settings);
  workload->iterate(0, settings);
  device.take_log();
  workload->iterate(1, settings);
  EXPECT_THAT(device.take_log(),
              ElementsAre("cudaMemcpyAsync pinned->device 8192", "cudaStreamSynchronize", "spin 1x1x1", "spin 1x1x1",
                          "sgd_step 1000000x1x1", "cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"));
  EXPECT_THAT(
      device.recorded().names_on(trace::LaneKind::Phases),
      ElementsAre("set up", "iter(loader)", "load batch here", "next(loader)", "copy", "forward", "backward", "step",
                  "item()", "load batch here", "next(loader)", "copy", "forward", "backward", "step", "item()"));
}

}  // namespace
}  // namespace lanescope::workload
