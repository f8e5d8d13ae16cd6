// Lessons in a real window: every step of every lesson, a student's file, and a presentation by keys alone.
#include <gmock/gmock.h>
#include <imgui.h>

#include <fstream>

#include "base/error.h"
#include "desk/desk.h"
#include "lesson/grader.h"
#include "lesson/solutions.h"

namespace lanescope::ui_test {
namespace {

using experiment::Side;
using lesson::Lesson;
using lesson::Step;
using ui::LessonPhase;

class LessonTest : public testing::Test {
 protected:
  void SetUp() override {
    desk_.remember("tour_done = true\nwindow_width = 1280\nwindow_height = 800");
    // Students' files are written to the current folder.
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(desk_.home());
  }
  void TearDown() override {
    desk_.close();
    std::filesystem::current_path(before_);
  }

  void open(const std::string& name, const std::string& student = {}) {
    desk_.close();
    ui::WindowOptions options;
    options.frames_unlimited = true;
    options.lesson = &lesson::lesson_named(name);
    options.student = student;
    desk_.open(options);
  }
  void open_experiment(const std::string& id) {
    ui::WindowOptions options;
    options.frames_unlimited = true;
    options.session.device = "sim:rtx4090";  // whatever GPU this machine may have
    options.experiment = id;
    desk_.open(options);
  }
  ui::ShellState& state() { return desk_.state(); }
  ui::LessonState& lesson() { return state().lesson; }

  /// At the step with this number: it runs, as fast as it can.
  void wait_for_step(std::size_t number) {
    ASSERT_TRUE(desk_.until([&] { return lesson().number() == number && ui::on_stage(state()); })) << number;
    if (state().model.virtual_time()) state().model.set_speed(1);
    desk_.frames(2);
  }
  bool sees(const std::string& place) {
    desk_.frames(1);
    return state().places.contains(place);
  }
  void go_to(std::size_t number) {
    state().requests.step = number;
    wait_for_step(number);
  }

  Desk desk_;
  std::filesystem::path before_;
};

// --- every lesson --------------------------------------------------------------------------------------------------

class EveryLesson : public LessonTest, public testing::WithParamInterface<const char*> {
 protected:
  void see_that_nothing_is_given_away() {
    EXPECT_TRUE(ui::answers_hidden(state()));
    EXPECT_TRUE(sees("hidden"));
    for (const char* place : {"verdict", "factor", "verdict.figures", "lesson.result", "lesson.reveal", "side.after"}) {
      EXPECT_FALSE(sees(place)) << place;
    }
    for (const auto& [name, rect] : state().places) {
      EXPECT_FALSE(name.starts_with("published.") || name.starts_with("advice.") || name.starts_with("plot.")) << name;
    }
    const Side side = state().experiment.active->side();
    desk_.tap(key::Tab);
    desk_.frames(3);
    EXPECT_EQ(state().experiment.active->side(), side) << "the other side is the answer";
  }
  void answer(const Step& step, const lesson::Truth& truth) {
    if (step.question->choices.empty()) {
      const Rect slider = desk_.place("lesson.slider");
      const double share = (truth.value - step.question->least) / (step.question->most - step.question->least);
      const float inset = 7 * state().scale();
      desk_.click(Point{slider.x + inset + static_cast<float>(share) * (slider.width - 2 * inset),
                        slider.y + slider.height / 2});
      ASSERT_TRUE(lesson().now().draft);
      EXPECT_NEAR(std::get<double>(*lesson().now().draft), truth.value,
                  0.02 * (step.question->most - step.question->least));
    } else {
      desk_.click("lesson.choice." + std::to_string(truth.choice + 1));
    }
    desk_.click("lesson.answer");
  }
  void solve(const Step& step) {
    EXPECT_FALSE(ui::answers_hidden(state())) << "a task needs the figures";
    EXPECT_FALSE(sees("lesson.solved"));
    EXPECT_FALSE(sees("side.after")) << "that would be the solution";
    const std::string refused = state().model.assign(lesson::kSolutions.at(lesson().lesson().name + "/" + step.name));
    EXPECT_EQ(refused, "");
    ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Solved; }));
    EXPECT_TRUE(sees("lesson.solved"));
  }
};

