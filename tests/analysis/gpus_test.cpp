// Several GPUs in one trace, of one process and of several. All figures calculated by hand.
#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include "analysis/account.h"
#include "analysis/builders.h"
#include "analysis/code_costs.h"

namespace lanescope::analysis {
namespace {

using analysis_test::expect_run_ahead;
using analysis_test::Finished;
using analysis_test::Span;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

class GpusTest : public analysis_test::TraceTest {
 protected:
  LaneId lane(LaneKind kind, std::int64_t pid, int device = 0, const char* host = "") {
    LaneInfo info;
    info.kind = kind;
    info.pid = pid;
    info.device = device;
    info.host = host;
    return trace.add_lane(info);
  }
  void sync(std::int64_t pid, Nanoseconds start, Nanoseconds end, Nanoseconds own, Nanoseconds returning) {
    Event& e = t.add(lane(LaneKind::Calls, pid), EventKind::Call, "cudaStreamSynchronize", start, end);
    e.flags = trace::kSyncFlag;
    trace::set_parts(e, {own, 0, 0, returning});
  }
  void kernel(std::int64_t pid, int device, std::uint32_t correlation, Span launched, Span runs) {
    t.add(lane(LaneKind::Calls, pid), EventKind::Call, "cudaLaunchKernel", launched.from, launched.to, correlation)
        .flags = trace::kLaunchFlag;
    t.add(lane(LaneKind::Kernels, pid, device), EventKind::Kernel, "kernel", runs.from, runs.to, correlation);
  }
  void iteration(std::int64_t pid, Nanoseconds start, Nanoseconds end) {
    t.add(lane(LaneKind::Iterations, pid), EventKind::Range, "iteration", start, end);
  }
  void read() {
    t.publish();
    live.emplace(trace);
  }
  std::int64_t in_flight(trace::GpuNumber gpu, Nanoseconds at) {
    const trace::Trace::ReadLock lock(trace);
    return InFlight::Reader(live->in_flight(gpu)).at(at);
  }

