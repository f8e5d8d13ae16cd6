#include "inspect/neighbours.h"

#include <algorithm>
#include <tuple>

#include "analysis/random_trace.h"
#include "timeline/drawn.h"
#include "timeline/timeline_drag.h"

namespace lanescope::ui {
namespace {

using trace::EventKind;

// All events of a lane in the order of the keyboard navigation: by start, then sub-row.
std::vector<EventRef> in_order(const trace::Trace& trace, LaneId lane) {
  std::vector<EventRef> found;
  for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
    const trace::Row& row = trace.lane(lane).row(r);
    for (EventIndex i = row.first(); i < row.last(); ++i) {
      found.push_back({lane, r, i, row.event(i)});
      found.back().event.lane = lane;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const EventRef& a, const EventRef& b) {
    return std::tuple(a.event.start_ns, a.row, a.index) < std::tuple(b.event.start_ns, b.row, b.index);
  });
  return found;
}

// Walking from one end to the other visits every event once, in both directions, with or without sub-rows.
TEST(Neighbours, AWalkMeetsEveryEventOnce) {
  int walked = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    trace::Trace trace;
    TraceBuilder build(trace);
    analysis_test::RandomProgram(build, seed).write(60);
    const LaneId nested = build.lane(LaneKind::Phases, 3, "nested");
    for (int i = 0; i < 8; ++i) {  // three that contain each other, and an instant where they begin
      build.add(nested, EventKind::Range, "outer", i * 100, i * 100 + 90);
      build.add(nested, EventKind::Range, "inner", i * 100, i * 100 + 50);
      build.add(nested, EventKind::Range, "instant", i * 100, i * 100);
      build.add(nested, EventKind::Range, "late", i * 100 + 10, i * 100 + 50);
    }
    build.publish();
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto order = in_order(trace, static_cast<LaneId>(l));
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto next = neighbour(trace, order[i], Along::Forth, kAllKnown).found;
        const auto before = neighbour(trace, order[i], Along::Back, kAllKnown).found;
        ASSERT_EQ(next, i + 1 < order.size() ? std::optional(order[i + 1]) : std::nullopt) << seed << " " << l;
        ASSERT_EQ(before, i > 0 ? std::optional(order[i - 1]) : std::nullopt) << seed << " " << l;
        ++walked;
      }
    }
  }
  EXPECT_GT(walked, 1000);
}

