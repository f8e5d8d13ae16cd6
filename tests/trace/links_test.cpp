#include "trace/links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace lanescope::trace {
namespace {

LaneInfo calls_of(std::int64_t pid, std::int64_t tid = 1) {
  LaneInfo info;
  info.kind = LaneKind::Calls;
  info.pid = pid;
  info.tid = tid;
  return info;
}

LaneInfo kernels_of(std::int64_t pid, std::int32_t device = 0, std::int32_t stream = 0) {
  LaneInfo info;
  info.kind = LaneKind::Kernels;
  info.pid = pid;
  info.device = device;
  info.stream = stream;
  return info;
}

Event event(LaneId lane, EventKind kind, Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
  Event e;
  e.lane = lane;
  e.kind = kind;
  e.start_ns = start;
  e.end_ns = end;
  e.correlation = correlation;
  return e;
}

class LinksTest : public testing::Test {
 protected:
  EventRef add(LaneId lane, EventKind kind, Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
    const Event e = event(lane, kind, start, end, correlation);
    trace.append(e);
    trace.publish();
    return {lane, 0, next_[lane]++, e};
  }
  EventRef call(LaneId lane, Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
    return add(lane, EventKind::Call, start, end, correlation);
  }
  EventRef kernel(LaneId lane, Nanoseconds start, Nanoseconds end, std::uint32_t correlation) {
    return add(lane, EventKind::Kernel, start, end, correlation);
  }

  Trace trace;
  Links links{trace};

