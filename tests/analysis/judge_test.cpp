#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "trace_builder.h"

namespace lanescope::analysis_test {
namespace {

using analysis::BubbleCause;
using analysis::Summary;
using analysis::VerdictKind;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

/// With this much idle time of a cause.
Summary with(Summary s, BubbleCause cause, Nanoseconds ns) {
  s.judged.bubble_by_cause_ns[static_cast<std::size_t>(cause)] = ns;
  return s;
}
/// A judged stretch of 1000 ns; time that is neither busy nor of a given cause has no known cause.
Summary judged(Nanoseconds kernels, Nanoseconds copies_alone, Nanoseconds after_sync, Nanoseconds launch,
               Nanoseconds held, Nanoseconds loader = 0) {
  Summary s;
  s.judged.from_ns = 5000;
  s.judged.to_ns = 6000;
  s.judged.kernel_ns = kernels;
  s.judged.busy_ns = kernels + copies_alone;
  s = with(with(s, BubbleCause::AfterSync, after_sync), BubbleCause::Cpu, launch);
  return with(with(s, BubbleCause::Staging, held), BubbleCause::Loader, loader);
}
VerdictKind kind(Summary s) {
  judge(s);
  return s.verdict.kind;
}
std::string sentence(Summary s) {
  judge(s);
  return s.verdict.sentence;
}

TEST(Judge, GpuBoundBelowATenthIdle) {
  EXPECT_EQ(kind(judged(901, 0, 99, 0, 0)), VerdictKind::GpuBound);
  EXPECT_EQ(kind(judged(900, 0, 100, 0, 0)), VerdictKind::SyncBound);
  EXPECT_EQ(kind(judged(900, 0, 0, 100, 0)), VerdictKind::LaunchBound);
  EXPECT_EQ(kind(judged(900, 0, 0, 0, 100)), VerdictKind::CopyBound);
}

TEST(Judge, ABusyGpuThatOnlyCopiesForAQuarterOfTheTimeIsCopyBound) {
  EXPECT_EQ(kind(judged(711, 249, 40, 0, 0)), VerdictKind::GpuBound);
  EXPECT_EQ(kind(judged(710, 250, 40, 0, 0)), VerdictKind::CopyBound);
}

TEST(Judge, TheLargestCauseDecides) {
  EXPECT_EQ(kind(judged(500, 0, 200, 199, 101)), VerdictKind::SyncBound);
  EXPECT_EQ(kind(judged(500, 0, 199, 200, 101)), VerdictKind::LaunchBound);
  EXPECT_EQ(kind(judged(500, 0, 150, 150, 200)), VerdictKind::CopyBound);
}

TEST(Judge, LoaderBoundWhenWaitingForDataIsTheLargest) {
  EXPECT_EQ(kind(judged(400, 0, 200, 199, 0, 201)), VerdictKind::LoaderBound);
  EXPECT_EQ(kind(judged(400, 0, 200, 199, 0, 200)), VerdictKind::SyncBound);
  EXPECT_EQ(kind(judged(400, 0, 100, 199, 102, 199)), VerdictKind::LaunchBound);
  EXPECT_EQ(kind(judged(400, 0, 0, 0, 301, 299)), VerdictKind::CopyBound);
  EXPECT_EQ(kind(judged(440, 260, 0, 0, 0, 250)), VerdictKind::CopyBound);  // copies alone for a quarter, and more
  EXPECT_EQ(kind(judged(901, 0, 0, 0, 0, 99)), VerdictKind::GpuBound);
  EXPECT_EQ(kind(judged(500, 0, 0, 0, 0, 99)), VerdictKind::Unknown);
  EXPECT_EQ(kind(judged(500, 0, 0, 1, 0, 99)), VerdictKind::LoaderBound);
  Summary s = judged(380, 0, 0, 20, 0, 600);
  EXPECT_EQ(sentence(s), "The GPU idles 62 % of the time, 60 % while the program waits for its data loader.");
  judge(s);
  EXPECT_DOUBLE_EQ(s.verdict.loader, 0.6);
}

TEST(Judge, CpuOnlyWhenOpsRanAndTheGpuHadNoPartInIt) {
  Summary cpu = judged(0, 0, 0, 0, 0);
  cpu.iteration.count = 3;
  EXPECT_EQ(kind(cpu), VerdictKind::Unknown);  // as if nothing could be captured
  cpu.cpu_op_count = 9;
  EXPECT_EQ(kind(cpu), VerdictKind::CpuOnly);
  EXPECT_EQ(sentence(cpu), "Nothing runs on the GPU: every operation is computed by the CPU.");
  Summary other = cpu;
  other.iteration.count = 0;
  EXPECT_EQ(kind(other), VerdictKind::CpuOnly) << "a file need not have iterations";
  other = cpu;
  other.launch_count = 1;
  EXPECT_EQ(kind(other), VerdictKind::Unknown);
  other = cpu;
  other.gpu_op_count = 1;
  EXPECT_EQ(kind(other), VerdictKind::Unknown);
  other = judged(950, 0, 50, 0, 0);
  other.iteration.count = 3;
  other.cpu_op_count = 9;
  other.gpu_busy_ns = 950;  // of an operation that began before the window
  EXPECT_EQ(kind(other), VerdictKind::GpuBound);
}

TEST(Judge, ExposedCopiesCountFromAQuarterOn) {
  EXPECT_EQ(kind(judged(551, 249, 200, 0, 0)), VerdictKind::SyncBound);
  EXPECT_EQ(kind(judged(550, 250, 200, 0, 0)), VerdictKind::CopyBound);
  EXPECT_EQ(kind(judged(400, 290, 310, 0, 0)), VerdictKind::SyncBound);  // a quarter, but the sync takes more
}

TEST(Judge, UnknownWithoutWorkOrWithoutReasons) {
  EXPECT_EQ(kind(Summary{}), VerdictKind::Unknown);
  EXPECT_EQ(kind(judged(0, 0, 0, 0, 0)), VerdictKind::Unknown);
  EXPECT_EQ(kind(judged(500, 0, 50, 40, 0)), VerdictKind::Unknown);  // 41 % lie before and after
  EXPECT_EQ(kind(judged(500, 0, 60, 40, 0)), VerdictKind::SyncBound);
  EXPECT_FALSE(sentence(Summary{}).empty());
  EXPECT_THAT(sentence(judged(500, 0, 50, 40, 0)), ::testing::HasSubstr("50 %"));
}

// 1000 ns of which 200 lie before the first and after the last operation: judged by 800, idle 200 of them.
TEST(Judge, WithoutAJudgedStretchTheWindowWithoutItsEndsIsTaken) {
  Summary s;
  s.from_ns = 0;
  s.to_ns = 1000;
  s.gpu_busy_ns = s.kernel_ns = 600;
  s.bubble_by_cause_ns[static_cast<std::size_t>(BubbleCause::StartOrEnd)] = 200;
  s.bubble_by_cause_ns[static_cast<std::size_t>(BubbleCause::AfterSync)] = 200;
  judge(s);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.25);
  EXPECT_DOUBLE_EQ(s.verdict.after_sync, 0.25);
  EXPECT_EQ(s.verdict.kind, VerdictKind::SyncBound);
}

// From the first to the last operation 9 of 1000 ns; 10 are enough.
TEST(Judge, AMomentOfTheGpuTellsNothing) {
  const auto of = [](Nanoseconds span) {
    Summary s;
    s.to_ns = 1000;
    s.judged.from_ns = 500;
    s.judged.to_ns = 500 + span;
    s.judged.busy_ns = s.judged.kernel_ns = span;
    return s;
  };
  EXPECT_EQ(kind(of(9)), VerdictKind::Unknown);
  EXPECT_EQ(sentence(of(9)),
            "From its first to its last operation the GPU works for 9 ns, of 1 µs in all: too little to tell.");
  EXPECT_EQ(kind(of(10)), VerdictKind::GpuBound);
}

TEST(Judge, SentencesSayWhatHelps) {
  Summary read = judged(530, 0, 440, 30, 0);
  read.judged.after_read_ns = 440;
  EXPECT_EQ(sentence(read), "The GPU idles 47 % of the time, 44 % because of a read such as loss.item().");
  Summary upload = judged(530, 0, 440, 30, 0);
  upload.judged.after_upload_ns = 300;
  EXPECT_EQ(sentence(upload), "The GPU idles 47 % of the time, 30 % because the CPU waits for a copy to the GPU.");
  EXPECT_EQ(sentence(judged(530, 0, 440, 30, 0)),
            "The GPU idles 47 % of the time, 44 % because the CPU waits for it to finish.");

  Summary busy = judged(980, 0, 20, 0, 0);
  EXPECT_EQ(sentence(busy), "The GPU is busy 98 % of the time: it sets the pace, not the CPU.");
  busy.sync_count = busy.judged.sync_count = 1;
  busy.judged.after_read_ns = 20;
  EXPECT_EQ(sentence(busy), "The GPU is busy 98 % of the time: it sets the pace, not the CPU.") << "nothing was copied";
  busy.d2h_bytes = 4;
  EXPECT_EQ(sentence(busy), "The GPU is busy 98 % of the time; reading less often would gain at most the other 2 %.");
  busy.judged.after_read_ns = 4;  // of 20
  EXPECT_EQ(sentence(busy), "The GPU is busy 98 % of the time: it sets the pace, not the CPU.");
  // The last synchronisation of a run is in no iteration.
  Summary full = judged(1000, 0, 0, 0, 0);
  full.d2h_bytes = 4;
  full.sync_count = 1;
  EXPECT_EQ(sentence(full), "The GPU is busy 100 % of the time: it sets the pace, not the CPU.");
  full.judged.sync_count = 1;
  EXPECT_EQ(sentence(full), "The GPU is busy 100 % of the time; reading less often would gain nothing.");

  EXPECT_EQ(sentence(judged(690, 0, 0, 310, 0)),
            "The GPU idles 31 % of the time because the CPU launches work too slowly.");
  EXPECT_EQ(sentence(judged(690, 0, 30, 280, 0)),
            "The GPU idles 31 % of the time, 28 % because the CPU launches work too slowly.");
  const std::string late = "The GPU idles 60 % of the time, 40 % because the CPU launches work too slowly. ";
  Summary second = judged(400, 0, 200, 400, 0);
  EXPECT_EQ(sentence(second), late + "Waits come second.") << "it is not known for what";
  second.judged.after_read_ns = 120;
  EXPECT_EQ(sentence(second), late + "Reads come second.");
  second.judged.after_read_ns = 0;
  second.judged.after_upload_ns = 120;
  EXPECT_EQ(sentence(second), late + "Waits for copies to the GPU come second.");

  EXPECT_EQ(sentence(judged(600, 0, 0, 100, 300)),
            "The GPU idles 40 % of the time, 30 % while copies from pageable memory or pinning block the CPU.");
  EXPECT_EQ(sentence(judged(500, 450, 50, 0, 0)), "Kernels run 50 % of the time, and for 45 % the GPU only copies.");
  EXPECT_EQ(
      sentence(judged(300, 400, 50, 0, 250)),
      "Kernels run 30 % of the time, and for 40 % the GPU only copies. For another 25 % it idles while copies from "
      "pageable memory or pinning block the CPU.");
  EXPECT_EQ(sentence(judged(300, 450, 250, 0, 0)), "Kernels run 30 % of the time, and for 45 % the GPU only copies.");
}

/// "label value unit" of each figure.
std::vector<std::string> figures(Summary s) {
  judge(s);
  std::vector<std::string> texts;
  for (const analysis::VerdictFigure& f : s.verdict.figures)
    texts.push_back(f.label + " " + value_text(f) + (f.unit == "%" ? "" : " " + f.unit));
  return texts;
}

// Four iterations: 4 syncs are 1.0 per iteration, 6 are 1.5.
TEST(Judge, ASentenceNamesThePlaceAndHowOften) {
  Summary s = judged(590, 0, 400, 10, 0);
  s.judged.iterations = 4;
  s.judged.sync_count = 4;
  s.judged.after_read_ns = 390;
  s.judged.sync_place = "item()";
  s.judged.sync_place_kind = trace::RangeKind::Read;
  s.judged.sync_place_ns = 380;
  EXPECT_EQ(sentence(s), "The GPU idles 41 % of the time, 38 % because of item().");
  EXPECT_THAT(figures(s), ElementsAre("idle 41 %", "after item() 38 %", "syncs 1.0 per iteration"));

  // PyTorch's operator in a profile, which a program calls by another name.
  s.judged.sync_place_kind = trace::RangeKind::Operator;
  s.judged.sync_place = "aten::_local_scalar_dense";
  EXPECT_EQ(sentence(s), "The GPU idles 41 % of the time, 38 % because of .item().");

  s.judged.sync_count = 6;
  s.judged.sync_place_kind = trace::RangeKind::Phase;
  s.judged.sync_place = "forward";  // a statement with the read somewhere in it
  EXPECT_EQ(sentence(s), "The GPU idles 41 % of the time, 38 % because of a read in forward.");
  s.judged.after_read_ns = 0;
  EXPECT_EQ(sentence(s), "The GPU idles 41 % of the time, 38 % because of a wait in forward.");
  s.judged.sync_place_ns = 199;  // less than half is there: no place is named
  EXPECT_THAT(sentence(s), StartsWith("The GPU idles 41 % of the time, 40 % because the CPU waits for it"));
  EXPECT_THAT(figures(s), ElementsAre("idle 41 %", "after a wait 40 %", "syncs 1.5 per iteration"));
}

TEST(Judge, TheThirdFigureGoesWithTheKind) {
  Summary launch = judged(690, 0, 0, 310, 0);
  launch.judged.iterations = 2;
  launch.judged.launch_count = 32;
  EXPECT_EQ(sentence(launch), "The GPU idles 31 % of the time because the CPU launches work too slowly.");
  EXPECT_THAT(figures(launch), ElementsAre("idle 31 %", "slow launch 31 %", "launches 16 per iteration"));
  Summary loader = judged(380, 0, 0, 20, 0, 600);
  loader.judged.iterations = 2;
  loader.judged.loader_wait_ns = 5'000'000;
  EXPECT_THAT(sentence(loader), EndsWith("for its data loader."));
  EXPECT_THAT(figures(loader), ElementsAre("idle 62 %", "no data 60 %", "waited 2.5 ms per iteration"));
  Summary copy = judged(300, 400, 50, 0, 250);
  copy.judged.iterations = 1;
  copy.judged.copied_bytes = 12'400'000;
  EXPECT_THAT(figures(copy), ElementsAre("idle 30 %", "only copying 40 %", "copied 12 MB per iteration"));
  copy = judged(600, 0, 0, 100, 300);
  copy.judged.copied_bytes = 512'000;
  EXPECT_THAT(figures(copy), ElementsAre("idle 40 %", "held by copy 30 %", "copied 512 kB in all"));
  EXPECT_THAT(figures(judged(980, 0, 20, 0, 0)), ElementsAre("idle 2 %", "kernels run 98 %", "syncs 0.0 in all"));
  EXPECT_THAT(figures(Summary{}), ::testing::IsEmpty());
}

/// "idles 47 % of the time, 44 % right": 47, 44.
std::vector<int> percentages(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = text.find(" %"); at != std::string::npos; at = text.find(" %", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1]))) --begin;
    numbers.push_back(std::stoi(text.substr(begin, at - begin)));
  }
  return numbers;
}

