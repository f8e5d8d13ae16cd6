// Which GPUs of a job have a band, and what is found in the background.
#include "model/timeline/job_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "analysis/gpu_job.h"
#include "model/model.h"
#include "model/source/file_source.h"

namespace lanescope::ui {
namespace {

using analysis_test::GpuJob;
using analysis_test::kAllReduce;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Every millisecond all reduce until 900 µs; GPU g begins after `begins(i, g)`.
template <typename Begins>
void run(GpuJob& job, int gpus, Begins begins) {
  for (int i = 0; i < 20; ++i) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      job.kernel(gpu, "gemm", 1000 * i, 1000 * i + begins(i, gpu));
      job.kernel(gpu, kAllReduce, 1000 * i + begins(i, gpu), 1000 * i + 900);
    }
  }
  job.trace.publish();
}
analysis::Collectives all(const GpuJob& job) {
  return analysis::collectives(job.trace, 0, std::numeric_limits<Nanoseconds>::max());
}

TEST(ChosenGpus, UpToFourAreAllShownInTheirOrder) {
  GpuJob job(4);
  run(job, 4, [](int, int gpu) { return 100 + 10 * gpu; });
  EXPECT_THAT(chosen_gpus(trace::Owners(job.trace), all(job), 4), ElementsAre(0, 1, 2, 3));
}

TEST(ChosenGpus, OfRanksTheyAreInTheirOrder) {
  trace::Trace trace;
  std::int64_t pid = 0;
  for (const std::optional<int> rank : {std::optional(2), std::optional(0), std::optional<int>(), std::optional(1)}) {
    trace::LaneInfo info;
    info.kind = trace::LaneKind::Kernels;
    info.process = "train.py";
    info.rank = rank;
    info.pid = ++pid;
    trace.add_lane(info);
  }
  EXPECT_THAT(chosen_gpus(trace::Owners(trace), {}, 4), ElementsAre(1, 3, 0, 2));
}

// GPU 5 is last in half of them, 200 µs after the next; GPU 2 in a quarter and GPU 7 in a quarter, by 100 and by 50. Of
// the others, which begin after 100, 101, 103, 104 and 106 µs, the one with the median wait is GPU 3.
TEST(ChosenGpus, OfManyTheWorstThreeAndOneInTheMiddle) {
  GpuJob job(8);
  run(job, 8, [](int i, int gpu) {
    if (gpu == 5 && i % 2 == 0) return 400;
    if (gpu == 2 && i % 4 == 1) return 300;
    if (gpu == 7 && i % 4 == 3) return 250;
    return gpu == 5 || gpu == 2 || gpu == 7 ? 200 : 100 + gpu;
  });
  EXPECT_THAT(chosen_gpus(trace::Owners(job.trace), all(job), 4), ElementsAre(5, 2, 7, 3));
  EXPECT_THAT(chosen_gpus(trace::Owners(job.trace), all(job), 8), SizeIs(8));
}

TEST(ChosenGpus, WithoutCollectivesTheFirstOnes) {
  GpuJob job(9);
  EXPECT_THAT(chosen_gpus(trace::Owners(job.trace), {}, 4), ElementsAre(0, 1, 2, 3));
}

class JobOfAFile : public testing::Test {
 protected:
  void open(std::unique_ptr<trace::Trace> trace) {
    io::OpenedTrace opened;
    opened.trace = std::move(trace);
    model_.show(
        analysed(std::make_unique<FileSource>(std::move(opened), std::vector<std::filesystem::path>{"ranks.json"})));
  }
  void look() {
    job_.update(model_, 0, 1'000'000, JobState::Clock::now());
    while (job_.busy()) {
      std::this_thread::yield();
      job_.update(model_, 0, 1'000'000, JobState::Clock::now());
    }
  }

  Model model_;
  JobState job_;
};

std::unique_ptr<trace::Trace> job_with_a_straggler(int gpus, int late) {
  auto trace = std::make_unique<trace::Trace>();
  GpuJob job(gpus, *trace);
  run(job, gpus, [late](int, int gpu) { return gpu == late ? 700 : 100; });
  return trace;
}

// The late one computes for 600 µs more than the others: they wait 5 * 600 of 5 * 600 + 6 * 200 µs.
TEST_F(JobOfAFile, HasBandsWithNamesAndASentence) {
  open(job_with_a_straggler(6, 4));
  EXPECT_FALSE(job_.visible());
  look();
  EXPECT_TRUE(job_.visible());
  ASSERT_THAT(job_.bands(), SizeIs(4));
  EXPECT_EQ(job_.bands()[0].name, "GPU 4");
  EXPECT_EQ(job_.bands()[0].note, "last in 100 %");
  EXPECT_THAT(job_.sentence(), HasSubstr("its kernels take 600 µs longer"));
  EXPECT_THAT(job_.collectives().all, SizeIs(20));
  job_.unfolded = true;
  look();
  ASSERT_THAT(job_.bands(), SizeIs(6));
  EXPECT_EQ(job_.bands()[0].name, "GPU 0");
  job_.end();
  EXPECT_THAT(job_.bands(), IsEmpty());
}

TEST_F(JobOfAFile, OfOneGpuHasNone) {
  open(job_with_a_straggler(1, 0));
  look();
  EXPECT_FALSE(job_.visible());
  EXPECT_THAT(job_.bands(), IsEmpty());
}

TEST_F(JobOfAFile, TwoGpusWithoutCollectivesHaveBandsOnRequestOnly) {
  auto trace = std::make_unique<trace::Trace>();
  GpuJob job(2, *trace);
  job.kernel(0, "gemm", 0, 10);
  job.kernel(1, "gemm", 0, 10);
  trace->publish();
  open(std::move(trace));
  look();
  EXPECT_FALSE(job_.visible());
  job_.shown = true;
  EXPECT_TRUE(job_.visible());
}

}  // namespace
}  // namespace lanescope::ui
