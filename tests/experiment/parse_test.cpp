// The experiment files: what is read, and what is rejected with which message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.h"
#include "experiment/experiment.h"
#include "experiment/published_numbers.h"
#include "experiment/sweep.h"
#include "lanescope_experiments.h"
#include "refusal.h"

namespace lanescope::experiment {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kWhole = R"(id = "X1"
name = "a-story"
order = 3
workload = "linear-mse"
device = "sim:rtx4090"
settings = ["feed=resident"]
turned_knob = "log_interval"
title = { en = "Title", zh = "标题" }
shows = { en = "s", zh = "s" }
watch = { en = "w", zh = "w" }
knob = { en = "k", zh = "k" }
[before]
label = { en = "b", zh = "b" }
settings = ["log_interval=1"]
[after]
label = { en = "a", zh = "a" }
settings = ["log_interval=0"]
device = "sim:teaching"
[[published]]
name = "total"
label = { en = "l", zh = "l" }
value = 3.4
unit = "s"
quality = "measured"
environment = { en = "e", zh = "e" }
source = "S2"
figure = "total_s"
iterations = 1000
[[published]]
name = "factor"
label = { en = "l", zh = "l" }
value = 4
unit = "x"
quality = "estimate"
environment = { en = "e", zh = "e" }
source = "S2"
of = "ratio"
figure = "iteration_us"
settings = ["batch_size=64"]
follows = ["X1.total"]
unchecked = { en = "unlike", zh = "无法比较" }
[sweep]
over = ["log_interval=1,2", "batch_size=64,128"]
figure = "iteration_us"
against = "log_interval=0"
)";

TEST(ParseExperiment, ReadsAWholeFile) {
  const Experiment told = parse_experiment(kWhole, "x.toml");
  EXPECT_EQ(told.id, "X1");
  EXPECT_EQ(told.order, 3);
  EXPECT_EQ(told.iterations, 1000u);
  EXPECT_EQ(told.title[Language::Chinese], "标题");
  EXPECT_TRUE(told.correction.empty());
  EXPECT_THAT(told.assignments(Side::Before), ElementsAre("feed=resident", "log_interval=1"));
  EXPECT_EQ(told.device_of(Side::Before), "sim:rtx4090");
  EXPECT_EQ(told.device_of(Side::After), "sim:teaching");
  ASSERT_EQ(told.published.size(), 2u);
  EXPECT_EQ(told.published[0].of, About::Before);
  EXPECT_EQ(told.published[0].quality, Quality::Measured);
  EXPECT_EQ(told.published[1].value, 4);
  EXPECT_EQ(told.published[1].of, About::Ratio);
  EXPECT_THAT(told.published[1].settings, ElementsAre("batch_size=64"));
  EXPECT_THAT(told.published[1].follows, ElementsAre("X1.total"));
  EXPECT_EQ(told.published[1].unchecked[Language::Chinese], "无法比较");
  EXPECT_TRUE(told.published[0].unchecked.empty());
  const SweepSpec sweep = ready_sweep(told);
  EXPECT_EQ(sweep.points(), 4u);
  EXPECT_EQ(sweep.iterations, 1000u);
  EXPECT_EQ(sweep.against, "log_interval=0");
}

struct Wrong {
  const char* name;
  std::string replace, by;
  int line;
  std::string said;  // behind "x.toml:LINE: "
};

