// The traces of several ranks become one.
#include "io/job_of_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/collectives.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "trace/owners.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

// Ten times a millisecond, from `begin` on the file's clock: a launch, and an all-reduce that starts `late` after the
// others and ends, as on all ranks, 100 after they started. Times in microseconds; `jitter` is added to every second
// end.
OpenedTrace rank_trace(std::int64_t pid, Nanoseconds begin, Nanoseconds late, Nanoseconds jitter = 0,
                       const char* kernel = kAllReduce) {
  OpenedTrace opened;
  opened.trace = std::make_unique<trace::Trace>();
  trace::Trace& trace = *opened.trace;
  const LaneId calls = trace.add_lane(cpu_lane(LaneKind::Calls, "CUDA calls", pid));
  LaneInfo gpu = gpu_lane(LaneKind::Kernels, "kernels");
  gpu.pid = pid;
  const LaneId kernels = trace.add_lane(gpu);
  const base::NameId arguments = trace.arguments().intern("\"Group size\":2");
  for (int k = 0; k < 10; ++k) {
    const Nanoseconds t = begin + k * 1000;
    const auto correlation = static_cast<std::uint32_t>(k + 1);
    trace.append(make_event(trace, calls, EventKind::Call, "cudaLaunchKernel", t * 1000, (t + 5) * 1000, correlation));
    Event reduce = make_event(trace, kernels, EventKind::Kernel, kernel, (t + late) * 1000,
                              (t + 100 + (k % 2) * jitter) * 1000, correlation);
    trace::set_arguments(reduce, arguments);
    trace::LaunchShape shape;
    shape.grid = {24, 1, 1};
    trace::set_launch(reduce, trace.launches().intern(shape));
    trace.append(reduce);
  }
  const trace::Frame frame{trace.names().intern("train.py"), trace.names().intern("main"), 7};
  trace.sites().note(calls, begin * 1000, trace.sites().intern({&frame, 1}, 0));
  trace.publish();
  opened.events_read = 20;
  opened.read_by_category["kernel"] = 10;
  return opened;
}

const std::string& process_of(const OpenedTrace& opened, LaneId lane) {
  return opened.trace->lane(lane).info().process;
}

std::vector<RankTrace> two(OpenedTrace first, OpenedTrace second) {
  std::vector<RankTrace> ranks;
  ranks.push_back({"rank0.json", std::move(first)});
  ranks.push_back({"rank1.json", std::move(second)});
  return ranks;
}

TEST(RankInName, IsTheNumberAfterTheWord) {
  EXPECT_EQ(rank_in_name("rank3.json"), 3);
  EXPECT_EQ(rank_in_name("trace_rank-12.json.gz"), 12);
  EXPECT_EQ(rank_in_name("Rank_007.lanescope"), 7);
  EXPECT_EQ(rank_in_name("franks_rank.2.json"), 2);
  EXPECT_EQ(rank_in_name("frank.json"), std::nullopt);
  EXPECT_EQ(rank_in_name("host.123.pt.trace.json"), std::nullopt);
}

// The second file's clock is 5 ms ahead, of which nothing is known but the ends of the collectives: they differ by
// 5,000 and 5,010 in turn, so the median is 5,000 or 5,010.
TEST(AlignRanks, ByTheEndsOfCollectives) {
  const Alignment alignment = align_ranks(two(rank_trace(1, 0, 0), rank_trace(2, 5000, 60, 10)));
  EXPECT_TRUE(alignment.by_collectives);
  EXPECT_EQ(alignment.collectives, 10);
  EXPECT_EQ(alignment.error_ns, 10'000);
  EXPECT_EQ(alignment.shift_ns[1] - alignment.shift_ns[0], -5'000'000);
  EXPECT_EQ(std::min(alignment.shift_ns[0], alignment.shift_ns[1]), 0) << "no time becomes negative";
}

/// Its collectives have the numbers from `first` on, as Lanescope counts NCCL's.
RankTrace numbered(const std::string& name, OpenedTrace opened, std::uint32_t first, const std::string& boot_id,
                   Nanoseconds origin_ns) {
  OpenedTrace with;
  with.trace = std::make_unique<trace::Trace>();
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l)
    with.trace->add_lane(opened.trace->lane(static_cast<LaneId>(l)).info());
  for (const NamedEvent& e : events_of(*opened.trace, 1)) {
    Event kernel = make_event(*with.trace, 1, EventKind::Kernel, e.name, e.event.start_ns, e.event.end_ns);
    trace::set_arguments(kernel, with.trace->arguments().intern("\"communicator\":\"0xabc\""));
    trace::set_external_id(kernel, first++);
    with.trace->append(kernel);
  }
  with.trace->publish();
  with.facts.clock.boot_id = boot_id;
  with.facts.clock.origin_ns = origin_ns;
  return {name, std::move(with)};
}

