#include "timeline/lane_row.h"

#include <gmock/gmock.h>

#include <random>

#include "timeline/drawn.h"
#include "trace/names.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pair;
using trace::CallParts;
using trace::Event;
using trace::EventKind;

constexpr float kY = 50;

class LaneRowTest : public DrawnTrace {
 protected:
  const SpanBatch& draw(LaneId lane, const TimeAxis& axis, Nanoseconds live_edge = kAllKnown, float scale = 1) {
    axis_ = axis;
    row.emplace(lane);
    batch.clear();
    row->prepare(context(live_edge, scale), kY, batch);
    return batch;
  }
  RowContext context(Nanoseconds live_edge = kAllKnown, float scale = 1) const {
    return {trace, nullptr, axis_, colours, live_edge, scale};
  }

  TimeAxis axis_;
  std::optional<LaneRow> row;
  SpanBatch batch;
};

// 10 ns are a pixel and 1000 ns is at pixel 100: t is at 100 + (t - 1000) / 10. The view ends at 9000 ns, pixel 900.
const TimeAxis kRowAxis(1000, 10.0, 100, 800);

TEST_F(LaneRowTest, DrawsEventsWhereTheyAre) {
  build.kernel(500, 900);    // before the view
  build.kernel(1000, 1500);  // pixels 100 to 150, less a hairline of ground on the right
  build.kernel(2000, 2100);  // 200 to 210
  build.kernel(3000, 3050);  // 300 to 305: too narrow for a hairline
  build.kernel(8500, 9900);  // from 850, cut at the right edge of the view
  build.kernel(9900, 9950);  // after the view
  build.publish();
  draw(0, kRowAxis);
  EXPECT_THAT(edges(batch.spans),
              ElementsAre(Pair(100.0f, 149.0f), Pair(200.0f, 209.0f), Pair(300.0f, 305.0f), Pair(850.0f, 899.0f)));
  for (const Span& span : batch.spans) {
    EXPECT_EQ(span.style, SpanStyle::Solid);
    EXPECT_EQ(span.colour, colours[Colour::Kernel]);
    EXPECT_FLOAT_EQ(span.y0, kY);
    EXPECT_FLOAT_EQ(span.y1, kY + 34);
  }
  // Only the two that are wide enough are named, inside their own edges.
  // In the middle, fitted to three pixels less than there are.
  ASSERT_EQ(batch.labels.size(), 2u);
  EXPECT_EQ(batch.labels[0].text, "kernel");
  EXPECT_FLOAT_EQ(batch.labels[0].x, 101.5f);
  EXPECT_FLOAT_EQ(batch.labels[0].max_width, 47);
  EXPECT_FLOAT_EQ(batch.labels[1].x, 851.5f);
  EXPECT_FLOAT_EQ(batch.labels[1].max_width, 47);
}

// An event that began before the view is named in its visible part, not off the screen.
TEST_F(LaneRowTest, NamesStayOnScreen) {
  build.kernel(0, 1600);
  build.publish();
  draw(0, kRowAxis);
  ASSERT_EQ(batch.labels.size(), 1u);
  EXPECT_FLOAT_EQ(batch.labels[0].x, 101.5f);
  EXPECT_FLOAT_EQ(batch.labels[0].max_width, 160 - 100 - 3);
}

TEST_F(LaneRowTest, NothingIsDrawnBeyondTheLiveEdge) {
  build.kernel(1000, 1500);
  build.kernel(2000, 2600);
  build.sync(3000, 6000, 100, 300);
  build.publish();
  draw(0, kRowAxis, 1250);  // pixel 125
  EXPECT_THAT(edges(batch.spans), ElementsAre(Pair(100.0f, 124.0f)));
  // The call is known to wait until 5700, but the edge is at 4000: own cost 300 to 310, and the block with its outline.
  draw(1, kRowAxis, 4000);
  EXPECT_THAT(edges(batch.spans), ElementsAre(Pair(300.0f, 310.0f), Pair(310.0f, 400.0f), Pair(310.0f, 400.0f)));
}

