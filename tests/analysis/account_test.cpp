// One trace, one answer: whether it is followed while it grows or read at once.
#include "analysis/account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"
#include "analysis/event_merge.h"
#include "analysis/gpu_job.h"
#include "analysis/random_trace.h"
#include "analysis/warm_up.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Account;
using analysis::LiveAnalysis;
using analysis::PaceBasis;
using analysis::Rule;
using analysis::Summary;
using testing::HasSubstr;
using testing::IsEmpty;

// Everything reported about a stretch.
std::string told(const Summary& s) {
  std::string text =
      fmt::format("[{}, {}) iterations {} mean {} p50 {} p99 {} min {} max {}\n", s.from_ns, s.to_ns, s.iteration.count,
                  s.iteration.mean_ns, s.iteration.p50_ns, s.iteration.p99_ns, s.iteration.min_ns, s.iteration.max_ns);
  text += fmt::format("pace {} {} ns, {} from {} to {}, moved {}\n", basis_key(s.pace.basis), s.pace.ns,
                      s.pace.iterations, s.pace.from_ns, s.pace.to_ns, s.pace.queue_moved);
  text += fmt::format("busy {} kernel {} wait {} loader {} bubbles {} {} syncs {} launches {} copied {} {}\n",
                      s.gpu_busy_ns, s.kernel_ns, s.host_wait_ns, s.loader_wait_ns, s.bubble_count,
                      fmt::join(s.bubble_by_cause_ns, ","), s.sync_count, s.launch_count, s.h2d_bytes, s.d2h_bytes);
  text += fmt::format("run-ahead {} {}\n", s.run_ahead_mean, s.run_ahead_max);
  text += fmt::format("judged [{}, {}) {} iterations, warm-up {}, {} in {}: {} {} {}\n", s.judged.from_ns,
                      s.judged.to_ns, s.judged.iterations, s.judged.warm_up_ns, s.judged.sync_place_ns,
                      s.judged.sync_place, verdict_key(s.verdict.kind), s.verdict.sentence, s.verdict.note);
  for (const auto& figure : s.verdict.figures)
    text += fmt::format("  {} {} {}\n", figure.label, value_text(figure), figure.unit);
  return text;
}

std::string told(const analysis::Advice& advice) {
  std::string text =
      fmt::format("{} iterations, {} warm-up\n{}", advice.iterations, advice.warm_up, told(advice.summary));
  for (const analysis::Card& card : advice.cards) {
    text += fmt::format("{} {} {} {} {} {}: {} {} {}\n", rule_key(card.rule), weight_key(card.weight), card.cost_ns,
                        card.confidence, card.range, card.call, card.title, card.what, card.fix);
  }
  return text;
}

// The answer of the live functions at a time, and of those for a finished run.
std::string told(const trace::Trace& trace, const LiveAnalysis& analysis, Nanoseconds span) {
  const analysis::RunConditions run{.real_time = true, .h2d_peak_gb_per_s = 25, .d2h_peak_gb_per_s = 25};
  const Nanoseconds edge = analysis.analysed_until();
  const analysis::Recent recent = recent_account(analysis, edge, span);
  std::string text =
      fmt::format("recent, settled from {}, current {}\n{}", recent.settled_ns, recent.current, told(recent.summary));
  text += "longer\n" + told(recent_account(analysis, edge, 4 * span).summary);
  text += "of a period\n" + told(recent_account(analysis, edge, span, 3).summary);
  const Account whole = account_of(trace, analysis, run);
  text += fmt::format("whole, {} elapsed, {} warm-up\n{}", whole.elapsed_ns, whole.warm_up_ns.value_or(0),
                      told(whole.summary));
  const auto plan =
      plan_advice(trace, analysis.records(), run, {.from_ns = recent.summary.from_ns, .to_ns = recent.summary.to_ns});
  if (plan) text += "cards of now\n" + told(advise(trace, *plan));
  return text + "cards\n" + told(advice_for(trace, analysis.records(), kEver, run));
}

