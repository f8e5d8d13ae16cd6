#include "analysis/event_groups.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "analysis/trace_builder.h"

namespace lanescope::analysis {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using trace::EventKind;
using trace::LaneKind;

class EventGroupsTest : public testing::Test {
 protected:
  EventGroups by_lane(EventQuery query = {}) {
    query.detail = GroupDetail::Distribution;
    return event_groups(trace, query);
  }
  EventGroups by_kind() { return event_groups(trace, {.group = GroupBy::NameAndKind}); }
  const EventGroup* line(const EventGroups& s, const std::string& name, GroupKind kind) {
    for (const EventGroup& l : s.groups) {
      if (trace.names().text(l.name) == name && l.kind == kind) return &l;
    }
    return nullptr;
  }
  std::string names(std::span<const EventGroup> groups) {
    std::string text;
    for (const EventGroup& group : groups) {
      text += std::string(text.empty() ? "" : " ") + std::string(trace.names().text(group.name));
    }
    return text;
  }
  std::string names(const EventGroups& s, const GroupWish& wish, const std::vector<EventGroup>& before = {}) {
    return names(arranged(s.groups, trace.names(), wish, before));
  }
  void range(const char* name, Nanoseconds start, Nanoseconds end, trace::RangeKind kind, std::uint8_t flags = 0) {
    trace::Event e;
    e.kind = EventKind::Range;
    e.lane = build.lane(LaneKind::Phases);
    e.name = trace.names().intern(name);
    e.start_ns = start;
    e.end_ns = end;
    e.flags = flags;
    trace::set_range_kind(e, kind);
    trace.append(e);
  }
  void sync(Nanoseconds start, Nanoseconds own, Nanoseconds waiting, Nanoseconds returning) {
    trace::Event e;
    e.kind = EventKind::Call;
    e.lane = build.lane(LaneKind::Calls);
    e.name = trace.names().intern("cudaStreamSynchronize");
    e.start_ns = start;
    e.end_ns = start + own + waiting + returning;
    trace::set_parts(e, {own, 0, 0, returning});
    trace.append(e);
  }

