// Other threads of the program, in virtual time: hand-calculated schedules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using testing::ElementsAre;

/// "name index thread [start, end)", in milliseconds.
std::vector<std::string> ranges(const Rig& rig) {
  std::vector<std::string> found;
  for (const trace::Event& e : rig.sink.events) {
    if (e.kind != trace::EventKind::Range) continue;
    found.push_back(std::string(rig.text(e.name)) + " " + std::to_string(trace::index_of(e)) + " " +
                    rig.sink.lanes[e.lane].name + " " + testing::PrintToString(base::to_us(e.start_ns) / 1000) + "-" +
                    testing::PrintToString(base::to_us(e.end_ns) / 1000));
  }
  return found;
}

Rig rig_with_cores(double cores) {
  DeviceProfile profile = parse_profile(round_profile_text(), "round.toml");
  profile.cpu.cores = cores;
  return Rig(profile);
}

Device::HostWork busy(double ms, std::uint32_t index) { return {"load", us(ms * 1000), {}, {}, 0, index}; }

TEST(HostThreads, EachDoesOneTaskAtATimeInOrder) {
  Rig rig;
  const HostThread a = rig->create_host_thread("worker 0"), b = rig->create_host_thread("worker 1");
  const HostTask first = rig->submit(a, busy(3, 0), HostTask::None);
  rig->submit(b, busy(5, 1), HostTask::None);
  rig->submit(a, busy(3, 2), HostTask::None);
  const HostTask last = rig->submit(b, busy(1, 3), HostTask::None);
  EXPECT_FALSE(rig->ended(first));
  rig->host_work(us(2999));
  EXPECT_FALSE(rig->ended(first));
  rig->host_work(us(1));
  EXPECT_TRUE(rig->ended(first));
  rig->wait_for(last, "wait");
  EXPECT_EQ(rig->now_ns(), us(6000));
  rig->wait_for(last, "wait");  // it has ended: no wait, no range
  EXPECT_THAT(ranges(rig), ElementsAre("load 0 worker 0 0-3", "load 1 worker 1 0-5", "load 2 worker 0 3-6",
                                       "load 3 worker 1 5-6", "wait 0 waiting 3-6"));
  EXPECT_EQ(rig.sink.lanes[rig.sink.events.front().lane].tid, 1);
  EXPECT_EQ(rig.sink.lanes[rig.sink.events.back().lane].tid, 0);
  EXPECT_TRUE(trace::is_host_wait(rig.sink.events.back()));
}

// Batch 1 is loaded before batch 0, so it is pinned first, although it was requested later.
TEST(HostThreads, WhatComesAfterOthersIsDoneInTheOrderOfTheirEnds) {
  Rig rig;
  const HostThread a = rig->create_host_thread("worker 0"), b = rig->create_host_thread("worker 1");
  const HostThread pin = rig->create_host_thread("pin thread");
  const HostTask load0 = rig->submit(a, busy(4, 0), HostTask::None);
  const HostTask pin0 = rig->submit(pin, busy(2, 10), load0);
  const HostTask load1 = rig->submit(b, busy(3, 1), HostTask::None);
  const HostTask pin1 = rig->submit(pin, busy(2, 11), load1);
  rig->wait_for(pin0, "wait");
  EXPECT_EQ(rig->now_ns(), us(7000));
  EXPECT_TRUE(rig->ended(pin1));
  // A task that comes after one that has ended is ready at once.
  rig->wait_for(rig->submit(pin, busy(1, 12), load0), "wait");
  EXPECT_THAT(ranges(rig), ElementsAre("load 1 worker 1 0-3", "load 0 worker 0 0-4", "load 11 pin thread 3-5",
                                       "load 10 pin thread 5-7", "wait 0 waiting 0-7", "load 12 pin thread 7-8",
                                       "wait 0 waiting 7-8"));
}

// Two cores and three threads: each at 2/3. The first (2 ms) ends at 3 and has taken 1.33 ms of the others' time; then
// two are alone with two cores: the second (4 ms) has done 2 and ends at 5, the third (6 ms) at 7. At 5 a fourth task
// of 2 ms begins on the first thread; with two threads at work nobody is slowed: it ends at 7, too.
TEST(HostThreads, MoreThanTheCoresSlowEachOtherDown) {
  Rig rig = rig_with_cores(2);
  std::vector<HostThread> threads;
  std::vector<HostTask> tasks;
  for (const std::uint32_t i : {0u, 1u, 2u}) {
    threads.push_back(rig->create_host_thread("t" + std::to_string(i)));
    tasks.push_back(rig->submit(threads.back(), busy(2 + 2 * i, i), HostTask::None));
  }
  rig->submit(threads[0], busy(2, 3), tasks[1]);
  rig->wait_for(tasks[2], "wait");
  EXPECT_THAT(ranges(rig),
              ElementsAre("load 0 t0 0-3", "load 1 t1 0-5", "load 2 t2 0-7", "load 3 t0 5-7", "wait 0 waiting 0-7"));
}

