// The data as a whole: completeness, order, and that both languages fit where they are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/published_numbers.h"
#include "experiment/sweep.h"

namespace lanescope::proof {
namespace {

using experiment::Experiment;
using experiment::Language;

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST(Data, EveryExperimentOfTheTutorialsIsThere) {
  std::set<std::string> ids;
  for (const Experiment& e : experiment::experiments()) ids.insert(e.id);
  for (int i = 1; i <= 28; ++i) EXPECT_TRUE(ids.count((i < 10 ? "P0" : "P") + std::to_string(i))) << i;
  for (const char* id : {"T1",
                         "T2",
                         "T4",
                         "R1",
                         "R2",
                         "R3",
                         "R4",
                         "S0-plot",
                         "O1",
                         "S0-tensorboard",
                         "S0-column",
                         "S2-hidden-read",
                         "S2-round-trip",
                         "S2-validation",
                         "S2-sync-debug",
                         "S3-raw-cuda",
                         "S4-wrong-device",
                         "S4-call-and-forward",
                         "S2-events",
                         "S1-accumulate",
                         "S1-mixed-precision",
                         "S1-storage"}) {
    EXPECT_TRUE(ids.count(id)) << id;
  }
  EXPECT_EQ(ids.size(), experiment::experiments().size());
}

TEST(Data, TheLessonBeginsWithTheReadAndEndsWithTheLoader) {
  const auto all = experiment::experiments();
  EXPECT_EQ(all.front().id, "P09");
  EXPECT_EQ(all.back().id, "P28");
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].order, static_cast<int>(i) + 1) << all[i].id;
}

TEST(Data, TextsFitInBothLanguages) {
  for (const Experiment& e : experiment::experiments()) {
    EXPECT_LE(characters(e.title[Language::English]), 45u) << e.id;
    EXPECT_LE(characters(e.title[Language::Chinese]), 20u) << e.id;
    for (const auto& side : e.sides) {
      for (const std::string& label : side.label.in) EXPECT_LE(characters(label), 24u) << e.id;
    }
    EXPECT_NE(e.side(experiment::Side::Before).label.in, e.side(experiment::Side::After).label.in) << e.id;
  }
}

// An impossible number is explained, and a measurement names its machine.
TEST(Data, PublishedNumbersSayHowGoodTheyAre) {
  for (const Experiment& e : experiment::experiments()) {
    for (const experiment::Published& p : e.published) {
      EXPECT_FALSE(p.quality == experiment::Quality::Impossible && e.correction.empty()) << e.id << " " << p.name;
      if (p.quality != experiment::Quality::Measured) continue;
      EXPECT_THAT(p.environment[Language::English], testing::ContainsRegex("RTX 40|i7-12800HX"))
          << e.id << " " << p.name;
    }
  }
}

// What the parser cannot check: the figures named are those that the workloads provide.
class EveryExperiment : public testing::TestWithParam<std::string> {};

TEST_P(EveryExperiment, HasAFigureForWhatWasPublished) {
  const Experiment& e = experiment::experiment_named(GetParam());
  experiment::PublishedRuns runs(e, {});
  for (const experiment::Published& p : e.published) {
    EXPECT_TRUE(p.figure.empty() || runs.compare(p).ours.has_value()) << p.name << ": " << p.figure;
  }
  if (!e.sweep) return;
  experiment::SweepSpec spec = experiment::ready_sweep(e);
  for (experiment::Axis& axis : spec.axes) axis.values = {axis.values.back()};
  experiment::Sweep sweep(spec);
  sweep.start();
  sweep.wait();
  EXPECT_TRUE(sweep.points().at(0).value.has_value()) << spec.figure << " " << sweep.points()[0].error;
}

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const Experiment& e : experiment::experiments()) all.push_back(e.id);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Data, EveryExperiment, testing::ValuesIn(ids()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Data, TheReadySweepsAreThere) {
  for (const char* id : {"P05", "P26", "P20", "P10"}) {
    EXPECT_NO_THROW(experiment::ready_sweep(experiment::experiment_named(id))) << id;
  }
}

}  // namespace
}  // namespace lanescope::proof
