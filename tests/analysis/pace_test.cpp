// The time per iteration of hand-made loops: when it exists, and what it is based on.
#include "analysis/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "analysis/account.h"
#include "analysis/builders.h"
#include "analysis/run_figures.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Account;
using analysis::account_of;
using analysis::LiveAnalysis;
using analysis::LoopStep;
using analysis::Pace;
using analysis::PaceBasis;
using analysis::steady_pace;

constexpr std::size_t kNoLimit = 1'000'000;

/// A loop with ten launches per iteration on one stream. A kernel takes 100 ns and starts when it has been issued and
/// the previous one has ended. A launch waits while the queue is full. A read waits for all kernels and takes 10 ns
/// more.
class Loop {
 public:
  explicit Loop(trace::Trace& trace) : t_(trace) {}

  std::size_t queue = kNoLimit;
  Nanoseconds launch_ns = 10;
  int read_every = 0;  // the last of this many iterations reads; 0: none reads

  void run(int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const Nanoseconds start = cpu_;
      for (int k = 0; k < 10; ++k) launch();
      ++number_;
      if (read_every > 0 && number_ % read_every == 0) read();
      t_.iteration(start, cpu_);
      ends.push_back(cpu_);
    }
  }
  /// torch.cuda.synchronize() after the loop.
  void read() {
    const Nanoseconds back = std::max(cpu_, gpu_) + 10;
    t_.sync(cpu_, back, 1, 10);
    cpu_ = back;
  }
  void publish() { t_.publish(); }
  Nanoseconds cpu() const { return cpu_; }

  std::vector<Nanoseconds> ends;  // of the iterations

 private:
  void launch() {
    const Nanoseconds begun = cpu_;
    while (!running_.empty() && running_.front() <= cpu_) running_.pop_front();
    if (running_.size() >= queue) {
      cpu_ = running_.front();
      running_.pop_front();
    }
    cpu_ += launch_ns;
    const Nanoseconds start = std::max(cpu_, gpu_);
    gpu_ = start + 100;
    t_.kernel({begun, cpu_}, {start, gpu_});
    running_.push_back(gpu_);
  }

  TraceBuilder t_;
  Nanoseconds cpu_ = 0, gpu_ = 0;
  std::deque<Nanoseconds> running_;
  int number_ = 0;
};

class PaceTest : public ::testing::Test {
 protected:
  Pace whole() {
    loop.publish();
    live.update(kEver);
    live.finish();
    return live.since_first_iteration().pace;
  }
  /// For iterations [first, last), during the run.
  Pace stretch(std::size_t first, std::size_t last) {
    loop.publish();
    live.update(kEver);
    return live.window(loop.ends[first - 1], loop.ends[last - 1]).pace;
  }

  trace::Trace trace;
  Loop loop{trace};
  LiveAnalysis live{trace};
};

