// The two folders of the user's own files: what is read, reloaded, refused and forgotten.
#include "lesson/own_lessons.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "experiment/own_experiments.h"
#include "io/scratch.h"

namespace lanescope::lesson {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string experiment_text(const std::string& id, const std::string& title = "Mine") {
  return fmt::format(R"(id = "{0}"
name = "mine-{0}"
order = 1
workload = "linear-mse"
device = "sim:rtx4090"
title = {{ en = "{1}", zh = "我的" }}
shows = {{ en = "s", zh = "示" }}
watch = {{ en = "w", zh = "看" }}
knob = {{ en = "k", zh = "旋" }}
before = {{ label = {{ en = "b", zh = "前" }}, settings = ["log_interval=1"] }}
after = {{ label = {{ en = "a", zh = "后" }}, settings = ["log_interval=100"] }}
)",
                     id, title);
}

std::string lesson_text(const std::string& name, const std::string& experiment, const std::string& title = "L") {
  return fmt::format(R"(name = "{}"
order = 1
title = {{ en = "{}", zh = "课" }}
summary = {{ en = "S", zh = "总" }}
[[steps]]
name = "one"
minutes = 5
experiment = "{}"
title = {{ en = "a", zh = "甲" }}
text = {{ en = "b", zh = "乙" }}
)",
                     name, title, experiment);
}