// Recorded in bursts: 1 to 10, 4 to 13 and 4 to 13, so 7 are common; number 4 ends at 3,100 on the first one's clock.
// The second machine's clock says 5,000 + 100 to that, 2,000 ahead. Its other recording began 300 later, so it says
// 4,800, and ends 15 after the others, as a rank may: that is not its clock's, for the two have one. Of the 14 ends that
// the second machine has, 7 are 2,000 and 7 are 2,015 ahead: the median is one of them.
TEST(AlignRanks, BurstsByNumberAndAMachineAsAWhole) {
  std::vector<RankTrace> ranks;
  ranks.push_back(numbered("rank0", rank_trace(1, 0, 0), 1, "a", 0));
  ranks.push_back(numbered("rank1", rank_trace(2, 5000, 0), 4, "b", 0));
  ranks.push_back(numbered("rank2", rank_trace(3, 4715, 0), 4, "b", 300'000));
  const Alignment alignment = align_ranks(ranks);
  EXPECT_TRUE(alignment.by_collectives);
  EXPECT_EQ(alignment.collectives, 7);
  EXPECT_EQ(alignment.shift_ns[2] - alignment.shift_ns[1], 300'000);
  EXPECT_NEAR(static_cast<double>(alignment.shift_ns[1] - alignment.shift_ns[0]), -2'000'000, 15'000);
  EXPECT_EQ(alignment.error_ns, 15'000);
}

// Times of day: the second file begins 2 ms after the first, and its clock is right.
TEST(AlignRanks, FilesOfOneMachineHaveOneClock) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 0, 60, 10));
  ranks[0].opened.time_offset_ns = 1'700'000'000'000'000'000;
  ranks[1].opened.time_offset_ns = 1'700'000'000'000'000'000;
  const Alignment alignment = align_ranks(ranks);
  EXPECT_FALSE(alignment.by_collectives);
  EXPECT_EQ(alignment.error_ns, 10'000);
  EXPECT_THAT(alignment.shift_ns, ElementsAre(0, 0));
}

TEST(AlignRanks, WithoutCollectivesByTheTimeOfDay) {
  auto ranks = two(rank_trace(1, 0, 0, 0, "gemm"), rank_trace(2, 0, 0, 0, "gemm"));
  ranks[0].opened.time_offset_ns = 1'700'000'000'002'000'000;
  ranks[1].opened.time_offset_ns = 1'700'000'000'000'000'000;
  const Alignment alignment = align_ranks(ranks);
  EXPECT_EQ(alignment.error_ns, 0) << "not known";
  EXPECT_THAT(alignment.shift_ns, ElementsAre(2'000'000, 0));
}

// The first file's clock is set to the second's: 5 ms are added.
TEST(MergeRanks, GivesOneTraceInWhichNothingIsMissing) {
  const OpenedTrace merged = merge_ranks(two(rank_trace(1, 0, 0), rank_trace(2, 5000, 60)));
  const trace::Trace& trace = *merged.trace;
  ASSERT_EQ(trace.lane_count(), 4u);
  EXPECT_EQ(trace.lane(0).info().process, "rank 0 · lanescope");
  EXPECT_EQ(trace.lane(3).info().process, "rank 1");
  EXPECT_EQ(trace.lane(3).info().host, "") << "the process numbers differ";
  const auto kernels = events_of(trace, 3);
  ASSERT_EQ(kernels.size(), 10u);
  EXPECT_EQ(kernels[2].name, kAllReduce);
  EXPECT_EQ(kernels[2].event.start_ns, 7'060'000);
  EXPECT_EQ(kernels[2].event.end_ns, 7'100'000);
  EXPECT_EQ(kernels[2].arguments, "\"Group size\":2");
  ASSERT_TRUE(kernels[2].launch.has_value());
  EXPECT_EQ(kernels[2].launch->grid[0], 24u);
  const trace::CallSites::Stack stack = trace.sites().stack(trace.sites().at(0, 5'000'000));
  ASSERT_EQ(stack.frames.size(), 1u);
  EXPECT_EQ(trace.names().text(stack.frames[0].file), "train.py");
  EXPECT_EQ(merged.events_read, 40u);
  EXPECT_EQ(merged.read_by_category.at("kernel"), 20u);
  EXPECT_THAT(merged.incomplete, HasSubstr("set by the ends of 10 collectives"));

  // Rank 1 is late by 60 of 100: 60 / (60 + 2 * 40) = 43 % of the time is waiting.
  const auto collectives = analysis::collectives(trace, 0, 1'000'000'000, merged.facts.clock_error_ns);
  ASSERT_EQ(collectives.all.size(), 10u);
  EXPECT_EQ(collectives.gpus[1].arrived_last, 10);
  EXPECT_EQ(collectives.gpus[0].wait_ns, 10 * 60'000);
  EXPECT_EQ(collectives.verdict, analysis::CollectiveVerdict::Mixed);
}

TEST(MergeRanks, EqualProcessNumbersAreOfDifferentHosts) {
  const OpenedTrace merged = merge_ranks(two(rank_trace(7, 0, 0), rank_trace(7, 0, 60)));
  ASSERT_EQ(merged.trace->lane_count(), 4u);
  EXPECT_EQ(merged.trace->lane(1).info().host, "rank 0");
  EXPECT_EQ(merged.trace->lane(3).info().host, "rank 1");
  EXPECT_EQ(trace::Owners(*merged.trace).gpus().size(), 2u);
}

// A recording of each of two machines, which hold two ranks of one job.
TEST(MergeRanks, RecordingsThatNameTheirRanksKeepThem) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 5000, 60));
  for (RankTrace& rank : ranks) {
    const int number = rank.name == "rank0.json" ? 3 : 8;
    rank.name = number == 3 ? "b.lanescope" : "a.lanescope";
    auto trace = std::make_unique<trace::Trace>();
    LaneInfo info = rank.opened.trace->lane(1).info();
    info.process = trace::rank_name(number, "train.py");
    info.rank = number;
    trace->add_lane(info);
    trace->publish();
    rank.opened.trace = std::move(trace);
  }
  const OpenedTrace merged = merge_ranks(std::move(ranks));
  EXPECT_EQ(process_of(merged, 0), "rank 8 · train.py");
  EXPECT_EQ(process_of(merged, 1), "rank 3 · train.py");
}

// The names say otherwise: the second file's rank comes first.
TEST(MergeRanks, TheRankInTheFileDecides) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 0, 60));
  ranks[0].opened.rank = 7;
  ranks[1].opened.rank = 4;
  for (RankTrace& rank : ranks) rank.opened.world_size = 8;
  const OpenedTrace merged = merge_ranks(std::move(ranks));
  EXPECT_EQ(merged.trace->lane(0).info().pid, 2);
  EXPECT_EQ(process_of(merged, 1), "rank 4");
  EXPECT_EQ(process_of(merged, 3), "rank 7");
  EXPECT_THAT(merged.incomplete, testing::StartsWith("Ranks 0, 1, 2, 3, 5 and 6 of 8 are not here."));
}