  std::optional<Finished> live;
};

// One process, 0 to 1000 ns, in one iteration:
//   launch 1 [0,10) on GPU 0: kernel [20,1000)
//   launch 2 [10,20) on GPU 1: kernel [30,230)
// sync [20,250), returns 20 ns after GPU 1 has finished
//   launch 3 [300,310) on GPU 1: kernel [330,430)      launch 4 [400,410) on GPU 1: kernel [630,1000)
// GPU 0 idles in [0,20). GPU 1 idles in [0,30); in [230,330): 20 until the CPU returns, 50 until it launches, 30 until
// the kernel starts; and in [430,630), long after the launch.
class OneProcessTwoGpus : public GpusTest {
 protected:
  OneProcessTwoGpus() {
    iteration(5, 0, 500);
    iteration(5, 500, 1000);
    kernel(5, 0, 1, {0, 10}, {20, 1000});
    kernel(5, 1, 2, {10, 20}, {30, 230});
    sync(5, 20, 250, 5, 20);
    kernel(5, 1, 3, {300, 310}, {330, 430});
    kernel(5, 1, 4, {400, 410}, {630, 1000});
    read();
  }
};

TEST_F(OneProcessTwoGpus, BusyTimesAndBubblesAreThoseOfEach) {
  ASSERT_EQ(live->gpu_count(), 2u);
  const Summary one = live->total(0), two = live->total(1);
  EXPECT_EQ(one.window_ns(), 1000);
  EXPECT_EQ(one.gpu_busy_ns, 980);
  EXPECT_EQ(one.bubble_ns, 20);
  EXPECT_EQ(one.gpu_op_count, 1);
  EXPECT_EQ(two.gpu_busy_ns, 200 + 100 + 370);
  EXPECT_EQ(two.bubble_ns, 30 + 100 + 200);
  EXPECT_EQ(two.gpu_op_count, 3);
  EXPECT_EQ(idle_of(two.bubble_by_cause_ns, BubbleCause::AfterSync), 100);
  EXPECT_EQ(idle_of(two.bubble_by_cause_ns, BubbleCause::LaunchLatency), 200);
  const auto& bubbles = live->bubbles(1);
  ASSERT_EQ(bubbles.size(), 3u);
  EXPECT_EQ(bubbles[1].start_ns, 230);
  EXPECT_EQ(bubbles[1].wake_ns, 20);
  EXPECT_EQ(bubbles[1].cpu_ns, 50);
  EXPECT_EQ(bubbles[1].launch_ns, 30);
  for (const Bubble& bubble : bubbles) EXPECT_EQ(bubble.gpu, 1);
  for (const Bubble& bubble : live->bubbles(0)) EXPECT_EQ(bubble.gpu, 0);
}

// GPU 0: its only operation is in flight from 0 to 1000. GPU 1: [10,230), [300,430), [400,1000): 950 ns in total, two
// at once in [400,430).
TEST_F(OneProcessTwoGpus, WhatIsInFlightIsThatOfEach) {
  expect_run_ahead(live->total(0), 1, 1);
  expect_run_ahead(live->total(1), 0.95, 2);
  EXPECT_DOUBLE_EQ(live->total().run_ahead_mean, 1.95) << "on both together";
  EXPECT_EQ(live->total().run_ahead_max, 3);
  EXPECT_EQ(in_flight(0, 420), 1);
  EXPECT_EQ(in_flight(1, 420), 2);
  EXPECT_EQ(in_flight(1, 280), 0);
}

// The busy GPU sets the pace; the other idles for 33 % of the iteration, 20 % because work was launched too slowly.
TEST_F(OneProcessTwoGpus, TheSummaryWeighsGpuTimeAndSpeaksOfTheOneThatIdlesMost) {
  EXPECT_EQ(live->total(0).verdict.kind, VerdictKind::GpuBound);
  const Summary two = live->total(1);
  EXPECT_EQ(two.verdict.kind, VerdictKind::LaunchBound);
  EXPECT_DOUBLE_EQ(two.verdict.idle, 0.33);
  const Summary both = live->total();
  EXPECT_EQ(both.gpu_count, 2u);
  EXPECT_EQ(both.gpu_busy_ns, (980 + 670) / 2);
  EXPECT_EQ(both.bubble_ns, (20 + 330) / 2);
  EXPECT_EQ(both.gpu_busy_ns + both.bubble_ns, both.window_ns());
  EXPECT_EQ(both.bubble_count, 1 + 3);
  EXPECT_EQ(both.launch_count, 4) << "of the process, once";
  EXPECT_EQ(both.sync_count, 1);
  EXPECT_EQ(both.gpu_op_count, 4);
  EXPECT_EQ(both.verdict_gpu, 1);
  EXPECT_EQ(both.verdict.kind, VerdictKind::LaunchBound);
  EXPECT_EQ(both.verdict.sentence, two.verdict.sentence);
  EXPECT_EQ(both.verdict.note, "There are 2 GPUs; this is about GPU 1, which idles the most.");
}

TEST_F(OneProcessTwoGpus, AnalyseSaysTheSame) {
  const std::vector<Summary> each = analyse_gpus(trace, 0, 1000);
  ASSERT_EQ(each.size(), 2u);
  for (std::size_t g = 0; g < 2; ++g) {
    const Summary of = live->total(static_cast<trace::GpuNumber>(g));
    EXPECT_EQ(each[g].gpu_busy_ns, of.gpu_busy_ns);
    EXPECT_EQ(each[g].bubble_by_cause_ns, of.bubble_by_cause_ns);
    EXPECT_DOUBLE_EQ(each[g].run_ahead_mean, of.run_ahead_mean);
    EXPECT_EQ(each[g].verdict.sentence, of.verdict.sentence);
  }
  const Summary both = analyse(trace, 0, 1000);
  EXPECT_EQ(both.gpu_busy_ns, live->total().gpu_busy_ns);
  EXPECT_EQ(both.verdict_gpu, 1);
  EXPECT_EQ(both.verdict.note, live->total().verdict.note);
}

// The same events, read as they arrive.
TEST_F(OneProcessTwoGpus, AGrowingTraceGivesTheSame) {
  trace::Trace grows;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) grows.add_lane(trace.lane(static_cast<LaneId>(l)).info());
  std::vector<Event> events = t.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  LiveAnalysis reads(grows);
  for (const Event& e : events) {
    grows.append(e);
    grows.publish();
    grows.set_complete_until(e.start_ns);
    reads.update(e.start_ns, 1);
  }
  grows.set_complete_until(1001);
  reads.finish();
  for (trace::GpuNumber g = 0; g < 2; ++g) {
    EXPECT_EQ(reads.total(g).gpu_busy_ns, live->total(g).gpu_busy_ns);
    EXPECT_EQ(reads.total(g).bubble_by_cause_ns, live->total(g).bubble_by_cause_ns);
    EXPECT_DOUBLE_EQ(reads.total(g).run_ahead_mean, live->total(g).run_ahead_mean);
    EXPECT_EQ(reads.bubbles(g).size(), live->bubbles(g).size());
  }
}

// Two ranks with a GPU each, both "device 0", with the same correlations. Rank 7: launch [0,10), kernel [20,500),
// launch [480,490), kernel [500,1000): it idles 20 ns. Rank 8: launch [0,10), kernel [50,300), sync [10,320) of which
// 20 are the return, launch [700,710), kernel [720,1000): it idles 50 ns, and 420 after the sync.
class TwoRanks : public GpusTest {
 protected:
  TwoRanks() {
    iteration(7, 0, 1000);
    iteration(8, 0, 990);
    kernel(7, 0, 1, {0, 10}, {20, 500});
    kernel(7, 0, 2, {480, 490}, {500, 1000});
    kernel(8, 0, 1, {0, 10}, {50, 300});
    sync(8, 10, 320, 5, 20);
    kernel(8, 0, 2, {700, 710}, {720, 1000});
    read();
  }
};

TEST_F(TwoRanks, EachHasItsOwnFigures) {
  ASSERT_EQ(live->gpu_count(), 2u);
  const Summary a = live->total(0), b = live->total(1);
  EXPECT_EQ(a.gpu_busy_ns, 980);
  EXPECT_EQ(b.gpu_busy_ns, 250 + 280);
  EXPECT_EQ(a.bubble_ns, 20);
  EXPECT_EQ(idle_of(b.bubble_by_cause_ns, BubbleCause::AfterSync), 420);
  EXPECT_EQ(a.sync_count, 0);
  EXPECT_EQ(b.sync_count, 1);
  EXPECT_EQ(a.launch_count, 2);
  EXPECT_EQ(a.iteration.count, 1);
  EXPECT_EQ(a.iteration.p50_ns, 1000);
  EXPECT_EQ(b.iteration.p50_ns, 990);
  EXPECT_EQ(a.host_wait_ns, 0);
  EXPECT_EQ(b.host_wait_ns, 305);
  // In flight: rank 7 [0,500) and [480,1000); rank 8 [0,300) and [700,1000).
  expect_run_ahead(a, 1.02, 2);
  expect_run_ahead(b, 0.6, 1);
  EXPECT_EQ(a.verdict.kind, VerdictKind::GpuBound);
  EXPECT_EQ(b.verdict.kind, VerdictKind::SyncBound);
  ASSERT_EQ(live->bubbles(1).size(), 2u);
  EXPECT_EQ(live->bubbles(1)[1].start_ns, 300);
  EXPECT_EQ(live->bubbles(1)[1].wake_ns, 20);
  EXPECT_EQ(live->bubbles(1)[1].cpu_ns, 380);
}

TEST_F(TwoRanks, TheSummaryNamesTheRankThatItSpeaksOf) {
  const Summary both = live->total();
  EXPECT_EQ(both.gpu_busy_ns, (980 + 530) / 2);
  EXPECT_EQ(both.host_wait_ns, 153) << "305 in one of two processes";
  EXPECT_EQ(both.launch_count, 4);
  EXPECT_EQ(both.sync_count, 1);
  EXPECT_EQ(both.verdict_gpu, 1);
  EXPECT_EQ(both.verdict.kind, VerdictKind::SyncBound);
  EXPECT_EQ(both.judged.iterations, 1) << "of its process";
  EXPECT_EQ(both.iteration.p50_ns, 990);
  EXPECT_EQ(both.verdict.note, "There are 2 GPUs; this is about GPU 0 of process 8, which idles the most.");
}

TEST(GpuName, OfAJobIsByRank) {
  trace::Trace trace;
  for (const auto& [rank, pid, device] :
       {std::tuple{std::optional(1), 31, 1}, std::tuple{std::optional(0), 32, 0}, std::tuple{std::optional(0), 33, 0},
        std::tuple{std::optional<int>(), 34, 4}}) {
    LaneInfo info;
    info.kind = LaneKind::Kernels;
    info.rank = rank;
    info.pid = pid;
    info.device = device;
    trace.add_lane(info);
  }
  const trace::Owners owners(trace);
  EXPECT_EQ(gpu_name(owners, 0), "rank 1");
  EXPECT_EQ(gpu_name(owners, 1), "GPU 0 of process 32") << "two jobs have a rank 0";
  EXPECT_EQ(gpu_name(owners, 3), "GPU 4");
}

// Both have correlations 1 and 2; what is gathered for one knows nothing of the other.
TEST_F(TwoRanks, EvidenceIsOfOneRank) {
  const Evidence a = gather(trace, 0, 1000, nullptr, 0), b = gather(trace, 0, 1000, nullptr, 1);
  EXPECT_EQ(a.gpu, 0);
  EXPECT_EQ(a.iterations, 1);
  EXPECT_EQ(a.span_ns(), 1000);
  ASSERT_EQ(a.sites.size(), 1u) << "its launches";
  EXPECT_EQ(a.sites[0].count, 2);
  EXPECT_EQ(a.launches, 2);
  EXPECT_EQ(b.iterations, 1);
  EXPECT_EQ(b.span_ns(), 990);
  ASSERT_EQ(b.sites.size(), 2u);
  EXPECT_EQ(b.sites[0].sync_count, 1);
  EXPECT_EQ(b.sites[0].wait_ns, 305);
  EXPECT_EQ(b.sites[0].wait_busy_ns, 250);
  EXPECT_EQ(b.sites[0].bubbles_ns(), 420);
  EXPECT_EQ(b.median_kernel_ns, 280) << "of 250 and 280";
}

TEST_F(TwoRanks, CardsAreOfTheRankThatTheVerdictIsAboutAndSaySo) {
  const trace::GpuNumber gpu = live->total().verdict_gpu;
  EXPECT_EQ(live->records(gpu).size(), 1u);
  EXPECT_EQ(live->records(trace::kNobody).size(), 2u) << "of both";
  const Advice advice = advice_for(trace, live->records(gpu), 2000, {}, nullptr, gpu);
  EXPECT_EQ(advice.gpu, 1);
  EXPECT_EQ(advice.iterations, 1);
  ASSERT_FALSE(advice.cards.empty());
  EXPECT_EQ(advice.cards[0].rule, Rule::SyncBubble);
  for (const Card& card : advice.cards) EXPECT_THAT(card.title, testing::StartsWith("GPU 0 of process 8: "));
}

// A language is chosen anew: the verdict is judged again, and is still one of two.
TEST_F(TwoRanks, JudgedAgainTheVerdictStillSaysWhoseItIs) {
  Summary both = live->total();
  const std::string note = both.verdict.note;
  judge(both);
  EXPECT_EQ(both.verdict.note, note);
}

// Rank 7 issues a kernel of 100 ns within "forward", rank 8 one of 500 ns outside of it, both as number 1.
TEST_F(GpusTest, AStatementHasTheOperationsOfItsOwnRankOnly) {
  for (const std::int64_t pid : {7, 8}) iteration(pid, 0, 1000);
  t.add(lane(LaneKind::Phases, 7), EventKind::Range, "forward", 5, 50);
  kernel(7, 0, 1, {10, 20}, {30, 130});
  kernel(8, 0, 1, {10, 20}, {30, 530});
  read();
  const StatementRanges forward{{"forward"}};
  const StatementCosts costs = statement_costs(trace, 0, 1000, {&forward, 1});
  ASSERT_EQ(costs.statements.size(), 1u);
  EXPECT_EQ(costs.statements[0].gpu_ns, 100);
}

// One process with a thread for each GPU, ten iterations of 1 ms each, all in microseconds from the iteration's begin.
//   thread 1: launch [0,10) on GPU 0, kernel [20,1020); "loss.item()" [390,1000) with a sync [400,1000), own 5, return
//   5 thread 2: launch [500,510) on GPU 1, kernel [520,720); "metric.item()" with a sync [520,740), own 5, return 20;
//             "next(loader)", a wait for a worker, until 500 of the next iteration
// GPU 0 is never idle. GPU 1 idles 800 of 1000, of which its program waits 760 for data.
class OneProcessTwoThreads : public GpusTest {
 protected:
  static constexpr Nanoseconds kUs = 1000, kPeriod = 1000 * kUs;
  static constexpr int kIterations = 10;

