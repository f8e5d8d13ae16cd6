// A recording of this process's own work, through the fake CUPTI and GPU of tests/inject_fakes.
#include "cuda_backend/own_capture.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "trace/event.h"
#include "until.h"

namespace lanescope::cuda_backend {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using trace::CaptureLevel;
using trace::CaptureState;
using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kUs = 1'000, kMs = 1'000'000;
constexpr std::uint32_t kStream = 7, kOther = 13;

std::int64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}
std::uint32_t this_thread() { return static_cast<std::uint32_t>(gettid()); }

// --- the fake --------------------------------------------------------------------------------------------------------

struct Fake {
  std::uint32_t (*launch)(const char*, std::uint64_t, std::uint32_t);
  std::uint32_t (*copy)(std::uint32_t kind, std::uint64_t bytes, std::uint64_t ns, std::uint32_t stream, int blocks);
  std::uint32_t (*sync)(std::uint32_t);
  std::uint32_t (*event_record)(std::uint32_t);
  std::uint32_t (*event_sync)(std::uint32_t);
  std::uint32_t (*malloc)(std::uint64_t);
  std::uint32_t (*get_device)();
  std::uint32_t (*kinds)();
  std::uint32_t (*callbacks)();
  void (*fatal)(const char*);
  void (*in_flush)(void (*)());
  void (*take_over)();
  void (*lose_buffer)();
};

const Fake& fake() {
  static const Fake found = [] {
    const std::string path = LANESCOPE_FAKES "/libcupti.so.13";
    setenv("LANESCOPE_CUPTI", path.c_str(), 1);
    void* library = dlopen(path.c_str(), RTLD_NOW);
    EXPECT_NE(library, nullptr) << dlerror();
    Fake f{};
    const auto resolve = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      EXPECT_NE(function, nullptr) << name;
    };
    resolve("fake_launch", f.launch);
    resolve("fake_memcpy", f.copy);
    resolve("fake_sync", f.sync);
    resolve("fake_event_record", f.event_record);
    resolve("fake_event_sync", f.event_sync);
    resolve("fake_malloc", f.malloc);
    resolve("fake_get_device", f.get_device);
    resolve("fake_kinds_enabled", f.kinds);
    resolve("fake_callbacks_enabled", f.callbacks);
    resolve("fake_fatal", f.fatal);
    resolve("fake_in_flush", f.in_flush);
    resolve("fake_take_over", f.take_over);
    resolve("fake_lose_buffer", f.lose_buffer);
    void (*records_itself)() = nullptr;
    resolve("fake_records_itself", records_itself);
    records_itself();
    return f;
  }();
  return found;
}

/// A variable that the fake reads, as long as this lives.
class Answer {
 public:
  Answer(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Answer() { unsetenv(name_); }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

 private:
  const char* name_;
};

// --- a sink that keeps what is written -------------------------------------------------------------------------------

class KeepingSink final : public trace::EventSink {
 public:
  struct Seen {
    Event event;
    std::string name, lane;
  };

  trace::LaneId lane(const trace::LaneInfo& info) override {
    const std::lock_guard lock(mutex_);
    const auto known = std::find(lanes_.begin(), lanes_.end(), info);
    if (known != lanes_.end()) return static_cast<trace::LaneId>(known - lanes_.begin());
    lanes_.push_back(info);
    return static_cast<trace::LaneId>(lanes_.size() - 1);
  }
  trace::NameId name(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    const auto known = std::find(names_.begin(), names_.end(), text);
    if (known != names_.end()) return static_cast<trace::NameId>(known - names_.begin() + 1);
    names_.emplace_back(text);
    return static_cast<trace::NameId>(names_.size());
  }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }
  int writers() const { return writers_; }

  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    std::vector<Seen> all;
    for (const Event& e : events_) all.push_back({e, names_[e.name - 1], lanes_[e.lane].name});
    return all;
  }
  std::vector<Seen> calls(const std::string& name) const {
    std::vector<Seen> some;
    for (const Seen& s : seen()) {
      if (s.event.kind == EventKind::Call && s.name == name) some.push_back(s);
    }
    return some;
  }
  std::vector<Seen> work() const {
    std::vector<Seen> some;
    for (const Seen& s : seen()) {
      if (trace::is_gpu_work(s.event.kind)) some.push_back(s);
    }
    return some;
  }
  std::vector<std::string> lanes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const trace::LaneInfo& lane : lanes_) names.push_back(lane.process + ": " + lane.name);
    return names;
  }
  std::string lane_name(trace::LaneId id) const {
    const std::lock_guard lock(mutex_);
    return lanes_[id].name;
  }
  std::string text(trace::NameId id) const {
    const std::lock_guard lock(mutex_);
    return names_[id - 1];
  }
  int broken_promises() const { return broken_; }
  std::size_t written() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
  }

 private:
  class Writer final : public trace::EventWriter {
   public:
    explicit Writer(KeepingSink& sink) : sink_(sink) { ++sink_.writers_; }
    ~Writer() override { --sink_.writers_; }
    void write(const Event& event) noexcept override {
      const std::lock_guard lock(sink_.mutex_);
      sink_.events_.push_back(event);
      if (event.start_ns < sink_.complete_) ++sink_.broken_;
    }
    void complete_until(trace::Nanoseconds t) noexcept override {
      const std::lock_guard lock(sink_.mutex_);
      sink_.complete_ = t;
    }

   private:
    KeepingSink& sink_;
  };
  mutable std::mutex mutex_;
  std::vector<trace::LaneInfo> lanes_;
  std::vector<std::string> names_;
  std::vector<Event> events_;
  trace::Nanoseconds complete_ = std::numeric_limits<trace::Nanoseconds>::min();
  std::atomic<int> broken_{0}, writers_{0};
};

