#include "timeline/timeline.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiment/session.h"
#include "timeline/drawn.h"
#include "timeline/mark_shapes.h"

namespace lanescope::ui {
namespace {

using analysis::Bubble;
using testing::ElementsAre;
using testing::IsSupersetOf;
using trace::Event;
using trace::EventKind;
using trace::LaneInfo;

// The area: labels from 0 to 108, lanes from 108 to 1008; 10 ns are a pixel, 0 ns is at pixel 108.
const Rect kTimelineArea{0, 40, 1024, 600};
const TimeAxis kTimelineAxis(0, 10.0, 108, 900);

class TimelineTest : public DrawnTrace {
 protected:
  void analyse() { analysis.emplace(trace); }
  TimelineFrame frame() {
    return {trace, analysis ? &*analysis : nullptr, colours, live_edge, live, 0, &selection, scale, scroll};
  }
  void prepare(const TimeAxis& axis = kTimelineAxis) {
    timeline.sync(trace);
    timeline.prepare(frame(), axis, kTimelineArea);
  }
  Rect rect(LaneKind kind) {
    const auto found = timeline.lane_rect(trace, kind);
    EXPECT_TRUE(found.has_value());
    return found.value_or(Rect{});
  }
  /// Names and headings in the order of the screen.
  std::vector<std::string> names() {
    std::vector<Label> labels = timeline.names().labels;
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    std::vector<std::string> found;
    for (const Label& label : labels) found.push_back(label.text);
    return found;
  }

