// A step's task: the goals with what the live run reaches, what must stay, and hints.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"
#include "lesson/lesson.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string task_with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + experiment::unit_in_words(unit);
}

void draw_goals(const Canvas& c, const LessonLook& look, const lesson::Task& task) {
  const StepState& now = c.state.lesson.now();
  for (std::size_t i = 0; i < task.goals.size(); ++i) {
    const lesson::Goal& goal = task.goals[i];
    const lesson::Progress::Line* line = i < now.progress.goals.size() ? &now.progress.goals[i] : nullptr;
    const bool reached = line && line->reached;
    const std::string unit = experiment::figure_info(goal.figure).unit;
    const std::string value = line && line->value ? task_with_unit(figure_text(*line->value), unit) : "…";
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    const float value_width = text_width(c.fonts, look.text, value);
    const std::string says = (reached ? "✓ " : "· ") + lesson::goal_in_words(goal, c.state.language());
    const bool beside =
        text_width(c.fonts, look.text, says) + value_width + 10 * c.scale < ImGui::GetContentRegionAvail().x;
    wrapped_text(c, look.text, reached ? Colour::Good : Colour::Text, says);
    if (beside) {
      ImGui::SameLine(right - value_width);
    } else {
      ImGui::SetCursorPosX(right - value_width);
    }
    text(c, look.text, reached ? Colour::Good : Colour::Muted, value);
    note_place(c, fmt::format("lesson.goal.{}", i + 1));
  }
  for (const std::string& key : task.keep) {
    const bool changed = std::ranges::find(now.progress.changed, key) != now.progress.changed.end();
    const workload::Settings settings = c.state.model.steering()->settings();
    const std::string name = tr(settings.spec(key)->label);
    wrapped_text(c, look.text, changed ? Colour::Wait : Colour::Muted,
                 changed ? tr("✗ {} was changed: it must stay", name) : tr("· {} stays as it is", name));
  }
}

void draw_hints(const Canvas& c, const LessonLook& look, const lesson::Task& task) {
  const LessonState& lesson = c.state.lesson;
  for (std::size_t i = 0; i < lesson.now().hints; ++i) {
    vertical_space(c, 4);
    wrapped_text(c, look.text, Colour::Simulated, tr("Hint: {}", task.hints[i][c.state.language()]));
    note_place(c, fmt::format("lesson.hint.{}", i + 1));
  }
  const auto seconds = lesson.next_hint_in();
  if (!seconds) return;
  vertical_space(c, 6);
  const std::string says = *seconds > 0 ? tr("A hint in {:.0f} s", std::ceil(*seconds)) : tr("Give me a hint");
  if (button(c, "lesson.hint", says, false, ImGui::GetContentRegionAvail().x)) {
    c.state.requests.actions.push_back(Action::Hint);
  }
}

}  // namespace

void draw_task(const Canvas& c, const LessonLook& look) {
  const LessonState& lesson = c.state.lesson;
  const lesson::Task& task = *lesson.step().task;
  wrapped_text(c, look.presented ? look.title : FontRole::BodyBold, Colour::Text, task.text[c.state.language()]);
  note_place(c, "lesson.task");
  vertical_space(c, 6);
  draw_goals(c, look, task);
  if (lesson.phase() == LessonPhase::Solved) {
    vertical_space(c, 6);
    text(c, look.title, Colour::Good, tr("Solved"));
    note_place(c, "lesson.solved");
  } else {
    draw_hints(c, look, task);
  }
}

}  // namespace lanescope::ui
