// Random programs: the trace does not depend on the order in which CUPTI delivers their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "decoder_rig.h"

namespace lanescope::capture::cupti::test {
namespace {

using trace::Event;

struct Made {
  Buffer record;
  std::uint32_t thread;
  Nanoseconds placed_ns;  // when its place in the thread's buffer is reserved
  Nanoseconds done_ns;    // when it is complete
};

struct Program {
  std::vector<Made> records;                               // in the order of their places
  std::vector<std::pair<Nanoseconds, Nanoseconds>> calls;  // open intervals
  Nanoseconds end_ns = 0;
};

/// Threads that launch, copy, record events, synchronise and allocate; streams that work in order.
Program make_program(std::uint32_t seed, int steps) {
  std::mt19937 random(seed);
  const auto up_to = [&](int n) { return static_cast<Nanoseconds>(random() % static_cast<std::uint32_t>(n)); };
  Program program;
  std::map<std::uint32_t, Nanoseconds> thread_free, stream_free;
  std::uint32_t correlation = 0xFFFFFF00;  // wraps around during the test
  std::uint64_t event_number = 0;
  struct Recorded {
    std::uint64_t number;
    Nanoseconds reached_ns;
    Nanoseconds recorded_ns;
  };
  std::vector<Recorded> recorded;
  const auto add_call = [&](Api api, Nanoseconds start, Nanoseconds end, std::uint32_t thread) {
    program.records.push_back({Buffer().call(api, start, end, correlation, thread), thread, end, end});
    program.calls.push_back({start, end});
    thread_free[thread] = end + 500 + up_to(200'000);
  };
  for (int i = 0; i < steps; ++i) {
    if (++correlation == 0) ++correlation;
    const std::uint32_t thread = kThread + static_cast<std::uint32_t>(random() % 3);
    const std::uint32_t stream = kStream + static_cast<std::uint32_t>(random() % 3) * 6;
    const Where where{stream, 0, kContext};
    const Nanoseconds start = std::max<Nanoseconds>(thread_free[thread], 1 * kMs) + up_to(5000);
    const Nanoseconds op_start = std::max(stream_free[stream], start + 5000 + up_to(10'000));
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: {
        const Nanoseconds op_end = op_start + 1000 + up_to(random() % 20 == 0 ? 40'000'000 : 300'000);
        program.records.push_back(
            {Buffer().kernel(random() % 2 ? "gemm" : "relu", op_start, op_end, correlation, where), thread, start,
             op_end});
        stream_free[stream] = op_end;
        add_call(Api::Launch, start, start + 3000 + up_to(2000), thread);
        break;
      }
      case 3: {
        const bool pageable = random() % 2;
        const Nanoseconds op_end = op_start + 1000 + up_to(200'000);
        const CopyOf copy{CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                          static_cast<std::uint8_t>(pageable ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE
                                                             : CUPTI_ACTIVITY_MEMORY_KIND_PINNED),
                          random() % 1'000'000};
        program.records.push_back({Buffer().copy(copy, op_start, op_end, correlation, where), thread, start, op_end});
        stream_free[stream] = op_end;
        add_call(Api::MemcpyAsync, start, pageable ? op_end + 4000 : start + 4000, thread);
        break;
      }
      case 4: {
        const Nanoseconds end = std::max(stream_free[stream], start + 1000) + 5000;
        program.records.push_back({Buffer().sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, start + 500,
                                                 end - 100, correlation, stream),
                                   thread, end - 100, end - 100});
        add_call(Api::StreamSync, start, end, thread);
        break;
      }
      case 5: {
        recorded.push_back({++event_number, stream_free[stream], start + 1000});
        program.records.push_back(
            {Buffer().gpu_event(event_number, correlation, stream), thread, start + 500, start + 500});
        add_call(Api::EventRecord, start, start + 1000, thread);
        break;
      }
      case 6: {
        if (recorded.empty()) break;
        const Recorded event = recorded[random() % recorded.size()];
        if (event.recorded_ns >= start) break;  // by a thread that is ahead of this one
        const Nanoseconds end = std::max(event.reached_ns, start + 1000) + 5000;
        program.records.push_back(
            {Buffer().sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, start + 500, end - 100, correlation,
                           CUPTI_SYNCHRONIZATION_INVALID_VALUE, event.number),
             thread, end - 100, end - 100});
        add_call(Api::EventSync, start, end, thread);
        break;
      }
      default:
        add_call(Api::Malloc, start, start + 2000, thread);
        break;
    }
  }
  for (const Made& made : program.records) program.end_ns = std::max(program.end_ns, made.done_ns);
  std::stable_sort(program.records.begin(), program.records.end(),
                   [](const Made& a, const Made& b) { return a.placed_ns < b.placed_ns; });
  return program;
}

using Lanes = std::map<std::string, std::vector<std::pair<std::string, Event>>>;

/// Every lane's events by lane name, with names as text, because ids depend on the order.
Lanes trace_of(const DecoderRig& rig) {
  Lanes lanes;
  for (std::size_t lane = 0; lane < rig.sink.lanes.size(); ++lane) {
    auto& events = lanes[rig.sink.lanes[lane].name];
    for (Event event : rig.sink.events[lane]) {
      const std::string name = rig.text(event);
      event.name = 0;
      event.lane = 0;
      events.emplace_back(name, event);
    }
  }
  return lanes;
}

void expect_same(const Lanes& got, const Lanes& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [lane, events] : expected) {
    const auto found = got.find(lane);
    ASSERT_NE(found, got.end()) << lane;
    ASSERT_EQ(found->second.size(), events.size()) << lane;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& [name, e] = events[i];
      const auto& [got_name, g] = found->second[i];
      ASSERT_EQ(got_name, name) << lane << " " << i;
      ASSERT_TRUE(g == e) << lane << " " << i << " " << name << " " << e.start_ns << " to " << e.end_ns << ", flags "
                          << int{e.flags} << ", " << e.a << " " << e.b << " " << e.c << "; got " << g.start_ns << " to "
                          << g.end_ns << ", flags " << int{g.flags} << ", " << g.a << " " << g.b << " " << g.c;
    }
  }
}

Lanes in_order(const Program& program) {
  DecoderRig rig;
  rig.now = program.end_ns + kMs;
  Buffer buffer;
  for (const Made& made : program.records) buffer.add(made.record);
  rig.take(buffer);
  rig.decoder.finish();
  return trace_of(rig);
}

class RandomProgram : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomProgram, ShuffledOverBuffersGivesTheSameTrace) {
  Program program = make_program(GetParam(), 2000);
  const auto expected = in_order(program);
  std::mt19937 random(GetParam());
  std::shuffle(program.records.begin(), program.records.end(), random);
  DecoderRig rig;
  rig.now = program.end_ns + kMs;
  Buffer buffer;
  for (const Made& made : program.records) {
    buffer.add(made.record);
    if (random() % 30 != 0) continue;
    rig.take(buffer);
    buffer.clear();
  }
  rig.take(buffer);
  rig.decoder.finish();
  expect_same(trace_of(rig), expected);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.late, 0u);
}

