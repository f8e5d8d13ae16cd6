#include "shell/presenting.h"

#include <algorithm>
#include <tuple>

#include "shell/keys.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr double kSteps = 40;  // of a slider, from end to end

// Up and down move the class's guess.
bool turn_guess(LessonState& lesson, int by) {
  const auto& question = lesson.step().question;
  if (!lesson.hides() || !question || !question->choices.empty()) return false;
  const double range = question->most - question->least;
  const auto* now = lesson.now().draft ? std::get_if<double>(&*lesson.now().draft) : nullptr;
  const double value = (now ? *now : question->least + range / 2) + by * range / kSteps;
  lesson.now().draft = std::clamp(value, question->least, question->most);
  return true;
}

bool lesson_key(ShellState& state, KeyChord chord, bool repeated) {
  LessonState& lesson = state.lesson;
  const bool plain = chord.modifiers == 0;
  const bool shifted = chord.modifiers == modifier::Shift;
  if (chord.key >= key::Digit1 && chord.key < key::Digit1 + 9 && (plain || shifted)) {
    // A digit never means anything else: it must not freeze the picture where there is nothing to count.
    if (lesson.hides()) lesson.raise_hands(static_cast<std::size_t>(chord.key - key::Digit1), shifted ? -1 : 1);
    return true;
  }
  if (!plain) return false;
  if (chord.key == key::Up) return turn_guess(lesson, 1);
  if (chord.key == key::Down) return turn_guess(lesson, -1);
  if (chord.key == key::Right || chord.key == key::PageDown || chord.key == key::Left || chord.key == key::PageUp) {
    if (repeated) return true;  // a step at a time
    const bool forward = chord.key == key::Right || chord.key == key::PageDown;
    perform(state, forward ? Action::NextStep : Action::PreviousStep);
    return true;
  }
  return false;
}

}  // namespace

bool on_stage(const ShellState& state) {
  const auto& active = state.experiment.active;
  return state.lesson.on() && active && &active->experiment() == state.experiment.of_step;
}

bool answers_hidden(const ShellState& state) { return state.hide_answers || (state.lesson.hides() && on_stage(state)); }

bool other_side_tells(const ShellState& state) {
  if (!on_stage(state)) return false;
  return state.lesson.phase() == LessonPhase::Asking || state.lesson.phase() == LessonPhase::Working;
}

bool next_step_asks(const ShellState& state) {
  if (!on_stage(state) || !state.lesson.step().question) return false;
  const auto& steps = state.lesson.lesson().steps;
  const std::size_t next = state.lesson.number() + 1;
  if (next >= steps.size() || !steps[next].question) return false;
  const lesson::Step& step = state.lesson.step();
  const auto runs = [](const lesson::Step& s) { return std::tie(s.experiment, s.settings, s.device); };
  return !step.experiment.empty() && runs(step) == runs(steps[next]) && step.question->measure.figure != "factor" &&
         steps[next].question->measure.figure == "factor";
}

bool presenting_key(ShellState& state, KeyChord chord, bool repeated) {
  if (!state.presentation.on || state.overlays.open) return false;
  if (chord == KeyChord{key::H, 0}) {
    if (!repeated) perform(state, Action::HideAnswers);
    return true;
  }
  const bool up = chord == KeyChord{key::Up, modifier::Shift}, down = chord == KeyChord{key::Down, modifier::Shift};
  if ((up || down) && state.presentation.story) {
    state.presentation.scroll += down ? 1.0f : -1.0f;
    return true;
  }
  return state.lesson.on() && lesson_key(state, chord, repeated);
}

}  // namespace lanescope::ui
