// Random programs, analysed at once and as they grow, compared with a brute-force reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analysis/live_analysis.h"
#include "random_trace.h"
#include "reference.h"

namespace lanescope::analysis_test {
namespace {

using analysis::analyse;
using analysis::Bubble;
using analysis::BubbleCause;
using analysis::IterationRecord;
using analysis::LiveAnalysis;
using analysis::Summary;

constexpr std::uint64_t kSeeds = 150;

void expect_sums(const Summary& s, const Reference& r) {
  EXPECT_EQ(s.gpu_busy_ns, r.busy);
  EXPECT_EQ(s.kernel_ns, r.kernel);
  EXPECT_EQ(s.exposed_copy_ns, r.busy - r.kernel);
  EXPECT_EQ(s.h2d_ns, r.h2d);
  EXPECT_EQ(s.d2h_ns, r.d2h);
  EXPECT_EQ(s.host_wait_ns, r.wait);
  EXPECT_EQ(s.loader_wait_ns, r.loader_wait);
  EXPECT_EQ(s.sync_count, r.syncs);
  EXPECT_EQ(s.launch_count, r.launches);
  EXPECT_EQ(s.gpu_op_count, r.ops);
  EXPECT_EQ(s.h2d_bytes, r.h2d_bytes);
  EXPECT_EQ(s.d2h_bytes, r.d2h_bytes);
}
void expect_bubbles(const Summary& s, const Reference& r) {
  EXPECT_EQ(s.bubble_ns, r.bubble_sum());
  EXPECT_EQ(s.bubble_by_cause_ns, r.by_cause());
  EXPECT_EQ(s.bubble_count, r.gaps);
  EXPECT_EQ(s.bubble_ns + s.gpu_busy_ns, s.window_ns());
}
void expect_run_ahead(const Summary& s, const Reference& r) {
  EXPECT_NEAR(s.run_ahead_mean * static_cast<double>(s.window_ns()), static_cast<double>(r.run_ahead_ns), 0.01);
  EXPECT_EQ(s.run_ahead_max, r.run_ahead_max);
}
void expect_same(const Summary& a, const Summary& b) {
  EXPECT_EQ(a.from_ns, b.from_ns);
  EXPECT_EQ(a.to_ns, b.to_ns);
  EXPECT_EQ(a.iteration.count, b.iteration.count);
  EXPECT_EQ(a.iteration.mean_ns, b.iteration.mean_ns);
  EXPECT_EQ(a.iteration.p50_ns, b.iteration.p50_ns);
  EXPECT_EQ(a.iteration.p99_ns, b.iteration.p99_ns);
  EXPECT_EQ(a.iteration.min_ns, b.iteration.min_ns);
  EXPECT_EQ(a.iteration.max_ns, b.iteration.max_ns);
  EXPECT_EQ(a.gpu_busy_ns, b.gpu_busy_ns);
  EXPECT_EQ(a.kernel_ns, b.kernel_ns);
  EXPECT_EQ(a.host_wait_ns, b.host_wait_ns);
  EXPECT_EQ(a.loader_wait_ns, b.loader_wait_ns);
  EXPECT_EQ(a.bubble_by_cause_ns, b.bubble_by_cause_ns);
  EXPECT_EQ(a.bubble_count, b.bubble_count);
  EXPECT_EQ(a.h2d_bytes, b.h2d_bytes);
  EXPECT_EQ(a.d2h_bytes, b.d2h_bytes);
  EXPECT_EQ(a.run_ahead_mean, b.run_ahead_mean);
  EXPECT_EQ(a.run_ahead_max, b.run_ahead_max);
  EXPECT_EQ(a.judged.from_ns, b.judged.from_ns);
  EXPECT_EQ(a.judged.to_ns, b.judged.to_ns);
  EXPECT_EQ(a.judged.busy_ns, b.judged.busy_ns);
  EXPECT_EQ(a.judged.bubble_by_cause_ns, b.judged.bubble_by_cause_ns);
  EXPECT_EQ(a.judged.iterations, b.judged.iterations);
  EXPECT_EQ(a.judged.sync_place, b.judged.sync_place);
  EXPECT_EQ(a.judged.sync_place_ns, b.judged.sync_place_ns);
  EXPECT_EQ(a.verdict.kind, b.verdict.kind);
  EXPECT_EQ(a.verdict.sentence, b.verdict.sentence);
}

class RandomPrograms : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  trace::Trace trace;
  TraceBuilder t{trace};
  std::mt19937_64 random{GetParam() + 1000};

