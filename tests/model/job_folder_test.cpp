// A job of many ranks, opened as a map: which files are one, what is read of them, and what is drawn.
#include "model/source/job_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "analysis/made_up_job.h"
#include "analysis/rank_recordings.h"
#include "base/error.h"
#include "io/summary_file.h"
#include "until.h"

namespace lanescope::ui_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using ui::JobFolder;
using ui::MapGrid;
using ui::MapMeasure;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class JobFolderTest : public testing::Test {
 protected:
  JobFolderTest()
      : folder_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~JobFolderTest() override { fs::remove_all(folder_); }
  bool read_all() {
    return until([&] {
      job_.update();
      return !job_.reading();
    });
  }

  fs::path folder_;
  JobFolder job_;
};

TEST_F(JobFolderTest, ManyRecordingsAreAMapAndFewAreLanes) {
  analysis_test::write_ranks(folder_, 16, 3, 4);
  EXPECT_FALSE(ui::opens_as_job({folder_}));
  EXPECT_FALSE(ui::opens_as_job({folder_ / "rank0.lanescope"}));
  io::write_summary(folder_ / "rank16.summary", {});
  EXPECT_FALSE(ui::opens_as_job({folder_})) << "its recordings are few";
  EXPECT_TRUE(ui::opens_as_job({folder_ / "rank16.summary"}));
  fs::copy(folder_ / "rank0.lanescope", folder_ / "rank16.lanescope");
  EXPECT_TRUE(ui::opens_as_job({folder_}));
  EXPECT_TRUE(ui::opens_as_job(std::vector<fs::path>(17, folder_ / "rank0.lanescope")));
  EXPECT_FALSE(ui::opens_as_job({folder_ / "nowhere"}));
  EXPECT_FALSE(ui::opens_as_job({}));
}

// Of 18 ranks two have a summary, one of them without its recording; the others' are made here, and nothing is written.
TEST_F(JobFolderTest, MissingSummariesAreMadeInMemory) {
  analysis_test::write_ranks(folder_, 18, 7);
  for (const int rank : {4, 17}) {
    const fs::path recording = folder_ / ("rank" + std::to_string(rank) + ".lanescope");
    io::write_summary(io::summary_path(recording), io::summaries_of_recording(recording).front());
  }
  fs::remove(folder_ / "rank17.lanescope");
  std::ofstream(folder_ / "job.json") << "{\"ranks\":[]}";
  std::ofstream(folder_ / "rank99.lanescope") << "no recording";
  const auto files = [&] { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); };
  const auto before = files();
  job_.open({folder_});
  ASSERT_TRUE(read_all());
  const auto& look = job_.look();
  ASSERT_TRUE(look);
  ASSERT_THAT(look->report.ranks, SizeIs(18));
  EXPECT_EQ(look->recordings[7], folder_ / "rank7.lanescope");
  EXPECT_EQ(look->recordings[4], folder_ / "rank4.lanescope");
  EXPECT_TRUE(look->recordings[17].empty()) << "only its summary is here";
  EXPECT_TRUE(job_.has({folder_ / "rank7.lanescope"}));
  EXPECT_FALSE(job_.has({folder_ / "rank17.lanescope"}));
  ASSERT_THAT(look->report.findings, SizeIs(1));
  EXPECT_THAT(look->report.findings[0].ranks, ElementsAre(7));
  // 200 µs more than the others, in each iteration that is between two collectives.
  EXPECT_EQ(look->map.iterations.front(), 3u);  // as the lanes number it: of the first two too little is known
  EXPECT_NEAR(look->map.at(7, 5).late_ns, 200e3, 1e3);
  EXPECT_NEAR(look->map.at(8, 5).late_ns, 0, 1e3);
  EXPECT_EQ(files(), before);
  ASSERT_EQ(job_.problem_count(), 1u) << "the one that is no recording";
  EXPECT_THAT(job_.problems()[0], HasSubstr("rank99.lanescope"));
  EXPECT_EQ(job_.done(), job_.total());
}

TEST_F(JobFolderTest, ASummaryMayHaveTheRankInItsName) {
  analysis_test::write_ranks(folder_, 1, 0, 4);
  fs::rename(folder_ / "rank0.lanescope", folder_ / "node3.lanescope");
  analysis_test::MadeUpJob job{.nodes = 8, .per_node = 1, .iterations = 4};
  for (const analysis::JobSummary& summary : job.summaries()) {
    io::write_summary(io::summary_path(folder_ / "node3.lanescope", "rank" + std::to_string(summary.who.rank)),
                      summary);
  }
  job_.open({folder_ / "node3-rank1.summary"});
  ASSERT_TRUE(read_all());
  ASSERT_TRUE(job_.look());
  EXPECT_THAT(job_.look()->recordings, testing::Each(folder_ / "node3.lanescope"));
  EXPECT_THAT(job_.look()->report.ranks, SizeIs(8));
}

