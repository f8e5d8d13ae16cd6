// The keys of a presentation.
#include "shell/presenting.h"

#include <gtest/gtest.h>

#include "shell/keys.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

class PresentingKeys : public testing::Test {
 protected:
  bool press(int key, int modifiers = 0, bool repeated = false) {
    return presenting_key(state_, {key, modifiers}, repeated);
  }
  void go_to(const char* step) {
    const auto& steps = state_.lesson.lesson().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].name == step) return state_.lesson.go_to(i);
    }
    FAIL() << step;
  }
  ShellState state_;
};

TEST_F(PresentingKeys, MeanSomethingElseOnlyThen) {
  EXPECT_FALSE(press(key::H));
  EXPECT_FALSE(press(key::Right));
  state_.presentation.on = true;
  EXPECT_FALSE(press(key::Right)) << "without a lesson it pans";
  EXPECT_TRUE(press(key::H));
  EXPECT_TRUE(answers_hidden(state_));
  EXPECT_TRUE(press(key::H));
  EXPECT_FALSE(answers_hidden(state_));
  state_.overlays.open = Overlay::Palette;
  EXPECT_FALSE(press(key::H)) << "typed into the palette";
}

// The steps of this lesson ask for: a number, a number, a number, a choice, ...
TEST_F(PresentingKeys, GoThroughTheLesson) {
  state_.presentation.on = true;
  state_.lesson.begin(lesson::lesson_named("why-the-gpu-waits"));
  EXPECT_TRUE(press(key::Up));
  // The slider goes from 1 to 6; it begins in the middle, and 40 presses go from end to end: 3.5 + 5 / 40.
  EXPECT_DOUBLE_EQ(std::get<double>(*state_.lesson.now().draft), 3.625);
  EXPECT_TRUE(press(key::Down, 0, true));
  EXPECT_TRUE(press(key::Down));
  EXPECT_DOUBLE_EQ(std::get<double>(*state_.lesson.now().draft), 3.375);
  EXPECT_TRUE(press(key::Digit1)) << "nothing to raise a hand for, but it must not freeze the picture";
  EXPECT_TRUE(press(key::Right));
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Measuring) << "first the answer";
  EXPECT_EQ(std::get<double>(*state_.lesson.now().answer), 3.375);
  EXPECT_FALSE(state_.requests.step);
  EXPECT_TRUE(press(key::Right, 0, true));
  EXPECT_FALSE(state_.requests.step) << "a key held too long must not run through the lesson";
  EXPECT_TRUE(press(key::PageDown));
  EXPECT_EQ(state_.requests.step, 1u);
  EXPECT_TRUE(press(key::Left));
  EXPECT_EQ(state_.requests.step, 1u) << "there is none before the first";
}

TEST_F(PresentingKeys, ScrollTheTextWithoutAMouse) {
  EXPECT_FALSE(press(key::Down, modifier::Shift));
  state_.presentation.on = state_.presentation.story = true;
  EXPECT_TRUE(press(key::Down, modifier::Shift));
  EXPECT_TRUE(press(key::Down, modifier::Shift, true)) << "held";
  EXPECT_TRUE(press(key::Up, modifier::Shift));
  EXPECT_EQ(state_.presentation.scroll, 1);
  state_.presentation.story = false;
  EXPECT_FALSE(press(key::Down, modifier::Shift)) << "there is no text";
}

// What is kept for grading is a prediction: nobody sees the answer first, and nobody answers twice.
TEST_F(PresentingKeys, AStudentAnswersOnceAndBeforeSeeing) {
  state_.lesson.begin(lesson::lesson_named("why-the-gpu-waits"), "Ann Lee");
  perform(state_, Action::Reveal);
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Asking) << "no answer was chosen";
  state_.presentation.on = true;
  EXPECT_TRUE(press(key::Right));
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Asking) << "nor while presenting";
  EXPECT_EQ(state_.toast->text, "Move the slider first");
  go_to("print");
  EXPECT_TRUE(press(key::Right));
  EXPECT_EQ(state_.toast->text, "Choose one first");
  state_.lesson.now().draft = std::size_t{1};
  perform(state_, Action::Reveal);
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Measuring);
  perform(state_, Action::AskAgain);
  EXPECT_EQ(state_.lesson.now().answer, lesson::Answer(std::size_t{1}));
  EXPECT_EQ(state_.toast->text, "the answers of Ann Lee are kept: the first one counts");
  // Without a name, it is only for oneself.
  state_.lesson.begin(lesson::lesson_named("why-the-gpu-waits"));
  perform(state_, Action::Reveal);
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Measuring);
  perform(state_, Action::AskAgain);
  EXPECT_EQ(state_.lesson.phase(), LessonPhase::Asking);
}

TEST_F(PresentingKeys, DigitsCountHands) {
  state_.presentation.on = true;
  state_.lesson.begin(lesson::lesson_named("why-the-gpu-waits"));
  go_to("print");
  EXPECT_TRUE(press(key::Digit1 + 1));
  EXPECT_TRUE(press(key::Digit1 + 1, 0, true)) << "held for many hands";
  EXPECT_TRUE(press(key::Digit1));
  EXPECT_TRUE(press(key::Digit1 + 1, modifier::Shift));
  EXPECT_EQ(state_.lesson.now().hands[0], 1);
  EXPECT_EQ(state_.lesson.now().hands[1], 1);
  EXPECT_TRUE(press(key::Right));
  EXPECT_TRUE(press(key::Digit1));
  EXPECT_EQ(state_.lesson.now().hands[0], 1) << "too late";
}

}  // namespace
}  // namespace lanescope::ui
