// The order, groups and heights of lanes: as rectangles, without a window.
#include "timeline/lane_layout.h"

#include <gmock/gmock.h>

#include "shell/lane_hands.h"
#include "timeline/drawn.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneInfo;

std::vector<std::string> names(const std::vector<OrderedLane>& entries) {
  std::vector<std::string> found;
  for (const OrderedLane& entry : entries) found.push_back(entry.key == kRunAheadKey ? "curve" : entry.name);
  return found;
}

// Process and thread ids differ in every run; the index of a lane among similar ones does not.
TEST(LaneKey, HoldsForTheNextRun) {
  trace::Trace first;
  trace::Trace second;
  for (const auto& [trace, pid, tid] : {std::tuple{&first, 100, 7}, std::tuple{&second, 200, 90}}) {
    trace->add_lane(cpu(LaneKind::Calls, "calls", tid, pid));
    trace->add_lane(cpu(LaneKind::Calls, "calls", tid + 1, pid));
    trace->add_lane(gpu(LaneKind::Kernels, "kernels", 0, 7));
  }
  EXPECT_EQ(lane_keys(first), lane_keys(second));
  const auto keys = lane_keys(first);
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_EQ(keys[0], lane_key(first.lane(0).info()));
}

TEST(LaneLayout, KeepsThePlacesOfLanesThatARunDoesNotHave) {
  LaneLayout layout;
  layout.set_order({"a", "gone", "b", "c"});
  layout.reorder({"c", "a", "b"});
  EXPECT_THAT(layout.order(), ElementsAre("c", "a", "gone", "b"));
  layout.set_order({"gone", "a", "b"});
  layout.reorder({"b", "a"});
  EXPECT_THAT(layout.order(), ElementsAre("gone", "b", "a"));
}

TEST(LaneLayout, EveryChangeHasItsVersion) {
  LaneLayout layout;
  std::uint64_t before = layout.version();
  const auto changed = [&] { return std::exchange(before, layout.version()) != layout.version(); };
  layout.set("a", {.hidden = true, .height = 90});
  EXPECT_TRUE(changed());
  EXPECT_FLOAT_EQ(layout.choice("a").height, LaneLayout::kMostHeight);
  EXPECT_EQ(layout.hidden_count(), 1u);
  layout.fold_group("g", true);
  EXPECT_TRUE(changed());
  EXPECT_TRUE(layout.group_folded("g"));
  layout.set_order({"a"});
  EXPECT_TRUE(changed());
  layout.set_grouping(LaneGrouping::Device);
  EXPECT_TRUE(changed());
  EXPECT_THAT(layout.order(), IsEmpty());
  layout.show_all();
  EXPECT_TRUE(changed());
  EXPECT_EQ(layout.hidden_count(), 0u);
  layout.reset();
  EXPECT_TRUE(changed());
  EXPECT_EQ(layout.grouping(), LaneGrouping::Owner);
  EXPECT_FALSE(layout.group_folded("g"));
}

TEST(MovedKey, StandsBesideTheOther) {
  const std::vector<std::string> order = {"a", "b", "c", "d"};
  EXPECT_THAT(moved_key(order, "a", "c", true), ElementsAre("b", "c", "a", "d"));
  EXPECT_THAT(moved_key(order, "d", "a", false), ElementsAre("d", "a", "b", "c"));
  EXPECT_EQ(moved_key(order, "b", "b", true), order);
}

TEST(SlotAt, IsBehindAllWhoseMiddleIsAbove) {
  std::vector<LanePlace> others(3);
  for (std::size_t i = 0; i < 3; ++i)
    others[i].rect = {0, 100 + 40 * static_cast<float>(i), 10, 20};  // middle 110, ...
  EXPECT_EQ(slot_at(others, 105, 0), 0u);
  EXPECT_EQ(slot_at(others, 115, 0), 1u);
  EXPECT_EQ(slot_at(others, 500, 0), 3u);
  EXPECT_EQ(slot_at(others, 115, 40), 2u) << "those that scroll have moved up";
  others[0].stands_still = others[1].stands_still = true;
  EXPECT_EQ(slot_at(others, 115, 40), 1u);
}