class OwnCaptureTest : public testing::Test {
 protected:
  void SetUp() override { fake(); }
  void TearDown() override {
    fake().in_flush(nullptr);
    capture.reset();
    EXPECT_EQ(fake().kinds(), 0u);
    EXPECT_EQ(fake().callbacks(), 0u);
    EXPECT_EQ(sink.broken_promises(), 0);
  }
  void start(CaptureLevel level = CaptureLevel::All) {
    capture = std::make_unique<OwnCapture>(sink, monotonic_ns(), level);
    ASSERT_EQ(capture->health().state, CaptureState::Running) << capture->health().reason;
  }

  KeepingSink sink;
  std::unique_ptr<OwnCapture> capture;
};

// --- what is recorded ------------------------------------------------------------------------------------------------

TEST_F(OwnCaptureTest, RecordsWhatFourThreadsCall) {
  constexpr int kThreads = 4, kRounds = 200;
  start();
  capture->set_main_thread(this_thread());
  fake().launch("first", 10 * kUs, kStream);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kRounds; ++i) {
        fake().launch("_Z6kernelPf", 2 * kUs, kOther);
        fake().get_device();
      }
      fake().sync(kOther);
    });
  }
  for (std::thread& thread : threads) thread.join();
  capture->flush();
  EXPECT_THAT(sink.calls("cudaLaunchKernel"), SizeIs(kThreads * kRounds + 1));
  EXPECT_THAT(sink.calls("cudaStreamSynchronize"), SizeIs(kThreads));
  EXPECT_THAT(sink.calls("cudaGetDevice"), IsEmpty()) << "it only asks for something";
  EXPECT_THAT(sink.work(), SizeIs(kThreads * kRounds + 1));
  const auto lanes = sink.lanes();
  EXPECT_THAT(lanes, SizeIs(3 + kThreads));
  EXPECT_THAT(lanes, Contains("lanescope: CUDA calls"));
  EXPECT_THAT(lanes, Contains("lanescope: kernels"));
  EXPECT_THAT(lanes, Contains("lanescope: kernels, stream 13"));
  std::set<std::string> kernels;
  for (const auto& s : sink.work()) kernels.insert(s.name);
  EXPECT_THAT(kernels, ElementsAre("first", "kernel"));
  const auto health = capture->health();
  EXPECT_EQ(health.calls, kThreads * kRounds + 1u + kThreads);
  EXPECT_EQ(health.operations, kThreads * kRounds + 1u);
  EXPECT_EQ(health.launches_unmatched + health.operations_unmatched + health.dropped + health.no_buffer, 0u);
  EXPECT_THAT(health.library, HasSubstr("libcupti.so.13 (API 130001)"));
  EXPECT_GT(health.latency_p50_ms, 0);
}

TEST_F(OwnCaptureTest, OperationsAloneCostNoCallbacks) {
  start(CaptureLevel::Operations);
  EXPECT_EQ(fake().callbacks(), 0u);
  EXPECT_EQ(fake().kinds(), 4u) << "kernels, two kinds of copies, memsets";
  fake().launch("k", 10 * kUs, kStream);
  fake().copy(1, 4096, 10 * kUs, kStream, 0);
  fake().sync(kStream);
  capture->flush();
  std::vector<std::string> lanes;
  for (const auto& s : sink.work()) lanes.push_back(s.lane);
  EXPECT_THAT(lanes, UnorderedElementsAre("kernels", "copy H2D"));
  EXPECT_EQ(capture->health().calls, 0u);
  EXPECT_EQ(capture->health().operations_unmatched, 0u) << "none has a call";
}