// A synchronisation of 2000 ns: 100 own, 1600 waiting, 300 return: 200 to 210, and one block from 210 to 400. A copy of
// 2000 ns: 200 own, 300 waiting, 1200 copying, 300 return: 500 to 520, and one from 520 to 700. Whether a GPU idles
// because of them is not known.
TEST_F(LaneRowTest, ABlockingCallIsItsOwnCostAndOneBlock) {
  build.sync(2000, 4000, 100, 300);
  Event& copy = build.copy_call(5000, 7000, 1);
  trace::set_parts(copy, CallParts{200, 0, 1200, 300});
  build.publish();
  draw(0, kRowAxis);
  ASSERT_EQ(batch.spans.size(), 6u);
  const Hatching faint = wait_hatching(colours, false);
  const auto expect = [&](std::size_t i, SpanStyle style, float x0, float x1, std::uint32_t colour) {
    EXPECT_EQ(batch.spans[i].style, style) << i;
    EXPECT_FLOAT_EQ(batch.spans[i].x0, x0) << i;
    EXPECT_FLOAT_EQ(batch.spans[i].x1, x1) << i;
    EXPECT_EQ(batch.spans[i].colour, colour) << i;
  };
  expect(0, SpanStyle::Solid, 200, 210, colours[Colour::Call]);
  expect(1, SpanStyle::Hatched, 210, 400, faint.ground);
  expect(2, SpanStyle::Outline, 210, 400, 0);
  expect(3, SpanStyle::Solid, 500, 520, colours[Colour::Launch]);
  expect(4, SpanStyle::Hatched, 520, 700, faint.ground);
  expect(5, SpanStyle::Outline, 520, 700, 0);
  EXPECT_EQ(batch.spans[1].ink, faint.ink);
  EXPECT_EQ(batch.spans[2].ink, faint.edge);
  EXPECT_THAT(texts(batch), ElementsAre("waiting 1.9 µs", "copying 1.8 µs"));
  EXPECT_FLOAT_EQ(batch.labels[0].x, 214);
  EXPECT_FLOAT_EQ(batch.labels[0].max_width, 182);
  // Each part is part of one call: all of it is that call under the mouse.
  for (const float x : {201.0f, 300.0f, 399.0f}) {
    const auto hit = row->hit(x, 5);
    ASSERT_TRUE(hit.has_value()) << x;
    EXPECT_TRUE(hit->single());
    EXPECT_EQ(hit->first, 0u);
  }
}

TEST_F(LaneRowTest, ACallThatDoesNotBlockIsOneColour) {
  build.launch(2000, 2500, 1);
  build.call("cudaEventRecord", 3000, 3200);
  build.publish();
  draw(0, kRowAxis);
  EXPECT_THAT(colours_of(batch.spans), ElementsAre(colours[Colour::Launch], colours[Colour::Call]));
}

TEST_F(LaneRowTest, IterationsAlternateAndSayTheirNumber) {
  const LaneId lane = build.lane(LaneKind::Iterations);
  build.add(lane, EventKind::Range, "iteration", 1000, 3000).a = 41;
  build.add(lane, EventKind::Range, "iteration", 3000, 5000).a = 42;
  build.publish();
  draw(lane, kRowAxis);
  EXPECT_THAT(texts(batch), ElementsAre("iteration 41", "iteration 42"));
  EXPECT_THAT(colours_of(batch.spans), ElementsAre(colours[Colour::RangeAlt], colours[Colour::Range]));
}

