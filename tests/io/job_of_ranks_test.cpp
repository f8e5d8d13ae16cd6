// Jobs of 2, 8 and 64 ranks, each in a file of its own by a clock of its own, with a known straggler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/gpu_job.h"
#include "analysis/stragglers.h"
#include "io/job_of_ranks.h"

namespace lanescope::io {
namespace {

using analysis_test::GpuJob;
using base::Nanoseconds;

constexpr int kTimes = 20;

// Its clock is `offset_us` fast. Every millisecond the rank computes for 300 µs (the late one for 500), and the
// collective ends at 700, give or take a microsecond.
RankTrace file_of(int rank, bool late, Nanoseconds offset_us) {
  RankTrace file;
  file.name = "job_rank" + std::to_string(rank) + ".json";
  file.opened.trace = std::make_unique<trace::Trace>();
  GpuJob job(1, *file.opened.trace);
  for (int i = 0; i < kTimes; ++i) {
    const Nanoseconds t = 1000 * i + offset_us, begin = t + (late ? 500 : 300);
    job.kernel(0, "gemm", t, begin);
    job.kernel(0, analysis_test::kAllReduce, begin, t + 700 + (i + rank) % 2);
  }
  file.opened.trace->publish();
  return file;
}

class JobOfRanks : public testing::TestWithParam<int> {};

TEST_P(JobOfRanks, ClocksAreSetByTheEndsAndTheLateOneIsFound) {
  const int ranks = GetParam(), late = ranks / 2;
  std::vector<RankTrace> files;
  for (int r = 0; r < ranks; ++r) files.push_back(file_of(r, r == late, 37'000 * r % 911'000));
  const Alignment alignment = align_ranks(files);
  EXPECT_TRUE(alignment.by_collectives);
  EXPECT_EQ(alignment.error_ns, 2000)
      << "they end 1 µs before and after each other in turn; the median is one of these";
  for (int r = 0; r < ranks; ++r) {
    const Nanoseconds fast = 1000 * (37'000 * r % 911'000);
    const Nanoseconds first_fast = alignment.shift_ns[0];
    EXPECT_NEAR(static_cast<double>(alignment.shift_ns[static_cast<std::size_t>(r)]),
                static_cast<double>(first_fast - fast), 1000)
        << "rank " << r;
  }
  const OpenedTrace merged = merge_ranks(std::move(files));
  const trace::Trace& trace = *merged.trace;
  const auto found = analysis::collectives(trace, std::numeric_limits<Nanoseconds>::min(),
                                           std::numeric_limits<Nanoseconds>::max(), merged.facts.clock_error_ns);
  ASSERT_EQ(found.all.size(), static_cast<std::size_t>(kTimes));
  ASSERT_EQ(found.gpus.size(), static_cast<std::size_t>(ranks));
  const analysis::GpuCollectives& worst = found.gpus[static_cast<std::size_t>(late)];
  EXPECT_EQ(worst.name, "rank " + std::to_string(late));
  EXPECT_EQ(worst.arrived_last, kTimes);
  EXPECT_NEAR(static_cast<double>(worst.delays_ns), kTimes * 200e3, kTimes * 2e3);
  const auto why = analysis::lateness_of_worst(trace, found);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->by, analysis::LateBy::Kernels);
  EXPECT_NEAR(static_cast<double>(why->part(analysis::LateBy::Kernels)), (kTimes - 1) * 200e3, 1);
}
INSTANTIATE_TEST_SUITE_P(Sizes, JobOfRanks, testing::Values(2, 8, 64));

}  // namespace
}  // namespace lanescope::io
