// `lanescope grade`: students' files of the lesson 'one-line', graded by its own runs.
//
// Its steps: 'see' is a choice (the GPU of P09 idles for 31 % of the time: the third), 'guess' is a number (P09's
// factor is 162.2 / 112.5 = 1.442, right within 15 %: from 1.226 to 1.658), 'rarely' is a choice (P10's factor is 1.43:
// the third), 'task' is to be solved with P09 on its side before, log_interval=100.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/program.h"
#include "lesson/student_file.h"

namespace lanescope::app::test {
namespace {

using lesson::StepRecord;
using lesson::StudentFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

constexpr std::size_t kFirst = 0, kSecond = 1, kThird = 2;

StepRecord record(std::string step, std::optional<lesson::Answer> answer, double seconds = 60, int hints = 0) {
  StepRecord made;
  made.step = std::move(step);
  made.answer = answer;
  made.begun = "2026-03-02T09:30:00Z";
  made.seconds = seconds;
  made.hints = hints;
  return made;
}

StepRecord solution(Strings settings, bool solved = true) {
  StepRecord made = record("task", {}, 90, 2);
  made.settings = std::move(settings);
  made.solved = solved;
  return made;
}

StudentFile answers(std::string student, std::vector<StepRecord> steps) {
  StudentFile file = lesson::new_student_file(std::move(student), lesson::lesson_named("one-line"));
  file.steps = std::move(steps);
  return file;
}

StudentFile all_right(std::string student) {
  return answers(std::move(student), {record("see", kThird), record("guess", 1.4), record("rarely", kThird, 30.5),
                                      solution({"log_interval=100"})});
}

Strings lines_of(const std::string& text) {
  std::istringstream in(text);
  Strings lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Grade : public ProgramTest {
 protected:
  void write(const std::string& name, const StudentFile& file) const {
    lesson::write_student_file(folder_ / name, file);
  }
  /// Of the first file, the value of this key in each step: true, false or null for "right".
  std::string in_steps(const std::string& key, const Strings& files) const {
    Strings arguments = {"grade", "--json", "-"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Outcome outcome = run(arguments);
    std::string all;
    if (outcome.out.empty()) return outcome.err;
    const Json json = Json::parse(outcome.out);
    for (const Json& step : json["files"][0]["steps"]) all += step[key].dump() + " ";
    return all;
  }
};

TEST_F(Grade, RightWrongAndEmpty) {
  write("right.json", all_right("Ann Lee"));
  EXPECT_EQ(in_steps("right", {"right.json"}), "true true true true ");
  write("wrong.json", answers("Bob", {record("see", kFirst), record("guess", 4.0), record("rarely", kSecond),
                                      solution({"pinned=true"})}));
  EXPECT_EQ(in_steps("right", {"wrong.json"}), "false false false false ");
  write("empty.json", answers("Cleo", {}));
  EXPECT_EQ(in_steps("right", {"empty.json"}), "null null null null ");
  write("begun.json", answers("Dan", {record("see", {}), record("guess", {}), solution({}, false)}));
  EXPECT_EQ(in_steps("right", {"begun.json"}), "null null null null ");
}

// The factor as `run` gives it. An answer is right up to 15 % from it, both ways.
TEST_F(Grade, ANumberIsRightUpToTheEdgeOfItsTolerance) {
  const double factor =
      1 / Json::parse(run({"run", "--experiment", "P09", "--json", "-"}).out)["ratio"]["pace"].get<double>();
  EXPECT_NEAR(factor, 1.442, 0.0005);
  const double inside = 1e-9;
  for (const auto& [answer, right] : std::vector<std::pair<double, std::string>>{{factor * (1.15 - inside), "true"},
                                                                                 {factor * (1.15 + inside), "false"},
                                                                                 {factor * (0.85 + inside), "true"},
                                                                                 {factor * (0.85 - inside), "false"}}) {
    write("a.json", answers("Ann", {record("guess", answer)}));
    EXPECT_EQ(in_steps("right", {"a.json"}), "null " + right + " null null ") << answer;
  }
}

// What the student's file says of its own run counts for nothing.
TEST_F(Grade, StoredNumbersAreNotTrusted) {
  StudentFile file = answers("Ann", {record("guess", 4.0), solution({"pinned=true"})});
  file.steps[0].seen = lesson::Truth{4.0, "", 0};
  write("a.json", file);
  EXPECT_EQ(in_steps("right", {"a.json"}), "null false null false ");
}

TEST_F(Grade, ATaskIsRunWithItsSettings) {
  const auto right = [&](const Strings& settings) {
    write("a.json", answers("Ann", {solution(settings)}));
    return in_steps("right", {"a.json"});
  };
  EXPECT_EQ(right({"log_interval=100"}), "null null null true ");
  EXPECT_EQ(right({"log_interval=1", "log_interval=50"}), "null null null true ") << "the last one counts";
  EXPECT_EQ(right({"log_interval=0"}), "null null null false ") << "never reads";
  EXPECT_EQ(right({"log_interval=100", "batch_size=4096"}), "null null null false ") << "the batch size was to stay";
  EXPECT_EQ(right({}), "null null null false ") << "said to be solved, with nothing turned";
  EXPECT_EQ(in_steps("answer_text", {"a.json"}), "null null null null ");
  EXPECT_EQ(right({"speed=9"}), "null null null null ");
  EXPECT_THAT(in_steps("problem", {"a.json"}), AllOf(HasSubstr("'speed'"), HasSubstr("log_interval")));
  EXPECT_EQ(right({"batch_size=0"}), "null null null null ");
  EXPECT_THAT(in_steps("problem", {"a.json"}), HasSubstr("1 to 8192"));
}

TEST_F(Grade, AnAnswerOfAnotherKindIsNotGraded) {
  write("a.json", answers("Ann", {record("see", 31.0), record("guess", kFirst), record("rarely", std::size_t{7})}));
  EXPECT_EQ(in_steps("right", {"a.json"}), "null null null null ");
  EXPECT_THAT(in_steps("problem", {"a.json"}), HasSubstr("not one of those to choose from"));
}

// Ann: 60 + 60 + 30.5 + 90 s = 4.0 min. 王芳: 30 + 45 s = 1.25 min, which is printed as 1.2.
TEST_F(Grade, TheTableHasALineForEachStudentAndEachStep) {
  write("ann.json", all_right("Ann Lee"));
  write("wang.json", answers("王芳", {record("see", kFirst, 30, 1), record("guess", 1.3, 45, 2)}));
  const Outcome outcome = run({"grade", "ann.json", "wang.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, R"(One line

            1   2   3   4   score    time      hints
  Ann Lee   ✓   ✓   ✓   ✓   4 of 4   4.0 min   2
  王芳      ✗   ✓   –   –   1 of 4   1.2 min   3

  1  see      1 of 2 right   C · 30 to 60 % (42.34 %)
  2  guess    2 of 2 right   1.442 ×
  3  rarely   1 of 1 right   C · Nearly as fast as without any read (1.434 ×)
  4  task     1 of 1 right   GPU busy ≥ 80 %; the loss is still read; batch_size stays

✓ right   ✗ wrong   – not answered   ? not graded
What is right was measured just now, on simulated devices.
)");
}

TEST_F(Grade, EachLessonHasItsTable) {
  write("ann.json", all_right("Ann Lee"));
  StudentFile lab = lesson::new_student_file("Ann Lee", lesson::lesson_named("feeding-the-gpu"));
  write("ann-2.json", lab);
  const Outcome outcome = run({"grade", "ann.json", "ann-2.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "") << "two lessons of one student";
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("One line"), HasSubstr("Where is the bottleneck?"), HasSubstr("0 of 5")));
}

// Eve's name is no formula: an apostrophe is before it, and its quotes are doubled.
TEST_F(Grade, TheCsvHasALineForEachStudentAndQuestion) {
  write("ann.json", all_right("Ann Lee"));
  write("=eve.json", answers("=1+1, \"Eve\"", {record("see", kFirst, 30, 1), record("guess", 4.0)}));
  const Outcome outcome = run({"grade", "ann.json", "=eve.json", "--csv", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string see = "For how much of the time does the GPU idle?",
                    guess = "How many times as fast is the loop without the line?",
                    rarely = "A read every 100 iterations instead of every one: how many times as fast?",
                    task = "\"Keep the GPU busy for 80 % of the time, and keep reading the loss.\"";
  EXPECT_THAT(
      lines_of(outcome.out),
      ElementsAre(
          "student,lesson,step,kind,asked,answer,right_answer,right,seconds,hints,file,state\r",
          "Ann Lee,one-line,see,question," + see + ",C · 30 to 60 %,C · 30 to 60 % (42.34 %),1,60,0,ann.json,ok\r",
          "Ann Lee,one-line,guess,question," + guess + ",1.4 ×,1.442 ×,1,60,0,ann.json,ok\r",
          "Ann Lee,one-line,rarely,question," + rarely +
              ",C · Nearly as fast as without any read,C · Nearly as fast as without any read (1.434 ×),1,30.5,0,"
              "ann.json,ok\r",
          "Ann Lee,one-line,task,task," + task +
              ",log_interval=100,GPU busy ≥ 80 % (81.39 %); the loss is still read (0.015); "
              "batch_size stays,1,90,2,ann.json,ok\r",
          "\"'=1+1, \"\"Eve\"\"\",one-line,see,question," + see +
              ",A · Hardly ever: up to 10 %,C · 30 to 60 % (42.34 %),0,30,1,'=eve.json,ok\r",
          "\"'=1+1, \"\"Eve\"\"\",one-line,guess,question," + guess + ",4 ×,1.442 ×,0,60,0,'=eve.json,ok\r",
          "\"'=1+1, \"\"Eve\"\"\",one-line,rarely,question," + rarely +
              ",,C · Nearly as fast as without any read (1.434 ×),,,,'=eve.json,ok\r",
          "\"'=1+1, \"\"Eve\"\"\",one-line,task,task," + task +
              ",,GPU busy ≥ 80 %; the loss is still read; batch_size stays,,,,'=eve.json,ok\r"));
}

TEST_F(Grade, TheTextsAreInTheChosenLanguage) {
  write("ann.json", all_right("Ann Lee"));
  const Outcome outcome = run({"grade", "ann.json", "--csv", "-", "--lang", "zh"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("去掉这一行，循环的速度是几倍？"), HasSubstr("C · 30 % 到 60 %"),
                                 HasSubstr("student,lesson,step"), HasSubstr(",ok\r\n")));
}

TEST_F(Grade, AnotherVersionOfTheLessonIsTold) {
  StudentFile file = all_right("Ann");
  file.lesson_digest = std::string(16, '0');
  file.steps.push_back(record("gone", 1.0));
  write("a.json", file);
  const Outcome outcome = run({"grade", "a.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "lanescope: a.json: answers another version of the lesson 'one-line'; graded by this one\n");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("4 of 4"), HasSubstr("another version of the lesson")));
  EXPECT_THAT(run({"grade", "a.json", "--csv", "-"}).out, HasSubstr(",a.json,other lesson version\r\n"));
  file.lesson_digest = std::string(64, '0');  // of format 1
  write("a.json", file);
  EXPECT_EQ(run({"grade", "a.json"}).err, "");
}

TEST_F(Grade, WhatCannotBeReadIsOneLineEachAndTheOthersAreGraded) {
  write("ann.json", all_right("Ann"));
  StudentFile other = all_right("Bob");
  other.lesson = "physics";
  write("physics.json", other);
  std::ofstream(folder_ / "empty.json");
  std::ofstream(folder_ / "cut.json") << text_of(folder_ / "ann.json").substr(0, 300);
  std::ofstream(folder_ / "trace.json") << R"({"traceEvents": []})";
  std::filesystem::create_directory(folder_ / "folder");
  const Outcome outcome = run({"grade", "none.json", "empty.json", "cut.json", "trace.json", "folder", "physics.json",
                               "ann.json", "--csv", "grades.csv"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(lines_of(outcome.err),
              ElementsAre(AllOf(StartsWith("lanescope: none.json: "), HasSubstr("No such file")),
                          AllOf(StartsWith("lanescope: empty.json: "), HasSubstr("empty")),
                          AllOf(StartsWith("lanescope: cut.json: "), HasSubstr("was cut off")),
                          AllOf(StartsWith("lanescope: trace.json: "), HasSubstr("'traceEvents'")),
                          AllOf(StartsWith("lanescope: folder: "), HasSubstr("directory")),
                          AllOf(StartsWith("lanescope: physics.json: "), HasSubstr("'physics' is unknown"),
                                HasSubstr("one-line"))));
  EXPECT_THAT(outcome.out, HasSubstr("4 of 4"));
  EXPECT_EQ(lines_of(text_of(folder_ / "grades.csv")).size(), 5u);
}

TEST_F(Grade, NothingIsWrittenIfNoFileCanBeGraded) {
  std::ofstream(folder_ / "a.json") << "{}";
  expect_complaint(run({"grade", "a.json", "--csv", "grades.csv"}), 1, {"a.json", "is missing"});
  EXPECT_THAT(files(), ElementsAre("a.json"));
}

TEST_F(Grade, TwoFilesOfOneStudentAreTold) {
  write("a.json", all_right("Ann"));
  write("b.json", answers("Ann", {}));
  const Outcome outcome = run({"grade", "a.json", "b.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "lanescope: b.json: 'Ann' has another file for this lesson, a.json; each is graded on its own\n");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("4 of 4"), HasSubstr("0 of 4")));
}

TEST_F(Grade, NeverReplacesAStudentsFile) {
  write("a.json", all_right("Ann"));
  write("b.json", all_right("Bob"));
  const std::string before = text_of(folder_ / "a.json");
  expect_complaint(run({"grade", "a.json", "b.json", "--csv", "./a.json"}), 2, {"./a.json", "files to grade"});
  EXPECT_EQ(text_of(folder_ / "a.json"), before);
  expect_complaint(run({"grade", "a.json", "--json", "none/x.json"}), 1, {"none/x.json", "No such file"});
}

TEST_F(Grade, TheJsonHasTheSame) {
  write("a.json", all_right("Ann"));
  const Json json = Json::parse(run({"grade", "a.json", "--json", "-"}).out);
  const Json& file = json["files"][0];
  EXPECT_EQ(file["student"], "Ann");
  EXPECT_EQ(file["state"], "ok");
  EXPECT_EQ(file["points"], 4);
  EXPECT_EQ(file["of"], 4);
  EXPECT_EQ(file["seconds"], 240.5);
  EXPECT_EQ(file["hints"], 2);
  EXPECT_EQ(file["steps"][0]["right_answer"], kThird);
  EXPECT_NEAR(file["steps"][1]["right_answer"].get<double>(), 1.442, 0.0005);
  EXPECT_EQ(file["steps"][3]["answer"], Json::array({"log_interval=100"}));
}

}  // namespace
}  // namespace lanescope::app::test
