// Which published numbers a run can check, and which the simulated machine was fitted to.
#include "experiment/published_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "device/sim/profile.h"

namespace lanescope::experiment {
namespace {

using device::sim::DeviceProfile;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

Published number(const char* name, About of, const char* figure, std::vector<std::string> follows = {}) {
  Published p;
  p.name = name;
  p.of = of;
  p.figure = figure;
  p.follows = std::move(follows);
  return p;
}

Experiment made_up() {
  Experiment told;
  told.id = "X1";
  told.published = {number("rate", About::Before, "h2d_gb_per_s"), number("time", About::After, "iteration_ms"),
                    number("none", About::Before, "")};
  return told;
}

FittedSides fitted(std::vector<device::FittedNumber> before, std::vector<device::FittedNumber> after) {
  return {{std::move(before), std::move(after)}};
}

TEST(CheckOf, AFigureBesideItChecksANumberUnlessTheMachineIsFittedToIt) {
  const Experiment told = made_up();
  const FittedSides none;
  EXPECT_EQ(check_of(told, told.published[0], none).check, Check::Checked);
  EXPECT_EQ(check_of(told, told.published[2], none).check, Check::Unchecked) << "there is no figure";
  Published unlike = told.published[0];
  unlike.unchecked.in = {"something else", "另一回事"};
  EXPECT_EQ(check_of(told, unlike, none).check, Check::Unchecked);

  const FittedSides to_it = fitted({{"link.a", {"X1.rate"}}, {"link.b", {"X1.other", "X1.rate"}}}, {});
  const Checking checking = check_of(told, told.published[0], to_it);
  EXPECT_EQ(checking.check, Check::Fitted);
  EXPECT_TRUE(checking.itself);
  EXPECT_THAT(checking.fitted, ElementsAre("link.a", "link.b"));
  EXPECT_EQ(check_of(told, unlike, to_it).check, Check::Fitted);
  EXPECT_EQ(check_of(told, told.published[1], to_it).check, Check::Checked);
}

// Only the side that a number is about matters; a ratio is about both.
TEST(CheckOf, OnTheMachineOfTheSideThatTheNumberIsAbout) {
  const Experiment told = made_up();
  EXPECT_EQ(check_of(told, told.published[0], fitted({}, {{"link.a", {"X1.rate"}}})).check, Check::Checked);
  const Published gain = number("gain", About::Ratio, "total_s", {"X1.rate"});
  EXPECT_EQ(check_of(told, gain, fitted({}, {{"link.a", {"X1.rate"}}})).check, Check::Fitted);
}

// P19.gain follows from P19.time, which follows from P20.d2h_pinned, over two files.
TEST(CheckOf, WhatFollowsFromAFittedNumberIsFittedToo) {
  const Experiment& told = experiment_named("P19");
  const FittedSides machines = fitted({}, {{"link.d2h_pinned_gb_per_s", {"P20.d2h_pinned"}}});
  for (const Published& p : told.published) {
    const Checking checking = check_of(told, p, machines);
    EXPECT_EQ(checking.check, Check::Fitted) << p.name;
    EXPECT_FALSE(checking.itself) << p.name;
    EXPECT_THAT(checking.fitted, ElementsAre("link.d2h_pinned_gb_per_s"));
  }
  Published round = number("round", About::Before, "total_s", {"P19.gain", "X1.round"});  // round itself: it must end
  EXPECT_EQ(check_of(made_up(), round, {}).check, Check::Checked);
}

TEST(CheckOf, ANumberWhoseSideDidNotRunIsNotChecked) {
  const Experiment told = made_up();
  Compared compared{.published = &told.published[0], .ours = {}, .ratio = {}};
  EXPECT_EQ(check_of(told, compared, {}).check, Check::Missing);
  EXPECT_EQ(check_of(told, compared, fitted({{"link.a", {"X1.rate"}}}, {})).check, Check::Fitted);
  compared.ours = 1;
  EXPECT_EQ(check_of(told, compared, {}).check, Check::Checked);
  compared.ratio = 1.9;
  EXPECT_EQ(check_of(told, compared, {}).check, Check::Checked);
  compared.ratio = 0.05;
  EXPECT_EQ(check_of(told, compared, {}).check, Check::Differs) << "a twentieth of it is no proof of anything";
  compared.published = &told.published[2];
  EXPECT_EQ(check_of(told, compared, {}).check, Check::Unchecked);
}

TEST(CheckingText, TellsTheKindsApart) {
  std::set<std::string> texts;
  for (const Check check : {Check::Fitted, Check::Checked, Check::Unchecked, Check::Missing, Check::Differs}) {
    texts.insert(checking_text({check, {}, false}));
  }
  texts.insert(checking_text({Check::Fitted, {}, true}));
  EXPECT_EQ(texts.size(), 6u);
}

// For every number on every machine of the program: a machine fitted to a number cannot be checked by it.
TEST(EmbeddedFits, ANumberThatAProfileWasFittedToIsNoCheck) {
  std::size_t fits = 0;
  for (const std::string& id : device::sim::embedded_profiles()) {
    for (const DeviceProfile::Number& n : device::sim::embedded_profile(id).numbers) {
      for (const std::string& from : n.from) {
        const Experiment& told = experiment_named(from.substr(0, from.rfind('.')));
        const Published* published = published_named(from);
        ASSERT_NE(published, nullptr) << id << ": " << n.key << ": " << from << " is no published number";
        for (const char* kind : {"sim:", "cpu:"}) {
          const Checking checking = check_of(told, *published, fitted_sides(told, kind + id));
          EXPECT_EQ(checking.check, Check::Fitted) << id << ": " << from;
          EXPECT_TRUE(checking.itself) << id << ": " << from;
          EXPECT_THAT(checking.fitted, testing::Contains(n.key));
        }
        ++fits;
      }
    }
  }
  EXPECT_GE(fits, 13u);  // four rates of rtx4090; of the laptop two times two, four and one
}

TEST(EmbeddedFits, WhatANumberFollowsFromIsThere) {
  for (const Experiment& told : experiments()) {
    for (const Published& p : told.published) {
      for (const std::string& name : p.follows) EXPECT_NE(published_named(name), nullptr) << told.id << "." << p.name;
    }
  }
}

// "published: as above (P20)", "fitted: to 654 µs (P25) and to P26": the text and `from` name the same experiments.
TEST(EmbeddedFits, ASourceThatNamesAnExperimentSaysWhichOfItsNumbers) {
  const std::regex experiment_id("\\bP[0-9][0-9]\\b");
  for (const std::string& id : device::sim::embedded_profiles()) {
    for (const DeviceProfile::Number& n : device::sim::embedded_profile(id).numbers) {
      if (n.source.starts_with("assumed")) {
        EXPECT_THAT(n.from, ElementsAre()) << id << ": " << n.key;
        continue;
      }
      std::set<std::string> said, named;
      for (std::sregex_iterator at(n.source.begin(), n.source.end(), experiment_id), end; at != end; ++at) {
        said.insert(at->str());
      }
      for (const std::string& from : n.from) named.insert(from.substr(0, from.rfind('.')));
      EXPECT_EQ(said, named) << id << ": " << n.key << ": " << n.source;
    }
  }
}

std::vector<std::string> of_kind(Check check, const std::vector<const char*>& ids) {
  std::vector<std::string> names;
  for (const char* id : ids) {
    const Experiment& told = experiment_named(id);
    for (const Published& p : told.published) {
      if (check_of(told, p, fitted_sides(told, {})).check == check) names.push_back(told.id + "." + p.name);
    }
  }
  return names;
}

// The link is S3's. What remains to be checked of S3 are the randn kernel and the page faults of P18; P17's stopwatch
// also includes an allocation that ours does not make.
TEST(EmbeddedFits, OfTheBandwidthsOnlyWhatDoesNotFollowFromTheLinkIsACheck) {
  const std::vector<const char*> link{"P16", "P17", "P18", "P19", "P20"};
  EXPECT_THAT(of_kind(Check::Checked, link), UnorderedElementsAre("P18.time", "P18.rate"));
  EXPECT_THAT(of_kind(Check::Unchecked, link), UnorderedElementsAre("P17.stopwatch", "P17.rate"));
}

// All times of the laptop went into its profile, or follow from those that did.
TEST(EmbeddedFits, OfTheIrisTimesNoneIsACheck) {
  const std::vector<const char*> iris{"P22", "P23", "P24", "P25", "P26"};
  EXPECT_THAT(of_kind(Check::Checked, iris), ElementsAre());
  EXPECT_THAT(of_kind(Check::Unchecked, iris), ElementsAre("P24.claimed_for_gpu"));
}

TEST(EmbeddedFits, OtherMachinesAreFittedToNoTutorial) {
  for (const char* device : {"sim:teaching", "sim:h200", "sim:rtx5090", "cpu:rtx5090", "cpu"}) {
    EXPECT_TRUE(device::fitted_numbers(device).empty()) << device;
  }
  const Experiment& told = experiment_named("P20");
  EXPECT_EQ(check_of(told, told.published[0], fitted_sides(told, "sim:h200")).check, Check::Checked);
  EXPECT_FALSE(device::fitted_numbers("cpu:rtx4070-laptop-wsl2").empty()) << "one profile for both";
}

// There is nothing to compare with.
TEST(EmbeddedFits, WhatIsImpossibleChecksNothing) {
  for (const Experiment& told : experiments()) {
    for (const Published& p : told.published) {
      if (p.quality != Quality::Impossible) continue;
      EXPECT_EQ(check_of(told, p, {}).check, Check::Unchecked) << told.id << "." << p.name;
    }
  }
}

}  // namespace
}  // namespace lanescope::experiment