// 100 iterations are issued in 100 x 100 ns. The GPU begins at 10 and takes 1,000 x 100 ns; the synchronisation returns
// 10 ns after that, at 100,020: 1,000.2 ns an iteration, which is what a stopwatch shows, and ten times what an
// iteration of the CPU takes.
TEST_F(PaceTest, AWholeRunIsTimedToItsLastSynchronisation) {
  loop.run(100);
  loop.read();
  const Pace pace = whole();
  EXPECT_EQ(pace.basis, PaceBasis::Elapsed);
  EXPECT_DOUBLE_EQ(pace.ns, 1'000.2);
  EXPECT_EQ(pace.iterations, 100);
  EXPECT_EQ(pace.to_ns, 100'020);
  EXPECT_FALSE(pace.queue_is_steady());
  EXPECT_DOUBLE_EQ(live.since_first_iteration().iteration.mean_ns, 100);
}

// The first synchronisation after the loop, 190 ms later, takes 29 us: by then the GPU had finished long ago. One that
// takes 5 ms waited: the GPU worked until then.
TEST_F(PaceTest, ASynchronisationThatHardlyWaitsIsNotTheEndOfTheLoop) {
  for (const bool waits : {false, true}) {
    trace::Trace trace;
    TraceBuilder b(trace);
    for (int i = 0; i < 100; ++i) b.iteration(i * 400'000, (i + 1) * 400'000);
    const Nanoseconds start = 40'000'000 + 190'000'000, end = start + (waits ? 5'000'000 : 29'000);
    b.sync(start, end, 1, 10);
    b.publish();
    const Finished live(trace);
    const Account account = account_of(trace, live, {.real_time = true});
    EXPECT_EQ(account.summary.pace.basis, PaceBasis::Elapsed);
    EXPECT_EQ(account.summary.pace.to_ns, waits ? end : 40'000'000);
    EXPECT_EQ(account.elapsed_ns, account.summary.pace.to_ns);
  }
}

// Otherwise to the end of the last kernel issued by the loop, ignoring what the program does much later.
TEST_F(PaceTest, AWholeRunEndsWhenTheGpuIsThrough) {
  loop.run(100);
  TraceBuilder later(trace);
  later.call("cudaLaunchKernel", 500'000, 500'010, 77'777).flags = trace::kLaunchFlag;
  later.kernel(500'010, 600'000, 77'777);
  loop.publish();
  later.publish();
  live.update(kEver);
  live.finish();
  EXPECT_EQ(live.since_first_iteration().pace.basis, PaceBasis::Elapsed);
  EXPECT_EQ(live.since_first_iteration().pace.to_ns, 100'010);
  EXPECT_DOUBLE_EQ(live.since_first_iteration().pace.ns, 1'000.1);
}

TEST_F(PaceTest, WhileTheQueueFillsThereIsNoNumber) {
  loop.run(100);
  const Pace pace = stretch(20, 100);
  EXPECT_EQ(pace.basis, PaceBasis::QueueMoves);
  EXPECT_FALSE(pace.known());
  EXPECT_EQ(pace.ns, 0);
  EXPECT_FALSE(pace.queue_is_steady());
}

// The queue holds 100 kernels: it is full after about ten iterations, and then each launch waits for a kernel's end.
TEST_F(PaceTest, AFullQueueHasThePaceOfTheGpu) {
  loop.queue = 100;
  loop.run(300);
  const Pace pace = stretch(100, 300);
  EXPECT_EQ(pace.basis, PaceBasis::Steady);
  EXPECT_DOUBLE_EQ(pace.ns, 1'000);
  EXPECT_EQ(pace.iterations, 200);
  EXPECT_TRUE(pace.queue_is_steady());
  // 100 of the first 600 launches only filled the queue.
  EXPECT_EQ(stretch(1, 60).basis, PaceBasis::QueueMoves);
}

// After a hundred iterations of running ahead, the CPU takes twice as long to launch a kernel as the GPU to run it: the
// GPU's pace was 1,000 ns and will be 2,000; while the queue drains it is neither.
TEST_F(PaceTest, WhileTheQueueDrainsThereIsNoNumber) {
  loop.run(100);
  loop.launch_ns = 200;
  loop.run(400);
  EXPECT_EQ(stretch(100, 140).basis, PaceBasis::QueueMoves);
  const Pace after = stretch(300, 500);
  EXPECT_EQ(after.basis, PaceBasis::Steady);
  EXPECT_DOUBLE_EQ(after.ns, 2'000);
}

// A read every ten iterations returns at T. The next ten issue 100 kernels, the first of which starts at T + 10: they
// end at T + 10,010, and the read is back at T + 10,020: 1,002 ns an iteration, wherever the stretch is cut.
TEST_F(PaceTest, ALoopThatReadsNowAndThenIsTimedOverWholePeriods) {
  loop.read_every = 10;
  loop.run(95);
  for (const auto& [first, last] : {std::pair{13, 57}, std::pair{21, 79}, std::pair{40, 61}}) {
    const Pace pace = stretch(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    EXPECT_EQ(pace.basis, PaceBasis::Steady) << first;
    EXPECT_DOUBLE_EQ(pace.ns, 1'002) << first;
    EXPECT_EQ(pace.iterations % 10, 0) << first;
    EXPECT_FALSE(pace.queue_is_steady()) << "nine of ten take 100 ns, and the tenth 9,120";
  }
  EXPECT_EQ(stretch(13, 57).iterations, 30);
}

// Iterations 23 to 34 contain one read, in the 30th: the period is taken from the 20th on. For the first twelve there
// is no answer, because the trace has nothing before them.
TEST_F(PaceTest, AShortStretchIsExtendedToAPeriod) {
  loop.read_every = 10;
  loop.run(40);
  const Pace pace = stretch(22, 34);
  EXPECT_EQ(pace.basis, PaceBasis::Steady);
  EXPECT_EQ(pace.iterations, 10);
  expect_span(pace, loop.ends[19], loop.ends[29]);
  EXPECT_DOUBLE_EQ(pace.ns, 1'002);
  EXPECT_FALSE(stretch(1, 12).known());
}

TEST_F(PaceTest, AReadInEachIterationMakesEachWhole) {
  loop.read_every = 1;
  loop.run(20);
  const Pace pace = stretch(5, 12);
  EXPECT_EQ(pace.basis, PaceBasis::Steady);
  EXPECT_DOUBLE_EQ(pace.ns, 1'020);  // the first kernel starts 10 ns in; 1,000 of kernels; 10 to return
  EXPECT_EQ(pace.iterations, 7);
  EXPECT_TRUE(pace.queue_is_steady());
}

// A trace that was cut while the GPU was behind: 900 launches have no kernel. The run may have lasted for any time.
TEST_F(PaceTest, ATraceThatWasCutWhileTheQueueFilledSaysNothing) {
  TraceBuilder t(trace);
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 10; ++k) {
      const Nanoseconds at = i * 100 + k * 10;
      const auto number = static_cast<std::uint32_t>(i * 10 + k + 1);
      t.launch(at, at + 10, number);
      if (number <= 100) t.kernel(number * 100, number * 100 + 100, number);
    }
    t.iteration(i * 100, i * 100 + 100);
  }
  t.publish();
  live.update(kEver);
  live.finish();
  EXPECT_EQ(live.since_first_iteration().pace.basis, PaceBasis::QueueMoves);
  EXPECT_EQ(analysis::analyse(trace, 0, kEver).pace.basis, PaceBasis::QueueMoves);
}

TEST_F(PaceTest, ARangeOfATraceSaysTheSame) {
  loop.read_every = 10;
  loop.run(100);
  const Pace live_pace = whole();
  const Pace all = analysis::analyse(trace, 0, kEver).pace;
  EXPECT_EQ(all.basis, PaceBasis::Elapsed);
  EXPECT_DOUBLE_EQ(all.ns, live_pace.ns);
  const Pace part = analysis::analyse(trace, loop.ends[12], loop.ends[57]).pace;
  EXPECT_EQ(part.basis, PaceBasis::Steady);
  EXPECT_DOUBLE_EQ(part.ns, 1'002);
  EXPECT_EQ(analysis::analyse(trace, loop.ends[11], loop.ends[18]).pace.known(), false);
}

// A changed setting starts a different loop: the stretch is not extended across it.
TEST_F(PaceTest, APeriodDoesNotReachOverATurnOfAKnob) {
  loop.read_every = 10;
  loop.run(25);
  TraceBuilder t(trace);
  t.add(t.lane(trace::LaneKind::Markers), trace::EventKind::Marker, "log interval 10 → 20", loop.cpu(), loop.cpu());
  loop.publish();
  t.publish();
  loop.run(10);
  EXPECT_FALSE(stretch(26, 35).known());
}

// The first of a hundred iterations reads and takes 1,020 ns; the CPU issues each of the others in 100. On the GPU they
// take as long as the first, which was not a warm-up.
TEST_F(PaceTest, AReadInTheFirstIterationIsNoWarmUp) {
  loop.read_every = 1;
  loop.run(1);
  loop.read_every = 0;
  loop.run(99);
  loop.read();
  whole();
  const analysis::Summary s = live.since_first_iteration();
  EXPECT_EQ(s.judged.warm_up_ns, 0);
  EXPECT_EQ(s.judged.iterations, 100);
  EXPECT_EQ(s.verdict.note, "");
}

// Hand-made steps: {start, end, number, syncs, launches, operations, in flight}. The third of five waits ten times as
// long as the others take, and whether that recurs is unknown.
TEST(SteadyPace, OneWaitIsNoPeriod) {
  std::vector<LoopStep> steps{{0, 100, 1, 0, 10, 10, 0}};
  for (std::int64_t i = 1; i <= 5; ++i) {
    const Nanoseconds start = steps.back().end_ns;
    steps.push_back({start, start + (i == 3 ? 1'000 : 100), i + 1, i >= 3 ? 1 : 0, 10 * (i + 1), 10 * (i + 1), 0});
  }
  EXPECT_EQ(steady_pace(steps, 0).basis, PaceBasis::NoPeriod);
  EXPECT_FALSE(steady_pace(steps, 0).known());
  const std::span one(steps.data(), 1);
  EXPECT_FALSE(steady_pace(one, 0).known());
  EXPECT_EQ(steady_pace(one, 0).basis, PaceBasis::None);
}

// Every fourth iteration steps the optimizer: five more launches, and 150 ns instead of 100.
TEST(SteadyPace, APeriodIsFoundByLaunchesToo) {
  std::vector<LoopStep> steps{{0, 100, 1, 0, 10, 10, 0}};
  for (std::int64_t i = 2; i <= 23; ++i) {
    const LoopStep& last = steps.back();
    const bool step = i % 4 == 0;
    const std::int64_t launches = last.launch_count + (step ? 15 : 10);
    steps.push_back({last.end_ns, last.end_ns + (step ? 150 : 100), i, 0, launches, launches, 0});
  }
  const Pace pace = steady_pace(steps, 0);
  EXPECT_EQ(pace.basis, PaceBasis::Steady);
  EXPECT_EQ(pace.iterations, 16);  // from the 4th to the 20th
  EXPECT_DOUBLE_EQ(pace.ns, 112.5);
}

TEST(Pace, AFactorSaysWhatItIsOf) {
  const Pace slow{PaceBasis::Elapsed, 300, 10, 0, 3'000, 0}, fast{PaceBasis::Elapsed, 200, 10, 0, 2'000, 0};
  const Pace steady{PaceBasis::Steady, 100, 10, 0, 1'000, 0}, none{PaceBasis::QueueMoves, 0, 10, 0, 1'000, 1};
  EXPECT_DOUBLE_EQ(gain_between(slow, 0, fast, 0).factor, 1.5);
  EXPECT_EQ(factor_basis(slow, fast), "by elapsed time");
  EXPECT_EQ(factor_basis(slow, steady), "the first by elapsed time, the second over whole steady periods");
  EXPECT_EQ(gain_between(slow, 0, none, 0).factor, 0);
  EXPECT_EQ(gain_between(none, 0, slow, 0).factor, 0);
  EXPECT_EQ(factor_basis(slow, none), "");
}

// 300 ns for 32 samples and 200 ns for one: per iteration 1.5x as fast, for the same work 300 / 32 / 200 = 0.047x.
TEST(Pace, AFactorBetweenUnequalBatchesIsPerSample) {
  const Pace first{PaceBasis::Elapsed, 300, 10, 0, 3'000, 0}, second{PaceBasis::Elapsed, 200, 10, 0, 2'000, 0};
  const analysis::Gain unequal = gain_between(first, 32, second, 1);
  EXPECT_TRUE(unequal.per_sample);
  EXPECT_DOUBLE_EQ(unequal.factor, 300.0 / 32 / 200);
  EXPECT_EQ(of_what(unequal), "per sample");
  for (const analysis::Gain& alike : {gain_between(first, 32, second, 32), gain_between(first, 32, second, 0)}) {
    EXPECT_FALSE(alike.per_sample);
    EXPECT_DOUBLE_EQ(alike.factor, 1.5);
    EXPECT_EQ(of_what(alike), "per iteration");
  }
}

// The model takes 8 ms, whether a batch has 4 samples or 32: 300 / 4 and 300 / 32 ns per sample tell nothing.
TEST(Pace, NoFactorBetweenBatchesThatDoNotTellTheWork) {
  const Pace first{PaceBasis::Elapsed, 300, 10, 0, 3'000, 0}, second{PaceBasis::Elapsed, 200, 10, 0, 2'000, 0};
  for (const auto& [a, b] : {std::pair{-4, -32}, std::pair{-4, 32}, std::pair{4, -32}}) {
    const analysis::Gain none = gain_between(first, a, second, b);
    EXPECT_FALSE(none.known());
    EXPECT_FALSE(none.comparable);
    EXPECT_FALSE(none.per_sample);
  }
  for (const double same : {-32, 32, 0}) {
    const analysis::Gain alike = gain_between(first, -32, second, same);
    EXPECT_DOUBLE_EQ(alike.factor, 1.5);
    EXPECT_TRUE(alike.comparable);
  }
}

// Every iteration raises before its first launch: 120 samples in 40 us were not trained at 3 million per second.
TEST(Pace, IterationsThatComputeNothingHaveNoRate) {
  analysis::RunFigures raises, trains;
  raises.facts.settings = trains.facts.settings = {{"batch_size", "120"}};
  raises.summary.pace = {PaceBasis::Elapsed, 40'000, 10, 0, 400'000, 0};
  trains.summary.pace = {PaceBasis::Elapsed, 800'000, 10, 0, 8'000'000, 0};
  trains.summary.launch_count = 160;
  EXPECT_FALSE(raises.samples_per_s().has_value());
  EXPECT_DOUBLE_EQ(trains.samples_per_s().value_or(0), 150'000);
  EXPECT_FALSE(gain_between(raises, trains).known());
  EXPECT_FALSE(gain_between(raises, trains).comparable);
  raises.facts.settings = trains.facts.settings = {};  // another program's: what it computes is not known
  EXPECT_DOUBLE_EQ(gain_between(raises, trains).factor, 0.05);
}

// 8 samples in 2 ms would be 4,000 per second; with 16 it would be 8,000, for the model takes as long as it is told to.
TEST(Pace, NoSamplesPerSecondWhereTheModelsTimeIsASetting) {
  analysis::RunFigures run;
  run.summary.pace = {PaceBasis::Elapsed, 2'000'000, 10, 0, 20'000'000, 0};
  run.summary.launch_count = 30;
  run.facts.settings = {{"batch_size", "8"}};
  EXPECT_DOUBLE_EQ(run.samples_per_s().value_or(0), 4'000);
  for (const char* key : {"model_us", "model_ms"}) {
    run.facts.settings = {{"batch_size", "8"}, {key, "8"}};
    EXPECT_DOUBLE_EQ(analysis::batch_size_of(run.facts), -8) << key;
    EXPECT_FALSE(run.samples_per_s().has_value()) << key;
  }
}

// Two iterations of 100 ns each in a burst, and two in the next, 800 ns later: what happened in between is not known.
// From the end of the first to that of the last are 1100 ns, of which 300 ns are known.
TEST(Pace, TheTimeInWhichIterationsAreNotKnownDoesNotCount) {
  std::vector<LoopStep> steps{{0, 100, 1}, {100, 200, 2}, {1000, 1100, 3}, {1100, 1200, 4}};
  EXPECT_DOUBLE_EQ(steady_pace(steps, 0).ns, 1100.0 / 3);
  for (LoopStep& step : steps) step.in_parts = true;
  EXPECT_DOUBLE_EQ(steady_pace(steps, 0).ns, 100);
  EXPECT_DOUBLE_EQ(analysis::elapsed_pace(steps, 1200, 0)->ns, 100);
}

/// Iterations of 100 ns, of which every `every`th from `first` on reads its loss and takes 700.
std::vector<LoopStep> reads_every(std::int64_t every, std::int64_t first, std::int64_t iterations) {
  std::vector<LoopStep> steps{{}};
  for (std::int64_t i = 1; i <= iterations; ++i) {
    const LoopStep& last = steps.back();
    const bool reads = i >= first && (i - first) % every == 0;
    steps.push_back({last.end_ns, last.end_ns + (reads ? 700 : 100), i, last.sync_count + (reads ? 1 : 0),
                     last.launch_count + 10, last.gpu_op_count + 10, 0});
  }
  return steps;
}

// A period of ten takes 9 x 100 + 700 = 1,600 ns: 160 an iteration, wherever the stretch begins and ends. A stretch
// shorter than that is extended to one period.
TEST(Pace, OverPeriodsOfAKnownLengthItIsTheSameAnywhere) {
  for (std::int64_t end = 20; end <= 60; ++end) {
    const std::vector<LoopStep> steps = reads_every(10, 7, end);
    for (std::size_t base = 0; base + 1 < steps.size(); base += 3) {
      const Pace pace = steady_pace(steps, base, 10);
      ASSERT_EQ(pace.basis, PaceBasis::Steady) << base << " to " << end;
      ASSERT_DOUBLE_EQ(pace.ns, 160) << base << " to " << end;
      ASSERT_EQ(pace.iterations % 10, 0);
    }
  }
}

// Nine iterations without the read look like 100 ns each, and are no period.
TEST(Pace, LessThanAPeriodHasNoPace) {
  const Pace pace = steady_pace(reads_every(10, 10, 9), 0, 10);
  EXPECT_EQ(pace.basis, PaceBasis::NoPeriod);
  EXPECT_FALSE(pace.known());
  EXPECT_EQ(why_unknown(pace), "a whole period takes 10 iterations; 9 so far");
  EXPECT_TRUE(steady_pace(reads_every(10, 10, 10), 0, 10).known());
}

// Nobody says that this loop repeats: the reads before a stretch without any show it. They count until they have not
// come for more than twice as long as before.
TEST(Pace, ReadsBeforeTheStretchAreItsPeriod) {
  EXPECT_DOUBLE_EQ(steady_pace(reads_every(10, 7, 46), 38).ns, 160);
  EXPECT_DOUBLE_EQ(steady_pace(reads_every(10, 7, 27), 18).ns, 160);
  std::vector<LoopStep> ended = reads_every(10, 7, 27);
  for (std::int64_t i = 28; i <= 60; ++i) {
    const LoopStep& last = ended.back();
    ended.push_back(
        {last.end_ns, last.end_ns + 100, i, last.sync_count, last.launch_count + 10, last.gpu_op_count + 10, 0});
  }
  EXPECT_DOUBLE_EQ(steady_pace(ended, 50).ns, 100);
}

// The queue gains 30 of 400 operations: in 40 iterations of 100 ns the GPU has finished the work of 37.
TEST(Pace, WhatTheQueueGainsIsNotFinished) {
  std::vector<LoopStep> steps{{}};
  for (std::int64_t i = 1; i <= 40; ++i) steps.push_back({100 * (i - 1), 100 * i, i, 0, 10 * i, 10 * i, 3 * i / 4});
  const Pace pace = steady_pace(steps, 0);
  EXPECT_EQ(pace.basis, PaceBasis::Steady);
  EXPECT_DOUBLE_EQ(pace.ns, 4'000.0 / 37);
  for (LoopStep& step : steps) step.in_flight *= 2;  // 60 of 400: it has not settled
  EXPECT_EQ(steady_pace(steps, 0).basis, PaceBasis::QueueMoves);
}

}  // namespace
}  // namespace lanescope::analysis_test
