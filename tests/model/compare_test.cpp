// Two runs on one clock: copies of them, how they are aligned, what differs, and when B follows.
#include <gmock/gmock.h>

#include "inspect/alignment.h"
#include "inspect/difference.h"
#include "model/compare/compare_state.h"
#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Spans = std::vector<IterationSpan>;

// A snapshot of what was written down by hand.
std::shared_ptr<RunSnapshot> run_of(double mean_ns, std::map<std::string, std::string> settings) {
  auto run = std::make_shared<RunSnapshot>();
  run->iterations = {{0, 100}};
  run->title = "Linear and MSE";
  run->facts.workload = "linear-mse";
  run->facts.device = "sim:rtx4090";
  run->facts.device_name = "RTX 4090";
  run->facts.simulated = true;
  run->facts.settings = std::move(settings);
  run->summary.iteration.count = 10;
  run->summary.iteration.mean_ns = mean_ns;
  run->summary.pace = {analysis::PaceBasis::Steady, mean_ns, 10, 0, 0, 0};
  return run;
}

// --- copies ----------------------------------------------------------------------------------------------------------

TEST(CopyStretch, TakesWhatTouchesItAndNothingElse) {
  SharedSnapshot copy;
  {
    trace::Trace trace;
    TraceBuilder build(trace);
    for (int i = 0; i < 4; ++i) {
      const Nanoseconds at = 1000 * i;
      build.iteration(at, at + 1000);
      build.launch(at + 100, at + 150, static_cast<std::uint32_t>(i + 1));
      build.kernel(at + 900, at + 1400, static_cast<std::uint32_t>(i + 1));  // into the next iteration
    }
    build.loss(1500, 0.5);
    build.publish();
    SnapshotPlan plan;
    plan.source = &trace;
    plan.from_ns = 1000;
    plan.to_ns = 3000;
    plan.title = "by hand";
    copy = take_snapshot(std::move(plan));
  }  // nothing points into the trace any more
  EXPECT_THAT(copy->iterations, ElementsAre(IterationSpan{1000, 2000}, IterationSpan{2000, 3000}));
  // Iterations 1 and 2; their launches; the kernels of 0, 1 and 2, of which the first begins before it and the last
  // ends after it. No counter.
  std::map<LaneKind, std::vector<Nanoseconds>> starts;
  for (std::size_t l = 0; l < copy->trace->lane_count(); ++l) {
    const trace::Lane& lane = copy->trace->lane(static_cast<LaneId>(l));
    const trace::Row& row = lane.row(0);
    for (EventIndex i = row.first(); i < row.last(); ++i) starts[lane.info().kind].push_back(row.start(i));
  }
  EXPECT_THAT(starts[LaneKind::Iterations], ElementsAre(1000, 2000));
  EXPECT_THAT(starts[LaneKind::Calls], ElementsAre(1100, 2100));
  EXPECT_THAT(starts[LaneKind::Kernels], ElementsAre(900, 1900, 2900));
  EXPECT_EQ(starts.size(), 3u);
  const trace::Event kernel = copy->trace->lane(2).row(0).event(1);
  EXPECT_EQ(copy->trace->names().text(kernel.name), "kernel");
  EXPECT_EQ(kernel.correlation, 2u);
  // Bubbles of its own: the GPU had nothing from 1400 to 1900 and from 2400 to 2900.
  ASSERT_EQ(copy->analysis->bubbles().size(), 2u);
  EXPECT_EQ(copy->analysis->bubbles()[1].start_ns, 2400);
  EXPECT_EQ(copy->title, "by hand");
}