// The right answer is taken from runs without a window: the two must agree.
TEST_P(EveryLesson, IsWalkedThrough) {
  open(GetParam());
  const Lesson& l = lesson().lesson();
  lesson::StepRuns runs;
  std::vector<std::array<std::size_t, 2>> needed;
  for (const Step& step : l.steps) needed.push_back({runs.need(step, Side::Before), runs.need(step, Side::After)});
  runs.run();
  for (std::size_t i = 0; i < l.steps.size(); ++i) {
    const Step& step = l.steps[i];
    SCOPED_TRACE(step.name);
    wait_for_step(i);
    EXPECT_TRUE(sees("lesson.title"));
    const experiment::Experiment runs_here = experiment_of(step);
    for (const std::string& lane : runs_here.side(step.side).view.outlined) {
      EXPECT_TRUE(sees("outline." + lane)) << lane;
    }
    if (step.question) {
      see_that_nothing_is_given_away();
      const auto truth = lesson::truth_of(*step.question, &runs[needed[i][0]].measured, &runs[needed[i][1]].measured);
      ASSERT_TRUE(truth);
      answer(step, *truth);
      ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
      const lesson::Truth& here = *lesson().now().truth;
      EXPECT_EQ(here.choice, truth->choice);
      EXPECT_EQ(here.verdict, truth->verdict);
      // A choice is known with less certainty than a number (LessonState::settled).
      const double share = step.question->choices.empty() ? 0.05 : 0.1;
      EXPECT_NEAR(here.value, truth->value, share * std::abs(truth->value));
      EXPECT_TRUE(is_right(*step.question, here, *lesson().now().answer));
      EXPECT_TRUE(sees("lesson.result"));
      EXPECT_TRUE(sees("verdict")) << "nothing is hidden any more";
      if (step.question->measure.figure == "factor") {
        EXPECT_EQ(state().experiment.active->side(), step.side == Side::Before ? Side::After : Side::Before)
            << "the knob was turned";
      }
    }
    if (step.task) solve(step);
    EXPECT_TRUE(sees("lesson.reveal"));
    if (i + 1 < l.steps.size()) desk_.click("lesson.next");
  }
  desk_.click("lesson.end");
  EXPECT_TRUE(desk_.until([&] { return !lesson().on(); }));
  EXPECT_TRUE(sees("side.after")) << "the experiment goes on";
}

const auto kWalked = testing::Values("why-the-gpu-waits", "one-line", "when-a-sync-is-free", "feeding-the-gpu", "lab");
INSTANTIATE_TEST_SUITE_P(Lessons, EveryLesson, kWalked, [](const auto& of) {
  std::string name = of.param;
  std::erase(name, '-');
  return name;
});

// --- a person at a desk --------------------------------------------------------------------------------------------

TEST_F(LessonTest, IsChosenInTheGallery) {
  open_experiment("P09");
  desk_.tap(key::E);
  ASSERT_TRUE(desk_.until([&] { return sees("gallery.tab.Lessons"); }));
  desk_.click("gallery.tab.Lessons");
  desk_.click("lessons.feeding-the-gpu");
  desk_.click("lessons.start");
  ASSERT_TRUE(desk_.until([&] { return lesson().on() && ui::on_stage(state()); }));
  EXPECT_EQ(lesson().lesson().name, "feeding-the-gpu");
  EXPECT_FALSE(state().overlays.open);
}

// The fonts have few of the many Chinese letters.
TEST_F(LessonTest, AChineseNameCanBeRead) {
  if (!ui::has_chinese_font()) GTEST_SKIP() << "no font with Chinese characters";
  open("one-line", "王芳");
  ASSERT_TRUE(desk_.until([&] { return sees("lesson.kept"); }));
  for (const ImWchar letter : {u'王', u'芳'}) {
    const auto& fonts = ImGui::GetIO().Fonts->Fonts;
    EXPECT_TRUE(std::ranges::any_of(fonts, [&](ImFont* f) { return f->FindGlyphNoFallback(letter) != nullptr; }));
  }
}

// Turning other knobs before the answer must not spoil what is measured.
TEST_F(LessonTest, TheAnswerIsMeasuredWithTheStepsOwnSettings) {
  open("one-line");
  go_to(1);
  state().model.set("batch_size", std::int64_t{4096});
  desk_.frames(3);
  lesson().give(1.4);
  ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
  EXPECT_EQ(workload::to_text(state().model.steering()->settings().value("batch_size")), "128");
}

// At a speed that is slow enough to watch, the cache of this step is full after minutes.
TEST_F(LessonTest, AMeasurementThatTakesLongIsHurried) {
  open("feeding-the-gpu");
  state().requests.step = 1;
  ASSERT_TRUE(desk_.until([&] { return lesson().number() == 1 && ui::on_stage(state()); }));
  ASSERT_TRUE(desk_.until([&] { return state().model.recent().pace.known(); }));
  const double speed = 0.1;
  state().model.set_speed(speed);
  lesson().give(1.9);
  ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
  EXPECT_FALSE(lesson().now().unsettled);
  EXPECT_TRUE(is_right(*lesson().step().question, *lesson().now().truth, 1.9));
  ASSERT_TRUE(desk_.until([&] { return state().model.speed() == speed; })) << "as it was";
}

