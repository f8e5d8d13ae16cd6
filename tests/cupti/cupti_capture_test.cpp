#include "capture/cupti/cupti_capture.h"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <thread>

#include "cupti/capture_rig.h"
#include "cupti/fake_cupti.h"

namespace lanescope::capture::cupti {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::CaptureState;

constexpr CUpti_CallbackId kMalloc = CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020;
constexpr CUpti_CallbackId kSync = CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020;

std::uint32_t thread_id() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

void call_from(FakeCupti& fake, int threads, int calls) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < calls; ++i) fake.call(kMalloc);
    });
  }
  for (std::thread& thread : all) thread.join();
}

std::size_t position(const std::vector<std::string>& journal, const std::string& entry) {
  return static_cast<std::size_t>(std::find(journal.begin(), journal.end(), entry) - journal.begin());
}

TEST(CuptiCapture, RecordsWhatFourThreadsCall) {
  for (const FakeCupti::Delivery delivery : {FakeCupti::Delivery::SameThread, FakeCupti::Delivery::OtherThread}) {
    FakeCupti fake;
    fake.delivery = delivery;
    KeepingSink sink;
    CuptiCapture session(fake.table(), sink, small_buffers());
    call_from(fake, 4, 500);
    session.flush();
    const trace::CaptureHealth health = session.health();
    EXPECT_EQ(health.state, CaptureState::Running) << health.reason;
    EXPECT_EQ(health.reason, "");
    EXPECT_EQ(health.received, 2000u);
    EXPECT_EQ(health.calls, 2000u);
    EXPECT_EQ(health.pending, 0u);
    EXPECT_EQ(health.late, 0u);
    EXPECT_GE(health.buffers_completed, 80u);  // 2000 records, 25 to a buffer
    EXPECT_EQ(health.buffers_out, 0u);
    EXPECT_EQ(health.buffer_bytes, 1024u);
    EXPECT_EQ(health.library, "libcupti.so.13 (API 130001)");
    EXPECT_GE(health.flush_interval_ms, 5);
    EXPECT_EQ(sink.size(), 2000u);
    EXPECT_EQ(fake.dirty_buffers(), 0u);
    session.stop();
    EXPECT_EQ(session.health().calls, 2000u);
  }
}

TEST(CuptiCapture, StartsAndStopsInTheRightOrder) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  fake.call(kMalloc);
  session.stop();
  session.stop();
  const std::vector<std::string> journal = fake.journal();
  std::vector<std::size_t> order;
  for (const char* entry : {"subscribe", "attribute 5=1", "thread ids 1", "register", "enable 10", "enable 5", "dump 9",
                            "cudaGetDevice off", "all syncs off", "callbacks on", "callbacks off", "disable 8",
                            "disable 10", "thread ids 0", "unsubscribe"}) {
    order.push_back(position(journal, entry));
    EXPECT_THAT(journal, Contains(entry));
    EXPECT_EQ(fake.count(entry), 1u) << entry;
  }
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << ::testing::PrintToString(journal);
  const auto last_flush = std::find(journal.rbegin(), journal.rend(), "flush 0");
  EXPECT_GT(journal.rend() - last_flush, static_cast<std::ptrdiff_t>(position(journal, "disable 10")));
  EXPECT_EQ(fake.count("flush 1"), 0u);  // forced only when the process exits
  EXPECT_THAT(fake.enabled_kinds(), IsEmpty());
  EXPECT_EQ(sink.size(), 1u);
}

TEST(CuptiCapture, EachLevelEnablesWhatItSays) {
  KeepingSink sink;
  const auto kinds_at = [&](trace::CaptureLevel level, bool* watches) {
    FakeCupti fake;
    CaptureOptions options = small_buffers();
    options.level = level;
    CuptiCapture session(fake.table(), sink, options);
    EXPECT_EQ(session.health().state, level == trace::CaptureLevel::None ? CaptureState::Off : CaptureState::Running);
    EXPECT_EQ(fake.subscribed(), level != trace::CaptureLevel::None);
    *watches = fake.callback_enabled(CUPTI_CB_DOMAIN_RUNTIME_API, kSync);
    std::vector<int> kinds;
    for (const CUpti_ActivityKind kind : fake.enabled_kinds()) kinds.push_back(kind);
    session.stop();
    EXPECT_FALSE(fake.subscribed());
    return kinds;
  };
  bool watches = false;
  EXPECT_THAT(kinds_at(trace::CaptureLevel::None, &watches), IsEmpty());
  EXPECT_THAT(kinds_at(trace::CaptureLevel::Subscribed, &watches), IsEmpty());
  EXPECT_THAT(kinds_at(trace::CaptureLevel::Kernels, &watches), ElementsAre(10));
  EXPECT_THAT(kinds_at(trace::CaptureLevel::Operations, &watches), ElementsAre(1, 2, 10, 22));
  EXPECT_THAT(kinds_at(trace::CaptureLevel::Calls, &watches), ElementsAre(1, 2, 4, 5, 8, 9, 10, 17, 22, 36, 37, 38));
  EXPECT_FALSE(watches);
  EXPECT_THAT(kinds_at(trace::CaptureLevel::All, &watches), ElementsAre(1, 2, 4, 5, 8, 9, 10, 17, 22, 36, 37, 38));
  EXPECT_TRUE(watches);
}

