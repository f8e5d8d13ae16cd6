// Two panes: the CPU's lanes above, the GPU's below, both always in sight.
#include <gmock/gmock.h>

#include "timeline/drawn.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using trace::EventKind;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

const TimeAxis kPanesAxis(0, 10.0, 108, 900);  // 0 to 9,000 ns

class PanesTest : public DrawnTrace {
 protected:
  LaneId add(LaneKind kind, std::string name, std::int32_t tid, std::int32_t device = 0) {
    LaneInfo info =
        trace::is_cpu_lane(kind) ? cpu(kind, std::move(name), tid) : gpu(kind, std::move(name), device, tid);
    info.pid = 5;
    return trace.add_lane(info);
  }
  // A program with a loop, `threads` other threads and `gpus` GPUs with three lanes each.
  void program(int threads, int gpus) {
    for (int t = 0; t < threads; ++t) others.push_back(add(LaneKind::Phases, "operators", 20 + t));
    loop = add(LaneKind::Calls, "CUDA calls", 100);
    for (int g = 0; g < gpus; ++g) {
      kernels.push_back(add(LaneKind::Kernels, "kernels", 7, g));
      add(LaneKind::CopyH2D, "copy H2D", 7, g);
      add(LaneKind::CopyD2H, "copy D2H", 7, g);
    }
    build.add(loop, EventKind::Call, "cudaLaunchKernel", 100, 200);
    for (const LaneId lane : kernels) build.add(lane, EventKind::Kernel, "k", 300, 900);
    for (const LaneId lane : others) build.add(lane, EventKind::Range, "op", 100, 200);
    build.publish();
  }
  void prepare(float height, const TimeAxis& axis = kPanesAxis) {
    TimelineFrame frame{trace, nullptr, colours, 1'000'000};
    frame.layout = &layout;
    frame.panes = choice;
    area = {0, 40, 1024, height};
    timeline.sync(trace, &layout);
    timeline.prepare(frame, axis, area);
  }
  // The height of a lane's part that can be seen.
  float seen(LaneId lane) {
    const auto& events = trace.lane(lane).row(0);
    const auto rect = timeline.event_rect({lane, 0, events.first(), events.event(events.first())}, kPanesAxis);
    return rect ? rect->height : 0;
  }
  std::vector<std::string> keys_of(std::initializer_list<LaneId> lanes) {
    timeline.sync(trace, &layout);
    std::vector<std::string> keys;
    for (const LaneId lane : lanes) keys.push_back(*timeline.key_of(lane));
    return keys;
  }
  float bottom() const { return area.y + area.height; }

  LaneLayout layout;
  Timeline timeline;
  PaneChoice choice;
  Rect area;
  LaneId loop = 0;
  std::vector<LaneId> others, kernels;
};

// Calls 34 + 6, kernels 34 + 6, two copies 22 + 6 each, the curve 58 + 6; headings 22, 36 and 36: 342 with the ruler
// and the label below. In 444 pixels the lanes grow by 102: kernels by 34 for each time their height, calls by 0.3 of
// that and copies by 0.03 of their 22, which are 45.52 together. So kernels become 3.24 times as high.
TEST_F(PanesTest, LanesFillTheRoom) {
  program(0, 1);
  prepare(342);
  EXPECT_FLOAT_EQ(timeline.lane_rect(loop)->height, 34);
  prepare(444);
  EXPECT_FALSE(timeline.divided());
  EXPECT_NEAR(timeline.lane_rect(loop)->height, 34 * (1 + 0.3f * 102 / 45.52f), 0.3f);
  EXPECT_NEAR(timeline.lane_rect(kernels[0])->height, 34 * (1 + 102 / 45.52f), 0.5f);
  prepare(2000);
  EXPECT_NEAR(timeline.lane_rect(kernels[0])->height, 34 * Timeline::kMostStretch, 0.2f);
  EXPECT_EQ(timeline.pane(Pane::Cpu).overflow, 0);
  // Before anything scrolls, they shrink.
  prepare(310);
  EXPECT_FALSE(timeline.divided());
  EXPECT_LT(timeline.lane_rect(loop)->height, 34);
  EXPECT_GT(timeline.lane_rect(loop)->height, 34 * Timeline::kLeastStretch);
}

// The room of a window of 900x560, and of one that is smaller still.
TEST_F(PanesTest, CpuAndGpuAreBothInSight) {
  program(40, 8);
  for (const float height : {700.0f, 290.0f, 200.0f}) {
    prepare(height);
    ASSERT_TRUE(timeline.divided());
    const PanePlace& cpu = timeline.pane(Pane::Cpu);
    const PanePlace& gpu = timeline.pane(Pane::Gpu);
    EXPECT_GT(seen(loop), 12) << height;
    EXPECT_GT(seen(kernels[0]), 12) << height;
    EXPECT_LT(cpu.bottom, gpu.top);
    EXPECT_FLOAT_EQ(gpu.bottom, bottom());
    const Rect curve = timeline.place_of(kRunAheadKey)->rect;
    EXPECT_GE(curve.y, cpu.bottom);
    EXPECT_LE(curve.y + curve.height, gpu.top);
    EXPECT_GE(curve.height, 16);
  }
}

// The thread that calls the API stands first, although its number is the highest.
TEST_F(PanesTest, TheThreadThatLaunchesStandsFirst) {
  program(3, 1);
  prepare(600);
  for (const LaneId other : others) EXPECT_LT(timeline.lane_rect(loop)->y, timeline.lane_rect(other)->y);
}