// A selected stretch has a verdict and figures of its own.
TEST_F(LessonTest, AStretchDoesNotTellEither) {
  open("one-line");
  wait_for_step(0);
  ASSERT_TRUE(desk_.until([&] { return state().model.recent().pace.known(); }));
  const base::Nanoseconds from = state().view.axis().begin_ns();
  state().selection.clear();
  state().selection.range = {from, from + 500'000};
  ASSERT_TRUE(desk_.until([&] { return state().range_figures.job.answer.has_value() && sees("selected"); }));
  EXPECT_FALSE(sees("range.verdict"));
  lesson().give(std::size_t{2});
  ASSERT_TRUE(desk_.until([&] { return sees("range.verdict"); }));
}

TEST_F(LessonTest, SomethingElseMayRunBesideIt) {
  open("one-line");
  wait_for_step(0);
  state().requests.experiment = {&experiment::experiment_named("P20"), Side::Before};
  ASSERT_TRUE(desk_.until([&] { return sees("lesson.return"); }));
  EXPECT_FALSE(ui::answers_hidden(state())) << "it is another experiment";
  desk_.click("lesson.return");
  wait_for_step(0);
  EXPECT_TRUE(ui::answers_hidden(state()));
}

TEST_F(LessonTest, AStudentsAnswersAreKeptAndGoOn) {
  const std::filesystem::path file = lesson::student_file_path(desk_.home(), "Ann Lee", "one-line");
  open("one-line", "Ann Lee");
  wait_for_step(0);
  desk_.click("lesson.choice.1");
  desk_.click("lesson.answer");
  ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
  const auto kept = [&] { return lesson::read_student_file(file); };
  ASSERT_TRUE(desk_.until([&] { return std::filesystem::exists(file) && kept().record("see")->seen; }));
  EXPECT_EQ(kept().record("see")->answer, lesson::Answer(std::size_t{0}));
  EXPECT_GT(kept().record("see")->seconds, 0);
  EXPECT_TRUE(sees("lesson.kept"));

  open("one-line", "Ann Lee");
  wait_for_step(1);
  EXPECT_EQ(lesson().phase_of(0), LessonPhase::Known) << "it goes on where it was";
  EXPECT_EQ(lesson().at(0).answer, lesson::Answer(std::size_t{0}));
  desk_.close();

  std::string text;
  {
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::size_t at = text.find("Ann Lee");
  text.replace(at, 7, "Bob Lee");
  std::ofstream(file) << text;
  EXPECT_THROW(open("one-line", "Ann Lee"), base::FileError) << "somebody else's";
}

// --- for a class ---------------------------------------------------------------------------------------------------

TEST_F(LessonTest, IsPresentedByKeysAlone) {
  open("why-the-gpu-waits");
  wait_for_step(0);
  desk_.tap(key::F5);
  ASSERT_TRUE(desk_.until([&] { return sees("story.text"); }));
  EXPECT_TRUE(sees("lesson.clock"));
  EXPECT_FALSE(sees("presentation.verdict"));
  desk_.tap(key::Up);
  ASSERT_TRUE(desk_.until([&] { return lesson().now().draft.has_value(); }));
  desk_.tap(key::Right);
  ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
  EXPECT_TRUE(sees("story.reveal"));
  EXPECT_TRUE(sees("story.published"));
  EXPECT_TRUE(sees("presentation.verdict"));
  desk_.tap(key::H);
  ASSERT_TRUE(desk_.until([&] { return sees("presentation.hidden"); }));
  EXPECT_FALSE(sees("story.published"));
  EXPECT_FALSE(sees("presentation.verdict"));
  desk_.tap(key::H);
  ASSERT_TRUE(desk_.until([&] { return sees("presentation.verdict"); }));
  desk_.tap(key::PageDown);  // as a presenter's remote control does
  wait_for_step(1);
  desk_.tap(key::Left);
  wait_for_step(0);
  EXPECT_EQ(lesson().phase(), LessonPhase::Known) << "what was answered stays";
  // A question with choices: the class raises hands.
  go_to(3);
  for (const auto& [key, times] : std::map<int, int>{{key::Digit1, 2}, {key::Digit3, 3}}) {
    for (int i = 0; i < times; ++i) desk_.tap(key);
  }
  desk_.tap(key::Digit1, kShift);
  ASSERT_TRUE(desk_.until([&] { return lesson().now().hands[2] == 3; }));
  EXPECT_EQ(lesson().now().hands[0], 1);
  desk_.tap(key::Right);
  ASSERT_TRUE(desk_.until([&] { return lesson().phase() == LessonPhase::Known; }));
  EXPECT_TRUE(sees("lesson.choice.3")) << "the histogram stays on the screen";
  EXPECT_EQ(lesson().now().hands[2], 3);
  desk_.tap(key::F5);
  ASSERT_TRUE(desk_.until([&] { return sees("lesson.number"); }));
}

TEST_F(LessonTest, AnswersOfAnyExperimentCanBeHidden) {
  open_experiment("P09");
  state().about_open = true;
  ASSERT_TRUE(desk_.until([&] { return sees("verdict"); }));
  const auto published = [&] {
    desk_.frames(1);
    return std::ranges::any_of(state().places, [](const auto& p) { return p.first.starts_with("published."); });
  };
  ASSERT_TRUE(desk_.until(published));
  desk_.tap(key::H, kShift);
  ASSERT_TRUE(desk_.until([&] { return sees("hidden"); }));
  EXPECT_FALSE(sees("verdict"));
  EXPECT_FALSE(published());
  EXPECT_TRUE(sees("side.after")) << "the knob can be turned";
  desk_.tap(key::H, kShift);
  ASSERT_TRUE(desk_.until([&] { return sees("verdict"); }));
}

}  // namespace
}  // namespace lanescope::ui_test