  std::optional<Finished> analysis;
  Timeline timeline;
  Selection selection;
  Nanoseconds live_edge = kAllKnown;
  bool live = false;
  float scale = 1, scroll = 0;
};

// Two kernels of one stream with a sync between them: 1000 to 2000 and 5000 to 6000 ns.
void add_bubble(TraceBuilder& build) {
  build.iteration(0, 6500);
  build.iteration(6500, 6600);  // with one alone, the gap before its first work would be drawn, too
  build.kernel({500, 700}, {1000, 2000});
  build.sync(800, 2500, 50, 500);
  build.kernel({4000, 4200}, {5000, 6000});
}

TEST_F(TimelineTest, OfASimulatedRunHasCpuAboveGpuWithTheCurveBetween) {
  session::SessionOptions options;
  options.device = "sim:teaching";
  options.assignments = {"feed=per-iteration"};
  options.paced = false;
  options.iterations = 5;
  session::Session session(options);
  session.start();
  session.wait();
  timeline.sync(session.trace());
  analysis::LiveAnalysis known(session.trace());
  known.update(kAllKnown);
  const auto [from, to] = session.trace().extent();
  timeline.prepare({session.trace(), &known, colours, to}, kTimelineAxis.fitted(from, to), kTimelineArea);
  EXPECT_THAT(names(), ElementsAre("CPU", "iteration", "phase", "CUDA calls", "RUN-AHEAD", "launches", "in flight",
                                   "GPU", "kernels", "copy H2D", "copy D2H"));
  EXPECT_EQ(timeline.lane_count(), 6u);
}

TEST_F(TimelineTest, SeveralThreadsAndStreamsHaveAHeadingEach) {
  // Created in a different order than on the screen, where the thread with the iterations comes first.
  trace.add_lane(gpu(LaneKind::CopyH2D, "copies", 1, 9));
  trace.add_lane(gpu(LaneKind::Kernels, "k9", 1, 9));
  trace.add_lane(gpu(LaneKind::Kernels, "k7", 1, 7));
  trace.add_lane(cpu(LaneKind::Calls, "calls B", 22));
  trace.add_lane(cpu(LaneKind::Calls, "calls A", 11));
  trace.add_lane(cpu(LaneKind::Iterations, "steps", 22));
  trace.add_lane(gpu(LaneKind::Kernels, "k0", 0, 30));
  prepare();
  EXPECT_THAT(names(), ElementsAre("CPU · thread 22", "steps", "calls B", "CPU · thread 11", "calls A", "RUN-AHEAD",
                                   "launches", "in flight", "GPU 0 · stream 30", "k0", "GPU 1 · stream 7", "k7",
                                   "GPU 1 · stream 9", "k9", "copies"));
}

// A loader's workers: thin rows under their own heading, between the loop they serve and the curve.
TEST_F(TimelineTest, ThreadsThatHelpStandTogether) {
  const auto thread = [](LaneKind kind, std::string name, std::int64_t tid) {
    LaneInfo info = cpu(kind, std::move(name), tid, 0, "lanescope");
    if (kind == LaneKind::Phases && tid != 0) info.role = trace::LaneRole::Helper;
    return info;
  };
  trace.add_lane(thread(LaneKind::Calls, "CUDA calls, pin thread", 3));
  trace.add_lane(thread(LaneKind::Phases, "pin thread", 3));
  trace.add_lane(thread(LaneKind::Phases, "worker 10", 4));
  trace.add_lane(thread(LaneKind::Phases, "worker 2", 5));
  const LaneId worker = trace.add_lane(thread(LaneKind::Phases, "worker 0", 1));
  trace.add_lane(thread(LaneKind::Calls, "CUDA calls", 0));
  trace.add_lane(thread(LaneKind::Phases, "waiting", 0));
  const LaneId iterations = trace.add_lane(thread(LaneKind::Iterations, "iteration", 0));
  trace.add_lane(gpu(LaneKind::Kernels, "kernels", 0, 0));
  prepare();
  EXPECT_THAT(names(),
              ElementsAre("CPU", "iteration", "waiting", "CUDA calls", "THREADS", "worker 0", "worker 2", "worker 10",
                          "pin thread", "CUDA calls", "RUN-AHEAD", "launches", "in flight", "GPU", "kernels"));
  EXPECT_FLOAT_EQ(timeline.lane_rect(worker)->height, 14);
  EXPECT_FLOAT_EQ(timeline.lane_rect(iterations)->height, 22);
}

// Markers and the loss are not rows of the timeline: they are drawn above and below it.
TEST_F(TimelineTest, LanesThatAreNotRowsAreLeftOut) {
  build.lane(LaneKind::Markers);
  build.lane(LaneKind::Counter);
  build.lane(LaneKind::Kernels);
  prepare();
  EXPECT_EQ(timeline.lane_count(), 1u);
  EXPECT_FALSE(timeline.lane_rect(trace, LaneKind::Markers).has_value());
}

TEST_F(TimelineTest, NewLanesGetARowWhenTheyCome) {
  build.lane(LaneKind::Kernels);
  prepare();
  EXPECT_EQ(timeline.lane_count(), 1u);
  build.lane(LaneKind::CopyH2D);
  prepare();
  EXPECT_EQ(timeline.lane_count(), 2u);
  EXPECT_GT(rect(LaneKind::CopyH2D).y, rect(LaneKind::Kernels).y);
}

TEST_F(TimelineTest, LanesDoNotOverlapAndFillTheContentHeight) {
  add_bubble(build);
  build.upload(100, 300, 1000);
  build.download(6000, 6100, 4);
  build.publish();
  analyse();
  for (const float s : {1.0f, 1.7f}) {
    scale = s;
    live = true;
    live_edge = 8000;
    prepare();
    const float height = timeline.content_height(frame(), kTimelineAxis);
    std::vector<Rect> rects;
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      if (const auto r = timeline.lane_rect(static_cast<LaneId>(l))) rects.push_back(*r);
    }
    std::sort(rects.begin(), rects.end(), [](const Rect& a, const Rect& b) { return a.y < b.y; });
    ASSERT_EQ(rects.size(), 5u);
    EXPECT_GE(rects.front().y, kTimelineArea.y + Timeline::kRulerHeight * s);
    for (std::size_t i = 1; i < rects.size(); ++i) EXPECT_GE(rects[i].y, rects[i - 1].y + rects[i - 1].height);
    // Below the last row there is only the space for the label of the unknown edge.
    const Label edge = label_with(timeline.rows(), "not yet known");
    const float bottom = kTimelineArea.y + height;
    EXPECT_GE(edge.y, rects.back().y + rects.back().height);
    EXPECT_LE(edge.y + edge.height, bottom);
    EXPECT_GT(edge.y + edge.height, bottom - 10 * s);
  }
}

TEST_F(TimelineTest, ScrollingMovesTheRowsAndNotTheRuler) {
  add_bubble(build);
  build.publish();
  prepare();
  const float before = rect(LaneKind::Kernels).y;
  const SpanBatch ruler = timeline.top();
  scroll = 25;
  prepare();
  EXPECT_FLOAT_EQ(rect(LaneKind::Kernels).y, before - 25);
  EXPECT_EQ(timeline.top().labels, ruler.labels);
}

// The GPU was idle from 2000 to 5000 ns: pixels 308 to 608, drawn a pixel inside, in the kernels' row.
TEST_F(TimelineTest, ABubbleIsDashedWhereNothingRuns) {
  add_bubble(build);
  build.publish();
  analyse();
  prepare();
  const std::vector<Span> dashed = spans_of(timeline.rows(), SpanStyle::Dashed);
  ASSERT_EQ(dashed.size(), 1u);
  EXPECT_FLOAT_EQ(dashed[0].x0, 309);
  EXPECT_FLOAT_EQ(dashed[0].x1, 607);
  const Rect kernels = rect(LaneKind::Kernels);
  EXPECT_GT(dashed[0].y0, kernels.y);
  EXPECT_LT(dashed[0].y1, kernels.y + kernels.height);
  EXPECT_EQ(dashed[0].ink, colours[Colour::Bubble]);
  EXPECT_THAT(texts(timeline.rows()), testing::Contains("idle")) << "the label of its band says how long";
}

// The edge is at 4000 ns, so only the known part of the bubble is drawn, and from pixel 508 on all rows are unknown.
TEST_F(TimelineTest, BeyondTheLiveEdgeAllIsUnknown) {
  add_bubble(build);
  build.publish();
  analyse();
  live = true;
  live_edge = 4000;
  prepare();
  const std::vector<Span> unknown = spans_of(timeline.rows(), SpanStyle::Unknown);
  ASSERT_EQ(unknown.size(), timeline.lane_count() + 1);  // the run-ahead curve too
  for (const Span& span : unknown) {
    EXPECT_FLOAT_EQ(span.x0, 508);
    EXPECT_FLOAT_EQ(span.x1, 1008);
  }
  for (const Span& span : timeline.rows().spans) {
    if (span.style != SpanStyle::Solid || span.colour != colours[Colour::Kernel]) continue;
    EXPECT_LE(span.x1, 508);
  }
  const std::vector<Span> dashed = spans_of(timeline.rows(), SpanStyle::Dashed);
  ASSERT_EQ(dashed.size(), 1u);
  EXPECT_FLOAT_EQ(dashed[0].x1, 507);

  // An opened file has no such edge.
  live = false;
  prepare();
  EXPECT_TRUE(spans_of(timeline.rows(), SpanStyle::Unknown).empty());
}

TEST_F(TimelineTest, MarkersStandOnTheirInstantAndShareAFlagWhenTheyAreClose) {
  add_bubble(build);
  build.change(1000, 1, {{"log_interval", "1", "2"}});   // pixel 208
  build.change(1500, 2, {{"log_interval", "2", "10"}});  // 258: below the flag of the first
  build.change(4000, 3, {{"pinned", "false", "true"}});
  build.publish();
  analyse();
  prepare();
  std::vector<std::string> flags;
  for (const Label& label : timeline.top().labels) {
    if (label.text.find("→") != std::string::npos) flags.push_back(label.text);
  }
  EXPECT_THAT(flags, ElementsAre("log interval 1 → 10", "pinned memory off → on"));
  EXPECT_FLOAT_EQ(label_with(timeline.top(), "log interval").x, 208 + 6);
  // All three have their line, from the ruler to the bottom.
  for (const float x : {208.0f, 258.0f, 508.0f}) {
    float top = 10'000;
    float bottom = 0;
    for (const Span& span : spans_filled(timeline.rows(), colours[Colour::Marker])) {
      if (std::abs((span.x0 + span.x1) / 2 - x) > 0.1f) continue;
      top = std::min(top, span.y0);
      bottom = std::max(bottom, span.y1);
    }
    EXPECT_FLOAT_EQ(top, kTimelineArea.y + Timeline::kRulerHeight) << x;
    EXPECT_GE(bottom, kTimelineArea.y + kTimelineArea.height - 7) << x;
  }
}

// At 208 and 258: the flag of the first covers the line of the second, so it says both turns. The third begins after
// it. However close they stand, no flag runs into another.
TEST_F(TimelineTest, AFlagSaysWhatTurnedFromWhereToWhere) {
  add_bubble(build);
  build.change(1000, 1, {{"log_interval", "1", "100"}});
  build.change(1500, 2, {{"log_interval", "100", "50"}});
  build.change(4600, 3, {{"feed", "resident", "per-iteration"}});
  build.change(5000, 4, {{"pinned", "false", "true"}});
  build.publish();
  analyse();
  const auto flags = marker_flags(trace.names(), analysis->markers(), kTimelineAxis, 0, 20, 1);
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(flags[0].text, "log interval 1 → 100 → 50");
  EXPECT_EQ(flags[1].text, "feed resident → per-iteration, pinned memory off → on");
  EXPECT_FLOAT_EQ(flags[1].x, 568);
  for (Nanoseconds t = 1000; t < 9000; t += 170) {
    SCOPED_TRACE(t);
    const TimeAxis axis(t - 500, 3.0, 108, 900);
    std::vector<Event> in_view = analysis->markers();
    std::erase_if(in_view, [&](const Event& e) { return e.start_ns < axis.begin_ns() || e.start_ns > axis.end_ns(); });
    float free_from = 108;
    for (const MarkerFlag& flag : marker_flags(trace.names(), in_view, axis, 0, 20, 1)) {
      EXPECT_GE(flag.body.x, free_from);
      EXPECT_LE(flag.body.x + flag.body.width, 1008);
      free_from = flag.body.x + flag.body.width;
    }
  }
}

TEST_F(TimelineTest, ASelectedStretchIsShadedAndSaysItsLength) {
  add_bubble(build);
  build.publish();
  selection.range = {1000, 3500};
  prepare();
  const std::vector<Span> shades = spans_filled(timeline.rows(), colours[Colour::RangeSelection]);
  ASSERT_EQ(shades.size(), 1u);
  EXPECT_FLOAT_EQ(shades[0].x0, 208);
  EXPECT_FLOAT_EQ(shades[0].x1, 458);
  EXPECT_TRUE(has_label(timeline.top(), "2.5 µs"));
  // Out of view, there is nothing to shade.
  selection.range = {20'000, 30'000};
  prepare();
  EXPECT_TRUE(spans_filled(timeline.rows(), colours[Colour::RangeSelection]).empty());
}

TEST_F(TimelineTest, TheMouseFindsEventsAndBetweenKernelsTheBubble) {
  add_bubble(build);
  build.publish();
  analyse();
  prepare();
  const float y = rect(LaneKind::Kernels).y + 10;
  const auto kernel = timeline.hit(frame(), kTimelineAxis, 250, y);
  ASSERT_TRUE(kernel && kernel->event);
  EXPECT_EQ(kernel->event->event.start_ns, 1000);
  EXPECT_FALSE(kernel->bubble.has_value());
  const auto bubble = timeline.hit(frame(), kTimelineAxis, 400, y);
  ASSERT_TRUE(bubble && bubble->bubble);
  EXPECT_FALSE(bubble->event.has_value());
  EXPECT_EQ(bubble->bubble->start_ns, 2000);
  EXPECT_EQ(bubble->bubble->end_ns, 5000);
  EXPECT_EQ(bubble->bubble->cause, analysis::BubbleCause::AfterSync);
  // In the rows of calls there are no bubbles, and above the rows there is nothing.
  EXPECT_FALSE(timeline.hit(frame(), kTimelineAxis, 400, rect(LaneKind::Calls).y + 5).has_value());
  EXPECT_FALSE(timeline.hit(frame(), kTimelineAxis, 250, kTimelineArea.y + 5).has_value());
}

// GPU 0 idles from 2000 to 5000 ns, GPU 1 from 1500 to 2500: each in its own row of kernels.
TEST_F(TimelineTest, EachGpuHasItsOwnBubbles) {
  add_bubble(build);
  LaneInfo other = gpu(LaneKind::Kernels, "kernels", 1, 0);
  const LaneId second = trace.add_lane(other);
  build.launch(700, 750, 3);
  build.launch(2400, 2450, 4);
  build.add(second, EventKind::Kernel, "kernel", 1000, 1500, 3);
  build.add(second, EventKind::Kernel, "kernel", 2500, 6000, 4);
  build.publish();
  analyse();
  prepare();
  const Rect row[] = {*timeline.lane_rect(build.lane(LaneKind::Kernels)), *timeline.lane_rect(second)};
  const auto idle = [&](int gpu, float x) {
    const auto hit = timeline.hit(frame(), kTimelineAxis, x, row[gpu].y + 10);
    return hit ? hit->bubble : std::nullopt;
  };
  ASSERT_TRUE(idle(0, 400));
  EXPECT_EQ(idle(0, 400)->start_ns, 2000);
  EXPECT_EQ(idle(0, 400)->end_ns, 5000);
  EXPECT_FALSE(idle(1, 400)) << "its kernel runs there";
  ASSERT_TRUE(idle(1, 300));
  EXPECT_EQ(idle(1, 300)->start_ns, 1500);
  EXPECT_EQ(idle(1, 300)->gpu, 1);
  std::vector<float> drawn;  // the rows that bubbles are drawn in
  for (const Span& span : spans_of(timeline.rows(), SpanStyle::Dashed)) drawn.push_back(span.y0);
  EXPECT_THAT(drawn, ElementsAre(row[0].y + 3, row[1].y + 3));
}

// Two pictures of 5000 ns: the kernel of the second, at 6000 to 7000, and the bubble after it, to 9000, are what the
// mean, at 1000 to 2000 from the trigger, stands for. The view begins with the second trigger, at pixel 108.
TEST_F(TimelineTest, AnAveragedEventIsSelectedAndBubblesStay) {
  for (const Nanoseconds t : {0, 5000}) {
    build.iteration(t, t + 4900);
    build.kernel({t + 500, t + 700}, {t + 1000, t + 2000});
    build.sync(t + 800, t + 2500, 50, 500);
  }
  build.kernel({10'000, 10'200}, {11'000, 11'500});
  build.publish();
  analyse();
  AveragePicture average;
  const std::vector<Nanoseconds> triggers{0, 5000};
  ASSERT_TRUE(average.compute(trace, triggers, 0, 5000, 500));
  average.add_bubbles(analysis->bubbles(), triggers);
  const TimeAxis axis(5000, 10.0, 108, 500);
  TimelineFrame shown = frame();
  shown.average = &average;
  shown.average_at = 5000;
  timeline.sync(trace);
  timeline.prepare(shown, axis, kTimelineArea);
  const float y = rect(LaneKind::Kernels).y + 10;
  const auto kernel = timeline.hit(shown, axis, 258, y);
  ASSERT_TRUE(kernel && kernel->event && kernel->averaged);
  EXPECT_EQ(kernel->event->event.start_ns, 6000);
  EXPECT_EQ(kernel->event->event.lane, kernel->lane);
  const std::vector<Span> dashed = spans_of(timeline.rows(), SpanStyle::Dashed);
  ASSERT_FALSE(dashed.empty());
  EXPECT_NEAR(dashed.back().x0, 309, 1);
  const auto bubble = timeline.hit(shown, axis, 400, y);
  ASSERT_TRUE(bubble && bubble->bubble);
  EXPECT_EQ(bubble->bubble->start_ns, 7000);
}

// A hundred kernels of 5 ns every 10 ns at 100 ns per pixel are a few folds, half busy.
TEST_F(TimelineTest, AFoldUnderTheMouseSaysHowManyAndHowBusy) {
  for (Nanoseconds t = 1000; t < 2000; t += 10) build.kernel(t, t + 5);
  build.publish();
  const TimeAxis axis(0, 100, 108, 900);
  prepare(axis);
  const auto hit = timeline.hit(frame(), axis, 120, rect(LaneKind::Kernels).y + 10);
  ASSERT_TRUE(hit.has_value());
  EXPECT_FALSE(hit->event.has_value());
  EXPECT_GE(hit->folded_count, 20);
  EXPECT_LE(hit->folded_count, 40);
  EXPECT_EQ(hit->folded_to - hit->folded_from, 10 * (hit->folded_count - 1) + 5);
  EXPECT_NEAR(hit->folded_busy, 0.5, 0.02);
}

TEST_F(TimelineTest, TheRulerCountsFromItsOrigin) {
  build.kernel(0, 100);
  build.publish();
  timeline.sync(trace);
  TimelineFrame shown = frame();
  shown.label_origin = 4000;
  timeline.prepare(shown, kTimelineAxis, kTimelineArea);
  // 9 µs over 900 pixels: a label every microsecond, the one at 4 µs (pixel 508) is 0.
  EXPECT_THAT(texts(timeline.top()), IsSupersetOf({"-3", "0", "4"}));
  const Label& zero = *std::find_if(timeline.top().labels.begin(), timeline.top().labels.end(),
                                    [](const Label& l) { return l.text == "0"; });
  EXPECT_NEAR(zero.x + zero.max_width / 2, 508, 0.51);  // ticks stand on whole pixels
  EXPECT_EQ(zero.align, LabelAlign::Centre);
}

}  // namespace
}  // namespace lanescope::ui
