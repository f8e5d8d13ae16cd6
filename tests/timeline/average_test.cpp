#include "timeline/average.h"

#include <gmock/gmock.h>

#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Three pictures, 10,000 ns apart. In each a kernel that starts 100, 110, 120 ns after the trigger and lasts 200, 230,
// 200 ns; in the second one another from 600 to 700.
class AverageTest : public testing::Test {
 protected:
  void three_pictures() {
    build.kernel(10'100, 10'300);
    build.kernel(20'110, 20'340);
    build.kernel(20'600, 20'700);
    build.kernel(30'120, 30'320);
    build.publish();
  }
  void compute(Nanoseconds before, Nanoseconds after, std::size_t columns) {
    ASSERT_TRUE(picture.compute(trace, triggers, before, after, columns));
  }

  trace::Trace trace;
  TraceBuilder build{trace};
  std::vector<Nanoseconds> triggers{10'000, 20'000, 30'000};
  AveragePicture picture;
};

// Starts 100, 110, 120: mean 110, deviations -10, 0, 10, sum of squares 200, over 2: sd 10.
// Ends 300, 340, 320: mean 320, squares 400 + 400 over 2: sd 20.
// Durations 200, 230, 200: mean 210, squares 100 + 400 + 100 over 2: sd sqrt(300).
TEST_F(AverageTest, MeanAndScatterOfAnEvent) {
  three_pictures();
  compute(0, 1000, 100);
  EXPECT_EQ(picture.count(), 3u);
  ASSERT_TRUE(picture.has(0));
  ASSERT_THAT(picture.events(0), SizeIs(2));
  const AverageEvent& e = picture.events(0)[0];
  EXPECT_EQ(e.duration.count, 3u);
  EXPECT_DOUBLE_EQ(e.start.mean, 110);
  EXPECT_DOUBLE_EQ(e.start.sd(), 10);
  EXPECT_DOUBLE_EQ(e.end.mean, 320);
  EXPECT_DOUBLE_EQ(e.end.sd(), 20);
  EXPECT_DOUBLE_EQ(e.duration.mean, 210);
  EXPECT_DOUBLE_EQ(e.duration.sd(), std::sqrt(300.0));
  EXPECT_EQ(e.shortest, 200);
  EXPECT_EQ(e.longest, 230);
  EXPECT_EQ(e.label, "kernel");
  const AverageEvent& rare = picture.events(0)[1];
  EXPECT_EQ(rare.duration.count, 1u);
  EXPECT_DOUBLE_EQ(rare.duration.sd(), 0);
}

// Columns of 10 ns. At 105 only the first picture is busy, at 115 two, at 200 all three, at 305 the last two, at 325
// the second alone, at 650 one of three.
TEST_F(AverageTest, OccupancyAtAnInstant) {
  three_pictures();
  compute(0, 1000, 100);
  const auto busy = [&](Nanoseconds t) { return picture.occupancy(0, 0, t); };
  EXPECT_NEAR(busy(95), 0, 1e-6);
  EXPECT_NEAR(busy(105), 1.0 / 3, 1e-6);
  EXPECT_NEAR(busy(115), 2.0 / 3, 1e-6);
  EXPECT_NEAR(busy(200), 1, 1e-6);
  EXPECT_NEAR(busy(305), 2.0 / 3, 1e-6);
  EXPECT_NEAR(busy(325), 1.0 / 3, 1e-6);
  EXPECT_NEAR(busy(650), 1.0 / 3, 1e-6);
  EXPECT_EQ(busy(1000), 0);  // outside
  EXPECT_EQ(busy(-1), 0);
}

// A column of 100 ns: of [100, 200) the pictures have 100, 90 and 80 ns, together 270 of 300; of [300, 400)
// none, 40 and 20.
TEST_F(AverageTest, AColumnIsSharedByWhatIsPartlyInIt) {
  three_pictures();
  compute(0, 1000, 10);
  EXPECT_NEAR(picture.occupancy(0, 0, 150), 0.9, 1e-6);
  EXPECT_NEAR(picture.occupancy(0, 0, 350), 60.0 / 300, 1e-6);
}

// A kernel at the trigger: -5, +5 and -5 ns. Matched by its order in the window, it would be a different one each time.
TEST_F(AverageTest, WhatStartsNearTheTriggerIsMatchedAllTheSame) {
  for (const Nanoseconds t : triggers) {
    build.kernel(t + (t == 20'000 ? 5 : -5), t + 50);
    build.kernel(t + 300, t + 350);
  }
  build.publish();
  compute(100, 900, 100);
  ASSERT_THAT(picture.events(0), SizeIs(2));
  EXPECT_NEAR(picture.events(0)[0].start.mean, -5.0 / 3, 1e-9);
  EXPECT_EQ(picture.events(0)[0].duration.count, 3u);
  EXPECT_DOUBLE_EQ(picture.events(0)[1].start.mean, 300);
  EXPECT_DOUBLE_EQ(picture.events(0)[1].start.sd(), 0);
}

// 300 events in a window are matched, 301 are not; both have their occupancy: half of the time.
TEST_F(AverageTest, ManyEventsHaveTheirOccupancyOnly) {
  for (Nanoseconds i = 0; i < 301; ++i) build.kernel(10'000 + i * 10, 10'005 + i * 10);
  build.publish();
  triggers = {10'000};
  compute(0, 3000, 3);
  EXPECT_FALSE(picture.occupancy_only(0));
  EXPECT_THAT(picture.events(0), SizeIs(300));
  compute(0, 3010, 3);
  EXPECT_TRUE(picture.occupancy_only(0));
  EXPECT_THAT(picture.events(0), IsEmpty());
  EXPECT_NEAR(picture.occupancy(0, 0, 1500), 0.5, 0.01);
}

// 9,000 events of 4 ns, 10 ns apart, are not visited individually; the sums give the same: 0.4 busy.
TEST_F(AverageTest, VeryManyEventsAreFoundBySearch) {
  for (Nanoseconds i = 0; i < 9000; ++i) build.kernel(10'000 + i * 10, 10'004 + i * 10);
  build.publish();
  triggers = {10'000};
  compute(0, 90'000, 90);
  for (const Nanoseconds t : {0, 45'000, 89'999}) EXPECT_NEAR(picture.occupancy(0, 0, t), 0.4, 1e-5) << t;
}

TEST_F(AverageTest, DrawsTheMeanWhereItIsAndTheRareAsAGhost) {
  three_pictures();
  compute(0, 1000, 100);
  const Theme& colours = theme(ThemeName::Dark);
  // 1 ns is a pixel; the trigger stands at pixel 100.
  const TimeAxis axis(30'000, 1.0, 100, 1000);
  SpanBatch batch;
  picture.draw(0, axis, 30'000, colours, 50, 34, 1, batch);
  // From 100 + 110 to 100 + 320, less a hairline of ground; in all pictures, so as opaque as ever.
  const auto means = spans_filled(batch, colours[Colour::Kernel]);
  ASSERT_THAT(means, SizeIs(1));
  EXPECT_FLOAT_EQ(means[0].x0, 210);
  EXPECT_FLOAT_EQ(means[0].x1, 419);
  EXPECT_FLOAT_EQ(means[0].y0, 50);
  EXPECT_FLOAT_EQ(means[0].y1, 84);
  EXPECT_TRUE(has_label(batch, "kernel  210 ± 17 ns"));
  // Whiskers: one standard deviation to either side, 10 of the start and 20 of the end.
  const auto edges_with = [&](float x0, float x1) {
    return std::any_of(batch.spans.begin(), batch.spans.end(),
                       [&](const Span& span) { return span.x0 == x0 && span.x1 == x1; });
  };
  EXPECT_TRUE(edges_with(200, 220));
  EXPECT_TRUE(edges_with(400, 440));
  // An event in only one of three pictures is a shade where it was, 700 to 800, without a rectangle.
  const auto ghost = std::find_if(batch.spans.begin(), batch.spans.end(),
                                  [](const Span& span) { return span.x0 > 650 && span.x1 <= 801; });
  ASSERT_NE(ghost, batch.spans.end());
  EXPECT_NEAR(ghost->x0, 700, 1);
  EXPECT_NEAR(ghost->x1, 800, 1);
  const unsigned alpha = ghost->colour >> 24;
  EXPECT_GT(alpha, 90u);
  EXPECT_LT(alpha, 160u);
  // What is drawn can be hit.
  ASSERT_NE(picture.hit(0, axis, 30'000, 300, 10, 34, 1), nullptr);
  EXPECT_EQ(picture.hit(0, axis, 30'000, 300, 10, 34, 1)->duration.count, 3u);
  EXPECT_EQ(picture.hit(0, axis, 30'000, 750, 10, 34, 1), nullptr);
}

// An averaged event represents that of the last trigger that has it when clicked: the third kernel of the first row.
TEST_F(AverageTest, AnEventIsTheOneOfTheLastTrigger) {
  three_pictures();
  compute(0, 1000, 100);
  EXPECT_EQ(picture.events(0)[0].index, 3u);
  EXPECT_EQ(picture.events(0)[0].event.start_ns, 30'120);
  EXPECT_EQ(picture.events(0)[1].index, 2u);
  triggers = {30'000, 20'000, 10'000};  // of an opened trace, the one that is looked at comes last
  compute(0, 1000, 100);
  EXPECT_EQ(picture.events(0)[0].index, 0u);
}

// Columns of 10 ns. All pictures idle from 440 to 600: the first from 400 to 600, the second from 410 to 800, the third
// from 440 to 820. Their mean gap is from 1250 / 3 = 417 to 2220 / 3 = 740, not where all of them idle. The gap of 5 ns
// at 100 is in one picture of three, and what has no cause is no bubble.
TEST_F(AverageTest, TheMeanGapIsAsLongAsTheGapsAre) {
  three_pictures();
  compute(0, 1000, 100);
  analysis::Bubbles bubbles(16);
  const auto add = [&](Nanoseconds from, Nanoseconds to) {
    bubbles.push_back({from, to, analysis::BubbleCause::AfterSync});
  };
  add(10'100, 10'105);
  add(10'400, 10'600);
  add(20'410, 20'800);
  add(30'440, 30'820);
  bubbles.push_back({30'850, 40'000, analysis::BubbleCause::StartOrEnd});
  picture.add_bubbles(bubbles, triggers);
  ASSERT_THAT(picture.idle(), SizeIs(1));
  EXPECT_EQ(picture.idle()[0].from, 417);
  EXPECT_EQ(picture.idle()[0].to, 740);
  EXPECT_NEAR(picture.idle()[0].share, 1, 1e-9);

  analysis::Bubbles others(16);  // of a second GPU
  for (const Nanoseconds at : {10'000, 20'000, 30'000})
    others.push_back({at + 700, at + 900, analysis::BubbleCause::Loader});
  picture.add_bubbles(others, triggers, 1);
  EXPECT_THAT(picture.idle(0), SizeIs(1)) << "as before";
  ASSERT_THAT(picture.idle(1), SizeIs(1));
  EXPECT_EQ(picture.idle(1)[0].from, 700);
  EXPECT_EQ(picture.idle(1)[0].to, 900);
  EXPECT_THAT(picture.idle(2), SizeIs(0));
}

// However many columns and events there are, the cost of a row depends on its pixels only.
TEST_F(AverageTest, DrawingCostsPixels) {
  for (Nanoseconds i = 0; i < 300; ++i) build.kernel(10'000 + i * 10, 10'005 + i * 10);
  build.publish();
  triggers = {10'000};
  compute(0, 3000, 4000);
  SpanBatch batch;
  picture.draw(0, TimeAxis(10'000, 30.0, 0, 100), 10'000, theme(ThemeName::Dark), 0, 34, 1, batch);
  EXPECT_LE(batch.spans.size(), 300u);
}

// Blocks of 280 and 300 ns after own costs of 20: 20 to 310 on average. The GPU idles for 100 and 160 ns because of
// them, 130 on average: from 180 on the block is in the colour of harm.
TEST_F(AverageTest, ABlockingCallIsItsOwnCostAndOneBlock) {
  build.sync(10'000, 10'300, 20, 30);
  build.sync(20'000, 20'320, 20, 30);
  build.publish();
  triggers = {10'000, 20'000};
  compute(0, 1000, 100);
  analysis::Bubbles bubbles(16);
  const auto add = [&](Nanoseconds from, Nanoseconds to, Nanoseconds call) {
    analysis::Bubble gap{from, to, analysis::BubbleCause::AfterSync};
    gap.call_start_ns = call;
    bubbles.push_back(gap);
  };
  add(10'270, 10'370, 10'000);
  add(20'290, 20'450, 20'000);
  picture.add_bubbles(bubbles, triggers);
  ASSERT_THAT(picture.events(0), SizeIs(1));
  EXPECT_DOUBLE_EQ(picture.events(0)[0].waiting.mean, 260);
  EXPECT_DOUBLE_EQ(picture.events(0)[0].block.mean, 290);
  EXPECT_DOUBLE_EQ(picture.events(0)[0].lost, 130);
  SpanBatch batch;
  const Theme& colours = theme(ThemeName::Dark);
  picture.draw(0, TimeAxis(20'000, 1.0, 0, 1000), 20'000, colours, 0, 34, 1, batch);
  const auto hatched = spans_of(batch, SpanStyle::Hatched);
  ASSERT_THAT(hatched, SizeIs(2));
  EXPECT_FLOAT_EQ(hatched[0].x0, 20);
  EXPECT_FLOAT_EQ(hatched[0].x1, 180);
  EXPECT_FLOAT_EQ(hatched[1].x1, 310);
  EXPECT_EQ(hatched[0].colour, wait_hatching(colours, false).ground);
  EXPECT_EQ(hatched[1].colour, wait_hatching(colours, true).ground);
  EXPECT_TRUE(has_label(batch, "waiting  290 ± 14 ns"));  // sd of 280 and 300: sqrt(200)
}

TEST_F(AverageTest, StopsWhenItIsNotWantedAnyMore) {
  three_pictures();
  const base::Stop stop = true;
  EXPECT_FALSE(picture.compute(trace, triggers, 0, 1000, 100, &stop));
  EXPECT_EQ(picture.count(), 0u);
}

TEST_F(AverageTest, NoPicturesNoAverage) {
  three_pictures();
  triggers.clear();
  compute(0, 1000, 100);
  EXPECT_EQ(picture.count(), 0u);
  EXPECT_FALSE(picture.has(0));
}

TEST(MeanSdTextTest, OneUnitForBoth) {
  Spread spread;
  for (const double v : {81'000.0, 83'000.0}) spread.add(v);  // sd sqrt(2,000,000) = 1414
  EXPECT_EQ(mean_sd_text(spread), "82.0 ± 1.4 µs");
  EXPECT_EQ(mean_sd_text({}), "0 ± 0 ns");
}

}  // namespace
}  // namespace lanescope::ui
