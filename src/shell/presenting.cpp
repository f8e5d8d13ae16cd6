#include "shell/presenting.h"

#include <algorithm>
#include <cmath>

#include "shell/keys.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr float kNear = 1.5f;  // points that are closer add nothing to a stroke
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

void PointerState::move(Point at, Clock::time_point now) {
  if (trail.empty() || trail.back().at.x != at.x || trail.back().at.y != at.y) trail.push_back({at, now});
}

void PointerState::draw(Point at, bool down, Clock::time_point now) {
  if (!down) {
    if (drawing) strokes.back().ended = now;
    drawing = false;
    return;
  }
  if (!drawing) strokes.push_back({});
  drawing = true;
  std::vector<Point>& points = strokes.back().points;
  if (points.empty() || std::hypot(points.back().x - at.x, points.back().y - at.y) >= kNear) points.push_back(at);
}

float PointerState::magnification(Clock::time_point now) const {
  const float share = std::clamp(
      std::chrono::duration<float>(now - magnifier_turned) / std::chrono::duration<float>(kMagnifying), 0.0f, 1.0f);
  const float eased = share * share * (3 - 2 * share);
  return 1 + (kMagnified - 1) * (magnifier ? eased : 1 - eased);
}

float PointerState::strength(const Stroke& stroke, Clock::time_point now) {
  if (stroke.ended == Clock::time_point{}) return 1;
  const std::chrono::duration<float> left = stroke.ended + kKept - now;
  return std::clamp(left / std::chrono::duration<float>(kFading), 0.0f, 1.0f);
}

bool PointerState::settle(Clock::time_point now) {
  while (!trail.empty() && now - trail.front().when > kTrail) trail.pop_front();
  std::erase_if(strokes, [&](const Stroke& stroke) { return strength(stroke, now) <= 0; });
  return !trail.empty() || !strokes.empty() || now - magnifier_turned < kMagnifying;
}

bool on_stage(const ShellState& state) {
  const auto& active = state.experiment.active;
  return state.lesson.on() && active && &active->experiment() == state.experiment.of_step;
}

bool answers_hidden(const ShellState& state) { return state.hide_answers || (state.lesson.hides() && on_stage(state)); }

bool other_side_tells(const ShellState& state) {
  if (!on_stage(state)) return false;
  return state.lesson.phase() == LessonPhase::Asking || state.lesson.phase() == LessonPhase::Working;
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
