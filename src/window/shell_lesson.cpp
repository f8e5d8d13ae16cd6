// The lesson and the run: a step starts what it is about, a question that was answered gets measured, a task is
// checked.
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "experiment/loop_script.h"
#include "lesson/grader.h"
#include "lesson/student_file.h"
#include "window/shell.h"
#include "workload/common_settings.h"

namespace lanescope::ui {

using experiment::Side;

namespace {

// A simulation that is slow enough to watch may take minutes to fill a cache: after this, it runs in real time.
constexpr double kHurryAfterSeconds = 3;
constexpr std::chrono::milliseconds kFillsFor{900};
constexpr std::size_t kFillsWith = 30;  // iterations

}  // namespace

void Shell::begin_lesson(const lesson::Lesson& lesson, const std::string& student) {
  state_.tour = TourStep::Off;
  state_.hide_answers = false;
  state_.student_file.clear();
  std::size_t first = 0;
  if (!student.empty()) {
    state_.student_file = lesson::student_file_path(std::filesystem::current_path(), student, lesson.name);
    first = continue_lesson(lesson, student);
  } else {
    state_.lesson.begin(lesson);
  }
  start_step(first);
}

// The answers that the file already has stay. Returns the first step without one.
std::size_t Shell::continue_lesson(const lesson::Lesson& lesson, const std::string& student) {
  std::optional<lesson::StudentFile> file;
  if (std::filesystem::exists(state_.student_file)) file = lesson::read_student_file(state_.student_file);
  if (file && (file->student != student || file->lesson != lesson.name)) {
    throw base::FileError(base::tr("{} has the answers of {} in '{}'; move it away, or use another name",
                                   state_.student_file.string(), file->student, file->lesson));
  }
  state_.lesson.begin(lesson, student);
  if (file) state_.lesson.restore(*file);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonPhase phase = state_.lesson.phase_of(i);
    if (phase == LessonPhase::Asking || phase == LessonPhase::Working) return i;
  }
  return lesson.steps.size() - 1;
}

void Shell::start_step(std::size_t number) {
  LessonState& lesson = state_.lesson;
  lesson.go_to(number);
  const experiment::Experiment& e = lesson.experiment();
  state_.experiment.of_step = &e;
  state_.hide_answers = false;
  const Side side = lesson.step().side;
  const bool runs = state_.experiment.active && &state_.experiment.active->experiment() == &e &&
                    state_.model.running() && flips_in_place(e);
  if (!runs) return start_experiment(e, side);
  state_.selection.clear();
  restore_settings(side);
  begin_view();
}

// As the step has them, whatever was turned since. Nothing happens if nothing was.
void Shell::restore_settings(Side side) {
  if (!state_.model.steering() || !state_.model.running()) return;
  const experiment::Experiment& e = state_.experiment.active->experiment();
  const workload::Settings wanted = experiment::start_settings(e, side, state_.model.source().device());
  const workload::Settings now = state_.model.steering()->settings();
  const std::vector<std::string> turned = lesson::turned_between(now, wanted);
  if (!turned.empty()) state_.model.assign(turned);
  state_.experiment.active->set_side(side);
}

void Shell::follow_lesson() {
  LessonState& lesson = state_.lesson;
  lesson.tick(base::now());
  if (lesson.renew()) state_.requests.step = lesson.number();
  if (!on_stage(state_) || !state_.model.steering()) return;
  const ActiveExperiment& active = *state_.experiment.active;
  const experiment::Measured* before = active.measured(Side::Before);
  const experiment::Measured* after = active.measured(Side::After);
  const std::string device = state_.model.source().device().id;
  const bool begins = lesson.phase() != kept_phase_ || lesson.number() != kept_step_;
  if (begins && lesson.phase() == LessonPhase::Measuring && state_.model.simulated() &&
      device == active.experiment().device_of(active.side())) {
    lesson.begin_reference();
  }
  bool news = lesson.take(before, after, device);
  if (const auto side = lesson.wanted_side(before, after)) {
    const bool there = active.side() == *side && active.side_of(state_.model.steering()->settings()) == side;
    if (!there && flips_in_place(active.experiment())) {
      restore_settings(*side);
    } else if (!there) {
      state_.requests.side = *side;
    }
  }
  const Model& model = state_.model;
  if (lesson.step().task && model.recent_number() != task_seen_ && model.recent_is_current() &&
      model.recent().pace.known()) {
    task_seen_ = model.recent_number();
    const workload::Settings settings = model.steering()->settings();
    const experiment::Measured now{model.recent(), model.steering()->figures(), workload::batch_size_of(settings)};
    const workload::Settings start =
        experiment::start_settings(active.experiment(), lesson.step().side, model.source().device());
    news = lesson.take_progress(now, start, settings, device) || news;
  }
  const bool moved = lesson.number() != kept_step_;
  const bool answered = lesson.phase() != kept_phase_;
  kept_step_ = lesson.number();
  kept_phase_ = lesson.phase();
  if (news || moved || answered) keep_answers();
}

// Until the answer is known, or the launch queue has filled; then the speed is what it was, unless somebody has chosen
// another since.
void Shell::hurry_measurement() {
  const LessonState& lesson = state_.lesson;
  Model& model = state_.model;
  const auto go_at = [&](double speed) {
    model.set_speed(speed);
    state_.experiment.auto_speed.set = speed;
  };
  const bool steady = model.paused() || !model.running() ||
                      (model.recent_is_current() && model.recent().pace.basis != analysis::PaceBasis::QueueMoves);
  const auto now = base::now();
  const std::size_t iterations = model.analysis().records().size();
  if (steady || !state_.experiment.active || !state_.experiment.auto_speed.on || iterations < unsteady_from_) {
    unsteady_since_ = now;
    unsteady_from_ = iterations;
  }
  const bool fills = now - unsteady_since_ > kFillsFor && iterations >= unsteady_from_ + kFillsWith;
  const bool takes_long = fills || (lesson.on() && lesson.phase() == LessonPhase::Measuring &&
                                    lesson.now().seconds - lesson.now().seconds_asked > kHurryAfterSeconds);
  if (hurried_from_ && model.speed() != 1) hurried_from_.reset();
  if (takes_long && !hurried_from_ && model.virtual_time() && model.speed() < 1) {
    hurried_from_ = model.speed();
    go_at(1);
  } else if (!takes_long && hurried_from_) {
    if (model.virtual_time() && model.speed() == 1) go_at(*hurried_from_);
    hurried_from_.reset();
  }
}

void Shell::keep_answers() {
  if (state_.lesson.student().empty() || state_.student_file.empty()) return;
  try {
    lesson::write_student_file(state_.student_file, state_.lesson.answers());
  } catch (const base::Error& error) {
    state_.show_toast(error.what(), true);
  }
}

}  // namespace lanescope::ui
