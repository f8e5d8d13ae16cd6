#include "timeline/stalls.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiment/experiment.h"
#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "timeline/drawn.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using trace::Event;
using trace::EventKind;

// 10 ns are a pixel, 0 ns is at pixel 108. The lanes end at 1008.
const TimeAxis kStallAxis(0, 10.0, 108, 900);
const Rect kStallArea{0, 40, 1024, 600};

class StallTest : public DrawnTrace {
 protected:
  // A kernel until 2000, whose thread waits for it from 850 to 2500 after an own cost of 50; the next kernel begins at
  // `next`, launched 20 before.
  void one_stall(Nanoseconds next) {
    build.iteration(0, 9000);
    build.kernel({500, 700}, {1000, 2000});
    build.range("item()", 780, 2520);
    build.sync(800, 2500, 50, 500);
    build.kernel({next - 20, next - 10}, {next, next + 1000});
    build.publish();
  }
  void prepare() {
    analysis.emplace(trace);
    timeline.sync(trace);
    TimelineFrame frame{trace, &*analysis, colours, kAllKnown};
    frame.iteration = iteration;
    frame.scale = scale;
    timeline.prepare(frame, axis, kStallArea);
  }
  std::vector<std::pair<float, float>> hatched(bool harmful) {
    std::vector<Span> found = spans_of(timeline.rows(), SpanStyle::Hatched);
    std::erase_if(found, [&](const Span& s) { return s.colour != wait_hatching(colours, harmful).ground; });
    return edges(found);
  }
  std::uint32_t colour_of_range() {
    const Rect lane = *timeline.lane_rect(trace, LaneKind::Phases);
    const auto& spans = timeline.rows().spans;
    const auto range = std::find_if(spans.begin(), spans.end(),
                                    [&](const Span& s) { return s.y0 == lane.y && s.x0 == axis.to_px(780); });
    return range == spans.end() ? 0 : range->colour;
  }

