// Presentation: the bars around the lanes, readable from the back row.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "picture/words.h"
#include "render/labels.h"
#include "timeline/colouring.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using experiment::Side;

constexpr float kKnobWidth = 280, kPresentationPad = 12;
constexpr float kKnobHeight = 68;  // a slider with its hint

bool has_experiment(const ShellState& state) { return state.experiment.active && state.model.steering(); }

void draw_story_knob(const Canvas& c, float width) {
  ShellState& state = c.state;
  const experiment::Experiment& e = state.experiment.active->experiment();
  const workload::Settings settings = state.model.steering()->settings();
  const workload::SettingSpec* spec = e.turned_knob.empty() ? nullptr : settings.spec(e.turned_knob);
  ImGui::BeginChild("##knob", {width, kKnobHeight * c.scale}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  // Of a few buttons in one row; more do not fit.
  const bool fits = spec && (spec->type != workload::SettingType::Choice || spec->choices.size() <= 2);
  // In a task, it would be the answer.
  if (fits && !other_side_tells(state)) draw_knob(c, settings, *spec);
  ImGui::EndChild();
}

// The sentence is next to the title if it fits there, otherwise below it, in at most two lines.
void draw_verdict(const Canvas& c, const std::string& title, float width) {
  const analysis::Verdict& verdict = c.state.model.recent().verdict;
  ImGui::SetCursorPos({kPresentationPad * c.scale, (kPresentationPad - 4) * c.scale});
  ImGui::BeginGroup();
  text(c, FontRole::Verdict, colour_of(verdict.kind), title);
  note_place(c, "presentation.verdict");
  std::string lines = wrapped_lines(c, FontRole::Body, verdict.sentence, width);
  const std::size_t second = lines.find('\n');
  const std::size_t third = second == std::string::npos ? second : lines.find('\n', second + 1);
  if (third != std::string::npos) lines = lines.substr(0, third) + " …";
  text(c, FontRole::Body, Colour::Text, lines);
  ImGui::EndGroup();
}

}  // namespace

float presentation_height(const Canvas& c) { return (2 * kPresentationPad + kKnobHeight) * c.scale; }

void draw_presentation_top(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float badge_x = draw_badge(c, at.x + size.x - kPresentationPad * s, at.y + (size.y - 26 * s) / 2);
  const LessonState& lesson = state.lesson;
  const bool step = lesson.on() && on_stage(state);
  const float clock_x = step ? draw_lesson_clock(c, badge_x - kPresentationPad * s, at.y, size.y) : badge_x;
  const std::string says = step ? fmt::format("{}/{}  {}", lesson.number() + 1, lesson.lesson().steps.size(),
                                              lesson.step().title[state.language()])
                           : has_experiment(state) ? state.experiment.active->experiment().title[state.language()]
                                                   : tr(state.model.title());
  const Label title{at.x + kPresentationPad * s,
                    at.y,
                    clock_x - at.x - 2 * kPresentationPad * s,
                    c.theme[Colour::Text],
                    FontRole::Title,
                    says,
                    size.y};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&title, 1});
}

void draw_presentation_bar(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 size = ImGui::GetWindowSize();
  const analysis::Verdict& verdict = state.model.recent().verdict;
  const bool hidden = answers_hidden(state);
  const bool knob = has_experiment(state);
  const float knob_width = knob ? std::min(kKnobWidth * s, size.x * 0.36f) : 0;
  const float width = size.x - knob_width - (knob ? 3 : 2) * kPresentationPad * s;
  const bool starting = state.model.live() && verdict.kind == analysis::VerdictKind::Unknown;
  if (hidden) {
    ImGui::SetCursorPos({kPresentationPad * s, kPresentationPad * s});
    ImGui::BeginGroup();
    text(c, FontRole::Title, Colour::Muted, tr("Answers are hidden: H shows them"));
    note_place(c, "presentation.hidden");
    ImGui::EndGroup();
  }
  const std::string title = starting ? tr("Measuring …") : analysis::verdict_title(verdict);
  if (!hidden) draw_verdict(c, title, width);
  if (!knob) return;
  ImGui::SetCursorPos({size.x - knob_width - kPresentationPad * s, kPresentationPad * s});
  draw_story_knob(c, knob_width);
}

// What is on the lanes, to be flipped; and how many times as fast the faster one is, for the back row.
void draw_stage_top(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const std::string factor = shown_factor(state);
  const float factor_width = factor.empty() ? 0 : text_width(c.fonts, FontRole::Factor, factor) + 8 * s;
  const float left = at.x + 2 * kPresentationPad * s;
  const float room = size.x - 4 * kPresentationPad * s - factor_width - 16 * s;
  if (state.model.steering() && state.comparison.other.has_two()) {
    const float wide =
        text_width(c.fonts, FontRole::Title, "0") / std::max(1.0f, text_width(c.fonts, FontRole::BodyBold, "0"));
    const float width = std::min(room, switch_width(c, room) * wide);
    draw_side_switch(c, {left, at.y + (size.y - 46 * s) / 2, width, 46 * s}, FontRole::Title);
  } else {
    draw_label(c, {left, at.y, room, size.y}, c.theme[Colour::Text], FontRole::Title, tr(state.model.title()));
  }
  if (factor.empty()) return;
  draw_label(c, {at.x + size.x - 2 * kPresentationPad * s - factor_width, at.y, factor_width, size.y},
             c.theme.as_text(Colour::Good), FontRole::Factor, factor, LabelAlign::Right);
  state.places["presentation.factor"] = {at.x + size.x - 2 * kPresentationPad * s - factor_width, at.y, factor_width,
                                         size.y};
}

// One sentence, and where the data is from.
void draw_stage_bottom(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float badge_x = draw_badge(c, at.x + size.x - 2 * kPresentationPad * s, at.y + (size.y - 26 * s) / 2);
  const float left = at.x + 2 * kPresentationPad * s;
  const float room = badge_x - left - 12 * s;
  const analysis::Verdict& verdict = calm_figures(state).verdict;
  std::string says = answers_hidden(state) ? tr("Answers are hidden: H shows them")
                     : state.model.live() && verdict.kind == analysis::VerdictKind::Unknown
                         ? std::string(tr("Measuring …"))
                         : verdict.sentence;
  FontRole role = FontRole::Lead;
  if (text_width(c.fonts, role, says) > room) role = FontRole::Body;
  std::string lines = wrapped_lines(c, role, says, room);
  const float line = c.fonts.size(role);
  const auto count = static_cast<float>(std::count(lines.begin(), lines.end(), '\n') + 1);
  ImGui::SetCursorScreenPos({left, at.y + std::max(2 * s, (size.y - count * line) / 2)});
  text(c, role, Colour::Text, lines);
  note_place(c, "presentation.verdict");
}

}  // namespace lanescope::ui
