#include "prediction/trials.h"

#include <gmock/gmock.h>

#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using analysis::Card;
using analysis::Remedy;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tried(std::string_view workload, std::vector<Remedy> remedies,
                               const std::vector<std::string>& set = {}, const char* range = "item()") {
  workload::Settings settings = workload::default_settings(workload, device::DeviceInfo{});
  for (const std::string& assignment : set) settings.assign(assignment);
  Card card;
  card.remedies = std::move(remedies);
  card.range = range;
  std::vector<std::string> texts;
  for (const Trial& trial : trials_for(card, workload, settings)) {
    std::string text;
    for (const std::string& assignment : trial.assignments) text += (text.empty() ? "" : " ") + assignment;
    if (trial.work != 1) text += " x" + std::to_string(static_cast<int>(trial.work));
    texts.push_back(text);
  }
  return texts;
}

TEST(TrialsTest, ReadingLessOftenIsAHundredAndThenNever) {
  EXPECT_THAT(tried("linear-mse", {Remedy::ReadLessOften}), ElementsAre("log_interval=100"));
  EXPECT_THAT(tried("linear-mse", {Remedy::ReadLessOften}, {"log_interval=100"}), ElementsAre("log_interval=0"));
  EXPECT_THAT(tried("linear-mse", {Remedy::ReadLessOften}, {"log_interval=0"}), IsEmpty());
  EXPECT_THAT(tried("plot-transfer", {Remedy::ReadLessOften}, {"plot_interval=10"}),
              ElementsAre("plot_interval=100", "method=one-step-late"));
}

TEST(TrialsTest, AReadThatNoIntervalChangesHasItsOwnKnob) {
  EXPECT_THAT(tried("transfer-loop", {Remedy::ReadLessOften}, {"scaler=true"}, "found_inf.item()"),
              ElementsAre("scaler=false"));
  EXPECT_THAT(tried("linear-mse", {Remedy::ReadLessOften}, {"timing=synchronized"}, "synchronize()"),
              ElementsAre("timing=off"));
  EXPECT_THAT(tried("control-flow", {Remedy::DecideOnGpu}), ElementsAre("branch=fixed"));
  EXPECT_THAT(tried("readback", {Remedy::ReadOnce}), ElementsAre("method=stacked"));
  EXPECT_THAT(tried("readback", {Remedy::ReadOnce}, {"method=print"}), ElementsAre("method=item"));
}

TEST(TrialsTest, OnlyWhatIsNotSetYetIsTurned) {
  const std::vector<Remedy> copy{Remedy::PinMemory, Remedy::NonBlocking};
  EXPECT_THAT(tried("transfer-loop", copy), ElementsAre("pinned=true", "pinned=true non_blocking=true"));
  EXPECT_THAT(tried("transfer-loop", copy, {"pinned=true"}), ElementsAre("non_blocking=true"));
  EXPECT_THAT(tried("transfer-loop", {Remedy::CopyStream}, {"pinned=true", "non_blocking=true"}),
              ElementsAre("copy_stream=side"));
  EXPECT_THAT(tried("dataloader", {Remedy::PinMemory}), ElementsAre("pin_memory=true"));
}

// 8 times 128 rows are 1,024; of 8,192 there are no more than 8,192.
TEST(TrialsTest, ALargerBatchSaysHowMuchMoreWorkAnIterationDoes) {
  EXPECT_THAT(tried("linear-mse", {Remedy::FewerLaunches}, {"dispatch_us=10"}),
              ElementsAre("cuda_graph=true", "batch_size=1024 x8"));
  EXPECT_THAT(tried("linear-mse", {Remedy::FewerLaunches}, {"batch_size=8192", "dispatch_us=0"}),
              ElementsAre("cuda_graph=true"));
  EXPECT_THAT(tried("linear-mse", {Remedy::FewerLaunches}, {"batch_size=8192", "dispatch_us=0", "cuda_graph=true"}),
              IsEmpty());
  // Where the step cannot be captured, a graph is not offered.
  EXPECT_THAT(tried("linear-mse", {Remedy::FewerLaunches}, {"batch_size=8192", "dispatch_us=0", "timing=naive"}),
              IsEmpty());
  EXPECT_THAT(tried("transfer-loop", {Remedy::FewerLaunches}, {"batch_size=1000000", "dispatch_us=0", "scaler=true"}),
              IsEmpty());
}

TEST(TrialsTest, WhatAWorkloadDoesNotAllowIsNotOffered) {
  EXPECT_THAT(tried("linear-mse", {Remedy::LessCpuWork}, {"dispatch_us=10"}), IsEmpty()) << "nobody can set it";
  EXPECT_THAT(tried("dataloader", {Remedy::MoreWorkers}, {"num_workers=64", "prefetch_factor=8"}), IsEmpty());
  EXPECT_THAT(tried("dataloader", {Remedy::KeepWorkers}, {"num_workers=0"}), IsEmpty()) << "it needs workers";
  EXPECT_THAT(tried("linear-mse", {Remedy::PackCopies, Remedy::KeepWorkers}), IsEmpty());
}

}  // namespace
}  // namespace lanescope::prediction
