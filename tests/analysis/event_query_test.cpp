#include "analysis/event_query.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "analysis/event_groups.h"
#include "analysis/query_job.h"
#include "analysis/trace_builder.h"

namespace lanescope::analysis {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::Pair;
using trace::EventKind;
using trace::LaneKind;

class EventQueryTest : public testing::Test {
 protected:
  // The starts of the events that a query reads, in its order.
  std::vector<Nanoseconds> read(const EventQuery& query) {
    std::vector<Nanoseconds> starts;
    scan(trace, event_sources(trace, query), {},
         [&](const EventSource& s, const trace::Block&, trace::EventIndex first, trace::EventIndex last) {
           for (; first < last; ++first) starts.push_back(s.row->start(first));
         });
    return starts;
  }
  void kernels(int from, int to) {
    for (int i = from; i < to; ++i) build.kernel(i * 100, i * 100 + 50);
    build.publish();
  }

  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  TraceBuilder build{trace};
};

// Of kernels at 0, 100 (to 200), 250 (an instant) and 300: in [100, 300) start two; [150, 300) overlaps the one from
// 100, too, but [200, 300) does not, because it ends there.
TEST_F(EventQueryTest, StartingInAStretchOrOverlappingIt) {
  build.kernel(0, 100);
  build.kernel(100, 200);
  build.kernel(250, 250);
  build.kernel(300, 400);
  build.publish();
  EXPECT_THAT(read({.from = 100, .to = 300}), ElementsAre(100, 250));
  EXPECT_THAT(read({.from = 150, .to = 300, .overlapping = true}), ElementsAre(100, 250));
  EXPECT_THAT(read({.from = 200, .to = 300, .overlapping = true}), ElementsAre(250));
  EXPECT_THAT(read({.from = 250, .to = 251}), ElementsAre(250));
  EXPECT_THAT(read({.to = 250}), ElementsAre(0, 100));
  EXPECT_THAT(read({}), ElementsAre(0, 100, 250, 300));
}

TEST_F(EventQueryTest, LanesAreChosenByNumberKindAndGpu) {
  build.call("f", 10, 20);
  build.kernel(30, 40);
  build.add(build.lane(LaneKind::Markers), EventKind::Marker, "epoch", 50, 50);
  build.loss(60, 1);
  trace::LaneInfo other;  // of another GPU
  other.kind = LaneKind::Kernels;
  other.device = 1;
  build.add(trace.add_lane(other), EventKind::Kernel, "kernel", 70, 80);
  build.publish();
  EXPECT_THAT(read({}), ElementsAre(10, 30, 70)) << "markers and samples are no intervals";
  EXPECT_THAT(read({.markers = true}), ElementsAre(10, 30, 50, 70));
  EXPECT_THAT(read({.lane_kind = LaneKind::Kernels}), ElementsAre(30, 70));
  EXPECT_THAT(read({.gpu = 1}), ElementsAre(70));
  const trace::LaneId calls = build.lane(LaneKind::Calls), work = build.lane(LaneKind::Kernels);
  EXPECT_THAT(read({.lanes = {work, calls, work, 99}}), ElementsAre(10, 30)) << "by lane, each once";
  EXPECT_EQ(count_events(trace, {.lanes = {calls}}), 1);
}

// Blocks have 1,024 events, and a lock is held for 16 of them: 40,000 events are read in ceil(40,000 / 1,024) = 40
// blocks. Of those from the 1,000th to the 3,000th, three blocks have 24, 1,024 and 952.
TEST_F(EventQueryTest, IsReadBlockByBlockUntilItIsStopped) {
  kernels(0, 40'000);
  std::vector<trace::EventIndex> sizes;
  base::Stop stop{false};
  std::atomic<float> progress = 0;
  const auto count = [&](const EventSource&, const trace::Block& block, trace::EventIndex first,
                         trace::EventIndex last) {
    EXPECT_EQ(block.start[first % trace::kBlockEvents], static_cast<Nanoseconds>(first) * 100);
    sizes.push_back(last - first);
    if (last > 16 * trace::kBlockEvents) stop = true;
  };
  scan(trace, event_sources(trace, {.from = 100'000, .to = 300'000}), {&stop, &progress}, count);
  EXPECT_THAT(sizes, ElementsAre(24, 1024, 952));
  EXPECT_EQ(progress, 1);
  sizes.clear();
  scan(trace, event_sources(trace, {}), {}, count);
  EXPECT_EQ(sizes.size(), 40u);
  sizes.clear();
  stop = false;
  scan(trace, event_sources(trace, {}), {&stop, &progress}, count);
  EXPECT_EQ(sizes.size(), 32u) << "it is asked after every lock";
  EXPECT_LT(progress, 1);
}

TEST_F(EventQueryTest, GrowthIsThatOfItsStretch) {
  kernels(0, 10);
  const EventQuery past{.from = 0, .to = 500}, open{.from = 500, .to = 10'000};
  const Growth of_past = growth_of(trace, past), of_open = growth_of(trace, open), of_all = growth_of(trace, {});
  EXPECT_EQ(growth_of(trace, {}), of_all);
  kernels(10, 11);
  EXPECT_EQ(growth_of(trace, past), of_past);
  EXPECT_NE(growth_of(trace, open), of_open);
  EXPECT_NE(growth_of(trace, {}), of_all);
}

// A megabyte holds 25 blocks, so that blocks are used again all the time. What is read stays valid: each kernel
// lasts 50.
TEST(EventQuery, IsReadWhileTheTraceGrowsAndForgets) {
  trace::Trace trace(std::size_t{1} << 20);
  trace::LaneInfo lane;
  lane.kind = LaneKind::Kernels;
  trace::Event e{.name = trace.names().intern("kernel"), .lane = trace.add_lane(lane), .kind = EventKind::Kernel};
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (int i = 0; i < 1'000'000; ++i) {
      e.start_ns = Nanoseconds{i} * 100;
      e.end_ns = e.start_ns + 50;
      trace.append(e);
      if (i % 1000 == 999) trace.publish();
    }
    done = true;
  });
  int read = 0;
  while (!done || read == 0) {
    const EventGroups groups = event_groups(trace, {});
    if (groups.groups.empty()) continue;
    const DurationStats& d = groups.groups[0].durations;
    ASSERT_EQ(d.min_ns, 50);
    ASSERT_EQ(d.max_ns, 50);
    ASSERT_EQ(groups.sum_ns, 50 * groups.events);
    ++read;
  }
  writer.join();
  EXPECT_GT(trace.counts().evicted, 0u);
}

class QueryJobTest : public EventQueryTest {
 protected:
  bool update(const std::optional<EventQuery>& query, QueryJob<EventGroups>::Clock::duration later) {
    return job.update(
        shared, query, begun + later,
        [](const trace::Trace& all, const EventQuery& q, const Watch& watch) { return event_groups(all, q, watch); });
  }
  void wait(const EventQuery& query, QueryJob<EventGroups>::Clock::duration later) {
    while (job.busy()) {
      std::this_thread::yield();
      update(query, later);
    }
  }
  static constexpr auto ms(int n) { return std::chrono::milliseconds(n); }