// Whatever the figures, no part mentioned in a sentence exceeds its whole, and nothing exceeds 100 %.
TEST(Judge, PercentagesNeverContradictEachOther) {
  int sentences = 0;
  for (Nanoseconds kernels = 1; kernels < 1000; kernels += 7) {
    for (Nanoseconds sync = 0; sync <= 1000 - kernels; sync += 13) {
      for (const Nanoseconds copies : {Nanoseconds{0}, (1000 - kernels - sync) / 2}) {
        Summary s = judged(kernels, copies, sync, 1000 - kernels - copies - sync, 0);
        judge(s);
        const std::string& text = s.verdict.sentence;
        const std::vector<int> numbers = percentages(text);
        ASSERT_FALSE(numbers.empty()) << text;
        ASSERT_LE(numbers.front(), 100) << text;
        ASSERT_LE(numbers.back(), numbers.front()) << text;
        ++sentences;
      }
    }
  }
  EXPECT_GT(sentences, 1000);
}

TEST(DurationStats, PercentilesAreNearestRank) {
  std::vector<Nanoseconds> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i * 10);
  const analysis::DurationStats s = analysis::duration_stats(hundred);
  EXPECT_EQ(s.count, 100);
  EXPECT_DOUBLE_EQ(s.mean_ns, 505);
  EXPECT_EQ(s.p50_ns, 500);
  EXPECT_EQ(s.p99_ns, 990);
  EXPECT_EQ(s.min_ns, 10);
  EXPECT_EQ(s.max_ns, 1000);
  std::vector<Nanoseconds> three{30, 10, 20};  // ceil(1.5) = 2nd, ceil(2.97) = 3rd
  const analysis::DurationStats t = analysis::duration_stats(three);
  EXPECT_EQ(t.p50_ns, 20);
  EXPECT_EQ(t.p99_ns, 30);
  std::vector<Nanoseconds> one{7}, none;
  EXPECT_EQ(analysis::duration_stats(one).p99_ns, 7);
  EXPECT_EQ(analysis::duration_stats(none).count, 0);
}

