// What the GPU did: CUPTI's records, in bursts and continuously; what is dropped is counted.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;

std::size_t count(const Messages& m, wire::RecordingAct act) {
  return static_cast<std::size_t>(
      std::count_if(m.recordings.begin(), m.recordings.end(), [&](const auto& r) { return r.act == act; }));
}
std::int64_t delivered(const Messages& m) {
  std::int64_t until = 0;
  for (const auto& r : m.recordings) {
    if (r.act == wire::RecordingAct::Delivered) until = std::max(until, r.time_ns);
  }
  return until;
}

/// From On to Off; one that has not ended lasts for ever.
std::vector<std::pair<std::int64_t, std::int64_t>> bursts_of(const Messages& m) {
  std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
  for (const auto& r : m.recordings) {
    if (r.act == wire::RecordingAct::On) bursts.emplace_back(r.time_ns, std::numeric_limits<std::int64_t>::max());
    if (r.act == wire::RecordingAct::Off) bursts.back().second = r.time_ns;
  }
  return bursts;
}

void in_short_bursts(Process& process, std::uint32_t period_ms = 100) {
  process.memory().controls.burst_us = 20'000;
  process.memory().controls.period_us = period_ms * 1000;
  process.level(wire::Level::Acquire);
}

constexpr const char* kLoop = R"(
import fake_gpu as gpu
gpu.init()
while True:
    for i in range(10):
        gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)";