TEST(AccountOfAGrowingTrace, IsThatOfTheSameTraceReadAtOnce) {
  int looks = 0, with_cards = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    trace::Trace trace;
    TraceBuilder program(trace);
    RandomProgram(program, seed).write(60);
    std::vector<Event> events = program.events;
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& x, const Event& y) { return x.start_ns < y.start_ns; });
    Nanoseconds end = 0;
    for (const Event& e : events) end = std::max(end, e.end_ns);
    LiveAnalysis live(trace);
    std::size_t published = 0;
    for (Nanoseconds now = 0; now < end + 400; now += 400) {
      for (; published < events.size() && events[published].start_ns < now; ++published)
        trace.append(events[published]);
      trace.publish();
      trace.set_complete_until(now);
      live.update(now - 50, 5);
      live.update(kEver);
      LiveAnalysis at_once(trace);
      at_once.update(kEver);
      ASSERT_EQ(told(trace, live, 500), told(trace, at_once, 500)) << "seed " << seed << " until " << now;
      ++looks;
    }
    LiveAnalysis at_once(trace);
    live.finish();
    at_once.finish();
    const std::string all = told(trace, live, 500);
    ASSERT_EQ(all, told(trace, at_once, 500)) << "seed " << seed;
    with_cards += all.find("per iteration") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(looks, 100);
  EXPECT_GT(with_cards, 5);
}

// A first iteration of 1,000 µs and eleven of 100 in which a kernel runs for 40.
class AccountTest : public testing::Test {
 protected:
  AccountTest() {
    for (int i = 0; i < 12; ++i) {
      const Nanoseconds from = i == 0 ? 0 : 1'000'000 + (i - 1) * 100'000, to = 1'000'000 + i * 100'000;
      b_.iteration(from, to);
      b_.kernel({to - 90'000, to - 88'000}, {to - 80'000, to - 40'000});
      b_.sync(to - 85'000, to - 39'000, 1'000, 1'000);
    }
    b_.publish();
    live_.finish();
  }
  trace::Trace trace_;
  TraceBuilder b_{trace_};
  LiveAnalysis live_{trace_};
};

