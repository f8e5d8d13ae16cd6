// Other threads of the program, in real time, on a device with a fake GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "cuda/rig.h"
#include "workload/workload.h"

namespace lanescope::device::cuda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Nanoseconds kMs = base::kMillisecond;

/// Accepts events from any thread, and checks that every writer keeps its promise (complete_until).
class SharedSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    const std::lock_guard lock(mutex_);
    const auto known = std::find(lanes_.begin(), lanes_.end(), info);
    if (known != lanes_.end()) return static_cast<trace::LaneId>(known - lanes_.begin());
    lanes_.push_back(info);
    return static_cast<trace::LaneId>(lanes_.size() - 1);
  }
  trace::NameId name(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    return names_.intern(text);
  }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  /// The ranges of a lane, as written.
  std::vector<trace::Event> on(std::string_view lane_name, trace::EventKind kind = trace::EventKind::Range) const {
    const std::lock_guard lock(mutex_);
    std::vector<trace::Event> found;
    for (const trace::Event& e : events_) {
      if (e.kind == kind && lanes_[e.lane].name == lane_name) found.push_back(e);
    }
    return found;
  }
  std::vector<std::string> written_on(std::string_view lane_name) const {
    std::vector<std::string> found;
    for (const trace::Event& e : on(lane_name)) {
      found.push_back(std::string(names_.text(e.name)) + " " + std::to_string(trace::index_of(e)));
    }
    return found;
  }
  std::int64_t tid_of(const trace::Event& e) const {
    const std::lock_guard lock(mutex_);
    return lanes_[e.lane].tid;
  }
  std::size_t lane_count() const {
    const std::lock_guard lock(mutex_);
    return lanes_.size();
  }
  /// Waits until every writer except the device's own has reported progress beyond t; false if that takes too long.
  bool complete_beyond(Nanoseconds t) {
    std::unique_lock lock(mutex_);
    return told_.wait_for(lock, std::chrono::seconds(60), [&] {
      return std::all_of(writers_.begin(), writers_.end(),
                         [&](const Writer* writer) { return writer == first_ || writer->told > t; });
    });
  }

 private:
  struct Writer final : trace::EventWriter {
    explicit Writer(SharedSink& s) : sink(s) {
      const std::lock_guard lock(sink.mutex_);
      if (sink.first_ == nullptr) sink.first_ = this;
      sink.writers_.insert(this);
    }
    ~Writer() override {
      const std::lock_guard lock(sink.mutex_);
      sink.writers_.erase(this);
      sink.told_.notify_all();
    }
    void write(const trace::Event& event) noexcept override {
      const std::lock_guard lock(sink.mutex_);
      EXPECT_GE(event.kind == trace::EventKind::Range ? event.end_ns : event.start_ns, told);
      sink.events_.push_back(event);
    }
    void complete_until(Nanoseconds t) noexcept override {
      const std::lock_guard lock(sink.mutex_);
      EXPECT_GE(t, told);
      told = t;
      sink.told_.notify_all();
    }
    SharedSink& sink;
    Nanoseconds told = -1;
  };

  mutable std::mutex mutex_;
  std::condition_variable told_;
  base::NameTable names_;
  std::vector<trace::LaneInfo> lanes_;
  std::vector<trace::Event> events_;
  std::set<const Writer*> writers_;
  const Writer* first_ = nullptr;
};

class RealThreads : public testing::Test {
 protected:
  RealThreads() {
    recording->health.state = trace::CaptureState::Running;
    DeviceContext context;
    context.sink = &sink;
    device = std::make_unique<CudaDevice>(std::make_unique<FakeApi>(gpu), std::make_unique<FakeCapture>(recording),
                                          fake_gpu_info(0), context, monotonic_ns());
  }
  static Device::HostWork busy(Nanoseconds ns, std::uint32_t index) { return {"load", ns, {}, {}, 0, index}; }

  SharedSink sink;
  std::shared_ptr<FakeGpu> gpu = std::make_shared<FakeGpu>();
  std::shared_ptr<FakeRecording> recording = std::make_shared<FakeRecording>();
  std::unique_ptr<CudaDevice> device;
};