TEST(CuptiCapture, StartsAndStopsAHundredTimes) {
  std::uint64_t buffers = 0;
  for (int i = 0; i < 100; ++i) {
    FakeCupti fake;
    KeepingSink sink;
    CuptiCapture session(fake.table(), sink, small_buffers());
    ASSERT_EQ(session.health().state, CaptureState::Running) << session.health().reason;
    for (int n = 0; n < 30; ++n) fake.call(kMalloc);
    session.stop();
    ASSERT_EQ(session.health().calls, 30u);
    if (i == 0) buffers = session.health().buffers_total;
    EXPECT_EQ(session.health().buffers_total, buffers);
  }
}

TEST(CuptiCapture, ASecondIsBusyUntilTheFirstHasStopped) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture first(fake.table(), sink, small_buffers());
  {
    CuptiCapture second(fake.table(), sink, small_buffers());
    EXPECT_EQ(second.health().state, CaptureState::Busy);
    EXPECT_THAT(second.health().reason, HasSubstr("this program"));
  }
  fake.call(kMalloc);
  first.flush();
  EXPECT_EQ(first.health().calls, 1u);  // it did not notice
  first.stop();
  CuptiCapture third(fake.table(), sink, small_buffers());
  EXPECT_EQ(third.health().state, CaptureState::Running);
  EXPECT_EQ(third.health().calls, 0u);
  EXPECT_EQ(first.health().calls, 1u);
}

TEST(CuptiCapture, StopsWhileOtherThreadsGoOnCalling) {
  FakeCupti fake;
  std::atomic<bool> enough{false};
  std::vector<std::thread> threads;
  KeepingSink sink;
  {
    CuptiCapture session(fake.table(), sink, small_buffers());
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        while (!enough) fake.call(kMalloc);
      });
    }
    ASSERT_TRUE(until([&] { return session.health().calls > 200; }));
  }
  // CUPTI still calls back and holds buffers, which does not affect a new session.
  {
    CuptiCapture session(fake.table(), sink, small_buffers());
    EXPECT_TRUE(until([&] { return session.health().calls > 200; }));
  }
  enough = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(CuptiCapture, BuffersThatComeBackAfterTheStopAreNotRead) {
  FakeCupti fake;
  fake.delivery = FakeCupti::Delivery::Never;
  KeepingSink sink;
  {
    CuptiCapture session(fake.table(), sink, small_buffers());
    for (int i = 0; i < 60; ++i) fake.call(kMalloc);  // two full buffers, and one begun
    session.stop();
    EXPECT_EQ(session.health().calls, 0u);
    EXPECT_EQ(session.health().buffers_out, 3u);
  }
  EXPECT_EQ(fake.buffers_held(), 3u);
  std::size_t size = 0;
  EXPECT_NE(fake.ask_for_buffer(&size), nullptr);  // CUPTI may still request one
  EXPECT_EQ(size, 1024u);
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_EQ(fake.give_back_all(), 3u);  // during another session
  fake.delivery = FakeCupti::Delivery::SameThread;
  fake.call(kMalloc);
  session.flush();
  EXPECT_EQ(session.health().calls, 1u);
  EXPECT_EQ(sink.size(), 1u);
  EXPECT_EQ(fake.dirty_buffers(), 0u);
}

TEST(CuptiCapture, CallbacksAfterTheStopHurtNobody) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  for (int i = 0; i < 10; ++i) fake.call(kMalloc);
  session.stop();
  fake.call(kMalloc);
  fake.callback(CUPTI_API_ENTER, CUPTI_CB_DOMAIN_RUNTIME_API, kMalloc, 99);
  EXPECT_TRUE(session.open_calls().empty());
  session.flush();
  EXPECT_EQ(session.health().calls, 10u);
}