  Nanoseconds between(Nanoseconds from, Nanoseconds to) {
    return std::uniform_int_distribution<Nanoseconds>(from, to)(random);
  }
  void SetUp() override { RandomProgram(t, GetParam()).write(40); }
};

TEST_P(RandomPrograms, AnyWindowEqualsTheReference) {
  t.publish();
  const auto [begin, end] = trace.extent();
  for (int i = 0; i < 12; ++i) {
    Nanoseconds from = begin, to = end;
    if (i > 0) {
      from = between(begin, end - 1);
      to = between(from + 1, end);
    }
    SCOPED_TRACE(::testing::Message() << "window " << from << " to " << to);
    const Summary s = analyse(trace, from, to);
    const Reference r = reference(trace, t.events, from, to);
    expect_sums(s, r);
    expect_bubbles(s, r);
    expect_run_ahead(s, r);
    if (s.iteration.count > 0) {
      const Reference judged = reference(trace, t.events, s.judged.from_ns, s.judged.to_ns);
      EXPECT_EQ(s.judged.busy_ns, judged.busy);
      EXPECT_EQ(s.judged.kernel_ns, judged.kernel);
      const auto& causes = s.judged.bubble_by_cause_ns;
      EXPECT_EQ(std::accumulate(causes.begin(), causes.end(), Nanoseconds{0}), judged.bubble_sum());
    }
    if (HasFailure()) return;
  }
}

TEST_P(RandomPrograms, LiveInAnyStepsEndsAsInOneGo) {
  // Events are published in steps; one whose end is still to come is published with it.
  std::vector<Event> all = std::exchange(t.events, {});
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  Nanoseconds end = 0;
  for (const Event& e : all) end = std::max(end, e.end_ns);

  LiveAnalysis live(trace);
  std::size_t published = 0;
  for (Nanoseconds now = 0; now < end;) {
    now += between(0, 300);
    while (published < all.size() && all[published].start_ns < now) {
      t.events.push_back(all[published]);
      trace.append(all[published++]);
    }
    trace.publish();
    trace.set_complete_until(now);
    // Sometimes only a few events at a time, as in a frame with a budget.
    live.update(between(now - 100, now + 100), between(0, 1) ? LiveAnalysis::kAllEvents : between(0, 12));

    const Nanoseconds until = live.analysed_until();
    const Summary s = live.total();
    if (s.window_ns() <= 0) continue;
    SCOPED_TRACE(::testing::Message() << "until " << until);
    Reference r = reference(trace, t.events, s.from_ns, until);
    expect_sums(s, r);
    // The gap at the live edge is not yet a bubble.
    if (!r.bubbles.empty() && r.bubbles.back().end == until) r.bubbles.pop_back(), --r.gaps;
    EXPECT_EQ(s.bubble_by_cause_ns, r.by_cause());
    EXPECT_EQ(s.bubble_count, r.gaps);
    for (const IterationRecord& record : live.records()) ASSERT_LE(record.end_ns, until);
    if (HasFailure()) return;
  }
  live.finish();
  const auto [from, to] = trace.extent();
  expect_same(live.total(), analyse(trace, from, to));

  const Reference r = reference(trace, t.events, from, to);
  ASSERT_EQ(live.bubbles().size(), r.bubbles.size());
  for (std::size_t i = 0; i < r.bubbles.size(); ++i) {
    const Bubble& b = live.bubbles()[i];
    SCOPED_TRACE(::testing::Message() << "bubble at " << b.start_ns);
    EXPECT_EQ(b.start_ns, r.bubbles[i].start);
    EXPECT_EQ(b.end_ns, r.bubbles[i].end);
    EXPECT_EQ(b.cause, r.bubbles[i].cause);
    EXPECT_EQ(b.wake_ns, r.bubbles[i].wake);
    EXPECT_EQ(b.cpu_ns, r.bubbles[i].cpu);
    EXPECT_EQ(b.launch_ns, r.bubbles[i].launch);
    const Nanoseconds parts = b.wake_ns + b.cpu_ns + b.launch_ns;
    const bool known = b.cause != BubbleCause::StartOrEnd && b.cause != BubbleCause::Unknown;
    EXPECT_EQ(parts, known ? b.duration() : 0);
  }
  for (const IterationRecord& record : live.records()) {
    SCOPED_TRACE(::testing::Message() << "record that ends at " << record.end_ns);
    const Reference until = reference(trace, t.events, from, std::max(from, record.end_ns));
    EXPECT_EQ(record.busy_ns, until.busy);
    EXPECT_EQ(record.kernel_ns, until.kernel);
    EXPECT_EQ(record.wait_ns, until.wait);
    EXPECT_EQ(record.loader_wait_ns, until.loader_wait);
    EXPECT_EQ(record.sync_count, until.syncs);
    EXPECT_EQ(record.d2h_bytes, until.d2h_bytes);
    EXPECT_EQ(record.run_ahead_ns, until.run_ahead_ns);
    Nanoseconds bubbles = 0;
    for (const Nanoseconds ns : record.bubble_ns) bubbles += ns;
    EXPECT_EQ(bubbles, until.bubble_sum());
    if (HasFailure()) return;
  }
}

// A window of a live analysis, between the edges of two iterations, has the sums of that stretch, even after most
// records have been dropped.
TEST_P(RandomPrograms, LiveWindowsAreDifferencesOfRecords) {
  t.publish();
  LiveAnalysis live(trace), thinned(trace, 6);
  for (Nanoseconds now = 0; now < trace.extent().second; now += 150) {
    live.update(now);
    thinned.update(now);
  }
  live.finish();
  thinned.finish();
  EXPECT_LE(thinned.records().size(), 6u);
  Summary whole = live.total(), whole_thinned = thinned.total();
  whole_thinned.iteration.p50_ns = whole.iteration.p50_ns;  // exact over the kept records only
  whole_thinned.iteration.p99_ns = whole.iteration.p99_ns;
  expect_same(whole, whole_thinned);

  for (const LiveAnalysis* analysis : {&live, &thinned}) {
    const auto records = analysis->records();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::size_t j = i + static_cast<std::size_t>(between(0, static_cast<Nanoseconds>(records.size() - 1 - i)));
      const Summary s = analysis->window(records[i].start_ns, records[j].end_ns);
      if (s.iteration.count == 0) continue;
      SCOPED_TRACE(::testing::Message() << "window " << s.from_ns << " to " << s.to_ns);
      EXPECT_EQ(s.to_ns, records[j].end_ns);
      const Reference r = reference(trace, t.events, s.from_ns, s.to_ns);
      expect_sums(s, r);
      EXPECT_EQ(s.bubble_ns, r.bubble_sum());
      if (s.window_ns() > 0) expect_run_ahead(s, r);
      if (HasFailure()) return;
    }
  }
  const Summary measured = live.since_first_iteration();
  if (measured.window_ns() > 0) {
    const Reference r = reference(trace, t.events, measured.from_ns, measured.to_ns);
    expect_sums(measured, r);
    EXPECT_EQ(measured.bubble_ns, r.bubble_sum());
    expect_run_ahead(measured, r);
  }
}

