// What a loop would gain without a wait, on traces whose dependencies are known.
#include "analysis/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"
#include "base/error.h"

namespace lanescope::analysis {
namespace {

using analysis_test::TraceBuilder;
using testing::HasSubstr;

struct Recording {
  trace::Trace trace;
  TraceBuilder build{trace};

  WhatIf without(const char* range, Nanoseconds to) {
    build.publish();
    return Replay(trace, 0, to).without(trace.names().find(range));
  }
  /// `iteration(at)` writes what is in each.
  template <typename Iteration>
  void loop(int iterations, Nanoseconds period, Iteration iteration) {
    for (int i = 0; i < iterations; ++i) {
      const Nanoseconds at = i * period;
      build.iteration(at, at + period);
      iteration(at);
    }
  }
  void launch(Nanoseconds at, Nanoseconds start, Nanoseconds end, int stream = 0, int thread = 0) {
    build.kernel({at, at + 100}, {start, end}, stream, thread);
  }
  /// A synchronisation that costs 20 of its own and returns 100 later, in a range that begins 50 before and ends 100
  /// after it.
  void wait(const char* range, Nanoseconds start, Nanoseconds end) {
    build.range(range, start - 50, end + 100);
    build.sync(start, end, 20, 100);
  }
  /// An iteration with a kernel of `runs` that is waited for.
  void read(Nanoseconds at, Nanoseconds runs) {
    launch(at, at + 500, at + 500 + runs);
    wait("item()", at + 200, at + 600 + runs);
  }
};

// An iteration of 10,000, ten times:
//   CPU   launch 0 - 100, item(): sync 200 - 5,600 (own 20, waits until 5,500, returns 100 later), 4,400 of its own
//   GPU   kernel 500 - 5,500
// Without the wait the CPU needs 100 + 100 + 20 + 4,400 = 4,620 and the GPU 5,000: it sets the pace. Twice as fast.
TEST(Replay, TheGpuSetsThePaceWithoutTheWait) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) { r.read(at, 5'000); });
  const WhatIf answer = r.without("item()", 100'000);
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
  r.loop(10, 10'000, [&](Nanoseconds at) { r.read(at, 1'000); });
  EXPECT_NEAR(r.without("item()", 100'000).without_ns, 8'620, 1);
}

// A second wait follows, with nothing in between: it waits instead. 200 of the first call's own and returning time, and
// 100 between the calls, are spent while the GPU works.
TEST(Replay, TheNextWaitWaitsInstead) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) {
    r.launch(at, at + 500, at + 5'500);
    r.build.range("item()", at + 150, at + 5'650);
    r.build.sync(at + 200, at + 5'600, 20, 100);
    r.build.range("print()", at + 5'650, at + 5'800);
    r.build.sync(at + 5'700, at + 5'750, 50, 0);  // the GPU is idle: nothing to wait for
    r.launch(at + 5'800, at + 6'300, at + 8'300);
    r.wait("synchronize()", at + 5'950, at + 8'400);
  });
  const WhatIf answer = r.without("item()", 100'000);
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
  r.loop(10, 5'000, [&](Nanoseconds at) {
    r.build.upload({at, at + 100}, {at + 500, at + 2'500}, 1'000'000, 1);
    r.launch(at + 200, at + 2'500, at + 4'500, 2);
    r.wait("item()", at + 400, at + 4'600);
  });
  const WhatIf answer = r.without("item()", 50'000);
  EXPECT_NEAR(answer.replayed_ns, 5'000, 1);
  EXPECT_NEAR(answer.without_ns, 2'000, 1) << "the next copy overlaps with this kernel";
}

// backward() runs on a thread of its own while the one that called it waits: one chain. Two threads that issue work
// side by side are not.
TEST(Replay, ThreadsTakeTurnsOrThereIsNoAnswer) {
  const auto record = [](bool side_by_side) {
    Recording r;
    r.loop(10, 10'000, [&](Nanoseconds at) {
      r.launch(at, at + 500, at + 2'500);
      r.launch(side_by_side ? at + 50 : at + 1'000, at + 2'500, at + 5'500, 0, 7);
      r.wait("item()", at + 1'200, at + 5'600);
    });
    return r.without("item()", 100'000);
  };
  const WhatIf turns = record(false);
  EXPECT_EQ(turns.refusal, "");
  EXPECT_NEAR(turns.without_ns, 100 + 900 + 100 + 100 + 20 + 4'400, 1);
  EXPECT_THAT(record(true).refusal, HasSubstr("several threads"));
}

TEST(Replay, RefusesWhatItCannotKnow) {
  Recording few;
  few.loop(2, 1'000, [&](Nanoseconds at) { few.launch(at, at + 200, at + 900); });
  EXPECT_THAT(few.without("item()", 2'000).refusal, HasSubstr("fewer than 3 iterations"));

  Recording homeless;  // kernels without their calls
  homeless.loop(20, 1'000, [&](Nanoseconds at) {
    homeless.launch(at, at + 200, at + 500);
    homeless.build.kernel(at + 500, at + 800);
  });
  EXPECT_THAT(homeless.without("item()", 20'000).refusal, HasSubstr("without the calls that issued them"));

  // Each sync returns only 3,000 after the kernel has ended: what it waits for was not recorded, but that it waits is
  // kept. Kernels overlap with their predecessors' ends by nothing, so the replay is right all the same.
  Recording late;
  late.loop(20, 300'000, [&](Nanoseconds at) {
    late.launch(at, at + 500, at + 5'500);
    late.build.range("item()", at + 150, at + 250'000);
    late.build.sync(at + 200, at + 205'500, 20, 0);
  });
  const WhatIf answer = late.without("item()", 6'000'000);
  EXPECT_NEAR(answer.replayed_ns, 300'000, 1);
  EXPECT_NEAR(answer.without_ns, 100 + 100 + 20 + 94'500, 1);
}

// Of a long recording, only as many iterations as have been read: each has a launch, a kernel and a sync.
TEST(Replay, OfALongRecordingTheFirstPart) {
  Recording r;
  constexpr int kIterations = Replay::kMostEvents / 3 + 20'000;
  r.loop(kIterations, 10'000, [&](Nanoseconds at) { r.read(at, 5'000); });
  const WhatIf answer = r.without("item()", kIterations * Nanoseconds{10'000});
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
  r.loop(40, 10'000, [&](Nanoseconds at) {
    const Nanoseconds of_ten = at / 10'000 % 10;
    if (of_ten == 1) r.trace.begin_recorded(0, at, at);
    if (of_ten == 5) r.trace.end_recorded(0, at);
    r.wait("item()", at + 200, at + 5'600);
    if (of_ten >= 1 && of_ten < 5) r.launch(at, at + 500, at + 5'500);  // four iterations of ten
  });
  const WhatIf answer = r.without("item()", 400'000);
  EXPECT_EQ(answer.refusal, "");
  EXPECT_EQ(answer.iterations, 16);
  EXPECT_NEAR(answer.replayed_ns, 10'000, 1);
  EXPECT_NEAR(answer.without_ns, 5'000, 1);
}

std::vector<Edit> edits(std::initializer_list<const char*> texts) {
  std::vector<Edit> made;
  for (const char* text : texts) made.push_back(parse_edit(text));
  return made;
}

// Of the read above with a kernel of 5,000. One that waits ends at 10,000. In the next the CPU needs 4,620, and the
// kernel runs from 10,500 to 15,500. Then one is launched at 14,620, runs until 20,500, is waited for until 20,600, and
// the CPU works for 4,400: 25,000. So two take 15,000, and the CPU's part of a read that is not made is in nobody's
// way.
TEST(Replay, AReadEachSecondTime) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) { r.read(at, 5'000); });
  r.build.publish();
  const WhatIf answer = Replay(r.trace, 0, 100'000).with(edits({"read-every=2:item()"}));
  EXPECT_EQ(answer.refusal, "");
  EXPECT_NEAR(answer.without_ns, 7'500, 1);
  EXPECT_NEAR(answer.gone_ns, 7'500, 1);
}

// The loop of TheGpuSetsThePaceWithoutTheWait. As replayed, the CPU's iteration is 4,620 and the GPU's 5,000. The sync,
// from 200 to 5,600, takes 20 and begins at 200; the end of the iteration is at 4,620. The kernel starts within its
// iteration, however far the CPU has run ahead, and lasts 5,000.
TEST(Replay, TheIterationItself) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) { r.read(at, 5'000); });
  r.build.publish();
  const Replay replay(r.trace, 0, 100'000);
  const auto seen = replay.iteration(edits({"no-wait:item()"}), {});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->recorded, (TimeSpan{0, 10'000}));
  EXPECT_EQ(seen->end_ns, 5'000);
  EXPECT_EQ(seen->replayed(0), 0);
  EXPECT_EQ(seen->replayed(200), 200);
  EXPECT_EQ(seen->replayed(5'600), 220);
  EXPECT_EQ(seen->replayed(10'000), 4'620);
  ASSERT_EQ(seen->operations.size(), 1u);
  EXPECT_EQ(seen->operations[0].recorded_ns, 500);
  EXPECT_GE(seen->operations[0].start_ns, 0);
  EXPECT_LT(seen->operations[0].start_ns, 5'000);
  EXPECT_EQ(seen->operations[0].end_ns - seen->operations[0].start_ns, 5'000);
  EXPECT_FALSE(replay.iteration(edits({"pinned"}), {})) << "nothing is copied";
}

// An operation of 5,000 that takes 1,000: the read ends at 1,600 instead of 5,600.
TEST(Replay, AFasterKernel) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) { r.read(at, 5'000); });
  r.build.publish();
  const Replay replay(r.trace, 0, 100'000);
  EXPECT_NEAR(replay.with(edits({"faster=5:kernel"})).without_ns, 6'000, 1);
  EXPECT_THAT(replay.with(edits({"faster=5:gemm"})).refusal, HasSubstr("nothing of this name"));
}

// A copy of 8 MB at 1 GB/s from pageable memory, 8 ms, that the CPU waits for; a kernel of 1 ms; nothing else. From
// pinned memory at 53.55 GB/s (0.85 of 63.0) it takes 8e6 / 53.55 = 149 us and 1 us more, at half of that 300 us. The
// copy and the kernel take turns: (8,000 + 1,000) / (150 + 1,000) = 7.8, and 9,000 / 1,300 = 6.9.
TEST(Replay, APinnedCopyAtTheRateThatIsUsualForTheGpu) {
  Recording r;
  constexpr Nanoseconds kCopy = 8'000'000, kPeriod = 9'100'000;
  r.loop(10, kPeriod, [&](Nanoseconds at) {
    const auto number = static_cast<std::uint32_t>(1000 + at / kPeriod);
    r.build.staging_copy(at, at + kCopy + 20'000, number);
    r.build.upload(at + 10'000, at + 10'000 + kCopy, 8'000'000, number);
    trace::set_copy_traits(r.build.events.back(),
                           {trace::CopyDirection::HostToDevice, trace::MemoryKind::Pageable, {}, true});
    r.launch(at + kCopy + 30'000, at + kCopy + 40'000, at + kCopy + 1'040'000);
  });
  r.build.publish();
  const Replay replay(r.trace, 0, 10 * kPeriod);
  EXPECT_THAT(replay.with(edits({"pinned"})).refusal, HasSubstr("the rate of the link is not known"));
  const WhatIf known = replay.with(edits({"pinned"}), {53.55});
  const WhatIf assumed = replay.with(edits({"pinned"}), link_of("NVIDIA H200"));
  EXPECT_EQ(known.assumed_gb_per_s, 0);
  EXPECT_DOUBLE_EQ(assumed.assumed_gb_per_s, 53.55);
  EXPECT_EQ(assumed.most_factor, known.most_factor);
  EXPECT_EQ(assumed.least_factor, replay.with(edits({"pinned"}), {53.55 / 2}).least_factor);
  EXPECT_LT(assumed.least_factor, known.least_factor);
  EXPECT_EQ(replay.with(edits({"pinned", "non-blocking"}), {53.55}), known) << "what is not staged need not block";
}

TEST(Replay, TheLinkOfAGpu) {
  EXPECT_DOUBLE_EQ(link_of("NVIDIA GeForce RTX 4090").h2d_gb_per_s, 0.85 * 31.5);
  EXPECT_DOUBLE_EQ(link_of("NVIDIA A100-SXM4-80GB").h2d_gb_per_s, 0.85 * 31.5);
  EXPECT_DOUBLE_EQ(link_of("NVIDIA GeForce RTX 5080").h2d_gb_per_s, 0.85 * 63);
  EXPECT_DOUBLE_EQ(link_of("Tesla T4").h2d_gb_per_s, 0.85 * 15.75);
  EXPECT_EQ(link_of("NVIDIA RTX 5000 Ada Generation").h2d_gb_per_s, 0) << "another series";
  EXPECT_EQ(link_of("NVIDIA RTX A2000").h2d_gb_per_s, 0) << "not an A2";
  EXPECT_EQ(link_of("").h2d_gb_per_s, 0);
}

// The next batch comes 6,000 after the one before it, and is waited for from 2,000 to 6,000 of each iteration of 6,000;
// the kernel of 1,000 is in no one's way. In time: 2,000 are left. With twice as many workers it comes each 3,000, and
// with three times as many each 2,000, which the rest takes, too.
TEST(Replay, ALoaderWithMoreWorkers) {
  Recording r;
  r.loop(20, 6'000, [&](Nanoseconds at) {
    r.launch(at, at + 500, at + 1'500);
    r.build.host_wait(at + 2'000, at + 6'000);
  });
  r.build.publish();
  const Replay replay(r.trace, 0, 120'000);
  EXPECT_NEAR(replay.with(edits({"loader-in-time"})).without_ns, 2'000, 1);
  EXPECT_NEAR(replay.with(edits({"workers=2"})).without_ns, 3'000, 1);
  EXPECT_NEAR(replay.with(edits({"workers=3"})).without_ns, 2'000, 40);
  EXPECT_NEAR(replay.with(edits({"workers=10"})).without_ns, 2'000, 40);
}

// Ten launches of 100, 1,000 from one to the next, each with a kernel of 200 that starts 300 after its call: 10,000. As
// a graph: the first launch and what follows the last, 900, take 1,000; ten kernels follow each other, 2,000. If each of
// the nine other nodes costs the launch 412, the CPU takes 1,000 + 9 * 412 = 4,708, and sets the pace.
TEST(Replay, LaunchesAsOneGraph) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) {
    for (int i = 0; i < 10; ++i) r.launch(at + 1'000 * i, at + 1'000 * i + 300, at + 1'000 * i + 500);
  });
  r.build.publish();
  const WhatIf answer = Replay(r.trace, 0, 100'000).with(edits({"graph"}));
  EXPECT_EQ(answer.refusal, "");
  EXPECT_NEAR(answer.gone_ns, 2'000, 1);
  EXPECT_NEAR(answer.without_ns, 4'708, 1);
}

// The read decides what is launched after it.
TEST(Replay, NoGraphAroundAWait) {
  Recording r;
  r.loop(10, 10'000, [&](Nanoseconds at) {
    r.read(at, 2'000);
    r.launch(at + 4'000, at + 4'500, at + 5'000);
  });
  r.build.publish();
  const Replay replay(r.trace, 0, 100'000);
  EXPECT_THAT(replay.with(edits({"graph"})).refusal, HasSubstr("graph: there is a wait between the launches"));
  EXPECT_EQ(replay.with(edits({"graph", "no-wait:item()"})).refusal, "") << "in whatever order they are named";
}

TEST(Edits, AreReadAndWritten) {
  for (const char* text : {"no-wait", "no-wait:train.py:41", "read-every=10:item()", "pinned", "workers=2", "graph",
                           "faster=1.5:gemm kernel"}) {
    EXPECT_EQ(text_of(parse_edit(text)), text);
  }
  EXPECT_EQ(parse_edit("faster=2:a:b=c"), (Edit{EditKind::Faster, 2, "a:b=c"}));
  for (const char* wrong : {"", "nowait", "read-every", "read-every=1", "read-every=2.5", "no-wait=3",
                            "workers=", "workers=-1", "workers=nan", "faster=2", "graph:here", "loader-in-time:here"}) {
    EXPECT_THROW(parse_edit(wrong), base::UsageError) << wrong;
  }
}

}  // namespace
}  // namespace lanescope::analysis