// A range is written when it ends: of the one in progress at the live edge, only the start is known.
TEST_F(LaneRowTest, TheOpenIterationIsAnOutlineUpToTheLiveEdge) {
  const LaneId lane = build.lane(LaneKind::Iterations);
  build.add(lane, EventKind::Range, "iteration", 1000, 3000).a = 41;
  build.publish();
  row.emplace(lane);
  const auto draw_live = [&](Nanoseconds edge, bool live) {
    batch.clear();
    row->prepare({trace, nullptr, kRowAxis, colours, edge, 1, live}, kY, batch);
    return spans_of(batch, SpanStyle::Outline);
  };
  const std::vector<Span> open = draw_live(5000, true);  // from pixel 300 to 500
  ASSERT_EQ(open.size(), 1u);
  EXPECT_FLOAT_EQ(open[0].x0, 300);
  EXPECT_FLOAT_EQ(open[0].x1, 500);
  EXPECT_THAT(texts(batch), ElementsAre("iteration 41", "iteration 42 …"));
  EXPECT_FALSE(row->hit(400, 5).has_value()) << "it is not an event yet";
  // An opened file has no such edge; and a range known to begin before the edge is drawn normally.
  EXPECT_TRUE(draw_live(5000, false).empty());
  EXPECT_TRUE(draw_live(2500, true).empty());
}

// Three pixels are 30 ns. From 5000: the events that end by 5030 are one glyph (two of them), from 5024 those that end
// by 5054 (two again), and the last is alone. Busy: 10 of every 12 ns, the last gap not counted: 20 / 22.
TEST_F(LaneRowTest, NarrowNeighboursAreFolded) {
  for (const Nanoseconds start : {5000, 5012, 5024, 5036, 5048}) build.kernel(start, start + 10);
  build.publish();
  draw(0, kRowAxis);
  ASSERT_EQ(row->glyphs().size(), 3u);
  EXPECT_EQ(row->glyphs()[0].last, 2u);
  EXPECT_EQ(row->glyphs()[1].first, 2u);
  EXPECT_EQ(row->glyphs()[1].last, 4u);
  EXPECT_EQ(row->glyphs()[2].first, 4u);
  ASSERT_EQ(batch.spans.size(), 3u);
  EXPECT_EQ(batch.spans[0].style, SpanStyle::Folded);
  EXPECT_FLOAT_EQ(batch.spans[0].x0, 500);
  EXPECT_NEAR(batch.spans[0].x1, 502.2f, 1e-3f);
  EXPECT_FLOAT_EQ(batch.spans[0].busy, 20.0f / 22);
  EXPECT_NEAR(batch.spans[1].x0, 502.4f, 1e-3f);
  EXPECT_FLOAT_EQ(batch.spans[1].busy, 20.0f / 22);
  EXPECT_EQ(batch.spans[2].style, SpanStyle::Solid);
  EXPECT_NEAR(batch.spans[2].x0, 504.8f, 1e-3f);
  EXPECT_NEAR(batch.spans[2].x1, 505.8f, 1e-3f);

  const auto fold = row->hit(501, 10);
  ASSERT_TRUE(fold.has_value());
  EXPECT_FALSE(fold->single());
  EXPECT_EQ(fold->last - fold->first, 2u);
}

// Two calls of 10 ns, each of which waits for 6 and returns for 2; together with the gap they take 22 ns.
TEST_F(LaneRowTest, AFoldOfCallsShowsHowMuchOfItIsWaiting) {
  build.sync(5000, 5010, 2, 2);
  build.sync(5012, 5022, 2, 2);
  build.publish();
  draw(0, kRowAxis);
  ASSERT_EQ(batch.spans.size(), 2u);
  EXPECT_EQ(batch.spans[0].style, SpanStyle::Folded);
  EXPECT_EQ(batch.spans[1].style, SpanStyle::Hatched);
  EXPECT_FLOAT_EQ(batch.spans[1].y1, kY + 34);
  EXPECT_NEAR(batch.spans[1].y1 - batch.spans[1].y0, 34.0f * 16 / 22, 1e-3f);
  EXPECT_NEAR(wait_share(trace.lane(0).row(0), 0, 2), 16.0 / 22, 1e-12);
}

TEST(FoldGlyph, IsDenserTheMoreThereAre) {
  // Three pixels are the narrowest fold; a wider one counts what three of its pixels have.
  EXPECT_EQ(fold_density(9, 2, 1), 0);
  EXPECT_EQ(fold_density(10, 2, 1), 1);
  EXPECT_EQ(fold_density(100, 3, 1), 2);
  EXPECT_EQ(fold_density(100, 6, 1), 1);
  EXPECT_EQ(fold_density(1000, 3, 1), 3);
  EXPECT_EQ(fold_density(100, 6, 2), 2);
}

