#include "timeline/marks.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "base/error.h"
#include "model/timeline/marks_json.h"
#include "refusal.h"
#include "timeline/mark_shapes.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::HasSubstr;
using trace::LaneKind;

TEST(Marks, MeasureSaysHowLongAndHowOften) {
  EXPECT_EQ(measure_text(268'400), base::format_duration(268'400) + "  ·  3,726 /s");  // 1e9 / 268,400 = 3,725.8
  EXPECT_EQ(measure_text(250), base::format_duration(250) + "  ·  4.00 M /s");
  EXPECT_EQ(measure_text(40'000'000'000), base::format_duration(40'000'000'000) + "  ·  0.025 /s");
  EXPECT_EQ(measure_text(0), base::format_duration(0));  // no rate
}

TEST(Marks, BookmarksStandByTimeAndAreFoundFromAnywhere) {
  Marks marks;
  const auto late = marks.add_bookmark({0, 300, 10, "", ""});
  const auto early = marks.add_bookmark({0, 100, 10, "", "here"});
  ASSERT_EQ(marks.bookmarks.size(), 2u);
  EXPECT_EQ(marks.bookmarks[0].id, early);
  EXPECT_EQ(marks.after(100)->id, late);
  EXPECT_EQ(marks.after(99)->id, early);
  EXPECT_EQ(marks.after(300), nullptr);
  EXPECT_EQ(marks.before(300)->id, early);
  EXPECT_EQ(marks.before(100), nullptr);
  marks.shown = early;
  const auto version = marks.version();
  marks.remove(early);
  EXPECT_FALSE(marks.shown);
  EXPECT_GT(marks.version(), version);
  marks.remove(12345);  // no such mark
  EXPECT_EQ(marks.count(), 1u);
}

TEST(Marks, ARulerLiesFromTheEarlierToTheLater) {
  Marks marks;
  const auto id = marks.add_ruler(500, 200, "lane");
  EXPECT_EQ(*marks.ruler(id), (Measure{id, 200, 500, "lane"}));
}

TEST(Marks, TravelAsJson) {
  Marks marks;
  EXPECT_EQ(marks_to_json(marks), "");
  marks.add_ruler(std::int64_t{1} << 60, (std::int64_t{1} << 60) + 7, "2|CUDA calls|lanescope|0|0");
  marks.add_bookmark({0, -5, 1e6, "", "the first \"item()\" · 中文"});
  const Marks back = marks_from_json(marks_to_json(marks));
  ASSERT_EQ(back.rulers.size(), 1u);
  EXPECT_EQ(back.rulers[0].to - back.rulers[0].from, 7);  // no double in between
  EXPECT_EQ(back.rulers[0].lane, marks.rulers[0].lane);
  ASSERT_EQ(back.bookmarks.size(), 1u);
  EXPECT_EQ(back.bookmarks[0].text, marks.bookmarks[0].text);
  EXPECT_EQ(back.bookmarks[0].at, -5);
  EXPECT_EQ(back.bookmarks[0].span_ns, 1e6);
}

