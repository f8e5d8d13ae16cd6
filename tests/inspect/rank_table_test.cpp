// The table of a job of three GPUs, worked out by hand.
#include "inspect/rank_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/gpu_job.h"

namespace lanescope::ui {
namespace {

using analysis_test::GpuJob;
using analysis_test::kAllReduce;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Nanoseconds kUs = 1000;

// Every millisecond, 20 times, GPU 0 computes for 300 µs and GPU 1 for 700, and they reduce until 900; then GPU 1
// copies for 50. GPU 2 takes no part: it computes for 100 µs.
class Ranks : public testing::Test {
 protected:
  Ranks() {
    for (Nanoseconds t = 0; t < 20'000; t += 1000) {
      for (int gpu = 0; gpu < 2; ++gpu) {
        const Nanoseconds until = t + (gpu == 0 ? 300 : 700);
        job_.kernel(gpu, "gemm", t, until);
        job_.kernel(gpu, kAllReduce, until, t + 900);
      }
      job_.copy(1, t + 920, t + 970);
      job_.kernel(2, "gemm", t, t + 100);
    }
    job_.trace.publish();
  }
  RankTable table(Nanoseconds from, Nanoseconds to) {
    const analysis::Collectives found = analysis::collectives(job_.trace, from, to);
    return rank_table(job_.trace, found, analysis::lateness_of_worst(job_.trace, found), from, to);
  }
  static std::vector<std::string> cells(const RankLine& line) {
    std::vector<std::string> cells;
    for (int c = 0; c <= static_cast<int>(RankColumn::Idle); ++c) {
      cells.push_back(rank_cell(line, static_cast<RankColumn>(c)));
    }
    return cells;
  }

  GpuJob job_{3};
};

// GPU 0 waits 400 µs each time and transfers for 200, as GPU 1 does; neither computes meanwhile.
TEST_F(Ranks, EachHasItsFigures) {
  const RankTable found = table(0, 20'000 * kUs);
  EXPECT_EQ(found.elapsed_ns, 20'000 * kUs);
  ASSERT_THAT(found.lines, SizeIs(3));
  EXPECT_THAT(cells(found.lines[0]),
              ElementsAre("GPU 0", "0 · 0 %", "400 µs", "8 ms", "4 ms", "12 ms", "90.0 %", "10.0 %"));
  EXPECT_THAT(cells(found.lines[1]),
              ElementsAre("GPU 1", "20 · 100 %", "0 ns", "0 ns", "4 ms", "4 ms", "95.0 %", "5.0 %"));
  EXPECT_THAT(cells(found.lines[2]), ElementsAre("GPU 2", "–", "–", "–", "–", "–", "10.0 %", "90.0 %"));
  EXPECT_EQ(found.worst, 1);
  EXPECT_THAT(found.why, HasSubstr("its kernels take 400 µs longer"));
}

// Of the first iteration, 100 µs are cut off: those in which GPU 2 computes. Eleven collectives and ten of its kernels
// are left.
TEST_F(Ranks, OnlyTheStretchCounts) {
  const RankTable found = table(100 * kUs, 11'000 * kUs);
  EXPECT_EQ(found.lines[0].of.count, 11);
  EXPECT_EQ(found.lines[2].busy_ns, 1'000 * kUs);
  EXPECT_EQ(found.lines[2].recorded_ns, 10'900 * kUs);
  EXPECT_EQ(found.lines[0].busy_ns, (11 * 900 - 100) * kUs);
}

TEST_F(Ranks, AnyColumnSortsThem) {
  const RankTable found = table(0, 20'000 * kUs);
  EXPECT_THAT(arranged_ranks(found, {}), ElementsAre(1, 0, 2)) << "who is last most often";
  EXPECT_THAT(arranged_ranks(found, {RankColumn::Name, true}), ElementsAre(0, 1, 2));
  EXPECT_THAT(arranged_ranks(found, {RankColumn::Name, false}), ElementsAre(2, 1, 0));
  EXPECT_THAT(arranged_ranks(found, {RankColumn::Wait, false}), ElementsAre(0, 1, 2)) << "equal ones stay in order";
  EXPECT_THAT(arranged_ranks(found, {RankColumn::Idle, false}), ElementsAre(2, 0, 1));
  EXPECT_THAT(arranged_ranks(found, {RankColumn::Busy, true}), ElementsAre(2, 0, 1));
}

// Five are too few to say who is to blame.
TEST_F(Ranks, WithTooFewCollectivesNobodyIsTheWorst) {
  const RankTable found = table(0, 5'000 * kUs);
  EXPECT_THAT(found.lines, SizeIs(3));
  EXPECT_FALSE(found.worst);
  EXPECT_EQ(found.why, "");
}

TEST(NoRanks, WithoutCollectivesThereIsNoTable) {
  GpuJob job(2);
  job.kernel(0, "gemm", 0, 10);
  job.kernel(1, "gemm", 0, 10);
  job.trace.publish();
  EXPECT_THAT(rank_table(job.trace, {}, std::nullopt, 0, 10 * kUs).lines, IsEmpty());
}

}  // namespace
}  // namespace lanescope::ui
