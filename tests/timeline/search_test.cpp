#include "inspect/search.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "timeline/found_marks.h"
#include "timeline/theme.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneKind;

class SearchTest : public testing::Test {
 protected:
  void find(const std::string& text) {
    search.open = true;
    search.text = text;
    search.ask(text);
    settle();
  }
  void settle() {
    do {
      now += std::chrono::milliseconds(200);
      search.update(shared, now);
    } while (search.busy());
  }
  std::vector<Nanoseconds> starts() const {
    std::vector<Nanoseconds> result;
    for (const EventRef& e : search.found) result.push_back(e.event.start_ns);
    return result;
  }

  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  TraceBuilder build{trace};
  SearchState search;
  SearchState::Clock::time_point now = SearchState::Clock::now();
};

TEST_F(SearchTest, FindsInTimeOrderOverAllLanes) {
  build.call("copy one", 300, 350);
  build.add(build.lane(LaneKind::Kernels), EventKind::Kernel, "copy two", 100, 200);
  build.add(build.lane(LaneKind::Kernels, 1), EventKind::Kernel, "copy three", 150, 600);  // another stream
  build.kernel(400, 500);
  build.add(build.lane(LaneKind::Markers), EventKind::Marker, "copy 1 → 2", 50, 50);
  build.add(build.lane(LaneKind::Counter), EventKind::Counter, "copy rate", 60, 60);  // a sample is no event
  build.publish();
  find("copy");
  EXPECT_THAT(starts(), ElementsAre(50, 100, 150, 300));
  EXPECT_EQ(search.total, 4u);
  EXPECT_TRUE(search.complete());
  find("copy -two");
  EXPECT_THAT(starts(), ElementsAre(50, 150, 300));
  find("");
  EXPECT_FALSE(search.asked());
  EXPECT_THAT(starts(), IsEmpty());
}

