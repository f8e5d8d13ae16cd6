// A lesson's course: what is hidden until when, which side must run, and what is kept.
#include "model/lesson/lesson_state.h"

#include <gmock/gmock.h>

#include "device/catalogue.h"
#include "lesson/measured.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using experiment::Side;
using lesson::Lesson;
using lesson::measured;
using lesson::Measured;
using lesson::Step;
using namespace std::chrono_literals;

// Steps: a factor of P09, the share of idle time before, a task; P09 with another batch size twice.
Lesson small_lesson() {
  Lesson lesson;
  lesson.name = "small";
  lesson.title.in = {"Small", "小"};
  lesson.steps.resize(5);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    lesson.steps[i].name = "step" + std::to_string(i);
    lesson.steps[i].experiment = "P09";
    lesson.steps[i].minutes = 2;
  }
  lesson.steps[0].question.emplace();
  lesson.steps[0].question->unit = "x";
  lesson.steps[0].question->least = 1;
  lesson.steps[0].question->most = 5;
  lesson.steps[1].question.emplace();
  lesson.steps[1].question->measure = {"gpu_busy_percent", Side::Before};
  lesson.steps[1].question->unit = "%";
  lesson.steps[1].question->choices = {{{}, 50, {}}, {}};
  lesson.steps[2].task.emplace();
  lesson.steps[2].task->goals = {{.figure = "gpu_busy_percent", .least = 80}};
  lesson.steps[2].task->hints.resize(2);
  lesson.steps[3].settings = lesson.steps[4].settings = {"batch_size=512"};
  return lesson;
}

/// The small lesson, from its first step on.
struct Begun : LessonState {
  explicit Begun(const std::string& student = {}) { begin(lesson, student); }
  void after(Clock::duration time) { tick(Clock::time_point(std::chrono::hours(1)) + time); }

  const Lesson lesson = small_lesson();
};

TEST(LessonState, HidesUntilTheQuestionIsAnswered) {
  const Lesson lesson = small_lesson();
  LessonState state;
  EXPECT_FALSE(state.hides());
  state.begin(lesson);
  EXPECT_EQ(state.phase(), LessonPhase::Asking);
  EXPECT_TRUE(state.hides());
  state.give(3.0);
  EXPECT_EQ(state.phase(), LessonPhase::Measuring);
  EXPECT_FALSE(state.hides());
  const Measured before = measured(300, 0.4), after = measured(200, 0.9);
  EXPECT_FALSE(state.take(&before, nullptr, "sim")) << "a factor needs both sides";
  state.expect({1.5, {}, 0});
  EXPECT_TRUE(state.take(&before, &after, "sim"));
  EXPECT_FALSE(state.take(&before, &after, "sim")) << "known already";
  EXPECT_EQ(state.phase(), LessonPhase::Known);
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.5);  // 300 / 200
  state.ask_again();
  EXPECT_EQ(state.phase(), LessonPhase::Asking);
  EXPECT_FALSE(state.now().draft);
}

// The truth follows the run, so that it never differs from the factor shown beside it.
TEST(LessonState, TheTruthFollowsTheRun) {
  Begun state;
  state.give(1.5);
  state.expect({1.5, {}, 0});
  const Measured before = measured(300, 0.4), after = measured(200, 0.9), later = measured(204, 0.9);
  state.take(&before, &after, "sim");
  state.take(&before, &later, "sim");
  EXPECT_DOUBLE_EQ(state.now().truth->value, 300.0 / 204);
  state.take(nullptr, nullptr, "sim");
  EXPECT_DOUBLE_EQ(state.now().truth->value, 300.0 / 204) << "what was known stays when a side is forgotten";
}

// What a cache gives is not seen before it is full: 300 / 290 at first, 1.5 later.
TEST(LessonState, WaitsUntilTheRunHasSettled) {
  Begun state;
  state.give(1.5);
  state.expect({1.5, {}, 0});
  const Measured before = measured(300, 0.4), at_first = measured(290, 0.4), later = measured(202, 0.9);
  EXPECT_FALSE(state.take(&before, &at_first, "sim"));
  EXPECT_EQ(state.phase(), LessonPhase::Measuring);
  EXPECT_DOUBLE_EQ(state.now().so_far->value, 300.0 / 290);
  EXPECT_TRUE(state.take(&before, &later, "sim")) << "1.485 is within 5 % of 1.5";
  EXPECT_DOUBLE_EQ(state.now().truth->value, 300.0 / 202);
}

