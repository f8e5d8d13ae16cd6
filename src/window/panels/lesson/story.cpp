// Presentation: the column beside the lanes. What a teacher talks about: the step's text and question, or what the
// experiment shows; the published number beside the measured ones; and, outside a lesson, where the tutorial errs.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kShare = 0.36f;  // of the window's width
constexpr float kLeast = 240;    // a narrower column is hard to read; in unscaled pixels

bool has_story(const ShellState& state) {
  return (state.lesson.on() && on_stage(state)) || (state.experiment.active && state.model.steering());
}

std::string with_unit(double value, const std::string& unit) {
  return figure_text(value) + (unit == "x" ? "x" : " " + experiment::unit_in_words(unit));
}

void draw_pair(const Canvas& c, FontRole role, const std::string& name, const std::string& published,
               const std::string& here) {
  vertical_space(c, 8);
  if (!name.empty()) wrapped_text(c, FontRole::Body, Colour::Muted, name);
  const std::string there = tr("published: {}", published);
  text(c, role, Colour::Text, there);
  if (!here.empty()) {
    // In one line, if there is room.
    const std::string ours = tr("here: {}", here);
    const float gap = 18 * c.scale;
    const float width = text_width(c.fonts, role, there) + gap + text_width(c.fonts, role, ours);
    if (width <= ImGui::GetContentRegionAvail().x) ImGui::SameLine(0, gap);
    text(c, role, Colour::Accent, ours);
  }
  note_place(c, "story.published");
}

using Row = ActiveExperiment::Row;

// What is talked about: a published ratio, else a number of each side in the same unit, else the first that has ours
// beside it. The second of the pair may be null.
std::pair<const Row*, const Row*> headline(const std::vector<Row>& rows) {
  const auto of = [](experiment::About side) {
    return [side](const Row& row) { return row.compared.published->of == side && row.compared.ours; };
  };
  if (const auto ratio = std::ranges::find_if(rows, of(experiment::About::Ratio)); ratio != rows.end()) {
    return {&*ratio, nullptr};
  }
  const auto before = std::ranges::find_if(rows, of(experiment::About::Before));
  if (before != rows.end()) {
    const experiment::Published& b = *before->compared.published;
    const auto after = std::ranges::find_if(rows, [&](const Row& row) {
      const experiment::Published& p = *row.compared.published;
      return of(experiment::About::After)(row) && p.figure == b.figure && p.unit == b.unit &&
             p.iterations == b.iterations;
    });
    if (after != rows.end()) return {&*before, &*after};
  }
  const auto ours = std::ranges::find_if(rows, [](const Row& row) { return row.compared.ours.has_value(); });
  return {ours == rows.end() ? &rows.front() : &*ours, nullptr};
}

// The third column: an iteration of each side as a script in PyTorch, and the GPU.
void draw_in_pytorch(const Canvas& c, FontRole role) {
  const experiment::InPytorch* measured = c.state.experiment.active->in_pytorch();
  if (measured == nullptr) return;
  const auto pace = [&](std::size_t side) { return pace_text(measured->sides[side].measured.summary.pace); };
  vertical_space(c, 4);
  std::string gpu = measured->gpu;
  if (gpu.starts_with("NVIDIA ")) gpu.erase(0, 7);
  wrapped_text(c, role, Colour::Text, tr("in PyTorch: {} → {} ({})", pace(0), pace(1), gpu));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", measured->machine().c_str());
  note_place(c, "story.pytorch");
}

void draw_story_published(const Canvas& c, FontRole role) {
  const std::vector<Row> rows = c.state.experiment.active->published();
  if (rows.empty()) return;
  const auto [first, second] = headline(rows);
  const experiment::Published& p = *first->compared.published;
  std::string published = with_unit(p.value, p.unit);
  std::string here = first->compared.ours ? with_unit(*first->compared.ours, p.unit) : "";
  std::string name = p.label[c.state.language()];
  if (second) {
    published += " → " + with_unit(second->compared.published->value, p.unit);
    here += " → " + with_unit(*second->compared.ours, p.unit);
    name += " → " + second->compared.published->label[c.state.language()];
  }
  draw_pair(c, role, name, published, here);
}

void draw_errs(const Canvas& c, FontRole role) {
  const std::string& says = c.state.experiment.active->experiment().correction[c.state.language()];
  if (says.empty()) return;
  vertical_space(c, 10);
  text(c, FontRole::BodyBold, Colour::Simulated, word(Word::TutorialErrs, c.state.language()));
  wrapped_text(c, role, Colour::Text, says);
  note_place(c, "story.correction");
}

void draw_step(const Canvas& c, FontRole role) {
  const LessonState& lesson = c.state.lesson;
  const lesson::Step& step = lesson.step();
  const auto language = c.state.language();
  const LessonPhase phase = lesson.phase();
  const LessonLook look{role == FontRole::Lead ? FontRole::Title : FontRole::BodyBold, role, FontRole::Small, true};
  const bool known = phase == LessonPhase::Known || phase == LessonPhase::Solved;
  // What it means takes the place of what was read before.
  if (!known) {
    wrapped_text(c, role, Colour::Text, step.text[language]);
    note_place(c, "story.text");
    vertical_space(c, 10);
  }
  if (step.question) draw_question(c, look);
  if (step.task) draw_task(c, look);
  if (known && !step.reveal.empty()) {
    vertical_space(c, 10);
    wrapped_text(c, role, Colour::Text, step.reveal[language]);
    note_place(c, "story.reveal");
  }
}