TEST(CuptiCapture, ASlowConsumerCostsBuffersThenRecordsAndAllIsCounted) {
  for (const std::uint32_t version : {26u, 130001u}) {  // before 12.9, CUPTI gets a dummy buffer instead of null
    FakeCupti fake(version);
    KeepingSink sink;
    CaptureOptions options = small_buffers();
    options.buffer_bytes = version == 26 ? 2048 : 4096;  // different sizes, because a pool lives as long as the process
    options.buffers = 32;
    options.max_buffers = 96;
    const std::uint64_t per_buffer = options.buffer_bytes / sizeof(CUpti_ActivityAPI);
    CuptiCapture session(fake.table(), sink, options);
    sink.stuck = true;
    fake.call(kMalloc);
    ASSERT_TRUE(until([&] { return sink.waiting.load(); }));
    const std::uint64_t calls = 300 * per_buffer;
    for (std::uint64_t i = 0; i < calls; ++i) fake.call(kMalloc);
    trace::CaptureHealth health = session.health();
    EXPECT_LE(health.buffers_total, 96u);
    EXPECT_GE(health.no_buffer, 300u - 96u - 1u);
    EXPECT_EQ(health.state, CaptureState::Degraded);
    EXPECT_THAT(health.reason, HasSubstr("out of buffers"));
    sink.stuck = false;
    session.flush();
    session.stop();
    health = session.health();
    EXPECT_EQ(health.late, 0u);
    if (version >= 27) {
      EXPECT_GT(health.dropped, 0u);
      EXPECT_THAT(health.reason, HasSubstr("dropped"));
      EXPECT_EQ(health.calls + health.dropped, calls + 1);
    } else {
      EXPECT_EQ(health.dropped, 0u);
      // Each time CUPTI got the dummy buffer, a buffer's worth of records is lost.
      EXPECT_GE(health.calls + per_buffer * health.no_buffer, calls + 1);
      EXPECT_LT(health.calls, calls);
    }
    EXPECT_EQ(sink.size(), health.calls);
  }
}

TEST(CuptiCapture, DropsAreCountedAndShown) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  fake.dropped += 5;
  EXPECT_TRUE(until([&] { return session.health().dropped == 5; }));  // once a second
  EXPECT_EQ(session.health().state, CaptureState::Degraded);
  EXPECT_EQ(session.health().reason, "CUPTI dropped 5 records");
  fake.dropped += 2;
  session.stop();
  EXPECT_EQ(session.health().dropped, 7u);
}

TEST(CuptiCapture, BuffersThatStopComingDegradeItUntilTheyComeAgain) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  fake.delivery = FakeCupti::Delivery::Never;
  EXPECT_TRUE(until([&] {
    fake.call(kMalloc);
    return session.health().state == CaptureState::Degraded;
  }));
  EXPECT_THAT(session.health().reason, HasSubstr("another profiler may have taken over"));
  fake.delivery = FakeCupti::Delivery::SameThread;
  EXPECT_TRUE(until([&] { return session.health().state == CaptureState::Running; }));
}

TEST(CuptiCapture, AFatalErrorLosesItAndCuptiIsLeftAlone) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  fake.call(kMalloc);
  session.flush();
  std::thread([&] { fake.fatal("the GPU has fallen off the bus"); }).join();
  EXPECT_EQ(session.health().state, CaptureState::Lost);
  EXPECT_EQ(session.health().reason, "CUPTI has failed: the GPU has fallen off the bus");
  fake.fatal("and again");
  session.flush();
  session.stop();
  EXPECT_EQ(fake.count("disable 10"), 0u);
  EXPECT_EQ(fake.count("unsubscribe"), 0u);
  EXPECT_EQ(session.health().state, CaptureState::Lost);
  EXPECT_EQ(session.health().reason, "CUPTI has failed: the GPU has fallen off the bus");
  EXPECT_EQ(session.health().calls, 1u);
}

TEST(CuptiCapture, FlushWaitsForWhatHasNotEndedButNotForever) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  session.flush();  // nothing to wait for
  fake.begin_record();
  const std::int64_t before = monotonic_now_ns();
  session.flush(50);
  EXPECT_GE(monotonic_now_ns() - before, 50'000'000);
  EXPECT_EQ(session.health().calls, 0u);
  fake.end_record();
  session.flush();
  EXPECT_EQ(session.health().calls, 1u);
}

TEST(CuptiCapture, SeveralThreadsMayFlush) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        fake.call(kMalloc);
        session.flush();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  session.flush();
  EXPECT_EQ(session.health().calls, 15u);
}

TEST(CuptiCapture, RestsWhenNothingHappensAndIsBackAtOnce) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  EXPECT_TRUE(until([&] { return session.health().flush_interval_ms == 100; }));
  fake.call(kMalloc);
  EXPECT_TRUE(until([&] { return sink.size() == 1; }));
  EXPECT_TRUE(until([&] {
    fake.call(kMalloc);
    return session.health().flush_interval_ms == 5;
  }));
}