  trace::Trace trace;
  TraceBuilder build{trace};
};

// 100 kernels of 10, 20, ... 1000 ns: sum 10 * 5050 = 50,500; mean 505. Nearest rank: the ceil(0.5 * 100) = 50th is
// 500, the ceil(0.99 * 100) = 99th is 990. Of three (100, 200, 600): the ceil(1.5) = 2nd is 200, the ceil(2.97) = 3rd
// is 600.
TEST_F(EventGroupsTest, CountSumMeanAndPercentilesByHand) {
  for (int i = 1; i <= 100; ++i) build.kernel(i * 2000, i * 2000 + 10 * ((i * 37) % 101));  // 37 i mod 101: 1 to 100
  for (const int d : {600, 100, 200}) build.call("cudaMalloc", 300'000 + d * 10, 300'000 + d * 11);
  build.publish();
  const EventGroups s = by_lane();
  ASSERT_EQ(s.groups.size(), 2u);
  EXPECT_EQ(trace.names().text(s.groups[0].name), "kernel") << "the largest sum first";
  EXPECT_EQ(s.groups[0].sum_ns, 50'500);
  const DurationStats& d = s.groups[0].durations;
  EXPECT_EQ(std::tuple(d.count, d.p50_ns, d.p99_ns, d.min_ns, d.max_ns), std::tuple(100, 500, 990, 10, 1000));
  EXPECT_DOUBLE_EQ(d.mean_ns, 505);
  const DurationStats& three = s.groups[1].durations;
  EXPECT_EQ(std::tuple(three.count, three.p50_ns, three.p99_ns, three.min_ns, three.max_ns),
            std::tuple(3, 200, 600, 100, 600));
  EXPECT_EQ(s.sum_ns, 51'400);
  EXPECT_EQ(s.all.count, 103);
  EXPECT_EQ(s.events, 103);
  EXPECT_TRUE(s.exact);
  EXPECT_EQ(std::pair(s.from, s.to), std::pair(trace.extent().first, trace.extent().second + 1)) << "of the whole";
}

// The same without percentiles, of the kernels alone, and cut to the first of two names: 600 + 100 + 200 = 900.
TEST_F(EventGroupsTest, OnlyAsMuchAsIsAskedFor) {
  build.kernel(0, 100);
  build.kernel(200, 500);
  for (const int d : {600, 100, 200}) build.call("cudaMalloc", 300'000 + d * 10, 300'000 + d * 11);
  build.publish();
  const EventGroups sums = event_groups(trace, {.group = GroupBy::Name, .detail = GroupDetail::Sums, .limit = 1});
  ASSERT_EQ(names(sums.groups), "cudaMalloc");
  EXPECT_EQ(sums.left_out, 1u);
  EXPECT_EQ(sums.events, 5);
  EXPECT_EQ(sums.sum_ns, 900 + 400) << "of those left out, too";
  const DurationStats& d = sums.groups[0].durations;
  EXPECT_EQ(std::tuple(d.count, d.min_ns, d.max_ns, d.p50_ns), std::tuple(3, 100, 600, 0));
  EXPECT_DOUBLE_EQ(d.mean_ns, 300);
  const EventGroups kernels = event_groups(trace, {.lane_kind = LaneKind::Kernels});
  EXPECT_EQ(names(kernels.groups), "kernel");
  const EventGroups filtered = event_groups(trace, {.names = NameQuery("MALL"), .order = {GroupColumn::Name, true}});
  EXPECT_EQ(names(filtered.groups), "cudaMalloc");
  EXPECT_EQ(filtered.events, 3);
}

TEST_F(EventGroupsTest, StoppedThereIsNoAnswer) {
  build.kernel(0, 100);
  build.publish();
  const base::Stop stop{true};
  EXPECT_TRUE(event_groups(trace, {}, {&stop}).groups.empty());
}

// "f" as a call and as a range: one name, two kinds of lanes.
TEST_F(EventGroupsTest, ACallAndARangeOfTheSameNameAreToldApart) {
  build.call("f", 0, 10);
  build.range("f", 20, 25);
  build.publish();
  const EventGroups apart = by_lane();
  ASSERT_EQ(apart.groups.size(), 2u);
  EXPECT_EQ(apart.groups[0].lane_kind, LaneKind::Calls);
  EXPECT_EQ(apart.groups[0].sum_ns, 10);
  EXPECT_EQ(apart.groups[1].lane_kind, LaneKind::Phases);
  const EventGroups together = event_groups(trace, {.group = GroupBy::Name});
  ASSERT_EQ(together.groups.size(), 1u);
  EXPECT_EQ(together.groups[0].sum_ns, 15);
}

TEST_F(EventGroupsTest, OfEventsThatStartInTheRangeOnTheLanesThatAreSelected) {
  build.kernel(100, 200);
  build.kernel(200, 1000);
  build.kernel(1000, 1100);
  build.call("f", 150, 250);
  build.loss(300, 1.5);  // a sample is no interval
  build.publish();
  EXPECT_EQ(by_lane({.from = 200, .to = 1000}).all.count, 1) << "half-open";
  EXPECT_EQ(by_lane({.from = 150, .to = 1001}).all.count, 3);
  EXPECT_EQ(count_events(trace, {.from = 150, .to = 1001}), 3);
  const trace::LaneId calls = build.lane(LaneKind::Calls);
  const EventGroups s = by_lane({.lanes = {calls}});
  EXPECT_EQ(s.all.count, 1);
  EXPECT_EQ(s.sum_ns, 100);
  EXPECT_EQ(count_events(trace, {.lanes = {calls}}), 1);
}

// Two synchronisations of 10 + 80 + 10 and 10 + 0 + 10 ns: as calls 2, 120 ns; as waits 1, 80 ns, because the second
// did not wait. Median of 20 and 100 by nearest rank: the ceil(0.5 * 2) = 1st, 20.
TEST_F(EventGroupsTest, ACallIsCountedAndItsWaitBesides) {
  sync(0, 10, 80, 10);
  sync(200, 10, 0, 10);
  build.kernel(5, 25);
  build.kernel(30, 70);
  build.publish();
  const EventGroups s = by_kind();
  const EventGroup* call = line(s, "cudaStreamSynchronize", GroupKind::Calls);
  const EventGroup* wait = line(s, "cudaStreamSynchronize", GroupKind::Waits);
  ASSERT_TRUE(call && wait);
  EXPECT_EQ(call->sum_ns, 120);
  EXPECT_EQ(call->durations.count, 2);
  EXPECT_EQ(call->durations.p50_ns, 20);
  EXPECT_EQ(call->durations.p99_ns, 100);
  EXPECT_DOUBLE_EQ(call->durations.mean_ns, 60);
  EXPECT_EQ(wait->sum_ns, 80);
  EXPECT_EQ(wait->durations.count, 1);
  EXPECT_EQ(line(s, "kernel", GroupKind::Kernels)->sum_ns, 60);
  EXPECT_EQ(s.events, 4) << "the wait of a call is no event of its own";
}

TEST_F(EventGroupsTest, KindsAreToldApart) {
  range("forward", 0, 10, trace::RangeKind::Phase);
  range("aten::mm", 20, 25, trace::RangeKind::Operator);
  range("train.py(12): step", 30, 40, trace::RangeKind::Other);
  range("<built-in method item>", 41, 42, trace::RangeKind::Other);
  range("wait for batch", 50, 60, trace::RangeKind::Load, trace::kWaitFlag);
  build.publish();
  const EventGroups s = by_kind();
  std::map<std::string, GroupKind> kinds;
  for (const EventGroup& l : s.groups) kinds[std::string(trace.names().text(l.name))] = l.kind;
  EXPECT_EQ(kinds.at("forward"), GroupKind::Ranges);
  EXPECT_EQ(kinds.at("aten::mm"), GroupKind::Python);
  EXPECT_EQ(kinds.at("train.py(12): step"), GroupKind::Python);
  EXPECT_EQ(kinds.at("<built-in method item>"), GroupKind::Python);
  EXPECT_EQ(kinds.at("wait for batch"), GroupKind::Waits);
  EXPECT_EQ(s.events, 5);
}

TEST_F(EventGroupsTest, LinesAreFilteredAndSorted) {
  build.call("cudaMalloc", 0, 10);
  build.call("cudaFree", 100, 130);
  build.call("cudaFree", 200, 205);
  build.kernel(300, 340);
  build.publish();
  const EventGroups s = by_kind();
  GroupWish wish;
  EXPECT_EQ(names(s, wish), "kernel cudaFree cudaMalloc") << "by total: 40, 35, 10";
  wish.order = {GroupColumn::Count, false};
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc kernel") << "equal ones by name";
  wish.order = {GroupColumn::Max, true};
  EXPECT_EQ(names(s, wish), "cudaMalloc cudaFree kernel");
  wish.order = {GroupColumn::Name, false};
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc kernel");
  wish.kind = GroupKind::Calls;
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc");
  wish.name = "MALL";
  EXPECT_EQ(names(s, wish), "cudaMalloc");
  wish.name = "nothing";
  EXPECT_EQ(names(s, wish), "");
}

TEST_F(EventGroupsTest, LinesAreSortedByAnyColumn) {
  build.call("a", 0, 10);
  build.call("b", 100, 105);
  build.call("b", 200, 203);
  build.call("c", 300, 310);
  build.publish();
  const EventGroups s = by_lane();
  const auto sorted = [&](GroupColumn by, bool ascending) { return names(s, {.order = {by, ascending}}); };
  EXPECT_EQ(sorted(GroupColumn::Sum, false), "a c b") << "equal sums by name";
  EXPECT_EQ(sorted(GroupColumn::Sum, true), "b a c");
  EXPECT_EQ(sorted(GroupColumn::Count, false), "b a c");
  EXPECT_EQ(sorted(GroupColumn::Name, true), "c b a");
  EXPECT_EQ(sorted(GroupColumn::Min, true), "b a c");
}

// "b" overtakes "a" when it has 5 % more, not before; a new line takes its place at once.
TEST_F(EventGroupsTest, ALineKeepsItsPlaceUntilItIsClearlyOvertaken) {
  EventGroups s;
  const auto put = [&](const char* name, Nanoseconds sum) {
    EventGroup l;
    l.name = trace.names().intern(name);
    l.sum_ns = sum;
    s.groups.push_back(l);
  };
  put("a", 1000);
  put("b", 990);
  const std::vector<EventGroup> before = s.groups;
  s.groups.clear();
  put("a", 1000);
  put("b", 1040);
  EXPECT_EQ(names(s, {}, before), "a b");
  EXPECT_EQ(names(s, {}), "b a") << "without a table before, exactly";
  s.groups[1].sum_ns = 1060;
  EXPECT_EQ(names(s, {}, before), "b a");
  put("c", 1061);
  EXPECT_EQ(names(s, {}, before), "c b a");
}

// The same figures whatever the events are grouped by, even in a trace too large to keep all durations.
TEST_F(EventGroupsTest, GroupsOfEveryKindAgree) {
  Nanoseconds at = 0;
  for (int i = 1; i <= 3000; ++i) {
    build.kernel(at, at + 7 * (1 + i * 37 % 101));
    at += 1000;
  }
  build.publish();
  for (const std::size_t exact : {kExactDurations, std::size_t{500}}) {
    const EventGroups kinds = event_groups(trace, {.group = GroupBy::NameAndKind, .exact_durations = exact});
    const EventGroups lanes = by_lane({.exact_durations = exact});
    ASSERT_EQ(kinds.groups.size(), 1u);
    EXPECT_EQ(kinds.groups[0].sum_ns, lanes.groups[0].sum_ns);
    EXPECT_EQ(kinds.groups[0].durations.p50_ns, lanes.groups[0].durations.p50_ns);
    EXPECT_EQ(kinds.groups[0].durations.p99_ns, lanes.groups[0].durations.p99_ns);
    EXPECT_EQ(kinds.exact, lanes.exact);
  }
}

TEST_F(EventGroupsTest, TooManyToKeepAreToldWithinOnePercent) {
  Nanoseconds at = 0;
  for (int i = 1; i <= 5000; ++i) {
    build.kernel(at, at + 7 * i);
    at += 7 * i + 1;
  }
  build.publish();
  const EventGroups exact = by_lane();
  const EventGroups about = by_lane({.exact_durations = 1000});
  EXPECT_FALSE(about.exact);
  for (const auto part : {&DurationStats::p50_ns, &DurationStats::p99_ns}) {
    EXPECT_NEAR(static_cast<double>(about.all.*part), static_cast<double>(exact.all.*part),
                0.01 * static_cast<double>(exact.all.*part));
  }
  EXPECT_EQ(about.all.max_ns, exact.all.max_ns);
  EXPECT_EQ(about.sum_ns, exact.sum_ns);
  EXPECT_EQ(about.bins.edges, exact.bins.edges);
  EXPECT_EQ(std::accumulate(about.bins.counts.begin(), about.bins.counts.end(), std::int64_t{0}), 5000);
}

// From 10 to 100,000 ns are four decades: in 20 steps 80 bins and one for 100,000 itself, in 10 steps 41.
TEST_F(EventGroupsTest, BinsGrowByAConstantFactorAndDecadesAreEdges) {
  const std::vector<double> edges = bin_edges(10, 100'000);
  ASSERT_EQ(edges.size(), 42u);
  EXPECT_EQ(edges[0], 10);
  EXPECT_EQ(edges[10], 100);
  EXPECT_EQ(edges[40], 100'000);
  EXPECT_NEAR(edges[1], 12.589, 0.001);    // 10 ^ 1.1
  EXPECT_NEAR(edges[41], 125'892.5, 0.1);  // what is 100,000 long is below it
  EXPECT_EQ(bin_edges(1, 1), (std::vector<double>{1, std::pow(10.0, 1.0 / 20)}));
  for (const auto& [least, most] : {std::pair<Nanoseconds, Nanoseconds>{1, 3'600'000'000'000}, {999, 1001}, {7, 7}}) {
    const std::vector<double> e = bin_edges(least, most);
    EXPECT_LE(e.front(), static_cast<double>(least));
    EXPECT_GT(e.back(), static_cast<double>(most));
    EXPECT_LE(e.size(), 70u);
  }
}

// 10 and 11 lie in [10, 11.22), 99 in [89.1, 100), 100 in [100, 112.2): bins 0, 19 and 20 of 20 to a decade.
TEST_F(EventGroupsTest, ADurationOnAnEdgeIsInTheBinThatBeginsThere) {
  Nanoseconds at = 0;
  for (const int d : {10, 11, 99, 100, 0}) {
    at += 1000;
    build.kernel(at, at + d);
  }
  build.publish();
  const EventGroups s = by_lane();
  EXPECT_EQ(s.bins.bin_of(10), 0u);
  EXPECT_EQ(s.bins.bin_of(100), 20u);
  EXPECT_FALSE(s.bins.bin_of(9) || s.bins.bin_of(1000));
  EXPECT_EQ(s.bins.counts.at(0), 2);
  EXPECT_EQ(s.bins.counts.at(19), 1);
  EXPECT_EQ(s.bins.counts.at(20), 1);
  EXPECT_EQ(s.bins.instants, 1);
  EXPECT_EQ(std::accumulate(s.bins.counts.begin(), s.bins.counts.end(), std::int64_t{0}) + s.bins.instants,
            s.all.count);
}

}  // namespace
}  // namespace lanescope::analysis