TEST_F(OwnCaptureTest, KnowsWhichEventWasWaitedFor) {
  start();
  fake().launch("short", 2 * kMs, kStream);
  const std::uint32_t event = fake().event_record(kStream);
  fake().launch("other", 3 * kMs, kOther);  // ends while the wait for the first returns, or later
  fake().event_sync(event);
  fake().sync(kOther);
  capture->flush();
  const auto waits = sink.calls("cudaEventSynchronize");
  ASSERT_THAT(waits, SizeIs(1));
  const auto work = sink.work();
  const auto waited_for = std::find_if(work.begin(), work.end(), [](const auto& s) { return s.name == "short"; });
  ASSERT_NE(waited_for, work.end());
  EXPECT_EQ(waits[0].event.end_ns - trace::parts_of(waits[0].event).returning, waited_for->event.end_ns);
}

// --- one after another -----------------------------------------------------------------------------------------------

TEST_F(OwnCaptureTest, StartsAndStopsAHundredTimes) {
  for (int i = 0; i < 100; ++i) {
    KeepingSink fresh;
    {
      OwnCapture one(fresh, monotonic_ns(), i % 5 == 4 ? CaptureLevel::Operations : CaptureLevel::All);
      ASSERT_EQ(one.health().state, CaptureState::Running) << one.health().reason;
      fake().launch("k", 5 * kUs, kStream);
      fake().sync(kStream);
    }
    ASSERT_THAT(fresh.work(), SizeIs(1)) << i;
    ASSERT_THAT(fresh.calls("cudaLaunchKernel"), SizeIs(i % 5 == 4 ? 0 : 1)) << i;
    ASSERT_EQ(fresh.work()[0].name, "k");
    ASSERT_EQ(fake().kinds() + fake().callbacks(), 0u);
  }
}

TEST_F(OwnCaptureTest, ASecondIsBusyUntilTheFirstHasStopped) {
  start();
  KeepingSink other;
  EXPECT_NE(OwnCapture::problem(), "");
  {
    OwnCapture second(other, 0, CaptureLevel::All);
    EXPECT_EQ(second.health().state, CaptureState::Busy);
    EXPECT_THAT(second.health().reason, HasSubstr("already recording"));
    second.flush();
    EXPECT_THAT(second.open_calls(), IsEmpty());
    second.set_main_thread(1);
  }
  fake().malloc(1);
  capture->flush();
  EXPECT_THAT(sink.calls("cudaMalloc"), SizeIs(1)) << "the first is not disturbed";
  capture->stop();
  EXPECT_EQ(sink.writers(), 0);
  EXPECT_EQ(capture->health().state, CaptureState::Running) << "as it was";
  EXPECT_EQ(OwnCapture::problem(), "");
  EXPECT_EQ(OwnCapture(other, 0, CaptureLevel::All).health().state, CaptureState::Running);
}

TEST_F(OwnCaptureTest, StopsWhileOtherThreadsGoOnCalling) {
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!over) {
        fake().launch("k", 20 * kUs, kStream);
        fake().sync(kStream);
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    KeepingSink fresh;
    OwnCapture one(fresh, monotonic_ns(), CaptureLevel::All);
    ASSERT_TRUE(until([&] { return fresh.written() > 500; }));
    one.stop();
    const std::size_t written = fresh.written();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    ASSERT_EQ(fresh.written(), written) << "nothing comes after the end";
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
}

// What is under way at the end comes back in the next recording: it is not of that one, and does not hold it up.
TEST_F(OwnCaptureTest, WhatAnEarlierOneLeftIsNotRead) {
  start();
  fake().launch("left", 300 * kMs, kOther);
  fake().lose_buffer();  // it is never complete
  fake().launch("late", 300 * kMs, kOther);
  capture->stop();
  EXPECT_THAT(sink.calls("cudaLaunchKernel"), SizeIs(2));
  EXPECT_THAT(sink.work(), IsEmpty());
  EXPECT_EQ(capture->health().launches_unmatched, 2u);
  fake().sync(kOther);
  KeepingSink next;
  OwnCapture second(next, monotonic_ns(), CaptureLevel::All);
  fake().malloc(1);
  const auto began = std::chrono::steady_clock::now();
  second.flush(1500);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(700));
  EXPECT_THAT(next.calls("cudaMalloc"), SizeIs(1));
  EXPECT_THAT(next.work(), IsEmpty());
}

// --- its state -------------------------------------------------------------------------------------------------------

