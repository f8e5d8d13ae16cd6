// Summaries of ranks, one clock for their nodes, and the join: worked out by hand for small jobs; and 4,096 made-up
// ranks with planted stragglers, of which all must be named and nobody else.
#include "analysis/job_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "analysis/gpu_job.h"
#include "analysis/live_analysis.h"
#include "analysis/made_up_job.h"
#include "analysis/small_summary.h"
#include "base/error.h"
#include "base/random.h"

namespace lanescope::analysis_test {
namespace {

using analysis::EndPair;
using analysis::JobCollective;
using analysis::JobFinding;
using analysis::JobReason;
using analysis::JobReport;
using analysis::JobScope;
using analysis::JobSummary;
using analysis::OwnPart;
using analysis::OwnWork;
using base::Nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// --- summaries -------------------------------------------------------------------------------------------------------

TEST(JobSummary, ComesBackFromItsBytes) {
  const JobSummary summary = small_summary();
  expect_same(analysis::decoded_summary(analysis::encoded(summary)), summary);
}

// Of numbers 0 to 7 every 4th: 0 and 4 stay. What was done before 1, 2 and 3 is added to what was done before 4.
TEST(JobSummary, LosesNothingOfTheWorkByChoosing) {
  JobSummary summary;
  summary.communicators = {{1, {{"AllReduce", 8}}}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    summary.collectives.push_back({i, 1000 * i, 1000 * i + 100, 0, 0, worked(10 + i, i == 2 ? 5 : 0)});
  }
  summary.collectives[6].before.known = false;
  summary.thin(4);
  ASSERT_THAT(summary.collectives, SizeIs(2));
  EXPECT_EQ(summary.collectives[0].before, worked(10));
  OwnWork expected = worked(11 + 12 + 13 + 14, 5);
  expected.kernels = 16;
  EXPECT_EQ(summary.collectives[1].before, expected);
  summary.thin(2);  // it is coarser already
  EXPECT_EQ(summary.stride, 4u);
}

// A stretch that was not recorded stays unknown in what it is added to.
TEST(JobSummary, KnowsWhatItDoesNotKnow) {
  JobSummary summary;
  summary.communicators = {{1, {{"AllReduce", 8}}}};
  for (std::uint32_t i = 0; i < 5; ++i) summary.collectives.push_back({i, i, i, 0, 0, worked(1)});
  summary.collectives[1].before.known = false;
  summary.thin(2);
  ASSERT_THAT(summary.collectives, SizeIs(3));
  EXPECT_FALSE(summary.collectives[1].before.known);
  EXPECT_TRUE(summary.collectives[2].before.known);
}

// Every byte of it changed, and cut off after each: an error in one line, or a summary that can be joined.
TEST(JobSummary, TrustsNothingInItsBytes) {
  const std::string good = analysis::encoded(small_summary());
  const auto read = [](const std::string& bytes) {
    try {
      const JobSummary summary = analysis::decoded_summary(bytes);
      analysis::JobJoin join(2);
      join.add(summary);
      join.add(small_summary());
      JobReport report = join.report();
      EXPECT_FALSE(analysis::job_text(report).empty());
      return true;
    } catch (const base::Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return false;
    }
  };
  ASSERT_TRUE(read(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(read(good.substr(0, i))) << i;
    for (const int byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(byte);
      read(bad);
      bad.insert(i, 9, static_cast<char>(byte));
      read(bad);
    }
  }
  EXPECT_FALSE(read(good + '\0'));
}

// GPU 0 computes from 0 to 100 µs and from 400 to 500, copies from 500 to 530, and communicates from 100 to 300 and
// from 600 to 700: 170 µs of the second stretch (300 to 600) are idle.
TEST(JobSummary, HasWhatWasDoneBeforeEachCollective) {
  GpuJob job(1);
  const auto arguments = [](int number) {
    return "\"Process Group Name\":\"0\",\"Seq\":" + std::to_string(number) +
           ",\"In msg nelems\":8,\"dtype\":\"Float\"";
  };
  job.kernel(0, "gemm", 0, 100);
  job.kernel(0, kAllReduce, 100, 300, arguments(4));
  job.kernel(0, "gemm", 400, 450);
  job.kernel(0, "gemm", 450, 500);
  job.copy(0, 500, 530);
  job.kernel(0, kAllReduce, 600, 700, arguments(5));
  job.trace.publish();
  job.trace.set_complete_until(1'000'000);
  analysis::LiveAnalysis analysis(job.trace);
  analysis.update(std::numeric_limits<Nanoseconds>::max());
  analysis.finish();
  const analysis::RunFigures figures = analysis::figures_of(job.trace, analysis, {});
  analysis::JobRank who;
  who.rank = 2;
  const std::vector<JobSummary> all = analysis::summaries_of(job.trace, analysis, figures, who, {});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].who.rank, 2);
  EXPECT_EQ(all[0].figures.collectives, 2u);
  EXPECT_EQ(all[0].figures.between_collectives_ns, 600'000);
  ASSERT_THAT(all[0].collectives, SizeIs(2));
  EXPECT_FALSE(all[0].collectives[0].before.known);
  const JobCollective& second = all[0].collectives[1];
  EXPECT_EQ(second.start_ns, 600'000);
  EXPECT_EQ(second.end_ns, 700'000);
  EXPECT_EQ(second.number, all[0].collectives[0].number + 1);
  EXPECT_TRUE(second.before.known);
  EXPECT_EQ(second.before.kernels, 2u);
  EXPECT_EQ(second.before[OwnPart::Kernels], 1000u);
  EXPECT_EQ(second.before[OwnPart::Copies], 300u);
  EXPECT_EQ(second.before.sum(), 3000u);
  ASSERT_THAT(all[0].causes, testing::Not(IsEmpty()));
  EXPECT_EQ(all[0].causes.back().place, "gemm");
  EXPECT_EQ(all[0].causes.back().count, 3u);
}

// --- clocks ----------------------------------------------------------------------------------------------------------

// As measured: ends vary by 1.4 µs, one in ten is 20 µs late.
std::vector<EndPair> drifting(std::uint64_t seed, std::size_t count, double over_s, double drift_us_per_s) {
  made_up::Noise noise(seed);
  std::vector<EndPair> ends;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = over_s * static_cast<double>(i) / static_cast<double>(count - 1);
    const auto late = [&] { return std::llround(1e3 * noise.end_us()); };
    const auto here = static_cast<Nanoseconds>(s * 1e9);
    ends.push_back({here + late(), here + 777'000'000 + std::llround(1e3 * drift_us_per_s * s) + late()});
  }
  return ends;
}
/// How wrong a line is at either end of the recording, the largest of many tries but one in twenty.
double worst_us(std::size_t count, double over_s, double drift_us_per_s, bool with_slope) {
  std::vector<double> worst;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto line = analysis::clock_line(drifting(seed, count, over_s, drift_us_per_s));
    if (!line) ADD_FAILURE();
    if (!with_slope) line->slope = 0;
    double of = 0;
    for (const double s : {0.0, over_s}) {
      const auto here = static_cast<Nanoseconds>(s * 1e9);
      const Nanoseconds right = here + 777'000'000 + std::llround(1e3 * drift_us_per_s * s);
      of = std::max(of, std::abs(static_cast<double>(line->there(here) - right)) / 1e3);
    }
    worst.push_back(of);
  }
  std::ranges::sort(worst);
  return worst[94];
}

// 300 collectives over 600 s, 1 µs/s: 300 µs wrong at both ends without a slope.
TEST(JobClock, NeedsASlopeForDriftingClocks) {
  EXPECT_NEAR(worst_us(300, 600, 1, false), 300, 10);
  EXPECT_LE(worst_us(300, 600, 1, true), 1);
  EXPECT_LE(worst_us(300, 600, 20, true), 1);
  EXPECT_LE(worst_us(300, 30, 0.05, true), 1.5);
}

TEST(JobClock, HasNoSlopeFromTooFew) {
  EXPECT_EQ(analysis::clock_line(drifting(1, 20, 2, 0.05))->slope, 0);
  EXPECT_NE(analysis::clock_line(drifting(1, 20, 20, 5))->slope, 0);  // 10 s are enough
  EXPECT_NE(analysis::clock_line(drifting(1, 300, 2, 5))->slope, 0);  // and so are 100
  EXPECT_LE(worst_us(20, 2, 0.05, true), 4);
  EXPECT_FALSE(analysis::clock_line(drifting(1, 4, 2, 0)));
}

// Slopes between (0,0), (1,1), (2,2), (3,30): 1, 1, 10, 1, 14.5, 28; of six the fourth smallest.
TEST(JobClock, HasTheMedianOfAllSlopes) {
  const std::vector<std::pair<double, double>> points{{0, 0}, {1, 1}, {2, 2}, {3, 30}};
  EXPECT_DOUBLE_EQ(analysis::median_slope(points), 10);
}

// Node 0 and 1 have collectives in common, 1 and 2 others, 3 none at all; 4's kernel says that its time of day is good.
TEST(JobClock, GoesFromNodeToNode) {
  std::vector<analysis::JobClockFacts> nodes(5);
  nodes[0].pairs = {{0, 1'000'000'000, 1'000'000}};
  nodes[4].pairs = {{500, 1'000'000'000, 2'000'000}};
  std::vector<std::vector<analysis::NodeEnds>> communicators(2);
  const auto ends = [](std::size_t node, Nanoseconds ahead, Nanoseconds late) {
    analysis::NodeEnds of{node, {}};
    for (std::uint64_t i = 0; i < 10; ++i) {
      of.ends.push_back({i, static_cast<Nanoseconds>(i) * 1'000'000 + ahead + (i == 3 ? late : 0)});
    }
    return of;
  };
  communicators[0] = {ends(0, 0, 0), ends(1, 5'000'000, 40'000)};
  communicators[1] = {ends(1, 5'000'000, 0), ends(2, -7'000'000, 0)};
  const auto clocks = analysis::node_clocks(nodes, 0, communicators);
  EXPECT_EQ(clocks[0].basis, analysis::ClockBasis::Root);
  EXPECT_EQ(clocks[1].on_root(6'000'000), 1'000'000);
  EXPECT_EQ(clocks[2].on_root(-6'000'000), 1'000'000);
  EXPECT_EQ(clocks[2].path.size(), 2u);
  EXPECT_EQ(clocks[1].error_ns, 20'000);  // nine of ten ends agree; one is 40 µs off
  EXPECT_EQ(clocks[2].error_ns, 20'000);
  EXPECT_FALSE(clocks[3].known());
  EXPECT_EQ(clocks[4].basis, analysis::ClockBasis::TimeOfDay);
  EXPECT_EQ(clocks[4].on_root(600), 100);
  EXPECT_EQ(clocks[4].error_ns, 3'000'000);
}

// --- joins by hand ---------------------------------------------------------------------------------------------------

/// Ranks of one node, with all-reduces every millisecond: each has `work_us` to do, and all leave 100 µs after the
/// last.
class SmallJob {
 public:
  explicit SmallJob(std::vector<std::vector<std::uint32_t>> work_us, std::string clock = "boot") {
    for (std::size_t r = 0; r < work_us.size(); ++r) {
      JobSummary& s = summaries.emplace_back();
      s.who.rank = static_cast<int>(r);
      s.who.host = "n0";
      s.clock.clock = clock;
      s.communicators = {{1, {{"AllReduce", 4096}}}};
    }
    Nanoseconds free = 0;
    for (std::uint64_t i = 0; i < work_us.front().size(); ++i) {
      Nanoseconds last = 0;
      for (const auto& work : work_us) last = std::max(last, free + work[i] * 1000);
      for (std::size_t r = 0; r < work_us.size(); ++r) {
        summaries[r].collectives.push_back(
            {i, free + work_us[r][i] * 1000, last + 100'000, 0, 0, worked(work_us[r][i])});
      }
      free = last + 100'000;
    }
    for (JobSummary& s : summaries) s.figures.between_collectives_ns = free;
  }
  JobReport report() const {
    analysis::JobJoin join(summaries.size());
    for (const JobSummary& s : summaries) join.add(s);
    return join.report();
  }
  std::vector<JobSummary> summaries;
};

std::vector<std::uint32_t> times(std::size_t count, std::uint32_t us) { return std::vector(count, us); }

// Ten collectives: rank 2 needs 500 µs, the others 400, so that each of them waits 100 µs. An iteration takes 600 µs,
// of which the job loses 100.
TEST(JobJoin, NamesTheSlowOne) {
  const JobReport report =
      SmallJob({times(10, 400), times(10, 400), times(10, 500), times(10, 400), times(10, 400)}).report();
  EXPECT_EQ(report.collectives, 10u);
  EXPECT_EQ(report.ranks[2].last, 10u);
  EXPECT_EQ(report.ranks[2].excess_ns, 100'000);
  EXPECT_EQ(report.ranks[2].late_ns, 100'000);
  EXPECT_EQ(report.ranks[2].waited_ns, 0);
  EXPECT_EQ(report.ranks[0].waited_ns, 1'000'000);
  EXPECT_EQ(report.ranks[0].excess_ns, 0);
  EXPECT_FALSE(report.ranks[2].alike);
  EXPECT_NEAR(report.waiting, 4.0 / 5 * 100 / 600, 1e-9);
  ASSERT_THAT(report.findings, SizeIs(1));
  const JobFinding& finding = report.findings[0];
  EXPECT_EQ(finding.scope, JobScope::Rank);
  EXPECT_THAT(finding.ranks, ElementsAre(2));
  EXPECT_EQ(finding.reason, JobReason::SlowerKernels);
  EXPECT_EQ(finding.later_ns, 100'000);
  EXPECT_DOUBLE_EQ(finding.share_affected, 1);
  EXPECT_NEAR(finding.loss, 100.0 / 600, 1e-9);
  EXPECT_FALSE(finding.since_ns);
  EXPECT_EQ(
      analysis::finding_text(report, finding),
      "rank 2 (node n0): its kernels are slower. In 100 % of its collectives it comes 100 µs later than the others "
      "do; the job waits 17 % of its time for it.");
}

// Of two ranks the one that is the last in most collectives.
TEST(JobJoin, NamesTheSlowerOfTwo) {
  const JobReport report = SmallJob({times(10, 400), times(10, 500)}).report();
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].ranks, ElementsAre(1));
}

// In turn, each is the last by as much: nobody in particular, though all of them wait.
TEST(JobJoin, AccusesNobodyWhereTheLastOneChanges) {
  std::vector<std::vector<std::uint32_t>> work(5, times(20, 400));
  for (std::size_t i = 0; i < 20; ++i) work[i % 5][i] = 600;
  const JobReport report = SmallJob(work).report();
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.waiting, 0.1);
  EXPECT_THAT(analysis::job_text(report), HasSubstr("Nobody in particular"));
}

// 20 collectives as usual, then 20 that are slow.
TEST(JobJoin, SaysSinceWhen) {
  std::vector<std::vector<std::uint32_t>> work(5, times(40, 400));
  for (std::size_t i = 20; i < 40; ++i) work[3][i] = 600;
  SmallJob job(work);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const JobCollective& one = job.summaries[3].collectives[i];
    job.summaries[3].iterations.push_back({i, one.start_ns - 300'000, 1, 1, {}});
  }
  const JobReport report = job.report();
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].ranks, ElementsAre(3));
  EXPECT_EQ(report.findings[0].since_iteration, 20u);
  EXPECT_EQ(report.findings[0].later_ns, 200'000);
  EXPECT_DOUBLE_EQ(report.findings[0].share_affected, 0.5);
}

TEST(JobJoin, SaysWhoIsMissing) {
  SmallJob job(std::vector(6, times(5, 400)));
  for (JobSummary& s : job.summaries) s.who.ranks = 10;
  job.summaries[2].who.rank = 5;  // a second one
  const JobReport report = job.report();
  EXPECT_THAT(report.missing, ElementsAre(Pair(2, 2), Pair(6, 9)));
  EXPECT_THAT(report.twice, ElementsAre(5));
  EXPECT_THAT(analysis::remarks_of(report), ElementsAre("No summary: rank 2, ranks 6 to 9.",
                                                        "Rank 5 has several summaries; only the first one counts."));
}

// The summaries of ranks that chose differently are compared by what both have: every 4th. Work is summed up, so that
// rank 2's excess of 100 µs in each is 400 µs in every 4th.
TEST(JobJoin, ComparesWhatAllHaveChosen) {
  SmallJob job({times(41, 400), times(41, 400), times(41, 500), times(41, 400), times(41, 400)});
  job.summaries[0].thin(2);
  job.summaries[3].thin(4);
  const JobReport report = job.report();
  EXPECT_EQ(report.stride, 4u);
  EXPECT_EQ(report.collectives, 11u);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].ranks, ElementsAre(2));
  EXPECT_EQ(report.findings[0].later_ns, 400'000 * 10 / 10);
}

// On nodes of which nobody knows how their clocks go together, nobody knows who came last; own work needs no clock.
TEST(JobJoin, DoesNotSayWhoIsLastWithoutClocks) {
  SmallJob job({times(4, 400), times(4, 400), times(4, 500), times(4, 400), times(4, 400)}, "");
  const JobReport report = job.report();
  EXPECT_EQ(report.nodes.size(), 5u);
  EXPECT_EQ(report.unknown_clocks, 4u);
  EXPECT_EQ(report.ranks[2].last, 0u);
  EXPECT_EQ(report.ranks[2].unknown, 4u);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_THAT(report.findings[0].ranks, ElementsAre(2));
}

// 30 µs late between two nodes whose ends agree to 20 µs: less than twice that is not known.
TEST(JobJoin, CallsSmallLatenessUnknown) {
  SmallJob job({times(20, 400), times(20, 430)}, "");
  EXPECT_EQ(job.report().ranks[1].last, 0u);
  EXPECT_EQ(job.report().ranks[1].unknown, 20u);
  EXPECT_EQ(SmallJob({times(20, 400), times(20, 450)}, "").report().ranks[1].last, 20u);
}

TEST(JobJoin, OfNothingIsEmpty) {
  EXPECT_THAT(analysis::JobJoin(0).report().ranks, IsEmpty());
  analysis::JobJoin join(1);
  join.add(JobSummary());
  const JobReport report = join.report();
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(analysis::job_text(report), HasSubstr("No two ranks have a collective in common"));
}

// --- thousands of ranks ----------------------------------------------------------------------------------------------

JobReport joined(MadeUpJob job) {
  std::vector<JobSummary> summaries = job.summaries();
  analysis::JobJoin join(summaries.size());
  for (JobSummary& summary : summaries) join.add(std::move(summary));
  return join.report();
}

std::string all_texts(const JobReport& report) {
  std::string texts = analysis::job_text(report) + '\n';
  for (const JobFinding& finding : report.findings) texts += analysis::finding_text(report, finding) + '\n';
  return texts;
}

const JobFinding* finding_of(const JobReport& report, JobScope scope, JobReason reason) {
  for (const JobFinding& finding : report.findings) {
    if (finding.scope == scope && finding.reason == reason) return &finding;
  }
  return nullptr;
}

/// All five are planted in places that depend on the seed, apart from each other.
void expect_all_named(MadeUpJob job) {
  base::Random random(job.seed);
  std::vector<std::size_t> nodes;
  while (nodes.size() < 5) {
    const std::size_t node = random.next() % job.nodes;
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  const auto rank_on = [&](std::size_t node) {
    return static_cast<int>(node * job.per_node + random.next() % job.per_node);
  };
  job.slow_gpu = rank_on(nodes[0]);
  job.slow_loader = rank_on(nodes[1]);
  job.bad_link = rank_on(nodes[2]);
  job.late_clock = static_cast<int>(nodes[3]);
  job.slow_node = static_cast<int>(nodes[4]);
  const JobReport report = joined(job);
  SCOPED_TRACE(all_texts(report));
  EXPECT_THAT(report.findings, SizeIs(5));
  std::vector<std::size_t> of_slow_node;
  for (std::size_t k = 0; k < job.per_node; ++k) of_slow_node.push_back(nodes[4] * job.per_node + k);

  const JobFinding* found = nullptr;
  for (const JobFinding& finding : report.findings) {
    if (finding.reason == JobReason::SlowerKernels && finding.scope == JobScope::Rank) found = &finding;
  }
  ASSERT_NE(found, nullptr) << "slow GPU";
  EXPECT_THAT(found->ranks, ElementsAre(job.slow_gpu));
  EXPECT_EQ(found->place, "gemm");
  found = finding_of(report, JobScope::Rank, JobReason::Loader);
  ASSERT_NE(found, nullptr) << "slow loader";
  EXPECT_THAT(found->ranks, ElementsAre(job.slow_loader));
  EXPECT_EQ(found->place, "train.py:41");
  EXPECT_NEAR(static_cast<double>(found->later_ns), 3e6, 1e5);
  found = finding_of(report, JobScope::Rank, JobReason::Link);
  ASSERT_NE(found, nullptr) << "bad link";
  EXPECT_THAT(found->ranks, ElementsAre(job.bad_link));
  found = finding_of(report, JobScope::Node, JobReason::Clock);
  ASSERT_NE(found, nullptr) << "late clock";
  EXPECT_EQ(found->node, "n" + std::to_string(nodes[3]));
  EXPECT_NEAR(static_cast<double>(found->later_ns), -8e6, 4e5);
  found = finding_of(report, JobScope::Node, JobReason::SlowerKernels);
  ASSERT_NE(found, nullptr) << "slow node";
  EXPECT_EQ(found->ranks, of_slow_node);
}

TEST(MadeUpJobs, AllFivePlantedAreNamedAndNobodyElse) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    expect_all_named({.nodes = 64, .seed = seed});
    if (HasFatalFailure()) return;
  }
}

TEST(MadeUpJobs, AlsoOfFourThousandRanks) { expect_all_named({.nodes = 512, .nodes_of_pod = 16, .seed = 99}); }

TEST(MadeUpJobs, WithoutStragglersNobodyIsAccused) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const JobReport report = joined({.nodes = 32, .seed = seed, .noise = 0.05});
    EXPECT_THAT(report.findings, IsEmpty()) << all_texts(report);
    EXPECT_EQ(report.unknown_clocks, 0u);
    EXPECT_LE(report.clock_error_ns, 50'000);
  }
}

// With two nodes, one of which is slow as a whole, half of all ranks are: they are no outliers, and yet it is named.
TEST(MadeUpJobs, OneOfTwoNodesIsNamed) {
  const JobReport report = joined({.nodes = 2, .nodes_of_pod = 2, .slow_node = 1});
  ASSERT_THAT(report.findings, SizeIs(1)) << all_texts(report);
  EXPECT_EQ(report.findings[0].scope, JobScope::Node);
  EXPECT_EQ(report.findings[0].node, "n1");
}

}  // namespace
}  // namespace lanescope::analysis_test
