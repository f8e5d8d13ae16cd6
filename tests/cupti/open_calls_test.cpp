#include "capture/cupti/open_calls.h"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "cupti/capture_rig.h"

namespace lanescope::capture::cupti {
namespace {

constexpr auto kRuntime = CUPTI_CB_DOMAIN_RUNTIME_API;
constexpr auto kDriver = CUPTI_CB_DOMAIN_DRIVER_API;
constexpr std::int64_t kOpenSecond = 1'000'000'000;

TEST(OpenCalls, ShowsWhatIsOpenOldestFirst) {
  OpenCalls calls;
  const std::int64_t before = monotonic_now_ns();
  calls.enter(10, kRuntime, 131, 1);
  calls.enter(20, kDriver, 126, 2);
  std::vector<OpenCalls::Call> open = calls.open();
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].thread, 10u);
  EXPECT_EQ(open[0].id, 131u);
  EXPECT_EQ(open[0].domain, kRuntime);
  EXPECT_EQ(open[0].correlation, 1u);
  EXPECT_GE(open[0].start_ns, before);
  EXPECT_LE(open[0].start_ns, monotonic_now_ns());
  EXPECT_EQ(open[1].thread, 20u);
  calls.exit(10, kRuntime, 131, 1);
  open = calls.open();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].thread, 20u);
}

TEST(OpenCalls, ADriverCallInsideARuntimeCallIsNotACall) {
  OpenCalls calls;
  calls.enter(10, kRuntime, 31, 5);
  const std::int64_t start = calls.open().at(0).start_ns;
  calls.enter(10, kDriver, 276, 5);
  ASSERT_EQ(calls.open().size(), 1u);
  EXPECT_EQ(calls.open()[0].id, 31u);
  calls.exit(10, kDriver, 276, 5);
  ASSERT_EQ(calls.open().size(), 1u);  // the runtime call still lasts
  EXPECT_EQ(calls.open()[0].start_ns, start);
  calls.exit(10, kRuntime, 31, 5);
  EXPECT_TRUE(calls.open().empty());
  calls.enter(10, kDriver, 276, 6);  // by itself it is one
  EXPECT_EQ(calls.open().size(), 1u);
}

TEST(OpenCalls, ACallWhoseEndWasMissedGivesWayToTheNext) {
  OpenCalls calls;
  calls.enter(10, kRuntime, 31, 5);
  calls.enter(10, kRuntime, 131, 6);
  ASSERT_EQ(calls.open().size(), 1u);
  EXPECT_EQ(calls.open()[0].correlation, 6u);
  calls.exit(10, kRuntime, 31, 5);  // late
  EXPECT_EQ(calls.open().size(), 1u);
  calls.exit(10, kRuntime, 131, 6);
  EXPECT_TRUE(calls.open().empty());
}

TEST(OpenCalls, SaysUntilWhenAllHaveEnded) {
  OpenCalls calls;
  const std::int64_t now = monotonic_now_ns();
  EXPECT_EQ(calls.all_ended_until(now, 0), OpenCalls::kNever);
  calls.enter(10, kRuntime, 131, 1);
  const std::int64_t start = calls.open().at(0).start_ns;
  EXPECT_EQ(calls.all_ended_until(now + kOpenSecond, 0), start);
  calls.exit(10, kRuntime, 131, 1);
  // A flush that began before the call ended, or hardly after, may not have brought its record.
  EXPECT_EQ(calls.all_ended_until(now, 0), start);
  EXPECT_EQ(calls.all_ended_until(now + kOpenSecond, 0), OpenCalls::kNever);
}

TEST(OpenCalls, ForgetsCallsOfThreadsThatAreGone) {
  OpenCalls calls;
  std::thread([&] { calls.enter(static_cast<std::uint32_t>(syscall(SYS_gettid)), kRuntime, 131, 1); }).join();
  calls.enter(static_cast<std::uint32_t>(syscall(SYS_gettid)), kRuntime, 131, 2);
  EXPECT_EQ(calls.open().size(), 2u);
  calls.forget_dead_threads(kOpenSecond);  // too young to be asked about
  EXPECT_EQ(calls.open().size(), 2u);
  // A thread that has been joined is gone for the system a moment later.
  EXPECT_TRUE(until([&] {
    calls.forget_dead_threads(0);
    return calls.open().size() == 1;
  }));
  EXPECT_EQ(calls.open().at(0).correlation, 2u);
}

TEST(OpenCalls, ACrowdLosesSightButNothingElse) {
  OpenCalls calls;
  for (std::uint32_t t = 1; t <= 2000; ++t) calls.enter(t, kRuntime, 131, t);
  const std::size_t seen = calls.open().size();
  EXPECT_GT(seen, 200u);
  EXPECT_LE(seen, 256u);
  for (std::uint32_t t = 1; t <= 2000; ++t) calls.exit(t, kRuntime, 131, t);
  EXPECT_TRUE(calls.open().empty());
  calls.clear();
  calls.enter(3000, kRuntime, 131, 1);
  EXPECT_EQ(calls.open().size(), 1u);
}

// For ThreadSanitizer; and no reader may see a mixture of two calls.
TEST(OpenCalls, ReadersSeeWholeCalls) {
  OpenCalls calls;
  std::atomic<int> running{3};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= 3; ++t) {
    threads.emplace_back([&calls, &running, t] {
      for (std::uint32_t i = 1; i <= 20'000; ++i) {
        const std::uint32_t correlation = t * 1'000'000 + i;
        calls.enter(t, kRuntime, correlation, correlation);
        calls.exit(t, kRuntime, correlation, correlation);
      }
      --running;
    });
  }
  while (running > 0) {
    for (const OpenCalls::Call& call : calls.open()) {
      EXPECT_EQ(call.id, call.correlation);
      EXPECT_EQ(call.correlation / 1'000'000, call.thread);
    }
    calls.all_ended_until(monotonic_now_ns(), 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(calls.open().empty());
}

}  // namespace
}  // namespace lanescope::capture::cupti