struct Refusal {
  int result;
  CaptureState state;
};
class Refused : public OwnCaptureTest, public testing::WithParamInterface<Refusal> {};

TEST_P(Refused, SaysWhyAndLeavesNothingOn) {
  const Answer answer("FAKE_CUPTI_RESULT", std::to_string(GetParam().result));
  EXPECT_NE(OwnCapture::problem(), "");
  OwnCapture refused(sink, 0, CaptureLevel::All);
  EXPECT_EQ(refused.health().state, GetParam().state) << refused.health().reason;
  EXPECT_NE(refused.health().reason, "");
  refused.flush();
  EXPECT_EQ(sink.writers(), 0) << "one that says nothing holds the trace's live edge up";
}
INSTANTIATE_TEST_SUITE_P(Results, Refused,
                         testing::Values(Refusal{39, CaptureState::Busy}, Refusal{35, CaptureState::Denied},
                                         Refusal{33, CaptureState::Unsupported}, Refusal{40, CaptureState::Denied},
                                         Refusal{41, CaptureState::Unsupported}, Refusal{43, CaptureState::Unsupported},
                                         Refusal{14, CaptureState::Unsupported},
                                         Refusal{2, CaptureState::Unavailable}));

TEST_F(OwnCaptureTest, SaysWhoHasCupti) {
  const Answer answer("FAKE_CUPTI_RESULT", "39"), holder("FAKE_CUPTI_HOLDER", "Nsight Systems");
  OwnCapture refused(sink, 0, CaptureLevel::All);
  EXPECT_EQ(refused.health().state, CaptureState::Busy);
  EXPECT_THAT(refused.health().reason, HasSubstr("Nsight Systems"));
}

TEST_F(OwnCaptureTest, WithoutKernelsThereIsNoRecording) {
  const Answer answer("FAKE_CUPTI_KERNELS", "35");
  OwnCapture refused(sink, 0, CaptureLevel::All);
  EXPECT_EQ(refused.health().state, CaptureState::Denied);
  EXPECT_EQ(fake().kinds() + fake().callbacks(), 0u);
}

TEST_F(OwnCaptureTest, AskingForProblemsLeavesNothingBehind) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(OwnCapture::problem(), "");
  EXPECT_EQ(fake().kinds() + fake().callbacks(), 0u);
  start();
}

TEST_F(OwnCaptureTest, AFatalErrorLosesIt) {
  start();
  fake().malloc(1);
  capture->flush();
  fake().fatal("the GPU fell off the bus");
  ASSERT_TRUE(until([&] { return capture->health().state == CaptureState::Lost; }));
  EXPECT_THAT(capture->health().reason, HasSubstr("fell off the bus"));
  capture->flush();
  capture.reset();
  EXPECT_THAT(sink.calls("cudaMalloc"), SizeIs(1)) << "what it had is kept";
  // As CUPTI is left alone then, what it has on stays on.
  KeepingSink next;
  EXPECT_EQ(OwnCapture(next, 0, CaptureLevel::All).health().state, CaptureState::Running) << "the fake goes on";
}

TEST_F(OwnCaptureTest, BuffersThatSomebodyElseGetsDegradeIt) {
  start();
  fake().launch("k", 1 * kUs, kStream);
  capture->flush();
  fake().take_over();
  ASSERT_TRUE(until([&] { return capture->health().state == CaptureState::Degraded; },
                    [] {
                      for (int i = 0; i < 30; ++i) fake().launch("k", 1 * kUs, kStream);
                      std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    }));
  EXPECT_THAT(capture->health().reason, HasSubstr("another profiler"));
}

// --- flush -----------------------------------------------------------------------------------------------------------

TEST_F(OwnCaptureTest, FlushWaitsForWhatHasNotEndedButNotForEver) {
  start();
  fake().launch("long", 200 * kMs, kStream);
  capture->flush();
  EXPECT_THAT(sink.work(), SizeIs(1)) << "it ended meanwhile";
  fake().launch("longer", 600 * kMs, kStream);
  const auto began = std::chrono::steady_clock::now();
  capture->flush(150);
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, std::chrono::milliseconds(140));
  EXPECT_LT(took, std::chrono::milliseconds(550));
  EXPECT_THAT(sink.work(), SizeIs(1));
  fake().sync(kStream);
}

TEST_F(OwnCaptureTest, AnIdleFlushIsShort) {
  start();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) capture->flush();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
}

