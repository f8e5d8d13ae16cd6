// The data loader: P27, P28, S1-accumulate, S1-mixed-precision, S1-storage.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

// Persistent workers are not restarted: the first batch of an epoch comes sooner.
TEST(Loader, P27PersistentWorkersShortenTheStartOfAnEpoch) {
  const Story story("P27", 192);  // three epochs of 64 batches
  EXPECT_GT(story.before()["own.epoch_start_ms"], story.after()["own.epoch_start_ms"]);
  EXPECT_GT(story.gain(), 1);
  EXPECT_LT(story.gain(), 1.5);
  // next(iter(loader)) is the load of the first batch (8 samples of 4 ms, a tenth more or less), not a transfer: the
  // copy of 4.6 MiB takes 0.36 ms.
  const auto first = story.compared("transfer");
  EXPECT_GT(first.ours.value_or(0), 29);
  EXPECT_LT(first.ours.value_or(99), 95);
  EXPECT_LT(story.after()["h2d_ms"], 0.5);
}

// One option at a time, the others with their original settings. The GPU waits only at the start of an epoch, so only
// the workers' start-up of 60 ms can be saved.
TEST(Loader, P27EachOptionAloneHasItsFigure) {
  const Story story("P27", 192);
  const auto alone = [&](const char* name) { return story.compared(name).ours.value_or(-1); };
  EXPECT_NEAR(alone("non_blocking_from"), 1, 0.06);
  EXPECT_NEAR(alone("prefetch_from"), 1, 0.02);
  EXPECT_GT(alone("persistent_to"), 1.25);
  EXPECT_EQ(alone("persistent_from"), alone("persistent_to"));
  EXPECT_EQ(story.compared("pin_memory_from").ours, std::nullopt);
}

// Prefetching neither delays the first batch nor slows the run: batches are pinned as they arrive, by the pin thread.
// The first one is there after 60 ms of starting, 32 samples of 4 ms, and its turn at the pin thread, where up to 15
// others may be before it (cudaHostAlloc of 32 MiB: 12.85 ms, and the copy of 18.4 MiB 1.6 ms).
TEST(Loader, P28PrefetchingDoesNotDelayTheFirstBatch) {
  const auto& data = experiment::experiment_named("P28");
  std::vector<double> first, whole;
  for (const char* prefetch : {"prefetch_factor=1", "prefetch_factor=2", "prefetch_factor=4", "prefetch_factor=8"}) {
    const SideRun run(data, experiment::Side::After, 64, {prefetch});
    first.push_back(run["own.epoch_start_ms"]);
    whole.push_back(run["total_s"]);
    EXPECT_GT(first.back(), 60 + 32 * 4 * 0.95 + 12.85 + 1.6);
    EXPECT_LT(first.back(), 60 + 32 * 4 * 1.05 + 16 * (12.85 + 1.6));
  }
  for (std::size_t i = 1; i < first.size(); ++i) {
    EXPECT_NEAR(first[i], first[0], 0.03 * first[0]);
    EXPECT_LT(whole[i], 1.03 * whole[0]);
  }
}

// prefetch factor x workers x batch: 2 x 8 batches of 4 samples of 588 KiB are 36.75 MiB, 8 x 16 of 32 are 2,352.
TEST(Loader, P28PrefetchingTakesHostMemory) {
  const Story story("P28", 64);
  EXPECT_DOUBLE_EQ(story.before()["own.ram_mib"], 36.75);
  EXPECT_DOUBLE_EQ(story.after()["own.ram_mib"], 2352);
  // A quarter of it would do: the wait does not depend on it.
  const SideRun less(story.data(), experiment::Side::After, 64, {"prefetch_factor=2"});
  EXPECT_DOUBLE_EQ(less["own.ram_mib"], 2352 / 4.0);
  EXPECT_NEAR(less["own.wait_ms"], story.after()["own.wait_ms"], 0.1 * story.after()["own.wait_ms"]);
  // The middle tier: 4 and 8 x 8 workers x 8 samples of 588 KiB.
  for (const auto& [prefetch, mib] : {std::pair("prefetch_factor=4", 147.0), {"prefetch_factor=8", 294.0}}) {
    const SideRun middle(story.data(), experiment::Side::Before, 64, {"batch_size=8", "num_workers=8", prefetch});
    EXPECT_DOUBLE_EQ(middle["own.ram_mib"], mib);
  }
}

// The same samples, copies and model; a step and its zero_grad() once in four batches, and three kernels that add. So a
// step takes four times as long, and the whole run as long as before.
TEST(Loader, S1AccumulationSavesMemoryAndNotTime) {
  const Story story("S1-accumulate", 128);
  EXPECT_NEAR(story.gain(), 1, 0.02);
  EXPECT_NEAR(story.after()["own.step_ms"] / story.before()["own.step_ms"], 4, 0.2);
  EXPECT_EQ(story.before()["own.h2d_mib"], story.after()["own.h2d_mib"]);
  // Without it a batch of 32 would have to be there: 588 KiB x 32 are 18.375 MiB.
  const SideRun large(story.data(), experiment::Side::Before, 32, {"batch_size=32", "model_ms=32"});
  EXPECT_DOUBLE_EQ(large["own.h2d_mib"], 18.375);
  EXPECT_DOUBLE_EQ(story.after()["own.h2d_mib"], 18.375 / 4);
  EXPECT_NEAR(large["own.step_ms"], story.after()["own.step_ms"], 0.15 * large["own.step_ms"]);
  // Per batch two kernels of the model and one of the step; against the model's, loss / 4, three adds and one step in
  // four.
  EXPECT_NEAR(story.before()["launches_per_iteration"], 3, 0.01);
  EXPECT_NEAR(story.after()["launches_per_iteration"], 2 + 1 + 0.75 + 0.25, 0.01);
}

// 64 samples of 588 KiB are 36.75 MiB, with autocast and without; float16 halves it, and the copy with it.
TEST(Loader, S1MixedPrecisionDoesNotShrinkTheInput) {
  const Story story("S1-mixed-precision", 64);
  EXPECT_DOUBLE_EQ(story.before()["own.h2d_mib"], 36.75);
  const SideRun without(story.data(), experiment::Side::Before, 64, {"autocast=false"});
  EXPECT_DOUBLE_EQ(without["own.h2d_mib"], 36.75);
  EXPECT_NEAR(without["h2d_ms"], story.before()["h2d_ms"], 0.02 * story.before()["h2d_ms"]);
  EXPECT_DOUBLE_EQ(story.after()["own.h2d_mib"], 36.75 / 2);
  EXPECT_NEAR(story.gain("h2d_ms"), 2, 0.05);
  EXPECT_GT(story.gain(), 1.15);
}

// Two workers: 16 ms for a batch of 8 from files against 8.5 on the GPU. A cache shortens all epochs but the first;
// with eight workers there is nothing left to wait for.
TEST(Loader, S1StorageHelpsOnlyWhereLoadingIsWaitedFor) {
  const Story story("S1-storage", 256);
  EXPECT_GT(story.gain(), 1.4);
  const SideRun tarred(story.data(), experiment::Side::After, 256, {"storage=tarred"});
  EXPECT_GT(tarred["total_s"], 1.1 * story.after()["total_s"]);
  EXPECT_LT(1.2 * tarred["total_s"], story.before()["total_s"]);
  const SideRun files(story.data(), experiment::Side::Before, 256, {"num_workers=8"});
  const SideRun cached(story.data(), experiment::Side::After, 256, {"num_workers=8"});
  EXPECT_LT(files["total_s"], 1.06 * cached["total_s"]);
}

}  // namespace
}  // namespace lanescope::proof