// As in CUPTI: every thread fills its own buffers, in which an operation's place is reserved when it is launched; a
// flush delivers, in order, those with only complete records.
TEST_P(RandomProgram, LiveGivesTheSameTraceAndKeepsEveryPromise) {
  const Program program = make_program(GetParam(), 2000);
  const auto expected = in_order(program);
  constexpr std::size_t kBufferRecords = 12;
  struct Filling {
    std::vector<const Made*> records;
    Nanoseconds done_ns = 0;
  };
  std::map<std::uint32_t, std::vector<Filling>> buffers;

  DecoderRig rig;
  std::size_t next = 0;
  bool early = false;
  for (Nanoseconds t = 0; t < program.end_ns + 300 * kMs; t += 7 * kMs) {
    rig.now = t;
    for (; next < program.records.size() && program.records[next].placed_ns <= t; ++next) {
      const Made& made = program.records[next];
      auto& of_thread = buffers[made.thread];
      if (of_thread.empty() || of_thread.back().records.size() == kBufferRecords) of_thread.emplace_back();
      of_thread.back().records.push_back(&made);
      of_thread.back().done_ns = std::max(of_thread.back().done_ns, made.done_ns);
    }
    Decoder::Progress progress;
    progress.asked_ns = t;
    for (auto& [thread, of_thread] : buffers) {
      while (!of_thread.empty() && of_thread.front().done_ns <= t) {
        Buffer buffer;
        for (const Made* made : of_thread.front().records) buffer.add(made->record);
        rig.take(buffer);
        of_thread.erase(of_thread.begin());
      }
      if (!of_thread.empty()) progress.threads_with_buffers.push_back(thread);
    }
    for (const auto& [start, end] : program.calls) {
      if (start < t && t < end) progress.oldest_open_call_ns = std::min(progress.oldest_open_call_ns, start);
    }
    rig.decoder.advance(progress);
    early |= t < program.end_ns && rig.counts.calls > 0;
  }
  EXPECT_TRUE(early) << "it is written while the program runs";
  EXPECT_EQ(rig.counts.pending, 0u) << "and all of it soon after";
  EXPECT_EQ(rig.sink.broken_promises, 0) << rig.text(rig.sink.first_broken) << " from "
                                         << rig.sink.first_broken.start_ns << " on lane "
                                         << rig.sink.lanes[rig.sink.first_broken.lane].name;
  EXPECT_EQ(rig.counts.late, 0u);
  expect_same(trace_of(rig), expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, ::testing::Range(1u, 41u));

// The comparison above is meaningful only if the programs contain what it compares.
TEST(RandomPrograms, HaveWaitsAndCopies) {
  int waits = 0, copies = 0;
  for (const auto& [lane, events] : in_order(make_program(1, 2000))) {
    for (const auto& [name, event] : events) {
      const trace::CallParts parts = trace::parts_of(event);
      waits += parts.waiting > 0;
      copies += parts.copying > 0;
    }
  }
  EXPECT_GT(waits, 100);
  EXPECT_GT(copies, 100);
}

}  // namespace
}  // namespace lanescope::capture::cupti::test