TEST_F(OwnCaptureTest, SeveralThreadsMayFlush) {
  start();
  std::vector<std::thread> threads;
  std::atomic<int> missing{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const std::uint32_t correlation = fake().malloc(1);
        capture->flush();
        const auto calls = sink.calls("cudaMalloc");
        missing +=
            std::none_of(calls.begin(), calls.end(), [&](const auto& s) { return s.event.correlation == correlation; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missing, 0);
}

// --- threads and open calls ------------------------------------------------------------------------------------------

TEST_F(OwnCaptureTest, TheThreadThatIsSeenFirstIsTheMainThread) {
  start();
  fake().malloc(1);
  std::thread([] { fake().malloc(1); }).join();
  capture->flush();
  std::vector<std::string> lanes;
  for (const auto& s : sink.calls("cudaMalloc")) lanes.push_back(s.lane);
  EXPECT_THAT(lanes, ElementsAre("CUDA calls", testing::StartsWith("CUDA calls, thread ")));
}

TEST_F(OwnCaptureTest, SeveralMainThreadsShareALane) {
  start();
  capture->set_main_thread(this_thread());
  fake().malloc(1);
  std::thread([&] {
    capture->set_main_thread(this_thread());
    fake().malloc(1);
  }).join();
  std::thread([] { fake().malloc(1); }).join();
  capture->flush();
  std::vector<std::string> lanes;
  for (const auto& s : sink.calls("cudaMalloc")) lanes.push_back(s.lane);
  EXPECT_THAT(lanes, ElementsAre("CUDA calls", "CUDA calls", testing::StartsWith("CUDA calls, thread ")));
}

TEST_F(OwnCaptureTest, ShowsACallWhileItLastsOnTheLaneWhereItWillBe) {
  start();
  capture->set_main_thread(this_thread());
  EXPECT_THAT(capture->open_calls(), IsEmpty());
  std::uint32_t worker_id = 0;
  std::thread worker([&] {
    worker_id = this_thread();
    fake().launch("k", 300 * kMs, kOther);
    fake().sync(kOther);
  });
  ASSERT_TRUE(until([&] { return !capture->open_calls().empty(); }));
  const auto open = capture->open_calls();
  ASSERT_THAT(open, SizeIs(1));
  EXPECT_EQ(sink.text(open[0].name), "cudaStreamSynchronize");
  worker.join();
  EXPECT_EQ(sink.lane_name(open[0].lane), "CUDA calls, thread " + std::to_string(worker_id));
  EXPECT_THAT(capture->open_calls(), IsEmpty());
  capture->flush();
  const auto waits = sink.calls("cudaStreamSynchronize");
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].event.start_ns, open[0].start_ns);
  EXPECT_EQ(waits[0].event.lane, open[0].lane);
}

// --- the process's end -----------------------------------------------------------------------------------------------

constexpr int kWell = 0, kBadly = 3;

KeepingSink& kept_sink() {
  static auto* sink = new KeepingSink;
  return *sink;
}

class OwnCaptureDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    fake();
  }
};

[[noreturn]] void forget_to_stop() {
  std::atexit([] {
    const bool all = kept_sink().work().size() == 1 && fake().kinds() + fake().callbacks() == 0;
    _exit(all ? kWell : kBadly);
  });
  new OwnCapture(kept_sink(), monotonic_ns(), CaptureLevel::All);
  fake().launch("k", 5'000 * kMs, kStream);  // unfinished: at the end it is taken all the same
  std::exit(kBadly);
}
TEST_F(OwnCaptureDeathTest, TheProcessStopsWhatNobodyHasStopped) {
  EXPECT_EXIT(forget_to_stop(), testing::ExitedWithCode(kWell), "");
}

[[noreturn]] void exit_while_flush_hangs() {
  new OwnCapture(kept_sink(), monotonic_ns(), CaptureLevel::All);
  fake().in_flush([] { pause(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::exit(kWell);
}
TEST_F(OwnCaptureDeathTest, TheProcessDoesNotWaitForACuptiThatHangs) {
  EXPECT_EXIT(exit_while_flush_hangs(), testing::ExitedWithCode(kWell), "");
}

[[noreturn]] void fork_while_recording() {
  auto* capture = new OwnCapture(kept_sink(), monotonic_ns(), CaptureLevel::All);
  fake().malloc(1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    fake().malloc(1);
    capture->flush();
    capture->stop();
    delete capture;
    std::exit(kWell);
  }
  int status = 0;
  waitpid(child, &status, 0);
  capture->flush();
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == kWell && kept_sink().calls("cudaMalloc").size() == 1;
  delete capture;
  std::exit(well ? kWell : kBadly);
}
TEST_F(OwnCaptureDeathTest, AForkedChildLeavesEverythingAlone) {
  EXPECT_EXIT(fork_while_recording(), testing::ExitedWithCode(kWell), "");
}

}  // namespace
}  // namespace lanescope::cuda_backend