  LaneId of_thread(LaneKind kind, std::int64_t tid) {
    LaneInfo info;
    info.kind = kind;
    info.pid = 5;
    info.tid = tid;
    return trace.add_lane(info);
  }
  void launch_on(std::int64_t tid, int device, Nanoseconds at, Nanoseconds from, Nanoseconds to) {
    Event& e = t.add(of_thread(LaneKind::Calls, tid), EventKind::Call, "cudaLaunchKernel", at, at + 10 * kUs, ++calls_);
    e.flags = trace::kLaunchFlag;
    t.add(lane(LaneKind::Kernels, 5, device), EventKind::Kernel, "kernel", from, to, calls_);
  }
  void read_at(std::int64_t tid, const char* range, Nanoseconds from, Nanoseconds to, Nanoseconds returning) {
    t.add(of_thread(LaneKind::Phases, tid), EventKind::Range, range, from - 10 * kUs, to);
    Event& e = t.add(of_thread(LaneKind::Calls, tid), EventKind::Call, "cudaStreamSynchronize", from, to);
    e.flags = trace::kSyncFlag;
    trace::set_parts(e, {5 * kUs, to - from - 5 * kUs - returning, 0, returning});
  }
  OneProcessTwoThreads() {
    for (int i = 0; i < kIterations; ++i) {
      const Nanoseconds at = i * kPeriod;
      const auto us = [at](Nanoseconds of) { return at + of * kUs; };
      t.add(of_thread(LaneKind::Iterations, 1), EventKind::Range, "iteration", at, at + kPeriod);
      launch_on(1, 0, at, us(20), us(1020));
      read_at(1, "loss.item()", us(400), us(1000), 5 * kUs);
      launch_on(2, 1, us(500), us(520), us(720));
      read_at(2, "metric.item()", us(520), us(740), 20 * kUs);
      t.add(of_thread(LaneKind::Phases, 2), EventKind::Range, "next(loader)", us(740), us(1500)).flags |=
          trace::kWaitFlag;
    }
    read();
  }
  Advice advice(trace::GpuNumber gpu) const {
    return advice_for(trace, live->records(gpu), kIterations * kPeriod, {}, nullptr, gpu);
  }
  static std::vector<std::string> ranges(const Advice& advice) {
    std::vector<std::string> all;
    for (const Card& card : advice.cards) all.push_back(card.range);
    return all;
  }
  static bool has(const Advice& advice, Rule rule) {
    return std::any_of(advice.cards.begin(), advice.cards.end(), [rule](const Card& c) { return c.rule == rule; });
  }