TEST(Recording, AKernelACopyAndAWaitComeAsTheyWere) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import time
import fake_gpu as gpu
gpu.init()
before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
a = gpu.launch('_Z4gemmPf', 1500, 13)
b = gpu.memcpy(gpu.D2H, 4096, 250, 13, 1)
c = gpu.memset(64, 10, 13)
d = gpu.graph_launch('node', 3, 10, 13)
e = gpu.sync(13)
after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
print('done', a, b, c, d, e, before, after)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("done")) << viewer.output();
  unsigned a = 0, b = 0, c = 0, d = 0, e = 0;
  long before = 0, after = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "done %u %u %u %u %u %ld %ld", &a, &b, &c, &d, &e, &before, &after),
            7);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.kernels.size() >= 4 && m.copies.size() >= 2 && m.syncs.size() >= 1; }));

  const Operation& kernel = m.kernels[0];
  EXPECT_EQ(kernel.text, "_Z4gemmPf");
  EXPECT_EQ(kernel.correlation, a);
  EXPECT_EQ(kernel.end_ns - kernel.start_ns, 1'500'000);
  EXPECT_EQ(kernel.stream, 13u);
  EXPECT_EQ(kernel.shape_registers, 40);
  EXPECT_EQ(kernel.graph_node, 0u);
  // CUPTI's clock is CLOCK_REALTIME; what arrives is CLOCK_MONOTONIC, to within a bracket of the two.
  EXPECT_GE(kernel.start_ns, before - 50'000);
  EXPECT_LE(kernel.end_ns, after + 50'000);
  EXPECT_GE(kernel.start_ns, m.call(a)->start_ns - 50'000);

  EXPECT_EQ(m.copies[0].correlation, b);
  EXPECT_EQ(m.copies[0].bytes, 4096u);
  EXPECT_EQ(m.copies[0].copy_kind, 2);
  EXPECT_EQ(m.copies[0].source, 3);       // device
  EXPECT_EQ(m.copies[0].destination, 1);  // pageable
  EXPECT_EQ(m.copies[0].asynchronous, 0u);
  EXPECT_EQ(m.copies[0].end_ns - m.copies[0].start_ns, 250'000);
  EXPECT_EQ(m.copies[1].correlation, c);
  EXPECT_EQ(m.copies[1].copy_kind, 0xFF);
  EXPECT_EQ(m.copies[1].bytes, 64u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(m.kernels[1 + i].correlation, d);
    EXPECT_EQ(m.kernels[1 + i].graph_node, 1000u + i);
  }
  EXPECT_EQ(m.syncs[0].correlation, e);
  EXPECT_EQ(m.syncs[0].type, 3u);
  EXPECT_THAT(m.devices, testing::Contains("Fake GPU"));
  ASSERT_FALSE(m.contexts.empty());
  EXPECT_EQ(m.contexts[0].null_stream, 7u);
  EXPECT_EQ(m.streams.size(), 2u);
  EXPECT_THAT(m.problems, IsEmpty());
  EXPECT_EQ(process->memory().status.recording.load(), 1u);
  EXPECT_EQ(process->memory().status.untimed.load(), 0u);
  // Then all of it is delivered: there is a time up to which nothing is missing, and it is after the last one's end.
  const std::int64_t last = m.kernels.back().end_ns;
  EXPECT_TRUE(process->until([&] { return delivered(m) > last; }));
}

// An iteration of train.py with 2 layers: H2D, forward 2 * 2 + 1 kernels, backward 2, step 2, D2H of item().
TEST(Recording, TheTrainingLoopOfTheFakesIsWhole) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import sys, train
sys.argv = ['train.py', '--iterations', '20', '--layers', '2', '--kernel-us', '5']
train.main()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  EXPECT_EQ(viewer.wait(), 0) << viewer.output();
  EXPECT_EQ(viewer.output(), "epoch 0 done\n");
  const Messages& m = process->messages;
  EXPECT_EQ(m.kernels.size(), 20u * (5 + 2 + 2));
  EXPECT_EQ(m.copies.size(), 20u * 2);
  std::size_t backward = 0, item = 0;
  for (const Call& call : m.calls) {
    const std::string lines = m.lines(call.stack);
    if (call.text != "cudaStreamSynchronize_v3020") continue;
    backward += call.lent && lines.starts_with("run_backward:2 < main:");
    item += !call.lent && lines.starts_with("item:");
  }
  EXPECT_EQ(backward, 20u);
  EXPECT_EQ(item, 20u);
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(Recording, BurstsAreSwitchedOnAndOffAndEachIsWhole) {
  Viewer viewer;
  viewer.start(kLoop);
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  process->memory().controls.burst_us = 40'000;
  process->memory().controls.period_us = 120'000;
  process->level(wire::Level::Acquire);
  Messages& m = process->messages;
  // The first four bursts are judged. A kernel launched at the end of one runs for up to 10 * 20 us after it.
  constexpr std::size_t kBursts = 4;
  const auto ends = [&] {
    std::vector<std::int64_t> times;
    for (const auto& r : m.recordings) {
      if (r.act == wire::RecordingAct::Off) times.push_back(r.time_ns);
    }
    return times;
  };
  ASSERT_TRUE(process->until([&] {
    return ends().size() >= kBursts && delivered(m) > ends()[kBursts - 1] + 1'000'000;
  })) << viewer.output();
  process->level(wire::Level::Off);

  // From On to Off, every launch that began has its kernel.
  std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
  for (const auto& r : m.recordings) {
    if (r.act == wire::RecordingAct::On && bursts.size() < kBursts) bursts.emplace_back(r.time_ns, 0);
    if (r.act == wire::RecordingAct::Off && bursts.back().second == 0) bursts.back().second = r.time_ns;
  }
  std::size_t launches = 0, waits_between = 0;
  for (const Call& call : m.calls) {
    const bool within = std::any_of(bursts.begin(), bursts.end(),
                                    [&](const auto& b) { return call.start_ns > b.first && call.end_ns < b.second; });
    const bool launch = call.text == "cudaLaunchKernel_v7000";
    if (!launch) waits_between += !within && call.end_ns < bursts.back().second;
    if (!launch || !within) continue;
    ++launches;
    const auto kernels = std::count_if(m.kernels.begin(), m.kernels.end(),
                                       [&](const Operation& k) { return k.correlation == call.correlation; });
    EXPECT_EQ(kernels, 1) << "launch " << call.correlation << " within a burst";
  }
  EXPECT_GT(launches, 100u);
  EXPECT_GT(waits_between, 20u);
  for (std::size_t i = 0; i + 1 < bursts.size(); ++i) {
    EXPECT_GE(bursts[i].second - bursts[i].first, 40'000'000);
    EXPECT_GT(bursts[i + 1].first, bursts[i].second);
  }
  for (const auto& r : m.recordings) {
    const bool switched = r.act != wire::RecordingAct::Delivered;
    EXPECT_EQ(r.took_ns > 0, switched);
  }
  EXPECT_GE(process->memory().status.switches.load(), 2 * kBursts);
  EXPECT_THAT(m.problems, IsEmpty());
}

// Bursts that are far enough apart: after each, CUPTI leaves the process and comes back for the waits alone. The fake
// begins to count anew, but no number comes twice; each burst is whole; and only while it was away is a wait not seen.
TEST(Recording, BetweenBurstsCuptiLeavesTheProcess) {
  Viewer viewer;
  viewer.start(kLoop);
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 500);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] {
    const std::size_t kinds = m.recordings.size();
    return count(m, wire::RecordingAct::Away) >= 3 && m.recordings[kinds - 1].act == wire::RecordingAct::Delivered &&
           count(m, wire::RecordingAct::On) >= 4;
  })) << viewer.output();
  process->level(wire::Level::Off);
  std::set<std::uint32_t> numbers;
  for (const Call& call : m.calls) EXPECT_TRUE(numbers.insert(call.correlation).second) << call.correlation;
  auto bursts = bursts_of(m);
  bursts.resize(3);
  std::size_t launches = 0;
  for (const Call& call : m.calls) {
    if (call.text != "cudaLaunchKernel_v7000") continue;
    const bool within =
        std::ranges::any_of(bursts, [&](const auto& b) { return call.start_ns > b.first && call.end_ns < b.second; });
    if (!within) continue;
    ++launches;
    EXPECT_EQ(std::ranges::count(m.kernels, call.correlation, &Operation::correlation), 1) << call.correlation;
  }
  EXPECT_GT(launches, 100u);
  for (const auto& r : m.recordings) {
    if (r.act != wire::RecordingAct::Away) continue;
    EXPECT_GT(r.took_ns, 5'000'000);
    EXPECT_GT(r.held_up_us, 0u);
    EXPECT_LT(r.held_up_us * std::int64_t{1000}, r.took_ns - 5'000'000) << "not while the others leave CUPTI";
    const auto seen = [&](std::int64_t from, std::int64_t to) {
      return std::ranges::count_if(m.calls,
                                   [&](const Call& call) { return call.start_ns > from && call.start_ns < to; });
    };
    EXPECT_EQ(seen(r.time_ns - r.took_ns + 1'000'000, r.time_ns - 1'000'000), 0);
    EXPECT_GT(seen(r.time_ns, r.time_ns + 100'000'000), 0) << "the waits are seen again";
  }
  EXPECT_THAT(m.problems, IsEmpty());
}

