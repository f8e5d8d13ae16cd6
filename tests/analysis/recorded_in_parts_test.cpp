// A loop of which everything is recorded only in bursts: its figures are those of the loop, not of the bursts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/account.h"
#include "analysis/accumulator.h"
#include "analysis/builders.h"
#include "analysis/code_costs.h"
#include "analysis/evidence.h"
#include "analysis/idle_ledger.h"
#include "analysis/whole_iterations.h"

namespace lanescope::analysis {
namespace {

using analysis_test::expect_bubbles;
using analysis_test::expect_run_ahead;
using analysis_test::expect_span;
using analysis_test::Finished;
using analysis_test::kEver;
using analysis_test::record_in;
using analysis_test::TraceBuilder;
using trace::RecordingChange;

// An iteration of 10,000:
//   CPU   launch 0 - 100, sync 200 - 5,600
//   GPU       kernel 500 - 5,500
// So the GPU is busy for 5,000 and idle for 5,000 after the sync, with one launch; the launch's operation is in flight
// from 0 to 5,500.
constexpr Nanoseconds kPeriod = 10'000;

// A burst every 10 iterations, from 3,000 in the first to 8,000 in the fourth. Recording begins while an unrecorded
// kernel runs; the sync's return shows that it has ended: the GPU is known from 5,600 on.
//   known: 5,600 - 38,000, 32,400. Whole iterations: the second and third, 10,000 - 30,000.
constexpr Nanoseconds kPartsEvery = 100'000, kOn = 3'000, kKnown = 5'600, kOff = 38'000;

struct PartsLoop {
  trace::Trace trace;
  TraceBuilder build{trace};
  std::int64_t iterations = 0;
  bool marked = true;  // the trace has its iterations

  /// Of a loop recorded in bursts, whether the next iteration begins in one.
  bool in_burst() const {
    return iterations * kPeriod % kPartsEvery >= kOn && iterations * kPeriod % kPartsEvery < kOff;
  }

