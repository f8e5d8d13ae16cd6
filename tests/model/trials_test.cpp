#include "model/advice/trials.h"

#include <gmock/gmock.h>

#include <tuple>

#include "workload/workload.h"

namespace lanescope::ui {
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
  EXPECT_THAT(tried("transfer-loop", copy, {"feed=resident"}), IsEmpty()) << "no batch is copied";
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
  // Where the step cannot be captured, a graph has no effect.
  EXPECT_THAT(tried("linear-mse", {Remedy::FewerLaunches}, {"batch_size=8192", "dispatch_us=0", "timing=naive"}),
              IsEmpty());
  EXPECT_THAT(tried("transfer-loop", {Remedy::FewerLaunches}, {"batch_size=1000000", "dispatch_us=0", "scaler=true"}),
              IsEmpty());
}

// Its model takes model_us however many rows a batch has: 8 times the rows in the same time would be no gain.
TEST(TrialsTest, NoLargerBatchWhereTheModelsTimeIsASetting) {
  EXPECT_THAT(tried("transfer-loop", {Remedy::FewerLaunches}, {"dispatch_us=10"}), ElementsAre("cuda_graph=true"));
  EXPECT_THAT(tried("transfer-loop", {Remedy::FewerLaunches}, {"dispatch_us=10", "scaler=true", "train=true"}),
              IsEmpty());
  EXPECT_THAT(tried("dataloader", {Remedy::FewerLaunches}), IsEmpty());
}

TEST(TrialsTest, WhatAWorkloadDoesNotAllowIsNotOffered) {
  EXPECT_THAT(tried("linear-mse", {Remedy::LessCpuWork}, {"dispatch_us=10"}), IsEmpty()) << "nobody can set it";
  EXPECT_THAT(tried("dataloader", {Remedy::MoreWorkers}, {"num_workers=64", "prefetch_factor=8"}), IsEmpty());
  EXPECT_THAT(tried("dataloader", {Remedy::KeepWorkers}, {"num_workers=0"}), IsEmpty()) << "it needs workers";
  EXPECT_THAT(tried("linear-mse", {Remedy::PackCopies, Remedy::KeepWorkers}), IsEmpty());
}

std::string edits(std::string_view workload, const std::vector<std::string>& set,
                  const std::vector<std::string>& change) {
  workload::Settings before = workload::default_settings(workload, device::DeviceInfo{});
  for (const std::string& assignment : set) before.assign(assignment);
  workload::Settings after = before;
  for (const std::string& assignment : change) after.assign(assignment);
  const auto found = edits_of(before, after);
  return found ? analysis::texts_of(*found) : "cannot be said";
}

// That they are the right ones is what proof/replay_test.cpp shows.
TEST(EditsOfTest, AChangeOfSettingsIsOneOfTheProgram) {
  EXPECT_EQ(edits("linear-mse", {}, {}), "");
  EXPECT_EQ(edits("linear-mse", {"log_interval=2"}, {"log_interval=100"}), "read-every=50:item()");
  EXPECT_EQ(edits("readback", {"method=fstring"}, {"log_interval=10"}), "read-every=10:f-string");
  EXPECT_EQ(edits("linear-mse", {"timing=synchronized"}, {"timing=off"}), "no-wait:synchronize()");
  EXPECT_EQ(edits("transfer-loop", {}, {"pinned=true", "non_blocking=true", "copy_stream=side"}),
            "pinned:copy, non-blocking:copy, copy-stream:copy");
  EXPECT_EQ(edits("dataloader", {"num_workers=2"}, {"num_workers=8"}), "workers=4");
}

TEST(EditsOfTest, WhatDoesMoreThanAnEditIsNone) {
  for (const auto& [workload, set, change] : {
           std::tuple{"linear-mse", "log_interval=0", "log_interval=1"},
           std::tuple{"linear-mse", "log_interval=100", "log_interval=1"},
           std::tuple{"linear-mse", "log_interval=3", "log_interval=100"},  // not a multiple
           std::tuple{"linear-mse", "log_interval=1", "batch_size=1024"},
           std::tuple{"linear-mse", "pinned=true", "pinned=false"},
           std::tuple{"readback", "method=print", "log_interval=10"},  // its kernels go, too
           std::tuple{"readback", "method=item", "method=stacked"},
           std::tuple{"plot-transfer", "plot_interval=1", "plot_interval=10"},  // it draws less often, too
           std::tuple{"control-flow", "branch=data-dependent", "branch=fixed"},
           std::tuple{"transfer-loop", "scaler=true", "scaler=false"},
           std::tuple{"dataloader", "num_workers=0", "num_workers=4"},
       }) {
    EXPECT_EQ(edits(workload, {set}, {change}), "cannot be said") << change;
  }
}

analysis::WhatIf between(double least, double most) {
  analysis::WhatIf prediction;
  prediction.least_factor = least;
  prediction.most_factor = most;
  return prediction;
}

// The middle of 1.6 and 2.5 is the root of 4.
TEST(PredictedGainTest, IsTheMiddleOfTheRange) {
  EXPECT_DOUBLE_EQ(predicted_gain(between(1.6, 2.5)), 2);
  EXPECT_EQ(outlook(between(1.04, 1.04)), Outlook::Gain);
  EXPECT_EQ(outlook(between(1.02, 1.02)), Outlook::NoGain) << "within 3 %";
  EXPECT_EQ(outlook(between(0.9, 0.95)), Outlook::Loss);
  analysis::WhatIf refused = between(1.6, 2.5);
  refused.refusal = "no";
  EXPECT_EQ(predicted_gain(refused), 0);
  EXPECT_EQ(outlook(refused), Outlook::Unknown);
}

}  // namespace
}  // namespace lanescope::ui