// After cuptiFinalize the fake, like the real one, replays no graph that was made before.
TEST(Recording, WithGraphsCuptiStaysAndRecordsNothingBetweenBursts) {
  Viewer viewer;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while gpu.kinds_enabled() == 0: pass
least = 99
for i in range(100000):
    gpu.graph_launch('node', 3, 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
    least = min(least, gpu.kinds_enabled())
    if i % 100 == 0:
        print(gpu.finalized(), least, flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 500);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] {
    return count(m, wire::RecordingAct::Off) >= 3 && viewer.output().find("\n0 1\n") != std::string::npos;
  })) << viewer.output();
  EXPECT_EQ(count(m, wire::RecordingAct::Away), 0u);
  EXPECT_THAT(m.problems, IsEmpty());
}

// A capture that begins after all has been asked, in the last flush before CUPTI would be finalised, keeps it there.
TEST(Recording, ACaptureThatBeginsAtTheLastMomentKeepsCupti) {
  Viewer viewer;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
gpu.capture_in_flush()
while True:
    gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 400);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) >= 5; })) << viewer.output();
  EXPECT_EQ(count(m, wire::RecordingAct::Away), 0u);
  EXPECT_THAT(m.problems, IsEmpty());
}

// A thread waits for seconds: CUPTI keeps something for the end of its call. It may go once no thread does.
TEST(Recording, CuptiStaysWhileAThreadIsInALongCall) {
  Viewer viewer;
  viewer.start(R"(
import threading
import fake_gpu as gpu
gpu.init()
gpu.records_itself()
def wait_long():
    for i in range(2):
        gpu.launch('long', 2_000_000, 9)
        gpu.sync(9)
    print('waited', flush=True)
threading.Thread(target=wait_long, daemon=True).start()
while True:
    gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 400);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return viewer.output().find("waited") != std::string::npos; })) << viewer.output();
  EXPECT_GE(count(m, wire::RecordingAct::Off), 3u);
  const std::size_t aways = count(m, wire::RecordingAct::Away);
  EXPECT_LE(aways, 3u) << "at most before, between and after";
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Away) >= aways + 2; })) << viewer.output();
  EXPECT_THAT(m.problems, IsEmpty());
}