 private:
  std::map<LaneId, EventIndex> next_;
};

TEST_F(LinksTest, ACallMayHaveSeveralOperations) {
  const LaneId calls = trace.add_lane(calls_of(7));
  const LaneId one = trace.add_lane(kernels_of(7)), other = trace.add_lane(kernels_of(7, 0, 1));
  const EventRef graph = call(calls, 0, 10, 5);
  const EventRef launch = call(calls, 20, 30, 6);
  const EventRef first = kernel(other, 12, 20, 5);
  const EventRef second = kernel(one, 15, 25, 5);
  const EventRef third = kernel(one, 25, 40, 5);
  const EventRef alone = kernel(other, 30, 50, 6);
  links.update();
  EXPECT_EQ(links.operations_of(graph), (std::vector<EventRef>{first, second, third}));
  EXPECT_EQ(links.operation_of(graph), first);
  EXPECT_EQ(links.operations_of(launch), (std::vector<EventRef>{alone}));
  for (const EventRef& e : {first, second, third}) EXPECT_EQ(links.call_of(e), graph);
  EXPECT_EQ(links.call_of(alone), launch);
}

// Each process counts its calls from 1.
TEST_F(LinksTest, CorrelationsAreThoseOfAProcess) {
  const LaneId a_calls = trace.add_lane(calls_of(7)), b_calls = trace.add_lane(calls_of(8));
  const LaneId a_gpu = trace.add_lane(kernels_of(7)), b_gpu = trace.add_lane(kernels_of(8));
  const EventRef a = call(a_calls, 0, 10, 1);
  const EventRef b = call(b_calls, 5, 15, 1);
  const EventRef a_op = kernel(a_gpu, 20, 30, 1);
  const EventRef b_op = kernel(b_gpu, 18, 40, 1);
  Event wait = event(a_calls, EventKind::Call, 16, 50, 2);
  set_parts(wait, {1, 0, 0, 5});
  trace.append(wait);
  trace.publish();
  links.update();
  EXPECT_EQ(links.operations_of(a), (std::vector<EventRef>{a_op}));
  EXPECT_EQ(links.operations_of(b), (std::vector<EventRef>{b_op}));
  EXPECT_EQ(links.call_of(a_op), a);
  EXPECT_EQ(links.call_of(b_op), b);
  EXPECT_EQ(links.waited_for(a_calls, wait), a_op) << "not the other process' later one";
  EXPECT_EQ(links.issued_in(a_calls, 0, 100), (std::vector<EventRun>{{a_gpu, 0, 0, 1}}));
}

// In a trace of an older version, GPU lanes have no pid.
TEST_F(LinksTest, AGpuWithoutAProcessBelongsToTheOnlyOne) {
  const LaneId gpu = trace.add_lane(kernels_of(0));
  const LaneId calls = trace.add_lane(calls_of(7));
  const EventRef launch = call(calls, 0, 10, 1);
  const EventRef op = kernel(gpu, 20, 30, 1);
  links.update();
  EXPECT_EQ(links.call_of(op), launch);
  const LaneId other = trace.add_lane(calls_of(8));
  call(other, 40, 50, 1);
  links.update();
  EXPECT_EQ(links.call_of(op), std::nullopt) << "it may be either's";
}

// The number is reused: work after the second call belongs to that call.
TEST_F(LinksTest, ANumberMayBeGivenOutAgain) {
  const LaneId calls = trace.add_lane(calls_of(7)), gpu = trace.add_lane(kernels_of(7));
  const EventRef first = call(calls, 0, 10, 3);
  const EventRef one = kernel(gpu, 20, 30, 3);
  const EventRef second = call(calls, 1000, 1010, 3);
  const EventRef two = kernel(gpu, 1020, 1030, 3);
  links.update();
  EXPECT_EQ(links.operations_of(first), (std::vector<EventRef>{one}));
  EXPECT_EQ(links.operations_of(second), (std::vector<EventRef>{two}));
  EXPECT_EQ(links.call_of(one), first);
  EXPECT_EQ(links.call_of(two), second);
}

// The driver call is nested in the runtime call and has the same number.
TEST_F(LinksTest, OfCallsInsideOneAnotherTheOuterOneIssues) {
  const LaneId calls = trace.add_lane(calls_of(7)), gpu = trace.add_lane(kernels_of(7));
  const EventRef outer = call(calls, 0, 10, 3);
  trace.append(event(calls, EventKind::Call, 2, 8, 3));  // in a second row
  trace.publish();
  const EventRef op = kernel(gpu, 20, 30, 3);
  links.update();
  EXPECT_EQ(links.call_of(op), outer);
  EXPECT_EQ(links.operations_of(outer), (std::vector<EventRef>{op}));
}

struct Program {
  std::vector<Event> events;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> joined;  ///< starts of a call and of one of its operations
};

// Two threads and two streams; numbers in any order.
Program shuffled(Trace& trace, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i + 1);
  std::shuffle(numbers.begin(), numbers.end(), random);
  const LaneId calls[] = {trace.add_lane(calls_of(7)), trace.add_lane(calls_of(7, 2))};
  const LaneId gpu[] = {trace.add_lane(kernels_of(7)), trace.add_lane(kernels_of(7, 0, 1))};
  Program program;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Nanoseconds>(i) * 100;
    program.events.push_back(event(calls[random() % 2], EventKind::Call, at, at + 10, numbers[i]));
    for (std::size_t n = random() % 3; n > 0; --n) {
      const Nanoseconds start = at + 1000 + 30 * static_cast<Nanoseconds>(n);
      program.events.push_back(event(gpu[random() % 2], EventKind::Kernel, start, start + 10, numbers[i]));
      program.joined.emplace_back(at, start);
    }
  }
  std::stable_sort(program.events.begin(), program.events.end(),
                   [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  return program;
}

// All pairs, as Links finds them from either end.
std::vector<std::pair<Nanoseconds, Nanoseconds>> pairs(const Trace& trace, const Links& links, bool from_calls) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> found;
  for_rows(
      trace, [](LaneKind kind) { return kind == LaneKind::Calls || kind == LaneKind::Kernels; },
      [&](LaneId lane, std::size_t number, const Row& row) {
        for (EventIndex i = row.first(); i < row.last(); ++i) {
          const EventRef e = event_ref(lane, number, row, i);
          if (e.event.kind == EventKind::Call && from_calls) {
            for (const EventRef& op : links.operations_of(e)) found.emplace_back(e.event.start_ns, op.event.start_ns);
          } else if (e.event.kind == EventKind::Kernel && !from_calls) {
            if (const auto call = links.call_of(e)) found.emplace_back(call->event.start_ns, e.event.start_ns);
          }
        }
      });
  std::sort(found.begin(), found.end());
  return found;
}

