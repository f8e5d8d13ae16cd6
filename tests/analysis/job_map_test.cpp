// The map of a job's ranks and iterations: small ones worked out by hand, and a made-up job with one slow loader.
#include "analysis/job_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "analysis/job_join.h"
#include "analysis/made_up_job.h"

namespace lanescope::analysis_test {
namespace {

using analysis::JobMap;
using analysis::JobSummary;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Iterations one after the other, in units of 100 ns; the second of the groups of causes has `idle`.
JobSummary of_iterations(int rank, std::vector<std::uint64_t> numbers, std::uint32_t duration, std::uint32_t idle) {
  JobSummary s;
  s.who.rank = rank;
  base::Nanoseconds at = 0;
  for (const std::uint64_t number : numbers) {
    s.iterations.push_back({number, at, duration, duration - idle, {0, idle}});
    at += duration * 100;
  }
  return s;
}
JobMap map_of_ranks(std::vector<JobSummary> summaries) {
  analysis::JobJoin join(summaries.size());
  for (JobSummary& summary : summaries) join.add(std::move(summary));
  JobMap map;
  join.report(&map);
  return map;
}

// Iterations of 100 µs. What was done before the second collective lies between 60 and 140 µs, half of it in each of
// two iterations: 20 of its 40 µs. Of the third nothing is known; so nothing is known of iteration 9, in which it
// begins.
TEST(JobMap, WorkIsSpreadOverTheIterationsInWhichItWasDone) {
  JobSummary s = of_iterations(0, {7, 8, 9}, 1000, 0);
  s.collectives = {{0, 40'000, 60'000, 0, 0, {}}, {1, 140'000, 160'000, 0, 0, {}}, {2, 250'000, 260'000, 0, 0, {}}};
  EXPECT_THAT(analysis::more_in_iterations(s, std::vector<float>{kNan, 40'000, kNan}),
              ElementsAre(20'000, 20'000, testing::IsNan()));
  // Before the first one, nobody knows since when; it counts where the collective begins.
  EXPECT_THAT(analysis::more_in_iterations(s, std::vector<float>{5'000, -8'000, kNan}),
              ElementsAre(1'000, -4'000, testing::IsNan()));
  // Of what lies between two iterations that were kept, their shares: 10 of 80 µs are in iteration 7.
  s.iterations[0].duration = 700;
  s.iterations.erase(s.iterations.begin() + 1);
  EXPECT_THAT(analysis::more_in_iterations(s, std::vector<float>{kNan, 40'000, kNan}),
              ElementsAre(5'000, testing::IsNan()));
}

// Without collectives: of 10, 10 and 12 µs, the last one is 2 µs longer than the one in the middle; idle for 3 µs.
TEST(JobMap, WithoutCollectivesItIsHowLongIterationsTake) {
  const JobMap map = map_of_ranks(
      {of_iterations(2, {0, 1}, 120, 30), of_iterations(0, {0, 1}, 100, 0), of_iterations(1, {1}, 100, 0)});
  EXPECT_TRUE(map.by_duration);
  EXPECT_THAT(map.iterations, ElementsAre(0, 1));
  EXPECT_EQ(map.at(2, 1).late_ns, 2'000);
  EXPECT_EQ(map.at(2, 1).idle_ns, 3'000);
  EXPECT_EQ(map.at(2, 1).duration_ns, 12'000);
  EXPECT_EQ(map.at(0, 1).late_ns, 0);
  EXPECT_THAT(map.at(1, 0).duration_ns, testing::IsNan()) << "not recorded";
  // Of two, the longer one is compared with the shorter.
  EXPECT_EQ(map.at(2, 0).late_ns, 2'000);
}

// One rank kept each second iteration. So two share a column: of 10 and 20 µs, the mean is 15.
TEST(JobMap, WhatOneRankLeftOutSharesAColumn) {
  JobSummary all = of_iterations(0, {0, 1, 2, 3}, 100, 0), some = of_iterations(1, {0, 2}, 100, 0);
  all.iterations[1].duration = 200;
  some.iteration_stride = 2;
  const JobMap map = map_of_ranks({all, some});
  EXPECT_EQ(map.together, 2u);
  EXPECT_THAT(map.iterations, ElementsAre(0, 2));
  EXPECT_EQ(map.at(0, 0).duration_ns, 15'000);
  EXPECT_EQ(map.at(1, 0).duration_ns, 10'000);
  EXPECT_THAT(map_of_ranks({}).iterations, IsEmpty());
}

// Rank 42 waits 3 ms for its loader in each odd iteration, and nobody else is late by a tenth of that.
TEST(JobMap, OnlyTheOneWithTheSlowLoaderIsLate) {
  MadeUpJob job{.nodes = 8, .iterations = 32, .slow_loader = 42};
  analysis::JobJoin join(job.ranks());
  for (JobSummary& summary : job.summaries()) join.add(std::move(summary));
  JobMap map;
  const analysis::JobReport report = join.report(&map);
  ASSERT_EQ(map.iterations.size(), 32u);
  EXPECT_FALSE(map.by_duration);
  for (std::size_t r = 0; r < report.ranks.size(); ++r) {
    for (std::size_t c = 0; c < 32; ++c) {
      const bool late = report.ranks[r].who.rank == 42 && c % 2 == 1;
      EXPECT_NEAR(map.at(r, c).late_ns, late ? 3e6 : 0, 0.3e6) << "rank " << r << ", iteration " << c;
    }
  }
}

// Nodes that take turns in the numbering of ranks are together in the rows.
TEST(JobMap, RowsGoNodeByNode) {
  std::vector<JobSummary> ranks;
  for (int r = 0; r < 4; ++r) {
    ranks.push_back(of_iterations(r, {0}, 100, 0));
    ranks.back().clock.clock = r % 2 == 0 ? "boot a" : "boot b";
  }
  EXPECT_THAT(map_of_ranks(ranks).rows, ElementsAre(0, 2, 1, 3));
}

TEST(JobMap, NumbersThatAreFarApartAndManyFitIt) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 3 * JobMap::kMostColumns; ++i) numbers.push_back(i * 1'000'000'007);
  const JobMap map = map_of_ranks({of_iterations(0, numbers, 100, 0), of_iterations(1, {~std::uint64_t{0}}, 100, 0)});
  EXPECT_LE(map.iterations.size(), JobMap::kMostColumns);
  EXPECT_EQ(map.cells.size(), 2 * map.iterations.size());
}

}  // namespace
}  // namespace lanescope::analysis_test