// With time between the nodes of a graph. A live curve of the operations in flight may have passed such a gap before it
// learns that the graph goes on, so this compares a whole trace.
TEST(RandomPrograms, WithGapsInGraphsEqualTheReference) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    trace::Trace trace;
    TraceBuilder t(trace);
    RandomProgram(t, seed, {.graph_gap = 20, .stall = 100'100}).write(40);
    t.publish();
    const auto [from, to] = trace.extent();
    const Summary s = analyse(trace, from, to);
    const Reference r = reference(trace, t.events, from, to);
    expect_sums(s, r);
    EXPECT_EQ(s.bubble_by_cause_ns, r.by_cause());
    expect_run_ahead(s, r);
    if (::testing::Test::HasFailure()) return;
  }
}

// Short programs of every kind: up to four threads, loaders, all that holds memory up, CUDA's and HIP's names, one or
// several ranks whose calls have the same numbers. The parts of each gap add up to it, and nothing is more than it
// lasted.
TEST(RandomPrograms, TenThousandOfThemEqualTheReference) {
  std::size_t gaps = 0, parts = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    trace::Trace trace;
    const int ranks = seed % 4 == 3 ? 2 + static_cast<int>(seed / 4 % 2) : 1;
    const bool graph_gaps = seed % 5 == 0;
    std::vector<TraceBuilder> of(static_cast<std::size_t>(ranks), TraceBuilder(trace));
    std::vector<Event> all;
    for (int rank = 0; rank < ranks; ++rank) {
      TraceBuilder& t = of[static_cast<std::size_t>(rank)];
      if (ranks > 1) t.process = rank;
      t.hip = seed % 3 == 1;
      RandomProgram(t, 7 * seed + static_cast<std::uint64_t>(rank),
                    {.graph_gap = graph_gaps ? 20 : 0,
                     .stall = seed % 7 == 0 ? 100'100 : 0,
                     .memory = seed % 2 == 0,
                     .most_threads = 4})
          .write(8);
      all.insert(all.end(), t.events.begin(), t.events.end());
    }
    std::ranges::stable_sort(all, {}, &Event::start_ns);
    for (const Event& e : all) trace.append(e);
    trace.publish();
    const auto [from, to] = trace.extent();
    trace.set_complete_until(to + 1);
    if (from == to) continue;
    const std::vector<Summary> gpus =
        ranks == 1 ? std::vector{analyse(trace, from, to)} : analysis::analyse_gpus(trace, from, to);
    if (gpus.size() < of.size()) continue;  // a GPU without work
    for (std::size_t g = 0; g < gpus.size(); ++g) {
      const Reference r = reference(trace, of[g].events, from, to);
      expect_sums(gpus[g], r);
      expect_bubbles(gpus[g], r);
      if (!graph_gaps) expect_run_ahead(gpus[g], r);  // an iteration may end within one
      gaps += static_cast<std::size_t>(r.gaps);
      parts += r.bubbles.size();
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(gaps, 90'000u);
  EXPECT_GT(parts, gaps + 10'000) << "many gaps have several causes";
}

// The random programs contain every cause; otherwise a rule that never applies would pass.
TEST(RandomPrograms, HaveEveryCause) {
  std::array<std::size_t, analysis::kBubbleCauses> count{};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    trace::Trace trace;
    TraceBuilder t(trace);
    RandomProgram(t, seed, {.graph_gap = 20, .stall = 100'100, .memory = true}).write(40);
    t.publish();
    LiveAnalysis live(trace);
    live.finish();
    for (const Bubble& b : live.bubbles()) ++count[static_cast<std::size_t>(b.cause)];
  }
  EXPECT_THAT(count, ::testing::Each(::testing::Gt(15u)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, ::testing::Range<std::uint64_t>(0, kSeeds));

}  // namespace
}  // namespace lanescope::analysis_test