TEST_F(AccountTest, OfARealDeviceLeavesOutWhatLoadedCode) {
  const Account simulated = account_of(trace_, live_, {});
  EXPECT_EQ(simulated.warm_up_ns, std::nullopt);
  EXPECT_EQ(simulated.elapsed_ns, 2'100'000);
  EXPECT_EQ(simulated.summary.from_ns, 0);
  EXPECT_DOUBLE_EQ(simulated.summary.pace.ns, 2'100'000.0 / 12);
  const Account real = account_of(trace_, live_, {.real_time = true});
  EXPECT_EQ(real.warm_up_ns, 1'000'000);
  EXPECT_EQ(real.elapsed_ns, 1'100'000);
  EXPECT_EQ(real.summary.from_ns, 1'000'000);
  EXPECT_EQ(real.summary.iteration.count, 11);
  EXPECT_DOUBLE_EQ(real.summary.pace.ns, 100'000);
  // The verdict is for the same iterations, and a note says that one is missing.
  for (const Account* account : {&simulated, &real}) {
    EXPECT_EQ(account->summary.judged.iterations, 11);
    EXPECT_EQ(account->summary.verdict.note, "The first iteration took 1 ms and is left out as warm-up.");
  }
}

// Of another program's recording every figure is of the verdict's stretch, which leaves out a slow first iteration, and
// what its profiler does after the loop.
TEST_F(AccountTest, OfARecordingIsOfOneStretch) {
  b_.sync(2'150'000, 2'400'000, 1'000, 1'000);
  b_.publish();
  const Finished live(trace_);
  const Account account = account_of(trace_, live, {.real_time = true, .replay = true});
  const Summary& s = account.summary;
  expect_span(s, 1'000'000, 2'100'000);
  expect_span(s.judged, 1'000'000, 2'100'000);
  EXPECT_EQ(s.sync_count, 11);
  EXPECT_EQ(s.judged.sync_count, 11);
  EXPECT_EQ(s.gpu_busy_ns, 11 * 40'000);
  EXPECT_EQ(account.elapsed_ns, 1'100'000);
  EXPECT_EQ(account.warm_up_ns, 1'000'000);
  EXPECT_EQ(s.verdict.note, "The first iteration took 1 ms and is left out as warm-up.");
  const auto plan = plan_advice(trace_, live.records(), {.replay = true});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->from_ns, 1'000'000);
  EXPECT_EQ(plan->warm_up, 1);
}

// Twelve rounds of 1 ms: GPU 1 comes to the collective after 890 us, GPU 0 after 500, which waits 39 % of the time.
TEST(AccountOfAJob, WaitingInCollectivesIsNoWork) {
  GpuJob job(2);
  for (Nanoseconds at = 0; at < 12'000; at += 1000) {
    job.kernel(0, "gemm", at, at + 500);
    job.kernel(0, kAllReduce, at + 500, at + 1000);
    job.kernel(1, "gemm", at, at + 890);
    job.kernel(1, kAllReduce, at + 890, at + 1000);
  }
  job.trace.publish();
  job.trace.set_complete_until(kEver);
  const Finished live(job.trace);
  const Summary s = account_of(job.trace, live, {.replay = true}).summary;
  EXPECT_EQ(s.verdict.kind, analysis::VerdictKind::RankBound);
  EXPECT_EQ(s.judged.rank_wait_ns, 12 * 390'000);
  EXPECT_EQ(verdict_title(s.verdict), "Waits for GPU 1");
  EXPECT_EQ(s.verdict.sentence, "In collectives, GPU 0 waits 39 % of the time for GPU 1.");
}

TEST_F(AccountTest, IsExactWhereRecordsWereDropped) {
  const Finished thinned(trace_, 6);
  ASSERT_LT(thinned.records().size(), 12u);
  const Account exact = account_of(trace_, live_, {}), account = account_of(trace_, thinned, {});
  EXPECT_EQ(told(account.summary), told(exact.summary));
  EXPECT_EQ(account.elapsed_ns, exact.elapsed_ns);
}

TEST_F(AccountTest, WithoutIterationsIsOfAllOfIt) {
  trace::Trace trace;
  TraceBuilder b(trace);
  b.kernel(100, 200);
  b.kernel(250, 300);
  b.publish();
  const Finished live(trace);
  const Account account = account_of(trace, live, {.real_time = true});
  EXPECT_EQ(account.elapsed_ns, 200);
  EXPECT_EQ(account.summary.gpu_busy_ns, 150);
  EXPECT_EQ(account.summary.pace.basis, PaceBasis::None);
  EXPECT_EQ(plan_advice(trace, live.records(), {}), std::nullopt);
  EXPECT_THAT(advice_for(trace, live.records(), kEver).cards, IsEmpty());
}

// A call before and one after: the figures are from the first operation to the last.
TEST_F(AccountTest, ARecordingWithoutIterationsIsOfItsOperations) {
  trace::Trace trace;
  TraceBuilder b(trace);
  b.call("cudaMalloc", 0, 50);
  b.kernel({90, 95}, {100, 200});
  b.kernel({220, 225}, {250, 300});
  b.call("cudaFree", 320, 900);
  b.publish();
  const Finished live(trace);
  const Account account = account_of(trace, live, {.replay = true});
  expect_span(account.summary, 100, 300);
  expect_span(account.summary.judged, 100, 300);
  EXPECT_EQ(account.elapsed_ns, 900);
  EXPECT_EQ(account.summary.launch_count, 2);
  EXPECT_EQ(account.summary.bubble_ns, 50);
}

// The plan may be carried out on another thread: it contains everything it needs from the records.
TEST_F(AccountTest, APlanKnowsTheWarmUpAndTheLink) {
  const auto plan = plan_advice(trace_, live_.records(), {.h2d_peak_gb_per_s = 25});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->from_ns, 1'000'000);
  EXPECT_EQ(plan->to_ns, 2'100'000);
  EXPECT_EQ(plan->warm_up, 1);
  EXPECT_EQ(plan->warm_up_from_ns, 0);
  EXPECT_EQ(plan->warm_up_to_ns, 1'000'000);
  EXPECT_EQ(plan->warm_up_ns, 1'000'000);
  EXPECT_EQ(plan->run.h2d_peak_gb_per_s, 25);
  const auto newest = plan_advice(trace_, live_.records(), {}, {.most_iterations = 3});
  EXPECT_EQ(newest->from_ns, 1'800'000);
  EXPECT_EQ(newest->warm_up, 1) << "of the run, wherever the stretch begins";
}

TEST(SettledFrom, LeavesOutTheFirstIterationOnceTwoMoreHaveEnded) {
  std::vector<analysis::IterationRecord> records(5);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].number = static_cast<std::int64_t>(i) + 1;
    records[i].start_ns = 100 * static_cast<Nanoseconds>(i);
    records[i].end_ns = records[i].start_ns + 100;
  }
  EXPECT_EQ(analysis::settled_from(records, std::nullopt).from_ns, 100);
  EXPECT_EQ(analysis::settled_from(records, 200).from_ns, 300);
  EXPECT_TRUE(analysis::settled_from(records, 200).settled);
  EXPECT_EQ(analysis::settled_from(records, 250).from_ns, 250) << "two iterations only";
  EXPECT_FALSE(analysis::settled_from(records, 250).settled);
  // Three operations are in flight at 200, and one ends in each iteration: the old ones have ended at 500.
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].in_flight = 3;
    records[i].gpu_op_count = static_cast<std::int64_t>(i);
  }
  EXPECT_FALSE(analysis::settled_from(records, 200).settled);
}

}  // namespace
}  // namespace lanescope::analysis_test