class SeatTest : public testing::Test {
 protected:
  SeatTest() {
    trace.add_lane(cpu(LaneKind::Iterations, "steps", 11));
    trace.add_lane(cpu(LaneKind::Calls, "calls", 11));
    trace.add_lane(cpu(LaneKind::Calls, "calls B", 22));
    trace.add_lane(cpu(LaneKind::Phases, "other", 3, 9, "loader"));
    trace.add_lane(gpu(LaneKind::Kernels, "k7", 0, 7));
    trace.add_lane(gpu(LaneKind::Kernels, "k1", 1, 8));
    trace.add_lane(gpu(LaneKind::CopyH2D, "copies", 0, 7));
  }
  std::vector<std::string> headings() {
    std::vector<std::string> found;
    for (const OrderedLane& entry : ordered_lanes(trace, layout)) {
      if (found.empty() || found.back() != entry.heading) found.push_back(entry.heading);
    }
    return found;
  }
  trace::Trace trace;
  LaneLayout layout;
};

TEST_F(SeatTest, GroupsByThreadAndStreamProcessDeviceOrNot) {
  EXPECT_THAT(headings(), ElementsAre("CPU · python3 · thread 11", "CPU · python3 · thread 22",
                                      "CPU · loader · thread 3", "RUN-AHEAD", "GPU 0 · stream 7", "GPU 1 · stream 8"));
  layout.set_grouping(LaneGrouping::Process);  // a GPU's lanes belong to the program that used it
  EXPECT_THAT(headings(), ElementsAre("python3 · process 5", "loader · process 9", "python3 · process 5"));
  EXPECT_THAT(names(ordered_lanes(trace, layout)),
              ElementsAre("steps", "calls", "calls B", "other", "curve", "k7", "copies", "k1"));
  layout.set_grouping(LaneGrouping::Device);
  EXPECT_THAT(headings(), ElementsAre("CPU", "RUN-AHEAD", "GPU 0", "GPU 1"));
  layout.set_grouping(LaneGrouping::None);
  EXPECT_THAT(headings(), ElementsAre(""));
}

// The name of the only program would be repeated in every heading.
TEST(Seats, ASingleProgramIsNotNamed) {
  trace::Trace trace;
  trace.add_lane(cpu(LaneKind::Calls, "calls", 11));
  LaneInfo other = cpu(LaneKind::Calls, "calls", -247'463'936);
  other.thread = "autograd";
  trace.add_lane(other);
  std::vector<std::string> headings;
  for (const OrderedLane& entry : ordered_lanes(trace, LaneLayout())) headings.push_back(entry.heading);
  EXPECT_THAT(headings, ElementsAre("CPU · thread 4047503360 (autograd)", "CPU · thread 11"));
}

// Each rank numbers its GPUs from 0.
TEST(Seats, RanksHaveTheirOwnGpus) {
  trace::Trace trace;
  for (const std::int64_t pid : {31, 32}) {
    trace.add_lane(cpu(LaneKind::Calls, "calls", 1, pid));
    LaneInfo kernels = gpu(LaneKind::Kernels, "kernels", 0, 7);
    kernels.pid = pid;
    trace.add_lane(kernels);
  }
  LaneLayout layout;
  const auto headings = [&] {
    std::vector<std::string> found;
    for (const OrderedLane& entry : ordered_lanes(trace, layout)) {
      if (entry.lane && (found.empty() || found.back() != entry.heading)) found.push_back(entry.heading);
    }
    return found;
  };
  EXPECT_THAT(headings(), ElementsAre("CPU · python3 · thread 1", "process 31 · GPU 0 · stream 7",
                                      "process 32 · GPU 0 · stream 7"));
  layout.set_grouping(LaneGrouping::Process);
  EXPECT_THAT(headings(), ElementsAre("python3 · process 31", "python3 · process 32", "python3 · process 31",
                                      "python3 · process 32"));
  layout.set_grouping(LaneGrouping::Device);
  EXPECT_THAT(headings(), ElementsAre("CPU", "process 31 · GPU 0", "process 32 · GPU 0"));
}