// Kernels of 5 ns every 10 from 1000 to 101,000 ns, at 100 ns a pixel: 30 events in three pixels. How many they are is
// said under the pointer, not on the lane.
TEST_F(LaneRowTest, AStripOfFoldsHasNoText) {
  for (Nanoseconds t = 1000; t < 101'000; t += 10) build.kernel(t, t + 5);
  build.publish();
  draw(0, TimeAxis(1000, 100.0, 100, 800));
  for (const Span& span : batch.spans) {
    EXPECT_EQ(span.style, SpanStyle::Folded);
    EXPECT_EQ(span.stroke, 1);
    EXPECT_NEAR(span.busy, 0.5f, 0.02f);
  }
  EXPECT_TRUE(batch.labels.empty());
  row->set_look({.folded = true});
  batch.clear();
  row->prepare(context(), kY, batch);
  EXPECT_FLOAT_EQ(batch.spans[0].y1 - batch.spans[0].y0, LaneRow::kFoldedHeight);
}

// 60 pixels, fitted to 57; 62, 58 and 69 are 57 to 69 and keep that; 70 are too many: 67. 66 are too few again: 63.
TEST_F(LaneRowTest, ANameDoesNotChangeWhileItsWidthTrembles) {
  const LaneId lane = build.lane(LaneKind::Phases);
  build.add(lane, EventKind::Range, "backward", 2000, 2600);
  build.add(lane, EventKind::Range, "backward", 3000, 3300);  // another one of this name
  build.publish();
  row.emplace(lane);
  const auto fitted = [&](float pixels) {
    axis_ = TimeAxis(1000, 600.0 / static_cast<double>(pixels), 100, 2000);
    batch.clear();
    row->prepare(context(), kY, batch);
    return batch.labels.empty() ? 0 : batch.labels[0].max_width + 10;  // with the room before and after it
  };
  EXPECT_NEAR(fitted(60), 57, 0.01);
  for (const float pixels : {62.0f, 58.0f, 68.9f, 57.1f}) EXPECT_NEAR(fitted(pixels), 57, 0.01) << pixels;
  EXPECT_NEAR(fitted(70), 67, 0.01);
  EXPECT_NEAR(fitted(66), 63, 0.01);
}

// 120 pixels wide: the name of a high kernel lies above its duration; 100 wide it is alone, and stands if it must. Less
// than 17 wide it has none.
TEST_F(LaneRowTest, AHighKernelSaysHowLongItRuns) {
  build.add(build.lane(LaneKind::Kernels), EventKind::Kernel, "linear_forward", 2000, 3234);
  build.add(build.lane(LaneKind::Kernels), EventKind::Kernel, "linear_forward", 4000, 4900);
  build.add(build.lane(LaneKind::Kernels), EventKind::Kernel, "linear_forward", 5000, 5160);
  build.publish();
  draw(0, kRowAxis);
  EXPECT_THAT(texts(batch), ElementsAre("linear_forward", "linear_forward")) << "there is one line";
  row->set_shape({60, 62, 60});
  batch.clear();
  row->prepare(context(), kY, batch);
  ASSERT_THAT(texts(batch), ElementsAre("linear_forward", "1.23 µs", "linear_forward"));
  EXPECT_FLOAT_EQ(batch.labels[0].y + batch.labels[0].height, kY + 30);
  EXPECT_FLOAT_EQ(batch.labels[1].y, kY + 30);
  EXPECT_EQ(batch.labels[2].fit, LabelFit::Stand);
  EXPECT_FLOAT_EQ(batch.labels[2].height, 60);
}

// 1 pixel wide it is a mark of 3, with its time beside it: 6 pixels further, up to 6 before the next one at 300.
TEST_F(LaneRowTest, WhatTheProgramHasTimedCanBeReadHoweverShortItWas) {
  build.stopwatch(2000, 2010);
  build.stopwatch(3000, 9000);
  build.publish();
  draw(0, kRowAxis);
  EXPECT_THAT(texts(batch), ElementsAre("stopwatch  10 ns", "stopwatch"));
  EXPECT_FLOAT_EQ(batch.spans[0].x1 - batch.spans[0].x0, 3);
  EXPECT_FLOAT_EQ(batch.labels[0].x, 209);
  EXPECT_FLOAT_EQ(batch.labels[0].max_width, 300 - 203 - 12);
}

TEST_F(LaneRowTest, AnInstantIsAHairlineThatCanBeCaught) {
  build.kernel(3000, 3000);  // pixel 300, one pixel wide
  build.publish();
  draw(0, kRowAxis);
  EXPECT_THAT(edges(batch.spans), ElementsAre(Pair(300.0f, 301.0f)));
  EXPECT_TRUE(row->hit(298.6f, 10).has_value());
  EXPECT_TRUE(row->hit(302.4f, 10).has_value());
  EXPECT_FALSE(row->hit(298.4f, 10).has_value());
  EXPECT_FALSE(row->hit(302.6f, 10).has_value());
}

TEST_F(LaneRowTest, GapsAreNotHit) {
  build.kernel(1000, 1500);
  build.kernel(2000, 2500);
  build.publish();
  draw(0, kRowAxis);
  ASSERT_TRUE(row->hit(149, 3).has_value());
  EXPECT_EQ(row->hit(149, 3)->first, 0u);
  EXPECT_FALSE(row->hit(175, 3).has_value());
  ASSERT_TRUE(row->hit(201, 3).has_value());
  EXPECT_EQ(row->hit(201, 3)->first, 1u);
  EXPECT_FALSE(row->hit(201, -1).has_value());
  EXPECT_FALSE(row->hit(201, 37).has_value());
}

// A thin line beside a wide event keeps its own area, and so does the wide one.
TEST_F(LaneRowTest, NeighboursThatTouchAreToldApart) {
  build.kernel(2000, 2000);
  build.kernel(2010, 3000);  // from pixel 201
  build.publish();
  draw(0, kRowAxis);
  EXPECT_EQ(row->hit(199.5f, 3)->first, 0u);
  EXPECT_EQ(row->hit(200.5f, 3)->first, 0u);
  EXPECT_EQ(row->hit(201.6f, 3)->first, 1u);
  EXPECT_EQ(row->hit(250, 3)->first, 1u);
}

// Nested ranges lie below each other, 24 pixels apart (22 and a gap of 2); from the fourth on all get thinner.
TEST_F(LaneRowTest, OverlapsAreDrawnInSubRows) {
  build.range("outer", 1000, 8000);
  build.range("inner", 2000, 5000);
  build.publish();
  draw(0, kRowAxis);
  ASSERT_EQ(batch.spans.size(), 2u);
  EXPECT_FLOAT_EQ(batch.spans[0].y0, kY);
  EXPECT_FLOAT_EQ(batch.spans[1].y0, kY + 24);
  EXPECT_FLOAT_EQ(row->strip_pitch(), 24);
  EXPECT_FLOAT_EQ(row->height(context()), 46);
  EXPECT_EQ(row->hit(300, 30)->row, 1u);
  EXPECT_EQ(row->hit(300, 10)->row, 0u);
  EXPECT_FLOAT_EQ(row->height(context(kAllKnown, 2)), 92);

  build.range("third", 8000, 8800);
  build.range("third", 8100, 8800);
  build.range("third", 8200, 8800);
  build.range("third", 8300, 8800);
  build.publish();
  EXPECT_EQ(trace.lane(0).row_count(), 4u);
  EXPECT_FLOAT_EQ(row->height(context()), 4 * 20 - 2);
}

TEST_F(LaneRowTest, AnEmptyLaneHasOneRowAndNothingInIt) {
  const LaneId lane = build.lane(LaneKind::Kernels);
  draw(lane, kRowAxis);
  EXPECT_TRUE(batch.empty());
  EXPECT_FLOAT_EQ(row->height(context()), 34);
  EXPECT_FALSE(row->hit(300, 10).has_value());
}

TEST(EventColour, OfEveryKind) {
  const auto of = [](EventKind kind, std::uint8_t flags) {
    Event e;
    e.kind = kind;
    e.flags = flags;
    return event_colour(LaneKind::Phases, e);
  };
  const auto copy = [](trace::CopyDirection direction) {
    Event e;
    e.kind = EventKind::Copy;
    trace::set_copy_traits(e, {direction, {}, {}, true});
    return event_colour(LaneKind::CopyOther, e);
  };
  EXPECT_EQ(of(EventKind::Kernel, 0), Colour::Kernel);
  EXPECT_EQ(of(EventKind::Memset, 0), Colour::CopyOther);
  EXPECT_EQ(of(EventKind::Range, 0), Colour::Phase);
  EXPECT_EQ(of(EventKind::Call, 0), Colour::Call);
  EXPECT_EQ(of(EventKind::Call, trace::kLaunchFlag), Colour::Launch);
  EXPECT_EQ(of(EventKind::Call, trace::kLaunchFlag | trace::kBlockingFlag), Colour::Launch) << "its own cost";
  EXPECT_EQ(copy(trace::CopyDirection::HostToDevice), Colour::CopyH2D);
  EXPECT_EQ(copy(trace::CopyDirection::DeviceToHost), Colour::CopyD2H);
  EXPECT_EQ(copy(trace::CopyDirection::DeviceToDevice), Colour::CopyOther);
  EXPECT_EQ(copy(trace::CopyDirection::Other), Colour::CopyOther);
}

TEST_F(LaneRowTest, LabelsOfEvents) {
  Event e;
  e.name = trace.names().intern("ProfilerStep#3");
  e.a = 3;
  EXPECT_EQ(event_label(trace, LaneKind::Iterations, e), "ProfilerStep#3");
  e.name = trace.names().intern("iteration");
  EXPECT_EQ(event_label(trace, LaneKind::Iterations, e), "iteration 3");
  EXPECT_EQ(event_label(trace, LaneKind::Phases, e), "iteration");
  e.kind = EventKind::Copy;
  trace::set_bytes(e, 512'000);
  EXPECT_EQ(event_label(trace, LaneKind::CopyH2D, e), "512 kB");
  e.kind = EventKind::Kernel;
  e.name = trace.names().intern("void at::native::reduce_kernel<512, 1>(int)");
  EXPECT_EQ(event_label(trace, LaneKind::Kernels, e), "reduce_kernel");
}

// Names as the PyTorch profiler writes them.
TEST(ShortKernelName, KeepsTheFunction) {
  EXPECT_EQ(trace::short_kernel_name("linear_forward"), "linear_forward");
  EXPECT_EQ(trace::short_kernel_name("ampere_sgemm_32x32_sliced1x4_tn"), "ampere_sgemm_32x32_sliced1x4_tn");
  EXPECT_EQ(
      trace::short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
                               "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)"),
      "vectorized_elementwise_kernel");
  EXPECT_EQ(trace::short_kernel_name(
                "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*)"),
            "softmax_warp_forward");
  EXPECT_EQ(
      trace::short_kernel_name("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)"),
      "max_pool_forward_nchw");
  EXPECT_EQ(trace::short_kernel_name("at::cuda::(anonymous namespace)::spin_kernel(long)"), "spin_kernel");
  EXPECT_EQ(trace::short_kernel_name("void splitKreduce_kernel<32, 16, int>(int)"), "splitKreduce_kernel");
  EXPECT_EQ(
      trace::short_kernel_name("std::enable_if<!(false), void>::type internal::gemvNSP_kernel<float, float, 1>(int)"),
      "gemvNSP_kernel");
  EXPECT_EQ(trace::short_kernel_name("Outer<int>::inner<float>(int)"), "inner");
  EXPECT_EQ(trace::short_kernel_name("void truncated::kernel_name<at::native::very_long, at::"), "kernel_name");
  EXPECT_EQ(trace::short_kernel_name("my own kernel"), "my own kernel");
  EXPECT_EQ(trace::short_kernel_name("my kernel (second)"), "my kernel (second)");
  EXPECT_EQ(trace::short_kernel_name(""), "");
  EXPECT_EQ(trace::short_kernel_name("<>"), "<>");
  EXPECT_EQ(trace::short_kernel_name("::"), "::");
}

// A premature read is an instant, but must be visible: a flag with its text, or a thick mark.
TEST_F(LaneRowTest, AReadThatCameTooEarlyIsAFlag) {
  const LaneId reads = build.lane(LaneKind::Phases, 0, "reads");
  for (const Nanoseconds at : {2000, 4000, 4500, 8850}) {
    build.add(reads, EventKind::Range, "not arrived yet", at, at).flags = trace::kNotArrivedFlag;
  }
  build.publish();
  draw(reads, kRowAxis);
  // "not arrived yet" has 15 letters: 15 * 7.2 + 14 = 122 pixels; from 200 there is room for them up to 400. From 400
  // there is not, up to 450. From 450 there is; from 885, before the right edge at 900, there is not.
  const auto flags = spans_filled(batch, colours[Colour::NotArrived]);
  EXPECT_THAT(edges(flags),
              ElementsAre(Pair(200.0f, 322.0f), Pair(400.0f, 410.0f), Pair(450.0f, 572.0f), Pair(885.0f, 895.0f)));
  for (const Span& flag : flags) EXPECT_FLOAT_EQ(flag.y1 - flag.y0, 22);
  EXPECT_THAT(texts(batch), ElementsAre("not arrived yet", "not arrived yet"));
  // Not only where the instant is: the whole mark can be pointed at.
  ASSERT_TRUE(row->hit(408, 5).has_value());
  EXPECT_EQ(row->hit(408, 5)->first, 1u);
  EXPECT_FALSE(row->hit(420, 5).has_value());
}

TEST_F(LaneRowTest, EarlyReadsThatShareAMarkAreCounted) {
  const LaneId reads = build.lane(LaneKind::Phases, 0, "reads");
  for (const Nanoseconds at : {2000, 2050, 2100}) {  // 5 pixels apart
    build.add(reads, EventKind::Range, "not arrived yet", at, at).flags = trace::kNotArrivedFlag;
  }
  build.publish();
  draw(reads, kRowAxis);
  EXPECT_EQ(spans_filled(batch, colours[Colour::NotArrived]).size(), 1u);
  EXPECT_THAT(texts(batch), ElementsAre("3 × not arrived yet"));
}

// Waiting for another thread is a wait, too, but not for the GPU: hatched in a different colour.
TEST_F(LaneRowTest, AWaitForAnotherThreadIsHatchedInItsOwnColour) {
  build.host_wait(2000, 6000);
  build.host_wait(6500, 6510);
  build.host_wait(6511, 6520);
  build.publish();
  draw(0, kRowAxis);
  const auto hatched = spans_of(batch, SpanStyle::Hatched);
  ASSERT_EQ(hatched.size(), 2u);  // the two short ones share a glyph
  EXPECT_FLOAT_EQ(hatched[0].x0, 200);
  EXPECT_FLOAT_EQ(hatched[0].x1, 600);
  EXPECT_EQ(hatched[0].ink, colours[Colour::LoaderWait]);
  EXPECT_EQ(hatched[1].ink, colours[Colour::LoaderWait]);
  EXPECT_THAT(texts(batch), ElementsAre("next(loader) 4 µs"));
}

TEST(BriefDuration, HasTwoDigitsAndNoTenthsOfAHundred) {
  EXPECT_EQ(brief_duration(34'130), "34 µs");
  EXPECT_EQ(brief_duration(37'960), "38 µs");
  EXPECT_EQ(brief_duration(2'816'000), "2.8 ms");
  EXPECT_EQ(brief_duration(345'400), "345 µs");
  EXPECT_EQ(brief_duration(70), "70 ns");
  EXPECT_EQ(base::format_duration(38'449, kLaneDigits), "38.4 µs");
  EXPECT_EQ(base::format_duration(999'600, kLaneDigits), "1 ms");
}

}  // namespace
}  // namespace lanescope::ui