TEST_F(PanesTest, EachScrollsByItself) {
  program(40, 8);
  prepare(500);
  const float cpu_y = timeline.lane_rect(loop)->y;
  const float gpu_y = timeline.lane_rect(kernels[0])->y;
  choice.scroll = {0, 50};
  prepare(500);
  EXPECT_FLOAT_EQ(timeline.lane_rect(loop)->y, cpu_y);
  EXPECT_FLOAT_EQ(timeline.lane_rect(kernels[0])->y, gpu_y - 50);
  // Beyond the end: the last lane and the space for the label below it end at the bottom.
  choice.scroll = {1e6f, 1e6f};
  prepare(500);
  EXPECT_FLOAT_EQ(timeline.pane(Pane::Cpu).scroll, timeline.pane(Pane::Cpu).overflow);
  const Rect last = timeline.places().back().rect;
  EXPECT_NEAR(last.y + last.height, bottom() - 18 - 6, 0.5f);
  // What has scrolled out of its pane is not hit, although another pane is there.
  EXPECT_EQ(timeline.pane_at(timeline.pane(Pane::Gpu).top + 1), Pane::Gpu);
  const float above = timeline.pane(Pane::Gpu).top - 3;
  const auto lane = timeline.lane_at(above);
  EXPECT_TRUE(!lane || timeline.pane_of(*lane) == Pane::Cpu);
  EXPECT_FLOAT_EQ(seen(kernels[0]), 0);
  // And it comes back.
  const auto& row = trace.lane(kernels[0]).row(0);
  const EventRef first{kernels[0], 0, row.first(), row.event(row.first())};
  choice.scroll[1] = timeline.scroll_to_show(first, 8);
  prepare(500);
  EXPECT_GT(seen(kernels[0]), 20);
}

TEST_F(PanesTest, TheDividerIsDragged) {
  program(40, 8);
  prepare(500);
  const float room = timeline.pane(Pane::Gpu).bottom - timeline.pane(Pane::Gpu).top + timeline.pane(Pane::Cpu).bottom -
                     timeline.pane(Pane::Cpu).top;
  choice.cpu_share = timeline.cpu_share_at(timeline.divider().y - 60);
  const float before = timeline.divider().y;
  prepare(500);
  EXPECT_NEAR(timeline.divider().y, before - 60, 1);
  // Neither pane disappears.
  choice.cpu_share = 0.01f;
  prepare(500);
  EXPECT_GE(seen(loop), 12);
  choice.cpu_share = 0.99f;
  prepare(500);
  EXPECT_GE(seen(kernels[0]), 12);
  EXPECT_NEAR(timeline.pane(Pane::Cpu).bottom - timeline.pane(Pane::Cpu).top, room - 56, 1);
}

// A pane that has all it needs does not take room from the other.
TEST_F(PanesTest, NoRoomIsLeftWhileTheOtherScrolls) {
  program(40, 1);
  choice.cpu_share = 0.2f;
  prepare(500);
  EXPECT_EQ(timeline.pane(Pane::Gpu).overflow, 0);
  const Rect last = timeline.places().back().rect;
  EXPECT_NEAR(last.y + last.height, bottom() - 18 - 6, 0.5f);
}

// Other threads fold while they have no events in view or near it; the first one never does, and by hand all open.
TEST_F(PanesTest, ThreadsWithoutEventsInViewFoldToALine) {
  program(2, 1);
  const LaneId late = others[1];
  build.add(late, EventKind::Range, "op", 50'000, 50'100);
  build.publish();
  const auto at = [](base::Nanoseconds from) { return TimeAxis(from, 10.0, 108, 900); };
  prepare(600, at(0));
  EXPECT_GT(timeline.lane_rect(late)->height, 10);
  prepare(600, at(20'000));
  EXPECT_EQ(timeline.lane_rect(late)->height, 0);
  EXPECT_GT(timeline.lane_rect(loop)->height, 10);
  std::size_t quiet = 0;
  for (const HeadingPlace& heading : timeline.headings()) {
    if (!heading.quiet) continue;
    ++quiet;
    EXPECT_FLOAT_EQ(heading.rect.height, 17);
    EXPECT_THAT(heading.text, testing::HasSubstr("no events in view"));
  }
  EXPECT_EQ(quiet, 2u);
  // Just out of view (45.5 to 54.5 µs sees it; 50.2 to 59.2 does not, but is near): it does not flicker.
  prepare(600, at(45'500));
  EXPECT_GT(timeline.lane_rect(late)->height, 10);
  prepare(600, at(50'200));
  EXPECT_GT(timeline.lane_rect(late)->height, 10);
  prepare(600, at(60'000));
  EXPECT_EQ(timeline.lane_rect(late)->height, 0);
  prepare(600, at(50'200));
  EXPECT_EQ(timeline.lane_rect(late)->height, 0);
  const std::string group = timeline.place_of(*timeline.key_of(late))->group;
  layout.fold_group(group, false);
  prepare(600, at(50'200));
  EXPECT_GT(timeline.lane_rect(late)->height, 10);
}

// The first thread that is shown, not the first one there is.
TEST_F(PanesTest, NoThreadFoldsThatIsAlone) {
  program(1, 1);
  const TimeAxis later(20'000, 10.0, 108, 900);
  layout.set(*keys_of({loop}).begin(), {.hidden = true});
  prepare(600, later);
  EXPECT_GT(timeline.lane_rect(others[0])->height, 10);
  for (const std::string& key : keys_of({loop, others[0]})) layout.set(key, {.pinned = true});
  prepare(2000, later);  // all that could fold is pinned
  EXPECT_GT(timeline.lane_rect(others[0])->height, 10);
}

}  // namespace
}  // namespace lanescope::ui