// They come in any order, and their process numbers say nothing.
TEST(Seats, ProcessesOfAJobAreNamedAndOrderedByRank) {
  trace::Trace trace;
  for (const auto& [rank, pid] : {std::pair{10, 31}, std::pair{2, 32}, std::pair{0, 33}}) {
    const std::string process = "rank " + std::to_string(rank) + " · train.py";
    LaneInfo calls = cpu(LaneKind::Calls, "calls", 0, pid, process);
    calls.rank = rank;
    trace.add_lane(calls);
    LaneInfo kernels = gpu(LaneKind::Kernels, "kernels", rank, 7);
    kernels.pid = pid;
    kernels.process = process;
    kernels.rank = rank;
    trace.add_lane(kernels);
  }
  LaneLayout layout;
  const auto headings = [&](bool of_gpus) {
    std::vector<std::string> found;
    for (const OrderedLane& entry : ordered_lanes(trace, layout)) {
      if (entry.lane && entry.gpu == of_gpus) found.push_back(entry.heading);
    }
    return found;
  };
  EXPECT_THAT(headings(true),
              ElementsAre("rank 0 · GPU 0 · stream 7", "rank 2 · GPU 2 · stream 7", "rank 10 · GPU 10 · stream 7"));
  layout.set_grouping(LaneGrouping::Process);
  EXPECT_THAT(headings(false), ElementsAre("rank 0 · train.py", "rank 2 · train.py", "rank 10 · train.py"));
  EXPECT_THAT(headings(true), ElementsAre("rank 0 · train.py", "rank 2 · train.py", "rank 10 · train.py"));
  layout.set_grouping(LaneGrouping::Device);
  EXPECT_THAT(headings(true), ElementsAre("rank 0 · GPU 0", "rank 2 · GPU 2", "rank 10 · GPU 10"));
}

// Lanes not in the order keep their default position, after their predecessor.
TEST_F(SeatTest, TheOrderOfAPersonHolds) {
  const auto keys = lane_keys(trace);
  layout.set_order({keys[6], keys[4], keys[0]});  // copies, k7, steps
  EXPECT_THAT(names(ordered_lanes(trace, layout)),
              ElementsAre("steps", "calls", "calls B", "other", "curve", "copies", "k1", "k7"));
}

// --- rows ------------------------------------------------------------------------------------------------------------

// Lanes from pixel 108, 10 ns a pixel. Usual places: heading of 22 below the ruler at 70; then rows with gaps of 6.
const Rect kArea{0, 40, 1024, 300};
const TimeAxis kAxis(0, 10.0, 108, 900);

class LaneRowsTest : public DrawnTrace {
 protected:
  LaneRowsTest() {
    build.iteration(0, 6500);
    build.kernel({500, 700}, {1000, 2000});
    build.upload(100, 300, 1000);
    build.publish();
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<LaneId>(l);
      const LaneKind kind = trace.lane(lane).info().kind;
      if (kind == LaneKind::Iterations) iterations = lane;
      if (kind == LaneKind::Calls) calls = lane;
      if (kind == LaneKind::Kernels) kernels = lane;
      if (kind == LaneKind::CopyH2D) copies = lane;
    }
  }
  TimelineFrame frame(double seconds = 0) {
    TimelineFrame frame{trace, nullptr, colours, kAllKnown, false, 0, nullptr, 1, scroll};
    frame.layout = &layout;
    frame.seconds = seconds;
    return frame;
  }
  void prepare(double seconds = 0) {
    timeline.sync(trace, &layout);
    timeline.prepare(frame(seconds), kAxis, kArea);
  }
  void choose(LaneId lane, const LaneChoice& choice) { layout.set(lane_keys(trace)[lane], choice); }
  Rect rect(LaneId lane) { return timeline.lane_rect(lane).value_or(Rect{}); }
  std::optional<TimelineHit> hit(float x, float y) { return timeline.hit(frame(), kAxis, x, y); }
  float height() { return timeline.content_height(frame(), kAxis); }

  LaneLayout layout;
  Timeline timeline;
  LaneId iterations = 0, calls = 0, kernels = 0, copies = 0;
  float scroll = 0;
};