// On a real GPU there is nothing to compare with.
TEST(LessonState, WithoutAReferenceItIsKnownWhenItStays) {
  Begun state;
  state.after(0s);
  state.give(1.5);
  const Measured before = measured(300, 0.4), after = measured(250, 0.9), later = measured(200, 0.9);
  EXPECT_FALSE(state.take(&before, &after, "cuda:0"));
  state.after(2s);
  EXPECT_FALSE(state.take(&before, &later, "cuda:0")) << "it has changed";
  state.after(4s);
  EXPECT_FALSE(state.take(&before, &later, "cuda:0"));
  state.after(5s);
  EXPECT_TRUE(state.take(&before, &later, "cuda:0")) << "3 s";
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.5);
}

TEST(LessonState, WhatNeverSettlesIsSaidToChange) {
  Begun state;
  state.after(0s);
  state.give(1.5);
  state.expect({1.5, {}, 0});
  const Measured before = measured(300, 0.4), other = measured(250, 0.9), near = measured(200, 0.9);
  state.after(59s);
  EXPECT_FALSE(state.take(&before, &other, "sim"));
  state.after(60s);
  EXPECT_TRUE(state.take(&before, &other, "sim"));
  EXPECT_TRUE(state.now().unsettled);
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.2);
  state.take(&before, &near, "sim");
  EXPECT_FALSE(state.now().unsettled);
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.5);
}

// Whoever comes back after minutes, or turns another knob, still sees what was measured for the question.
TEST(LessonState, WhatIsKnownIsNotReplacedByWhatComesLater) {
  Begun state;
  state.after(0s);
  state.give(1.5);
  const Measured before = measured(300, 0.4), after = measured(200, 0.9), start = measured(290, 0.4);
  EXPECT_FALSE(state.take(&before, &after, "cuda:0"));
  state.after(3s);
  EXPECT_TRUE(state.take(&before, &after, "cuda:0"));
  state.after(200s);
  state.take(&before, &start, "cuda:0");
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.5);
  state.go_to(1);
  state.go_to(0);
  state.after(300s);
  for (int i = 0; i < 10; ++i) {
    state.take(&before, &start, "cuda:0");
    state.after(300s + i * 1s);
  }
  EXPECT_DOUBLE_EQ(state.now().truth->value, 1.5);
  EXPECT_FALSE(state.now().unsettled);
}

TEST(LessonState, TheReferenceIsARunWithoutAWindow) {
  LessonState state;
  state.begin(lesson::lesson_named("one-line"));
  state.go_to(1);
  state.give(1.4);
  state.begin_reference();
  // Of P09: 1.44; any other value is not yet the answer.
  const Measured before = measured(1.44e5, 0.4), after = measured(1e5, 0.9), other = measured(1.3e5, 0.9);
  while (state.reference_busy()) EXPECT_FALSE(state.take(&before, &other, "sim:rtx4090"));
  EXPECT_FALSE(state.take(&before, &other, "sim:rtx4090"));
  EXPECT_TRUE(state.take(&before, &after, "sim:rtx4090"));
}

TEST(LessonState, WantsTheSidesThatTheQuestionIsAbout) {
  Begun state;
  const Measured before = measured(300, 0.4);
  EXPECT_FALSE(state.wanted_side(nullptr, nullptr)) << "nothing is measured before there is an answer";
  state.reveal();
  EXPECT_EQ(state.wanted_side(nullptr, nullptr), Side::Before) << "the change is seen as it happens";
  EXPECT_EQ(state.wanted_side(&before, nullptr), Side::After);
  state.go_to(1);
  state.reveal();
  EXPECT_EQ(state.wanted_side(nullptr, nullptr), Side::Before);
  state.expect({40, {}, 0});
  state.take(&before, nullptr, "sim");
  EXPECT_FALSE(state.wanted_side(&before, nullptr)) << "known: either may run";
  EXPECT_EQ(state.now().truth->choice, 0u);  // 40 % is up to 50 %
}

TEST(LessonState, CountsTheHandsOfAClass) {
  Begun state;
  state.raise_hands(0, 1);
  EXPECT_THAT(state.now().hands, testing::IsEmpty()) << "a number has no choices";
  state.go_to(1);
  state.raise_hands(0, 12);
  state.raise_hands(1, 3);
  state.raise_hands(1, -5);
  state.raise_hands(2, 1);
  EXPECT_THAT(state.now().hands, testing::ElementsAre(12, 0)) << "never less than none, and no third choice";
  state.reveal();
  state.go_to(0);
  state.go_to(1);
  EXPECT_THAT(state.now().hands, testing::ElementsAre(12, 0)) << "they stay on the screen";
  state.ask_again();
  EXPECT_THAT(state.now().hands, testing::ElementsAre(0, 0));
}