// As torch.profiler may: whoever comes while CUPTI is away has it. The library waits for its turn, and says so.
TEST(Recording, AnotherProfilerThatComesWhileCuptiIsAwayIsWaitedFor) {
  Viewer viewer;
  viewer.start(R"(
import threading
import fake_gpu as gpu
gpu.init()
def profile():
    while not gpu.hold(): pass
    input()
    gpu.let_go()
threading.Thread(target=profile, daemon=True).start()
while True:
    gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 500);
  process->memory().controls.sample_us = 5'000;
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::CuptiBusy; })) << viewer.output();
  EXPECT_THAT(std::string(process->memory().status.state_text), testing::HasSubstr("torch.profiler"));
  const auto open = [&] {
    return std::ranges::count_if(process->memory().open, [](const wire::OpenCall& call) { return call.thread != 0; });
  };
  EXPECT_EQ(open(), 0) << "its end would not be seen";
  const std::size_t aways = count(m, wire::RecordingAct::Away), calls = m.calls.size();
  const std::int64_t then = process->memory().status.beat_ns.load();
  ASSERT_TRUE(process->until([&] { return process->memory().status.beat_ns.load() > then + 3'000'000'000; }));
  EXPECT_EQ(process->state(), wire::State::CuptiBusy) << "it has tried again meanwhile";
  EXPECT_EQ(m.calls.size(), calls);
  for (const auto& sample : m.samples)
    EXPECT_LE(sample.time_ns, then) << "a thread whose calls are not seen is not quiet";
  viewer.say("");
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; })) << viewer.output();
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Away) >= aways + 3; })) << viewer.output();
  std::int64_t longest = 0;
  for (const auto& r : m.recordings) {
    if (r.act != wire::RecordingAct::Away) continue;
    longest = std::max(longest, r.took_ns);
    EXPECT_LT(r.held_up_us, 1'000'000u);
  }
  EXPECT_GT(longest, 3'000'000'000);
  std::set<std::uint32_t> numbers;
  for (const Call& call : m.calls) EXPECT_TRUE(numbers.insert(call.correlation).second) << call.correlation;
  EXPECT_THAT(m.problems, IsEmpty());
}

// What a process has: pages in memory, descriptors, threads.
struct Holdings {
  explicit Holdings(pid_t pid) {
    const std::string process = "/proc/" + std::to_string(pid);
    const auto entries = [&](const char* folder) {
      return std::distance(std::filesystem::directory_iterator(process + folder), {});
    };
    std::ifstream(process + "/statm") >> bytes >> bytes;
    bytes *= sysconf(_SC_PAGESIZE);
    descriptors = entries("/fd");
    threads = entries("/task");
  }
  std::int64_t bytes = 0, descriptors = 0, threads = 0;
};

// Each burst is delivered, CUPTI leaves and comes back, and of two threads every call has a number of its own: none is
// missing but those that they were in when CUPTI came or went. The pauses are 50 times shorter than usual; with
// LANESCOPE_SOAK_S it goes on for so many seconds, and takes its time.
TEST(Recording, AThousandCyclesLoseNothingAndLeaveNothingBehind) {
  const char* soak = std::getenv("LANESCOPE_SOAK_S");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(soak ? std::atoi(soak) : 0);
  Viewer viewer;
  viewer.environment["LANESCOPE_HURRY"] = soak ? "10" : "50";
  viewer.start(R"(
import threading, time
import fake_gpu as gpu
gpu.init()
def work(stream):
    while True:
        gpu.memcpy(gpu.D2H, 4096, 5, stream, 0)
        gpu.sync(stream)
        time.sleep(0.0005)
threading.Thread(target=work, args=(13,), daemon=True).start()
work(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  process->memory().controls.burst_us = soak ? 10'000 : 2'000;
  process->memory().controls.period_us = soak ? 100'000 : 15'000;
  process->level(wire::Level::Acquire);
  Messages& m = process->messages;
  constexpr int kCycles = 1'000, kWarm = 100;
  constexpr std::int64_t kMostMissing = 4, kMostGrowth = 2 << 20;
  const wire::Status& status = process->memory().status;
  std::optional<Holdings> warm;
  std::int64_t joined = 0;
  std::uint32_t last_number = 0;
  std::set<std::uint32_t> seen;
  std::uint64_t all_bursts = 0, all_calls = 0, all_copies = 0;
  int cycles = 0;
  for (; cycles < kCycles || std::chrono::steady_clock::now() < until; ++cycles) {
    SCOPED_TRACE(cycles);
    if (cycles == kWarm) warm.emplace(viewer.pid());
    ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Away) > 0; })) << viewer.output();
    const auto away = std::ranges::find(m.recordings, wire::RecordingAct::Away, &wire::RecordingMessage::act);
    // One burst, or more if the machine is so busy that there was no time to leave after the first.
    std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
    std::int64_t delivered_until = 0;
    for (auto r = m.recordings.begin(); r != away; ++r) {
      if (r->act == wire::RecordingAct::On) bursts.emplace_back(r->time_ns, 0);
      if (r->act == wire::RecordingAct::Off) bursts.back().second = r->time_ns;
      if (r->act == wire::RecordingAct::Delivered) delivered_until = r->time_ns;
    }
    all_bursts += bursts.size();
    ASSERT_FALSE(bursts.empty());
    for (const auto& [on, off] : bursts) ASSERT_TRUE(on < off && off < delivered_until);
    const std::int64_t back = away->time_ns;
    std::vector<std::uint32_t> numbers;
    if (seen.size() > 1'000'000) seen.clear();
    for (const Call& call : m.calls) {
      if (call.start_ns >= back) continue;
      EXPECT_TRUE(seen.insert(call.correlation).second) << call.correlation;
      // While it subscribes, some calls are seen and some are not.
      if (call.start_ns >= joined && call.start_ns < back - away->took_ns) numbers.push_back(call.correlation);
      const bool recorded =
          std::ranges::any_of(bursts, [&](const auto& b) { return call.start_ns > b.first && call.end_ns < b.second; });
      if (!recorded || call.text != "cudaMemcpyAsync_v3020") continue;
      ++all_copies;
      EXPECT_EQ(std::ranges::count(m.copies, call.correlation, &Operation::correlation), 1) << call.correlation;
    }
    std::ranges::sort(numbers);
    if (!numbers.empty()) {  // the program may have stood still on a busy machine
      EXPECT_GT(numbers.front(), last_number);
      EXPECT_LE(numbers.back() - numbers.front() + 1, numbers.size() + kMostMissing);
      last_number = numbers.back();
    }
    all_calls += numbers.size();
    joined = back;
    EXPECT_EQ(status.dropped + status.cupti_dropped + status.no_buffer + status.untimed + status.threads_lost, 0u);
    EXPECT_THAT(m.problems, IsEmpty());
    EXPECT_EQ(process->state(), wire::State::Watching);
    m.recordings.erase(m.recordings.begin(), away + 1);
    // A slow reader has read some of the next cycle, too.
    const auto is_over = [&](const auto& message) { return message.start_ns < back; };
    std::erase_if(m.calls, is_over);
    std::erase_if(m.copies, is_over);
    std::erase_if(m.syncs, is_over);
    if (testing::Test::HasFailure()) break;
  }
  const Holdings end(viewer.pid());
  ASSERT_TRUE(warm);
  EXPECT_LT(end.bytes - warm->bytes, kMostGrowth);
  EXPECT_EQ(end.descriptors, warm->descriptors);
  EXPECT_EQ(end.threads, warm->threads);
  EXPECT_GT(all_copies, static_cast<std::uint64_t>(cycles));
  EXPECT_GT(all_calls, 10 * static_cast<std::uint64_t>(cycles));
  std::printf(
      "[ cycles   ] %d, %llu bursts, %llu calls, %llu copies; %lld kB more than after the first %d, %lld in all\n",
      cycles, static_cast<unsigned long long>(all_bursts), static_cast<unsigned long long>(all_calls),
      static_cast<unsigned long long>(all_copies), static_cast<long long>((end.bytes - warm->bytes) / 1024), kWarm,
      static_cast<long long>(end.bytes / 1024));
}

