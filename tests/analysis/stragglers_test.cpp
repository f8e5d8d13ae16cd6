// Why a GPU arrives last, and what the advisor says of it, worked out by hand for jobs of 2, 8 and 64 ranks.
#include "analysis/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "analysis/account.h"
#include "analysis/advisor.h"
#include "analysis/gpu_job.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Card;
using analysis::Collectives;
using analysis::LateBy;
using analysis::Lateness;
using analysis::Rule;
using base::Nanoseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Nanoseconds kStragglerUs = 1000;
constexpr int kStragglerTimes = 12;

// Every millisecond, each rank computes for 400 µs and communicates; the late one comes 200 µs after the others, and
// all transfer for 100.
enum class Because { MoreKernels, LongerKernels, Copies, Idle };

void rank_computes(GpuJob& job, int rank, Nanoseconds t, std::optional<Because> late) {
  const Nanoseconds each = late == Because::LongerKernels ? 150 : 100;
  const int launches = late == Because::MoreKernels ? 6 : 4;
  if (late == Because::Copies) job.copy(rank, t, t + 200);
  if (late == Because::Copies || late == Because::Idle) t += 200;
  for (int i = 0; i < launches; ++i, t += each) job.kernel(rank, "void gemm<float>(float*)", t, t + each);
}
template <typename LateRank>
void run(GpuJob& job, int ranks, Because because, LateRank late_rank) {
  for (int i = 0; i < kStragglerTimes; ++i) {
    const Nanoseconds t = 1000 * i;
    for (int rank = 0; rank < ranks; ++rank) {
      const bool late = rank == late_rank(i);
      rank_computes(job, rank, t, late ? std::optional(because) : std::nullopt);
      job.kernel(rank, kAllReduce, t + (late ? 600 : 400), t + 700);
    }
  }
  job.trace.publish();
}
Collectives all_stragglers(const GpuJob& job, Nanoseconds clock_error_ns = 0) {
  return analysis::collectives(job.trace, std::numeric_limits<Nanoseconds>::min(),
                               std::numeric_limits<Nanoseconds>::max(), clock_error_ns);
}
std::vector<Card> cards(const GpuJob& job, const Collectives& found) {
  std::vector<Card> cards =
      analysis::job_cards(job.trace, found,
                          {0, kStragglerTimes * 1000 * kStragglerUs, kStragglerTimes * 1000 * kStragglerUs,
                           kStragglerTimes, 1000 * kStragglerUs});
  sort_cards(cards);
  return cards;
}

/// The whole of what the late one comes late, before the sixth collective, and where.
void expect_late(const GpuJob& job, LateBy by, Nanoseconds from_us, Nanoseconds to_us, trace::LaneId lane) {
  const Lateness lateness = lateness_of(job.trace, all_stragglers(job), 5);
  EXPECT_EQ(lateness.by, by);
  EXPECT_EQ(lateness.part(by), 200 * kStragglerUs);
  EXPECT_EQ(lateness.place.start_ns, from_us * kStragglerUs);
  EXPECT_EQ(lateness.place.end_ns, to_us * kStragglerUs);
  EXPECT_EQ(lateness.place.lane, lane);
}