TEST(Names, VerdictKeysAreWhatTheReportPromises) {
  using analysis::verdict_key;
  EXPECT_EQ(verdict_key(VerdictKind::Unknown), "unknown");
  EXPECT_EQ(verdict_key(VerdictKind::SyncBound), "sync-bound");
  EXPECT_EQ(verdict_key(VerdictKind::LaunchBound), "launch-bound");
  EXPECT_EQ(verdict_key(VerdictKind::CopyBound), "copy-bound");
  EXPECT_EQ(verdict_key(VerdictKind::LoaderBound), "loader-bound");
  EXPECT_EQ(verdict_key(VerdictKind::GpuBound), "gpu-bound");
  EXPECT_EQ(verdict_key(VerdictKind::CpuOnly), "cpu-only");
  EXPECT_EQ(verdict_key(VerdictKind::CpuBound), "cpu-bound");
  EXPECT_EQ(verdict_key(VerdictKind::RankBound), "rank-bound");
  EXPECT_EQ(verdict_key(VerdictKind::Race), "race");
  EXPECT_EQ(analysis::verdict_title(VerdictKind::SyncBound), "Sync-bound");
  EXPECT_EQ(analysis::verdict_title(VerdictKind::CpuOnly), "CPU only");
  EXPECT_EQ(analysis::cause_name(BubbleCause::Loader), "waiting for data");
  EXPECT_EQ(analysis::cause_name(BubbleCause::AfterSync), "after a sync");
  EXPECT_EQ(analysis::cause_name(BubbleCause::Cpu), "CPU work");
}