  std::uint32_t calls_ = 0;
};

TEST_F(OneProcessTwoThreads, EachGpuHasItsVerdictAndTheSummarySpeaksOfTheIdleOne) {
  EXPECT_EQ(live->total(0).verdict.kind, VerdictKind::GpuBound);
  EXPECT_EQ(live->total(1).verdict.kind, VerdictKind::LoaderBound);
  const Summary both = live->total();
  EXPECT_EQ(both.verdict_gpu, 1);
  EXPECT_EQ(both.verdict.kind, VerdictKind::LoaderBound);
  EXPECT_THAT(both.verdict.note, testing::HasSubstr("There are 2 GPUs; this is about GPU 1, which idles the most."));
}

TEST_F(OneProcessTwoThreads, TheIdleGpuHasCardsOfItsOwnWaitsOnly) {
  const Advice idle = advice(1);
  EXPECT_EQ(idle.gpu, 1);
  EXPECT_TRUE(has(idle, Rule::LoaderWait));
  EXPECT_FALSE(has(idle, Rule::GpuBound));
  EXPECT_THAT(ranges(idle), testing::Not(testing::Contains("loss.item()")));
  for (const Card& card : idle.cards) EXPECT_THAT(card.title, testing::StartsWith("GPU 1: "));
}

TEST_F(OneProcessTwoThreads, TheBusyGpuHasNothingOfTheOthersLoader) {
  const Advice busy = advice(0);
  EXPECT_TRUE(has(busy, Rule::GpuBound));
  EXPECT_TRUE(has(busy, Rule::HarmlessWait));
  EXPECT_FALSE(has(busy, Rule::LoaderWait));
  EXPECT_THAT(ranges(busy), testing::Contains("loss.item()"));
  EXPECT_THAT(ranges(busy), testing::Not(testing::Contains("metric.item()")));
  EXPECT_THAT(ranges(busy), testing::Not(testing::Contains("next(loader)")));
}

TEST_F(OneProcessTwoThreads, EvidenceOfAllLanesHasBoth) {
  const Evidence all = gather(trace, 0, kIterations * kPeriod);
  EXPECT_EQ(all.gpu, trace::kNobody);
  const auto made_in = [&](const char* range) {
    return std::any_of(all.sites.begin(), all.sites.end(),
                       [&](const CallSite& site) { return trace.names().text(site.range) == range; });
  };
  EXPECT_TRUE(made_in("loss.item()"));
  EXPECT_TRUE(made_in("metric.item()"));
}

// The same process id on two machines.
TEST_F(GpusTest, HostsAreToldApart) {
  const LaneId calls[] = {lane(LaneKind::Calls, 5, 0, "a"), lane(LaneKind::Calls, 5, 0, "b")};
  const LaneId gpu[] = {lane(LaneKind::Kernels, 5, 0, "a"), lane(LaneKind::Kernels, 5, 0, "b")};
  for (const int host : {0, 1}) {
    t.add(calls[host], EventKind::Call, "cudaLaunchKernel", 0, 10, 1).flags = trace::kLaunchFlag;
    t.add(gpu[host], EventKind::Kernel, "kernel", 20 + host, 100 + 50 * host, 1);
  }
  read();
  ASSERT_EQ(live->gpu_count(), 2u);
  EXPECT_EQ(live->total(0).gpu_busy_ns, 80);
  EXPECT_EQ(live->total(1).gpu_busy_ns, 129);
  EXPECT_EQ(live->total(1).run_ahead_max, 1);
}

// One GPU, whatever its number and process: all figures are its own, and no other GPU is mentioned.
TEST_F(GpusTest, OneGpuIsTheWhole) {
  kernel(5, 3, 1, {0, 10}, {20, 100});
  read();
  EXPECT_EQ(live->gpu_count(), 1u);
  EXPECT_EQ(live->total().gpu_count, 1u);
  EXPECT_EQ(live->total().verdict_gpu, trace::kNobody);
  EXPECT_EQ(live->total().verdict.note, "");
  EXPECT_EQ(&live->bubbles(0), &live->bubbles());
}

}  // namespace
}  // namespace lanescope::analysis