// It cannot be finalised: it stays, and is not asked again.
TEST(Recording, ACuptiThatDoesNotLeaveStays) {
  Viewer viewer;
  viewer.start("import os; os.environ['FAKE_CUPTI_STAYS'] = '1'\n" + std::string(kLoop));
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, 400);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) >= 3; })) << viewer.output();
  EXPECT_EQ(count(m, wire::RecordingAct::Away), 0u);
  EXPECT_THAT(m.problems, IsEmpty());
}

// What comes after it is known all the same, once the buffer is 2 s older than the burst.
TEST(Recording, ABufferThatCuptiNeverGivesBackHidesNoLaterBurst) {
  Viewer viewer;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while gpu.kinds_enabled() < 9:
    gpu.sync(gpu.STREAM)
gpu.launch('kernel', 20, gpu.STREAM)
gpu.lose_buffer()
while True:
    for i in range(10):
        gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] {
    return !m.recordings.empty() && delivered(m) > m.recordings.front().time_ns + 2'500'000'000;
  })) << viewer.output();
  // Until then nothing after it was said to be delivered.
  std::int64_t longest = 0, last = m.recordings.front().time_ns;
  for (const auto& r : m.recordings) {
    if (r.act != wire::RecordingAct::Delivered) continue;
    longest = std::max(longest, r.time_ns - last);
    last = r.time_ns;
  }
  EXPECT_GT(longest, 1'900'000'000);
  EXPECT_THAT(m.problems, IsEmpty());
}

// A program that has 1,250 kernels of 400 us queued runs 500 ms ahead of the GPU. What was launched before a burst runs
// in it, and is known; what is launched in it runs 500 ms later, and a burst of 20 ms lasts until the GPU has done that
// for 20 ms. On a busy machine the program may launch nothing in a burst, which then ends as usual.
class RunsAhead : public testing::TestWithParam<std::uint32_t> {};

// With bursts 900 ms apart CUPTI could leave the process in between, but would not know what is queued.
INSTANTIATE_TEST_SUITE_P(Recording, RunsAhead, testing::Values(100, 900));