TEST_F(JobFolderTest, ClosingLeavesWhatIsUnderWay) {
  analysis_test::write_ranks(folder_, 40, 7);
  job_.open({folder_});
  job_.close();
  EXPECT_FALSE(job_.on());
  EXPECT_FALSE(job_.update());
  job_.open({folder_ / "nowhere.summary"});
  ASSERT_TRUE(read_all());
}

TEST_F(JobFolderTest, AFolderOfBrokenSummariesSaysSo) {
  std::ofstream(folder_ / "rank0.summary") << "no summary";
  job_.open({folder_});
  ASSERT_TRUE(read_all());
  EXPECT_FALSE(job_.look());
  ASSERT_THAT(job_.problems(), SizeIs(1));
  EXPECT_THAT(job_.problems()[0], HasSubstr("rank0.summary"));
}

// --- what is drawn ---------------------------------------------------------------------------------------------------

// Rows of 10 iterations, so that nine tenths are below the tenth value less one: late by `late_us`, a tenth idle.
analysis::JobMap map_of(const std::vector<float>& late_us) {
  analysis::JobMap map;
  for (std::uint64_t i = 0; i < 10; ++i) map.iterations.push_back(i);
  for (std::size_t r = 0; r < late_us.size(); ++r) {
    map.rows.push_back(r);
    for (int i = 0; i < 10; ++i) map.cells.push_back({late_us[r] * 1e3f, 10e3f, 100e3f});
  }
  return map;
}

// Of 0, 30, 30, 30 and 1,700 µs: most ranks stay below 50, and the last one is below 2 ms. Five steps between them:
// each 40^(1/5) = 2.09 times the one before: 50, 105, 219, 457, 956 µs.
TEST(MapScale, IsOfEqualRatioForLateness) {
  const analysis::JobMap map = map_of({0, 30, 30, 30, 1700});
  const ui::MapScale scale = map_scale(map, MapMeasure::Lateness);
  EXPECT_EQ(scale, (ui::MapScale{50e3f, 2e6f}));
  EXPECT_EQ(scale.step_of(-5e3f), 0);
  EXPECT_EQ(scale.step_of(49e3f), 0);
  EXPECT_EQ(scale.step_of(51e3f), 1);
  EXPECT_EQ(scale.step_of(104e3f), 1);
  EXPECT_EQ(scale.step_of(106e3f), 2);
  EXPECT_EQ(scale.step_of(950e3f), 4);
  EXPECT_EQ(scale.step_of(960e3f), 5);
  EXPECT_EQ(scale.step_of(9e9f), 5);
}

TEST(MapScale, OneIterationDoesNotHideAllOthers) {
  analysis::JobMap map = map_of({0, 0, 300});
  map.cells[3].late_ns = 1e9f;
  EXPECT_EQ(map_scale(map, MapMeasure::Lateness), (ui::MapScale{10e3f, 500e3f}));
  // Nobody is late by less than 10 µs.
  EXPECT_EQ(map_scale(map_of({0, 1, 2}), MapMeasure::Lateness), (ui::MapScale{10e3f, 20e3f}));
}

// 10 of 100 µs are a tenth. Sixths of 10 %: 5 % are in the fourth.
TEST(MapScale, IsEvenForIdleTime) {
  const ui::MapScale scale = map_scale(map_of({0, 0}), MapMeasure::Idle);
  EXPECT_EQ(scale, (ui::MapScale{0, 0.1f}));
  EXPECT_EQ(scale.step_of(0), 0);
  EXPECT_EQ(scale.step_of(0.05f), 3);
  EXPECT_EQ(scale.step_of(0.1f), 5);
  EXPECT_EQ(scale.step_of(1), 5);
}

TEST(MapGrid, TheHighestOfThoseInOnePlaceIsShown) {
  analysis::JobMap map = map_of({0, 100, 0, 0});
  const ui::MapScale scale{10e3f, 100e3f};
  const MapGrid all = map_grid(map, MapMeasure::Lateness, scale, 0, 4, 100, 100);
  EXPECT_EQ(all.lines, 4u);
  EXPECT_EQ(all.columns, 10u);
  EXPECT_EQ(all.steps[10], 5);
  EXPECT_EQ(all.rows[10], 1u);
  // Two lines for four ranks, five columns for ten iterations.
  const MapGrid half = map_grid(map, MapMeasure::Lateness, scale, 0, 4, 2, 5);
  EXPECT_THAT(half.steps, ElementsAre(5, 5, 5, 5, 5, 0, 0, 0, 0, 0));
  EXPECT_EQ(half.rows[0], 1u);
  EXPECT_EQ(half.rows[5], 2u);
  // The last two ranks, of one of which an iteration was not recorded.
  map.cells[25].late_ns = kNan;
  const MapGrid last = map_grid(map, MapMeasure::Lateness, scale, 2, 2, 100, 100);
  EXPECT_EQ(last.lines, 2u);
  EXPECT_EQ(last.steps[5], MapGrid::kUnknown);
  EXPECT_EQ(last.rows[15], 3u);
  EXPECT_THAT(map_grid({}, MapMeasure::Idle, scale, 0, 0, 10, 10).steps, IsEmpty());
}

}  // namespace
}  // namespace lanescope::ui_test
