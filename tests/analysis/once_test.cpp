// What happens once or now and then has stretches and rows of its own, and the figures are of the steady part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "analysis/account.h"
#include "analysis/breakdown.h"
#include "analysis/idle_ledger.h"
#include "analysis/once.h"
#include "builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Account;
using analysis::Advice;
using analysis::IdleLedger;
using analysis::Judged;
using analysis::Once;
using analysis::PaceBasis;
using analysis::RareRow;
using analysis::RunConditions;
using analysis::Summary;
using analysis::TimeSpan;
using analysis::VerdictKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RunConditions kRecording{.real_time = true, .replay = true};
// An iteration of 10,000: launch [0, 100), kernel [500, 5,500), sync [200, 5,600), then CPU work until the next launch.
// The GPU is busy for 5,000 of them; it idles from 5,500 to 10,500, after the sync.
constexpr Nanoseconds kEach = 10'000;

std::vector<std::tuple<std::string, std::int64_t, Nanoseconds>> told(const Once& once) {
  std::vector<std::tuple<std::string, std::int64_t, Nanoseconds>> rows;
  for (const RareRow& row : once.rows) rows.emplace_back(rare_text(row), row.count(), row.total_ns);
  return rows;
}
using Row = std::tuple<std::string, std::int64_t, Nanoseconds>;

