// The actions of a lesson and of presenting.
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/platform/page.h"
#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/keys.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string no_lesson(const ShellState& state) {
  if (state.lesson.on()) return {};
  return tr("no lesson is open; they are in the gallery ({})", key_text(info(Action::Gallery).keys.front()));
}

std::string nothing_asked(const ShellState& state) {
  if (std::string why = no_lesson(state); !why.empty()) return why;
  return state.lesson.phase() == LessonPhase::Asking ? "" : tr("no question is open");
}

// What is kept for grading is a prediction: made before the answer was seen, and made once.
std::string first_answer_counts(const ShellState& state) {
  if (std::string why = no_lesson(state); !why.empty()) return why;
  if (state.lesson.student().empty()) return {};
  return tr("the answers of {} are kept: the first one counts", state.lesson.student());
}

void reveal(ShellState& state) {
  LessonState& lesson = state.lesson;
  if (!lesson.student().empty() && !lesson.now().draft) {
    return state.show_toast(lesson.step().question->choices.empty() ? tr("Move the slider first")
                                                                    : tr("Choose one first"));
  }
  if (lesson.now().draft) {
    lesson.give(*lesson.now().draft);
  } else {
    lesson.reveal();
  }
}

// Of an audience, the next thing to see is the answer; a person at a desk gives one first.
void next_step(ShellState& state) {
  LessonState& lesson = state.lesson;
  if (state.presentation.on && lesson.hides()) return reveal(state);
  if (lesson.number() + 1 < lesson.lesson().steps.size()) {
    state.requests.step = lesson.number() + 1;
  } else {
    state.show_toast(tr("This was the last step."));
  }
}

void previous_step(ShellState& state) {
  if (state.lesson.number() > 0) state.requests.step = state.lesson.number() - 1;
}

void hint(ShellState& state) {
  const auto seconds = state.lesson.next_hint_in();
  if (!seconds) return state.show_toast(tr("There is no hint here."));
  if (*seconds > 0) return state.show_toast(tr("The next hint comes in {} s: try first.", std::ceil(*seconds)));
  state.lesson.give_hint();
}

void toggle_hidden(ShellState& state) {
  state.hide_answers = !state.hide_answers;
  state.show_toast(state.hide_answers ? tr("Answers are hidden: verdict, cards, published numbers, factor, correction")
                                      : tr("Answers are shown"));
}

std::string not_presenting(const ShellState& state) {
  if (state.presentation.on) return {};
  return tr("only while presenting ({})", key_text(info(Action::Presentation).keys.front()));
}

// In a page the student's file is in the browser's store, from where nobody could hand it in.
void end_lesson(ShellState& state) {
  state.lesson.end();
  if (!base::kInPage || state.student_file.empty()) return;
  std::error_code none;
  std::filesystem::copy_file(state.student_file, picture_folder(state.preferences) / state.student_file.filename(),
                             std::filesystem::copy_options::overwrite_existing, none);
}

}  // namespace

std::vector<ActionInfo> lesson_actions() {
  return {
      {Action::Lessons,
       ActionGroup::Lesson,
       "lessons",
       N_("lessons: choose one"),
       {},
       [](ShellState& s) {
         const bool open = s.overlays.open == Overlay::Gallery && s.overlays.gallery.lessons;
         if (open) return close_overlay(s);
         open_overlay(s, Overlay::Gallery);
         s.overlays.gallery.lessons = true;
       }},
      {Action::NextStep,
       ActionGroup::Lesson,
       "next-step",
       N_("the lesson's next step (presenting: →)"),
       {},
       next_step,
       no_lesson},
      {Action::PreviousStep,
       ActionGroup::Lesson,
       "previous-step",
       N_("the step before (presenting: ←)"),
       {},
       previous_step,
       no_lesson},
      {Action::Reveal,
       ActionGroup::Lesson,
       "reveal",
       N_("give the answer and see what was measured"),
       {},
       reveal,
       nothing_asked},
      {Action::AskAgain,
       ActionGroup::Lesson,
       "ask-again",
       N_("ask the step's question again"),
       {},
       [](ShellState& s) {
         s.lesson.ask_again();
         s.requests.step = s.lesson.number();
       },
       first_answer_counts},
      {Action::Hint, ActionGroup::Lesson, "hint", N_("a hint for the task"), {}, hint, no_lesson},
      {Action::EndLesson, ActionGroup::Lesson, "end-lesson", N_("end the lesson"), {}, end_lesson, no_lesson},
      {Action::HideAnswers,
       ActionGroup::Lesson,
       "hide-answers",
       N_("hide or show all answers (presenting: H)"),
       {{key::H, kShift}},
       toggle_hidden},
      {Action::StoryColumn,
       ActionGroup::Lesson,
       "story-column",
       N_("presenting: the text beside the lanes"),
       {{key::F5, kShift}},
       [](ShellState& s) { s.presentation.story = !s.presentation.story; },
       not_presenting},
  };
}

}  // namespace lanescope::ui