TEST(LessonState, ATaskIsSolvedOnceAndKeepsWithWhat) {
  Begun state("Ann");
  state.go_to(2);
  EXPECT_EQ(state.phase(), LessonPhase::Working);
  EXPECT_FALSE(state.hides()) << "a task needs the figures";
  workload::Settings start = workload::default_settings("linear-mse", device::describe_device("sim:rtx4090"));
  workload::Settings now = start;
  now.assign("log_interval=100");
  EXPECT_FALSE(state.take_progress(measured(300, 0.79), start, start, "sim"));
  EXPECT_TRUE(state.take_progress(measured(200, 0.81), start, now, "sim"));
  EXPECT_EQ(state.phase(), LessonPhase::Solved);
  EXPECT_THAT(state.now().settings, testing::ElementsAre("log_interval=100")) << "what was turned";
  EXPECT_FALSE(state.take_progress(measured(200, 0.95), start, start, "sim"));
  EXPECT_THAT(state.now().settings, testing::ElementsAre("log_interval=100")) << "the first solution counts";
  state.take_progress(measured(300, 0.2), start, start, "sim");
  EXPECT_EQ(state.phase(), LessonPhase::Solved);
}

TEST(LessonState, HintsComeByAndBy) {
  Begun state;
  state.go_to(2);
  state.after(0s);
  EXPECT_EQ(state.next_hint_in(), 30);
  state.give_hint();
  EXPECT_EQ(state.now().hints, 0u) << "too early";
  state.after(30s);
  EXPECT_EQ(state.next_hint_in(), 0);
  state.give_hint();
  EXPECT_EQ(state.now().hints, 1u);
  EXPECT_EQ(state.next_hint_in(), 30) << "from the last one";
  state.after(75s);
  state.give_hint();
  EXPECT_EQ(state.now().hints, 2u);
  EXPECT_FALSE(state.next_hint_in()) << "there are two";
}

// 10 s at the first step, 5 s at the second, 1 s more at the first.
TEST(LessonState, CountsTheTimeOfEachStep) {
  Begun state;
  state.after(0s);
  state.after(4s);
  state.give(2.0);
  state.after(10s);
  state.go_to(1);
  state.after(15s);
  state.go_to(0);
  state.after(16s);
  EXPECT_DOUBLE_EQ(state.now().seconds, 11);
  EXPECT_DOUBLE_EQ(state.now().seconds_asked, 4);
  EXPECT_DOUBLE_EQ(state.at(1).seconds, 5);
  EXPECT_DOUBLE_EQ(state.seconds(), 16);
}

TEST(LessonState, StepsWithTheSameRunShareIt) {
  Begun state;
  const experiment::Experiment* first = &state.experiment();
  EXPECT_EQ(first, &experiment::experiment_named("P09"));
  state.go_to(3);
  const experiment::Experiment* own = &state.experiment();
  EXPECT_NE(own, first);
  EXPECT_THAT(own->assignments(Side::After), testing::Contains("batch_size=512"));
  state.go_to(4);
  EXPECT_EQ(&state.experiment(), own);
}

TEST(LessonState, GoesOnFromTheStudentsFile) {
  Begun state("Ann");
  state.after(0s);
  state.after(7s);
  state.give(1.4);
  state.expect({1.5, {}, 0});
  const Measured before = measured(300, 0.4), after = measured(200, 0.9);
  state.take(&before, &after, "sim:rtx4090");
  state.go_to(1);
  state.now().draft = std::size_t{1};
  const lesson::StudentFile file = state.answers();
  ASSERT_EQ(file.steps.size(), 2u) << "the steps that were gone to";
  EXPECT_EQ(file.student, "Ann");
  EXPECT_EQ(file.steps[0].answer, lesson::Answer(1.4));
  EXPECT_DOUBLE_EQ(file.steps[0].seconds, 7);
  EXPECT_FALSE(file.steps[1].answer) << "chosen is not given";

  LessonState again;
  again.begin(state.lesson, "Ann");
  again.restore(file);
  EXPECT_EQ(again.phase_of(0), LessonPhase::Known);
  EXPECT_EQ(again.phase_of(1), LessonPhase::Asking);
  EXPECT_EQ(again.answers().steps[0], file.steps[0]);
}

}  // namespace
}  // namespace lanescope::ui
