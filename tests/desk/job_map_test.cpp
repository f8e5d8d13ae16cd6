// A folder of many recordings: the map, who is late, a rank's own recording and the way back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "desk/desk.h"
#include "desk/job_file.h"

namespace lanescope::ui_test {
namespace {

using testing::SizeIs;

// 17 ranks, one more than lanes are made of; rank 3 is late in all iterations.
class JobMapTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    ASSERT_TRUE(open_ranks(desk(), 17, 3));
  }
  const ui::JobMapView& view() { return state().job_map; }
  Point at_rank(int rank) {
    const Rect map = desk().place("job_map");
    return {map.x + map.width / 2, map.y + (static_cast<float>(rank) + 0.5f) * map.height / 17};
  }
};

TEST_F(JobMapTest, AClickOpensThatRanksRecordingAndThereIsAWayBack) {
  EXPECT_TRUE(model().nothing()) << "no recording is shown";
  EXPECT_EQ(view().grid.lines, 17u);
  EXPECT_EQ(view().grid.steps[3 * view().grid.columns + 9], ui::kRampSteps - 1);
  EXPECT_EQ(view().grid.steps[4 * view().grid.columns + 9], 0);
  desk().click(at_rank(5));
  ASSERT_TRUE(desk().until([&] { return !model().nothing() && desk().has_place("job_map.back"); }));
  EXPECT_EQ(model().source().file()->filename(), "rank5.lanescope");
  EXPECT_FALSE(desk().has_place("job_map"));
  // Of the 38 iterations from 3 to 40, the one in the middle.
  const auto shown = [&] { return state().view.shown_iteration() ? state().view.shown_iteration()->number : 0; };
  EXPECT_TRUE(desk().until([&] { return shown() == 22; })) << shown();
  desk().click("job_map.back");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("job_map"); }));
  EXPECT_TRUE(model().nothing());
  EXPECT_EQ(view().row, 5u);
}

TEST_F(JobMapTest, AFindingMarksItsRanksAndAnotherClickEndsIt) {
  ASSERT_THAT(state().job_folder.look()->report.findings, SizeIs(1));
  desk().click("job_map.finding.0");
  ASSERT_TRUE(desk().until([&] { return view().finding == 0u; }));
  desk().click("job_map.finding.0");
  EXPECT_TRUE(desk().until([&] { return !view().finding; }));
}

TEST_F(JobMapTest, TheKeyboardGoesFromRankToRank) {
  ASSERT_TRUE(desk().until([&] {
    if (!state().focus.is_at("job_map.rank")) desk().act(ui::Action::NextControl);
    return state().focus.is_at("job_map.rank");
  }));
  desk().key(key::Right);
  desk().key(key::Right);
  ASSERT_TRUE(desk().until([&] { return view().row == 2; }));
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return !model().nothing(); }));
  EXPECT_EQ(model().source().file()->filename(), "rank2.lanescope");
}

TEST_F(JobMapTest, TheWheelZoomsAndTheColoursCanSayIdleTime) {
  desk().point_at(at_rank(3));
  desk().wheel(5);
  ASSERT_TRUE(desk().until([&] { return view().grid.lines < 17; }));
  desk().wheel(-8);
  ASSERT_TRUE(desk().until([&] { return view().grid.lines == 17; }));
  desk().click("job_map.by.idle time");
  ASSERT_TRUE(desk().until([&] { return view().measure == ui::MapMeasure::Idle; }));
  // 700 of 1,000 µs are kernels: 30 % idle on all of them.
  desk().frames(2);
  EXPECT_EQ(view().grid.steps[9], view().grid.steps[3 * view().grid.columns + 9]);
}

TEST_F(JobMapTest, AnotherFileOrARunEndsIt) {
  run({"log_interval=3"});
  EXPECT_FALSE(state().job_folder.on());
  EXPECT_TRUE(model().live());
  EXPECT_FALSE(desk().has_place("job_map.back"));
}

TEST_F(JobMapTest, AllOfThemOpenAsLanesOnRequest) {
  desk().click("job_map.as_lanes");
  ASSERT_TRUE(desk().until([&] { return !model().nothing() && state().job.gpu_count() == 17; }));
  EXPECT_FALSE(state().job_folder.on());
}

TEST_F(JobMapTest, ARecordingThatIsGoneIsNamed) {
  std::filesystem::remove(desk().home() / "ranks" / "rank5.lanescope");
  desk().click(at_rank(5));
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, testing::HasSubstr("rank5.lanescope"));
  EXPECT_TRUE(desk().has_place("job_map"));
}

}  // namespace
}  // namespace lanescope::ui_test
