// Grading by measurement: hand-made measurements, and every question and task of the lessons on its own runs.
#include "lesson/grade.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "lesson/measured.h"
#include "lesson/solutions.h"

namespace lanescope::lesson {
namespace {

Question number_question() {
  Question q;
  q.unit = "x";
  q.least = 1;
  q.most = 5;
  q.tolerance = 0.1;
  return q;
}

// 300 ns against 200: 1.5 times as fast. Right is from 1.35 to 1.65.
TEST(Grade, ANumberIsRightWithinItsTolerance) {
  const Question q = number_question();
  const Measured before = measured(300, 0.5), after = measured(200, 0.9);
  const auto truth = truth_of(q, &before, &after);
  ASSERT_TRUE(truth);
  EXPECT_DOUBLE_EQ(truth->value, 1.5);
  EXPECT_TRUE(is_right(q, *truth, 1.36));
  EXPECT_TRUE(is_right(q, *truth, 1.64));
  EXPECT_FALSE(is_right(q, *truth, 1.34));
  EXPECT_FALSE(is_right(q, *truth, 1.66));
  EXPECT_FALSE(truth_of(q, &before, nullptr)) << "the other side has not run";
  Measured fills = after;
  fills.summary.pace.ns = 0;
  EXPECT_FALSE(truth_of(q, &before, &fills)) << "no whole period yet";
}

TEST(Grade, ExactlyOneChoiceIsRightForEveryValue) {
  Question q;
  q.measure.figure = "gpu_busy_percent";
  q.unit = "%";
  q.choices = {{{}, 10, {}}, {{}, 50, {}}, {}};
  for (const auto& [share, right] : std::map<double, std::size_t>{{0.0, 0}, {0.1, 0}, {0.11, 1}, {0.5, 1}, {0.9, 2}}) {
    const Measured after = measured(200, share);
    const auto truth = truth_of(q, nullptr, &after);
    ASSERT_TRUE(truth);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(is_right(q, *truth, i), i == right) << share;
  }
}

TEST(Grade, AVerdictIsChosenByItsKey) {
  Question q;
  q.measure = {"verdict", Side::Before};
  q.choices = {{{}, {}, "sync-bound"}, {{}, {}, "gpu-bound"}, {}};
  Measured before = measured(200, 1);
  EXPECT_FALSE(truth_of(q, &before, nullptr)) << "no verdict yet";
  before.summary.verdict.kind = analysis::VerdictKind::GpuBound;
  EXPECT_EQ(truth_of(q, &before, nullptr)->choice, 1u);
  before.summary.verdict.kind = analysis::VerdictKind::LoaderBound;
  EXPECT_EQ(truth_of(q, &before, nullptr)->choice, 2u) << "something else";
}

TEST(Grade, ATaskIsDoneWhenItsGoalsAreReachedAndNothingElseWasTurned) {
  Task task;
  task.goals = {{"gpu_busy_percent", 90}};
  task.keep = {"batch_size"};
  const auto start = workload::default_settings("linear-mse", device::describe_device("sim:rtx4090"));
  auto now = start;
  now.assign("log_interval=100");
  EXPECT_TRUE(progress_of(task, measured(200, 0.95), start, now).done());
  EXPECT_FALSE(progress_of(task, measured(200, 0.85), start, now).done());
  now.assign("batch_size=4096");
  const Progress cheated = progress_of(task, measured(200, 0.95), start, now);
  EXPECT_FALSE(cheated.done());
  EXPECT_THAT(cheated.changed, testing::ElementsAre("batch_size"));
  EXPECT_TRUE(cheated.goals[0].reached);
}

// --- the lessons ---------------------------------------------------------------------------------------------------

const std::vector<std::string> kNothing;

const Measured& run(const Step& step, Side side, const std::vector<std::string>& more = kNothing) {
  static std::map<std::string, Measured> kept;
  const Experiment e = experiment_of(step);
  std::vector<std::string> assignments = e.assignments(side);
  assignments.insert(assignments.end(), more.begin(), more.end());
  std::string key = e.id + std::string(side_key(side));
  for (const std::string& assignment : assignments) key += " " + assignment;
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  experiment::MeasuredRun run(side_options(e, side, {.device = {}, .iterations = 0, .assignments = more}));
  run.run();
  return kept[key] = run.measured();
}

// What a good student answers. The lesson's texts say the same, so they must be right on the simulated machine.
const std::map<std::string, Answer> kRight = {
    {"why-the-gpu-waits/launching", 1.9},
    {"why-the-gpu-waits/timing", 110.0},
    {"why-the-gpu-waits/item", 1.4},
    {"why-the-gpu-waits/print", std::size_t{3}},
    {"why-the-gpu-waits/branch", std::size_t{1}},
    {"why-the-gpu-waits/pinned", 2.2},
    {"why-the-gpu-waits/cpu-or-gpu", std::size_t{0}},
    {"one-line/see", std::size_t{2}},
    {"one-line/guess", 1.4},
    {"one-line/rarely", std::size_t{2}},
    {"when-a-sync-is-free/fast-cpu", 1.4},
    {"when-a-sync-is-free/slow-cpu", std::size_t{1}},
    {"when-a-sync-is-free/long-kernels", std::size_t{0}},
    {"when-a-sync-is-free/whose-pace", std::size_t{3}},
    {"feeding-the-gpu/faster-gpu", std::size_t{0}},
    {"feeding-the-gpu/cache", 1.9},
    {"feeding-the-gpu/options", std::size_t{1}},
    {"feeding-the-gpu/bytes", std::size_t{1}},
    {"lab/warm-up", std::size_t{1}},
    {"lab/memory", std::size_t{1}},
};

TEST(Lessons, EveryQuestionHasAnAnswerAndEveryTaskASolution) {
  std::size_t questions = 0, tasks = 0;
  for (const Lesson& lesson : lessons()) {
    for (const Step& step : lesson.steps) {
      const std::string name = lesson.name + "/" + step.name;
      SCOPED_TRACE(name);
      const Experiment e = experiment_of(step);
      const Measured &before = run(step, Side::Before), &after = run(step, Side::After);
      if (step.question) {
        ++questions;
        const auto truth = truth_of(*step.question, &before, &after);
        ASSERT_TRUE(truth);
        ASSERT_TRUE(kRight.contains(name));
        EXPECT_TRUE(is_right(*step.question, *truth, kRight.at(name)))
            << truth->value << truth->verdict << " choice " << truth->choice;
        if (step.question->choices.empty()) {
          EXPECT_GT(truth->value, step.question->least);
          EXPECT_LT(truth->value, step.question->most);
        }
      }
      if (step.task) {
        ++tasks;
        workload::Settings start =
            workload::default_settings(e.workload, device::describe_device(e.device_of(step.side)));
        for (const std::string& a : e.assignments(step.side)) start.assign(a);
        const Measured& begun = step.side == Side::Before ? before : after;
        EXPECT_FALSE(progress_of(*step.task, begun, start, start).done()) << "nothing is left to do";
        ASSERT_TRUE(kSolutions.contains(name));
        workload::Settings solved = start;
        for (const std::string& a : kSolutions.at(name)) solved.assign(a);
        const Progress progress = progress_of(*step.task, run(step, step.side, kSolutions.at(name)), start, solved);
        EXPECT_TRUE(progress.done()) << progress.goals[0].value.value_or(-1);
        EXPECT_GE(step.task->hints.size(), 2u);
      }
    }
  }
  EXPECT_EQ(questions, kRight.size());
  EXPECT_EQ(tasks, kSolutions.size());
}

// 8 workers with 16 batches of 4 samples of 588 KiB: 294 MiB; with 2 batches 36.75 MiB. The queue is shorter at the
// start and the end of an epoch.
TEST(Lessons, ALongerQueueOfBatchesTakesMemoryAndGainsNothing) {
  const Lesson& lab = lesson_named("lab");
  const auto step = std::ranges::find(lab.steps, "memory", &Step::name);
  ASSERT_NE(step, lab.steps.end());
  const Measured &before = run(*step, Side::Before), &after = run(*step, Side::After);
  Question question;
  question.measure = {"own.ram_mib", Side::After};
  question.unit = "MiB";
  const auto memory = truth_of(question, &before, &after);
  question.measure.of = Side::Before;
  const auto memory_before = truth_of(question, &before, &after);
  ASSERT_TRUE(memory && memory_before);
  EXPECT_NEAR(memory->value, 294, 0.05 * 294);
  EXPECT_NEAR(memory_before->value, 36.75, 0.05 * 36.75);
  EXPECT_NEAR(gain_between(before, after).factor, 1, 0.01);
}

// Numbers and shares that the lessons' texts name, in the order of the lessons: what a student reads must be what the
// run shows. The words stand for: nearly all the time: over 90 %; most of the time: over 60 %; half of it: 40 to 60 %.
TEST(Lessons, WhatTheTextsSayIsMeasured) {
  struct Claim {
    const char *lesson, *step;
    Side side;
    const char* figure;
    double least, most;
  };
  const Claim claims[] = {
      // "This loop synchronises twice in each iteration."
      {"why-the-gpu-waits", "launching", Side::Before, "syncs_per_iteration", 1.9, 2.1},
      // "The correct number is several times the first one."
      {"why-the-gpu-waits", "timing", Side::Before, "own.stopwatch_us", 5, 40},
      // "One number can be read once, or eight times", as the lab says of the same loop
      {"why-the-gpu-waits", "print", Side::Before, "syncs_per_iteration", 7.9, 8.1},
      // "a read of one byte" in each iteration, whose bubble "is short beside the kernels of this model"
      {"why-the-gpu-waits", "branch", Side::Before, "gpu_busy_percent", 80, 95},
      {"why-the-gpu-waits", "branch", Side::Before, "syncs_per_iteration", 0.9, 1.1},
      // "The GPU idles nearly all the time."
      {"why-the-gpu-waits", "cpu-or-gpu", Side::After, "bubble_percent", 90, 100},
      // "Without the read, the GPU never idles."
      {"when-a-sync-is-free", "fast-cpu", Side::After, "bubble_percent", 0, 1},
      // "Without the read, the GPU still idles most of the time."
      {"when-a-sync-is-free", "slow-cpu", Side::After, "bubble_percent", 60, 100},
      // "in most of each iteration the CPU stands there and waits"; the bubble is short
      {"when-a-sync-is-free", "long-kernels", Side::Before, "host_wait_us", 800, 1014},
      {"when-a-sync-is-free", "long-kernels", Side::Before, "bubble_percent", 0, 5},
      // Somebody wants a faster GPU for one that idles half of the time.
      {"feeding-the-gpu", "faster-gpu", Side::Before, "bubble_percent", 40, 60},
      // "Half of the time the GPU has nothing to do."
      {"lab", "loader", Side::Before, "bubble_percent", 40, 60},
      // "the GPU idles most of the time"
      {"lab", "small", Side::Before, "bubble_percent", 60, 100},
      // "The GPU is busy, but with what?"
      {"lab", "copies", Side::Before, "gpu_busy_percent", 80, 100},
      {"lab", "copies", Side::Before, "kernel_percent", 0, 60},
  };
  for (const Claim& claim : claims) {
    SCOPED_TRACE(std::string(claim.lesson) + "/" + claim.step + " " + claim.figure);
    const Lesson& lesson = lesson_named(claim.lesson);
    const auto step = std::ranges::find(lesson.steps, claim.step, &Step::name);
    ASSERT_NE(step, lesson.steps.end());
    Question question;
    question.measure = {claim.figure, claim.side};
    const std::string figure = claim.figure;
    question.unit = figure.starts_with("own.") ? "µs" : experiment::figure_info(figure).unit;
    const Measured& measured = run(*step, claim.side);
    const auto truth =
        claim.side == Side::Before ? truth_of(question, &measured, nullptr) : truth_of(question, nullptr, &measured);
    ASSERT_TRUE(truth);
    EXPECT_GE(truth->value, claim.least);
    EXPECT_LE(truth->value, claim.most);
  }
}

}  // namespace
}  // namespace lanescope::lesson