TEST(MergeRanks, SaysWhichRanksAreMissing) {
  const auto said = [](int first, int second, int world) {
    auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 0, 60));
    ranks[0].opened.rank = first;
    ranks[1].opened.rank = second;
    ranks[0].opened.world_size = world;
    return merge_ranks(std::move(ranks)).incomplete;
  };
  EXPECT_THAT(said(0, 1, 2), testing::Not(HasSubstr("here")));
  EXPECT_THAT(said(0, 2, 3), HasSubstr("Rank 1 of 3 is not here. "));
  EXPECT_THAT(said(0, 3, 4), HasSubstr("Ranks 1 and 2 of 4 are not here. "));
  EXPECT_THAT(said(0, 1, 1024), HasSubstr("1022 of 1024 ranks are not here. "));
}

TEST(MergeRanks, TwoFilesOfOneRankStayApart) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(1, 0, 60));
  ranks[0].opened.rank = ranks[1].opened.rank = 3;
  const OpenedTrace merged = merge_ranks(std::move(ranks));
  EXPECT_EQ(process_of(merged, 1), "rank 3 (rank0.json)");
  EXPECT_EQ(process_of(merged, 3), "rank 3 (rank1.json)");
  EXPECT_EQ(trace::Owners(*merged.trace).gpus().size(), 2u);
}

