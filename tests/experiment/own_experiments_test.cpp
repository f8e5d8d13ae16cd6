// Experiments from the user's own files: added, changed, broken, gone; and written.
#include "experiment/own_experiments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "experiment/experiment.h"
#include "io/scratch.h"

namespace lanescope::experiment {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// The id is in line 1, the name in line 2, the order in line 3.
std::string text_of(const std::string& id, const std::string& name, const std::string& title = "Mine") {
  return fmt::format(R"(id = "{}"
name = "{}"
order = 4
workload = "linear-mse"
device = "sim:rtx4090"
title = {{ en = "{}", zh = "我的" }}
shows = {{ en = "s", zh = "示" }}
watch = {{ en = "w", zh = "看" }}
knob = {{ en = "k", zh = "旋" }}
[before]
label = {{ en = "b", zh = "前" }}
settings = ["log_interval=1"]
[after]
label = {{ en = "a", zh = "后" }}
settings = ["log_interval=100"]
)",
                     id, name, title);
}

class OwnExperiments : public io::Scratch {
 protected:
  ~OwnExperiments() override {
    for (const auto& path : own_experiment_files()) forget_file(path);
  }
  std::string error_of(const std::filesystem::path& path) {
    return refusal<base::FileError>([&] { add_file(path); });
  }
};

TEST_F(OwnExperiments, AreListedBeforeTheOthersAndFoundByIdAndName) {
  EXPECT_THAT(own_experiments(), IsEmpty());
  const auto path = write("Z1-mine.toml", text_of("Z1", "mine"));
  const Experiment& mine = add_file(path);
  EXPECT_THAT(own_experiments(), ElementsAre(&mine));
  EXPECT_EQ(all_experiments().size(), experiments().size() + 1);
  EXPECT_EQ(all_experiments().front(), &mine);
  EXPECT_EQ(&experiment_named("z1"), &mine);
  EXPECT_EQ(&experiment_named("MINE"), &mine);
  EXPECT_EQ(file_of(mine), path);
  EXPECT_TRUE(file_of(experiment_named("P09")).empty());
  EXPECT_EQ(&newest_version(experiment_named("P09")), &experiment_named("P09"));
}

TEST_F(OwnExperiments, AChangedFileIsAnotherVersionAndTheOldOneStays) {
  const auto path = write("a.toml", text_of("Z1", "mine", "First"));
  const Experiment& first = add_file(path);
  const std::uint64_t version = own_experiments_version();
  EXPECT_EQ(&add_file(path), &first) << "nothing has changed";
  EXPECT_EQ(own_experiments_version(), version);
  write("a.toml", "# a comment\n" + text_of("Z1", "mine", "First"));
  EXPECT_EQ(&add_file(path), &first) << "it says the same";
  write("a.toml", text_of("Z2", "other", "Second"));
  const Experiment& second = add_file(path);
  EXPECT_NE(own_experiments_version(), version);
  EXPECT_EQ(first.title[Language::English], "First") << "somebody may still show it";
  EXPECT_EQ(second.title[Language::English], "Second");
  EXPECT_THAT(own_experiments(), ElementsAre(&second));
  EXPECT_EQ(&newest_version(first), &second);
  EXPECT_EQ(file_of(first), path);
  EXPECT_EQ(&experiment_named("Z2"), &second);
  EXPECT_THROW(listed_experiment("Z1"), base::UsageError);
  EXPECT_EQ(&experiment_named("Z1"), &first) << "a lesson under way may still name it";
}

// File, line, key, what is wrong and what is allowed.
TEST_F(OwnExperiments, RefuseWhatTheProgramsOwnAreCalled) {
  const auto path = write("mine.toml", text_of("p09", "mine"));
  EXPECT_EQ(error_of(path), path.string() +
                                ":1: id: is 'p09', which is one of the program's own experiments; allowed: one that "
                                "`lanescope list experiments` does not show");
  write("mine.toml", text_of("Z1", "item-each-iteration"));
  EXPECT_THAT(error_of(path), StartsWith(path.string() + ":2: name: is 'item-each-iteration'"));
  EXPECT_THAT(own_experiments(), IsEmpty());
  EXPECT_THAT(own_experiment_errors(), ElementsAre(HasSubstr(":2: name: ")));
  EXPECT_TRUE(file_of(experiment_named("P09")).empty());
}

TEST_F(OwnExperiments, RefuseTheIdOfAnotherFileInTheFolder) {
  add_file(write("a.toml", text_of("Z1", "mine")));
  const auto path = write("b.toml", text_of("Z1", "other"));
  EXPECT_EQ(error_of(path), path.string() + ":1: id: is 'Z1', as in a.toml; allowed: another one in every file");
  std::filesystem::create_directories(file("elsewhere"));
  const auto elsewhere = write("elsewhere/b.toml", text_of("Z1", "other"));
  const Experiment& last = add_file(elsewhere);
  EXPECT_EQ(&experiment_named("Z1"), &last) << "the one added last has precedence";
}

