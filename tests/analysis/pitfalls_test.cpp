// Pitfalls of a diagnosis, with one hand-made trace each. (Waits on a busy GPU, unions of kernels and of copies, a
// harmless wait, and a launch-bound gap before a read are in analyse_test, advice_test and bubble_cause_test.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/account.h"
#include "analysis/advice_loop.h"
#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::BubbleCause;
using analysis::Card;
using analysis::CauseGroup;
using analysis::Evidence;
using analysis::Rule;
using analysis::Summary;
using analysis::VerdictKind;
using analysis::Weight;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using trace::MemoryKind;

class Pitfalls : public AdviceLoop {
 protected:
  /// A wait within a range of the same name, which returns `returning` after the awaited work.
  void wait(std::string_view name, Nanoseconds start, Nanoseconds end, Nanoseconds returning) {
    range(name, start, end);
    b_.sync(start, end, 1'000, returning);
  }
  static const analysis::CallSite& site(const Evidence& e, const trace::Trace& trace, std::string_view range) {
    for (const analysis::CallSite& s : e.sites)
      if (trace.names().text(s.range) == range) return s;
    ADD_FAILURE() << range;
    return e.sites.front();
  }
};

// Stall migration: item() waits for the kernel until 62 µs, so .to() has nothing left to wait for. Without item(), the
// wait moves to .to(), and the GPU idles as long as before: from 60 to the next kernel at 110, 50 of 100, in four of
// five iterations (the last gap is still open): 40 %.
TEST_F(Pitfalls, AWaitThatMovesGainsNothing) {
  loop([&](Nanoseconds t) {
    kernel(t, t + 10'000, t + 60'000);
    wait("item()", t + 5'000, t + 62'000, 2'000);
    wait("to()", t + 63'000, t + 64'000, 0);
  });
  const Evidence with = evidence();
  EXPECT_EQ(with.summary.judged.sync_place, "item()");
  EXPECT_EQ(site(with, trace_, "item()").wait_ns, 5 * 56'000);
  EXPECT_EQ(site(with, trace_, "to()").wait_ns, 0);

  trace::Trace other;
  TraceBuilder b(other);
  for (int i = 0; i < kIterations; ++i) {
    const Nanoseconds t = i * kPeriod;
    b.iteration(t, t + kPeriod);
    b.kernel({t, t + 2'000}, {t + 10'000, t + 60'000});
    b.range("to()", t + 8'000, t + 62'000);
    b.sync(t + 8'000, t + 62'000, 1'000, 2'000);
  }
  b.publish();
  const Evidence without = analysis::gather(other, 0, kIterations * kPeriod);
  EXPECT_EQ(site(without, other, "to()").wait_ns, 5 * 53'000);
  EXPECT_EQ(without.summary.judged.sync_place, "to()");
  for (const Evidence* e : {&with, &without}) {
    EXPECT_EQ(idle_of(e->summary.judged.bubble_by_cause_ns, CauseGroup::AfterSync), 4 * 50'000);
    EXPECT_EQ(e->summary.verdict.kind, VerdictKind::SyncBound);
    EXPECT_DOUBLE_EQ(e->summary.verdict.after_sync, 0.4);
  }
}

// A first iteration of 1,000 µs, 900 of them idle, and 9 of 100 µs with a GPU that is busy for 98 of each.
TEST_F(Pitfalls, TheWarmUpIsLeftOutAndSaidSo) {
  kernel(0, 900'000, 1'000'000);
  b_.iteration(0, 1'000'000);
  for (int i = 0; i < 9; ++i) {
    const Nanoseconds t = 1'000'000 + i * kPeriod;
    b_.iteration(t, t + kPeriod);
    kernel(t - 20'000, t + 2'000, t + kPeriod);
  }
  b_.publish();
  const Finished live(trace_);
  const analysis::Advice advice = analysis::advice_for(trace_, live.records(), live.analysed_until());
  EXPECT_EQ(advice.warm_up, 1);
  EXPECT_EQ(advice.iterations, 9);
  EXPECT_EQ(advice.summary.window_ns(), 9 * kPeriod);
  EXPECT_EQ(advice.summary.gpu_busy_ns, 9 * 98'000);
  EXPECT_EQ(advice.summary.verdict.kind, VerdictKind::GpuBound);
  for (const Summary& all : {live.total(), live.window(0, 1'900'000), analysis::analyse(trace_, 0, 1'900'000)}) {
    EXPECT_EQ(all.judged.from_ns, 1'000'000);
    EXPECT_EQ(all.judged.busy_ns, 9 * 98'000);
    EXPECT_EQ(all.judged.iterations, 9);
    EXPECT_EQ(all.verdict.kind, VerdictKind::GpuBound);
    EXPECT_EQ(all.verdict.note, "The first iteration took 1 ms and is left out as warm-up.");
  }
  // With space for 8 records, those of iterations 1 and 3 were dropped: the number of warm-up iterations is unknown.
  const Finished thinned(trace_, 8);
  ASSERT_EQ(thinned.records().front().number, 2);
  const analysis::Advice newest = analysis::advice_for(trace_, thinned.records(), thinned.analysed_until());
  EXPECT_EQ(newest.warm_up, 0);
  EXPECT_EQ(newest.iterations, 9);
}

// Copies [t+60,t+90) on their own stream, kernels [t,t+58) on the default stream: never concurrent, because the stream
// is a blocking one. A second stream is not suggested, because there already is one.
TEST_F(Pitfalls, ACopyStreamThatTheLegacyStreamWaitsFor) {
  loop([&](Nanoseconds t) {
    kernel(t, t + 2'000, t + 58'000);
    b_.upload({t + 2'000, t + 4'000}, {t + 60'000, t + 90'000}, 1'000'000, 7);
    trace::set_copy_traits(b_.events.back(),
                           {CopyDirection::HostToDevice, MemoryKind::Pinned, MemoryKind::Device, true});
  });
  const std::vector<Card> found = cards();
  ASSERT_THAT(rules(found), Contains(Rule::NoOverlap));
  const Card& card = found[static_cast<std::size_t>(
      std::find_if(found.begin(), found.end(), [](const Card& c) { return c.rule == Rule::NoOverlap; }) -
      found.begin())];
  EXPECT_THAT(card.title, HasSubstr("Despite a second stream"));
  EXPECT_THAT(card.fix, HasSubstr("legacy default stream"));
  EXPECT_DOUBLE_EQ(card.cost_ns, 30'000);
  EXPECT_EQ(evidence().copies.at(0).apart_count, kIterations);
}

// A kernel launched long before starts 4 µs after that copy has ended: the copy delayed it, not the CPU.
TEST_F(Pitfalls, WorkBehindACopyIsNotTheCpusFault) {
  loop([&](Nanoseconds t) {
    b_.upload({t, t + 2'000}, {t, t + 30'000}, 1'000'000, 7);
    kernel(t + 3'000, t + 34'000, t + 100'000);
  });
  const Evidence e = evidence();
  const auto& causes = e.summary.judged.bubble_by_cause_ns;
  EXPECT_EQ(idle_of(causes, BubbleCause::Dependency), 5 * 4'000);
  EXPECT_EQ(idle_of(causes, BubbleCause::Cpu), 0);
  EXPECT_THAT(rules(cards()), Not(Contains(Rule::StarvedByCpu)));
}

// Pitfall 16: two uploads of 1 MB at the same time on two streams, [t,t+40) and [t+10,t+50): 2 MB in 50 µs are 40 GB/s,
// which is what the link provides; adding up the times would give 25.
TEST_F(Pitfalls, CopiesInOneDirectionShareTheLink) {
  loop([&](Nanoseconds t) {
    for (const int stream : {1, 2}) {
      const Nanoseconds start = t + (stream - 1) * 10'000;
      b_.upload({start, start + 1'000}, {start, start + 40'000}, 1'000'000, stream);
      trace::set_copy_traits(b_.events.back(),
                             {CopyDirection::HostToDevice, MemoryKind::Pinned, MemoryKind::Device, true});
    }
  });
  const Evidence e = evidence();
  ASSERT_EQ(e.copies.size(), 1u);
  EXPECT_EQ(e.copies[0].count, 2 * kIterations);
  EXPECT_EQ(e.copies[0].gpu_ns, 5 * 50'000);
  EXPECT_EQ(e.copies[0].exposed_ns, 5 * 50'000);
  EXPECT_DOUBLE_EQ(e.copies[0].gb_per_s(), 40);
  EXPECT_EQ(e.summary.h2d_ns, 5 * 50'000);
}

// Pitfall 6: 16 KB from pageable memory go into the launch itself, so pinning is not suggested: the call of 3 µs
// returns before the copy begins. With 1 MB the call blocks the CPU for 40 µs of its 50.
TEST_F(Pitfalls, SmallPageableUploadsAreNotBlamed) {
  loop([&](Nanoseconds t) {
    upload(t, t + 3'000, t + 5'000, t + 8'000, 16'000, MemoryKind::Pageable);
    kernel(t + 3'000, t + 8'000, t + 100'000);
  });
  EXPECT_THAT(rules(cards()), Not(Contains(Rule::PageableCopy)));
}

// Pitfall 10: a spinning wait burns CPU time but is not CPU work. The wait [t+3,t+92) returns 2 µs after the kernel;
// the next launch follows 1 µs later: of the gap of 20 µs [t+90,t+110), 2 are wake-up and 1 is CPU.
TEST_F(Pitfalls, AWaitIsNeverCpuWork) {
  loop([&](Nanoseconds t) {
    kernel(t - 7'000, t + 10'000, t + 90'000);
    wait("item()", t + 3'000, t + 92'000, 2'000);
  });
  const Evidence e = evidence();
  EXPECT_EQ(idle_of(e.summary.judged.bubble_by_cause_ns, BubbleCause::Cpu), 0);
  EXPECT_EQ(idle_of(e.summary.judged.bubble_by_cause_ns, BubbleCause::AfterSync), 4 * 20'000);
  EXPECT_EQ(e.launches_ns, 4 * 2'000);  // the first is before the first iteration
  EXPECT_THAT(rules(cards()), Not(Contains(Rule::StarvedByCpu)));
  const Finished live(trace_);
  const auto after = std::find_if(live.bubbles().begin(), live.bubbles().end(),
                                  [](const analysis::Bubble& b) { return b.cause == BubbleCause::AfterSync; });
  ASSERT_NE(after, live.bubbles().end());
  EXPECT_EQ(after->wake_ns, 2'000);
  EXPECT_EQ(after->cpu_ns, 1'000);
  EXPECT_EQ(after->launch_ns, 17'000);
}

// Four kernels of 3 µs, launched every 20 µs by calls of 8, and a read at the end: the GPU idles 17 µs before each of
// three, and 29 after the read. The loop is launch-bound, and the read is only charged with its own gap.
//   kernels [t+10,13) [30,33) [50,53) [70,73); read: copy [73,74), back at 76; the next kernel at t+110
TEST_F(Pitfalls, LaunchBoundIsNotBlamedOnTheRead) {
  loop([&](Nanoseconds t) {
    for (Nanoseconds i = 0; i < 4; ++i) {
      const Nanoseconds at = t + i * 20'000;
      kernel(at, at + 10'000, at + 13'000, 8'000);
    }
    range("item()", t + 70'000, t + 76'000);
    b_.download({t + 70'000, t + 71'000}, {t + 73'000, t + 74'000}, 4);
    b_.sync(t + 71'000, t + 76'000, 1'000, 2'000);
  });
  const Evidence e = evidence();
  const auto& causes = e.summary.judged.bubble_by_cause_ns;
  EXPECT_EQ(idle_of(causes, CauseGroup::Launch), 5 * 3 * 17'000);
  EXPECT_EQ(idle_of(causes, CauseGroup::AfterSync), 4 * 36'000);
  EXPECT_EQ(e.summary.verdict.kind, VerdictKind::LaunchBound);
  const std::vector<Card> found = cards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().rule, Rule::LaunchBound);
  EXPECT_DOUBLE_EQ(found.front().cost_ns, 51'000);
  EXPECT_THAT(found.front().what, HasSubstr("Reads are not the cause"));
}

// A launch blocks for 60 µs because the queue is full: the GPU is behind, not the CPU.
TEST_F(Pitfalls, AFullQueueMeansThatTheGpuSetsThePace) {
  loop([&](Nanoseconds t) {
    trace::set_parts(b_.kernel({t + 20'000, t + 85'000}, {t, t + 100'000}), {5'000, 0, 0, 0});
  });
  const std::vector<Card> found = cards();
  EXPECT_THAT(rules(found), ElementsAre(Rule::GpuBound, Rule::HarmlessWait));
  EXPECT_THAT(found.front().what, HasSubstr("The launch queue is full: launches wait 60 µs per iteration"));
  EXPECT_EQ(found.front().weight, Weight::Harmless);
}

class Stopwatch : public Pitfalls {
 protected:
  void timed(Nanoseconds start, Nanoseconds end) { b_.stopwatch(start, end); }
  std::vector<Card> errors() {
    std::vector<Card> found = cards();
    std::erase_if(found, [](const Card& c) { return c.rule != Rule::MeasuringError; });
    return found;
  }
};

// The stopwatch shows 20 µs, but the kernel launched within it ends 70 µs later.
TEST_F(Stopwatch, ShowsEnqueuing) {
  loop([&](Nanoseconds t) {
    timed(t, t + 20'000);
    kernel(t + 5'000, t + 10'000, t + 90'000);
  });
  const std::vector<Card> found = errors();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].weight, Weight::Wrong);
  EXPECT_EQ(cards().front().rule, Rule::MeasuringError);  // a wrong number comes first
  EXPECT_DOUBLE_EQ(found[0].per_iteration, 1);
  EXPECT_THAT(found[0].what, HasSubstr("shows 20 µs,"));
  EXPECT_THAT(found[0].what, HasSubstr("another 70 µs"));
  expect_span(found[0].place, 0, 20'000);
  EXPECT_THAT(found[0].remedies, ElementsAre(analysis::Remedy::SyncToMeasure));
}

// With a synchronisation it shows everything. Work launched before it, or by another thread, is not what it timed.
TEST_F(Stopwatch, ThatWaitsIsRight) {
  loop([&](Nanoseconds t) {
    timed(t, t + 92'000);
    kernel(t + 5'000, t + 10'000, t + 90'000);
    b_.sync(t + 8'000, t + 92'000, 1'000, 2'000);
    timed(t + 93'000, t + 95'000);
    b_.kernel({t + 93'500, t + 94'000}, {t + 95'000, t + 120'000}, 3, 3);
  });
  EXPECT_THAT(errors(), IsEmpty());
}

// A tail of 10 µs is within a call's latency, and so is one of a fifth of the time shown: 16 of 80.
TEST_F(Stopwatch, AShortTailIsNoError) {
  loop([&](Nanoseconds t) {
    timed(t, t + 5'000);
    kernel(t + 1'000, t + 4'000, t + 15'000);
    timed(t + 16'000, t + 96'000);
    kernel(t + 20'000, t + 24'000, t + 112'000);
  });
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_EQ(evidence().stopwatches.count, 2 * kIterations);
}

// Recognised by name alone, as for a program that records its own ranges: 16.001 µs of 80 are an error.
TEST_F(Stopwatch, OfAnotherProgram) {
  loop([&](Nanoseconds t) {
    range("stopwatch", t, t + 80'000);
    kernel(t + 20'000, t + 24'000, t + 96'001);
  });
  EXPECT_EQ(errors().size(), 1u);
}

// Around a whole run whose first iteration takes 1,000 µs and the other nine 100: of the 1,900 µs shown, 900 are
// warm-up. A stopwatch that starts with the second iteration is correct.
TEST_F(Stopwatch, WithTheWarmUpInIt) {
  for (const bool with : {true, false}) {
    trace::Trace trace;
    TraceBuilder b(trace);
    b.iteration(0, 1'000'000);
    for (int i = 0; i < 9; ++i) {
      const Nanoseconds t = 1'000'000 + i * kPeriod;
      b.iteration(t, t + kPeriod);
      b.kernel(t, t + kPeriod);
    }
    b.stopwatch(with ? 0 : 1'000'000, 1'900'000);
    b.publish();
    const Finished live(trace);
    const analysis::Advice advice = analysis::advice_for(trace, live.records(), live.analysed_until());
    EXPECT_EQ(advice.warm_up, 1);
    ASSERT_FALSE(advice.cards.empty());
    EXPECT_EQ(advice.cards.front().rule == Rule::MeasuringError, with);
    if (!with) continue;
    EXPECT_THAT(advice.cards.front().what, HasSubstr("900 µs (47 %) is extra time of the first iterations"));
  }
}

}  // namespace
}  // namespace lanescope::analysis_test
