// What a loop would gain without a wait, on traces whose dependencies are known.
#include "analysis/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "trace_builder.h"

namespace lanescope::analysis {
namespace {

using analysis_test::TraceBuilder;
using testing::HasSubstr;
using trace::EventKind;
using trace::LaneKind;

struct Recording {
  trace::Trace trace;
  TraceBuilder build{trace};
  std::uint32_t correlation = 0;

  WithoutWait without(const char* range, Nanoseconds to) {
    build.publish();
    return Replay(trace, 0, to).without(trace.names().find(range));
  }
  void range(const char* name, Nanoseconds from, Nanoseconds to, int thread = 0) {
    build.add(build.lane(LaneKind::Phases, thread), EventKind::Range, name, from, to);
  }
  void launch(Nanoseconds at, Nanoseconds start, Nanoseconds end, int stream = 0, int thread = 0) {
    build.launch(at, at + 100, ++correlation, thread);
    build.kernel(start, end, correlation, stream);
  }
};

// An iteration of 10,000, ten times:
//   CPU   launch 0 - 100, item(): sync 200 - 5,600 (own 20, waits until 5,500, returns 100 later), 4,400 of its own
//   GPU   kernel 500 - 5,500
// Without the wait the CPU needs 100 + 100 + 20 + 4,400 = 4,620 and the GPU 5,000: it sets the pace. Twice as fast.
TEST(Replay, TheGpuSetsThePaceWithoutTheWait) {
  Recording r;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds at = i * 10'000;
    r.build.iteration(at, at + 10'000);
    r.launch(at, at + 500, at + 5'500);
    r.range("item()", at + 150, at + 5'700);
    r.build.sync(at + 200, at + 5'600, 20, 100);
  }
  const WithoutWait answer = r.without("item()", 100'000);
  EXPECT_EQ(answer.refusal, "");
  EXPECT_EQ(answer.iterations, 10);
  EXPECT_EQ(answer.recorded_ns, 10'000);
  EXPECT_NEAR(answer.replayed_ns, 10'000, 1);
  EXPECT_NEAR(answer.without_ns, 5'000, 1);
  EXPECT_NEAR(answer.least_factor, 2 * 0.98, 0.001);
  EXPECT_NEAR(answer.most_factor, 2 * 1.02, 0.001);
  EXPECT_THAT(r.without("backward()", 100'000).refusal, HasSubstr("no wait here"));
}

// The same with a kernel of 1,000, so the CPU works for 8,400 after its wait, which ends at 1,600. Without it the CPU
// sets the pace: 100 + 100 + 20 + 8,400 = 8,620.
TEST(Replay, TheCpuSetsThePaceWithoutTheWait) {
  Recording r;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds at = i * 10'000;
    r.build.iteration(at, at + 10'000);
    r.launch(at, at + 500, at + 1'500);
    r.range("item()", at + 150, at + 1'700);
    r.build.sync(at + 200, at + 1'600, 20, 100);
  }
  EXPECT_NEAR(r.without("item()", 100'000).without_ns, 8'620, 1);
}

// A second wait follows, with nothing in between: it waits instead. 200 of the first call's own and returning time, and
// 100 between the calls, are spent while the GPU works.
TEST(Replay, TheNextWaitWaitsInstead) {
  Recording r;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds at = i * 10'000;
    r.build.iteration(at, at + 10'000);
    r.launch(at, at + 500, at + 5'500);
    r.range("item()", at + 150, at + 5'650);
    r.build.sync(at + 200, at + 5'600, 20, 100);
    r.range("print()", at + 5'650, at + 5'800);
    r.build.sync(at + 5'700, at + 5'750, 50, 0);  // the GPU is idle: nothing to wait for
    r.launch(at + 5'800, at + 6'300, at + 8'300);
    r.range("synchronize()", at + 5'900, at + 8'500);
    r.build.sync(at + 5'950, at + 8'400, 20, 100);
  }
  const WithoutWait answer = r.without("item()", 100'000);
  EXPECT_NEAR(answer.replayed_ns, 10'000, 1);
  // CPU: launch until 100, item() 200 - 220, +100, print() until 370, +50, launch 420 - 520, synchronize() from 570.
  // The second kernel runs 5,500 - 7,500 (no pause was seen between two kernels), the wait ends at 7,600, and the CPU
  // works for 1,600 more.
  EXPECT_NEAR(answer.without_ns, 7'600 + 1'600, 1);
  EXPECT_THAT(r.without("print()", 100'000).refusal, HasSubstr("no wait here"));
}

// A kernel on another stream waits for the copy by an event: without the wait for the kernel, the copy still comes
// first.
//   CPU   copy 0 - 100, launch 200 - 300, item(): sync 400 - 4,600, then 400 of its own
//   GPU   copy 500 - 2,500 on stream 1; kernel 2,500 - 4,500 on stream 2
// Each stream could do an iteration in 2,000; the CPU needs 100 + 100 + 100 + 100 + 20 + 400 = 820.
TEST(Replay, StreamsWaitForEachOtherAsTheyDid) {
  Recording r;
  for (int i = 0; i < 10; ++i) {
    const Nanoseconds at = i * 5'000;
    r.build.iteration(at, at + 5'000);
    r.build.copy_call(at, at + 100, ++r.correlation);
    r.build.upload(at + 500, at + 2'500, 1'000'000, r.correlation, 1);
    r.launch(at + 200, at + 2'500, at + 4'500, 2);
    r.range("item()", at + 350, at + 4'700);
    r.build.sync(at + 400, at + 4'600, 20, 100);
  }
  const WithoutWait answer = r.without("item()", 50'000);
  EXPECT_NEAR(answer.replayed_ns, 5'000, 1);
  EXPECT_NEAR(answer.without_ns, 2'000, 1) << "the next copy overlaps with this kernel";
}

// backward() runs on a thread of its own while the one that called it waits: one chain. Two threads that issue work
// side by side are not.
TEST(Replay, ThreadsTakeTurnsOrThereIsNoAnswer) {
  const auto record = [](bool side_by_side) {
    auto r = std::make_unique<Recording>();
    for (int i = 0; i < 10; ++i) {
      const Nanoseconds at = i * 10'000;
      r->build.iteration(at, at + 10'000);
      r->launch(at, at + 500, at + 2'500);
      r->launch(side_by_side ? at + 50 : at + 1'000, at + 2'500, at + 5'500, 0, 7);
      r->range("item()", at + 1'150, at + 5'700);
      r->build.sync(at + 1'200, at + 5'600, 20, 100);
    }
    return r;
  };
  const WithoutWait turns = record(false)->without("item()", 100'000);
  EXPECT_EQ(turns.refusal, "");
  EXPECT_NEAR(turns.without_ns, 100 + 900 + 100 + 100 + 20 + 4'400, 1);
  EXPECT_THAT(record(true)->without("item()", 100'000).refusal, HasSubstr("several threads"));
}

TEST(Replay, RefusesWhatItCannotKnow) {
  Recording few;
  for (int i = 0; i < 2; ++i) {
    few.build.iteration(i * 1'000, (i + 1) * 1'000);
    few.launch(i * 1'000, i * 1'000 + 200, i * 1'000 + 900);
  }
  EXPECT_THAT(few.without("item()", 2'000).refusal, HasSubstr("fewer than 3 iterations"));

  Recording homeless;  // kernels without their calls
  for (int i = 0; i < 20; ++i) {
    homeless.build.iteration(i * 1'000, (i + 1) * 1'000);
    homeless.launch(i * 1'000, i * 1'000 + 200, i * 1'000 + 500);
    homeless.build.kernel(i * 1'000 + 500, i * 1'000 + 800);
  }
  EXPECT_THAT(homeless.without("item()", 20'000).refusal, HasSubstr("without the calls that issued them"));

  // Each sync returns only 3,000 after the kernel has ended: what it waits for was not recorded, but that it waits is
  // kept. Kernels overlap with their predecessors' ends by nothing, so the replay is right all the same.
  Recording late;
  for (int i = 0; i < 20; ++i) {
    const Nanoseconds at = i * 300'000;
    late.build.iteration(at, at + 300'000);
    late.launch(at, at + 500, at + 5'500);
    late.range("item()", at + 150, at + 250'000);
    late.build.sync(at + 200, at + 205'500, 20, 0);
  }
  const WithoutWait answer = late.without("item()", 6'000'000);
  EXPECT_NEAR(answer.replayed_ns, 300'000, 1);
  EXPECT_NEAR(answer.without_ns, 100 + 100 + 20 + 94'500, 1);
}

// Of a long recording, only as many iterations as have been read: each has a launch, a kernel and a sync.
TEST(Replay, OfALongRecordingTheFirstPart) {
  Recording r;
  constexpr int kIterations = Replay::kMostEvents / 3 + 20'000;
  for (int i = 0; i < kIterations; ++i) {
    const Nanoseconds at = i * Nanoseconds{10'000};
    r.build.iteration(at, at + 10'000);
    r.launch(at, at + 500, at + 5'500);
    r.range("item()", at + 150, at + 5'700);
    r.build.sync(at + 200, at + 5'600, 20, 100);
  }
  const WithoutWait answer = r.without("item()", kIterations * Nanoseconds{10'000});
  EXPECT_EQ(answer.refusal, "");
  EXPECT_LT(answer.iterations, kIterations);
  EXPECT_GT(answer.iterations, kIterations / 2);
  EXPECT_NEAR(answer.replayed_ns, 10'000, 1);
  EXPECT_NEAR(answer.without_ns, 5'000, 1);
}

// Of a loop that was recorded in bursts, only whole iterations are replayed, as if one followed the other.
TEST(Replay, OfWholeIterationsInBursts) {
  Recording r;
  r.trace.change_recording({trace::RecordingChange::Act::Nothing, 0, 0, 0});
  for (int i = 0; i < 40; ++i) {
    const Nanoseconds at = i * 10'000;
    const bool recorded = i % 10 >= 1 && i % 10 < 5;  // four iterations of ten
    if (i % 10 == 1) r.trace.begin_recorded(0, at, at);
    if (i % 10 == 5) r.trace.end_recorded(0, at);
    r.build.iteration(at, at + 10'000);
    r.range("item()", at + 150, at + 5'700);
    r.build.sync(at + 200, at + 5'600, 20, 100);
    if (recorded) r.launch(at, at + 500, at + 5'500);
  }
  const WithoutWait answer = r.without("item()", 400'000);
  EXPECT_EQ(answer.refusal, "");
  EXPECT_EQ(answer.iterations, 16);
  EXPECT_NEAR(answer.replayed_ns, 10'000, 1);
  EXPECT_NEAR(answer.without_ns, 5'000, 1);
}

}  // namespace
}  // namespace lanescope::analysis