class WrongFiles : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFiles, AreNamedWithLineAndKeyAndWhatIsAllowed) {
  std::string text = kWhole;
  const std::size_t at = text.find(GetParam().replace);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().replace.size(), GetParam().by);
  EXPECT_THAT(refusal<base::FileError>([&] { parse_experiment(text, "x.toml"); }),
              AllOf(StartsWith("x.toml:" + std::to_string(GetParam().line) + ": "), HasSubstr(GetParam().said),
                    Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongFiles,
    testing::ValuesIn(std::vector<Wrong>{
        {"NoToml", "order = 3", "order = =", 3, ""},
        {"UnknownKey", "order = 3", "order = 3\ncolour = 1", 4, "colour: is unknown; allowed: id, name"},
        {"UnknownKeyOfASide", "[after]", "[after]\nx = 1", 16, "after.x: is unknown; allowed: label, device"},
        {"Missing", "order = 3\n", "", 1, "order: is missing"},
        {"BadId", "\"X1\"", "\"X 1\"", 1, "id: is 'X 1'; allowed: letters"},
        {"NotANumber", "order = 3", "order = \"3\"", 3, "order: is '3'; allowed: a whole number from 1"},
        {"LanguageMissing", "{ en = \"Title\", zh = \"标题\" }", "{ en = \"T\" }", 8, "title.zh: is missing"},
        {"LanguageUnknown", "zh = \"标题\"", "de = \"T\"", 8, "title.de: is unknown; allowed: en, zh"},
        {"TextEmpty", "\"标题\"", "\"\"", 8, "title.zh: is ''; allowed: a non-empty text"},
        {"TextInNoLanguage", "{ en = \"Title\", zh = \"标题\" }", "\"T\"", 8,
         "title: is 'T'; allowed: a text in every"},
        {"WorkloadUnknown", "linear-mse", "nonlinear", 4,
         "workload: unknown workload 'nonlinear'; allowed: linear-mse"},
        {"DeviceUnknown", "sim:rtx4090", "sim:x", 5, "device: "},
        {"SideDeviceUnknown", "sim:teaching", "gpu", 18, "after.device: "},
        {"SettingUnknown", "feed=", "food=", 6, "settings: unknown setting 'food'; allowed: "},
        {"SettingOutOfRange", "log_interval=0", "log_interval=-1", 17, "after.settings: setting 'log_interval'"},
        {"KnobUnknown", "\"log_interval\"", "\"volume\"", 7, "turned_knob: unknown setting 'volume'"},
        {"ValueNegative", "3.4", "-1", 22, "published[1].value: is '-1'; allowed: a number"},
        {"UnitUnknown", "unit = \"s\"", "unit = \"h\"", 23, "published[1].unit: is 'h'; allowed: ns, us"},
        {"UnitOfAnotherKind", "unit = \"s\"", "unit = \"GB/s\"", 23, "unit: is 'GB/s', but total_s is in s"},
        {"UnitOfARatio", "unit = \"x\"", "unit = \"s\"", 33, "published[2].unit: is 's', but a ratio has none"},
        {"QualityUnknown", "\"measured\"", "\"good\"", 24,
         "quality: is 'good'; allowed: measured, measured (machine unknown), estimate, impossible"},
        {"OfUnknown", "\"ratio\"", "\"both\"", 37, "of: is 'both'; allowed: before, after, ratio"},
        {"FigureUnknown", "total_s", "speed", 27, "published[1].figure: figure 'speed' is unknown; allowed: "},
        {"TotalOfHowMany", "iterations = 1000\n", "", 19, "published[1].iterations: is missing; total_s"},
        {"NoFigureAndNoReason", "figure = \"total_s\"\n", "", 19,
         "published[1].unchecked: is missing; there is no figure, so say why"},
        {"ReasonInOneLanguage", "iterations = 1000\n", "iterations = 1000\nunchecked = { en = \"so\" }\n", 29,
         "published[1].unchecked.zh: is missing"},
        {"FollowsNothing", "iterations = 1000\n", "iterations = 1000\nfollows = [\"P20\"]\n", 29,
         "published[1].follows: has 'P20'; allowed: published numbers, EXPERIMENT.NAME"},
        {"FollowsNoList", "iterations = 1000\n", "iterations = 1000\nfollows = \"P20.x\"\n", 29,
         "published[1].follows: is 'P20.x'; allowed: an array of texts"},
        {"NameTwice", "\"factor\"", "\"total\"", 30, "published[2].name: 'total' appears twice"},
        {"PublishedSetting", "batch_size=64\"]\nfollows", "batch_size=0\"]\nfollows", 39,
         "published[2].settings: setting 'batch_size'"},
        {"SweepOverNothing", "log_interval=1,2\"", "log_interval\"", 42, "sweep: 'log_interval' names no values"},
        {"SweepOutOfRange", "batch_size=64,128", "batch_size=0,128", 42, "sweep: setting 'batch_size'"},
        {"SweepAgainstNothing", "log_interval=0\"\n", "pinned\"\n", 42,
         "sweep: 'pinned' is not a setting to compare with"},
    }),
    [](const auto& tested) { return tested.param.name; });

TEST(Embedded, EveryFileParses) {
  EXPECT_THAT(experiment_errors(), ElementsAre());
  EXPECT_EQ(experiments().size(), lanescope::experiments::files().size());
}

TEST(Embedded, IdsNamesAndPlacesAreUniqueAndFilesAreNamedAfterThem) {
  std::set<std::string> ids, names, files;
  std::set<int> orders;
  int before = 0;
  for (const Experiment& told : experiments()) {
    EXPECT_TRUE(ids.insert(told.id).second) << told.id;
    EXPECT_TRUE(names.insert(told.name).second) << told.name;
    EXPECT_TRUE(orders.insert(told.order).second) << told.id;
    EXPECT_GT(told.order, before);
    before = told.order;
    files.insert(told.id + "-" + told.name + ".toml");
  }
  for (const lanescope::experiments::File& file : lanescope::experiments::files()) {
    EXPECT_EQ(files.count(std::string(file.path)), 1u) << file.path;
  }
  for (int p = 1; p <= 28; ++p) EXPECT_EQ(ids.count((p < 10 ? "P0" : "P") + std::to_string(p)), 1u) << p;
}

TEST(Embedded, AreFoundByIdAndNameInAnyCase) {
  EXPECT_EQ(experiment_named("p09").id, "P09");
  EXPECT_EQ(&experiment_named("ITEM-each-iteration"), &experiment_named("P09"));
  EXPECT_THROW(experiment_named("P99"), base::UsageError);
  EXPECT_THROW(experiment_named(""), base::UsageError);
}

TEST(Devices, ACpuStaysTheCpuOfTheMachine) {
  Experiment told;
  told.device = "sim:rtx4070-laptop-wsl2";
  told.sides[0].device = "cpu:rtx4070-laptop-wsl2";
  EXPECT_EQ(chosen_device(told, Side::Before, ""), "cpu:rtx4070-laptop-wsl2");
  EXPECT_EQ(chosen_device(told, Side::After, ""), "sim:rtx4070-laptop-wsl2");
  EXPECT_EQ(chosen_device(told, Side::Before, "sim:h200"), "cpu:h200");
  EXPECT_EQ(chosen_device(told, Side::After, "sim:h200"), "sim:h200");
  EXPECT_EQ(chosen_device(told, Side::Before, "cuda:0"), "cpu");
  EXPECT_EQ(chosen_device(told, Side::After, "cpu"), "cpu");
}

}  // namespace
}  // namespace lanescope::experiment