  QueryJob<EventGroups> job{std::chrono::seconds(1)};
  QueryJob<EventGroups>::Clock::time_point begun = QueryJob<EventGroups>::Clock::now();
};

// A trace that grows is counted again, at most once a second; another stretch at once. More than 8,000 events are
// counted in the background, and the former answer stays meanwhile.
TEST_F(QueryJobTest, FollowsTheRunWithoutHaste) {
  kernels(0, 10);
  EXPECT_TRUE(job.outdated());
  EXPECT_TRUE(update(EventQuery{}, ms(0)));
  ASSERT_TRUE(job.answer);
  EXPECT_EQ(job.answer->events, 10);
  EXPECT_FALSE(job.busy() || job.moves() || job.outdated());
  kernels(10, 20'000);
  EXPECT_FALSE(update(EventQuery{}, ms(500)));
  EXPECT_FALSE(job.busy()) << "not yet";
  EXPECT_TRUE(job.moves()) << "but without anybody's doing";
  update(EventQuery{}, ms(1100));
  EXPECT_TRUE(job.busy());
  EXPECT_EQ(job.answer->events, 10) << "the former answer stays";
  EXPECT_FALSE(job.outdated());
  wait({}, ms(1100));
  EXPECT_EQ(job.answer->events, 20'000);
  EXPECT_EQ(job.progress(), 1);
  const std::uint64_t number = job.number;
  EXPECT_FALSE(update(EventQuery{}, std::chrono::hours(1)));
  EXPECT_EQ(job.number, number) << "nothing has changed";
  EXPECT_FALSE(job.moves());
  EXPECT_TRUE(update(EventQuery{.from = 0, .to = 1000}, ms(1100)));
  EXPECT_EQ(job.answer->events, 10);
  job.end();
  EXPECT_FALSE(job.answer);
  EXPECT_TRUE(job.outdated());
}

// 20,000 events are counted in the background. What was asked before is given up when the question changes, unless only
// the stretch was moved less than 400 ms ago: then it is answered first, and the next is begun 100 ms after it.
TEST_F(QueryJobTest, AnotherQuestionSupersedesTheFormer) {
  kernels(0, 20'000);
  const EventQuery first{.from = 0, .to = 1'500'000}, moved{.from = 0, .to = 1'600'000};
  update(first, ms(0));
  ASSERT_TRUE(job.busy());
  EXPECT_TRUE(job.outdated());
  while (job.number == 0) update(moved, ms(50));
  EXPECT_EQ(job.of, first) << "the answer to the former is shown while an edge is dragged";
  EXPECT_EQ(job.answer->events, 15'000);
  EXPECT_TRUE(job.outdated());
  update(moved, ms(60));
  EXPECT_FALSE(job.busy());
  EXPECT_TRUE(job.moves());
  update(moved, ms(110));
  EXPECT_TRUE(job.busy());
  const EventQuery other{.lane_kind = LaneKind::Kernels, .names = NameQuery("kernel")};
  update(other, ms(120));
  wait(other, ms(130));
  EXPECT_EQ(job.of, other);
  EXPECT_EQ(job.answer->events, 20'000);
  EXPECT_EQ(job.number, 2u) << "the moved one was not answered";
  EXPECT_FALSE(update(std::nullopt, ms(200)));
  EXPECT_FALSE(job.answer) << "without a question there is no answer";
}

// What is not read to its end is continued at once.
TEST_F(QueryJobTest, GoesOn) {
  kernels(0, 10);
  EXPECT_TRUE(update(EventQuery{}, ms(0)));
  EXPECT_FALSE(update(EventQuery{}, ms(1)));
  job.go_on();
  EXPECT_TRUE(update(EventQuery{}, ms(2)));
}

}  // namespace
}  // namespace lanescope::analysis