void draw_contents(const Canvas& c, FontRole role) {
  const ShellState& state = c.state;
  const bool hidden = answers_hidden(state);
  if (state.lesson.on() && on_stage(state)) {
    draw_step(c, role);
  } else {
    const experiment::Experiment& e = state.experiment.active->experiment();
    wrapped_text(c, role, Colour::Text, e.shows[state.language()]);
    vertical_space(c, 6);
    if (!hidden) wrapped_text(c, role, Colour::Muted, e.watch[state.language()]);
  }
  if (hidden || other_side_tells(state) || next_step_asks(state) || !state.experiment.active) return;
  draw_story_published(c, role);
  draw_in_pytorch(c, role);
  if (!state.lesson.on()) draw_errs(c, role);
}

// Who presents a task turns the knobs that the class names.
void draw_task_knobs(const Canvas& c) {
  ShellState& state = c.state;
  if (!on_stage(state) || state.lesson.phase() != LessonPhase::Working || !state.model.steering()) return;
  heading(c, tr("KNOBS"));
  const workload::Settings settings = state.model.steering()->settings();
  for (const workload::SettingSpec& spec : settings.specs()) draw_knob(c, settings, spec);
}

}  // namespace

float story_width(const ShellState& state, float width) {
  const bool step = state.lesson.on() && on_stage(state);
  if ((!state.presentation.story && !step) || !has_story(state)) return 0;
  const float wanted = std::floor(width * kShare);
  return wanted < kLeast ? 0 : wanted;
}

void draw_story(const Canvas& c) {
  ShellState& state = c.state;
  const float pad = 14 * c.scale;
  const ImVec2 size = ImGui::GetWindowSize();
  // Large letters, unless they were too much in the frame before.
  const std::string told = fmt::format("{} {} {} {} {:.0f} {:.0f} {}", state.experiment.active->experiment().id,
                                       state.lesson.on() ? state.lesson.number() : 0, answers_hidden(state),
                                       state.lesson.on() ? static_cast<int>(state.lesson.phase()) : 0, size.x, size.y,
                                       base::language_key(state.language()));
  Presentation& presentation = state.presentation;
  const bool anew = presentation.told != told;
  if (anew) {
    presentation.told = told;
    presentation.smaller = false;
  }
  ImGui::SetCursorPos({pad, 12 * c.scale});
  const float room = size.y - 16 * c.scale;
  // Of the same width with and without a scroll bar, and not up to the window's edge.
  ImGui::SetNextWindowContentSize({size.x - 2 * pad - ImGui::GetStyle().ScrollbarSize, 0});
  ImGui::BeginChild("##story", {size.x - pad - 4 * c.scale, room}, false, ImGuiWindowFlags_NoNav);
  const float scrolled = ImGui::GetScrollY() + presentation.scroll * 2 * c.fonts.size(FontRole::Lead);
  if (anew || presentation.scroll != 0) ImGui::SetScrollY(anew ? 0 : std::max(0.0f, scrolled));
  presentation.scroll = 0;
  draw_contents(c, presentation.smaller ? FontRole::Body : FontRole::Lead);
  draw_task_knobs(c);
  if (ImGui::GetCursorPosY() > room) presentation.smaller = true;
  ImGui::EndChild();
}

float draw_lesson_clock(const Canvas& c, float right, float y, float height) {
  const LessonState& lesson = c.state.lesson;
  const auto clock = [](double seconds) {
    const auto whole = static_cast<int>(seconds);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
  };
  const double planned = lesson.step().minutes * 60;
  const bool over = lesson.now().seconds > planned;
  const std::string step = fmt::format("{} / {}", clock(lesson.now().seconds), clock(planned));
  const std::string all = tr("lesson {} / {}", clock(lesson.seconds()), clock(lesson.lesson().minutes() * 60));
  const float gap = 14 * c.scale;
  // As wide as the longest it gets, so that nothing beside it moves.
  const float step_width = text_width(c.fonts, FontRole::Mono, "00:00 / 00:00");
  const float all_width = text_width(c.fonts, FontRole::Small, tr("lesson {} / {}", "00:00", "00:00"));
  const Label labels[] = {
      {right - all_width, y, all_width, c.theme.as_text(Colour::Dim), FontRole::Small, all, height, LabelAlign::Right},
      {right - all_width - gap - step_width, y, step_width, c.theme.as_text(over ? Colour::Wait : Colour::Text),
       FontRole::Mono, step, height, LabelAlign::Right}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  const float left = right - all_width - gap - step_width;
  c.state.places["lesson.clock"] = {left, y, right - left, height};
  return left;
}

}  // namespace lanescope::ui
