// The left panel while a lesson is open: the step's text, what it asks, what it means; then the experiment's own
// controls, unless they would give the answer away.
#include <fmt/format.h>
#include <imgui.h>

#include "base/translate.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/experiment/experiment_panels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kButtonsHeight = 46;

// One dot per step: filled when it is done, with a ring where the lesson is. A click goes there.
void draw_dots(const Canvas& c) {
  const LessonState& lesson = c.state.lesson;
  const float s = c.scale;
  const std::size_t count = lesson.lesson().steps.size();
  const float width = ImGui::GetContentRegionAvail().x;
  const float each = std::min(kLeastTarget * s, width / static_cast<float>(count));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) ImGui::SameLine(0, 0);
    const std::string id = fmt::format("lesson.step.{}", i + 1);
    if (press_area(c, id.c_str(), {each, kLeastTarget * s})) c.state.requests.step = i;
    note_control(c, id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) {
      const lesson::Step& step = lesson.lesson().steps[i];
      ImGui::SetTooltip("%s", fmt::format("{}  {}", i + 1, step.title[c.state.language()]).c_str());
    }
    const LessonPhase phase = lesson.phase_of(i);
    const bool done = phase == LessonPhase::Known || phase == LessonPhase::Solved;
    const ImVec2 middle{at.x + (static_cast<float>(i) + 0.5f) * each, at.y + kLeastTarget * s / 2};
    list.AddCircleFilled(middle, 4 * s, c.theme[done ? Colour::Good : hovered ? Colour::Accent : Colour::Faint], 24);
    if (i == lesson.number()) list.AddCircle(middle, 7.5f * s, c.theme[Colour::Accent], 32, 2 * s);
  }
}

void draw_head(const Canvas& c) {
  const LessonState& lesson = c.state.lesson;
  vertical_space(c, 14);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(y + 3 * c.scale);
  text(c, FontRole::SmallBold, Colour::Dim, tr("LESSON  {} of {}", lesson.number() + 1, lesson.lesson().steps.size()));
  note_place(c, "lesson.number");
  ImGui::SetCursorPosY(y);
  language_switch(c, right);
  vertical_space(c, 2);
  wrapped_text(c, FontRole::Small, Colour::Muted, lesson.lesson().title[c.state.language()]);
  draw_dots(c);
}

// The experiment's own controls.
void draw_controls(const Canvas& c) {
  const bool at_task = other_side_tells(c.state);
  if (at_task) {
    heading(c, tr("KNOBS"));
  } else {
    heading(c, tr("TRY IT"));
    draw_experiment_controls(c);
    heading(c, word(Word::OtherKnobs, c.state.language()).c_str());
  }
  const workload::Settings settings = c.state.model.steering()->settings();
  const std::string& turned = c.state.experiment.active->experiment().turned_knob;
  for (const workload::SettingSpec& spec : settings.specs()) {
    if (at_task || spec.key != turned) draw_knob(c, settings, spec);
  }
}

void draw_kept(const Canvas& c) {
  const LessonState& lesson = c.state.lesson;
  if (lesson.student().empty()) return;
  vertical_space(c, 12);
  wrapped_text(c, FontRole::Small, Colour::Dim,
               tr("{}: the answers are kept in {}", lesson.student(), c.state.student_file.filename().string()));
  note_place(c, "lesson.kept");
}

}  // namespace

void draw_lesson(const Canvas& c) {
  ShellState& state = c.state;
  const LessonState& lesson = state.lesson;
  const lesson::Step& step = lesson.step();
  const auto language = state.language();
  draw_head(c);
  vertical_space(c, 8);
  wrapped_text(c, FontRole::Title, Colour::Text, step.title[language]);
  note_place(c, "lesson.title");
  vertical_space(c, 4);
  const LessonPhase phase = lesson.phase();
  // What it means takes the place of what was read before.
  const bool known = phase == LessonPhase::Known || phase == LessonPhase::Solved;
  if (!known || step.reveal.empty()) wrapped_text(c, FontRole::Body, Colour::Text, step.text[language]);
  if (!on_stage(state)) {
    vertical_space(c, 12);
    wrapped_text(c, FontRole::Body, Colour::Simulated, tr("Something else is running now."));
    if (button(c, "lesson.return", tr("Run this step"), true, ImGui::GetContentRegionAvail().x)) {
      state.requests.step = lesson.number();
    }
    return;
  }
  const LessonLook look;
  if (step.question) {
    heading(c, tr("WHAT DO YOU THINK?"));
    draw_question(c, look);
  }
  if (step.task) {
    heading(c, tr("YOUR TASK"));
    draw_task(c, look);
  }
  if (known && !step.reveal.empty()) {
    heading(c, tr("WHAT IT MEANS"));
    wrapped_text(c, FontRole::Body, Colour::Text, step.reveal[language]);
    note_place(c, "lesson.reveal");
  }
  draw_kept(c);
  if (!answers_hidden(state) && state.model.steering()) draw_controls(c);
  vertical_space(c, 14);
}

float lesson_buttons_height(const Canvas& c) { return kButtonsHeight * c.scale; }

void draw_lesson_buttons(const Canvas& c) {
  ShellState& state = c.state;
  const LessonState& lesson = state.lesson;
  const float gap = 6 * c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const float end_width = text_width(c.fonts, FontRole::Body, tr("Leave")) + 24 * c.scale;
  const float each = (width - end_width - 2 * gap) / 2;
  const auto act = [&](Action action) { state.requests.actions.push_back(action); };
  const auto tip = [&](Action action) { return with_keys(tr(info(action).text), action); };
  if (button(c, "lesson.end", tr("Leave"), false, end_width, tr(info(Action::EndLesson).text))) act(Action::EndLesson);
  ImGui::SameLine(0, gap);
  if (button(c, "lesson.back", tr("Back"), false, each, tip(Action::PreviousStep).c_str())) act(Action::PreviousStep);
  ImGui::SameLine(0, gap);
  const bool last = lesson.number() + 1 == lesson.lesson().steps.size();
  const bool done = lesson.phase() != LessonPhase::Asking && lesson.phase() != LessonPhase::Working;
  if (button(c, "lesson.next", tr("Next"), done && !last, each, tip(Action::NextStep).c_str())) act(Action::NextStep);
}

}  // namespace lanescope::ui