TEST_F(RealThreads, DoTheirTasksInOrderAndTakeTheirTime) {
  const HostThread a = device->create_host_thread("a"), b = device->create_host_thread("b");
  const HostTask first = device->submit(a, busy(3 * kMs, 0), HostTask::None);
  const HostTask other = device->submit(b, busy(kMs / 20, 1), HostTask::None);
  const HostTask last = device->submit(a, busy(kMs, 2), HostTask::None);
  device->wait_for(last, "wait");
  EXPECT_TRUE(device->ended(first));
  device->wait_for(other, "wait");
  device->wait_for(last, "wait");
  EXPECT_THAT(sink.written_on("a"), ElementsAre("load 0", "load 2"));
  EXPECT_THAT(sink.written_on("b"), ElementsAre("load 1"));
  const auto on_a = sink.on("a");
  EXPECT_GE(on_a[0].duration(), 3 * kMs);
  EXPECT_GE(on_a[1].duration(), kMs);
  EXPECT_GE(on_a[1].start_ns, on_a[0].end_ns);
  EXPECT_EQ(sink.tid_of(on_a[0]), 1);
  // One wait for `last`, perhaps one for `other`, and none for what had ended.
  const auto waits = sink.on("waiting");
  ASSERT_GE(waits.size(), 1u);
  EXPECT_LE(waits.size(), 2u);
  EXPECT_TRUE(trace::is_host_wait(waits[0]));
  EXPECT_GE(waits[0].end_ns, on_a[1].end_ns);
  EXPECT_EQ(sink.tid_of(waits[0]), 0);
}

TEST_F(RealThreads, WhatComesAfterAnotherIsDoneInTheOrderOfTheEnds) {
  const HostThread a = device->create_host_thread("a"), b = device->create_host_thread("b");
  const HostThread pin = device->create_host_thread("pin");
  // a's task depends on b's, so that it ends later however slow this machine is.
  const HostTask second = device->submit(b, busy(kMs, 0), HostTask::None);
  const HostTask first = device->submit(a, busy(kMs, 0), second);
  const HostTask pinned_first = device->submit(pin, busy(0, 10), first);
  device->submit(pin, busy(0, 11), second);
  device->wait_for(pinned_first, "wait");
  device->wait_for(device->submit(pin, busy(0, 12), first), "wait");  // ready at once
  EXPECT_THAT(sink.written_on("pin"), ElementsAre("load 11", "load 10", "load 12"));
}