  std::optional<Finished> analysis;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> iteration;
  TimeAxis axis = kStallAxis;
  float scale = 1;
  Timeline timeline;
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// The GPU idles from 2000 to 5000, longer than the block from 850 to 2500 (pixels 193 to 358): all of it cost time.
TEST_F(StallTest, ABlockIsSaturatedAsFarAsTheGpuIdles) {
  one_stall(5000);
  prepare();
  EXPECT_THAT(hatched(true), ElementsAre(Pair(193.0f, 358.0f)));
  EXPECT_THAT(hatched(false), IsEmpty());
  EXPECT_EQ(colour_of_range(), colours[Colour::WaitGround]);
  EXPECT_EQ(label_with(timeline.rows(), "item()").colour, colours[Colour::WaitInk]);
}

// It idles from 2000 to 2600: only the last 600 of the block, from pixel 298 on, cost time.
TEST_F(StallTest, TheRestBeforeItIsFaint) {
  one_stall(2600);
  prepare();
  EXPECT_THAT(hatched(false), ElementsAre(Pair(193.0f, 298.0f)));
  EXPECT_THAT(hatched(true), ElementsAre(Pair(298.0f, 358.0f)));
}

// Another kernel runs until 2490: 30 ns of 1650, less than a fiftieth, are no harm, and the statement is like others.
TEST_F(StallTest, AWaitForAGpuThatWorksIsFaint) {
  build.kernel({520, 530}, {2000, 2490});
  one_stall(2520);
  prepare();
  EXPECT_THAT(hatched(true), IsEmpty());
  EXPECT_THAT(hatched(false), ElementsAre(Pair(193.0f, 358.0f)));
  EXPECT_EQ(colour_of_range(), colours[Colour::Phase]);
  EXPECT_FALSE(timeline.stall_band());
}

// The launch after it waits for the queue: its own cost is that of a launch, the rest costs nothing, and is not amber.
TEST_F(StallTest, ALaunchThatWaitsForTheQueueCostsNothing) {
  build.kernel(0, 8000);
  Event& launch = build.launch(1000, 4000, 99);
  trace::set_parts(launch, {200, 0, 0, 0});
  build.publish();
  prepare();
  EXPECT_THAT(hatched(true), IsEmpty());
  EXPECT_THAT(hatched(false), ElementsAre(Pair(228.0f, 508.0f)));
  EXPECT_THAT(edges(spans_filled(timeline.rows(), colours[Colour::Launch])), ElementsAre(Pair(208.0f, 228.0f)));
  EXPECT_THAT(spans_filled(timeline.rows(), colours[Colour::CopyD2H]), IsEmpty());
}

// Allocating keeps the thread from launching: such a call is a block as a whole. Of the gap [2000,5000) it has the part
// until 4500; the launch after it has the rest.
TEST_F(StallTest, ACallThatAllocatesIsABlock) {
  build.iteration(0, 9000);
  build.kernel({500, 700}, {1000, 2000});
  build.call("cudaMalloc", 1500, 4500);
  build.kernel({4600, 4700}, {5000, 6000});
  build.publish();
  prepare();
  EXPECT_THAT(hatched(true), ElementsAre(Pair(308.0f, 558.0f)));
  ASSERT_TRUE(timeline.stall_band());
  EXPECT_EQ(timeline.stall_band()->text, "cudaMalloc 3 µs → GPU idle 2.5 µs");
}

// Two hundred calls of 20 ns that wait, in 12 pixels. After every second one the GPU idles for 10 ns of 60.
TEST_F(StallTest, AFoldIsSaturatedByItsShare) {
  build.iteration(0, 20'000);
  for (Nanoseconds t = 0; t < 12'000; t += 60) {
    build.kernel({t, t + 5}, {t + 5, t + 25});
    build.sync(t + 8, t + 28, 2, 1);
    build.kernel({t + 30, t + 34}, {t + 35, t + 60});
    build.sync(t + 40, t + 58, 2, 1);
  }
  build.publish();
  axis = TimeAxis(0, 1000.0, 108, 900);
  prepare();
  double faint = 0, harmful = 0;
  for (const Span& s : spans_of(timeline.rows(), SpanStyle::Hatched)) {
    const double area = (s.x1 - s.x0) * (s.y1 - s.y0) / 34;
    (s.colour == wait_hatching(colours, true).ground ? harmful : faint) += area;
  }
  // Of 60 ns the calls wait for 18 + 16, and the GPU idles for 10 of them.
  EXPECT_NEAR(faint, 12 * 34.0 / 60, 0.7);
  EXPECT_NEAR(harmful, 12 * 10.0 / 60, 0.3);
}

// --- the band --------------------------------------------------------------------------------------------------------

// From the block (193 to 358) down to the gap, 2000 to 5000 ns: 308 to 608, through all lanes between.
TEST_F(StallTest, TheBandTiesTheBlockToItsGap) {
  one_stall(5000);
  prepare();
  ASSERT_TRUE(timeline.stall_band());
  const StallBand& band = *timeline.stall_band();
  const Rect calls = *timeline.lane_rect(trace, LaneKind::Calls),
             kernels = *timeline.lane_rect(trace, LaneKind::Kernels);
  EXPECT_FLOAT_EQ(band.block.x, 193);
  EXPECT_FLOAT_EQ(band.block.width, 165);
  EXPECT_FLOAT_EQ(band.block.y, calls.y);
  EXPECT_FLOAT_EQ(band.saturated_px, 165);
  EXPECT_FLOAT_EQ(band.gap.x, 308);
  EXPECT_FLOAT_EQ(band.gap.width, 300);
  EXPECT_FLOAT_EQ(band.gap.y, kernels.y);
  EXPECT_EQ(band.text, "item() 1.7 µs → GPU idle 3 µs");
  // At every height between the lanes there is a piece, from the block's edges to the gap's; on the GPU's lanes, none
  // but in the gap.
  const std::uint32_t wait = colours[Colour::Wait] & 0xffffff;
  for (float y = calls.y + calls.height + 1; y < kernels.y + kernels.height; ++y) {
    float left = 1e6f, right = 0;
    for (const Span& s : spans_of(timeline.rows(), SpanStyle::Solid)) {
      if ((s.colour & 0xffffff) != wait || s.y0 > y || s.y1 <= y) continue;
      left = std::min(left, s.x0);
      right = std::max(right, s.x1);
    }
    EXPECT_GE(left, 192) << y;
    EXPECT_LE(right, 609) << y;
    EXPECT_GT(right - left, 160) << y;
    if (y >= kernels.y) {
      EXPECT_GE(left, 308) << y;
    }
  }
}

// Above the lanes of its thread, below the ruler; it stays in view, and without room there is none.
TEST_F(StallTest, ItsLabelCoversNeitherRulerNorLanes) {
  one_stall(5000);
  for (const float s : {1.0f, 1.6f}) {
    scale = s;
    for (const Nanoseconds from : {0, 700, 2400}) {
      axis = TimeAxis(from, 10.0, 108, 900);
      prepare();
      ASSERT_TRUE(timeline.stall_band()) << from;
      const Rect& label = timeline.stall_band()->label;
      EXPECT_GE(label.y, kStallArea.y + Timeline::kRulerHeight * s);
      EXPECT_LE(label.y + label.height, timeline.lane_rect(trace, LaneKind::Iterations)->y);
      EXPECT_GE(label.x, 108);
      EXPECT_LE(label.x + label.width, 1008);
      EXPECT_TRUE(has_label(timeline.rows(), "→ GPU idle"));
    }
  }
  axis = TimeAxis(0, 80.0, 108, 112);  // narrower than the text
  prepare();
  EXPECT_FALSE(has_label(timeline.rows(), "→ GPU idle"));
}

// The second iteration's stall is the longer one. Which iteration is shown is said by the frame, or else by the middle
// of the view; from == to: none.
TEST_F(StallTest, OneBandForTheCostliestStallOfTheShownIteration) {
  for (const Nanoseconds t : {0, 4000}) {
    build.iteration(t, t + 3900);
    build.kernel({t + 100, t + 110}, {t + 120, t + 600});
    build.sync(t + 300, t + 700, 20, 50);  // idle from 600 to 900
    build.kernel({t + 860, t + 870}, {t + 900, t + 1500});
    build.sync(t + 1000, t + 1600, 20, 50);  // idle from 1500 to 2200, or 2900
    build.kernel({t + 2100 + t / 8, t + 2150 + t / 8}, {t + 2200 + t / 6, t + 3800});
  }
  build.publish();
  const auto gap = [&] {
    prepare();
    return timeline.stall_band() ? timeline.stall_band()->stall.gap.start_ns : -1;
  };
  iteration = {0, 3900};
  EXPECT_EQ(gap(), 1500);
  iteration = {4000, 7900};
  EXPECT_EQ(gap(), 5500);
  iteration = {4000, 4000};
  EXPECT_EQ(gap(), -1);
  iteration.reset();
  EXPECT_EQ(gap(), 5500) << "the middle of the view is at 4500 ns";
  axis = TimeAxis(0, 4.0, 108, 900);
  EXPECT_EQ(gap(), 1500) << "it is at 1800 ns";
  // Of a gap of a few pixels there is nothing to tie.
  axis = TimeAxis(0, 1000.0, 108, 900);
  EXPECT_EQ(gap(), -1);
}

// The GPU's first lane of kernels is below another GPU's: the band ends above that one's work, and only its edges go
// on.
TEST_F(StallTest, TheBandCoversNoWorkOfAnotherGpu) {
  trace::LaneInfo other = gpu(LaneKind::Kernels, "kernels", 1, 0);
  other.process.clear();
  const LaneId second = trace.add_lane(other);
  build.kernel(0, 9000);
  build.launch(500, 700, 3);
  build.sync(800, 2500, 50, 500);
  build.launch(4000, 4200, 4);
  build.add(second, EventKind::Kernel, "kernel", 1000, 2000, 3);
  build.add(second, EventKind::Kernel, "kernel", 5000, 6000, 4);
  build.publish();
  prepare();
  ASSERT_TRUE(timeline.stall_band());
  const Rect first = *timeline.lane_rect(build.lane(LaneKind::Kernels));
  EXPECT_GT(timeline.stall_band()->gap.y, first.y);
  for (const Span& s : spans_of(timeline.rows(), SpanStyle::Solid)) {
    if ((s.colour & 0xffffff) != (colours[Colour::Wait] & 0xffffff)) continue;
    if (s.y1 <= first.y || s.y0 >= first.y + first.height) continue;
    EXPECT_LE(s.x1 - s.x0, 1.01f) << "a line";
  }
}

// --- every experiment ------------------------------------------------------------------------------------------------

// One call, as it should be drawn: found without Stalls, by looking at every gap.
struct Wanted {
  float x0 = 0, x1 = 0;  // its block
  double saturated = 0;
};

class DrawnExperiment : public testing::Test {
 protected:
  void look(std::string_view id, experiment::Side side, std::uint64_t iterations = 8) {
    const experiment::Experiment& e = experiment::experiment_named(id);
    session::SessionOptions options =
        experiment::side_options(e, side, {.device = {}, .iterations = iterations, .assignments = {}});
    options.memory_cap_bytes = std::size_t{64} << 20;
    run.emplace(std::move(options), analysis::LiveAnalysis::Detail::Timeline);
    run->run();
    const auto records = run->analysis().records();
    ASSERT_GE(records.size(), 4u);
    const std::size_t at = records.size() - 3;
    axis = TimeAxis(0, 1, 118, 1300).fitted(records[at].start_ns, records[at + 1].end_ns);
    timeline.emplace();
    timeline->sync(run->trace());
    timeline->prepare({run->trace(), &run->analysis(), colours, kAllKnown}, axis, {0, 0, 1418, 700});
  }
  std::vector<Wanted> wanted(const trace::Row& row, LaneId lane) const {
    std::vector<Wanted> found;
    for (EventIndex i = row.first(); i < row.last(); ++i) {
      const Event call = row.event(i);
      if (!trace::is_blocking(call) || call.start_ns < axis.begin_ns() || call.end_ns > axis.end_ns()) continue;
      const Nanoseconds block = call.duration() - trace::parts_of(call).own;
      Nanoseconds idle = 0;
      for (const analysis::Bubble& b : run->analysis().bubbles()) {
        if (b.call_lane == lane && b.call_start_ns == call.start_ns && is_stall(b.cause)) idle += b.duration();
      }
      if (static_cast<double>(idle) < Stalls::kHarmless * static_cast<double>(block)) idle = 0;
      if (axis.length_px(call.duration()) < 2 * LaneRow::kFoldPx) continue;
      found.push_back({axis.to_px(call.end_ns - block), axis.to_px(call.end_ns),
                       static_cast<double>(std::min(idle, block)) / axis.ns_per_pixel()});
    }
    return found;
  }
  double saturated(float x0, float x1, const Rect& lane) const {
    double sum = 0;
    for (const Span& s : timeline->rows().spans) {
      if (s.style != SpanStyle::Hatched || s.colour != colours[Colour::Wait]) continue;
      if (s.y0 >= lane.y && s.y1 <= lane.y + lane.height && s.x0 > x0 - 0.01f && s.x1 < x1 + 0.01f) sum += s.x1 - s.x0;
    }
    return sum;
  }

  const Theme& colours = theme(ThemeName::Dark);
  std::optional<experiment::MeasuredRun> run;
  std::optional<Timeline> timeline;
  TimeAxis axis;
};

class EveryExperiment : public DrawnExperiment, public testing::WithParamInterface<std::string> {};

// Within 3 % and half a pixel: as many pixels as the GPU idles, or the whole block where it idles for longer. And amber
// is on the lanes of copies only.
TEST_P(EveryExperiment, TheColourOfHarmIsAsLongAsTheGpuIdles) {
  for (const auto side : {experiment::Side::Before, experiment::Side::After}) {
    ASSERT_NO_FATAL_FAILURE(look(GetParam(), side));
    const trace::Trace& trace = run->trace();
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<LaneId>(l);
      const auto rect = timeline->lane_rect(lane);
      if (!rect || trace.lane(lane).info().kind != LaneKind::Calls) continue;
      for (const Span& s : timeline->rows().spans) {
        if (s.y0 < rect->y || s.y1 > rect->y + rect->height) continue;
        EXPECT_NE(s.colour & 0xffffff, colours[Colour::CopyD2H] & 0xffffff);
      }
      for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
        for (const Wanted& call : wanted(trace.lane(lane).row(r), lane)) {
          EXPECT_NEAR(saturated(call.x0, call.x1, *rect), call.saturated, std::max(0.5, 0.03 * call.saturated))
              << experiment::side_key(side) << " at " << call.x0;
        }
      }
    }
  }
}