TEST(CuptiCapture, TheThreadThatIsSeenFirstIsTheMainThread) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  std::uint32_t other = 0;
  fake.call(kMalloc);
  std::thread([&] {
    other = thread_id();
    fake.call(kMalloc);
  }).join();
  session.flush();
  session.stop();
  trace::LaneInfo mine;
  mine.kind = trace::LaneKind::Calls;
  mine.name = "CUDA calls";
  mine.process = "lanescope";
  trace::LaneInfo others = mine;
  others.name = "CUDA calls, thread " + std::to_string(other);
  others.tid = other;
  EXPECT_THAT(sink.lanes(), ::testing::UnorderedElementsAre(mine, others));
}

TEST(CuptiCapture, AnotherThreadMayBecomeTheMainThread) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  session.set_main_thread(thread_id());
  fake.call(kMalloc);
  std::thread([&] {
    session.set_main_thread(thread_id());
    fake.call(kMalloc);
    fake.call(kMalloc);
  }).join();
  session.flush();
  session.stop();
  EXPECT_THAT(sink.lanes(), ::testing::Each(::testing::Field(&trace::LaneInfo::tid, 0))) << "both have been it";
}

// Its first call may be open before a buffer has come back, and must not be drawn on a lane that stays empty.
TEST(CuptiCapture, AThreadThatHasJustBecomeTheMainOneIsSeenAsSuchWhileItsFirstCallLasts) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  session.set_main_thread(thread_id());
  fake.call(kMalloc);
  std::thread([&] {
    session.set_main_thread(thread_id());
    fake.call_with_driver_call(kSync, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                               [&] { EXPECT_TRUE(until([&] { return session.open_calls().size() == 1; })); });
  }).join();
  session.stop();
  EXPECT_THAT(sink.lanes(), ::testing::Each(::testing::Field(&trace::LaneInfo::tid, 0)));
}

TEST(CuptiCapture, TheMainThreadMayBeNamed) {
  FakeCupti fake;
  KeepingSink sink;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t workload = 0;
  bool go = false;
  std::thread thread([&] {
    std::unique_lock lock(mutex);
    workload = thread_id();
    changed.notify_all();
    changed.wait(lock, [&] { return go; });
    fake.call(kMalloc);
  });
  CaptureOptions options = small_buffers();
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return workload != 0; });
    options.main_thread = workload;
  }
  CuptiCapture session(fake.table(), sink, options);
  fake.call(kMalloc);
  {
    const std::lock_guard lock(mutex);
    go = true;
  }
  changed.notify_all();
  thread.join();
  session.stop();
  ASSERT_EQ(sink.lanes().size(), 2u);
  EXPECT_THAT(sink.lanes(), Contains(::testing::Field(&trace::LaneInfo::tid, thread_id())));
  EXPECT_THAT(sink.lanes(), Contains(::testing::Field(&trace::LaneInfo::tid, 0)));
}

TEST(CuptiCapture, ShowsACallWhileItLastsOnTheLaneWhereItWillBe) {
  FakeCupti fake;
  KeepingSink sink;
  const CaptureOptions options = small_buffers();
  CuptiCapture session(fake.table(), sink, options);
  EXPECT_TRUE(session.open_calls().empty());
  trace::OpenCall seen;
  fake.call_with_driver_call(kSync, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, [&] {
    EXPECT_TRUE(until([&] { return session.open_calls().size() == 1; }));  // after 50 us
    const std::vector<trace::OpenCall> open = session.open_calls();
    ASSERT_EQ(open.size(), 1u);
    seen = open[0];
  });
  EXPECT_TRUE(session.open_calls().empty());
  EXPECT_EQ(sink.name_of(seen.name), "cudaStreamSynchronize");
  session.flush();
  session.stop();
  const std::vector<trace::Event> events = sink.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].lane, seen.lane);
  EXPECT_EQ(events[0].name, seen.name);
  EXPECT_NEAR(static_cast<double>(events[0].start_ns), static_cast<double>(seen.start_ns), 5e7);  // a busy machine
  EXPECT_EQ(sink.lanes().at(seen.lane).name, "CUDA calls");
}

// While a call is open, nothing that started after it is written: otherwise its record would be late.
TEST(CuptiCapture, HoldsBackWhatStartedAfterAnOpenCall) {
  FakeCupti fake;
  KeepingSink sink;
  CuptiCapture session(fake.table(), sink, small_buffers());
  fake.call(kSync, [&] {
    std::thread([&] { fake.call(kMalloc); }).join();
    const std::uint64_t flushes = fake.flushes();
    EXPECT_TRUE(until([&] { return session.health().received == 1 && fake.flushes() > flushes + 10; }));
    EXPECT_EQ(sink.size(), 0u);
  });
  session.flush();
  EXPECT_EQ(sink.size(), 2u);
  EXPECT_EQ(session.health().late, 0u);
}

}  // namespace
}  // namespace lanescope::capture::cupti