// 300 of 1000 ns idle before work whose launch is not in the trace, of 400. With 150 beside 200 of late launches, most
// may be what is not known; with 100 it is half of those.
TEST(Judge, NobodyIsBlamedWithoutALaunch) {
  const Summary s = with(judged(600, 0, 0, 100, 0), BubbleCause::Unknown, 300);
  EXPECT_EQ(kind(s), VerdictKind::Unknown);
  EXPECT_EQ(sentence(s),
            "The GPU idles 40 % of the time, 30 % before work whose launch is not in the trace: why is not known.");
  EXPECT_EQ(kind(with(judged(600, 0, 0, 200, 0), BubbleCause::Unknown, 150)), VerdictKind::Unknown);
  EXPECT_EQ(kind(with(judged(600, 0, 0, 200, 0), BubbleCause::Unknown, 100)), VerdictKind::LaunchBound);
}

// Of 600 ns of late launches, the program's own work is 301: more than half.
TEST(Judge, AProgramThatDoesSomethingElseIsCpuBound) {
  Summary s = judged(400, 0, 0, 600, 0);
  s.judged.own_work_ns = 300;
  EXPECT_EQ(kind(s), VerdictKind::LaunchBound);
  s.judged.own_work_ns = 301;
  EXPECT_EQ(kind(s), VerdictKind::CpuBound);
  EXPECT_EQ(sentence(s), "The GPU idles 60 % of the time, 30 % while the CPU does other work.");
  EXPECT_THAT(figures(s), ElementsAre("idle 60 %", "other CPU work 30 %", "launches 0.0 in all"));
  s.judged.own_work_ns = 600;
  EXPECT_EQ(sentence(s), "The GPU idles 60 % of the time while the CPU does other work.");
}