TEST(Marks, BrokenJsonIsRefusedWithThePlace) {
  const auto says = [](const char* json) { return refusal<base::UsageError>([&] { marks_from_json(json); }); };
  EXPECT_THAT(says("{"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(says("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(says(R"({"rulers": 3})"), HasSubstr("rulers: must be a list"));
  EXPECT_THAT(says(R"({"rulers": [{"from": 1, "to": 2}, 7]})"), HasSubstr("rulers[1]: must be an object"));
  EXPECT_THAT(says(R"({"rulers": [{"from": 1.5, "to": 2}]})"), HasSubstr("rulers[0].from"));
  EXPECT_THAT(says(R"({"bookmarks": [{"at": 1, "text": 5}]})"), HasSubstr("bookmarks[0].text"));
  // Found by fuzzing: 64 bits do not hold the first, and may not hold how far two like the second are apart.
  EXPECT_THAT(says(R"({"rulers": [{"from": 12222222222222222400, "to": 5}]})"),
              HasSubstr("rulers[0].from: must be a whole number of nanoseconds, at most 73 years"));
  EXPECT_THAT(says(R"({"bookmarks": [{"at": -2400000000000000000}]})"), HasSubstr("bookmarks[0].at"));
  EXPECT_EQ(marks_from_json(R"({"bookmarks": [{"at": 1, "span": 1e300}]})").bookmarks[0].span_ns, 0x1p61);
}

// One lane of calls, drawn 1 ns to the pixel from 0 at the left edge, x = 120.
class MarkShapesTest : public testing::Test {
 protected:
  MarkShapesTest() {
    t.kernel({0, 100}, {100, 300});
    t.publish();
    timeline.sync(trace);
    timeline.prepare(frame, axis, area);
  }
  MarkShapes shapes() { return mark_shapes(surface, marks); }
  std::string calls_key() { return *timeline.key_of(0); }

  trace::Trace trace;
  TraceBuilder t{trace};
  Timeline timeline;
  const Rect area{0, 0, 1120, 400};
  const TimeAxis axis{0, 1.0, 120, 1000};
  const TimelineFrame frame{trace, nullptr, theme(ThemeName::Dark), 1000};
  const MarkSurface surface{frame, timeline, axis, area, timeline.rows(), timeline.top()};
  Marks marks;
};

TEST_F(MarkShapesTest, ARulerLiesOnItsLaneWithItsTextInside) {
  marks.add_ruler(100, 500, calls_key());
  const MarkShapes found = shapes();
  ASSERT_EQ(found.rulers.size(), 1u);
  const RulerShape& r = found.rulers[0];
  EXPECT_FLOAT_EQ(r.x0, 220);  // 120 + 100
  EXPECT_FLOAT_EQ(r.x1, 620);
  const Rect lane = *timeline.lane_rect(0);
  EXPECT_GE(r.y, lane.y);
  EXPECT_LE(r.y, lane.y + lane.height);
  EXPECT_GT(r.label.x, r.x0);
  EXPECT_LT(r.label.x + r.label.width, r.x1);
}

// Two threads with lanes of the same kind and name: a ruler stays on the one where it was laid.
TEST_F(MarkShapesTest, OfLanesThatAreAlikeItIsTheRightOne) {
  t.launch(0, 100, 2, 7);
  t.publish();
  timeline.sync(trace);
  timeline.prepare(frame, axis, area);
  const trace::LaneId other = t.lane(trace::LaneKind::Calls, 7);
  ASSERT_EQ(lane_key(trace.lane(0).info()), lane_key(trace.lane(other).info()));
  marks.add_ruler(100, 500, *timeline.key_of(0));
  marks.add_ruler(100, 500, *timeline.key_of(other));
  const MarkShapes found = shapes();
  ASSERT_EQ(found.rulers.size(), 2u);
  for (const auto& [ruler, lane] : {std::pair{0, trace::LaneId{0}}, std::pair{1, other}}) {
    const Rect row = *timeline.lane_rect(lane);
    EXPECT_GE(found.rulers[static_cast<std::size_t>(ruler)].y, row.y);
    EXPECT_LE(found.rulers[static_cast<std::size_t>(ruler)].y, row.y + row.height);
  }
}

TEST_F(MarkShapesTest, RulersThatWouldCoverEachOtherLieBelowEachOther) {
  marks.add_ruler(100, 500, calls_key());
  marks.add_ruler(200, 600, calls_key());
  marks.add_ruler(800, 990, calls_key());
  const MarkShapes found = shapes();
  ASSERT_EQ(found.rulers.size(), 3u);
  EXPECT_GE(found.rulers[1].y, found.rulers[0].y + 17);
  EXPECT_EQ(found.rulers[2].y, found.rulers[0].y);  // beside it there is room
}

TEST_F(MarkShapesTest, EndsAreCaughtBeforeTheBody) {
  const auto id = marks.add_ruler(100, 500, calls_key());
  const MarkShapes found = shapes();
  const float y = found.rulers[0].y;
  EXPECT_EQ(hit_mark(found, 223, y)->part, RulerPart::From);
  EXPECT_EQ(hit_mark(found, 616, y)->part, RulerPart::To);
  EXPECT_EQ(hit_mark(found, 300, y)->part, RulerPart::Body);
  EXPECT_EQ(hit_mark(found, 300, y)->id, id);
  EXPECT_FALSE(hit_mark(found, 300, y + 30));
  EXPECT_FALSE(hit_mark(found, 700, y));
}

TEST_F(MarkShapesTest, WhatIsOutOfViewHasNoShape) {
  marks.add_ruler(2000, 3000, calls_key());
  marks.add_bookmark({0, 1500, 10, "", ""});
  EXPECT_TRUE(shapes().rulers.empty());
  EXPECT_TRUE(shapes().bookmarks.empty());
  marks.add_ruler(500, 3000, "");  // reaches beyond the view: its text stands in what is seen of it
  ASSERT_EQ(shapes().rulers.size(), 1u);
  EXPECT_LT(shapes().rulers[0].label.x + shapes().rulers[0].label.width, axis.right_px());
}

TEST_F(MarkShapesTest, BookmarksAreNumberedNotesAreNot) {
  marks.add_bookmark({0, 100, 10, "", ""});
  marks.add_bookmark({0, 200, 10, calls_key(), "look here"});
  marks.add_bookmark({0, 300, 10, "", ""});
  const MarkShapes found = shapes();
  ASSERT_EQ(found.bookmarks.size(), 3u);
  EXPECT_EQ(found.bookmarks[0].text, "1");
  EXPECT_TRUE(found.bookmarks[1].note);
  EXPECT_EQ(found.bookmarks[1].text, "look here");
  EXPECT_EQ(found.bookmarks[2].text, "2");
  EXPECT_EQ(hit_mark(found, found.bookmarks[2].body.x + 2, found.bookmarks[2].body.y + 2)->id, marks.bookmarks[2].id);
}

}  // namespace
}  // namespace lanescope::ui