class OwnLessons : public io::Scratch {
 protected:
  OwnLessons() {
    if (const char* before = std::getenv("XDG_CONFIG_HOME")) before_ = before;
    setenv("XDG_CONFIG_HOME", file("config").c_str(), 1);
  }
  ~OwnLessons() override {
    fs::remove_all(file("config"));
    folders_.look();
    fs::remove_all(file("stick"));
    folders_.look();
    before_ ? setenv("XDG_CONFIG_HOME", before_->c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
  }
  fs::path put(const fs::path& path, const std::string& text) const {
    fs::create_directories(path.parent_path());
    return write(path.lexically_relative(file("")).string(), text);
  }
  fs::path put_experiment(const std::string& name, const std::string& text) const {
    return put(own_experiments_folder() / name, text);
  }
  fs::path put_lesson(const std::string& name, const std::string& text) const {
    return put(own_lessons_folder() / name, text);
  }

  OwnFolders folders_;
  std::optional<std::string> before_;
};

TEST_F(OwnLessons, AreBesideTheSettings) {
  EXPECT_EQ(own_experiments_folder(), file("config/lanescope/experiments"));
  EXPECT_EQ(own_lessons_folder(), file("config/lanescope/lessons"));
  EXPECT_FALSE(folders_.look()) << "neither need exist";
  EXPECT_THAT(own_file_errors(), IsEmpty());
}

TEST_F(OwnLessons, BothFoldersAreReadAndReadAgain) {
  const fs::path path = put_experiment("any-name.toml", experiment_text("Y1"));
  put_experiment(".hidden.toml", "broken");
  put_experiment("notes.txt", "broken");
  const fs::path of_lesson = put_lesson("mine.toml", lesson_text("mine", "Y1"));
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(own_file_errors(), IsEmpty());
  const experiment::Experiment& first = experiment::experiment_named("Y1");
  const Lesson& lesson = lesson_named("mine");
  EXPECT_THAT(own_lessons(), ElementsAre(&lesson));
  EXPECT_EQ(all_lessons().size(), lessons().size() + 1);
  EXPECT_EQ(file_of(lesson), of_lesson);
  EXPECT_TRUE(file_of(lessons()[0]).empty());
  EXPECT_FALSE(folders_.look()) << "nothing has changed";

  put_experiment("any-name.toml", experiment_text("Y1", "Another title"));
  EXPECT_TRUE(folders_.look());
  EXPECT_EQ(experiment::experiment_named("Y1").title[base::Language::English], "Another title");
  EXPECT_EQ(first.title[base::Language::English], "Mine");
  EXPECT_EQ(&lesson_named("mine"), &lesson) << "it says the same as before";
  put_lesson("mine.toml", lesson_text("mine", "Y1", "Longer title"));
  EXPECT_TRUE(folders_.look());
  EXPECT_EQ(&newest_version(lesson), &lesson_named("mine"));
  EXPECT_EQ(lesson_named("mine").title[base::Language::English], "Longer title");
  EXPECT_EQ(lesson.title[base::Language::English], "L");
}

// One line each, with file, line and key; mended, it is gone.
TEST_F(OwnLessons, ErrorsNameThePlaceAndGoWhenItIsMended) {
  const fs::path path = put_experiment("Y1.toml", experiment_text("Y1") + "colour = 1\n");
  const fs::path of_lesson = put_lesson("mine.toml", lesson_text("mine", "Y1"));
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(
      own_file_errors(),
      ElementsAre(StartsWith(path.string() + ":12: colour: is unknown; allowed: id, name, order"),
                  AllOf(StartsWith(of_lesson.string() + ":8: steps[1].experiment: "), HasSubstr("Y1.toml:12"))));
  EXPECT_FALSE(folders_.look());
  put_experiment("Y1.toml", experiment_text("Y1"));
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(own_file_errors(), IsEmpty());
  EXPECT_THAT(own_lessons(), SizeIs(1)) << "the lesson is read again, though its file did not change";
}

TEST_F(OwnLessons, OfTwoFilesWithOneIdTheSecondIsRefusedUntilTheFirstHasGone) {
  const fs::path first = put_experiment("a.toml", experiment_text("Y1"));
  const fs::path second = put_experiment("b.toml", experiment_text("Y1", "B"));
  folders_.look();
  EXPECT_THAT(own_file_errors(), ElementsAre(StartsWith(second.string() + ":1: id: is 'Y1', as in a.toml")));
  fs::remove(first);
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(own_file_errors(), IsEmpty());
  EXPECT_EQ(experiment::experiment_named("Y1").title[base::Language::English], "B");
}

TEST_F(OwnLessons, NamesOfEmbeddedLessonsAreRefused) {
  const fs::path path = put_lesson("a.toml", lesson_text("one-line", "P09"));
  folders_.look();
  EXPECT_THAT(own_file_errors(), ElementsAre(StartsWith(path.string() + ":1: name: is 'one-line', which is one of the "
                                                                        "program's own lessons; allowed: ")));
  EXPECT_TRUE(file_of(lesson_named("one-line")).empty());
}

TEST_F(OwnLessons, TheFoldersMayVanishAndComeBack) {
  put_experiment("Y1.toml", experiment_text("Y1"));
  put_lesson("mine.toml", lesson_text("mine", "Y1"));
  put_lesson("broken.toml", "name = 3\n");
  folders_.look();
  const Lesson& lesson = lesson_named("mine");
  EXPECT_THAT(own_file_errors(), SizeIs(1));
  fs::rename(file("config"), file("moved"));
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(own_lessons(), IsEmpty());
  EXPECT_THAT(experiment::own_experiments(), IsEmpty());
  EXPECT_THAT(own_file_errors(), IsEmpty());
  EXPECT_EQ(&lesson_named("mine"), &lesson) << "a class may be in the middle of it";
  EXPECT_FALSE(folders_.look());
  fs::rename(file("moved"), file("config"));
  EXPECT_TRUE(folders_.look());
  EXPECT_THAT(own_lessons(), ElementsAre(&lesson));
  EXPECT_THAT(own_file_errors(), ElementsAre(HasSubstr("broken.toml:1: name: is '3'")));
}

// A folder that somebody brings: its lesson and what stands beside it.
TEST_F(OwnLessons, AFileNamesExperimentsBesideIt) {
  put(file("stick/experiments/Y5.toml"), experiment_text("Y5"));
  const fs::path path = put(file("stick/lessons/brought.toml"), lesson_text("brought", "Y5"));
  const Lesson& lesson = lesson_from_argument(path.string());
  EXPECT_EQ(lesson.steps[0].experiment, "Y5");
  EXPECT_EQ(&lesson_from_argument("brought"), &lesson);
  EXPECT_THROW(lesson_from_argument("brought.toml"), base::FileError);
  put(file("stick/experiments/Y5.toml"), experiment_text("Y5", "Changed"));
  EXPECT_TRUE(folders_.look()) << "files added otherwise are followed, too";
  EXPECT_EQ(experiment::experiment_named("Y5").title[base::Language::English], "Changed");
  const fs::path alone = put(file("alone/lessons/alone.toml"), lesson_text("alone", "Y6"));
  try {
    lesson_from_argument(alone.string());
    ADD_FAILURE() << "there is no Y6";
  } catch (const base::FileError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith(alone.string() + ":8: steps[1].experiment: experiment 'Y6' is unknown"),
                                    HasSubstr("allowed: Y5, ")));
  }
  EXPECT_THROW(lesson_named("alone"), base::FileError) << "it is there, but broken";
}

}  // namespace
}  // namespace lanescope::lesson