TEST(Judge, WrongValuesComeBeforeAnySpeed) {
  Summary s = judged(400, 0, 0, 600, 0);
  s.judged.stale_reads = 20;
  s.judged.iterations = 20;
  EXPECT_EQ(kind(s), VerdictKind::Race);
  EXPECT_EQ(sentence(s), "20 reads came before the copy had finished: their values are wrong.");
  EXPECT_THAT(figures(s), ElementsAre("idle 60 %", "kernels run 40 %", "early reads 1.0 per iteration"));
  s.judged.stale_reads = 1;
  EXPECT_EQ(sentence(s), "One read came before the copy had finished: its value is wrong.");
}

// 220 of 930 ns of kernels wait for another GPU; 40 follow a read. With 70 and 300 it is the read.
TEST(Judge, WaitingForARankIsNoWorkOfTheGpu) {
  Summary s = judged(930, 0, 40, 0, 0);
  s.judged.rank_wait_ns = 220;
  s.judged.rank_waits = "rank 0";
  EXPECT_EQ(kind(s), VerdictKind::RankBound);
  EXPECT_EQ(sentence(s),
            "In collectives, rank 0 waits 22 % of the time for the GPU that comes last; none always does.");
  judge(s);
  EXPECT_EQ(verdict_title(s.verdict), "Waits for other ranks");
  s.judged.rank_late = "rank 1";
  EXPECT_EQ(sentence(s), "In collectives, rank 0 waits 22 % of the time for rank 1.");
  judge(s);
  EXPECT_EQ(verdict_title(s.verdict), "Waits for rank 1");
  Summary read = judged(700, 0, 300, 0, 0);
  read.judged.rank_wait_ns = 220;
  EXPECT_EQ(kind(read), VerdictKind::SyncBound);
}