TEST_F(RealThreads, CopyRealBytes) {
  const Buffer from = device->allocate(MemoryKind::Pageable, 1'000'000);
  const Buffer between = device->allocate(MemoryKind::Pageable, 1'000'000);
  const Buffer to = device->allocate(MemoryKind::Pinned, 1'000'000);
  const HostThread a = device->create_host_thread("a"), b = device->create_host_thread("b");
  for (const auto value : {std::byte{1}, std::byte{2}}) {
    std::ranges::fill(device->host_data(from), value);
    // So long that it is still under way when the buffer is released, however slow this machine is.
    const HostTask load = device->submit(a, {"load", 200 * kMs, between, from, 1'000'000, 0}, HostTask::None);
    const HostTask pin = device->submit(b, {"pin", 0, to, between, 1'000'000, 0}, load);
    EXPECT_THAT(error_of([&] { device->release(to); }), HasSubstr("still uses the buffer"));
    device->wait_for(pin, "wait");
    EXPECT_EQ(device->host_data(to)[999'999], value);
  }
  EXPECT_THAT(error_of([&] {
                device->submit(a, {"load", 0, to, from, 1'000'001, 0}, HostTask::None);
              }),
              HasSubstr("1000001 bytes do not fit in a buffer of 1000000 bytes"));
  device->release(to);
}

// The live edge is the earliest of all writers' progress: neither idle nor busy threads, nor those that have ended, may
// hold it back.
TEST_F(RealThreads, DoNotHoldBackTheLiveEdge) {
  const HostThread busy_one = device->create_host_thread("busy");
  device->create_host_thread("idle");
  device->end_host_thread(device->create_host_thread("gone"));
  device->submit(busy_one, busy(3'600 * base::kSecond, 0), HostTask::None);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sink.complete_beyond(device->now_ns()));
  device.reset();  // cuts the hour short
  const auto cut = sink.on("busy");
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_LT(cut[0].duration(), 600 * base::kSecond);
}

TEST_F(RealThreads, ComeAndGoOnTheirLanes) {
  HostTask task = HostTask::None;
  for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<HostThread> threads;
    for (const char* name : {"worker 0", "worker 1", "worker 2"}) {
      threads.push_back(device->create_host_thread(name));
      for (std::uint32_t i = 0; i < 5; ++i) task = device->submit(threads.back(), busy(1000, i), task);
    }
    device->wait_for(task, "wait");
    for (const HostThread thread : threads) device->end_host_thread(thread);
    EXPECT_THROW(device->submit(threads[0], busy(0, 0), HostTask::None), base::Error);
  }
  EXPECT_EQ(sink.on("worker 0").size(), 100u);
  EXPECT_EQ(sink.on("worker 2").size(), 100u);
  EXPECT_EQ(sink.lane_count(), 4u);  // three, and the waits
}

class Pinned final : public HostDestination {
 public:
  explicit Pinned(std::size_t bytes, GpuEvent event = GpuEvent::None) : bytes_(bytes), event_(event) {}
  Buffer find(HostThreadCalls& calls) override {
    thread = std::this_thread::get_id();
    if (event_ != GpuEvent::None) happened = calls.query(event_);
    return found = calls.allocate_pinned(bytes_);
  }
  Buffer found = Buffer::None;
  bool happened = true;
  std::thread::id thread;

 private:
  const std::size_t bytes_;
  const GpuEvent event_;
};

// cudaHostAlloc is called on the pin thread, on which the GPU was made current before.
TEST_F(RealThreads, AllocateForThemselves) {
  const Buffer from = device->allocate(MemoryKind::Pageable, 1000);
  std::ranges::fill(device->host_data(from), std::byte{3});
  const GpuEvent event = device->create_event();
  const HostThread pin = device->create_host_thread("pin thread");
  const auto pinned = std::make_shared<Pinned>(1024, event);
  Device::HostWork work{"pin", 0, {}, from, 1000, 0};
  work.destination = pinned;
  gpu->busy = true;
  const int contexts = gpu->contexts;
  const HostTask task = device->submit(pin, work, HostTask::None);
  EXPECT_EQ(gpu->count("free_host"), 0);
  device->wait_for(task, "wait");
  EXPECT_NE(pinned->thread, std::this_thread::get_id());
  EXPECT_FALSE(pinned->happened);
  EXPECT_EQ(gpu->contexts, contexts + 1);
  EXPECT_EQ(gpu->count("host_alloc"), 1);
  ASSERT_EQ(device->host_data(pinned->found).size(), 1024u);
  EXPECT_EQ(device->host_data(pinned->found)[999], std::byte{3});
  EXPECT_EQ(device->host_data(pinned->found)[1000], std::byte{0});
  // The buffer is one like any other.
  const Buffer on_gpu = device->allocate(MemoryKind::Device, 1000);
  device->copy({on_gpu}, {pinned->found}, 1000);
  device->wait_for(device->submit(pin, work, HostTask::None), "wait");
  EXPECT_EQ(gpu->contexts, contexts + 1);
  device->release(pinned->found);
}

// If nothing else records the calls, the device does, on the thread's lane.
TEST_F(RealThreads, TheirCallsStandOnTheirLaneWithoutACapture) {
  device.reset();
  recording->health.state = trace::CaptureState::Unavailable;
  DeviceContext context;
  context.sink = &sink;
  device = std::make_unique<CudaDevice>(std::make_unique<FakeApi>(gpu), std::make_unique<FakeCapture>(recording),
                                        fake_gpu_info(0), context, monotonic_ns());
  const Buffer from = device->allocate(MemoryKind::Pageable, 1000);
  const HostThread pin = device->create_host_thread("pin thread");
  Device::HostWork work{"pin", 0, {}, from, 1000, 0};
  work.destination = std::make_shared<Pinned>(1024);
  device->wait_for(device->submit(pin, work, HostTask::None), "wait");
  const auto calls = sink.on("CUDA calls, pin thread", trace::EventKind::Call);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(sink.tid_of(calls[0]), sink.tid_of(sink.on("pin thread")[0]));
  EXPECT_TRUE(sink.on("CUDA calls", trace::EventKind::Call).empty());
}

// The call that waits for a task reports an error on its thread, as PyTorch's pin thread does.
TEST_F(RealThreads, WhatFailsOnOneIsThrownToWhoWaits) {
  const Buffer from = device->allocate(MemoryKind::Pageable, 1000);
  const HostThread pin = device->create_host_thread("pin thread");
  Device::HostWork work{"pin", 0, {}, from, 1000, 0};
  work.destination = std::make_shared<Pinned>(1024);
  gpu->fail("host_alloc", 1, kOutOfMemory);
  const HostTask task = device->submit(pin, work, HostTask::None);
  EXPECT_THAT(error_of([&] { device->wait_for(task, "wait"); }),
              HasSubstr("cudaHostAlloc failed: cudaErrorMemoryAllocation (2): out of memory"));
  EXPECT_THAT(error_of([&] { device->wait_for(task, "wait"); }), HasSubstr("out of memory"));
  device->wait_for(device->submit(pin, work, HostTask::None), "wait");  // the next one works
  work.destination = std::make_shared<Pinned>(999);
  EXPECT_THAT(error_of([&] { device->wait_for(device->submit(pin, work, HostTask::None), "wait"); }),
              HasSubstr("1000 bytes do not fit in a buffer of 999 bytes"));
  gpu->fail("host_alloc", 1, 700);
  work.destination = std::make_shared<Pinned>(1024);
  const HostTask lost = device->submit(pin, work, HostTask::None);
  EXPECT_THAT(error_of<DeviceLost>([&] { device->wait_for(lost, "wait"); }),
              HasSubstr("an illegal memory access was encountered; the device is lost"));
  EXPECT_THAT(error_of<DeviceLost>([&] { device->synchronize(); }), HasSubstr("cudaHostAlloc failed"));
}

TEST_F(RealThreads, FeedTheDataLoader) {
  gpu->keep_log = false;
  workload::Settings settings = workload::default_settings("dataloader", device->info());
  for (const char* assignment : {"num_workers=3", "pin_memory=true", "samples=40", "load_ms=0.02", "sample_kib=4",
                                 "worker_start_ms=0.1", "model_ms=0", "dispatch_us=0"}) {
    settings.assign(assignment);
  }
  const auto training = workload::make_workload("dataloader", *device);
  training->set_up(settings);
  for (std::uint64_t i = 0; i < 60; ++i) {  // 12 epochs of 5 batches
    if (i == 30) settings.assign("persistent_workers=true");
    if (i == 45) settings.assign("batch_size=4");
    training->iterate(i, settings);
  }
  training->finish();
  // Epochs 0 to 5, 6 to 8 and the newest, of ten batches: each pinned by one thread.
  EXPECT_GE(sink.on("pin thread").size(), 30u + 15 + 10);
  EXPECT_THAT(sink.written_on("worker 0"), Contains("load batch 3").Times(testing::Ge(10)));
  EXPECT_THAT(sink.written_on("worker 0"), Contains("start worker 0").Times(6 + 1 + 1));
  // Six batches are outstanding and the program has one more. The smaller last batches have their own blocks, and
  // item() has four bytes.
  EXPECT_GE(gpu->count("host_alloc"), 3);
  EXPECT_LE(gpu->count("host_alloc"), 2 * (6 + 1 + 1) + 1);
  device.reset();
}

// The program ends and destroys its workload while the pin thread still has batches.
TEST_F(RealThreads, EndWithBatchesThatAreStillToBePinned) {
  gpu->keep_log = false;
  workload::Settings settings = workload::default_settings("dataloader", device->info());
  for (const char* assignment : {"num_workers=4", "pin_memory=true", "samples=400", "load_ms=0.3", "sample_kib=4",
                                 "worker_start_ms=0", "model_ms=0", "dispatch_us=0", "prefetch_factor=8"}) {
    settings.assign(assignment);
  }
  {
    const auto training = workload::make_workload("dataloader", *device);
    training->set_up(settings);
    for (std::uint64_t i = 0; i < 3; ++i) training->iterate(i, settings);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  device.reset();
  EXPECT_EQ(gpu->pinned.size(), 0u);
}

}  // namespace
}  // namespace lanescope::device::cuda
