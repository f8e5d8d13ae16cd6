// The lesson in the window: which step it is at, what was answered, and whether the answer may be seen yet.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"
#include "lesson/grade.h"
#include "lesson/lesson.h"
#include "lesson/student_file.h"

namespace lanescope::ui {

enum class LessonPhase : std::uint8_t {
  Reading,    ///< the step asks nothing
  Asking,     ///< its question has no answer yet, so nothing may give it away
  Measuring,  ///< answered; the sides that the answer is about are being measured
  Known,      ///< answered and measured
  Working,    ///< at its task
  Solved,
};

/// What was done at one step.
struct StepState {
  std::optional<lesson::Answer> draft;   ///< chosen, but not given
  std::optional<lesson::Answer> answer;  ///< of one person, or of the class where it is a number
  std::vector<int> hands;                ///< of a class: how many raised theirs, per choice
  bool revealed = false;
  std::optional<lesson::Truth> so_far;  ///< as measured here, but it may still be changing
  std::optional<lesson::Truth> truth;   ///< the same, once it has settled,
  bool unsettled = false;               ///< or was still changing after a minute
  lesson::Progress progress;            ///< of a task, as last measured
  bool solved = false;
  std::vector<std::string> settings;  ///< "key=value", what was turned when it was solved
  std::string device;                 ///< on which it was measured
  std::size_t hints = 0;              ///< given
  double seconds = 0;                 ///< spent at it
  double seconds_asked = 0;           ///< until it was answered or solved
  double last_hint = 0;               ///< when the last hint was given, in seconds
  std::string begun;                  ///< UTC; empty: the step was not gone to
};

class LessonState {
 public:
  using Clock = std::chrono::steady_clock;
  using Side = experiment::Side;
  /// Before the first hint, and from one to the next: a person should try first.
  static constexpr double kHintAfterSeconds = 30;

  /// The lesson must outlive this object. `student`: whose answers these are; empty: nobody's.
  void begin(const lesson::Lesson& lesson, std::string student = {});
  void end() { lesson_ = nullptr; }
  /// The lesson's file was changed: goes on in what it says now, with the answers to the steps that still have their
  /// names. False: it still says the same.
  bool renew();
  bool on() const { return lesson_ != nullptr; }
  const lesson::Lesson& lesson() const { return *lesson_; }
  const std::string& student() const { return student_; }

  std::size_t number() const { return number_; }  ///< of the step, from 0
  const lesson::Step& step() const { return lesson_->steps[number_]; }
  StepState& now() { return steps_[number_]; }
  const StepState& now() const { return steps_[number_]; }
  StepState& at(std::size_t step) { return steps_[step]; }
  const StepState& at(std::size_t step) const { return steps_[step]; }
  LessonPhase phase() const { return phase_of(number_); }
  LessonPhase phase_of(std::size_t step) const;
  /// Nothing may be shown that gives the answer away.
  bool hides() const { return on() && phase() == LessonPhase::Asking; }
  void go_to(std::size_t step);
  /// What the step runs. The reference stays valid as long as this object.
  const experiment::Experiment& experiment();

  /// Gives the answer, and so reveals what was measured.
  void give(const lesson::Answer& answer);
  /// Without an answer of one's own.
  void reveal();
  void raise_hands(std::size_t choice, int by);
  /// The same question once more.
  void ask_again();

  /// A run does not have its pace at once: queues and caches fill. On a simulated device, the answer is known when what
  /// is measured here agrees with runs without a window, which are made meanwhile; otherwise when it has hardly changed
  /// for some seconds. A run that does neither counts after a minute.
  static constexpr double kNear = 0.05, kSteady = 0.02, kSteadySeconds = 3, kPatienceSeconds = 60;
  /// Makes those runs, in the background, for the step's question.
  void begin_reference();
  bool reference_busy() const { return reference_.busy(); }
  /// What they would give.
  void expect(const lesson::Truth& truth) { expected_ = truth; }

  /// The side that must run now, so that the answer gets known; empty: either may.
  std::optional<Side> wanted_side(const lesson::Measured* before, const lesson::Measured* after) const;
  /// What was measured on both sides so far, null: nothing yet. True: the answer became known by it.
  bool take(const lesson::Measured* before, const lesson::Measured* after, const std::string& device);
  /// The task's run, as just measured with `settings`; the step began with `start`. True: it is solved now.
  bool take_progress(const lesson::Measured& now, const workload::Settings& start, const workload::Settings& settings,
                     const std::string& device);

  /// Seconds until the next hint may be given; empty: there is none.
  std::optional<double> next_hint_in() const;
  void give_hint();

  /// What is kept of all this in the student's file, and back.
  lesson::StudentFile answers() const;
  void restore(const lesson::StudentFile& file);

  /// Once per frame: counts the time.
  void tick(Clock::time_point now);
  /// At all steps together.
  double seconds() const;

 private:
  bool settled(const lesson::Truth& truth);
  bool out_of_patience() const { return now().seconds - now().seconds_asked >= kPatienceSeconds; }
  void forget_measurement();

  const lesson::Lesson* lesson_ = nullptr;
  std::string student_;
  std::size_t number_ = 0;
  std::vector<StepState> steps_;
  std::map<std::size_t, const experiment::Experiment*> runs_;  // of the steps that were gone to
  std::deque<experiment::Experiment> own_runs_;  // never shrinks: one of them may still be running after the lesson
  base::BackgroundJob<std::optional<lesson::Truth>> reference_;
  std::optional<lesson::Truth> expected_;  // by the reference
  std::optional<double> steady_;           // the value that has hardly changed
  double steady_since_ = 0;                // in seconds at the step
  Clock::time_point ticked_{};
};

}  // namespace lanescope::ui