// 70 + 22 = 92 iterations (22), 120 calls (34), then 154 + 6 + 36 = 196 the curve (58), 296 kernels (34), 336 copies.
TEST_F(LaneRowsTest, StandBelowEachOther) {
  prepare();
  EXPECT_FLOAT_EQ(rect(iterations).y, 92);
  EXPECT_FLOAT_EQ(rect(calls).y, 120);
  EXPECT_FLOAT_EQ(timeline.place_of(kRunAheadKey)->rect.y, 196);
  EXPECT_FLOAT_EQ(rect(kernels).y, 296);
  EXPECT_FLOAT_EQ(rect(copies).y, 336);
  EXPECT_FLOAT_EQ(height(), 336 + 22 + 6 + 18 - 40);
  EXPECT_TRUE(timeline.scrolled()[0].rows.empty());
  EXPECT_EQ(timeline.lane_at(125), calls);
  EXPECT_EQ(timeline.place_at(200)->key, kRunAheadKey);
  EXPECT_THAT(timeline.lanes_between(100, 130), ElementsAre(iterations, calls));
}

TEST_F(LaneRowsTest, AFoldedLaneIsAStripWithItsEvents) {
  choose(calls, {.folded = true});
  prepare();
  EXPECT_FLOAT_EQ(rect(calls).height, LaneRow::kFoldedHeight);
  EXPECT_FLOAT_EQ(rect(kernels).y, 296 - 22);
  ASSERT_TRUE(hit(168, 125).has_value());  // the launch is from 158 to 178
  EXPECT_EQ(hit(168, 125)->lane, calls);
  EXPECT_EQ(spans_filled(timeline.rows(), colours[Colour::Launch]).size(), 1u);
  EXPECT_FALSE(hit(168, 120 + 13).has_value()) << "below the strip is a gap";
}

// Nested ranges in one strip: drawn where any of them is, with the outermost ones on top.
TEST_F(LaneRowsTest, SubRowsOfAFoldedLaneLieInOnePlace) {
  const LaneId lane = build.lane(LaneKind::Phases);
  build.add(lane, EventKind::Range, "outer", 1000, 3000);
  build.add(lane, EventKind::Range, "inner", 1500, 2000);
  build.add(lane, EventKind::Range, "late", 2500, 5000);  // pixels 358 to 608
  build.publish();
  choose(lane, {.folded = true});
  prepare();
  const Rect r = rect(lane);
  EXPECT_FLOAT_EQ(r.height, LaneRow::kFoldedHeight);
  const auto name = [&](float x) {
    const auto found = hit(x, r.y + 6);
    return found && found->event ? std::string(trace.names().text(found->event->event.name)) : "";
  };
  EXPECT_EQ(name(270), "outer");
  EXPECT_EQ(name(380), "outer");
  EXPECT_EQ(name(500), "late");
  EXPECT_EQ(name(620), "");
  const EventRef late{lane, 1, 0, trace.lane(lane).row(1).event(0)};
  EXPECT_FLOAT_EQ(timeline.event_rect(late, kAxis)->y, r.y);
}

TEST_F(LaneRowsTest, AFoldedGroupSaysHowManyLanesItHas) {
  prepare();
  const std::string group = timeline.place_of(lane_keys(trace)[kernels])->group;
  layout.fold_group(group, true);
  prepare();
  EXPECT_TRUE(has_label(timeline.names(), "GPU · 2 lanes folded"));
  EXPECT_FALSE(has_label(timeline.names(), "kernels"));
  EXPECT_FLOAT_EQ(rect(kernels).y, 296);
  EXPECT_FLOAT_EQ(rect(kernels).height, LaneRow::kGroupFoldedHeight);
  EXPECT_FLOAT_EQ(rect(copies).y, 296 + LaneRow::kGroupFoldedHeight + 1);
  EXPECT_TRUE(hit(250, 298).has_value());
}