class OnceTest : public TraceTest {
 protected:
  /// The next iteration. With more `work` after its sync, within it.
  void iterate(Nanoseconds work = 0) {
    const Nanoseconds at = now;
    t.iteration(at, at + kEach + work);
    t.kernel({at, at + 100}, {at + 500, at + 5'500});
    t.sync(at + 200, at + 5'600, 20, 100);
    now += kEach + work;
  }
  void iterate_times(int n) {
    for (int i = 0; i < n; ++i) iterate();
  }

  /// The account; what must agree has been compared.
  Account account() {
    t.publish();
    const Finished live(trace);
    Account found = account_of(trace, live, kRecording);
    const Summary& s = found.summary;
    const Judged& judged = s.judged;
    const Once& once = *found.once;
    EXPECT_EQ(once.all_ns(), trace.extent().second - trace.extent().first);
    Nanoseconds rows = 0, spans = 0;
    for (const RareRow& row : once.rows) rows += row.total_ns;
    for (const TimeSpan& span : judged.rare) spans += span.length();
    EXPECT_EQ(rows, once.rare_ns);
    EXPECT_EQ(spans, once.rare_ns);
    if (!s.in_parts) {
      EXPECT_EQ(judged.span_ns(), judged.to_ns - judged.from_ns - once.rare_ns);
      EXPECT_EQ(judged.span_ns(), once.steady_ns);
      EXPECT_EQ(judged.iterations, once.steady_iterations);
      EXPECT_EQ(s.window_ns(), s.gpu_busy_ns + s.bubble_ns);
    }
    ledger = idle_ledger(trace, live, s);
    Nanoseconds idle = ledger.other.idle_ns;
    for (const analysis::IdleRow& row : ledger.rows) idle += row.idle_ns;
    EXPECT_EQ(idle, judged.span_ns() - judged.busy_ns);
    advice = advice_for(trace, live.records(s.verdict_gpu), kEver, kRecording, nullptr, s.verdict_gpu);
    return found;
  }

  Nanoseconds now = 0;
  IdleLedger ledger;
  Advice advice;
};

// 400 iterations, and a checkpoint of 300,000 after every 100th but the last: 3. With the iteration that follows, each
// is 310,000 of the loop's 4,900,000. Usual is the mean, 4,890,000 / 399 = 12,255; 4 times that is 49,022.
// Steady: 397 iterations, 3,970,000. The figures are those of the iterations alone: a gap of 5,000 in 10,000. At the
// end of the 100th iteration, 4,500 of its gap have passed; that of the first after the checkpoint is cut as well.
//   idle: 400 gaps less the last 500 (the trace ends), less 3 that the checkpoints make longer, and the 3 after them:
//   in the steady part each iteration has 500 + 4,500.
TEST_F(OnceTest, ACheckpointIsARowOfItsOwn) {
  for (int i = 0; i < 4; ++i) {
    iterate_times(100);
    if (i == 3) break;
    t.range("save_checkpoint", now, now + 300'000);
    now += 300'000;
  }
  const Account account = this->account();
  const Summary& s = account.summary;
  EXPECT_THAT(told(*account.once), ElementsAre(Row("save_checkpoint", 3, 930'000)));
  EXPECT_EQ(how_often(account.once->rows[0]), "3 times, 310 µs each");
  EXPECT_TRUE(account.once->rows[0].between);
  EXPECT_EQ(account.once->rows[0].longest, (TimeSpan{1'000'000, 1'310'000}));
  EXPECT_EQ(account.once->steady_ns, 3'970'000);
  EXPECT_EQ(account.elapsed_ns, 4'900'000);
  EXPECT_EQ(s.window_ns(), 3'970'000);
  EXPECT_EQ(s.iteration.count, 397);
  EXPECT_DOUBLE_EQ(s.iteration.mean_ns, kEach);
  EXPECT_EQ(s.pace.basis, PaceBasis::Elapsed);
  EXPECT_EQ(s.pace.iterations, 397);
  EXPECT_DOUBLE_EQ(s.pace.ns, kEach);
  EXPECT_EQ(s.pace.to_ns, 4'900'000);
  EXPECT_EQ(s.gpu_busy_ns, 397 * 5'000);
  EXPECT_EQ(s.launch_count, 397);
  EXPECT_EQ(s.sync_count, 397);
  EXPECT_EQ(s.judged.busy_ns, 397 * 5'000);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.5);
  EXPECT_EQ(s.verdict.kind, VerdictKind::SyncBound);
  EXPECT_EQ(s.verdict.note, "From the steady part: 397 of 400 iterations, 3.97 ms of 4.9 ms.");
  EXPECT_EQ(advice.iterations, 397);
  EXPECT_DOUBLE_EQ(advice.summary.verdict.idle, 0.5);
  for (const analysis::Card& card : advice.cards) EXPECT_LE(card.cost_ns, 5'000) << card.title;
  EXPECT_LE(ledger.each(ledger.rows[0].longest_ns), 5'000);
}

// The same as part of the 100th iteration, as in a profile by steps: a range that fills more than half of it.
TEST_F(OnceTest, ALongIterationIsNamedByWhatFillsIt) {
  for (int i = 0; i < 4; ++i) {
    iterate_times(99);
    t.range("save_checkpoint", now + 6'000, now + 306'000);
    iterate(i < 3 ? 300'000 : 0);
  }
  const Account account = this->account();
  EXPECT_THAT(told(*account.once), ElementsAre(Row("save_checkpoint", 3, 930'000)));
  EXPECT_FALSE(account.once->rows[0].between);
  EXPECT_DOUBLE_EQ(account.summary.pace.ns, kEach);
  EXPECT_EQ(account.summary.bubble_ns, 397 * 5'000);
}

// An evaluation between epochs launches and waits for the GPU nearly all of the time, called from line 88. A usual
// iteration is called from line 40.
TEST_F(OnceTest, AnEvaluationIsNamedByItsLine) {
  const auto frame = [&](std::string_view function, std::uint32_t line) {
    return trace::Frame{trace.names().intern("/home/me/train.py"), trace.names().intern(function), line};
  };
  const auto made = [&](Nanoseconds start, std::vector<trace::Frame> frames) {
    trace.sites().note(t.lane(LaneKind::Calls), start, trace.sites().intern(frames, 0));
  };
  const auto epoch = [&] {
    for (int i = 0; i < 50; ++i) {
      made(now, {frame("step", 12), frame("main", 40)});
      iterate();
    }
  };
  epoch();
  for (int batch = 0; batch < 20; ++batch, now += kEach) {
    made(now, {frame("evaluate", 60 + static_cast<std::uint32_t>(batch) % 2), frame("main", 88)});
    t.kernel({now, now + 100}, {now + 200, now + 9'800});
    t.sync(now + 150, now + 9'900, 20, 100);
  }
  epoch();
  const Account account = this->account();
  EXPECT_THAT(told(*account.once), ElementsAre(Row("evaluate in train.py:88", 1, 210'000)));
  EXPECT_EQ(how_often(account.once->rows[0]), "once, 210 µs");
  EXPECT_EQ(account.summary.judged.iterations, 99);
  EXPECT_DOUBLE_EQ(account.summary.verdict.idle, 0.5);
}

// A loop that runs ahead: the CPU launches in 1,000, the GPU works for 5,000, and every 100th iteration waits for all
// of it: 401,000. 5 of 500 are 400 times as long as others, and that is how the loop paces itself.
TEST_F(OnceTest, AReadEveryHundredIterationsIsTheLoopsOwn) {
  Nanoseconds gpu = 0;
  for (int i = 1; i <= 500; ++i) {
    const Nanoseconds from = now;
    gpu = std::max(gpu, now + 500);
    t.kernel({now, now + 100}, {gpu, gpu + 5'000});
    gpu += 5'000;
    now += 1'000;
    if (i % 100 == 0) {
      t.sync(now, gpu + 100, 20, 100);
      now = gpu + 200;
    }
    t.iteration(from, now);
  }
  const Account account = this->account();
  EXPECT_THAT(account.once->rows, IsEmpty());
  EXPECT_EQ(account.summary.judged.iterations, 500);
  EXPECT_NEAR(account.summary.pace.ns, 5'000, 50);
  EXPECT_EQ(account.summary.verdict.note, "");
}

// The same in a trace without calls, which does not show the wait: the GPU works all the time.
TEST_F(OnceTest, SoItIsWhereNoCallsAreKnown) {
  for (int i = 1; i <= 500; ++i) {
    const Nanoseconds from = now;
    t.kernel((i - 1) * 5'000 + 500, i * 5'000 + 500);
    now += 1'000;
    if (i % 100 == 0) now = i * 5'000 + 700;
    t.iteration(from, now);
  }
  EXPECT_THAT(account().once->rows, IsEmpty());
}

// Every fifth iteration takes ten times as long: 20 % is no exception.
TEST_F(OnceTest, WhatIsFrequentIsTheLoopsNormal) {
  for (int i = 0; i < 100; ++i) iterate(i % 5 == 4 ? 90'000 : 0);
  EXPECT_THAT(account().once->rows, IsEmpty());
  EXPECT_EQ(account().summary.judged.iterations, 100);
}

// Four times what is usual is not rare, a nanosecond more is. And less than a hundredth of the time shows nowhere:
// 90,000 of 10,080,000.
TEST_F(OnceTest, ThresholdsAreExact) {
  const auto with = [](int n, Nanoseconds work) {
    trace::Trace trace;
    TraceBuilder t{trace};
    Nanoseconds now = 0;
    for (int i = 0; i < n; ++i) {
      const Nanoseconds takes = kEach + (i == n / 2 ? work : 0);
      t.iteration(now, now + takes);
      t.kernel({now, now + 100}, {now + 500, now + 5'500});
      now += takes;
    }
    t.publish();
    return account_of(trace, Finished(trace), kRecording).summary.judged.rare_iterations;
  };
  // Of 100 iterations, 99 from end to end: with 41,260 for the one, their mean is 10,315, and 4 times that is 41,260.
  EXPECT_EQ(with(100, 31'260), 0);
  EXPECT_EQ(with(100, 31'261), 1);
  EXPECT_EQ(with(1'000, 80'000), 0);
  EXPECT_EQ(with(1'000, 100'000), 1);
  // Fewer than 20: only what is longer than all others together.
  EXPECT_EQ(with(12, 80'000), 0);
  EXPECT_EQ(with(12, 120'000), 1);
}

// Set-up [0, 70,000), four slow iterations of 50,000 (warm-up), 96 usual ones, a pause of 200,000 before the 60th of
// these, and 30,000 after the loop.
TEST_F(OnceTest, StretchesAddUpToTheTrace) {
  t.call("cudaMalloc", 0, 60'000);
  now = 70'000;
  for (int i = 0; i < 4; ++i) iterate(40'000);
  iterate_times(59);
  now += 200'000;
  iterate_times(37);
  t.call("write", now + 10'000, now + 30'000);
  const Once once = *account().once;
  EXPECT_EQ(once.set_up_ns, 70'000);
  EXPECT_EQ(once.warm_up_ns, 200'000);
  EXPECT_EQ(once.steady_ns, 950'000);
  EXPECT_EQ(once.rare_ns, 210'000);
  EXPECT_EQ(once.end_ns, 30'000);
  EXPECT_EQ(once.iterations, 96);
  EXPECT_EQ(once.steady_iterations, 95);
  EXPECT_THAT(told(once), ElementsAre(Row("between iterations", 1, 210'000)));
}

// A trace that is followed as it grows has the same account as one that is read at once.
TEST_F(OnceTest, ALiveAnalysisTellsTheSame) {
  analysis::LiveAnalysis live(trace);
  for (int i = 0; i < 5; ++i) {
    iterate_times(40);
    t.publish_until(now);
    live.update(now);
    now += 250'000;
  }
  live.finish();
  const Account at_once = account(), followed = account_of(trace, live, kRecording);
  EXPECT_THAT(told(*at_once.once), ElementsAre(Row("between iterations", 4, 4 * 260'000)));
  EXPECT_EQ(told(*followed.once), told(*at_once.once));
  EXPECT_EQ(followed.summary.judged.rare, at_once.summary.judged.rare);
  EXPECT_EQ(followed.summary.judged.busy_ns, at_once.summary.judged.busy_ns);
  EXPECT_EQ(followed.summary.bubble_by_cause_ns, at_once.summary.bubble_by_cause_ns);
  EXPECT_EQ(followed.summary.verdict.note, at_once.summary.verdict.note);
  EXPECT_DOUBLE_EQ(followed.summary.pace.ns, at_once.summary.pace.ns);
}

// The tables of a page leave it out as well: a kernel and a sync of the checkpoint are in none.
TEST_F(OnceTest, TablesAreOfTheSteadyPart) {
  iterate_times(50);
  t.kernel({now + 1'000, now + 1'100}, {now + 1'200, now + 1'300});
  t.call("cudaEventSynchronize", now + 2'000, now + 190'000);
  now += 200'000;
  iterate_times(50);
  const Summary s = account().summary;
  const Finished live(trace);
  const analysis::Breakdown b = break_down(trace, live.records(), s, kEver, false);
  EXPECT_EQ(b.iterations, 99);
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(b.kernels[0].count, 99);
  EXPECT_EQ(b.kernel_time_ns, 99 * 5'000);
  for (const analysis::SiteRow& site : b.sites) EXPECT_NE(site.call, "cudaEventSynchronize");
  EXPECT_EQ(b.host_wait_ns, s.judged.host_wait_ns);
}

// Two processes with a GPU each: iterations of 10,000, kernels of 4,000 and of 6,000. Between the 50th and the 51st
// both evaluate: the first for 300,000, the other for 310,000, so that its iterations are 10,000 later from then on.
TEST_F(OnceTest, EachGpuHasItsOwn) {
  for (int gpu = 0; gpu < 2; ++gpu) {
    const auto lane = [&](LaneKind kind) {
      LaneInfo info;
      info.kind = kind;
      info.pid = 100 + gpu;
      info.device = gpu;
      if (trace::is_cpu_lane(kind)) info.tid = 100 + gpu;
      return trace.add_lane(info);
    };
    const LaneId iterations = lane(LaneKind::Iterations), calls = lane(LaneKind::Calls),
                 ranges = lane(LaneKind::Phases), kernels = lane(LaneKind::Kernels);
    Nanoseconds at = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
      if (i == 50) {
        const Nanoseconds takes = 300'000 + gpu * 10'000;
        t.add(ranges, EventKind::Range, "evaluate", at, at + takes);
        at += takes;
      }
      t.add(iterations, EventKind::Range, "iteration", at, at + kEach);
      t.add(calls, EventKind::Call, "cudaLaunchKernel", at, at + 100, i + 1).flags = trace::kLaunchFlag;
      t.add(kernels, EventKind::Kernel, "kernel", at + 500, at + 4'500 + gpu * 2'000, i + 1);
      at += kEach;
    }
  }
  t.publish();
  const Finished live(trace);
  ASSERT_EQ(live.gpu_count(), 2u);
  const Account account = account_of(trace, live, kRecording);
  const Summary& s = account.summary;
  EXPECT_EQ(s.verdict_gpu, 0u) << "it idles most";
  EXPECT_THAT(told(*account.once), ElementsAre(Row("evaluate", 1, 310'000)));
  EXPECT_EQ(s.judged.iterations, 99);
  EXPECT_EQ(s.judged.busy_ns, 99 * 4'000);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.6);
  // Of both: until the last iteration of either ends, 1,310,000. Together they leave out 500,000 to 820,000.
  EXPECT_EQ(s.window_ns(), 990'000);
  EXPECT_NEAR(static_cast<double>(s.gpu_busy_ns) / static_cast<double>(s.window_ns()), 0.5, 0.001);
}

// Recorded in bursts, of an anchor that is always watched: all iterations are known, and so is the pause of 200,000
// after the 56th, far from any burst. Each burst begins in the second iteration of ten, at 6,000, and ends with the
// fifth: 3 whole iterations. The pause after the 81st is followed by an iteration in which recording begins: that it
// was a pause is not certain.
TEST_F(OnceTest, InBurstsOnlyAPauseThatIsKnownCounts) {
  trace.change_recording({trace::RecordingChange::Act::Nothing, 0, 0, 0});
  for (int i = 0; i < 100; ++i) {
    if (i == 56) now += 200'000;
    if (i == 81) now += 200'000;
    const bool recorded = i % 10 >= 2 && i % 10 < 5;
    if (i % 10 == 1) trace.begin_recorded(0, now + 6'000, now + 6'000);
    t.iteration(now, now + kEach);
    t.sync(now + 200, now + 5'600, 20, 100);
    if (recorded) t.kernel({now, now + 100}, {now + 500, now + 5'500});
    now += kEach;
    if (i % 10 == 4) trace.end_recorded(0, now);
  }
  const Account account = this->account();
  const Summary& s = account.summary;
  EXPECT_TRUE(s.in_parts);
  EXPECT_EQ(s.judged.rare, (std::vector<TimeSpan>{{560'000, 770'000}}));
  EXPECT_THAT(told(*account.once), ElementsAre(Row("between iterations", 1, 210'000)));
  EXPECT_EQ(s.recorded_iterations, 30);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.5);
  EXPECT_EQ(s.sync_count, 99) << "known all the time; that of the iteration after the pause is left out";
  EXPECT_DOUBLE_EQ(s.pace.ns, kEach);
}

}  // namespace
}  // namespace lanescope::analysis_test
