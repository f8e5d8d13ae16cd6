// Where the GPU idles: the places add up to the idle time of the verdict's stretch, to the nanosecond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "analysis/account.h"
#include "analysis/idle_ledger.h"
#include "analysis/run_figures.h"
#include "builders.h"
#include "gpu_job.h"
#include "random_trace.h"

namespace lanescope::analysis_test {
namespace {

using analysis::BubbleCause;
using analysis::IdleLedger;
using analysis::IdleRow;
using analysis::Summary;
using ::testing::ElementsAre;

Nanoseconds sum_of(const IdleLedger& ledger) {
  Nanoseconds sum = ledger.other.idle_ns;
  for (const IdleRow& row : ledger.rows) sum += row.idle_ns;
  return sum;
}
std::vector<std::string> places(const IdleLedger& ledger) {
  std::vector<std::string> all;
  for (const IdleRow& row : ledger.rows) all.push_back(place_text(row));
  return all;
}
Nanoseconds rounded_sum(const std::vector<double>& values) {
  return static_cast<Nanoseconds>(std::accumulate(values.begin(), values.end(), 0.5));
}

class Ledger : public TraceTest {
 protected:
  IdleLedger ledger() {
    t.publish();
    const Finished live(trace);
    summary_ = account_of(trace, live, {.replay = true}).summary;
    IdleLedger found = idle_ledger(trace, live, summary_);
    EXPECT_EQ(sum_of(found), summary_.judged.span_ns() - summary_.judged.busy_ns);
    const IdleLedger copied = idle_ledger(trace, bubbles_of(live, summary_), summary_);
    EXPECT_EQ(places(copied), places(found));
    EXPECT_EQ(sum_of(copied), sum_of(found));
    return found;
  }
  void site(std::string_view file, std::uint32_t line, Nanoseconds call_start) {
    const trace::Frame frames[] = {{trace.names().intern("/lib/torch.py"), trace.names().intern("item"), 3},
                                   {trace.names().intern(file), trace.names().intern("train"), line}};
    trace.sites().note(t.lane(LaneKind::Calls), call_start, trace.sites().intern(frames, 1));
  }