TEST_F(LaneRowsTest, WhatIsHiddenIsSaid) {
  prepare();
  const float before = height();
  choose(calls, {.hidden = true});
  prepare();
  EXPECT_FALSE(timeline.lane_rect(calls).has_value());
  EXPECT_FALSE(timeline.event_rect({calls, 0, 0, trace.lane(calls).row(0).event(0)}, kAxis).has_value());
  EXPECT_EQ(timeline.hidden_count(), 1u);
  EXPECT_TRUE(has_label(timeline.names(), "1 lane hidden"));
  EXPECT_FLOAT_EQ(height(), before - 34 - 6 + Timeline::kHiddenNoteHeight);
  EXPECT_FALSE(hit(168, 125).has_value());
  // The curve is a lane like the others. And if a whole group is hidden, so is its heading.
  layout.set(kRunAheadKey, {.hidden = true});
  choose(iterations, {.hidden = true});
  prepare();
  EXPECT_TRUE(has_label(timeline.names(), "3 lanes hidden"));
  EXPECT_FALSE(has_label(timeline.names(), "CPU"));
  EXPECT_FALSE(has_label(timeline.names(), "RUN-AHEAD"));
  EXPECT_FLOAT_EQ(rect(kernels).y, 92);
  layout.show_all();
  prepare();
  EXPECT_FLOAT_EQ(height(), before);
}

TEST_F(LaneRowsTest, HeightsAreChosenPerLane) {
  choose(calls, {.height = 2});
  layout.set(kRunAheadKey, {.height = 0.5f});
  prepare();
  EXPECT_FLOAT_EQ(rect(calls).height, 68);
  EXPECT_FLOAT_EQ(timeline.place_of(kRunAheadKey)->rect.height, 29);
  EXPECT_FLOAT_EQ(rect(kernels).y, 296 + 34 - 29);
}

// Pinned: 6 below the ruler, 34 high, and 6 below it the others begin; the heading of what scrolls by is under it.
TEST_F(LaneRowsTest, PinnedLanesStayWhileTheOthersScroll) {
  choose(kernels, {.pinned = true});
  scroll = 50;
  prepare();
  EXPECT_FLOAT_EQ(rect(kernels).y, 76);
  // The others from 116: heading and its gap 36, iterations at 152 - 50, calls 28 below.
  EXPECT_FLOAT_EQ(rect(iterations).y, 102);
  EXPECT_FLOAT_EQ(rect(calls).y, 130);
  // "CPU" sticks at 116 with 22, and covers what is behind it.
  EXPECT_FLOAT_EQ(timeline.pane(Pane::Cpu).fixed_bottom, 138);
  EXPECT_TRUE(has_label(timeline.names(), "CPU"));
  EXPECT_TRUE(has_label(timeline.scrolled()[0].names, "RUN-AHEAD"));
  EXPECT_EQ(timeline.lane_at(80), kernels);
  EXPECT_EQ(timeline.lane_at(120), std::nullopt);
  EXPECT_EQ(timeline.lane_at(140), calls);
  EXPECT_FALSE(hit(168, 132).has_value());
  EXPECT_EQ(hit(168, 145)->lane, calls);
  EXPECT_EQ(hit(250, 85)->lane, kernels);
  // Marks over the lanes do not mark what is hidden.
  const auto launch = timeline.event_rect({calls, 0, 0, trace.lane(calls).row(0).event(0)}, kAxis);
  EXPECT_FLOAT_EQ(launch->y, 138);
  EXPECT_FLOAT_EQ(launch->y + launch->height, 164);
  EXPECT_FALSE(spans_filled(timeline.scrolled()[0].rows, colours[Colour::Launch]).empty());
  EXPECT_FALSE(spans_filled(timeline.rows(), colours[Colour::Kernel]).empty());
  const auto first_of = [&](LaneId lane) { return EventRef{lane, 0, 0, trace.lane(lane).row(0).event(0)}; };
  EXPECT_FLOAT_EQ(timeline.scroll_to_show(first_of(iterations)), 50 - (138 - 102));
  EXPECT_FLOAT_EQ(timeline.scroll_to_show(first_of(kernels)), scroll);
}

// The area has room for 270 pixels of lanes, six tenths of them for pinned ones: 6 + 40 + 40 + 28 are too many.
TEST_F(LaneRowsTest, PinnedLanesLeaveRoomForTheOthers) {
  for (const LaneId lane : {calls, kernels}) choose(lane, {.pinned = true, .height = 2});  // 6 + 74, 154 > 162 - 6
  choose(iterations, {.pinned = true});
  prepare();
  // In the order of the screen: iterations 28, calls 74 (108 in all), kernels 74 more would be 182.
  std::vector<bool> still;
  for (const LanePlace& place : timeline.places()) {
    if (place.pinned) still.push_back(place.stands_still);
  }
  EXPECT_THAT(still, ElementsAre(true, true, false));
  EXPECT_FLOAT_EQ(rect(iterations).y, 76);
  EXPECT_FLOAT_EQ(rect(calls).y, 104);
}