  /// The next iteration. That it waits is known even if it is not `recorded`.
  void iterate(bool recorded = true) {
    const Nanoseconds at = iterations++ * kPeriod;
    if (marked) build.iteration(at, at + kPeriod);
    build.sync(at + 200, at + 5'600, 20, 100);
    if (recorded) build.kernel({at, at + 100}, {at + 500, at + 5'500});
  }
  void iterate_until(std::int64_t number, bool recorded = true) {
    while (iterations < number) iterate(recorded);
  }
};

void record_in_bursts(PartsLoop& loop, std::int64_t bursts) {
  loop.trace.change_recording({RecordingChange::Act::Nothing, 0, 0, 0});
  for (std::int64_t b = 0; b < bursts; ++b) {
    loop.trace.begin_recorded(0, b * kPartsEvery + kKnown, b * kPartsEvery + kOn);
    loop.trace.end_recorded(0, b * kPartsEvery + kOff);
    for (int i = 0; i < 10; ++i) loop.iterate(loop.in_burst());
  }
  loop.build.publish();
}

Summary account(const trace::Trace& trace) { return account_of(trace, Finished(trace), {}).summary; }

double busy(const Summary& s) { return static_cast<double>(s.gpu_busy_ns) / static_cast<double>(s.gpu_window_ns()); }

// 5 bursts: 10 of 50 iterations are whole, 100,000 of 500,000. Their busy time is 50,000, half, as of the loop.
// In a burst: gaps 5,600 - 10,500 (its beginning is unknown), 15,500 - 20,500 and 25,500 - 30,500 after the sync,
// 35,500 - 38,000 (its end is unknown). Of these, the whole iterations (10,000 - 30,000) have 500, 5,000 and 4,500.
TEST(RecordedInParts, FiguresAreThoseOfWholeIterations) {
  PartsLoop loop;
  record_in_bursts(loop, 5);
  const Summary s = account(loop.trace);
  EXPECT_TRUE(s.in_parts);
  EXPECT_EQ(s.iteration.count, 50);
  EXPECT_EQ(s.iteration.p50_ns, kPeriod);
  EXPECT_EQ(s.recorded_iterations, 10);
  EXPECT_EQ(s.recorded_ns, 100'000);
  EXPECT_EQ(s.window_ns(), 500'000);
  EXPECT_EQ(recorded_text(s), "from 20 % of the time");
  EXPECT_EQ(s.gpu_busy_ns, 50'000);
  EXPECT_DOUBLE_EQ(busy(s), 0.5);
  EXPECT_EQ(s.bubble_ns, 50'000);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::AfterSync), 5 * 9'500);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::StartOrEnd), 5 * 500);
  EXPECT_EQ(s.launch_count, 10);
  EXPECT_EQ(s.gpu_iterations(), 10);
  expect_run_ahead(s, 0.55, 1);
  EXPECT_EQ(s.sync_count, 50) << "known all the time";
  EXPECT_EQ(s.host_wait_ns, 50 * 5'380);
  EXPECT_EQ(s.pace.basis, PaceBasis::Elapsed);
  EXPECT_DOUBLE_EQ(s.pace.ns, kPeriod);
  EXPECT_EQ(s.verdict.kind, VerdictKind::SyncBound);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.5);
  EXPECT_EQ(value_text(s.verdict.figures[2]), "1.0") << "syncs per iteration";
  EXPECT_EQ(s.verdict.note, "From 10 iterations that were recorded whole, 20 % of the time.");
}

TEST(RecordedInParts, FiguresEqualThoseOfTheWholeTrace) {
  PartsLoop bursts, whole;
  record_in_bursts(bursts, 20);
  whole.iterate_until(bursts.iterations);
  whole.build.publish();
  const Summary in_parts = account(bursts.trace), all = account(whole.trace);
  EXPECT_FALSE(all.in_parts);
  EXPECT_EQ(all.recorded_ns, all.window_ns());
  EXPECT_EQ(recorded_text(all), "");
  EXPECT_EQ(all.gpu_iterations(), all.iteration.count);
  EXPECT_DOUBLE_EQ(busy(in_parts), busy(all));
  EXPECT_DOUBLE_EQ(in_parts.run_ahead_mean, all.run_ahead_mean);
  EXPECT_DOUBLE_EQ(static_cast<double>(in_parts.launch_count) / static_cast<double>(in_parts.gpu_iterations()),
                   static_cast<double>(all.launch_count) / static_cast<double>(all.gpu_iterations()));
  EXPECT_DOUBLE_EQ(in_parts.pace.ns, all.pace.ns);
  EXPECT_EQ(in_parts.iteration.p99_ns, all.iteration.p99_ns);
  EXPECT_EQ(in_parts.host_wait_ns, all.host_wait_ns);
  EXPECT_EQ(in_parts.verdict.kind, all.verdict.kind);
  EXPECT_DOUBLE_EQ(in_parts.verdict.idle, all.verdict.idle);
}

// Recording slows this loop: an iteration has a kernel of 10,000, and the next one is launched 2,000 after it ends, or
// 8,000 while everything is recorded. 10 bursts of 10 iterations of 18,000, and 30 of 12,000 after each.
//   recorded whole: all but the first and the last of a burst, 8 of 18,000; the medians differ by 6,000.
// So of 80 * 18,000 the GPU worked for 800,000 and idled for 640,000; 80 * 6,000 of that is taken off: 160,000 are
// left, a sixth of 960,000. That is what the loop has when nobody watches: 2,000 of 12,000.
TEST(RecordedInParts, WhatRecordingAddsIsTakenOff) {
  trace::Trace trace;
  TraceBuilder build(trace);
  trace.change_recording({RecordingChange::Act::Nothing, 0, 0, 0});
  Nanoseconds t = 0;
  const auto iterate = [&](Nanoseconds pause, bool recorded) {
    build.iteration(t, t + 10'000 + pause);
    if (recorded) build.kernel({t, t + 100}, {t + 100, t + 10'100});
    t += 10'000 + pause;
  };
  for (int burst = 0; burst < 10; ++burst) {
    trace.begin_recorded(0, t + 9'000, t + 9'000);
    for (int i = 0; i < 10; ++i) iterate(8'000, true);
    trace.end_recorded(0, t - 9'000);
    for (int i = 0; i < 30; ++i) iterate(2'000, false);
  }
  build.publish();
  const Finished analysis(trace);
  const Summary s = account_of(trace, analysis, {}).summary;
  EXPECT_EQ(s.recorded_iterations, 80);
  EXPECT_EQ(s.recording_adds_ns, 6'000);
  EXPECT_DOUBLE_EQ(s.idle_kept, 0.25);
  EXPECT_EQ(s.recorded_ns, 80 * 12'000);
  EXPECT_EQ(s.gpu_busy_ns, 80 * 10'000);
  EXPECT_EQ(s.bubble_ns, 80 * 2'000);
  EXPECT_DOUBLE_EQ(s.iteration.mean_ns, 12'000);
  EXPECT_DOUBLE_EQ(s.gpu_time_per_iteration(s.gpu_busy_ns), 10'000);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 1.0 / 6);
  EXPECT_EQ(s.verdict.note,
            "From 80 iterations that were recorded whole, 27 % of the time. Recording adds 6 \u00B5s to an iteration, "
            "which is taken off.")
      << "1.44 of 5.4 ms";
  const IdleLedger ledger = idle_ledger(trace, analysis, s);
  ASSERT_EQ(ledger.rows.size(), 1u);
  EXPECT_EQ(ledger.idle_ns, 160'000);
  EXPECT_EQ(ledger.rows[0].idle_ns, 160'000);
  const Evidence evidence = gather(trace, 0, t);
  EXPECT_EQ(evidence.recorded_ns, s.recorded_ns);
  Nanoseconds blamed = 0;
  for (const CallSite& site : evidence.sites) blamed += site.bubbles_ns();
  EXPECT_EQ(blamed, 160'000);
}

// A loop that runs ahead and waits now and then: 20 iterations of 5,000 were recorded whole, 100,000 in all, but with
// those that waited the 50 took 10,000 each. A half of the time is 5,000 of an iteration, and not the 2,500 of a
// recorded one.
TEST(RecordedInParts, ATimeIsItsShareOfTheMeanIteration) {
  Summary s;
  s.in_parts = true;
  s.recorded_ns = 100'000;
  s.recorded_iterations = 20;
  s.iteration.count = 50;
  s.iteration.mean_ns = 10'000;
  EXPECT_DOUBLE_EQ(s.gpu_time_per_iteration(50'000), 5'000);
  Evidence evidence;
  evidence.to_ns = 500'000;
  evidence.recorded_ns = s.recorded_ns;
  evidence.iterations = s.recorded_iterations;
  evidence.summary = s;
  EXPECT_DOUBLE_EQ(evidence.time_per_iteration(50'000), 5'000);
  LineCosts costs;
  costs.iterations = 50;
  costs.known_ns = 500'000;
  costs.recorded_ns = s.recorded_ns;
  costs.recorded_iterations = 20;
  EXPECT_DOUBLE_EQ(costs.time_of_recorded(50'000), 5'000);

  s.recorded_iterations = 2;
  EXPECT_EQ(s.gpu_time_per_iteration(50'000), 0) << "too few to tell";
  s.in_parts = false;
  EXPECT_DOUBLE_EQ(s.gpu_time_per_iteration(50'000), 1'000);
}

TEST(RecordedInParts, TheTimeInWhichTwoWereRecorded) {
  std::string text;
  for (const TimeSpan& span : in_both({{0, 10}, {20, 30}, {30, 32}}, {{5, 25}, {28, 40}})) {
    text += fmt::format("{}-{} ", span.from, span.to);
  }
  EXPECT_EQ(text, "5-10 20-25 28-30 30-32 ");
  EXPECT_TRUE(in_both({{0, 10}}, {}).empty());
  EXPECT_TRUE(in_both({{0, 10}}, {{10, 20}}).empty());
}

// The same trace read as it grows, with the live edge in and between bursts, and by analyse().
TEST(RecordedInParts, AGrowingTraceGivesTheSame) {
  PartsLoop at_once;
  record_in_bursts(at_once, 6);
  const Summary expected = account(at_once.trace);

  PartsLoop loop;
  loop.trace.change_recording({RecordingChange::Act::Nothing, 0, 0, 0});
  LiveAnalysis analysis(loop.trace);
  std::int64_t begun = 0, ended = 0;
  for (Nanoseconds edge = 700; edge <= 6 * kPartsEvery; edge += 700) {
    while (loop.iterations * kPeriod < edge && loop.iterations < 60) loop.iterate(loop.in_burst());
    if (begun * kPartsEvery + kKnown < edge && begun < 6) {
      loop.trace.begin_recorded(0, begun * kPartsEvery + kKnown, begun * kPartsEvery + kOn);
      ++begun;
    }
    if (ended * kPartsEvery + kOff < edge && ended < 6) loop.trace.end_recorded(0, ended++ * kPartsEvery + kOff);
    loop.build.publish_until(edge);
    analysis.update(edge);
    const Summary now = analysis.total();
    if (now.gpu_iterations() > 0) {
      EXPECT_NEAR(busy(now), 0.5, 1e-9) << edge;
    }
  }
  loop.build.publish();
  analysis.update(kEver);
  analysis.finish();
  const Summary grown = account_of(loop.trace, analysis, {}).summary;
  const Summary range = analyse(at_once.trace, 0, 6 * kPartsEvery);
  for (const Summary* s : {&grown, &range}) {
    EXPECT_EQ(s->recorded_ns, expected.recorded_ns);
    EXPECT_EQ(s->recorded_iterations, expected.recorded_iterations);
    EXPECT_EQ(s->gpu_busy_ns, expected.gpu_busy_ns);
    EXPECT_EQ(s->bubble_by_cause_ns, expected.bubble_by_cause_ns);
    EXPECT_EQ(s->launch_count, expected.launch_count);
    EXPECT_EQ(s->gpu_op_count, expected.gpu_op_count);
    EXPECT_DOUBLE_EQ(s->run_ahead_mean, expected.run_ahead_mean);
    EXPECT_DOUBLE_EQ(s->pace.ns, expected.pace.ns);
    EXPECT_EQ(s->verdict.sentence, expected.verdict.sentence);
  }
}

// Stretches of iterations: what lies between two records, from the bursts in it. Iterations 11 to 30 (by number) have
// two bursts, 4 whole iterations. Iterations 5 to 10 have none; each waits from 200 to 5,600.
TEST(RecordedInParts, AWindowHasItsOwnBursts) {
  PartsLoop loop;
  record_in_bursts(loop, 5);
  const Finished analysis(loop.trace);
  const Summary two = analysis.window(kPartsEvery, 3 * kPartsEvery);
  EXPECT_EQ(two.recorded_iterations, 4);
  EXPECT_EQ(two.recorded_ns, 40'000);
  EXPECT_DOUBLE_EQ(busy(two), 0.5);
  EXPECT_DOUBLE_EQ(two.run_ahead_mean, 0.55);
  EXPECT_EQ(two.judged.iterations, 4);
  const Summary none = analysis.window(4 * kPeriod, 10 * kPeriod);
  EXPECT_EQ(none.iteration.count, 6);
  EXPECT_EQ(none.recorded_ns, 0);
  EXPECT_EQ(none.recorded_iterations, 0);
  EXPECT_EQ(none.gpu_iterations(), 0);
  EXPECT_EQ(none.gpu_busy_ns, 0);
  EXPECT_EQ(none.verdict.kind, VerdictKind::Unknown);
  EXPECT_EQ(none.verdict.sentence, "What the GPU does is not recorded here; the CPU waits for it 54 % of the time.");
}

// A loop that is recorded until its 30th iteration, and goes on for 30 more. `read`: the 41st and the 51st also read a
// value.
Recent recorded_at_first(bool read) {
  PartsLoop loop;
  loop.trace.change_recording({RecordingChange::Act::Nothing, 0, 0, 0});
  record_in(loop.trace, {{0, 30 * kPeriod}});
  for (int n = 1; n <= 60; ++n) {
    const Nanoseconds at = loop.iterations * kPeriod;
    loop.iterate(n <= 30);
    if (read && (n == 41 || n == 51)) loop.build.sync(at + 6'000, at + 7'000, 20, 100);
  }
  loop.build.publish();
  LiveAnalysis analysis(loop.trace);
  analysis.update(60 * kPeriod);
  return recent_account(analysis, 60 * kPeriod, 100 * base::kSecond);
}

// That the later iterations have no launches does not make them another kind: the pace is of all from the end of the
// first on.
TEST(RecordedInParts, IterationsThatWereNotRecordedAreNoOtherKind) {
  const Recent recent = recorded_at_first(false);
  EXPECT_EQ(recent.summary.pace.basis, PaceBasis::Steady);
  EXPECT_EQ(recent.summary.pace.iterations, 59);
  EXPECT_DOUBLE_EQ(recent.summary.pace.ns, kPeriod);
  EXPECT_EQ(recent.summary.recorded_iterations, 29);
  EXPECT_DOUBLE_EQ(busy(recent.summary), 0.5);
}

// The pace is from one read to the next, of which nothing was recorded: the figures of the GPU are those of the
// stretch.
TEST(RecordedInParts, APaceFromUnrecordedTimeLeavesTheFigures) {
  const Recent recent = recorded_at_first(true);
  EXPECT_EQ(recent.summary.pace.basis, PaceBasis::Steady);
  EXPECT_EQ(recent.summary.pace.iterations, 10);
  EXPECT_EQ(recent.summary.recorded_iterations, 29) << "recording begins as the first one does, so that is not whole";
  EXPECT_DOUBLE_EQ(busy(recent.summary), 0.5);
}

// A loop whose iterations end at their first call, 100 of 1 ms each. The last goes on for another one: a launch at
// 100.1 ms, recorded or not, and at 100.2 a copy that waits for a place in the queue for 0.3. A synchronisation at
// 101.1 waits for the GPU until 220 ms: 220 ms / 100.
TEST(RecordedInParts, WhatFollowsTheLastAnchorBelongsToTheLoop) {
  for (const bool recorded : {false, true}) {
    PartsLoop loop;
    constexpr Nanoseconds kMs = base::kMillisecond;
    loop.trace.change_recording({RecordingChange::Act::Nothing, 0, 0, 0});
    record_in(loop.trace, {{0, 10 * kMs}});
    if (recorded) loop.trace.begin_recorded(0, 99 * kMs, 99 * kMs);
    for (int i = 0; i < 100; ++i) loop.build.iteration(i * kMs, (i + 1) * kMs);
    if (recorded) loop.build.launch(100 * kMs + 100'000, 100 * kMs + 110'000, 1);
    loop.build.sync(100 * kMs + 200'000, 100 * kMs + 500'000, 20, 100);
    loop.build.sync(101 * kMs + 100'000, 220 * kMs, 20, 100);
    loop.build.sync(300 * kMs, 400 * kMs, 20, 100);
    loop.build.publish();
    const Summary s = account(loop.trace);
    EXPECT_EQ(s.pace.basis, PaceBasis::Elapsed);
    EXPECT_EQ(s.pace.to_ns, 220 * kMs) << recorded;
    EXPECT_DOUBLE_EQ(s.pace.ns, 2'200'000);
  }
}

// One burst has two whole iterations, too few for a verdict. Then the figures are those of all recorded time: 15,000 of
// 32,400 are busy, and 5,000 + 5,000 are bubbles whose cause is known; 4,900 and 2,500 lie at its edges.
TEST(RecordedInParts, TooFewWholeIterationsGiveNoVerdict) {
  PartsLoop loop;
  record_in_bursts(loop, 1);
  const Summary s = account(loop.trace);
  EXPECT_EQ(s.recorded_iterations, 2);
  EXPECT_EQ(s.gpu_iterations(), 0);
  EXPECT_EQ(s.recorded_ns, 32'400);
  EXPECT_EQ(s.gpu_busy_ns, 15'000);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::AfterSync), 10'000);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::StartOrEnd), 4'900 + 2'500);
  EXPECT_EQ(s.gpu_busy_ns + s.bubble_ns, s.recorded_ns) << "nothing is missing, and nothing counts twice";
  EXPECT_EQ(s.verdict.kind, VerdictKind::Unknown);
  EXPECT_EQ(s.verdict.sentence, "Only 2 whole iterations were recorded yet: too little to tell what limits the loop.");
}

// A kernel that runs from one burst into the next counts in each of them, and not between: 100 + 50. So does a copy, of
// which the bytes that fall into the first count: a quarter.
//   recorded: 100 - 200 and 500 - 600. Kernel 100 - 550, copy 150 - 350 with 400 bytes.
TEST(RecordedInParts, WhatRunsAcrossABoundaryIsCut) {
  trace::Trace trace;
  TraceBuilder build(trace);
  record_in(trace, {{100, 200}, {500, 600}});
  build.call("cudaDeviceSynchronize", 0, 10);
  build.kernel(100, 550);
  build.upload(150, 350, 400, 0, 1);
  build.call("cudaDeviceSynchronize", 700, 710);
  build.publish();
  const Summary s = account(trace);
  EXPECT_EQ(s.recorded_ns, 200);
  EXPECT_EQ(s.gpu_busy_ns, 150);
  EXPECT_EQ(s.kernel_ns, 150);
  EXPECT_EQ(s.h2d_ns, 50);
  EXPECT_EQ(s.h2d_bytes, 100);
  expect_bubbles(s, 1, 50);
}

// A bubble across a whole pause: the known parts on both sides, 20 and 30, each of unknown cause. Nothing between.
//   recorded: 100 - 200 and 500 - 600. Kernels 100 - 180 and 530 - 600.
TEST(RecordedInParts, ABubbleEndsWhereRecordingEnds) {
  trace::Trace trace;
  TraceBuilder build(trace);
  record_in(trace, {{100, 200}, {500, 600}});
  build.kernel({90, 95}, {100, 180});
  build.kernel({510, 515}, {530, 600});
  build.publish();
  const Finished analysis(trace);
  ASSERT_EQ(analysis.bubbles().size(), 2u);
  expect_span(analysis.bubbles()[0], 180, 200);
  expect_span(analysis.bubbles()[1], 500, 530);
  for (const Bubble& b : analysis.bubbles()) EXPECT_EQ(b.cause, BubbleCause::StartOrEnd);
  const Summary s = analysis.total();
  EXPECT_EQ(s.bubble_ns, 50);
  EXPECT_EQ(s.gpu_busy_ns, 150);
}

// Launches whose operations were lost with the end of a burst are in flight no more when the next begins; launches made
// after recording began count, even before the GPU is known. Two bursts, 100 - 200 and 500 - 600 (calls from 450):
//   launch at 150 without an operation; launch at 460, operation 520 - 580: in flight for 80 of the second burst.
//   In the first: launch at 110, operation 120 - 140: 30; and the lost one is in flight from 150 to 200 as far as
//   anyone knows, until it is given up: then it never was.
TEST(RecordedInParts, RunAheadForgetsWhatWasLost) {
  trace::Trace trace;
  TraceBuilder build(trace);
  record_in(trace, {{100, 200}});
  trace.begin_recorded(0, 500, 450);
  trace.end_recorded(0, 600);
  build.kernel({110, 112}, {120, 140});
  build.launch(150, 152, 2);
  build.launch(300, 302, 3);
  build.kernel({460, 462}, {520, 580});
  build.call("cudaGetDevice", 590, 600);
  build.publish();
  const Summary s = analyse(trace, 100, 600);
  EXPECT_EQ(s.recorded_ns, 190) << "from the first event, at 110";
  expect_run_ahead(s, (30.0 + 80.0) / 190.0, 1);
  EXPECT_EQ(s.launch_count, 2) << "110 and 150; those at 300 and 460 lie outside";
}

// The evidence of the cards is of the whole iterations alone: 10 of them in 5 bursts, each with one sync, one launch
// and 5,000 idle, of which 9,500 in two are blamed on the sync. The sync waits 5,380, while the GPU is busy from 500 to
// 5,500, for 5,000 of it.
TEST(RecordedInParts, TheEvidenceIsOfWholeIterations) {
  PartsLoop loop;
  record_in_bursts(loop, 5);
  const Evidence e = gather(loop.trace, 0, 5 * kPartsEvery);
  EXPECT_EQ(e.iterations, 10);
  EXPECT_EQ(e.span_ns(), 100'000);
  EXPECT_EQ(e.launches, 10);
  EXPECT_EQ(e.summary.sync_count, 10);
  EXPECT_EQ(e.summary.host_wait_ns, 10 * 5'380);
  EXPECT_EQ(e.summary.gpu_busy_ns, 50'000);
  ASSERT_FALSE(e.sites.empty());
  const CallSite& sync = e.sites.front();
  EXPECT_EQ(loop.trace.names().text(sync.call), "cudaStreamSynchronize");
  EXPECT_EQ(sync.count, 10);
  EXPECT_EQ(sync.bubbles_ns(), 5 * 9'500);
  EXPECT_EQ(sync.wait_ns, 10 * 5'380);
  EXPECT_EQ(sync.wait_busy_ns, 10 * 5'000);

  PartsLoop one;
  record_in_bursts(one, 1);
  EXPECT_EQ(gather(one.trace, 0, kPartsEvery).iterations, 0) << "two whole iterations are too few";
}

// A burst has two whole iterations. Of the newest 50 none was recorded, of the newest 200 there are 20: advice is from
// the newest 800, which have 140.
TEST(RecordedInParts, AdviceGoesBackToABurst) {
  PartsLoop loop;
  record_in_bursts(loop, 100);
  loop.iterate_until(1'100, false);
  loop.build.publish();
  const Finished finished(loop.trace);
  const auto stretch = steady_stretch(loop.trace, finished.records(), {.most_iterations = 50});
  ASSERT_TRUE(stretch.has_value());
  EXPECT_EQ(stretch->first, 300 * kPeriod);
  EXPECT_EQ(stretch->second, 1'100 * kPeriod);
}

// Without iterations, the evidence is of all recorded time: 32,400 per burst, in which three iterations begin, at
// 10,000, 20,000 and 30,000. Their syncs are counted.
TEST(RecordedInParts, WithoutIterationsTheEvidenceIsOfTheRecordedTime) {
  PartsLoop loop;
  loop.marked = false;
  record_in_bursts(loop, 5);
  const Evidence e = gather_stretch(loop.trace, 0, 5 * kPartsEvery);
  EXPECT_EQ(e.iterations, 0);
  EXPECT_EQ(e.span_ns(), 5 * 32'400);
  EXPECT_TRUE(e.summary.in_parts);
  EXPECT_EQ(e.summary.recorded_iterations, 0);
  EXPECT_EQ(e.launches, 15);
  ASSERT_EQ(e.sites.size(), 2u);
  const CallSite& sync = e.sites.front();
  EXPECT_EQ(loop.trace.names().text(sync.call), "cudaStreamSynchronize");
  EXPECT_EQ(sync.count, 15);
  EXPECT_EQ(sync.wait_ns, 15 * 5'380);
  EXPECT_EQ(sync.wait_busy_ns, 15 * 5'000);
}

// What the sums compare with where no iteration begins is nothing, not what happens to lie in memory.
TEST(RecordedInParts, WithoutIterationsThereIsNoBeginning) {
  struct Nobody final : Accumulator::Listener {
    void iteration_ended(const IterationRecord&) override {}
    void gap_closed(const Bubble&) override {}
  } nobody;
  const trace::Trace trace;
  const Accumulator sums(trace, nobody);
  EXPECT_FALSE(sums.first_iteration().has_value());
  EXPECT_EQ(sums.beginning().number, 0);
  EXPECT_EQ(sums.beginning().end_ns, 0);
  EXPECT_EQ(sums.beginning().recorded_ns, 0);
}

// Two processes, the first recorded 0 - 100, the second 200 - 300. Each GPU's figures are from its own time.
//   GPU of 1: kernel 0 - 50, half. GPU of 2: kernel 200 - 300, all.
TEST(RecordedInParts, EachProcessHasItsOwnTime) {
  trace::Trace trace;
  TraceBuilder build(trace);
  record_in(trace, {{0, 100}}, 1);
  record_in(trace, {{200, 300}}, 2);
  for (const std::int64_t pid : {1, 2}) {
    trace::LaneInfo calls, kernels;
    calls.kind = trace::LaneKind::Calls;
    kernels.kind = trace::LaneKind::Kernels;
    calls.pid = kernels.pid = pid;
    const auto c = trace.add_lane(calls), k = trace.add_lane(kernels);
    build.add(c, trace::EventKind::Call, "cudaGetDevice", 0, 5);
    build.add(c, trace::EventKind::Call, "cudaGetDevice", 395, 400);
    build.add(k, trace::EventKind::Kernel, "k", pid == 1 ? 0 : 200, pid == 1 ? 50 : 300);
  }
  build.publish();
  const Finished analysis(trace);
  ASSERT_EQ(analysis.gpu_count(), 2u);
  EXPECT_EQ(analysis.total(0).recorded_ns, 100);
  EXPECT_EQ(analysis.total(0).gpu_busy_ns, 50);
  EXPECT_EQ(analysis.total(1).recorded_ns, 100);
  EXPECT_EQ(analysis.total(1).gpu_busy_ns, 100);
  const Summary both = analysis.total();
  EXPECT_TRUE(both.in_parts);
  EXPECT_DOUBLE_EQ(busy(both), 0.75) << "the mean of both";
}

// A trace of which everything was recorded, and then nothing any more: the figures stay those of what was.
TEST(RecordedInParts, RecordingMayEndForGood) {
  PartsLoop loop;
  loop.iterate_until(20);
  loop.build.publish();
  LiveAnalysis analysis(loop.trace);
  analysis.update(20 * kPeriod);
  const Summary before = analysis.total();
  EXPECT_FALSE(before.in_parts);
  loop.trace.end_recorded(0, 20 * kPeriod);
  loop.iterate_until(40, false);
  loop.build.publish();
  analysis.finish();
  const Summary s = analysis.total();
  EXPECT_TRUE(s.in_parts);
  EXPECT_EQ(s.iteration.count, 40);
  EXPECT_EQ(s.recorded_ns, 20 * kPeriod);
  EXPECT_EQ(s.gpu_busy_ns, 20 * 5'000);
}

}  // namespace
}  // namespace lanescope::analysis
