// How causes are drawn: outlines of the selection and of related events.
#include "timeline/mark_shapes.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using trace::EventKind;

// 10 ns are a pixel, 0 ns is at pixel 108. A launch at 500 to 700, its kernel at 1000 to 2000; the GPU idles from 2000
// to 5000.
class CauseMarksTest : public DrawnTrace {
 protected:
  CauseMarksTest() {
    build.kernel({500, 700}, {1000, 2000});
    build.kernel(5000, 6000, 2);
    build.add(build.lane(LaneKind::Markers), EventKind::Marker, "here", 3000, 3000);
    build.publish();
    analysis.emplace(trace);
    frame.analysis = &*analysis;
    timeline.sync(trace);
    timeline.prepare(frame, axis, area);
  }
  EventRef first_of(LaneKind kind) {
    for (LaneId lane = 0; lane < trace.lane_count(); ++lane) {
      if (trace.lane(lane).info().kind == kind) return event_ref(lane, 0, trace.lane(lane).row(0), 0);
    }
    return {};
  }
  std::vector<Span> drawn() {
    rows.clear();
    add_causes({frame, timeline, axis, area, rows, top}, cause);
    return rows.spans;
  }
  /// The outlines of this colour; an outline is two pixels outside its event.
  std::vector<Span> outlines(Colour colour) {
    std::vector<Span> found = spans_of(rows, SpanStyle::Outline);
    std::erase_if(found, [&](const Span& span) { return span.ink != colours[colour]; });
    return found;
  }

  const Rect area{0, 0, 1024, 600};
  const TimeAxis axis{0, 10.0, 108, 900};
  Selection selection;
  TimelineFrame frame{trace, nullptr, colours, kAllKnown, false, 0, &selection};
  std::optional<Finished> analysis;
  Timeline timeline;
  CauseState cause;
  SpanBatch rows, top;
};

TEST_F(CauseMarksTest, TheSelectedCallIsOutlinedAndItsKernelInAnotherColour) {
  selection.event = first_of(LaneKind::Calls);
  selection.linked = first_of(LaneKind::Kernels);
  drawn();
  const Rect row = *timeline.lane_rect(trace, LaneKind::Calls);
  ASSERT_EQ(outlines(Colour::Selection).size(), 1u);
  const Span call = outlines(Colour::Selection)[0];
  EXPECT_FLOAT_EQ(call.x0, 156);  // 108 + 50 - 2
  EXPECT_FLOAT_EQ(call.x1, 180);
  EXPECT_FLOAT_EQ(call.y0, row.y - 2);
  EXPECT_FLOAT_EQ(call.y1, row.y + row.height + 2);
  ASSERT_EQ(outlines(Colour::SelectionLink).size(), 1u);
  EXPECT_FLOAT_EQ(outlines(Colour::SelectionLink)[0].x0, 206);
  EXPECT_FLOAT_EQ(outlines(Colour::SelectionLink)[0].x1, 310);
  EXPECT_FALSE(spans_filled(rows, colours[Colour::SelectionLink]).empty()) << "the arrow from one to the other";
}

TEST_F(CauseMarksTest, TheSelectedBubbleIsOutlinedInTheRowOfKernels) {
  selection.bubble = analysis::Bubble{2000, 5000, analysis::BubbleCause::AfterSync};
  drawn();
  const Rect row = *timeline.lane_rect(trace, LaneKind::Kernels);
  ASSERT_EQ(outlines(Colour::Selection).size(), 1u);
  const Span bubble = outlines(Colour::Selection)[0];
  EXPECT_FLOAT_EQ(bubble.x0, 306);
  EXPECT_FLOAT_EQ(bubble.x1, 610);
  EXPECT_FLOAT_EQ(bubble.y0, row.y - 2);
  EXPECT_FLOAT_EQ(bubble.y1, row.y + row.height + 2);
}

TEST_F(CauseMarksTest, ASelectedMarkerStandsAcrossTheLanes) {
  selection.event = first_of(LaneKind::Markers);
  const std::vector<Span> spans = drawn();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_FLOAT_EQ(spans[0].x0, 407);
  EXPECT_FLOAT_EQ(spans[0].y1, 600);
  EXPECT_EQ(spans[0].colour, colours[Colour::Selection]);
}

TEST_F(CauseMarksTest, NothingSelectedNothingDrawn) { EXPECT_TRUE(drawn().empty()); }

}  // namespace
}  // namespace lanescope::ui