TEST(CopyStretch, KeepsSubRowsApart) {
  trace::Trace trace;
  TraceBuilder build(trace);
  const LaneId phases = build.lane(LaneKind::Phases, 0, "phase");
  build.add(phases, trace::EventKind::Range, "outer", 0, 100);
  build.add(phases, trace::EventKind::Range, "inner", 10, 90);
  build.add(phases, trace::EventKind::Range, "innermost", 20, 30);
  build.publish();
  const auto copy = copy_stretch(trace, 5, 60);
  const trace::Lane& lane = copy->lane(0);
  ASSERT_EQ(lane.row_count(), 3u);
  EXPECT_EQ(copy->names().text(lane.row(0).event(0).name), "outer");
  EXPECT_EQ(copy->names().text(lane.row(2).event(0).name), "innermost");
  EXPECT_EQ(copy->complete_until(), 100);
}

TEST(TypicalIteration, IsTheMedianOneNearestToTheMiddle) {
  const auto of = [](const std::vector<Nanoseconds>& lengths) {
    Spans spans;
    for (const Nanoseconds length : lengths) spans.push_back({0, length});
    return typical_iteration(spans);
  };
  EXPECT_EQ(of({7}), 0u);
  EXPECT_EQ(of({9, 7}), 1u) << "of two the shorter one";
  EXPECT_EQ(of({1, 50, 30, 40, 99}), 3u) << "30, 40, 50: the ends do not count";
  EXPECT_EQ(of({5, 8, 8, 8, 8, 8, 5}), 3u);
  EXPECT_EQ(of({5, 10, 10, 10, 900, 10, 5}), 3u) << "one that waited for the others is not typical";
}

// --- one clock -------------------------------------------------------------------------------------------------------

// A has iterations of 100, back to back; B of 60, with 10 between them.
const Spans kCompareA{{1000, 1100}, {1100, 1200}, {1200, 1300}}, kCompareB{{0, 60}, {70, 130}, {140, 200}};

TEST(Alignment, ByIterationBothStartTogether) {
  const Alignment both(CompareAlign::Iteration, {kCompareA, 1}, {kCompareB, 1});
  using Slot = Alignment::Slot;
  EXPECT_THAT(both.slots(), ElementsAre(Slot{-1, -100, 0}, Slot{0, 0, 100}, Slot{1, 100, 200}));
  using Mark = Alignment::Mark;
  EXPECT_THAT(both.marks(kSideA), ElementsAre(Mark{-1, -100, 0}, Mark{0, 0, 100}, Mark{1, 100, 200}));
  EXPECT_THAT(both.marks(kSideB), ElementsAre(Mark{-1, -100, -40}, Mark{0, 0, 60}, Mark{1, 100, 160}));
  // What B does between two iterations is seen, too; after the last one nothing is known.
  using Piece = Alignment::Piece;
  EXPECT_THAT(both.pieces(kSideB), ElementsAre(Piece{-100, -30, 0}, Piece{0, 70, 70}, Piece{100, 160, 140}));
  EXPECT_EQ(both.begin(), -100);
  EXPECT_EQ(both.end(), 200);
  // From a twentieth before the longer one to three tenths after it.
  EXPECT_EQ(both.first_view(), (std::pair<Nanoseconds, Nanoseconds>{-5, 130}));
}

TEST(Alignment, ByTimeTheyRunOn) {
  const Alignment both(CompareAlign::Time, {kCompareA, 1}, {kCompareB, 1});
  EXPECT_THAT(both.slots(), IsEmpty());
  using Mark = Alignment::Mark;
  EXPECT_THAT(both.marks(kSideB), ElementsAre(Mark{-1, -70, -10}, Mark{0, 0, 60}, Mark{1, 70, 130}));
  using Piece = Alignment::Piece;
  EXPECT_THAT(both.pieces(kSideA), ElementsAre(Piece{-100, 200, 1000}));
  EXPECT_THAT(both.pieces(kSideB), ElementsAre(Piece{-70, 130, 0}));
  EXPECT_EQ(both.begin(), -100);
  EXPECT_EQ(both.end(), 200);
  EXPECT_EQ(both.mark(kSideB, 1)->to, 130);
  EXPECT_EQ(both.mark(kSideB, 2), nullptr);
}