// P14 before: launches wait for the queue. R1 after: the CPU waits for a copy that ended long ago, or while the GPU
// works. P28: of each iteration of 8 ms the CPU waits for nearly all, and the GPU idles for 38 µs.
TEST_F(DrawnExperiment, AHarmlessWaitHasNoSaturatedPixel) {
  using experiment::Side;
  for (const auto& [id, side] :
       {std::pair("P14", Side::Before), {"R1", Side::After}, {"P28", Side::Before}, {"P28", Side::After}}) {
    SCOPED_TRACE(id);
    ASSERT_NO_FATAL_FAILURE(look(id, side, std::string_view(id) == "P14" ? 400 : 8));  // until the queue is full
    const trace::Trace& trace = run->trace();
    const Rect rect = *timeline->lane_rect(trace, LaneKind::Calls);
    const auto lane = *timeline->lane_at(rect.y + 1);
    float longest = 0;
    for (const Wanted& call : wanted(trace.lane(lane).row(0), lane)) {
      if (std::string_view(id) == "P28" && call.x1 - call.x0 < 100) continue;  // it has others, of 0.2 ms
      longest = std::max(longest, call.x1 - call.x0);
      EXPECT_EQ(saturated(call.x0, call.x1, rect), 0);
    }
    EXPECT_GT(longest, 100) << "the wait is there";
    for (const Span& s : timeline->rows().spans) {
      if (std::string_view(id) == "P28") break;
      EXPECT_NE(s.colour & 0xffffff, colours[Colour::Wait] & 0xffffff);
    }
  }
}

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const experiment::Experiment& e : experiment::experiments()) ids.push_back(e.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(All, EveryExperiment, testing::ValuesIn(all_ids()), [](const auto& about) {
  std::string name = about.param;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace
}  // namespace lanescope::ui