// The heading of a group stays below the ruler while its lanes scroll by, until the next one pushes it up.
TEST_F(LaneRowsTest, HeadingsStick) {
  scroll = 20;
  prepare();
  EXPECT_FLOAT_EQ(timeline.pane(Pane::Cpu).fixed_bottom, 92);
  EXPECT_TRUE(timeline.headings()[0].sticks);
  EXPECT_FLOAT_EQ(timeline.headings()[0].rect.y, 70);
  // The curve's heading begins at 172; scrolled by 90 it is at 82, and leaves 12 pixels for that of the CPU.
  scroll = 90;
  prepare();
  EXPECT_FLOAT_EQ(timeline.headings()[1].rect.y, 82);
  EXPECT_FLOAT_EQ(timeline.headings()[0].rect.y, 60);
  EXPECT_FLOAT_EQ(timeline.pane(Pane::Cpu).fixed_bottom, 82);
  scroll = 0;
  prepare();
  EXPECT_FLOAT_EQ(timeline.pane(Pane::Cpu).fixed_bottom, 70);
  EXPECT_TRUE(timeline.scrolled()[0].rows.empty());
}

// After 40 ms a third of the distance is left, and nothing after the movement has ended.
TEST_F(LaneRowsTest, HeightsAndPlacesMoveSmoothly) {
  prepare(0.016);
  EXPECT_FALSE(timeline.moving()) << "the first frame shows all as it is";
  EXPECT_FLOAT_EQ(rect(kernels).y, 296);
  choose(calls, {.folded = true});
  prepare(0.04);
  EXPECT_TRUE(timeline.moving());
  const float left = std::exp(-1.0f);
  EXPECT_NEAR(rect(calls).height, 12 + 22 * left, 0.01);
  EXPECT_NEAR(rect(kernels).y, 274 + 22 * left, 0.01);
  EXPECT_NEAR(timeline.content_height(frame(0.016), kAxis), 320 + 22 * left, 0.01);
  for (int i = 0; i < 20; ++i) prepare(0.016);
  EXPECT_FALSE(timeline.moving());
  EXPECT_FLOAT_EQ(rect(kernels).y, 274);
  // A moved lane starts from its old position.
  layout.reorder(moved_key(timeline.order(), lane_keys(trace)[copies], lane_keys(trace)[kernels], false));
  const float was = rect(copies).y;
  prepare(0.016);
  EXPECT_TRUE(timeline.moving());
  EXPECT_LT(rect(copies).y, was);
  EXPECT_GT(rect(copies).y, 290);
  for (int i = 0; i < 20; ++i) prepare(0.016);
  EXPECT_FLOAT_EQ(rect(copies).y, 274);
  EXPECT_FLOAT_EQ(rect(kernels).y, 302);
  // Without animation, at once.
  layout.reset();
  prepare(0);
  EXPECT_FALSE(timeline.moving());
  EXPECT_FLOAT_EQ(rect(kernels).y, 296);
}

// A new sub-row pushes what is below it gradually, and existing rows keep their height.
TEST_F(LaneRowsTest, ANewSubRowDoesNotMakeTheLanesJump) {
  prepare(0.016);
  build.kernel(1500, 2500, 2);  // overlaps the first
  build.publish();
  prepare(0.016);
  EXPECT_GT(rect(copies).y, 336);
  EXPECT_LT(rect(copies).y, 336 + 20);
  EXPECT_FLOAT_EQ(timeline.event_rect({kernels, 0, 0, trace.lane(kernels).row(0).event(0)}, kAxis)->height, 34);
  for (int i = 0; i < 20; ++i) prepare(0.016);
  EXPECT_FLOAT_EQ(rect(copies).y, 336 + 36);
  EXPECT_TRUE(has_label(timeline.names(), "2 sub-rows"));
}

}  // namespace
}  // namespace lanescope::ui