// Every rank has ten all-reduces, but in groups of its own, whose ends have nothing to do with each other.
TEST(AlignRanks, NotByCollectivesOfDifferentGroups) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 5000, 60));
  for (RankTrace& rank : ranks) {
    trace::Trace& trace = *rank.opened.trace;
    const std::string group = "\"Process Group Name\":\"" + rank.name + "\"";
    OpenedTrace named;
    named.trace = std::make_unique<trace::Trace>();
    for (std::size_t l = 0; l < trace.lane_count(); ++l)
      named.trace->add_lane(trace.lane(static_cast<LaneId>(l)).info());
    for (const NamedEvent& e : events_of(trace, 1)) {
      Event kernel = make_event(*named.trace, 1, EventKind::Kernel, e.name, e.event.start_ns, e.event.end_ns);
      trace::set_arguments(kernel, named.trace->arguments().intern(group));
      named.trace->append(kernel);
    }
    named.trace->publish();
    rank.opened = std::move(named);
  }
  const Alignment alignment = align_ranks(ranks);
  EXPECT_EQ(alignment.collectives, 0);
  EXPECT_THAT(alignment.shift_ns, ElementsAre(0, 0));
}

TEST(MergeRanks, KeepsTheFactsThatAllShare) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 0, 60));
  for (RankTrace& rank : ranks) {
    rank.opened.facts.workload = "linear-mse";
    rank.opened.facts.program = "train.py";
    rank.opened.facts.settings = {{"pinned", "true"}, {"seed", rank.name}};
  }
  const OpenedTrace merged = merge_ranks(std::move(ranks));
  EXPECT_EQ(merged.facts.workload, "") << "not one run any more";
  EXPECT_EQ(merged.facts.program, "train.py");
  EXPECT_THAT(merged.facts.settings, ElementsAre(testing::Pair("pinned", "true")));
}

TEST(MergeRanks, KeepsWhatWasRecorded) {
  auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 5000, 60));
  trace::Trace& first = *ranks[0].opened.trace;
  first.change_recording({trace::RecordingChange::Act::Nothing, 1, 0, 0});
  first.begin_recorded(1, 1'000'000, 900'000);
  first.end_recorded(1, 4'000'000);
  const OpenedTrace merged = merge_ranks(std::move(ranks));
  const trace::Trace::ReadLock lock(*merged.trace);
  EXPECT_TRUE(merged.trace->coverage(2).complete());
  ASSERT_FALSE(merged.trace->coverage(1).complete());
  EXPECT_EQ(merged.trace->coverage(1).interval(0), (trace::Coverage::Interval{5'900'000, 6'000'000, 9'000'000}));
}

class ReadFolder : public Scratch {};

