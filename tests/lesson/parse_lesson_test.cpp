// Reading lessons: what a file may say, and what is said of a file that is wrong.
#include <gmock/gmock.h>

#include <string>

#include "base/error.h"
#include "lesson/lesson.h"

namespace lanescope::lesson {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string file(const std::string& rest) {
  return "name = \"mine\"\norder = 9\ntitle = { en = \"T\", zh = \"题\" }\nsummary = { en = \"S\", zh = \"总\" }\n"
         "[[steps]]\nname = \"one\"\nminutes = 4.5\nexperiment = \"P09\"\ntitle = { en = \"a\", zh = \"b\" }\n"
         "text = { en = \"c\", zh = \"d\" }\n" +
         rest;
}

std::string error_of(const std::string& rest) {
  try {
    parse_lesson(file(rest), "mine.toml");
  } catch (const base::FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseLesson, ReadsAStepWithAQuestion) {
  const Lesson lesson = parse_lesson(
      file("side = \"after\"\nsettings = [\"batch_size=64\"]\n"
           "[steps.view]\niterations = 3\n"
           "[steps.question]\ntext = { en = \"how much?\", zh = \"多少？\" }\nleast = 1\nmost = 5\n"
           "[[steps]]\nname = \"two\"\nminutes = 1\nexperiment = \"p08\"\ntitle = { en = \"a\", zh = \"b\" }\n"
           "text = { en = \"c\", zh = \"d\" }\n"),
      "mine.toml");
  EXPECT_EQ(lesson.name, "mine");
  EXPECT_EQ(lesson.minutes(), 5.5);
  ASSERT_EQ(lesson.steps.size(), 2u);
  const Step& step = lesson.steps[0];
  EXPECT_EQ(step.side, Side::After);
  EXPECT_EQ(step.settings, std::vector<std::string>{"batch_size=64"});
  ASSERT_TRUE(step.view && step.question);
  EXPECT_EQ(step.view->iterations, 3);
  EXPECT_EQ(step.question->measure.figure, "factor");
  EXPECT_EQ(step.question->unit, "x");
  EXPECT_FALSE(lesson.steps[1].asks());
}

// A class has a fixed time for a lesson; what its steps do not take is to spare.
TEST(ParseLesson, ALessonMayHaveMoreTimeThanItsSteps) {
  const auto with_minutes = [](const std::string& minutes) { return "minutes = " + minutes + "\n" + file(""); };
  const Lesson lesson = parse_lesson(with_minutes("6"), "mine.toml");
  EXPECT_EQ(lesson.minutes(), 6);
  EXPECT_EQ(lesson.planned(), 4.5);
  EXPECT_EQ(parse_lesson(file(""), "mine.toml").minutes(), 4.5);
  EXPECT_THROW(parse_lesson(with_minutes("4"), "mine.toml"), base::FileError) << "less than the steps take";
}

// Beside the file and the line, each says what is allowed.
TEST(ParseLesson, NamesThePlaceOfWhatIsWrong) {
  const std::string question = "[steps.question]\ntext = { en = \"q\", zh = \"问\" }\n";
  const std::string choice = "{ text = { en = \"a\", zh = \"甲\" }";
  EXPECT_THAT(error_of("minute = 3\n"), StartsWith("mine.toml:11: steps[1].minute: is unknown; allowed: name, title"));
  EXPECT_THAT(error_of("side = \"left\"\n"), HasSubstr("steps[1].side: is 'left'; allowed: before, after"));
  EXPECT_THAT(error_of("settings = [\"batch=64\"]\n"), HasSubstr("steps[1].settings: "));
  EXPECT_THAT(error_of(question), HasSubstr("steps[1].question.least: is missing"));
  EXPECT_THAT(error_of(question + "least = 3\nmost = 2\n"), HasSubstr("most: is '2'; allowed: a number from 3"));
  EXPECT_THAT(error_of(question + "figure = \"speed\"\n"), HasSubstr("question.figure: "));
  EXPECT_THAT(error_of(question + "figure = \"iteration_us\"\nunit = \"GB/s\"\n"),
              HasSubstr("question.unit: is 'GB/s'"));
  EXPECT_THAT(error_of(question + "figure = \"verdict\"\n"), HasSubstr("question.choices: is missing"));
  EXPECT_THAT(error_of(question + "choices = [" + choice + ", up_to = 2 }, " + choice + ", up_to = 3 }]\n"),
              HasSubstr("question.choices: leave values without an answer"));
  EXPECT_THAT(error_of(question + "choices = [" + choice + " }, " + choice + " }]\n"),
              HasSubstr("choices[2]: follows a choice that is right for all the rest"));
  EXPECT_THAT(error_of(question + "choices = [" + choice + ", up_to = 2 }, " + choice + ", up_to = 2 }]\n"),
              HasSubstr("choices[2].up_to: is '2'; allowed: more than 2"));
  EXPECT_THAT(error_of(question + "figure = \"verdict\"\nchoices = [" + choice + ", verdict = \"slow\" }]\n"),
              HasSubstr("choices[1].verdict: is 'slow'; allowed: sync-bound, launch-bound"));
  const std::string task = "[steps.task]\ntext = { en = \"t\", zh = \"做\" }\n";
  EXPECT_THAT(error_of(task), HasSubstr("steps[1].task.goals: is missing"));
  EXPECT_THAT(error_of(task + "goals = [{ figure = \"gpu_busy_percent\" }]\n"),
              HasSubstr("goals[1].least: is missing"));
  EXPECT_THAT(error_of(task + "goals = [{ figure = \"gpu_busy_percent\", least = 5 }]\nkeep = [\"batch\"]\n"),
              HasSubstr("task.keep: "));
  EXPECT_THAT(error_of("experiment = \"X1\"\n"), HasSubstr("mine.toml:11:")) << "twice";
  EXPECT_THAT(error_of("[[steps]]\nname = \"one\"\nminutes = 1\nexperiment = \"P08\"\n"
                       "title = { en = \"a\", zh = \"b\" }\ntext = { en = \"c\", zh = \"d\" }\n"),
              HasSubstr("steps[2].name: 'one' appears twice"));
}

TEST(ParseLesson, AStepMayBringItsOwnExperiment) {
  const std::string head =
      "name = \"mine\"\norder = 1\ntitle = { en = \"t\", zh = \"题\" }\n"
      "summary = { en = \"s\", zh = \"要\" }\n[[steps]]\nname = \"own\"\nminutes = 1\n"
      "title = { en = \"a\", zh = \"b\" }\ntext = { en = \"c\", zh = \"d\" }\n";
  const std::string own = head +
                          "workload = \"linear-mse\"\ndevice = \"sim:teaching\"\nsettings = [\"batch_size=256\"]\n"
                          "before = [\"log_interval=1\"]\nafter = [\"log_interval=50\"]\nside = \"after\"\n"
                          "view = { iterations = 5, outlined = [\"kernels\"] }\n";
  const Experiment e = experiment_of(parse_lesson(own, "mine.toml").steps.at(0));
  EXPECT_EQ(e.workload, "linear-mse");
  EXPECT_EQ(e.device_of(Side::After), "sim:teaching");
  EXPECT_THAT(e.assignments(Side::Before), testing::ElementsAre("log_interval=1", "batch_size=256"));
  EXPECT_THAT(e.assignments(Side::After), testing::ElementsAre("log_interval=50", "batch_size=256"));
  EXPECT_EQ(e.turned_knob, "log_interval");
  EXPECT_EQ(e.side(Side::After).view.iterations, 5);
  EXPECT_THAT(e.side(Side::After).view.outlined, testing::ElementsAre("kernels"));
  EXPECT_EQ(e.side(Side::Before).view.iterations, View().iterations) << "the view is that of the side it begins with";

  const auto error = [&](const std::string& rest) {
    try {
      parse_lesson(head + rest, "mine.toml");
    } catch (const base::FileError& refused) {
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error(""), HasSubstr("steps[1].experiment: is missing; without it, workload is needed"));
  EXPECT_THAT(error("experiment = \"P09\"\nbefore = [\"log_interval=1\"]\n"),
              HasSubstr("steps[1].before: is beside experiment; allowed: one of the two"));
  EXPECT_THAT(error("workload = \"linear\"\n"), HasSubstr("mine.toml:10"));
  EXPECT_THAT(error("workload = \"linear-mse\"\ndevice = \"sim:none\"\n"), HasSubstr("steps[1].device: "));
  EXPECT_THAT(error("workload = \"linear-mse\"\nafter = [\"log_interval=-3\"]\n"), HasSubstr("steps[1].after: "));
}

// Published numbers are about the experiment's own settings and machine.
TEST(ParseLesson, OtherSettingsLeaveNoPublishedNumbersBesideThem) {
  Step step;
  step.experiment = "P09";
  EXPECT_FALSE(experiment_of(step).published.empty());
  step.settings = {"batch_size=4096"};
  EXPECT_TRUE(experiment_of(step).published.empty());
  step.settings.clear();
  step.device = "sim:teaching";
  EXPECT_TRUE(experiment_of(step).published.empty());
}

TEST(Lessons, AreThere) {
  EXPECT_THAT(lesson_errors(), testing::IsEmpty());
  ASSERT_GE(lessons().size(), 5u);
  EXPECT_EQ(lesson_named("why-the-gpu-waits").minutes(), 45);
  EXPECT_EQ(lesson_named("one-line").minutes(), 15);
  EXPECT_EQ(lesson_named("lab").minutes(), 90);
  EXPECT_THROW(lesson_named("none"), base::UsageError);
  for (const Lesson& lesson : lessons()) {
    EXPECT_LE(lesson.planned(), 0.85 * lesson.minutes()) << lesson.name << ": a class needs time to spare";
    for (const Step& step : lesson.steps) {
      EXPECT_TRUE(step.asks()) << lesson.name << " " << step.name;
      EXPECT_FALSE(step.notes.empty()) << lesson.name << " " << step.name;
      EXPECT_FALSE(step.reveal.empty()) << lesson.name << " " << step.name;
    }
  }
}

}  // namespace
}  // namespace lanescope::lesson