// 1 ns is a pixel and 0 is at pixel 120: the marker is a line across all lanes, as wide as two pixels.
TEST_F(SearchTest, AMarkerThatWasFoundStandsAcrossTheLanes) {
  build.kernel(400, 500);
  build.add(build.lane(LaneKind::Markers), EventKind::Marker, "epoch 2", 250, 250);
  build.publish();
  find("epoch");
  ASSERT_EQ(search.found.size(), 1u);
  Timeline timeline;
  const TimeAxis axis(0, 1.0, 120, 1000);
  const Rect area{0, 0, 1120, 300};
  const TimelineFrame frame{trace, nullptr, theme(ThemeName::Dark), 1'000};
  timeline.sync(trace);
  timeline.prepare(frame, axis, area);
  SpanBatch rows, top;
  const MarkSurface surface{frame, timeline, axis, area, rows, top};
  add_found(surface, search);
  ASSERT_EQ(rows.spans.size(), 1u);
  EXPECT_FLOAT_EQ(rows.spans[0].x0, 369);
  EXPECT_FLOAT_EQ(rows.spans[0].x1, 371);
  EXPECT_FLOAT_EQ(rows.spans[0].y0, Timeline::kRulerHeight);
  EXPECT_FLOAT_EQ(rows.spans[0].y1, 300);
}

// A range is reported when it ends: the one from 50 comes after events that began later.
TEST_F(SearchTest, GoesOnWithTheRunAndKeepsTheOrder) {
  build.call("f", 100, 150);
  build.publish();
  find("f");
  EXPECT_THAT(starts(), ElementsAre(100));
  build.call("f", 300, 350);
  build.range("phase f", 50, 400);
  build.publish();
  settle();
  EXPECT_THAT(starts(), ElementsAre(50, 100, 300));
  EXPECT_EQ(search.total, 3u);
  ASSERT_EQ(search.by_row().size(), 2u);
  EXPECT_THAT(search.by_row().begin()->second.starts, testing::SizeIs(2)) << "by sub-row";
}

TEST_F(SearchTest, WhatIsAskedForAgainIsFoundOnce) {
  for (int i = 0; i < 20'000; ++i) build.kernel(i * 100, i * 100 + 50);  // too many for one frame
  build.publish();
  search.open = true;
  search.ask("kernel");
  search.update(shared, now);
  EXPECT_TRUE(search.busy());
  search.ask("nothing");
  search.ask("kernel");
  settle();
  EXPECT_EQ(search.total, 20'000u);
  EXPECT_EQ(search.found.size(), 20'000u);
  search.ask("nothing");
  settle();
  EXPECT_EQ(search.total, 0u);
  EXPECT_FALSE(search.searching());
}

TEST_F(SearchTest, NothingFoundSaysWhatIsNear) {
  build.kernel(0, 10);
  build.publish();
  find("kernal");
  EXPECT_EQ(search.total, 0u);
  EXPECT_THAT(search.near(), ElementsAre("kernel"));
}

// Slices of about 100 of 1,000 events, given by two rows in turns: every event once, in order, the first 30 kept.
TEST_F(SearchTest, ReadsInSlicesOfTimeAndKeepsTheFirst) {
  for (int i = 0; i < 500; ++i) {
    build.kernel(i * 100, i * 100 + 10, 0, 0);
    build.kernel(i * 100 + 50, i * 100 + 60, 0, 1);
  }
  build.publish();
  analysis::Finder finder({.names = analysis::NameQuery("kernel")});
  std::uint64_t count = 0;
  std::vector<Nanoseconds> kept;
  int slices = 0;
  for (bool more = true; more; ++slices) {
    const analysis::Finder::Batch batch = finder.next(trace, 30 - kept.size(), {}, 100);
    more = batch.more;
    count += batch.count;
    for (const EventRef& e : batch.events) kept.push_back(e.event.start_ns);
    EXPECT_LE(batch.count, 200u);
  }
  EXPECT_EQ(count, 1000u);
  EXPECT_GE(slices, 5);
  ASSERT_EQ(kept.size(), 30u);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], static_cast<Nanoseconds>(i) * 50);
  EXPECT_EQ(finder.next(trace, 30, {}, 100).count, 0u);
}

TEST_F(SearchTest, WalksFromTheViewAndWrapsAround) {
  for (const int t : {100, 200, 300}) build.kernel(t, t + 10);
  build.publish();
  EXPECT_FALSE(next_found(search, true, 0));
  find("kernel");
  EXPECT_EQ(next_found(search, true, 150), 1u);
  EXPECT_EQ(next_found(search, false, 150), 0u);
  EXPECT_EQ(next_found(search, true, 301), 0u);
  search.at = 2;
  EXPECT_EQ(next_found(search, true, 0), 0u);
  EXPECT_EQ(next_found(search, false, 0), 1u);
}

// 10 ns are a pixel: starts at 0, 10 and 1000 ns are at 0, 1 and 100 px; two within 2 px are one tick.
TEST_F(SearchTest, TicksAreAtLeastTwoPixelsApart) {
  for (const int t : {0, 10, 1000, 99'000}) build.kernel(t, t + 5);
  build.publish();
  find("kernel");
  EXPECT_THAT(found_ticks(search, TimeAxis(0, 10, 0, 500)), ElementsAre(0.0f, 100.0f));
}

TEST_F(SearchTest, WhatWasFoundIsOutlinedByItsPixels) {
  for (int i = 0; i < 5000; ++i) build.kernel(i * 10, i * 10 + 5);
  build.kernel(100'000, 150'000);
  build.publish();
  find("kernel");
  Timeline timeline;
  timeline.sync(trace);
  const TimelineFrame frame{trace, nullptr, theme(ThemeName::Dark), Nanoseconds{1} << 60};
  const TimeAxis axis(0, 200, 118, 1000);
  const Rect area{0, 0, 1118, 400};
  timeline.prepare(frame, axis, area);
  const std::size_t before = timeline.rows().spans.size();
  add_found({frame, timeline, axis, area, timeline.rows(), timeline.top()}, search);
  const auto& spans = timeline.rows().spans;
  const std::size_t outlines = spans.size() - before;
  // 50,000 ns are 250 px, an outline for 3 px at least: at most 84, and one for the long kernel.
  EXPECT_LE(outlines, 85u);
  EXPECT_GE(outlines, 40u);
  EXPECT_FLOAT_EQ(spans.back().x0, 118 + 500);
  EXPECT_FLOAT_EQ(spans.back().x1, 118 + 750);
  EXPECT_EQ(spans.back().style, SpanStyle::Outline);
}

}  // namespace
}  // namespace lanescope::ui
