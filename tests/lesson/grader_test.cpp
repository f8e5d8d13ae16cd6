// Which runs grading makes, and that it can be stopped.
#include "lesson/grader.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lanescope::lesson {
namespace {

StudentFile solved_with(std::vector<std::string> settings) {
  StudentFile file = new_student_file("Ann", lesson_named("one-line"));
  StepRecord task;
  task.step = "task";
  task.settings = std::move(settings);
  task.solved = true;
  file.steps = {task};
  return file;
}

// 'see' and 'guess' are about both sides of P09, 'rarely' about those of P10, and nobody solved the task: 4 runs. Then
// one for each different solution; P09 as it begins has been run already.
TEST(Grader, MakesEachDistinctRunOnce) {
  Grader grader;
  grader.add("a", new_student_file("Ann", lesson_named("one-line")));
  EXPECT_EQ(grader.runs(), 4u);
  grader.add("b", new_student_file("Bob", lesson_named("one-line")));
  EXPECT_EQ(grader.runs(), 4u);
  grader.add("c", solved_with({"log_interval=100"}));
  EXPECT_EQ(grader.runs(), 5u);
  grader.add("d", solved_with({"log_interval=7", "log_interval=100"}));
  EXPECT_EQ(grader.runs(), 5u) << "the same settings in the end";
  grader.add("e", solved_with({"log_interval=50"}));
  EXPECT_EQ(grader.runs(), 6u);
  grader.add("f", solved_with({}));
  EXPECT_EQ(grader.runs(), 6u);
  StudentFile unknown = solved_with({});
  unknown.lesson = "physics";
  EXPECT_THROW(grader.add("g", unknown), base::UsageError);
  EXPECT_EQ(grader.grades().size(), 6u);
}

TEST(Grader, SaysHowManyRunsAreMadeAndStops) {
  Grader grader;
  grader.add("a", new_student_file("Ann", lesson_named("one-line")));
  std::size_t made = 0;
  const auto count = [&](std::size_t n) {
    EXPECT_GE(n, made);
    made = n;
  };
  EXPECT_FALSE(grader.run(count, [&] { return made == 2; }));
  EXPECT_EQ(made, 2u);
  EXPECT_TRUE(grader.run(count)) << "goes on";
  EXPECT_EQ(made, 4u);
  EXPECT_TRUE(grader.grades()[0].steps[1].truth);
}

TEST(Grader, WhatWasTurnedLeadsToTheSameSettings) {
  const Step& task = lesson_named("one-line").steps.back();
  const workload::Settings start = settings_of(task, Side::Before);
  workload::Settings now = start;
  EXPECT_THAT(turned_between(start, now), testing::IsEmpty());
  now.assign("pinned=true");
  now.assign("log_interval=30");
  now.assign("log_interval=100");
  const std::vector<std::string> turned = turned_between(start, now);
  EXPECT_THAT(turned, testing::UnorderedElementsAre("pinned=true", "log_interval=100"));
  EXPECT_EQ(settings_of(task, Side::Before, turned), now);
}

TEST(Grader, SettingsOfAStepAreThoseItBeginsWith) {
  const Step& task = lesson_named("one-line").steps.back();
  EXPECT_EQ(settings_of(task, Side::Before).integer("log_interval"), 1);
  EXPECT_EQ(settings_of(task, Side::Before, {"log_interval=9"}).integer("log_interval"), 9);
  EXPECT_THROW(settings_of(task, Side::Before, {"log_interval=-9"}), base::UsageError);
}

}  // namespace
}  // namespace lanescope::lesson