TEST(Alignment, ShowsWhatBothHaveAndNoMoreThanFits) {
  Spans many;
  for (int i = 0; i < 1000; ++i) many.push_back({i * 10, i * 10 + 10});
  const Alignment one(CompareAlign::Iteration, {many, 500}, {});
  EXPECT_EQ(one.slots().front().number, -Alignment::kSlotsBefore);
  EXPECT_EQ(one.slots().back().number, Alignment::kSlotsAfter);
  EXPECT_THAT(one.marks(kSideB), IsEmpty());
  const Alignment both(CompareAlign::Iteration, {many, 500}, {kCompareB, 0});
  EXPECT_EQ(both.slots().front().number, 0) << "B has none before";
  EXPECT_EQ(both.slots().back().number, 2);
  EXPECT_EQ(both.begin(), 0);
}

// --- what differs ----------------------------------------------------------------------------------------------------

class DifferenceTest : public testing::Test {
 protected:
  DifferenceTest() {
    // Ten iterations of 100 µs against ten of 40 µs.
    a->summary.gpu_busy_ns = 300'000;
    a->summary.bubble_by_cause_ns[0] = 600'000;  // after a sync
    a->summary.bubble_by_cause_ns[1] = 100'000;
    a->summary.host_wait_ns = 500'000;
    a->summary.sync_count = 10;
    a->summary.launch_count = 90;
    b->summary.gpu_busy_ns = 300'000;
    b->summary.bubble_by_cause_ns[0] = 6'000;
    b->summary.bubble_by_cause_ns[1] = 94'000;
    b->summary.sync_count = 1;
    b->summary.launch_count = 90;
  }
  const DifferenceRow& row(std::string_view name) {
    for (const DifferenceRow& r : rows) {
      if (r.name == name) return r;
    }
    ADD_FAILURE() << "no line " << name;
    return rows.front();
  }

