// Reading with a thread of its own gives what one thread gives: the same trace, the same errors, and it can be stopped.
#include <gmock/gmock.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.h"
#include "io/producer.h"
#include "io/trace_file.h"
#include "nsys_fixture.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

constexpr std::int64_t kSomeThread = (std::int64_t{1} << 48) | (std::int64_t{111} << 24) | 111;
constexpr int kManyCalls = 6'000;  // several batches, and so does the JSON have several pieces

ReadLimits using_threads(Threads threads) {
  ReadLimits limits;
  limits.threads = threads;
  return limits;
}

void threads_expect_same(const OpenedTrace& a, const OpenedTrace& b) {
  EXPECT_EQ(a.events_read, b.events_read);
  EXPECT_EQ(a.events_skipped, b.events_skipped);
  EXPECT_EQ(a.events_malformed, b.events_malformed);
  EXPECT_EQ(a.time_offset_ns, b.time_offset_ns);
  EXPECT_EQ(a.read_by_category, b.read_by_category);
  EXPECT_EQ(a.facts, b.facts);
  ASSERT_EQ(a.trace->lane_count(), b.trace->lane_count());
  for (LaneId l = 0; l < a.trace->lane_count(); ++l) {
    EXPECT_EQ(a.trace->lane(l).info(), b.trace->lane(l).info());
    EXPECT_EQ(events_of(*a.trace, l), events_of(*b.trace, l));
  }
}

class TwoThreadsTest : public Scratch {
 protected:
  /// Calls and kernels; one of the last is `odd`.
  std::string json(const std::string& odd = "") {
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < 20'000; ++i) {
      const std::string at = std::to_string(i * 20), id = std::to_string(i + 1);
      text += "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":2,\"ts\":" + at +
              ",\"dur\":5,\"args\":{\"correlation\":" + id + "}},";
      text += "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\\u00e4" + std::to_string(i % 50) +
              "\",\"pid\":0,\"tid\":7,\"ts\":" + at +
              ".5,\"dur\":9,\"args\":{\"device\":0,\"stream\":7,"
              "\"correlation\":" +
              id + ",\"grid\":[" + id + ",1,1],\"dims\":[[" + id + ",2],\"a\"]}},";
      if (i == 19'900) text += odd;
    }
    text.back() = ']';
    return text + "}";
  }
  std::filesystem::path export_of(const std::string& name) {
    NsysFile out(file(name));
    out.calls();
    for (int i = 0; i < kManyCalls; ++i) {
      out.call(i % 3 == 0 ? "cudaStreamSynchronize_v3020" : "cudaLaunchKernel_v7000", i * 100, i * 100 + 50, i + 1,
               kSomeThread);
    }
    return out.path();
  }
};

TEST_F(TwoThreadsTest, GiveTheSameTrace) {
  const auto text = write("a.json", json());
  for (const auto& path : {text, fixture("pytorch-ns-resolution.json.gz"), export_of("a.sqlite")}) {
    const OpenedTrace one = read_trace(path, nullptr, using_threads(Threads::One));
    EXPECT_GT(one.events_read, 5'000u);
    threads_expect_same(read_trace(path, nullptr, using_threads(Threads::Two)), one);
  }
}

TEST_F(TwoThreadsTest, GiveTheSameErrors) {
  const std::string whole = json();
  for (const std::string& bytes : {json("{,"), json("{\"name\":\"\xff\"},"), whole.substr(0, whole.size() / 2)}) {
    const auto path = write("bad.json", bytes);
    const OpenedTrace one = read_trace(path, nullptr, using_threads(Threads::One));
    EXPECT_THAT(one.incomplete, testing::AnyOf(testing::HasSubstr("damaged"), testing::HasSubstr("faults"),
                                               testing::HasSubstr("cut off")));
    threads_expect_same(read_trace(path, nullptr, using_threads(Threads::Two)), one);
  }
  std::string damaged = read_bytes(export_of("whole.sqlite"));
  for (std::size_t i = damaged.size() / 2; i < damaged.size(); ++i) damaged[i] = static_cast<char>(0xA5);
  const auto path = write("damaged.sqlite", damaged);
  const std::string one = error_of([&] { read_trace(path, nullptr, using_threads(Threads::One)); });
  EXPECT_THAT(one, testing::HasSubstr("damaged"));
  EXPECT_EQ(error_of([&] { read_trace(path, nullptr, using_threads(Threads::Two)); }), one);
}

// The caller stops in the middle, while the other thread is ahead.
TEST_F(TwoThreadsTest, TooManyEventsEndBothThreads) {
  for (const auto& path : {write("a.json", json()), export_of("a.sqlite")}) {
    ReadLimits little = using_threads(Threads::Two);
    little.memory_bytes = 200'000;
    EXPECT_THAT(error_of([&] { read_trace(path, nullptr, little); }), testing::HasSubstr("too large"));
  }
}

TEST_F(TwoThreadsTest, AreCancelled) {
  for (const auto& path : {write("a.json", json()), export_of("a.sqlite")}) {
    for (const std::uint64_t events : {0u, 4'000u}) {
      ReadProgress progress;
      std::jthread stopper([&] {
        while (progress.events < events && progress.stage == ReadStage::Reading) std::this_thread::yield();
        progress.cancelled = true;
      });
      try {
        EXPECT_GT(read_trace(path, &progress).events_read, 5'000u);
      } catch (const Cancelled&) {
      }
    }
  }
}

TEST(Producer, KeepsTheOrderAndEnds) {
  for (const Threads threads : {Threads::One, Threads::Two}) {
    int made = 0;
    Producer<int> producer(threads, 3, [&](int& item) { return (item = made++) < 1'000; });
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(producer.next(-1), i);
    EXPECT_EQ(producer.next(-1), std::nullopt);
  }
}

TEST(Producer, ThrowsWhatWasThrownAfterWhatWasMade) {
  for (const Threads threads : {Threads::One, Threads::Two}) {
    int made = 0;
    Producer<int> producer(threads, 3, [&](int& item) {
      if ((item = made++) == 5) throw Cancelled("stopped");
      return true;
    });
    for (int i = 0; i < 5; ++i) ASSERT_EQ(producer.next(-1), i);
    EXPECT_THROW(producer.next(-1), Cancelled);
  }
}

TEST(Producer, MakesOnlyAFewAhead) {
  std::atomic<int> made = 0;
  {
    Producer<int> producer(Threads::Two, 3, [&](int& item) { return (item = made++) < 1'000'000; });
    EXPECT_EQ(producer.next(-1), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(made, 5);
  }
  EXPECT_LE(made, 6);
}

}  // namespace
}  // namespace lanescope::io
