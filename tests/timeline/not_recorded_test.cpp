#include "timeline/not_recorded.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "timeline/average.h"
#include "timeline/drawn.h"
#include "timeline/minimap_bins.h"
#include "timeline/plot_set.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 0 ns is at pixel 108, 10 ns are a pixel, so a cell of the grid is 40 ns; 900 pixels show 9,000 ns.
const Rect kGapsArea{0, 40, 1024, 600};
const TimeAxis kGapsAxis(0, 10.0, 108, 900);

void record(trace::Trace& trace, Nanoseconds begin, Nanoseconds end, Nanoseconds calls_from) {
  trace.begin_recorded(0, begin, calls_from);
  trace.end_recorded(0, end);
}

std::vector<MissingStretch> missing(const trace::Trace& trace, const TimeAxis& axis, bool calls = false) {
  const trace::Trace::ReadLock lock(trace);
  return missing_stretches(trace.coverage(0), axis, axis.begin_ns(), axis.end_ns(), calls);
}

TEST(NotRecorded, WideStretchesHaveExactEdges) {
  trace::Trace trace;
  EXPECT_THAT(missing(trace, kGapsAxis), IsEmpty()) << "everything is recorded";
  record(trace, 1005, 3003, 900);
  record(trace, 7001, 8000, 7001);
  EXPECT_THAT(missing(trace, kGapsAxis),
              ElementsAre(MissingStretch{0, 1005}, MissingStretch{3003, 7001}, MissingStretch{8000, 9000}));
  EXPECT_THAT(missing(trace, kGapsAxis, true),
              ElementsAre(MissingStretch{0, 900}, MissingStretch{3003, 7001}, MissingStretch{8000, 9000}));
}

// 1,000,000 bursts of 5 ns every 20 ns, two to a pixel: cells of 40 ns, of which three quarters are missing: one
// stretch. Where the bursts are 10 of 20, half is missing.
TEST(NotRecorded, ManyBurstsBecomeADensity) {
  trace::Trace trace;
  for (Nanoseconds t = 0; t < 4000; t += 20) record(trace, t, t + 5, t);
  for (Nanoseconds t = 4000; t < 9000; t += 20) record(trace, t, t + 10, t);
  EXPECT_THAT(missing(trace, kGapsAxis), ElementsAre(MissingStretch{0, 4000, 0.75f}, MissingStretch{4000, 9000, 0.5f}));
}

// However many bursts are in view, there are no more stretches than two to a cell.
TEST(NotRecorded, CostDependsOnThePixels) {
  trace::Trace trace;
  constexpr Nanoseconds kBursts = 200'000;
  for (Nanoseconds i = 0; i < kBursts; ++i) {
    record(trace, i * 1000 + i % 7 * 50, i * 1000 + 400 + i % 11 * 30, i * 1000);
  }
  for (Nanoseconds span = 2000; span <= kBursts * 1000; span *= 3) {
    const TimeAxis axis = kGapsAxis.fitted(0, span);
    const std::vector<MissingStretch> found = missing(trace, axis);
    EXPECT_LE(found.size(), 2 * 900 / static_cast<std::size_t>(kMissingCellPx) + 2) << span;
    EXPECT_FALSE(found.empty());
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i].from, found[i - 1].to);
  }
}

class NotRecordedTimeline : public DrawnTrace {
 protected:
  // Recorded: 0 - 2,000 and 6,000 - 8,000. Between, the sync at 3,000 - 3,500 is known.
  void SetUp() override {
    trace.change_recording({trace::RecordingChange::Act::Bursts, 0, 50'000'000, 500'000'000});
    record(trace, 0, 2000, 0);
    record(trace, 6000, 8000, 6000);
    build.kernel({100, 200}, {300, 1200});
    build.sync(3000, 3500, 20, 20);
    build.kernel({6100, 6200}, {6300, 7900});
    build.range("phase", 0, 8900);
    build.publish();
    analysis.update(kAllKnown);
    analysis.finish();
    prepare();
  }
  TimelineFrame frame() { return {trace, &analysis, colours, kAllKnown}; }
  void prepare() {
    timeline.sync(trace);
    timeline.prepare(frame(), kGapsAxis, kGapsArea);
  }
  /// The horizontal extents of the holes drawn in a lane.
  std::vector<std::pair<float, float>> holes(LaneKind kind) {
    const Rect rect = timeline.lane_rect(trace, kind).value_or(Rect{});
    std::vector<std::pair<float, float>> found;
    for (const Span& span : spans_of(timeline.rows(), SpanStyle::Unknown)) {
      if (span.y0 >= rect.y - 0.5f && span.y0 < rect.y + rect.height) found.emplace_back(span.x0, span.x1);
    }
    return found;
  }

  analysis::LiveAnalysis analysis{trace};
  Timeline timeline;
};

// Lanes of the GPU and of calls have holes, from 2,000 to 6,000 ns (pixels 308 to 708) and from 8,000 to the end of the
// trace, 8,900 (908 to 998). What is known all the time has none.
TEST_F(NotRecordedTimeline, LanesHaveHolesWhereNothingWasRecorded) {
  const std::vector<std::pair<float, float>> both{{308, 708}, {908, 998}};
  EXPECT_EQ(holes(LaneKind::Kernels), both);
  EXPECT_EQ(holes(LaneKind::Calls), both);
  EXPECT_THAT(holes(LaneKind::Phases), IsEmpty());
  for (const Span& hole : spans_of(timeline.rows(), SpanStyle::Unknown))
    EXPECT_EQ(hole.colour, colours[Colour::Ground]);
}