// The first collective has none before it. Since the one before, at -300: the others compute for 400 µs and idle for
// 300, the late one computes for 600 and idles for 300.
class OfRanks : public testing::TestWithParam<int> {};
TEST_P(OfRanks, TheLateOneHasMoreToDo) {
  const int ranks = GetParam(), late = ranks - 1;
  GpuJob job(ranks);
  run(job, ranks, Because::MoreKernels, [&](int) { return late; });
  const Collectives found = all_stragglers(job);
  ASSERT_THAT(found.all, SizeIs(kStragglerTimes));
  ASSERT_THAT(found.gpus, SizeIs(ranks));
  EXPECT_EQ(found.gpus[0].wait_ns, kStragglerTimes * 200 * kStragglerUs);
  EXPECT_EQ(found.gpus.back().delays_ns, kStragglerTimes * 200 * kStragglerUs);

  const Lateness lateness = lateness_of_gpu(job.trace, found, static_cast<trace::GpuNumber>(late));
  EXPECT_EQ(lateness.collectives, kStragglerTimes - 1);
  EXPECT_EQ(lateness.late_ns, (kStragglerTimes - 1) * 200 * kStragglerUs);
  EXPECT_EQ(lateness.by, LateBy::Kernels);
  EXPECT_EQ(lateness.part(LateBy::Kernels), lateness.late_ns);
  EXPECT_EQ(lateness.part(LateBy::Idle), 0);
  EXPECT_DOUBLE_EQ(lateness.launches, 6 * (kStragglerTimes - 1));
  EXPECT_NEAR(lateness.launches_elsewhere, 4 * (kStragglerTimes - 1), 1e-6);
  EXPECT_EQ(lateness_text(job.trace, lateness),
            "its kernels take 200 µs longer than those of the others: 6.0 launches of gemm instead of 4.0");

  // 200 of 1,000 µs until the last has come, and 100 of transfer.
  const std::vector<Card> told = cards(job, found);
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].rule, Rule::Straggler);
  EXPECT_NEAR(told[0].cost_ns, 200'000, 1);
  EXPECT_NEAR(told[0].share, 0.2, 1e-6);
  EXPECT_EQ(told[0].title, "All wait for " + found.gpus.back().name);
  EXPECT_THAT(told[0].what, AllOf(HasSubstr("last in 100 %"), HasSubstr("200 µs per iteration"), HasSubstr("gemm")));
  EXPECT_THAT(told[0].fix, HasSubstr("as much work"));
  // 1,000 instead of 800, since nothing runs beside the waiting; 2 % more and less.
  ASSERT_TRUE(told[0].what_if);
  EXPECT_NEAR(told[0].what_if->answer.least_factor, 1.25 * 0.98, 1e-6);
  EXPECT_NEAR(told[0].what_if->answer.most_factor, 1.25 * 1.02, 1e-6);
  EXPECT_EQ(told[0].place.lane, job.lane(late, 0));
  EXPECT_EQ(told[0].place.end_ns - told[0].place.start_ns, 100 * kStragglerUs);
  EXPECT_EQ(told[1].rule, Rule::BareTransfer);
  EXPECT_NEAR(told[1].cost_ns, 100'000, 1);
  EXPECT_THAT(told[1].what, AllOf(HasSubstr("100 µs per iteration"), HasSubstr("100 %")));
}
INSTANTIATE_TEST_SUITE_P(Jobs, OfRanks, testing::Values(2, 8, 64));

// Each of the four takes 50 µs longer.
TEST(Stragglers, SameKernelsThatTakeLongerAreNoMoreWork) {
  GpuJob job(4);
  run(job, 4, Because::LongerKernels, [](int) { return 2; });
  const Collectives found = all_stragglers(job);
  const Lateness lateness = lateness_of(job.trace, found, 5);
  EXPECT_EQ(lateness.gpu, 2);
  EXPECT_EQ(lateness.collectives, 1);
  EXPECT_EQ(lateness.late_ns, 200 * kStragglerUs);
  EXPECT_EQ(lateness_text(job.trace, lateness),
            "its kernels take 200 µs longer than those of the others, 200 µs of it in gemm");
  EXPECT_THAT(cards(job, found)[0].fix, HasSubstr("clock rate"));
}

TEST(Stragglers, CopiesAndGapsAreNamed) {
  GpuJob copying(3);
  run(copying, 3, Because::Copies, [](int) { return 0; });
  expect_late(copying, LateBy::Copies, 5000, 5200, copying.lane(0, 2));

  // Idle from the end of the collective at 4,700 to 5,200, where the others are idle until 5,000.
  GpuJob idle(3);
  run(idle, 3, Because::Idle, [](int) { return 1; });
  expect_late(idle, LateBy::Idle, 4700, 5200, idle.lane(1, 1));
  EXPECT_THAT(cards(idle, all_stragglers(idle))[0].fix, HasSubstr("data loading"));
}

// Each time seven of eight wait for 200 µs: 175 on average.
TEST(Stragglers, WhereTheyTakeTurnsNoneOfThemIsToBlame) {
  GpuJob job(8);
  run(job, 8, Because::MoreKernels, [](int i) { return i % 8; });
  const std::vector<Card> told = cards(job, all_stragglers(job));
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].rule, Rule::UnevenWork);
  EXPECT_NEAR(told[0].cost_ns, 175'000, 1);
}

TEST(Stragglers, NothingIsSaidBelowTwiceTheErrorOfTheClocks) {
  GpuJob job(8);
  run(job, 8, Because::MoreKernels, [](int) { return 3; });
  EXPECT_THAT(cards(job, all_stragglers(job, 99 * kStragglerUs)), SizeIs(2));
  EXPECT_THAT(cards(job, all_stragglers(job, 101 * kStragglerUs)), IsEmpty());
}

TEST(Stragglers, TransferBesideKernelsIsFree) {
  GpuJob job(2);
  for (int i = 0; i < kStragglerTimes; ++i) {
    for (int rank = 0; rank < 2; ++rank) {
      job.kernel(rank, "gemm", 1000 * i, 1000 * i + 900);
      job.kernel(rank, kAllReduce, 1000 * i + 300, 1000 * i + 700);
    }
  }
  job.trace.publish();
  EXPECT_THAT(cards(job, all_stragglers(job)), IsEmpty());
}

// Recorded from 0 to 6 ms and from 7: between the bursts nobody knows what they did.
TEST(Stragglers, WhatWasNotRecordedIsNotIdle) {
  GpuJob job(2);
  for (const std::int64_t pid : {100, 101}) {
    job.trace.change_recording({trace::RecordingChange::Act::Nothing, pid, 0, 0});
    job.trace.begin_recorded(pid, 0);
    job.trace.end_recorded(pid, 6000 * kStragglerUs);
    job.trace.begin_recorded(pid, 6900 * kStragglerUs);
    job.trace.end_recorded(pid, 12'000 * kStragglerUs);
  }
  run(job, 2, Because::Idle, [](int) { return 1; });
  const Collectives found = all_stragglers(job);
  EXPECT_EQ(lateness_of(job.trace, found, 5).collectives, 1);
  EXPECT_EQ(lateness_of(job.trace, found, 7).collectives, 0);
  EXPECT_EQ(lateness_of_gpu(job.trace, found, 1).collectives, kStragglerTimes - 3);
}

TEST(Stragglers, TheFirstCollectiveHasNothingBeforeIt) {
  GpuJob job(2);
  run(job, 2, Because::Idle, [](int) { return 1; });
  const Lateness lateness = lateness_of(job.trace, all_stragglers(job), 0);
  EXPECT_EQ(lateness.collectives, 0);
  EXPECT_EQ(lateness_text(job.trace, lateness), "");
}

}  // namespace
}  // namespace lanescope::analysis_test
