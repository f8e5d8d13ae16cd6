// Calls that last: their bars in the timeline, and the view that follows them.
#include <gmock/gmock.h>

#include "model/timeline/view_control.h"
#include "timeline/drawn.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// 10 ns are a pixel, 0 ns is at pixel 108; the view ends at 9000 ns, pixel 1008.
const Rect kOpenCallArea{0, 40, 1024, 600};
const TimeAxis kAxis(0, 10.0, 108, 900);

class OpenCallTest : public testing::Test {
 protected:
  OpenCallTest() {
    build.iteration(0, 900);
    build.call("cudaLaunchKernel", 1000, 2000);
    build.kernel(1200, 1900);
    build.publish();
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      if (trace.lane(static_cast<LaneId>(l)).info().kind == LaneKind::Calls) calls = static_cast<LaneId>(l);
    }
    sync = trace.names().intern("cudaStreamSynchronize");
  }
  void prepare(const std::vector<trace::OpenCall>& open, Nanoseconds now, const TimeAxis& axis = kAxis) {
    shown = open;
    TimelineFrame frame{trace, nullptr, colours, 2000, true, 0, nullptr};
    frame.open_calls = shown;
    frame.now = now;
    timeline.sync(trace);
    timeline.prepare(frame, axis, kOpenCallArea);
  }
  std::optional<TimelineHit> hit(float x, float y) {
    return timeline.hit({trace, nullptr, colours, 2000, true, 0, nullptr}, kAxis, x, y);
  }
  std::vector<Span> bars() { return spans_of(timeline.rows(), SpanStyle::Hatched); }

  trace::Trace trace;
  TraceBuilder build{trace};
  const Theme& colours = theme(ThemeName::Dark);
  Timeline timeline;
  LaneId calls = 0;
  trace::NameId sync = 0;
  std::vector<trace::OpenCall> shown;
};

// From 3000 to 8000 ns: pixels 408 to 908, over what is not known yet, in the row of its lane.
TEST_F(OpenCallTest, IsABarFromItsStartToNow) {
  prepare({{calls, sync, 3000}}, 8000);
  ASSERT_THAT(edges(bars()), ElementsAre(Pair(408.0f, 908.0f)));
  const Rect row = *timeline.lane_rect(calls);
  EXPECT_FLOAT_EQ(bars()[0].y0, row.y);
  EXPECT_FLOAT_EQ(bars()[0].y1, row.y + 34);
  EXPECT_EQ(bars()[0].ink, wait_hatching(colours, false).ink) << "it may cost nothing";
  const auto place = [&](SpanStyle style) {
    const auto& spans = timeline.rows().spans;
    return std::find_if(spans.rbegin(), spans.rend(), [&](const Span& s) { return s.style == style; }) - spans.rbegin();
  };
  EXPECT_LT(place(SpanStyle::Hatched), place(SpanStyle::Unknown)) << "it lies over the unknown";
  EXPECT_EQ(label_with(timeline.rows(), "so far").text, "cudaStreamSynchronize so far 5 µs");
}

// It fades over its last 30 pixels, in steps that reach to now.
TEST_F(OpenCallTest, ItsRightEndIsOpen) {
  prepare({{calls, sync, 3000}}, 8000);
  float x = 878;
  std::uint32_t before = 0;
  int steps = 0;
  for (const Span& span : timeline.rows().spans) {
    if (span.style != SpanStyle::Solid || span.x0 < 877.9f || span.x1 > 908.1f || span.y1 - span.y0 != 34) continue;
    EXPECT_NEAR(span.x0, x, 0.01);
    EXPECT_GT(span.colour >> 24, before) << "each hides more than the one before";
    before = span.colour >> 24;
    x = span.x1;
    ++steps;
  }
  EXPECT_GE(steps, 4);
  EXPECT_NEAR(x, 908, 0.01);
}

TEST_F(OpenCallTest, ANarrowOneIsShortOfWords) {
  prepare({{calls, sync, 3000}}, 4200);  // 120 pixels
  EXPECT_EQ(label_with(timeline.rows(), "so far").text, "so far 1.2 µs");
  prepare({{calls, sync, 3000}}, 3300);  // 30 pixels
  EXPECT_FALSE(has_label(timeline.rows(), "so far"));
  EXPECT_THAT(edges(bars()), ElementsAre(Pair(408.0f, 438.0f)));
}