TEST_F(OwnExperiments, ABrokenFileKeepsWhatItSaidBefore) {
  const auto path = write("Z1-mine.toml", text_of("Z1", "mine"));
  const Experiment& mine = add_file(path);
  write("Z1-mine.toml", text_of("Z1", "mine") + "speed = 3\n");
  EXPECT_THAT(error_of(path),
              StartsWith(path.string() + ":16: after.speed: is unknown; allowed: label, device, settings, view"));
  EXPECT_EQ(&experiment_named("Z1"), &mine);
  EXPECT_THAT(own_experiments(), ElementsAre(&mine));
  EXPECT_THAT(own_experiment_errors(), ElementsAre(HasSubstr(":16: after.speed: ")));
  write("Z1-mine.toml", text_of("Z1", "mine"));
  EXPECT_EQ(&add_file(path), &mine);
  EXPECT_THAT(own_experiment_errors(), IsEmpty()) << "it is mended";
}

// What is wanted is there, but broken: that is what is said, and not that it is unknown.
TEST_F(OwnExperiments, AskedForByIdABrokenFileSaysWhatIsWrong) {
  error_of(write("any.toml", "id = \"Z7\"\nname = \"seventh\"\n"));
  error_of(write("Z8-cut.toml", "id = \"Z8\nname"));
  for (const char* wanted : {"z7", "seventh", "any", "Z8", "Z8-cut"}) {
    EXPECT_THAT(refusal<base::FileError>([&] { experiment_named(wanted); }), HasSubstr(".toml:1: ")) << wanted;
  }
  EXPECT_THROW(experiment_named("Z9"), base::UsageError);
}

TEST_F(OwnExperiments, WhatHasGoneIsNotListedButWhatNamesItGoesOn) {
  const auto path = write("a.toml", text_of("Z1", "mine"));
  const Experiment& mine = add_file(path);
  forget_file(path);
  EXPECT_THAT(own_experiments(), IsEmpty());
  EXPECT_EQ(&experiment_named("Z1"), &mine);
  EXPECT_THROW(listed_experiment("Z1"), base::UsageError);
  EXPECT_EQ(&add_file(path), &mine) << "it is back";
  EXPECT_THAT(own_experiments(), ElementsAre(&mine));
}

TEST_F(OwnExperiments, AnArgumentIsAFileANameOrAnId) {
  const auto path = write("a.toml", text_of("Z1", "mine"));
  const Experiment& mine = experiment_from_argument(path.string());
  EXPECT_EQ(mine.id, "Z1");
  EXPECT_EQ(&experiment_from_argument("z1"), &mine);
  EXPECT_EQ(experiment_from_argument("P09").id, "P09");
  EXPECT_THROW(experiment_from_argument("a.toml"), base::FileError) << "not in this folder";
  EXPECT_THROW(experiment_from_argument("./P09"), base::FileError);
  EXPECT_THAT(error_of(file("none.toml")),
              AllOf(StartsWith(file("none.toml").string() + ": cannot read"), HasSubstr("No such file")));
  EXPECT_EQ(error_of(file("")), file("").string() + ": is not a file; allowed: a .toml file");
  EXPECT_THAT(error_of(write("big.toml", std::string((1 << 20) + 1, '#'))), HasSubstr("at most 1048576 bytes"));
}

TEST(WriteExperiment, EveryEmbeddedOneIsReadAsItWas) {
  ASSERT_GE(experiments().size(), 40u);
  for (const Experiment& told : experiments()) {
    const std::string text = to_toml(told);
    EXPECT_EQ(parse_experiment(text, told.id), told) << text;
  }
}

TEST(WriteExperiment, KeepsAllCharactersAndWhatDiffersBetweenTheViews) {
  Experiment told = parse_experiment(text_of("Z1", "mine"), "mine");
  told.title.in = {"a \"quoted\" \\ back\\slash, a\ttab\nand a line\r\x01\x7F", "引号“\"”、换行\n与 é"};
  told.iterations = 123'456;
  View& before = told.sides[0].view;
  View& after = told.sides[1].view;
  before = {"wait", 5'000, 7'000, 5.5, {"CUDA calls"}, {"kernels"}, {}, {"kernels: idle"}};
  after = {"item()", 5'000, 0, 3.2, {}, {}, {"rate"}, {}};
  EXPECT_EQ(parse_experiment(to_toml(told), "mine"), told) << to_toml(told);
  EXPECT_THAT(to_toml(told),
              AllOf(HasSubstr("[view]"), HasSubstr("[before.view]"), HasSubstr("[after.view]"),
                    HasSubstr(R"(title.en = "a \"quoted\" \\ back\\slash, a\ttab\nand a line\u000D\u0001\u007F")"),
                    Not(HasSubstr("turned_knob")), Not(HasSubstr("published"))));
  before = after = {"iteration", 100'000, 0, 2, {"copies H2D"}, {}, {}, {}};
  EXPECT_EQ(parse_experiment(to_toml(told), "mine"), told) << to_toml(told);
  EXPECT_THAT(to_toml(told), Not(HasSubstr("before.view"))) << "once is enough";
}

}  // namespace
}  // namespace lanescope::experiment
