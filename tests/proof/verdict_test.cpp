// Both sides of every experiment get the verdict stated in its texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiment/measured_run.h"
#include "proof/story.h"

namespace lanescope::proof {
namespace {

using analysis::VerdictKind;
using experiment::Side;

struct Expected {
  const char* id;
  VerdictKind before, after;
  std::uint64_t iterations = 60;
  const char* sync_place = "";  ///< of the side "before", if the experiment is about one
};

constexpr auto kSync = VerdictKind::SyncBound;
constexpr auto kLaunch = VerdictKind::LaunchBound;
constexpr auto kCopy = VerdictKind::CopyBound;
constexpr auto kLoader = VerdictKind::LoaderBound;
constexpr auto kGpu = VerdictKind::GpuBound;
constexpr auto kCpu = VerdictKind::CpuOnly;
constexpr auto kWork = VerdictKind::CpuBound;

// From the experiments' texts, and by hand from what the workloads issue; not from the program's output.
constexpr Expected kExpected[] = {
    // Sixteen launches take four times as long as their kernels; one launch of all of them does not.
    // The warm-up and the capture, of half a millisecond, are in the first iterations.
    {"G1", kLaunch, kGpu, 400},
    // Copies beside nothing on one stream: for 4 of 10 ms the GPU only copies. On two, they are beside kernels that
    // take
    // as long: once the pinned pool is filled, the GPU never runs out of work.
    {"O1", kCopy, kGpu, 200},
    // Two blocking copies and a read drain the GPU in every iteration; resident data and a read every 100 do not.
    {"P01", kSync, kGpu},
    // One read after 500 us of work costs only its gap.
    {"P02", kGpu, kGpu},
    {"P03", kSync, kGpu},
    // A CPU against a GPU kept waiting by twenty small launches.
    {"P04", kCpu, kLaunch},
    // Small batches: launching is the limit; a larger batch reduces its share without removing it.
    {"P05", kLaunch, kLaunch},
    {"P06", kLaunch, kLaunch},
    // Nothing but copies.
    {"P07", kCopy, kCopy},
    // Two synchronisations around the model against none; what is left is the launches.
    {"P08", kSync, kLaunch, 60, "synchronize()"},
    {"P09", kSync, kLaunch, 60, "item()"},
    {"P10", kSync, kLaunch, 200, "item()"},
    // Ten reads within forward; torch.where needs none.
    {"P11", kSync, kGpu, 60, "forward"},
    // Tiny kernels: the loop's launches take longer than its reads, on both sides. The tutorial attributes the time to
    // the reads.
    {"P12", kLaunch, kLaunch},
    {"P13", kLaunch, kLaunch},
    // Large kernels: nothing waits. The correct stopwatch costs two waits per iteration.
    {"P14", kGpu, kSync},
    {"P15", kSync, kGpu, 60, "forward"},
    // Nothing but copies.
    {"P16", kCopy, kCopy, 3},
    {"P17", kCopy, kCopy, 3},
    {"P18", kCopy, kCopy, 3},
    {"P19", kCopy, kCopy, 3},
    {"P20", kCopy, kCopy},
    // 1 ms of model hides a read.
    {"P21", kGpu, kGpu},
    // Sixteen kernels of a few microseconds: launch-bound with a read in every epoch and without, which is why taking
    // the reads out gained so little. The quick run was on the CPU.
    {"P22", kLaunch, kCpu},
    {"P23", kLaunch, kLaunch},
    {"P24", kCpu, kLaunch},
    {"P25", kLaunch, kLaunch},
    {"P26", kLaunch, kLaunch},
    // Epochs of 128 batches: restarted workers keep the GPU waiting; persistent ones do not.
    {"P27", kLoader, kGpu, 256},
    // Both prefetch queues are long enough: the difference is in memory.
    {"P28", kGpu, kGpu, 128},
    // A step per four batches instead of one: the GPU is as busy as before.
    {"S1-accumulate", kGpu, kGpu, 256},
    // Copies of 2.9 and 1.4 ms and a model of 4 take turns: a quarter of the time and more only copies.
    {"S1-mixed-precision", kCopy, kCopy, 192},
    // Two workers are too few: 16 ms for a batch against 8.5 on the GPU. The first of four epochs, which fills the
    // cache, still waits for half of its time, a fifth of the run.
    {"S1-storage", kLoader, kLoader, 256},
    // Reading too early costs nothing and yields nothing; the synchronisation before the read is a normal wait.
    {"S2-events", kGpu, kSync},
    {"R1", kGpu, kGpu, 60},
    {"R2", kSync, kGpu, 60, "print(loss)"},
    // The losses are read once per hundred iterations, so the launches limit an iteration.
    {"R3", kLaunch, kLaunch},
    // A slow CPU: the launches limit an iteration, with the read and without.
    {"R4", kLaunch, kLaunch},
    // Drawing takes 2 ms, longer than the read with its copy.
    {"S0-plot", kWork, kGpu},
    // Both sides read in every iteration: TensorBoard, too.
    {"S0-tensorboard", kSync, kSync, 60, "item()"},
    // 16 MB take longer than everything else together; half of them do not, and the wait and the drawing stay.
    {"S0-column", kCopy, kSync},
    {"S2-hidden-read", kSync, kGpu, 200, "if loss < 0.1"},
    {"S2-round-trip", kCopy, kGpu},
    {"S2-validation", kSync, kGpu, 200, "item()"},
    {"S2-sync-debug", kSync, kSync, 60, "item()"},
    // 4 MB there and 4 MB back take longer than the kernel, whoever waits for them.
    {"S3-raw-cuda", kCopy, kCopy},
    // Nothing reaches the GPU.
    {"S4-wrong-device", VerdictKind::Unknown, kLaunch},
    {"S4-call-and-forward", kLaunch, kLaunch},
    // Pinning on the fly waits like a blocking copy; with memory pinned once, only the copies remain.
    {"T1", kCopy, kCopy},
    // A thousand blocking copies wait a thousand times; non-blocking ones are issued too slowly to fill the link.
    {"T2", kSync, kLaunch},
    // Read before the copy had finished; with a wait for its event, drawing on the CPU takes longer than the GPU's
    // work.
    {"T4", VerdictKind::Race, kWork},
};

TEST(Verdicts, AreThoseOfTheStories) {
  std::vector<std::string> covered;
  for (const Expected& e : kExpected) {
    covered.push_back(e.id);
    const experiment::Experiment& data = experiment::experiment_named(e.id);
    for (const Side side : {Side::Before, Side::After}) {
      const SideRun run(data, side, e.iterations);
      const analysis::Summary& s = run.summary();
      SCOPED_TRACE(std::string(e.id) + (side == Side::Before ? ", before: " : ", after: ") + s.verdict.sentence);
      EXPECT_EQ(verdict_key(s.verdict.kind), verdict_key(side == Side::Before ? e.before : e.after));
      const bool has_gpu_work = s.verdict.kind != VerdictKind::CpuOnly && s.verdict.kind != VerdictKind::Unknown;
      EXPECT_EQ(s.verdict.figures.size(), has_gpu_work ? 3u : 0u);
      if (side == Side::Before && *e.sync_place != '\0') {
        EXPECT_EQ(s.judged.sync_place, e.sync_place);
        EXPECT_THAT(s.verdict.sentence, ::testing::HasSubstr(e.sync_place));
      }
    }
  }
  std::vector<std::string> all;
  for (const experiment::Experiment& data : experiment::experiments()) all.push_back(data.id);
  EXPECT_THAT(covered, ::testing::UnorderedElementsAreArray(all));
}

// P14 and P17 are about a stopwatch that is wrong, and their other side about one that is right.
TEST(Verdicts, AStopwatchThatIsWrongIsFound) {
  for (const char* id : {"P14", "P17"}) {
    const experiment::Experiment& data = experiment::experiment_named(id);
    for (const Side side : {Side::Before, Side::After}) {
      session::SessionOptions options =
          experiment::side_options(data, side, {.device = {}, .iterations = 6, .assignments = {}});
      experiment::MeasuredRun run(std::move(options));
      run.run();
      const auto advice = run.advice(run.figures());
      const bool found = std::any_of(advice.cards.begin(), advice.cards.end(), [](const analysis::Card& card) {
        return card.rule == analysis::Rule::MeasuringError && card.weight == analysis::Weight::Wrong;
      });
      EXPECT_EQ(found, side == Side::Before) << id;
    }
  }
}

}  // namespace
}  // namespace lanescope::proof