TEST_P(RunsAhead, AllKernelsOfABurstAreKnown) {
  Viewer viewer;
  viewer.start(R"(
import collections
import fake_gpu as gpu
gpu.init()
queued = collections.deque()
while True:
    gpu.launch('kernel', 400, gpu.STREAM)
    queued.append(gpu.event_record(gpu.STREAM))
    if len(queued) > 1250:
        gpu.event_sync(queued.popleft())
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process, GetParam());
  Messages& m = process->messages;
  const auto launches_in = [&](const std::pair<std::int64_t, std::int64_t>& burst) {
    return std::ranges::any_of(m.calls, [&](const Call& call) {
      return call.start_ns > burst.first && call.start_ns < burst.first + 10'000'000;
    });
  };
  // The first is not counted: it is not known yet what was queued before. The program may begin in it: then CUPTI
  // leaves after it, and the second is like it.
  const std::size_t first = GetParam() == 100 ? 1 : 2;
  std::size_t ended = 0;
  for (std::ptrdiff_t with_launches = 0; with_launches < 2;) {
    ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) > ended; })) << viewer.output();
    ended = count(m, wire::RecordingAct::Off);
    const auto so_far = bursts_of(m);
    if (ended <= first) continue;
    with_launches = std::ranges::count_if(std::span(so_far).first(ended).subspan(first), launches_in);
  }
  process->level(wire::Level::Off);
  const auto bursts = bursts_of(m);
  ASSERT_TRUE(process->until([&] { return delivered(m) > bursts[ended - 1].second; }));
  std::ranges::sort(m.kernels, {}, [](const Operation& k) { return k.start_ns; });
  std::vector<std::uint32_t> kernels_before;
  for (const auto& r : m.recordings) {
    if (r.act == wire::RecordingAct::On) kernels_before.push_back(r.kernels_before);
  }
  EXPECT_EQ(kernels_before[0], 0u);
  EXPECT_THAT(std::span(kernels_before).subspan(first), Each(1u));
  for (std::size_t i = first; i < ended; ++i) {
    const auto [on, off] = bursts[i];
    std::int64_t known_until = 0, launched_run_from = 0;
    for (const Operation& k : m.kernels) {
      if (k.start_ns < on || k.start_ns > off) continue;
      // The GPU is never idle. Another kernel runs at On, and its time is that of two clocks.
      EXPECT_LT(k.start_ns - (known_until == 0 ? on : known_until), known_until == 0 ? 500'000 : 20'000);
      known_until = k.end_ns;
      const Call* launch = m.call(k.correlation);
      if (launched_run_from == 0 && launch && launch->start_ns > on) launched_run_from = k.start_ns;
    }
    EXPECT_GT(known_until, off - 500'000);
    if (!launches_in(bursts[i])) continue;
    ASSERT_NE(launched_run_from, 0);
    EXPECT_GT(launched_run_from, on + 350'000'000);
    EXPECT_GT(off, launched_run_from + 19'000'000);
  }
  EXPECT_EQ(process->memory().status.no_buffer.load(), 0u);
  EXPECT_EQ(process->memory().status.cupti_dropped.load(), 0u);
  EXPECT_THAT(m.problems, IsEmpty());
}

