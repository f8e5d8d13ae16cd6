// The actions of lessons and of presenting.
#include "desk/action_checks.h"

namespace lanescope::ui_test {

using ui::Action;
using ui::LessonPhase;

namespace {

// At a step of a lesson, that runs.
void at_step(Desk& desk, const char* lesson, std::size_t step) {
  desk.state().requests.lesson = &lesson::lesson_named(lesson);
  desk.until([&] { return ui::on_stage(desk.state()); });
  if (step == 0) return;
  desk.state().requests.step = step;
  desk.until([&] { return desk.state().lesson.number() == step && ui::on_stage(desk.state()); });
}

}  // namespace

std::vector<ActionCheck> lesson_checks() {
  const auto first = [](Desk& desk) { at_step(desk, "one-line", 0); };
  return {
      {Action::Lessons, {}, [](Desk& desk) { return desk.has_place("lessons.one-line"); }},
      {Action::NextStep, first, [](Desk& desk) { return desk.state().lesson.number() == 1; }},
      {Action::PreviousStep, [](Desk& desk) { at_step(desk, "one-line", 1); },
       [](Desk& desk) { return desk.state().lesson.number() == 0; }},
      {Action::Reveal, first, [](Desk& desk) { return desk.state().lesson.phase() == LessonPhase::Known; }},
      {Action::AskAgain,
       [first](Desk& desk) {
         first(desk);
         desk.state().lesson.give(std::size_t{0});
       },
       [](Desk& desk) { return desk.state().lesson.phase() == LessonPhase::Asking; }},
      {Action::Hint, [](Desk& desk) { at_step(desk, "one-line", 3); },
       [](Desk& desk) { return desk.state().toast.has_value(); }},
      {Action::EndLesson, first, [](Desk& desk) { return !desk.state().lesson.on(); }},
      {Action::HideAnswers, {}, [](Desk& desk) { return desk.has_place("hidden"); }},
      {Action::StoryColumn, [](Desk& desk) { desk.state().presentation.on = desk.state().presentation.story = true; },
       [](Desk& desk) { return !desk.state().presentation.story; }},
  };
}

}  // namespace lanescope::ui_test
