// Random programs: the trace does not depend on the order in which CUPTI delivers their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "capture/records_rig.h"

namespace lanescope::capture::test {
namespace {

using trace::Event;

struct Made {
  Records record;
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
  const auto add_call = [&](std::string_view api, Nanoseconds start, Nanoseconds end, std::uint32_t thread) {
    program.records.push_back({Records().call(api, start, end, correlation, thread), thread, end, end});
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
            {Records().kernel(random() % 2 ? "gemm" : "relu", op_start, op_end, correlation, where), thread, start,
             op_end});
        stream_free[stream] = op_end;
        add_call(api::kLaunch, start, start + 3000 + up_to(2000), thread);
        break;
      }
      case 3: {
        const bool pageable = random() % 2;
        const Nanoseconds op_end = op_start + 1000 + up_to(200'000);
        const CopyOf copy{kToHost, kDeviceMemory, static_cast<std::uint8_t>(pageable ? kPageable : kPinned),
                          random() % 1'000'000};
        program.records.push_back({Records().copy(copy, op_start, op_end, correlation, where), thread, start, op_end});
        stream_free[stream] = op_end;
        add_call(api::kMemcpyAsync, start, pageable ? op_end + 4000 : start + 4000, thread);
        break;
      }
      case 4: {
        const Nanoseconds end = std::max(stream_free[stream], start + 1000) + 5000;
        program.records.push_back({Records().sync(kStreamSynchronize, start + 500, end - 100, correlation, stream),
                                   thread, end - 100, end - 100});
        add_call(api::kStreamSync, start, end, thread);
        break;
      }
      case 5: {
        recorded.push_back({++event_number, stream_free[stream], start + 1000});
        program.records.push_back(
            {Records().gpu_event(event_number, correlation, stream), thread, start + 500, start + 500});
        add_call(api::kEventRecord, start, start + 1000, thread);
        break;
      }
      case 6: {
        if (recorded.empty()) break;
        const Recorded event = recorded[random() % recorded.size()];
        if (event.recorded_ns >= start) break;  // by a thread that is ahead of this one
        const Nanoseconds end = std::max(event.reached_ns, start + 1000) + 5000;
        program.records.push_back(
            {Records().sync(kEventSynchronize, start + 500, end - 100, correlation, kAllStreams, event.number), thread,
             end - 100, end - 100});
        add_call(api::kEventSync, start, end, thread);
        break;
      }
      default:
        add_call(api::kMalloc, start, start + 2000, thread);
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
Lanes trace_of(const Rig& rig) {
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
  Rig rig;
  rig.now = program.end_ns + kMs;
  Records buffer;
  for (const Made& made : program.records) buffer.add(made.record);
  rig.take(buffer);
  rig.finish();
  return trace_of(rig);
}

class RandomProgram : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomProgram, ShuffledOverBuffersGivesTheSameTrace) {
  Program program = make_program(GetParam(), 2000);
  const auto expected = in_order(program);
  std::mt19937 random(GetParam());
  std::shuffle(program.records.begin(), program.records.end(), random);
  Rig rig;
  rig.now = program.end_ns + kMs;
  Records buffer;
  for (const Made& made : program.records) {
    buffer.add(made.record);
    if (random() % 30 != 0) continue;
    rig.take(buffer);
    buffer.clear();
  }
  rig.take(buffer);
  rig.finish();
  expect_same(trace_of(rig), expected);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.late, 0u);
}

// A call comes as soon as it has ended; what the GPU did, in buffers, of which each comes when all in it is complete.
// What is said to be delivered is what ended before the oldest buffer that is out was begun.
TEST_P(RandomProgram, LiveGivesTheSameTraceAndKeepsEveryPromise) {
  const Program program = make_program(GetParam(), 2000);
  const auto expected = in_order(program);
  constexpr std::size_t kBufferRecords = 12;
  struct Filling {
    std::vector<const Made*> records;
    Nanoseconds begun_ns = 0, done_ns = 0;
  };
  std::vector<Filling> buffers;
  std::vector<const Made*> calls;

  Rig rig;
  std::size_t next = 0;
  bool early = false;
  for (Nanoseconds t = 0; t < program.end_ns + 300 * kMs; t += 7 * kMs) {
    rig.now = t;
    for (; next < program.records.size() && program.records[next].placed_ns <= t; ++next) {
      const Made& made = program.records[next];
      if (made.record.all()[0].record.kind == RecordKind::Call) {
        calls.push_back(&made);
        continue;
      }
      if (buffers.empty() || buffers.back().records.size() == kBufferRecords) {
        buffers.emplace_back().begun_ns = made.placed_ns;
      }
      buffers.back().records.push_back(&made);
      buffers.back().done_ns = std::max(buffers.back().done_ns, made.done_ns);
    }
    std::erase_if(calls, [&](const Made* call) {
      if (call->done_ns <= t) rig.take(call->record);
      return call->done_ns <= t;
    });
    Progress progress;
    progress.asked_ns = t;
    std::erase_if(buffers, [&](const Filling& buffer) {
      if (buffer.done_ns > t) return false;
      for (const Made* made : buffer.records) rig.take(made->record);
      return true;
    });
    for (const Filling& out : buffers) progress.asked_ns = std::min(progress.asked_ns, out.begun_ns);
    for (const auto& [start, end] : program.calls) {
      if (start < t && t < end) progress.oldest_open_call_ns = std::min(progress.oldest_open_call_ns, start);
    }
    rig.assembler.advance(progress, t);
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
}  // namespace lanescope::capture::test