// 300 of 1000 ns the GPU waits by itself; 50 are the launches'.
TEST(Judge, AGpuThatWaitsByItselfSetsThePace) {
  const Summary s = with(judged(650, 0, 0, 50, 0), BubbleCause::GpuWait, 300);
  EXPECT_EQ(kind(s), VerdictKind::GpuBound);
  EXPECT_EQ(
      sentence(s),
      "The GPU idles 35 % of the time, 30 % although its next work was launched: another program holds it up, or what "
      "ran then is not in the trace.");
}

// As in a trace that begins in the middle of the program: 500 of 1000 ns are the GPU's own, 60 of unknown launches, and
// 60 of known causes: too little for those. 400 of unknown launches and 380 of its own leave it open.
TEST(Judge, ItsOwnWaitsGoBeforeLittleElse) {
  const auto of = [](Nanoseconds busy, Nanoseconds own, Nanoseconds unknown) {
    return with(with(judged(busy, 0, 30, 30, 0), BubbleCause::GpuWait, own), BubbleCause::Unknown, unknown);
  };
  EXPECT_EQ(kind(of(380, 500, 60)), VerdictKind::GpuBound);
  EXPECT_EQ(
      sentence(of(380, 500, 60)),
      "The GPU idles 62 % of the time, 50 % although its next work was launched: another program holds it up, or what "
      "ran then is not in the trace.");
  EXPECT_EQ(kind(of(160, 380, 400)), VerdictKind::Unknown);
}

// As of one of two programs that share a GPU: 690 of 1000 ns it has its next work, 100 the launches are late, 90 follow
// a read. The largest cause names the loop.
TEST(Judge, TheLargestCauseIsTheGpusOwn) {
  EXPECT_EQ(kind(with(judged(120, 0, 90, 100, 0), BubbleCause::GpuWait, 690)), VerdictKind::GpuBound);
}

TEST(Judge, LaunchesWithoutTheirWorkAreSaid) {
  Summary s = judged(0, 0, 0, 0, 0);
  EXPECT_EQ(sentence(s), "Nothing has run on the GPU here.");
  s.launch_count = 1234;
  EXPECT_EQ(sentence(s), "1,234 kernels were launched here, but the trace does not contain their work on the GPU.");
}

}  // namespace
}  // namespace lanescope::analysis_test