class NeighboursTest : public testing::Test {
 protected:
  NeighboursTest() {
    lane = build.lane(LaneKind::Calls);
    for (int i = 0; i < 1000; ++i) {  // every 100 ns a call; each 250th is a copy
      build.call(i % 250 == 100 ? "copy" : "launch", i * 100, i * 100 + 60);
    }
    build.kernel(5'000, 5'200);
    build.kernel(90'000, 95'000);
    for (std::uint32_t i = 0; i < 10; ++i) {
      build.add(build.lane(LaneKind::Iterations), EventKind::Range, "iteration", i * 10'000, i * 10'000 + 9'000).a =
          40 + i;
    }
    build.publish();
  }
  EventRef call(std::size_t i) { return in_order(trace, lane)[i]; }

  trace::Trace trace;
  TraceBuilder build{trace};
  LaneId lane = 0;
};

// Copies are the calls 100, 350, 600 and 850.
TEST_F(NeighboursTest, OfTheSameNameWithinALimit) {
  const EventRef from = call(350);
  EXPECT_EQ(neighbour_of_same_name(trace, from, Along::Forth, kAllKnown).found, call(600));
  EXPECT_EQ(neighbour_of_same_name(trace, from, Along::Back, kAllKnown).found, call(100));
  // 249 launches lie between; the copy is the 250th that is looked at.
  const Neighbour enough = neighbour_of_same_name(trace, from, Along::Forth, kAllKnown, 250);
  EXPECT_TRUE(enough.found.has_value());
  const Neighbour too_few = neighbour_of_same_name(trace, from, Along::Forth, kAllKnown, 249);
  EXPECT_FALSE(too_few.found.has_value());
  EXPECT_TRUE(too_few.gave_up);
  const Neighbour none = neighbour_of_same_name(trace, call(850), Along::Forth, kAllKnown);
  EXPECT_FALSE(none.found.has_value());
  EXPECT_FALSE(none.gave_up) << "there is none, however far one looks";
}

// What is beyond the live edge is unknown: call 500 starts at 50,000.
TEST_F(NeighboursTest, NothingBeyondTheLiveEdge) {
  EXPECT_TRUE(neighbour(trace, call(499), Along::Forth, 50'001).found.has_value());
  EXPECT_FALSE(neighbour(trace, call(499), Along::Forth, 50'000).found.has_value());
  EXPECT_EQ(nearest_event(trace, lane, 99'000, 50'001), call(500));
}

TEST_F(NeighboursTest, TheNearestInTime) {
  EXPECT_EQ(nearest_event(trace, lane, 1'030, kAllKnown), call(10)) << "it lasts from 1,000 to 1,060";
  EXPECT_EQ(nearest_event(trace, lane, 1'070, kAllKnown), call(10)) << "11 ns after its last";
  EXPECT_EQ(nearest_event(trace, lane, 1'090, kAllKnown), call(11)) << "10 ns before it";
  EXPECT_EQ(nearest_event(trace, lane, -500, kAllKnown), call(0));
  EXPECT_EQ(nearest_event(trace, lane, 1'000'000, kAllKnown), call(999));
}

TEST_F(NeighboursTest, AboveAndBelow) {
  const LaneId kernels = build.lane(LaneKind::Kernels);
  const LaneId empty = build.lane(LaneKind::CopyH2D);
  const std::vector<LaneId> lanes{build.lane(LaneKind::Iterations), lane, empty, kernels};
  const auto kernel = in_order(trace, kernels);
  // Call 10 lies before both kernels; its nearest is the first. The empty lane is passed.
  EXPECT_EQ(event_on_next_lane(trace, call(10), lanes, Along::Forth, kAllKnown), kernel[0]);
  // The middle of the second kernel, 92,500, is where call 925 begins.
  EXPECT_EQ(event_on_next_lane(trace, kernel[1], lanes, Along::Back, kAllKnown), call(925));
  EXPECT_FALSE(event_on_next_lane(trace, kernel[1], lanes, Along::Forth, kAllKnown).has_value());
}

TEST_F(NeighboursTest, IterationsByTimeAndByNumber) {
  EXPECT_EQ(iteration_at(trace, 25'000, kAllKnown)->event.a, 42u);
  EXPECT_EQ(iteration_at(trace, 29'800, kAllKnown)->event.a, 43u) << "between two: the nearer";
  EXPECT_EQ(iteration_numbers(trace, kAllKnown), (std::pair{40u, 49u}));
  EXPECT_EQ(iteration_numbers(trace, 30'000), (std::pair{40u, 42u}));
  EXPECT_EQ(iteration_numbered(trace, 47, kAllKnown)->event.start_ns, 70'000);
  EXPECT_FALSE(iteration_numbered(trace, 50, kAllKnown).has_value());
  EXPECT_FALSE(iteration_numbered(trace, 47, 70'000).has_value()) << "not yet known";
}

// 10 ns are a pixel, 0 is at pixel 100: call 20 lasts from pixel 300 to 306, call 21 begins at 310.
TEST_F(NeighboursTest, TimesSnapToEdges) {
  const TimeAxis axis(0, 10, 100, 800);
  const auto at = [&](float x, float reach = kSnapPx) { return snap_on(trace, lane, axis, x, reach); };
  EXPECT_EQ(at(301)->at, 2'000);
  EXPECT_FALSE(at(301)->end);
  EXPECT_EQ(at(305)->at, 2'060);
  EXPECT_TRUE(at(305)->end);
  EXPECT_EQ(at(309)->at, 2'100);
  EXPECT_EQ(at(309)->event, call(21));
  EXPECT_FALSE(at(303, 2.5f).has_value()) << "three pixels from either edge";
  EXPECT_EQ(at(94)->at, 0) << "six pixels are near enough";
  EXPECT_FALSE(at(93.5f).has_value());
}

}  // namespace
}  // namespace lanescope::ui
