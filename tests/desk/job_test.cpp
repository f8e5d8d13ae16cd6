// The bands of several GPUs: who arrived last, and what it did before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/desk.h"
#include "desk/job_file.h"
#include "shell/write_pictures.h"

namespace lanescope::ui_test {
namespace {

using testing::SizeIs;

class JobTest : public DeskTest {
 protected:
  void open(int gpus, int late) {
    state().job.unfolded = false;
    ASSERT_TRUE(open_job(desk(), gpus, late));
  }
  const ui::JobState& job() { return state().job; }
  Point strip_at(Nanoseconds t) {
    const Rect area = desk().place("job");
    return {state().view.axis().to_px(t), area.y + 6};
  }
};

// Of the 200 µs that it needs longer, softmax has all: it is what a click goes to.
TEST_F(JobTest, AClickOnTheStripGoesToWhatTheLastOneDid) {
  open(2, 1);
  ASSERT_THAT(job().bands(), SizeIs(2));
  desk().click(strip_at(20'650'000));
  ASSERT_TRUE(desk().until([&] { return state().selection.event.has_value(); }));
  const ui::EventRef event = *state().selection.event;
  EXPECT_EQ(model().trace().names().text(event.event.name), "softmax");
  EXPECT_EQ(event.event.start_ns, 20'200'000);
  EXPECT_EQ(event.event.end_ns, 20'600'000);
  EXPECT_EQ(model().trace().lane(event.lane).info().device, 1);
  EXPECT_EQ(job().selected, 20u);
  const Rect lane = *state().timeline.lane_rect(event.lane);
  const Rect timeline = desk().place("timeline");
  EXPECT_GE(lane.y, timeline.y);
  EXPECT_LT(lane.y, timeline.y + timeline.height) << "its lane is in sight";
  // Elsewhere, a click ends the selection.
  const Rect band = desk().place("job.band.GPU 0");
  desk().click(Point{state().view.axis().to_px(20'100'000), band.y + 5});
  EXPECT_TRUE(desk().until([&] { return !job().selected && !state().selection.event; }));
}

TEST_F(JobTest, OfManyTheWorstAreShownAndAllOnRequest) {
  open(8, 5);
  ASSERT_THAT(job().bands(), SizeIs(4));
  EXPECT_EQ(job().bands()[0].name, "GPU 5");
  desk().click("job_fold");
  ASSERT_TRUE(desk().until([&] { return job().bands().size() == 8; }));
  EXPECT_EQ(job().bands()[0].name, "GPU 0");
}

TEST_F(JobTest, TheyZoomAndMoveWithTheLanesAndGoAwayByKey) {
  open(2, 1);
  const Rect band = desk().place("job.band.GPU 0");
  const Nanoseconds span = static_cast<Nanoseconds>(state().view.axis().span_ns());
  desk().point_at({state().view.axis().to_px(20'000'000), band.y + 5});
  desk().wheel(3);
  ASSERT_TRUE(desk().until([&] { return state().view.axis().span_ns() < 0.8 * static_cast<double>(span); }));
  const Nanoseconds begin = state().view.axis().begin_ns();
  desk().drag({700, band.y + 5}, {500, band.y + 5});
  EXPECT_TRUE(desk().until([&] { return state().view.axis().begin_ns() > begin; }));
  desk().act(ui::Action::JobBands);
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("job"); }));
  desk().act(ui::Action::JobBands);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("job"); }));
}

TEST_F(JobTest, OneGpuHasNoBands) {
  wait_for_iterations(5);
  EXPECT_FALSE(desk().has_place("job"));
  EXPECT_FALSE(desk().has_place("tab.ranks"));
}

// All GPUs of this job, GPU 5 marked: last in all 40, where the others wait 200 µs each.
TEST_F(JobTest, TheTableHasEveryGpuAndAClickGoesToItsLanes) {
  open(8, 5);
  desk().click("tab.ranks");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("ranks.row.5"); }));
  const ui::RankTable& table = job().ranks();
  ASSERT_THAT(table.lines, SizeIs(8));
  EXPECT_EQ(table.worst, 5);
  EXPECT_EQ(ui::rank_cell(table.lines[5], ui::RankColumn::Last), "40 · 100 %");
  EXPECT_EQ(ui::rank_cell(table.lines[0], ui::RankColumn::WaitEach), "200 µs");
  const auto y = [&](int gpu) { return desk().place("ranks.row." + std::to_string(gpu)).y; };
  EXPECT_LT(y(5), y(0)) << "the worst first";
  desk().click("ranks.by.0");
  ASSERT_TRUE(desk().until([&] { return y(0) < y(1); }));
  desk().click("ranks.by.0");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("ranks.row.7"); }));
  EXPECT_LT(y(7), y(6));

  desk().click("ranks.row.7");
  const trace::Owners& owners = model().analysis().links().owners();
  const Rect timeline = desk().place("timeline");
  EXPECT_TRUE(desk().until([&] {
    for (const trace::LaneId lane : state().timeline.lanes()) {
      const auto place = state().timeline.lane_rect(lane);
      if (owners.gpu_of(lane) == 7 && place) return place->y >= timeline.y && place->y < timeline.y + timeline.height;
    }
    return false;
  }));
}

TEST_F(JobTest, TheTableGoesAwayWithItsTrace) {
  open(2, 1);
  desk().act(ui::Action::Ranks);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("ranks.row.1"); }));
  run({});
  EXPECT_TRUE(desk().until([&] { return state().drawer == ui::DrawerTab::Closed; }));
  EXPECT_FALSE(desk().has_place("tab.ranks"));
}

// As many as are shown, and none if they are hidden or only lanes are wanted.
TEST_F(JobTest, APictureHasTheBandsOfTheWindow) {
  open(8, 5);
  ui::PictureChoices choices;
  const auto bands = [&] {
    const ui::PictureRequest request = ui::picture_request(state(), choices, ui::picture_moment(state()));
    return request.parts.front().over.job.bands;
  };
  ASSERT_THAT(bands(), SizeIs(4));
  EXPECT_EQ(bands()[0].name, "GPU 5");
  EXPECT_THAT(ui::draw_as(state(), choices, ui::picture_moment(state()), ui::PictureFormat::Svg).svg,
              testing::HasSubstr(">last in 100 %<"));
  const ui::PreviewKey folded = ui::preview_key(state());
  desk().click("job_fold");
  ASSERT_TRUE(desk().until([&] { return job().bands().size() == 8; }));
  EXPECT_THAT(bands(), SizeIs(8));
  EXPECT_NE(ui::preview_key(state()), folded) << "the preview is drawn again";

  choices.subject = ui::PictureSubject::Selection;
  state().selection.range = {20'000'000, 21'000'000};
  EXPECT_THAT(bands(), SizeIs(8));
  state().selection.lanes = {0};
  EXPECT_THAT(bands(), testing::IsEmpty());
  choices.subject = ui::PictureSubject::Timeline;
  EXPECT_THAT(bands(), SizeIs(8));
  desk().act(ui::Action::JobBands);
  ASSERT_TRUE(desk().until([&] { return !desk().has_place("job"); }));
  EXPECT_THAT(bands(), testing::IsEmpty());
}

}  // namespace
}  // namespace lanescope::ui_test