// One that began before the view, and reaches beyond: the words stay on the screen.
TEST_F(OpenCallTest, IsCutAtTheViewsEdges) {
  const TimeAxis later(5000, 10.0, 108, 900);
  prepare({{calls, sync, 3000}}, 50'000, later);
  ASSERT_THAT(edges(bars()), ElementsAre(Pair(100.0f, 1016.0f)));
  const Label label = label_with(timeline.rows(), "so far 47 µs");
  EXPECT_GE(label.x, 108);
  EXPECT_LE(label.x + label.max_width, 1008);
  prepare({{calls, sync, 3000}}, 4000, later);  // before the view
  EXPECT_THAT(bars(), IsEmpty());
}

// The trace has a call of this lane that began with it or later: it has come back, and is drawn as what it is.
TEST_F(OpenCallTest, WhatTheTraceHasIsNotDrawnTwice) {
  prepare({{calls, sync, 1000}}, 8000);
  EXPECT_THAT(bars(), IsEmpty());
  // And where it overlaps one that is known, it begins behind it: at 2000 ns, pixel 308.
  prepare({{calls, sync, 1500}}, 8000);
  EXPECT_THAT(edges(bars()), ElementsAre(Pair(308.0f, 908.0f)));
  EXPECT_TRUE(has_label(timeline.rows(), "so far 6.5 µs")) << "counted from its start all the same";
}

TEST_F(OpenCallTest, OfAnUnknownLaneOrOfTheFutureIsNotDrawn) {
  prepare({{calls, sync, 9000}}, 8000);
  EXPECT_THAT(bars(), IsEmpty());
  prepare({{static_cast<LaneId>(trace.lane_count() + 5), sync, 3000}}, 8000);
  EXPECT_THAT(bars(), IsEmpty());
  prepare({}, 8000);
  EXPECT_THAT(bars(), IsEmpty());
}

TEST_F(OpenCallTest, IsUnderTheMouse) {
  prepare({{calls, sync, 3000}}, 8000);
  const float y = timeline.lane_rect(calls)->y + 10;
  const auto found = hit(600, y);
  ASSERT_TRUE(found.has_value());
  ASSERT_TRUE(found->open.has_value());
  EXPECT_EQ(found->open->start_ns, 3000);
  EXPECT_EQ(found->lane, calls);
  EXPECT_FALSE(found->event.has_value());
  const auto known = hit(260, y);  // 1520 ns: the call that is back
  ASSERT_TRUE(known.has_value());
  EXPECT_FALSE(known->open.has_value());
  EXPECT_TRUE(known->event.has_value());
  EXPECT_FALSE(hit(950, y).has_value());
}

// --- the view that follows ----------------------------------------------------------------------------------------

constexpr Nanoseconds kMs = 1'000'000;

class FollowedEdgeTest : public testing::Test {
 protected:
  /// Frames of 16 ms on the same spot until it has glided to its end.
  Nanoseconds settled(Nanoseconds live_edge, Nanoseconds now, bool open) {
    Nanoseconds at = edge.update(live_edge, now, open, 0.016);
    for (int i = 0; i < 200 && edge.gliding(); ++i) at = edge.update(live_edge, now, open, 0.016);
    return at;
  }
  FollowedEdge edge;
};

TEST_F(FollowedEdgeTest, IsTheLiveEdgeWhileThatKeepsUp) {
  EXPECT_EQ(settled(1000 * kMs, 1030 * kMs, false), 1000 * kMs);
  EXPECT_EQ(settled(1000 * kMs, 1149 * kMs, true), 1000 * kMs);
  // Far behind, but nothing lasts: there is nothing to be seen in the unknown.
  EXPECT_EQ(settled(1000 * kMs, 1500 * kMs, false), 1000 * kMs);
  EXPECT_FALSE(edge.follows_now());
}

TEST_F(FollowedEdgeTest, FollowsNowWhileACallLastsAndTheLiveEdgeIsFarBehind) {
  EXPECT_EQ(settled(1000 * kMs, 1151 * kMs, true), 1151 * kMs);
  EXPECT_TRUE(edge.follows_now());
  EXPECT_EQ(settled(1000 * kMs, 1400 * kMs, true), 1400 * kMs);
}

// The call is back, its record is on the way: the view waits for the live edge instead of jumping back to it.
TEST_F(FollowedEdgeTest, StaysUntilTheLiveEdgeHasComeNear) {
  settled(1000 * kMs, 1400 * kMs, true);
  EXPECT_EQ(edge.update(1000 * kMs, 1416 * kMs, false, 0.016), 1416 * kMs);
  EXPECT_EQ(settled(1400 * kMs, 1432 * kMs, false), 1400 * kMs);
  EXPECT_FALSE(edge.follows_now());
}

TEST_F(FollowedEdgeTest, DoesNotWaitForeverForALiveEdgeThatDoesNotCome) {
  settled(1000 * kMs, 1400 * kMs, true);
  for (int i = 0; i < 120; ++i) edge.update(1000 * kMs, 1400 * kMs, false, 0.016);  // 1.92 s
  EXPECT_TRUE(edge.follows_now());
  EXPECT_EQ(settled(1000 * kMs, 1400 * kMs, false), 1400 * kMs);
  for (int i = 0; i < 8; ++i) edge.update(1000 * kMs, 1400 * kMs, false, 0.016);
  EXPECT_FALSE(edge.follows_now());
  EXPECT_EQ(settled(1000 * kMs, 1400 * kMs, false), 1000 * kMs);
}

// Neither going there nor coming back jumps: no frame moves further than the glide's first step, a quarter of the way.
TEST_F(FollowedEdgeTest, Glides) {
  Nanoseconds live = 1000 * kMs;
  Nanoseconds at = settled(live, live + 140 * kMs, true);
  ASSERT_EQ(at, live);
  Nanoseconds now = live + 140 * kMs;
  for (int i = 0; i < 60; ++i) {
    now += 16 * kMs;
    if (i == 30) live = now - 20 * kMs;  // the record has come
    if (i > 30) live += 16 * kMs;
    const Nanoseconds next = edge.update(live, now, i < 30, 0.016);
    // A quarter of 156 ms or of 476 ms, and what time itself goes on.
    EXPECT_LE(std::abs(next - at), 60 * kMs) << i;
    at = next;
  }
  EXPECT_NEAR(static_cast<double>(at), static_cast<double>(live), 1.0 * kMs);
}

}  // namespace
}  // namespace lanescope::ui