// A second thread on the one core from 1 ms on: what is left of the first task, 3 ms, takes 6 - until the second (2 ms)
// has ended at 5, with 1 ms of the first left.
TEST(HostThreads, ATaskThatComesInBetweenSlowsTheOneAtWork) {
  Rig rig = rig_with_cores(1);
  const HostThread a = rig->create_host_thread("a"), b = rig->create_host_thread("b");
  const HostTask first = rig->submit(a, busy(4, 0), HostTask::None);
  rig->host_work(us(1000));
  rig->submit(b, busy(2, 1), HostTask::None);
  rig->wait_for(first, "wait");
  EXPECT_THAT(ranges(rig), ElementsAre("load 1 b 1-5", "load 0 a 0-6", "wait 0 waiting 1-6"));
}

// 1,000,000 bytes at 10 GB/s are 0.1 ms, and the page faults of as many 100 us / MiB: 95.367 us, once.
TEST(HostThreads, CopiesTakeTimeAndMoveBytesWhenTheyEnd) {
  Rig rig;
  const Buffer from = rig->allocate(MemoryKind::Pageable, 1'000'000);
  const Buffer to = rig->allocate(MemoryKind::Pageable, 1'000'000);
  rig->host_data(from)[999'999] = std::byte{5};
  const HostThread thread = rig->create_host_thread("a");
  const Device::HostWork work{"copy", us(1000), to, from, 1'000'000, 0};
  const HostTask first = rig->submit(thread, work, HostTask::None);
  EXPECT_FALSE(rig->host_read(to, 1));
  EXPECT_THROW(rig->release(to), base::Error);
  rig->wait_for(first, "wait");
  EXPECT_NEAR(base::to_us(rig->now_ns()), 1000 + 100 + 95.367, 0.001);
  EXPECT_TRUE(rig->host_read(to, 1));
  EXPECT_EQ(rig->host_data(to)[999'999], std::byte{5});
  const Nanoseconds before = rig->now_ns();
  const HostTask second = rig->submit(thread, work, HostTask::None);
  rig->host_data(from)[999'999] = std::byte{6};
  rig->host_work(us(1099.999));
  EXPECT_EQ(rig->host_data(to)[999'999], std::byte{5});
  rig->wait_for(second, "wait");
  EXPECT_EQ(rig->host_data(to)[999'999], std::byte{6});
  EXPECT_EQ(rig->now_ns() - before, us(1100));
  rig->release(to);
}

TEST(HostThreads, APinnedBufferGoesOnToTheGpuWithTheBytesOfItsTask) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 1000);
  const Buffer source = rig->allocate(MemoryKind::Pageable, 1000);
  const HostThread thread = rig->create_host_thread("pin thread");
  for (const auto value : {std::byte{1}, std::byte{2}}) {
    rig->host_data(source)[0] = value;
    rig->wait_for(rig->submit(thread, {"pin", 0, rig.host, source, 1000, 0}, HostTask::None), "wait");
    rig->copy({rig.gpu}, {rig.host}, 1000);
    rig->host_data(rig.host)[0] = std::byte{0};
    rig->copy({rig.host}, {rig.gpu}, 1000);
    EXPECT_EQ(rig->host_data(rig.host)[0], value);
  }
}

// No range that ends before t is written after complete_until(t), however the clock moves.
TEST(HostThreads, TheRecordIsCompleteAsFarAsItSays) {
  Rig rig = rig_with_cores(1.5);
  const HostThread threads[] = {rig->create_host_thread("a"), rig->create_host_thread("b")};
  const HostThread pin = rig->create_host_thread("pin");
  HostTask task = HostTask::None;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const HostTask load = rig->submit(threads[i % 2], busy(0.1 * (1 + i * 7 % 11), i), HostTask::None);
    task = rig->submit(pin, busy(0.05, i), load);
    rig.kernel(100 + 10 * i);
    if (i % 3 == 0) rig->synchronize();
    if (i % 5 == 0) rig->wait_for(task, "wait");
    rig->host_work(us(30));
  }
  rig.close();
  std::size_t told = 0, late = 0;
  for (std::size_t i = 0; i < rig.sink.events.size(); ++i) {
    const trace::Event& e = rig.sink.events[i];
    while (told < rig.sink.complete.size() && rig.sink.complete_after[told] <= i) ++told;
    const Nanoseconds complete = told == 0 ? 0 : rig.sink.complete[told - 1];
    late += (e.kind == trace::EventKind::Range ? e.end_ns : e.start_ns) < complete;
  }
  EXPECT_EQ(late, 0u);
  EXPECT_GT(told, 100u);
  EXPECT_TRUE(std::is_sorted(rig.sink.complete.begin(), rig.sink.complete.end()));
}

/// Asks for an event and allocates, as a pin thread does.
class Pinned final : public HostDestination {
 public:
  explicit Pinned(std::size_t bytes, GpuEvent event = GpuEvent::None) : bytes_(bytes), event_(event) {}
  Buffer find(HostThreadCalls& calls) override {
    if (event_ != GpuEvent::None) happened = calls.query(event_);
    return found = calls.allocate_pinned(bytes_);
  }
  Buffer found = Buffer::None;
  bool happened = false;

 private:
  const std::size_t bytes_;
  const GpuEvent event_;
};

std::string stretch(Nanoseconds from, Nanoseconds to) {
  return testing::PrintToString(base::to_us(from) / 1000) + "-" + testing::PrintToString(base::to_us(to) / 1000);
}

std::vector<std::string> thread_calls(const Rig& rig) {
  std::vector<std::string> found;
  for (const trace::Event& e : rig.sink.events) {
    const trace::LaneInfo& lane = rig.sink.lanes[e.lane];
    if (e.kind != trace::EventKind::Call || lane.tid == 0) continue;
    found.push_back(lane.name + ": " + std::string(rig.text(e.name)) + " " + stretch(e.start_ns, e.end_ns));
  }
  return found;
}

// A batch of 1,048,576 bytes is loaded until 3 ms. The pin thread then asks for an event (1 us) and allocates 1 MiB:
// 100 us and 1,000 per MiB; its copy at 10 GB/s is 104.8576 us (pinned pages are not fresh). The program's own thread
// makes no call, and is where it would be without them.
TEST(HostThreads, AThreadAllocatesForItselfWhenItsTaskBegins) {
  Rig rig;
  const std::size_t bytes = 1 << 20;
  const Buffer from = rig->allocate(MemoryKind::Pageable, bytes);
  rig->host_data(from)[bytes - 1] = std::byte{7};
  const GpuEvent event = rig->create_event();
  const Nanoseconds began = rig->now_ns();
  const HostThread worker = rig->create_host_thread("worker 0"), pin = rig->create_host_thread("pin thread");
  const auto pinned = std::make_shared<Pinned>(bytes, event);
  Device::HostWork work{"pin", 0, {}, from, bytes, 5};
  work.destination = pinned;
  const HostTask task = rig->submit(pin, work, rig->submit(worker, busy(3, 0), HostTask::None));
  rig->host_work(us(2999));
  EXPECT_EQ(pinned->found, Buffer::None);
  rig->host_work(us(1));
  EXPECT_TRUE(pinned->happened);
  ASSERT_NE(pinned->found, Buffer::None);
  EXPECT_EQ(rig->now_ns() - began, us(3000));
  EXPECT_FALSE(rig->ended(task));
  EXPECT_THROW(rig->release(pinned->found), base::Error);
  rig->wait_for(task, "wait");
  EXPECT_NEAR(base::to_us(rig->now_ns() - began), 3000 + 1 + 1100 + 104.858, 0.01);
  EXPECT_EQ(rig->host_data(pinned->found)[bytes - 1], std::byte{7});
  EXPECT_THAT(thread_calls(rig),
              ElementsAre("CUDA calls, pin thread: cudaEventQuery " + stretch(began + us(3000), began + us(3001)),
                          "CUDA calls, pin thread: cudaHostAlloc " + stretch(began + us(3001), began + us(4101))));
  EXPECT_THAT(rig.calls("cudaHostAlloc"), testing::SizeIs(1));
  EXPECT_THAT(ranges(rig), testing::Contains(testing::StartsWith("pin 5 pin thread ")));
}

// The calls of a thread are neither slowed by other threads nor slow them: on one core, a task of 2 ms ends at 2
// although the pin thread allocates meanwhile; that thread's copy then has the core to itself.
TEST(HostThreads, TheCallsOfAThreadAreItsOwn) {
  Rig rig = rig_with_cores(1);
  const std::size_t bytes = 1 << 20;
  const Buffer from = rig->allocate(MemoryKind::Pageable, bytes);
  const HostThread worker = rig->create_host_thread("worker 0"), pin = rig->create_host_thread("pin thread");
  Device::HostWork work{"pin", us(900), {}, from, 0, 0};
  work.destination = std::make_shared<Pinned>(bytes);
  const HostTask pinned = rig->submit(pin, work, HostTask::None);
  const HostTask load = rig->submit(worker, busy(1, 0), HostTask::None);
  rig->wait_for(load, "wait");
  EXPECT_EQ(rig->now_ns(), us(1000));
  rig->wait_for(pinned, "wait");
  EXPECT_EQ(rig->now_ns(), us(1100 + 900));
}

TEST(HostThreads, AThreadThatIsAtACallWhenTheProgramEndsComesBack) {
  Rig rig;
  const Buffer from = rig->allocate(MemoryKind::Pageable, 1 << 20);
  const HostThread pin = rig->create_host_thread("pin thread");
  Device::HostWork work{"pin", 0, {}, from, 1 << 20, 0};
  work.destination = std::make_shared<Pinned>(1 << 20);
  rig->submit(pin, work, HostTask::None);
  rig->submit(pin, work, HostTask::None);
  rig->host_work(us(500));
  rig.close();
  EXPECT_THAT(thread_calls(rig), ElementsAre("CUDA calls, pin thread: cudaHostAlloc 0-1.1"));
  EXPECT_EQ(rig.sink.complete.back(), us(1100));
}

TEST(HostThreads, AreCutShortWhenTheProgramEnds) {
  Rig rig;
  const HostThread thread = rig->create_host_thread("a");
  rig->submit(thread, busy(2, 0), HostTask::None);
  rig->submit(thread, busy(2, 1), HostTask::None);
  rig->submit(thread, busy(2, 2), HostTask::None);
  rig->host_work(us(3000));
  rig.close();
  EXPECT_THAT(ranges(rig), ElementsAre("load 0 a 0-2", "load 1 a 2-3"));
}

TEST(HostThreads, AThreadOfTheSameNameTakesOverTheLaneOfOneThatIsDone) {
  Rig rig;
  const HostThread first = rig->create_host_thread("worker 0");
  rig->submit(first, busy(1, 0), HostTask::None);
  rig->end_host_thread(first);
  const HostThread second = rig->create_host_thread("worker 0");  // the first is still at work
  rig->submit(second, busy(2, 1), HostTask::None);
  rig->host_work(us(2000));
  const HostThread third = rig->create_host_thread("worker 0");
  rig->wait_for(rig->submit(third, busy(1, 2), HostTask::None), "wait");
  std::vector<std::int64_t> tids;
  for (const trace::Event& e : rig.sink.events) tids.push_back(rig.sink.lanes[e.lane].tid);
  EXPECT_THAT(tids, ElementsAre(1, 2, 1, 0));
}

TEST(HostThreads, MistakesAreNamed) {
  Rig rig;
  rig.make_buffers(MemoryKind::Pinned, 100);
  const HostThread thread = rig->create_host_thread("a");
  const auto error_of = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const base::Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of([&] { rig->ended(HostTask::None); }), "host task 0 was never submitted");
  EXPECT_EQ(error_of([&] { rig->wait_for(static_cast<HostTask>(7), "w"); }), "host task 7 was never submitted");
  EXPECT_EQ(error_of([&] { rig->submit(HostThread::None, busy(1, 0), HostTask::None); }),
            "submit: host thread 0 was never created");
  EXPECT_EQ(error_of([&] { rig->submit(thread, busy(-1, 0), HostTask::None); }),
            "submit: -1000000 ns is not allowed; at least 0");
  EXPECT_EQ(error_of([&] {
              rig->submit(thread, {"c", 0, rig.host, rig.gpu, 100, 0}, HostTask::None);
            }),
            "submit: a buffer is on the device; allowed: pageable, pinned");
  EXPECT_EQ(error_of([&] {
              rig->submit(thread, {"c", 0, rig.host, rig.host, 101, 0}, HostTask::None);
            }),
            "submit: 101 bytes at offset 0 do not fit in a buffer of 100 bytes");
  rig->end_host_thread(thread);
  EXPECT_EQ(error_of([&] { rig->submit(thread, busy(1, 0), HostTask::None); }),
            "submit: host thread 1 has already ended");
  EXPECT_EQ(error_of([&] { rig->end_host_thread(thread); }), "end_host_thread: host thread 1 has already ended");
}

}  // namespace
}  // namespace lanescope::device::sim