TEST_F(NotRecordedTimeline, TheWordsStandWhereTheyFitAndCoverNoEvent) {
  const auto words = std::count_if(timeline.rows().labels.begin(), timeline.rows().labels.end(),
                                   [](const Label& label) { return label.text == "not recorded"; });
  // Kernels and the run-ahead curve; not on the lane of calls, where the sync is; the other hole is too narrow.
  EXPECT_EQ(words, 2);
}

TEST_F(NotRecordedTimeline, NoBubbleIsDrawnThere) {
  // Between the kernels the GPU is known to be idle from 1,200 to 2,000 and from 6,000 to 6,300, for unknown reasons.
  EXPECT_THAT(spans_of(timeline.rows(), SpanStyle::Dashed), IsEmpty());
}

TEST_F(NotRecordedTimeline, TheMouseTells) {
  const Rect kernels = timeline.lane_rect(trace, LaneKind::Kernels).value_or(Rect{});
  const Rect phases = timeline.lane_rect(trace, LaneKind::Phases).value_or(Rect{});
  const auto hit = timeline.not_recorded_at(frame(), kGapsAxis, 508, kernels.y + 5);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->at, 4000);
  EXPECT_EQ(not_recorded_text(hit->bursts), "Not recorded: recorded in bursts of 50 ms every 500 ms");
  EXPECT_FALSE(timeline.not_recorded_at(frame(), kGapsAxis, 258, kernels.y + 5)) << "1,500 ns is recorded";
  EXPECT_FALSE(timeline.not_recorded_at(frame(), kGapsAxis, 508, phases.y + 5)) << "known all the time";
  EXPECT_FALSE(timeline.not_recorded_at(frame(), kGapsAxis, 1005, kernels.y + 5)) << "after the trace";
  EXPECT_EQ(not_recorded_text({}), "Not recorded: here only what blocks the CPU is known");
}

// The curve has a gap there, and is not at zero: no line is drawn from pixel 308 to 708 in its row.
TEST_F(NotRecordedTimeline, TheCurveHasAGap) {
  Rect curve;
  for (const LanePlace& place : timeline.places()) {
    if (!place.lane) curve = place.rect;
  }
  ASSERT_GT(curve.height, 0);
  int lines = 0;
  for (const Span& span : spans_filled(timeline.rows(), colours[Colour::Accent])) {
    if (span.y0 < curve.y || span.y1 > curve.y + curve.height + 2) continue;
    ++lines;
    EXPECT_FALSE(span.x0 > 310 && span.x1 < 706) << span.x0 << " - " << span.x1;
  }
  EXPECT_GT(lines, 0);
}

// A picture that is not recorded whole cannot be averaged with others.
TEST_F(NotRecordedTimeline, OnlyWholePicturesAreAveraged) {
  const std::vector<Nanoseconds> triggers{500, 1900, 3000, 6500};
  EXPECT_THAT(recorded_whole(trace, triggers, 100, 500), ElementsAre(500, 6500));
}

// Two iterations of 100: the first recorded whole and busy for 50, the second recorded for 20, of which 10 are busy.
TEST(NotRecordedPlots, AreGapsAndNotZero) {
  analysis::IterationRecord zero, first, second;
  first.number = 1;
  first.end_ns = 100;
  first.recorded_ns = 100;
  first.busy_ns = 50;
  second.number = 2;
  second.end_ns = 200;
  second.recorded_ns = 120;
  second.busy_ns = 60;
  for (analysis::IterationRecord* record : {&zero, &first, &second}) record->in_parts = true;
  EXPECT_DOUBLE_EQ(plot_value(PlotKind::GpuBusy, zero, first), 50);
  EXPECT_TRUE(std::isnan(plot_value(PlotKind::GpuBusy, first, second))) << "a part of one iteration says little";
  EXPECT_DOUBLE_EQ(plot_value(PlotKind::GpuBusy, zero, second), 50) << "60 of 120, not of 200";
  EXPECT_FALSE(std::isnan(plot_value(PlotKind::IterationTime, first, second))) << "known all the time";
  zero.recorded_ns = 30;
  EXPECT_TRUE(std::isnan(plot_value(PlotKind::GpuBusy, zero, second))) << "90 of two iterations: not even one";
  second.recorded_ns = 100;
  EXPECT_TRUE(std::isnan(plot_value(PlotKind::RunAhead, first, second)));
}

// A run of 8,192 ns: kernels of 512 every 1,024, recorded for half of the time. The bars show how busy the GPU is in
// what was recorded: by halves, not by quarters.
TEST(NotRecordedMinimap, BarsAreOfTheRecordedTime) {
  trace::Trace trace;
  TraceBuilder build(trace);
  record(trace, 0, 2048, 0);
  record(trace, 4096, 6144, 4096);
  for (Nanoseconds t = 0; t < 8192; t += 1024) {
    if (trace.coverage(0).recorded(t)) build.kernel(t, t + 512);
  }
  build.range("phase", 0, 8192);
  build.publish();
  MinimapBins bins;
  bins.update(trace, {}, 0, 8192, false);
  ASSERT_EQ(bins.bin_ns(), 1024);
  ASSERT_EQ(bins.bins().size(), 8u);
  EXPECT_FLOAT_EQ(bins.bins()[1].busy, 0.5f);
  EXPECT_FLOAT_EQ(bins.bins()[1].recorded, 1);
  EXPECT_FLOAT_EQ(bins.bins()[2].recorded, 0);
  EXPECT_FLOAT_EQ(bins.bins()[2].busy, 0);
}

}  // namespace
}  // namespace lanescope::ui