// Copies and waits are recorded by CUPTI all the time, because it cannot bear that they are switched off; of some
// programs, kernels are.
TEST(Recording, OfWhatStaysSwitchedOnOnlyTheBurstsAreSent) {
  Viewer viewer;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while True:
    for i in range(5):
        gpu.launch('kernel', 20, gpu.STREAM)
        gpu.memcpy(gpu.D2H, 4096, 20, gpu.STREAM, 1)
        gpu.memset(64, 5, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  in_short_bursts(*process);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) >= 4; })) << viewer.output();
  process->level(wire::Level::Off);
  const auto bursts = bursts_of(m);
  for (const auto& [operations, what] : {std::pair(&m.copies, "a copy"), std::pair(&m.kernels, "a kernel")}) {
    std::size_t within = 0, after = 0;
    for (const Operation& operation : *operations) {
      const std::int64_t start = operation.start_ns;
      if (std::ranges::any_of(bursts, [&](const auto& b) { return start >= b.first && start <= b.second; })) {
        ++within;
        continue;
      }
      // It was launched within a burst, and ran after it: for the longest within what is launched in an iteration.
      ++after;
      EXPECT_TRUE(std::ranges::any_of(bursts,
                                      [&](const auto& b) {
                                        return start > b.second &&
                                               start < b.second + 5 * (20'000 + 20'000 + 5'000) + 1'000'000;
                                      }))
          << what << " between the bursts";
    }
    EXPECT_GT(within, 100u) << what;
    EXPECT_LT(after, within / 4) << what;
  }
  EXPECT_EQ(process->memory().status.no_buffer.load(), 0u);
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(Recording, TheAnchorIsSeenBetweenBursts) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while True:
    gpu.memset(4, 5, gpu.STREAM)
    gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  Messages& m = process->messages;
  const auto is_memset = [](const Call& c) { return c.text == "cudaMemsetAsync_v3020"; };
  ASSERT_TRUE(process->until([&] { return std::any_of(m.calls.begin(), m.calls.end(), is_memset); }));
  const std::uint32_t anchor = std::find_if(m.calls.begin(), m.calls.end(), is_memset)->api;
  // One short burst, and the next one in a minute.
  process->memory().controls.burst_us = 1'000;
  process->memory().controls.period_us = 60'000'000;
  process->level(wire::Level::Acquire);
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) == 2; }));
  std::size_t seen = m.calls.size();
  const auto since = [&](const char* name) {
    return std::count_if(m.calls.begin() + static_cast<std::ptrdiff_t>(seen), m.calls.end(),
                         [&](const Call& c) { return c.text == name; });
  };
  // A call that was under way when its callback was switched off may still end.
  ASSERT_TRUE(process->until([&] { return since("cudaStreamSynchronize_v3020") > 3; })) << viewer.output();
  seen = m.calls.size();
  ASSERT_TRUE(process->until([&] { return since("cudaStreamSynchronize_v3020") > 20; })) << viewer.output();
  EXPECT_EQ(since("cudaMemsetAsync_v3020"), 0);
  process->memory().controls.anchor = anchor;
  process->wake();
  ASSERT_TRUE(process->until([&] { return since("cudaMemsetAsync_v3020") > 20; }));
  EXPECT_EQ(since("cudaLaunchKernel_v7000"), 0);
  const auto last = std::find_if(m.calls.rbegin(), m.calls.rend(), is_memset);
  EXPECT_EQ(m.place(last->stack, viewer.script()).line, 5u);
}

TEST(Recording, ABoostRecordsUntilItsEnd) {
  Viewer viewer;
  viewer.first_level = wire::Level::Acquire;
  viewer.start(kLoop);
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  process->memory().controls.burst_us = 5'000;
  process->memory().controls.period_us = 60'000'000;
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) == 1; }));
  const std::int64_t now = m.recordings.back().time_ns;
  process->memory().controls.boost_until_ns = now + 300'000'000;
  process->wake();
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) == 2; }));
  const auto last_off = std::find_if(m.recordings.rbegin(), m.recordings.rend(),
                                     [](const auto& r) { return r.act == wire::RecordingAct::Off; });
  EXPECT_THAT(last_off->time_ns, Ge(now + 300'000'000));
}

TEST(Recording, AllHasOtherCallsButNotThoseThatOnlyAsk) {
  Viewer viewer;
  viewer.first_level = wire::Level::All;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
gpu.stream_create()
for i in range(100): gpu.get_device()
gpu.launch('k', 1, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.calls.size() >= 3; })) << viewer.output();
  EXPECT_EQ(m.calls[0].text, "cudaStreamCreate_v3020");
  EXPECT_EQ(m.calls[1].text, "cudaLaunchKernel_v7000");
  EXPECT_EQ(m.calls[2].text, "cudaStreamSynchronize_v3020");
}

TEST(Recording, TheLevelIsChangedWhileItRuns) {
  Viewer viewer;
  viewer.first_level = wire::Level::Off;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
print('on', flush=True)
for line in iter(input, 'end'):
    for i in range(100): gpu.launch('kernel', 5, gpu.STREAM)
    gpu.sync(gpu.STREAM)
    print(line, gpu.callbacks_enabled(), gpu.kinds_enabled(), flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  Messages& m = process->messages;
  ASSERT_TRUE(viewer.until_printed("on"));
  viewer.say("off");
  ASSERT_TRUE(viewer.until_printed("off 0 0")) << viewer.output();
  process->read();
  EXPECT_THAT(m.calls, IsEmpty());
  process->level(wire::Level::Calls);
  ASSERT_TRUE(process->until([&] { return process->memory().status.recording.load() == 1; }));
  viewer.say("calls");
  ASSERT_TRUE(process->until([&] { return m.kernels.size() == 100 && m.calls.size() == 101; })) << viewer.output();
  process->level(wire::Level::Waits);
  ASSERT_TRUE(process->until([&] { return process->memory().status.recording.load() == 0; }));
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) == 1; }));
  viewer.say("waits");
  ASSERT_TRUE(process->until([&] { return m.calls.size() == 102; }));
  EXPECT_EQ(m.kernels.size(), 100u);
  viewer.say("end");
  viewer.wait();
  EXPECT_EQ(m.calls.size(), 102u);
}