TEST_F(LinksTest, NumbersMayComeInAnyOrder) {
  Program program = shuffled(trace, 3000, 1);
  for (const Event& e : program.events) trace.append(e);
  trace.publish();
  EXPECT_TRUE(links.update());
  std::sort(program.joined.begin(), program.joined.end());
  EXPECT_EQ(pairs(trace, links, true), program.joined);
  EXPECT_EQ(pairs(trace, links, false), program.joined);
}

// Read in small steps while it grows, it gives the same answers as when read at once.
TEST_F(LinksTest, AGrowingTraceIsThatOfAWholeOne) {
  const Program program = shuffled(trace, 3000, 2);
  std::size_t n = 0;
  for (const Event& e : program.events) {
    trace.append(e);
    if (++n % 77 == 0) trace.publish();
    if (n % 100 == 0) links.update(60);
  }
  trace.publish();
  EXPECT_FALSE(links.update(10)) << "there is more";
  while (!links.update(500)) {
  }
  Links whole(trace);
  whole.update();
  EXPECT_EQ(pairs(trace, links, true), pairs(trace, whole, true));
  EXPECT_EQ(pairs(trace, links, false), pairs(trace, whole, false));
}

TEST(LinksOfAFullTrace, AreOfWhatIsKept) {
  Trace trace(sizeof(Block) * 24);
  Links links(trace);
  const LaneId calls = trace.add_lane(calls_of(7)), gpu = trace.add_lane(kernels_of(7));
  constexpr std::uint32_t kCount = 200'000;
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    const Nanoseconds at = Nanoseconds{i} * 100;
    trace.append(event(calls, EventKind::Call, at, at + 10, i));
    trace.append(event(gpu, EventKind::Kernel, at + 500, at + 590, i));
    if (i % 1000 != 0) continue;
    trace.publish();
    if (i % 3000 == 0) links.update();
  }
  trace.publish();
  links.update();
  ASSERT_GT(trace.counts().evicted, 300'000u);
  std::size_t joined = 0;
  const Row& row = trace.lane(gpu).row(0);
  for (EventIndex i = row.first(); i < row.last(); ++i) {
    const EventRef op = event_ref(gpu, 0, row, i);
    const auto call = links.call_of(op);
    const bool kept = op.event.correlation > trace.lane(calls).row(0).first();
    ASSERT_EQ(call.has_value(), kept) << op.event.correlation;
    if (!call) continue;
    ++joined;
    ASSERT_EQ(call->event.correlation, op.event.correlation);
    ASSERT_EQ(links.operation_of(*call), op);
  }
  EXPECT_GT(joined, 5000u);
  EXPECT_EQ(links.operation_of(calls, event(calls, EventKind::Call, 100, 110, 1)), std::nullopt) << "gone";
  EXPECT_LT(static_cast<double>(links.memory_bytes()), 100'000) << "what is gone costs nothing";
}

TEST(LinksMemory, IsAFractionOfAByteForEachEvent) {
  Trace trace;
  Links links(trace);
  const LaneId calls = trace.add_lane(calls_of(7));
  constexpr std::uint32_t kCount = 1'000'000;
  for (std::uint32_t i = 1; i <= kCount; ++i) trace.append(event(calls, EventKind::Call, i * 10, i * 10 + 5, i));
  trace.publish();
  links.update();
  EXPECT_LT(static_cast<double>(links.memory_bytes()) / kCount, 0.53);
}

// More calls than are listed individually: still only what the thread's calls in the stretch have issued.
TEST_F(LinksTest, ALongRangeLightsWhatWasIssuedInIt) {
  const LaneId calls = trace.add_lane(calls_of(7)), gpu = trace.add_lane(kernels_of(7));
  constexpr std::uint32_t kCount = 100'000;
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    trace.append(event(calls, EventKind::Call, i * 10, i * 10 + 5, i));
    trace.append(event(gpu, EventKind::Kernel, i * 10 + 7, i * 10 + 12, i));
  }
  trace.publish();
  links.update();
  EXPECT_EQ(links.issued_in(calls, 10'000, 20'000), (std::vector<EventRun>{{gpu, 0, 999, 1999}}));
  EXPECT_EQ(links.issued_in(calls, 10'000, 900'000), (std::vector<EventRun>{{gpu, 0, 999, 89'999}}));
}

}  // namespace
}  // namespace lanescope::trace