  std::shared_ptr<RunSnapshot> a = run_of(100'000, {{"log_interval", "1"}, {"batch_size", "64"}});
  std::shared_ptr<RunSnapshot> b = run_of(40'000, {{"log_interval", "0"}, {"batch_size", "64"}});
  std::vector<DifferenceRow> rows;
};

TEST_F(DifferenceTest, IsPerIterationWithTheLargestFirst) {
  rows = difference_rows(*a, b.get());
  std::vector<std::string> names;
  for (const DifferenceRow& r : rows) names.push_back(r.name);
  const std::string sync = "idle: " + std::string(analysis::cause_name(static_cast<analysis::BubbleCause>(0)));
  const std::string second = "idle: " + std::string(analysis::cause_name(static_cast<analysis::BubbleCause>(1)));
  // -60 µs; of the GPU -59.4, -0.6, 0; beside it -50 µs, then the counts -0.9 and 0. What is 0 on both sides is no
  // line.
  EXPECT_THAT(
      names, ElementsAre("iteration", sync, second, "GPU busy", "CPU waiting for the GPU", "syncs", "kernel launches"));
  EXPECT_DOUBLE_EQ(row(sync).a, 60'000);
  EXPECT_DOUBLE_EQ(row(sync).b, 600);
  EXPECT_EQ(value_text(row(sync), row(sync).b), "600 ns");
  EXPECT_EQ(difference_text(row(sync)), "↓ 59.4 µs");
  EXPECT_EQ(difference_text(row("GPU busy")), "=");
  EXPECT_EQ(difference_text(row("syncs")), "↓ 0.90");
  EXPECT_EQ(value_text(row("CPU waiting for the GPU"), 0), "–");
  rows = difference_rows(*b, a.get());
  EXPECT_EQ(difference_text(row("iteration")), "↑ 60 µs");
}

TEST_F(DifferenceTest, SaysWhoIsFasterAndWhereItWent) {
  EXPECT_EQ(headline(*a, *b), "B is 60 µs shorter: 2.50x as fast, over whole steady periods");
  EXPECT_EQ(headline(*b, *a), "B is 60 µs longer: it takes 2.50x as long, over whole steady periods");
  const std::string cause(analysis::cause_name(static_cast<analysis::BubbleCause>(0)));
  EXPECT_EQ(where_it_went(*a, *b), "Gone: 59.4 µs idle (" + cause + ").");
  b->summary.gpu_busy_ns = 400'000;  // 10 µs more for each: a sixth of the difference
  EXPECT_EQ(where_it_went(*a, *b), "Gone: 59.4 µs idle (" + cause + "). New: 10 µs of GPU work.");
  b->summary.pace.ns = 99'100;  // 0.9 %
  EXPECT_EQ(better(*a, *b), Better::Same);
  EXPECT_EQ(headline(*a, *b), "B takes as long as A, over whole steady periods");
  EXPECT_EQ(where_it_went(*a, *b), "");
  b->summary.pace.ns = 98'900;  // 1.1 %
  EXPECT_EQ(better(*a, *b), Better::B);
}

// B's iterations are short because they only fill the queue: that is no number, and no factor.
TEST_F(DifferenceTest, WhileTheQueueFillsThereIsNoFactor) {
  b->summary.iteration.mean_ns = 1'000;
  b->summary.pace = {analysis::PaceBasis::QueueMoves, 0, 10, 0, 0, 1};
  EXPECT_EQ(better(*a, *b), Better::Same);
  EXPECT_EQ(headline(*a, *b), "B: the launch queue still fills or drains");
  EXPECT_EQ(where_it_went(*a, *b), "");
  rows = difference_rows(*a, b.get());
  EXPECT_EQ(value_text(row("iteration"), row("iteration").b), "–");
}

// 100 µs with a GPU, 60 of them idle after a sync, against 40 µs on the CPU, whose GPU is never to blame.
TEST_F(DifferenceTest, WithoutAGpuTheCpuComputes) {
  b->summary.gpu_busy_ns = 0;
  b->summary.bubble_by_cause_ns = {};
  b->summary.bubble_by_cause_ns[static_cast<std::size_t>(analysis::BubbleCause::StartOrEnd)] = 400'000;
  b->summary.verdict.kind = analysis::VerdictKind::CpuOnly;
  rows = difference_rows(*a, b.get());
  EXPECT_DOUBLE_EQ(row("the CPU computes").b, 40'000);
  EXPECT_DOUBLE_EQ(row("the CPU computes").a, 0);
  EXPECT_TRUE(std::ranges::none_of(rows, [](const DifferenceRow& r) { return r.name == "idle: start or end"; }));
  EXPECT_THAT(where_it_went(*a, *b), HasSubstr("New: 40 µs of computing on the CPU."));
}

// Of 100 µs, 99 ns are less than a thousandth and 100 ns are not.
TEST_F(DifferenceTest, WhatIsNextToNothingHasNoLine) {
  const auto has = [&](Nanoseconds exposed) {
    a->summary.exposed_copy_ns = exposed * a->summary.iteration.count;
    const auto lines = difference_rows(*a, b.get());
    return std::ranges::any_of(lines,
                               [](const DifferenceRow& r) { return r.name == "copies not overlapped by kernels"; });
  };
  EXPECT_FALSE(has(99));
  EXPECT_TRUE(has(100));
}

TEST_F(DifferenceTest, TheSidesOfAnExperimentKeepTheirNames) {
  a->label = "before";
  b->label = "after";
  EXPECT_EQ(side_texts(*a, b.get()).a, "before (log interval 1)");
  b->facts.settings = a->facts.settings;
  EXPECT_EQ(side_texts(*a, b.get()).b, "after") << "nothing that is set differs";
}

TEST_F(DifferenceTest, NamesOnlyWhatDiffers) {
  EXPECT_EQ(side_texts(*a, nullptr).a, "Linear and MSE");
  SideTexts sides = side_texts(*a, b.get());
  EXPECT_EQ(sides.a, "log interval 1");
  EXPECT_EQ(sides.b, "log interval never");
  EXPECT_EQ(shared_settings(*a, *b), "batch_size 64");
  b->facts.device_name = "H200";
  b->facts.settings["unheard_of"] = "2";
  a->facts.settings["unheard_of"] = "1";
  sides = side_texts(*a, b.get(), 2);
  EXPECT_EQ(sides.a, "RTX 4090, log interval 1 and 1 more");
  EXPECT_EQ(side_texts(*a, b.get()).b, "H200, log interval never, unheard_of 2");
  EXPECT_EQ(side_texts(*a, a.get()).b, "the same settings");
  b->facts.workload.clear();
  b->title = "trace.json";
  EXPECT_EQ(side_texts(*a, b.get()).b, "trace.json, H200") << "settings of another workload say nothing";
}

TEST_F(DifferenceTest, IsATableForAPullRequest) {
  b->facts.simulated = false;
  const std::string text = markdown(*a, *b);
  EXPECT_THAT(text, HasSubstr("**B is 60 µs shorter: 2.50x as fast, over whole steady periods**"));
  EXPECT_THAT(text, HasSubstr("| per iteration | A: log interval 1 | B: log interval never | difference |\n"
                              "|---|---:|---:|---:|\n| iteration | 100 µs | 40 µs | ↓ 60 µs |\n"));
  EXPECT_THAT(text, HasSubstr("| syncs | 1.00 | 0.10 | ↓ 0.90 |\n"));
  EXPECT_THAT(text, HasSubstr("A is simulated, not measured on a GPU"));
  a->facts.settings["log_interval"] = "1|2";
  EXPECT_THAT(markdown(*a, *b), HasSubstr("| A: log interval 1\\|2 |"));
}

// --- what runs now is B ----------------------------------------------------------------------------------------------

TEST(FollowB, TakesEachChangeOnceWhenItHasSettled) {
  FollowB follow;
  FollowB::Clock::time_point now{};
  FollowB::Sight sight{1, {{"log_interval", "1"}}, true, true, 100};
  follow.taken(sight);
  const auto wants = [&](int ms) { return follow.wants(sight, now += milliseconds(ms)); };
  EXPECT_FALSE(wants(5000)) << "what was pinned is no B";
  sight.settings["log_interval"] = "10";
  sight.current = false;
  EXPECT_FALSE(wants(2000)) << "its figures are still those of before";
  sight.current = true;
  EXPECT_FALSE(wants(20));
  EXPECT_FALSE(wants(900));
  sight.settings["log_interval"] = "20";  // the slider is still being dragged
  EXPECT_FALSE(wants(500));
  EXPECT_FALSE(wants(999));
  EXPECT_TRUE(wants(1));
  follow.taken(sight);
  EXPECT_FALSE(wants(5000)) << "once";
  // Its figures are taken once more, 2.5 s after it was shown.
  const FollowB::Clock::time_point shown = now;
  EXPECT_FALSE(follow.wants_figures(sight, shown, shown + milliseconds(2499)));
  EXPECT_TRUE(follow.wants_figures(sight, shown, shown + milliseconds(2500)));
  EXPECT_FALSE(follow.wants_figures(sight, shown, shown + milliseconds(9000)));
  ++sight.generation;  // started again
  sight.iterations = 1;
  EXPECT_FALSE(wants(3000)) << "too few iterations";
  sight.iterations = FollowB::kFewest;
  EXPECT_FALSE(wants(20));
  EXPECT_TRUE(wants(1000));
  follow.taken(sight);
  sight = {7, {}, false, true, 0};  // a file is all there at once
  EXPECT_TRUE(wants(0));
  follow.taken(sight);
  EXPECT_FALSE(follow.wants_figures(sight, now, now + milliseconds(9000))) << "and stays so";
}

}  // namespace
}  // namespace lanescope::ui