  Summary summary_;
};

// Four iterations of 1,000 ns: a kernel [100, 400) whose launch comes right at its start, a wait [310, 450) in a read,
// and a kernel [700, 1000) launched late. So each iteration idles [0, 100) and [400, 700): the first for its launch,
// the second after the read. In the first iteration, what comes before the first operation has no cause.
TEST_F(Ledger, NamesTheLineElseTheRangeElseTheCall) {
  for (Nanoseconds at = 0; at < 4000; at += 1000) {
    t.iteration(at, at + 1000);
    t.range("forward", at, at + 300);
    t.kernel({at + 60, at + 90}, {at + 100, at + 400});
    t.range("aten::item", at + 305, at + 455);
    t.sync(at + 310, at + 450, 5, 50);
    site("/home/me/train.py", 87, at + 310);
    t.kernel({at + 650, at + 690}, {at + 700, at + 1000});
  }
  const IdleLedger found = ledger();
  EXPECT_EQ(found.iterations, 4);
  EXPECT_EQ(found.idle_ns, 1600);
  EXPECT_THAT(places(found), ElementsAre("train.py:87", "forward", "start or end"));
  const IdleRow &read = found.rows[0], &launch = found.rows[1], &start = found.rows[2];
  EXPECT_EQ(read.idle_ns, 1200);
  EXPECT_EQ(read.cause, BubbleCause::AfterSync);
  EXPECT_EQ(read.file, "/home/me/train.py");
  EXPECT_EQ(read.line, 87u);
  EXPECT_EQ(read.detail, "aten::item");
  EXPECT_EQ(read.gaps(), 4);
  EXPECT_THAT(read.starts, ElementsAre(400, 1400, 2400, 3400));
  EXPECT_EQ(read.longest.start_ns, 400);
  EXPECT_EQ(read.longest_ns, 300);
  EXPECT_THAT(read.over_time, ElementsAre(300, 300, 300, 300));
  EXPECT_EQ(launch.idle_ns, 300);
  EXPECT_EQ(launch.detail, "");
  EXPECT_THAT(launch.over_time, ElementsAre(0, 100, 100, 100));
  EXPECT_EQ(start.idle_ns, 100);
  EXPECT_EQ(found.other_places, 0);
  EXPECT_DOUBLE_EQ(found.share(read.idle_ns), 0.3);
  EXPECT_DOUBLE_EQ(found.each(read.idle_ns), 300);
}

// Between two kernels, 300 us in which nothing is launched: 200 of them are "draw", which ends before the launch.
TEST_F(Ledger, WorkThatFillsAGapIsItsPlace) {
  t.kernel({0, 2'000}, {3'000, 10'000});
  t.range("train", 0, 330'000);
  t.range("draw", 20'000, 220'000);
  t.range("savefig", 30'000, 90'000);
  t.kernel({310'000, 312'000}, {313'000, 320'000});
  const IdleLedger found = ledger();
  ASSERT_THAT(places(found), ElementsAre("draw"));
  EXPECT_EQ(found.idle_ns, 303'000);
  EXPECT_EQ(found.rows[0].cause, BubbleCause::Cpu);
  EXPECT_TRUE(found.rows[0].own_work);
  EXPECT_EQ(analysis::idle_text(found.rows[0]), "other CPU work");
}

// Eight places with 100, 90, ... 30 ns each, and one operation without a launch, after 500 ns: the largest is the one
// that is not known, then four of the eight; four of 60, 50, 40 and 30 remain.
TEST_F(Ledger, FiveRowsAndTheRestInOne) {
  Nanoseconds at = 1000;
  t.kernel(0, at);
  for (int place = 0; place < 8; ++place) {
    const Nanoseconds gap = 100 - 10 * place;
    t.range("place " + std::to_string(place), at, at + gap);
    t.kernel({at + 1, at + gap - 1}, {at + gap, at + 1000});
    at += 1000;
  }
  t.kernel(at + 500, at + 1000);
  const IdleLedger found = ledger();
  EXPECT_THAT(places(found), ElementsAre("not known", "place 0", "place 1", "place 2", "place 3"));
  EXPECT_EQ(found.rows[0].idle_ns, 500);
  EXPECT_EQ(found.other_places, 4);
  EXPECT_EQ(found.other.idle_ns, 60 + 50 + 40 + 30);
  EXPECT_EQ(found.other.gaps(), 4);
  EXPECT_EQ(found.other.longest_ns, 60);
  EXPECT_EQ(found.largest_other_ns, 60);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_EQ(rounded_sum(found.rows[0].over_time), 500);
}

// Gaps before the oldest that is kept have no place, but are idle time.
TEST_F(Ledger, WhatIsNoLongerKeptIsNotKnown) {
  for (Nanoseconds at = 0; at < 10'000; at += 1000) t.kernel({at + 10, at + 20}, {at + 100, at + 1000});
  t.publish();
  const Finished live(trace, std::size_t{100}, std::size_t{4});
  const Summary summary = account_of(trace, live, {.replay = true}).summary;
  const IdleLedger found = idle_ledger(trace, live, summary);
  EXPECT_EQ(found.idle_ns, 900);
  EXPECT_EQ(sum_of(found), 900);
  ASSERT_THAT(places(found), ElementsAre("not known", "cudaLaunchKernel"));
  EXPECT_EQ(found.rows[0].idle_ns, 500);
  EXPECT_EQ(found.rows[0].gaps(), 0);
}

// Only [900, 3100) and [4900, 7100) are recorded: two whole iterations each.
TEST_F(Ledger, CountsOnlyWhatWasRecorded) {
  for (Nanoseconds at = 0; at < 8000; at += 1000) {
    t.iteration(at, at + 1000);
    t.kernel({at + 150, at + 190}, {at + 200, at + 1000});
  }
  record_in(trace, {{900, 3100}, {4900, 7100}});
  const IdleLedger found = ledger();
  EXPECT_EQ(found.iterations, 4);
  EXPECT_EQ(found.span_ns, 4000);
  EXPECT_EQ(found.idle_ns, 4 * 200);
  EXPECT_DOUBLE_EQ(found.each(found.idle_ns), 200);
}

class RandomLedgers : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomLedgers, AddUpToTheIdleTime) {
  trace::Trace trace;
  TraceBuilder t(trace);
  RandomProgram(t, GetParam()).write(60);
  t.publish();
  const Finished live(trace);
  for (const bool replay : {false, true}) {
    const Summary summary = account_of(trace, live, {.replay = replay}).summary;
    const IdleLedger found = idle_ledger(trace, live, summary);
    if (found.empty()) continue;
    EXPECT_EQ(found.idle_ns, summary.judged.span_ns() - summary.judged.busy_ns);
    EXPECT_EQ(sum_of(found), found.idle_ns);
    for (const IdleRow& row : found.rows) EXPECT_LE(row.idle_ns, found.rows.front().idle_ns);
    EXPECT_LE(found.other_places == 0 ? 0 : found.largest_other_ns, found.rows.back().idle_ns);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLedgers, ::testing::Range<std::uint64_t>(0, 60));

}  // namespace
}  // namespace lanescope::analysis_test
