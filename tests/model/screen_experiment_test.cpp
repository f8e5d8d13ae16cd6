// What is on the screen as an experiment: its sides are what was meant, and its file can be read.
#include "model/experiment/screen_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using experiment::Experiment;
using experiment::Language;
using experiment::Side;
using testing::ElementsAre;
using testing::IsEmpty;

workload::Settings experiment_settings_of(const Experiment& e, Side side) {
  workload::Settings settings = workload::default_settings(e.workload, device::describe_device(e.device_of(side)));
  for (const std::string& assignment : e.assignments(side)) settings.assign(assignment);
  return settings;
}

ShownRun shown(const std::string& workload, const std::string& device, const std::vector<std::string>& assignments) {
  ShownRun run;
  run.workload = workload;
  run.device = device;
  run.standard = run.now = workload::default_settings(workload, device::describe_device(device));
  for (const std::string& assignment : assignments) run.now.assign(assignment);
  run.view.iterations = 2.5;
  return run;
}

TEST(ScreenExperiment, ATurnOfSeveralKnobsIsAllThatTurned) {
  const ShownRun run = shown("linear-mse", "sim:rtx4090", {"pinned=true", "non_blocking=true", "feed=per-iteration"});
  workload::Settings before = run.now;
  before.assign("pinned=false");
  before.assign("non_blocking=false");
  const Experiment e = experiment_of_turn(run, before);
  EXPECT_THAT(e.settings, ElementsAre("feed=per-iteration"));
  EXPECT_EQ(experiment_settings_of(e, Side::Before), before);
  EXPECT_EQ(experiment_settings_of(e, Side::After), run.now);
  EXPECT_EQ(e.turned_knob, "") << "there are two";
  EXPECT_EQ(e.title[Language::English], "pinned memory off → on, non-blocking copy off → on");
  EXPECT_EQ(e.side(Side::Before).label[Language::English], "pinned memory off, non-blocking copy off");
  EXPECT_NE(e.title[Language::Chinese], e.title[Language::English]);
  EXPECT_EQ(e.id, "X1");
  EXPECT_EQ(file_name_of(e), "X1-pinned-memory-off-on-non-blocking-copy.toml");
  EXPECT_EQ(experiment::parse_experiment(to_toml(e), "X1"), e);
}

class LikeEveryExperiment : public testing::TestWithParam<std::size_t> {};

// On both sides exactly the settings that the experiment has, on its devices, with its own texts; and no numbers.
TEST_P(LikeEveryExperiment, IsTheSameWithAnotherId) {
  const Experiment& like = experiment::experiments()[GetParam()];
  const Experiment e =
      experiment_like(like, shown(like.workload, like.device_of(Side::Before), like.assignments(Side::Before)));
  for (const Side side : {Side::Before, Side::After}) {
    EXPECT_EQ(e.device_of(side), like.device_of(side));
    EXPECT_EQ(experiment_settings_of(e, side), experiment_settings_of(like, side));
    EXPECT_EQ(e.side(side).label, like.side(side).label);
    EXPECT_EQ(e.side(side).view.iterations, 2.5);
  }
  EXPECT_EQ(e.title, like.title);
  EXPECT_EQ(e.turned_knob, like.turned_knob);
  EXPECT_THAT(e.published, IsEmpty());
  EXPECT_NE(e.id, like.id);
  EXPECT_NE(e.name, like.name);
  EXPECT_EQ(experiment::parse_experiment(to_toml(e), e.id), e) << to_toml(e);
}
INSTANTIATE_TEST_SUITE_P(All, LikeEveryExperiment, testing::Range<std::size_t>(0, experiment::experiments().size()));

}  // namespace
}  // namespace lanescope::ui