// Waits without reading the ring, as until_printed() and wait() would.
bool unread(const std::function<bool()>& is_so) {
  for (int i = 0; i < kPatience_ms && !is_so(); ++i) usleep(1000);
  return is_so();
}

TEST(Recording, AFullRingDropsAndCountsAndLaterDefinesWhatItMissed) {
  Viewer viewer;
  viewer.environment["LANESCOPE_RING_SLOTS"] = "64";
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
for i in range(2000): gpu.launch('kernel', 1, gpu.STREAM)
gpu.sync(gpu.STREAM)
print('full', flush=True)
input()
def later():
    return gpu.sync(gpu.STREAM)
for line in iter(input, 'end'):
    later()
    print(line, flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  EXPECT_EQ(process->memory().slot_count, 64u);
  ASSERT_TRUE(unread([&] { return viewer.output().find("full") != std::string::npos; })) << viewer.output();
  EXPECT_GT(process->memory().status.dropped.load(), 1000u);
  process->read();
  process->level(wire::Level::Waits);
  ASSERT_TRUE(process->until([&] { return process->memory().status.recording.load() == 0; }));
  viewer.say("");
  // What is still under way from before may fill the ring once more, so one call may not be enough.
  Messages& m = process->messages;
  const auto whole = [&] {
    return !m.calls.empty() && m.calls.back().text == "cudaStreamSynchronize_v3020" &&
           m.place(m.calls.back().stack, viewer.script()).function == "later";
  };
  for (int i = 0; i < 100 && !whole(); ++i) {
    viewer.say("call" + std::to_string(i));
    ASSERT_TRUE(viewer.until_printed("call" + std::to_string(i)));
    process->read();
  }
  EXPECT_TRUE(whole());
  EXPECT_THAT(m.problems, IsEmpty());
  viewer.say("end");
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Recording, ItsEndIsSentLaterIfTheRingIsFull) {
  Viewer viewer;
  viewer.environment["LANESCOPE_RING_SLOTS"] = "64";
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
for i in range(2000): gpu.launch('kernel', 1, gpu.STREAM)
print('full', flush=True)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(unread([&] { return viewer.output().find("full") != std::string::npos; })) << viewer.output();
  process->level(wire::Level::Waits);
  ASSERT_TRUE(unread([&] { return process->memory().status.recording.load() == 0; }));
  const Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return count(m, wire::RecordingAct::Off) == 1; }));
  EXPECT_EQ(count(m, wire::RecordingAct::On), 1u);
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Recording, AStepOfTheWallClockIsSeen) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
gpu.step_clock(-2_000_000_000)    # as CUPTI's clock may still settle: no step
gpu.launch('before', 10, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
gpu.step_clock(3_000_000_000)
print('stepped', flush=True)
input()
gpu.launch('after', 10, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.kernels.size() == 1; })) << viewer.output();
  EXPECT_EQ(process->memory().status.clock_steps.load(), 0u);
  EXPECT_LT(std::abs(m.kernels[0].start_ns - m.call(m.kernels[0].correlation)->start_ns), 1'000'000'000);
  viewer.say("");
  ASSERT_TRUE(viewer.until_printed("stepped"));
  ASSERT_TRUE(process->until([&] { return process->memory().status.clock_steps.load() == 1; }));
  viewer.say("");
  ASSERT_TRUE(process->until([&] { return m.kernels.size() == 2; })) << viewer.output();
  const Call* launch = m.call(m.kernels[1].correlation);
  ASSERT_NE(launch, nullptr);
  EXPECT_THAT(m.kernels[1].start_ns, AllOf(Ge(launch->start_ns - 50'000), Le(launch->start_ns + 5'000'000'000)));
  EXPECT_LT(m.kernels[1].start_ns - launch->start_ns, 1'000'000'000) << "the old distance would be 3 s off";
}

TEST(Recording, AnotherProfilerThatTakesTheBuffersOverIsSaid) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
gpu.launch('k', 1, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
gpu.take_over()
while True:
    gpu.launch('k', 100, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->messages.kernels.size() == 1; }));
  EXPECT_EQ(process->state(), wire::State::Watching);
  viewer.say("");
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::NoRecords; })) << viewer.output();
  EXPECT_THAT(std::string(process->memory().status.state_text), testing::HasSubstr("another profiler"));
}

// That is not another profiler's doing.
TEST(Recording, ThatCuptiKeepsAllBuffersIsSaid) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while True:
    gpu.launch('k', 100, gpu.STREAM)
    gpu.lose_buffer()
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::NoRecords; })) << viewer.output();
  EXPECT_THAT(std::string(process->memory().status.state_text), testing::HasSubstr("CUPTI keeps all buffers"));
}

}  // namespace
}  // namespace lanescope::inject_tests