TEST_F(ReadFolder, ItsTracesBecomeOne) {
  std::filesystem::create_directories(file("job/sub"));
  write_trace(file("job/rank1.lanescope"), *rank_trace(2, 5000, 60).trace, {});
  write_trace(file("job/sub/rank0.json.gz"), *rank_trace(1, 0, 0).trace, {});
  write("job/notes.txt", "not a trace");
  const OpenedTrace opened = read_trace(file("job"));
  ASSERT_EQ(opened.trace->lane_count(), 4u);
  EXPECT_EQ(opened.trace->lane(0).info().process, "rank 0 · lanescope");
  EXPECT_THAT(opened.incomplete, HasSubstr("10 collectives"));
}

TEST_F(ReadFolder, OneFileIsWhatIsInIt) {
  std::filesystem::create_directories(file("job"));
  write_trace(file("job/a.lanescope"), *rank_trace(2, 5000, 60).trace, {});
  const OpenedTrace opened = read_trace(file("job"));
  EXPECT_EQ(opened.trace->lane(0).info().process, "lanescope");
  EXPECT_THAT(opened.incomplete, IsEmpty());
}

TEST_F(ReadFolder, MistakesAreSaid) {
  std::filesystem::create_directories(file("empty"));
  EXPECT_THAT(error_of([&] { read_trace(file("empty")); }),
              HasSubstr("empty: a folder without traces (.lanescope, .json, .json.gz or .sqlite)"));
  std::filesystem::create_directories(file("bad"));
  write("bad/rank0.json", "{");
  EXPECT_THAT(error_of([&] { read_trace(file("bad")); }), HasSubstr("rank0.json"));
}

// What speaks against one job is said once each, and the device line names all models.
TEST(MergeRanks, DifferentJobsAreSaid) {
  const auto merged = [](int world, Nanoseconds begin, const char* model) {
    auto ranks = two(rank_trace(1, 0, 0), rank_trace(2, 0, 0));
    for (RankTrace& rank : ranks) {
      rank.opened.world_size = 2;
      rank.opened.time_offset_ns = 1'700'000'000 * base::kSecond;
      rank.opened.facts.device_name = "NVIDIA A100";
      rank.opened.facts.sm_count = 108;
    }
    ranks[1].opened.world_size = world;
    ranks[1].opened.time_offset_ns += begin;
    ranks[1].opened.facts.device_name = model;
    return merge_ranks(std::move(ranks));
  };
  const OpenedTrace one = merged(2, 0, "NVIDIA A100");
  EXPECT_THAT(one.incomplete, testing::StartsWith("These files have one clock"));
  EXPECT_EQ(one.facts.device_name, "NVIDIA A100");
  EXPECT_EQ(one.facts.sm_count, 108);
  EXPECT_THAT(merged(8, 0, "NVIDIA A100").incomplete,
              testing::StartsWith("These files are of different jobs: one of 2 ranks, another of 8. "));
  EXPECT_THAT(merged(2, 24 * 3600 * base::kSecond, "NVIDIA A100").incomplete,
              testing::StartsWith("They were recorded more than a day apart, or with different clocks. "));
  const OpenedTrace models = merged(2, 0, "AMD Instinct MI300X");
  EXPECT_THAT(models.incomplete, testing::StartsWith("Their GPUs are of different models. "));
  EXPECT_EQ(models.facts.device_name, "NVIDIA A100, AMD Instinct MI300X");
  EXPECT_EQ(models.facts.sm_count, 0) << "they have different numbers";
}

TEST(MergeRanks, OfASingleFileOnlyWhatIsMissingIsSaid) {
  const auto said = [](int rank, int world) {
    std::vector<RankTrace> ranks;
    ranks.push_back({"trace.json", rank_trace(1, 0, 0)});
    ranks[0].opened.rank = rank;
    ranks[0].opened.world_size = world;
    return merge_ranks(std::move(ranks)).incomplete;
  };
  EXPECT_EQ(said(0, 1), "");
  EXPECT_EQ(said(1, 2), "Rank 0 of 2 is not here.");
  EXPECT_EQ(said(0, 128), "127 of 128 ranks are not here.");
  EXPECT_EQ(said(-1, 8), "") << "it does not say which rank it is";
  EXPECT_EQ(said(0, 0), "");
}

}  // namespace
}  // namespace lanescope::io
