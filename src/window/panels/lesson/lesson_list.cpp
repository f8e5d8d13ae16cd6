// The lessons in the gallery: a card each, and beside them the chosen one's plan.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "base/translate.h"
#include "lesson/own_lessons.h"
#include "render/labels.h"
#include "shell/keys.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using lesson::Lesson;

constexpr float kLessonCardHeight = 104;

void pick_lesson(const Canvas& c, const Lesson& lesson) {
  c.state.requests.lesson = &lesson;
  close_overlay(c.state);
}

bool draw_lesson_card(const Canvas& c, const Lesson& lesson, float width, bool selected) {
  const float s = c.scale;
  const float height = kLessonCardHeight * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string id = "lessons." + lesson.name;
  const bool clicked = press_area(c, id.c_str(), {width, height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseDoubleClicked(0)) pick_lesson(c, lesson);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  list.AddRectFilled(at, end, c.theme[selected || hovered ? Colour::PanelHovered : Colour::PanelRaised], 7 * s);
  outline(c, {at.x, at.y, width, height}, 7, hovered);
  if (selected) list.AddRect(at, end, c.theme[Colour::Accent], 7 * s, 0, 2 * s);
  const auto language = c.state.language();
  const float left = at.x + 16 * s, inner = width - 32 * s;
  const bool runs = c.state.lesson.on() && c.state.lesson.lesson().name == lesson.name;
  const std::string facts = tr("{:g} minutes · {} steps", lesson.minutes(), lesson.steps.size()) +
                            (runs ? "  ·  " + std::string(tr("open")) : "");
  const Label labels[] = {
      {left, at.y + 10 * s, inner, c.theme[Colour::Text], FontRole::Title, lesson.title[language], 22 * s},
      {left, at.y + 34 * s, inner, c.theme.as_text(runs ? Colour::Good : Colour::Accent), FontRole::Small, facts,
       18 * s}};
  draw_labels(list, c.fonts, labels);
  std::string lines = wrapped_lines(c, FontRole::Body, lesson.summary[language], inner);
  const std::size_t second = lines.find('\n');
  const std::size_t third = second == std::string::npos ? second : lines.find('\n', second + 1);
  if (third != std::string::npos) lines = lines.substr(0, third) + " …";
  list.AddText(c.fonts[FontRole::Body], c.fonts.size(FontRole::Body), {left, at.y + 58 * s},
               c.theme.as_text(Colour::Muted), lines.data(), lines.data() + lines.size());
  return clicked;
}

void draw_plan(const Canvas& c, const Lesson& lesson) {
  const auto language = c.state.language();
  wrapped_text(c, FontRole::Title, Colour::Text, lesson.title[language]);
  vertical_space(c, 4);
  wrapped_text(c, FontRole::Body, Colour::Muted, lesson.summary[language]);
  heading(c, tr("STEPS"));
  std::size_t number = 0;
  for (const lesson::Step& step : lesson.steps) {
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    const std::string minutes = tr("{:g} min", step.minutes);
    const std::string title = fmt::format("{}  {}", ++number, step.title[language]);
    const float room = ImGui::GetContentRegionAvail().x - text_width(c.fonts, FontRole::Small, minutes) - 12 * c.scale;
    text(c, FontRole::Body, Colour::Text, fit_text(c.fonts, FontRole::Body, title, room));
    ImGui::SameLine(right - text_width(c.fonts, FontRole::Small, minutes));
    text(c, FontRole::Small, Colour::Dim, minutes);
    vertical_space(c, 4);
  }
}

void walk(const Canvas& c, std::span<const Lesson* const> lessons) {
  GalleryState& gallery = c.state.overlays.gallery;
  std::size_t& at = gallery.lesson;
  for (const int pressed : std::exchange(gallery.keys, {})) {
    if (pressed == key::Down) at = std::min(at + 1, lessons.size() - 1);
    if (pressed == key::Up && at > 0) --at;
    if (pressed == key::Enter || pressed == key::KeypadEnter) return pick_lesson(c, *lessons[at]);
    if (pressed == key::Escape) return close_overlay(c.state);
  }
}

}  // namespace

void draw_lesson_list(const Canvas& c, float width, float height) {
  const std::vector<const Lesson*> lessons = lesson::all_lessons();
  GalleryState& gallery = c.state.overlays.gallery;
  if (lessons.empty()) return;
  gallery.lesson = std::min(gallery.lesson, lessons.size() - 1);
  const float s = c.scale;
  const float about = std::min(460 * s, width * 0.4f);
  const float gap = 28 * s;
  const float cards = width - about - gap;
  const ImVec2 at = ImGui::GetCursorPos();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::BeginChild("##lessons", {cards, height}, false, ImGuiWindowFlags_NoNav);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (draw_lesson_card(c, *lessons[i], cards - 8 * s, i == gallery.lesson)) gallery.lesson = i;
    vertical_space(c, 8);
  }
  for (const std::string& error : c.state.own_files.errors) wrapped_text(c, FontRole::Small, Colour::Wait, error);
  ImGui::EndChild();
  ImGui::GetWindowDrawList()->AddLine({top.x + cards + gap - 20 * s, top.y - 10 * s},
                                      {top.x + cards + gap - 20 * s, top.y + height}, c.theme[Colour::Line]);
  const float start_height = 44 * s;
  const Lesson& chosen = *lessons[gallery.lesson];
  ImGui::SetCursorPos({at.x + cards + gap, at.y});
  ImGui::BeginChild(("##plan" + chosen.name).c_str(), {about, height - start_height}, false, ImGuiWindowFlags_NoNav);
  draw_plan(c, chosen);
  ImGui::EndChild();
  ImGui::SetCursorPos({at.x + cards + gap, at.y + height - start_height + 8 * s});
  if (button(c, "lessons.start", tr("Begin the lesson  (Enter)"), true, about)) pick_lesson(c, chosen);
  walk(c, lessons);
}

}  // namespace lanescope::ui
