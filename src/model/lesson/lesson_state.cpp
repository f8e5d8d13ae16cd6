#include "model/lesson/lesson_state.h"

#include <algorithm>
#include <cmath>

#include "lesson/grader.h"
#include "lesson/own_lessons.h"

namespace lanescope::ui {

using lesson::Measured;
using lesson::Question;
using lesson::Step;

namespace {

bool same_run(const Step& a, const Step& b) {
  return a.experiment == b.experiment && a.workload == b.workload && a.device == b.device && a.before == b.before &&
         a.after == b.after && a.settings == b.settings && a.view == b.view && (a.side == b.side || !a.view) &&
         (!a.experiment.empty() || a.name == b.name);
}

bool plain(const Step& step) {
  return !step.experiment.empty() && step.device.empty() && step.settings.empty() && !step.view;
}

}  // namespace

void LessonState::begin(const lesson::Lesson& lesson, std::string student) {
  lesson_ = &lesson;
  student_ = std::move(student);
  steps_.assign(lesson.steps.size(), {});
  runs_.clear();
  ticked_ = {};
  go_to(0);
}

bool LessonState::renew() {
  if (!on()) return false;
  const lesson::Lesson& newest = lesson::newest_version(*lesson_);
  if (&newest == lesson_) return false;
  const lesson::Lesson& old = *std::exchange(lesson_, &newest);
  const std::vector<StepState> states = std::exchange(steps_, std::vector<StepState>(newest.steps.size()));
  const std::string here = old.steps[number_].name;
  std::size_t at = number_;
  for (std::size_t i = 0; i < newest.steps.size(); ++i) {
    const auto same = std::ranges::find(old.steps, newest.steps[i].name, &Step::name);
    if (same == old.steps.end()) continue;
    // What another question was answered with means nothing to this one.
    if (same->question == newest.steps[i].question && same->task == newest.steps[i].task) {
      steps_[i] = states[static_cast<std::size_t>(same - old.steps.begin())];
    }
    if (same->name == here) at = i;
  }
  runs_.clear();
  go_to(at);
  return true;
}

LessonPhase LessonState::phase_of(std::size_t step) const {
  const StepState& state = steps_[step];
  if (lesson_->steps[step].task) return state.solved ? LessonPhase::Solved : LessonPhase::Working;
  if (!lesson_->steps[step].question) return LessonPhase::Reading;
  if (!state.revealed) return LessonPhase::Asking;
  return state.truth ? LessonPhase::Known : LessonPhase::Measuring;
}

void LessonState::go_to(std::size_t step) {
  number_ = std::min(step, steps_.size() - 1);
  if (now().begun.empty()) now().begun = lesson::utc_text(std::chrono::system_clock::now());
  const std::optional<Question>& question = this->step().question;
  if (question) now().hands.resize(question->choices.size());
  forget_measurement();
  if (now().truth && !now().unsettled) expected_ = now().truth;
}

const experiment::Experiment& LessonState::experiment() {
  const Step& here = step();
  if (plain(here)) return experiment::experiment_named(here.experiment);
  if (const auto found = runs_.find(number_); found != runs_.end()) return *found->second;
  for (const auto& [other, run] : runs_) {
    if (same_run(lesson_->steps[other], here)) return *(runs_[number_] = run);
  }
  own_runs_.push_back(experiment_of(here));
  return *(runs_[number_] = &own_runs_.back());
}

void LessonState::give(const lesson::Answer& answer) {
  now().draft = now().answer = answer;
  reveal();
}

void LessonState::reveal() {
  if (!step().question || now().revealed) return;
  now().revealed = true;
  now().seconds_asked = now().seconds;
}

void LessonState::raise_hands(std::size_t choice, int by) {
  if (choice >= now().hands.size()) return;
  now().hands[choice] = std::clamp(now().hands[choice] + by, 0, 999);
}

void LessonState::ask_again() {
  if (!step().question) return;
  StepState& state = now();
  state.draft.reset();
  state.answer.reset();
  state.so_far.reset();
  state.truth.reset();
  state.revealed = false;
  forget_measurement();
  std::ranges::fill(state.hands, 0);
}

std::optional<LessonState::Side> LessonState::wanted_side(const Measured* before, const Measured* after) const {
  if (phase() != LessonPhase::Measuring) return std::nullopt;
  const lesson::Measure& measure = step().question->measure;
  if (measure.figure != "factor") return measure.of;
  // The change is seen as it happens: the side that the step began with first.
  const Side first = step().side, second = first == Side::Before ? Side::After : Side::Before;
  const Measured* of_first = first == Side::Before ? before : after;
  return of_first == nullptr ? first : second;
}

void LessonState::begin_reference() {
  if (!step().question) return;
  reference_.start([step = step()](const base::Stop& stop) -> std::optional<lesson::Truth> {
    lesson::StepRuns runs;
    const std::size_t before = runs.need(step, Side::Before), after = runs.need(step, Side::After);
    if (!runs.run({}, [&] { return stop.load(); })) return std::nullopt;
    for (const std::size_t run : {before, after}) {
      if (!runs[run].error.empty()) return std::nullopt;
    }
    return lesson::truth_of(*step.question, &runs[before].measured, &runs[after].measured);
  });
}

void LessonState::forget_measurement() {
  reference_.supersede();
  expected_.reset();
  steady_.reset();
}

bool LessonState::settled(const lesson::Truth& truth) {
  if (const auto made = reference_.take()) expected_ = *made;
  const bool waits_for_reference = reference_.busy();
  const Question& question = *step().question;
  if (expected_) {
    const double off = std::abs(truth.value - expected_->value);
    const bool same = truth.choice == expected_->choice && truth.verdict == expected_->verdict;
    // Where the answer is one of several choices, the choice matters more than the last percent.
    const double near = question.choices.empty() ? kNear : 2 * kNear;
    if (same && (question.measure.figure == "verdict" || off <= near * std::abs(expected_->value) ||
                 (question.unit == "%" && off <= 1))) {
      return true;
    }
  } else if (!steady_ || std::abs(truth.value - *steady_) > kSteady * std::abs(*steady_)) {
    steady_ = truth.value;
    steady_since_ = now().seconds;
  } else if (!waits_for_reference && now().seconds - steady_since_ >= kSteadySeconds) {
    return true;
  }
  return false;
}

bool LessonState::take(const Measured* before, const Measured* after, const std::string& device) {
  if (phase() != LessonPhase::Measuring && phase() != LessonPhase::Known) return false;
  const auto truth = lesson::truth_of(*step().question, before, after);
  if (!truth) return false;
  now().so_far = truth;
  const bool first = !now().truth;
  const bool has_settled = settled(*truth);
  // Once known, it follows the run's small changes, but is never replaced by what other settings or a new start give.
  if (!has_settled && !(first && out_of_patience())) return false;
  if (has_settled && !expected_) expected_ = truth;
  now().unsettled = !has_settled;
  now().truth = truth;
  now().device = device;
  return first;
}

bool LessonState::take_progress(const Measured& measured, const workload::Settings& start,
                                const workload::Settings& settings, const std::string& device) {
  if (!step().task) return false;
  StepState& state = now();
  state.progress = progress_of(*step().task, measured, start, settings);
  if (state.solved || !state.progress.done()) return false;
  state.solved = true;
  state.seconds_asked = state.seconds;
  state.device = device;
  state.settings = lesson::turned_between(start, settings);
  return true;
}

std::optional<double> LessonState::next_hint_in() const {
  if (phase() != LessonPhase::Working || now().hints >= step().task->hints.size()) return std::nullopt;
  return std::max(0.0, kHintAfterSeconds - (now().seconds - now().last_hint));
}

void LessonState::give_hint() {
  if (next_hint_in() != 0.0) return;
  ++now().hints;
  now().last_hint = now().seconds;
}

lesson::StudentFile LessonState::answers() const {
  lesson::StudentFile file = lesson::new_student_file(student_, *lesson_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const StepState& state = steps_[i];
    if (state.begun.empty()) continue;
    const bool done = state.revealed || state.solved;
    file.steps.push_back({.step = lesson_->steps[i].name,
                          .answer = state.answer,
                          .begun = state.begun,
                          .seconds = done ? state.seconds_asked : state.seconds,
                          .hints = static_cast<int>(state.hints),
                          .settings = state.settings,
                          .solved = state.solved,
                          .seen = state.truth,
                          .device = state.device});
  }
  return file;
}

void LessonState::restore(const lesson::StudentFile& file) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const lesson::StepRecord* record = file.record(lesson_->steps[i].name);
    if (!record) continue;
    StepState& state = steps_[i];
    state.draft = state.answer = record->answer;
    state.revealed = record->answer.has_value();
    state.truth = record->seen;
    state.solved = record->solved;
    state.settings = record->settings;
    state.device = record->device;
    state.hints = static_cast<std::size_t>(record->hints);
    state.seconds = state.seconds_asked = record->seconds;
    state.begun = record->begun;
  }
}

void LessonState::tick(Clock::time_point now) {
  if (!on()) return;
  if (ticked_ != Clock::time_point{}) this->now().seconds += std::chrono::duration<double>(now - ticked_).count();
  ticked_ = now;
}

double LessonState::seconds() const {
  double sum = 0;
  for (const StepState& step : steps_) sum += step.seconds;
  return sum;
}

}  // namespace lanescope::ui
