// A step's question: choices with the hands of a class, or a slider; and the guess beside the measurement.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "experiment/named_figure.h"
#include "inspect/figure_text.h"
#include "lesson/lesson.h"
#include "render/labels.h"
#include "window/panels/lesson/lesson_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using lesson::Question;

std::string unit_text(const Question& q) {
  return q.unit.empty() ? "" : q.unit == "x" ? "x" : " " + experiment::unit_in_words(q.unit);
}
std::string value_text(const Question& q, double value) { return figure_text(value) + unit_text(q); }

const char* measured_word(const Canvas& c) {
  return c.state.model.simulated() ? tr("measured (simulated)") : tr("measured");
}

// "measured: GPU busy 40 %"; of a verdict, the choice says all.
std::string measured_text(const Canvas& c, const Question& q, const lesson::Truth& truth) {
  if (q.measure.figure == "verdict") return {};
  const bool named = q.measure.figure != "factor" && !q.measure.figure.starts_with("own.");
  const std::string label = named ? experiment::figure_info(q.measure.figure).label + " " : "";
  return fmt::format("{}: {}{}", measured_word(c), label, value_text(q, truth.value));
}

enum class Mark : std::uint8_t { None, Right, Wrong };

struct ChoiceLook {
  std::string letter, text;
  bool chosen = false;
  Mark mark = Mark::None;
  int hands = -1;        // -1: nobody counts
  float hand_share = 0;  // of all hands
};

// A row with the letter, the text, and a bar of hands behind it. As high as its text needs.
bool draw_choice(const Canvas& c, const LessonLook& look, std::size_t n, const ChoiceLook& choice, bool open) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const float letter_width = text_width(c.fonts, look.text, "M") + 14 * s;
  const float count_width = choice.hands < 0 ? 0 : (open && look.presented ? 88 : 34) * s;
  const float sign_width = choice.mark == Mark::None ? 0 : 22 * s;
  const std::string lines =
      wrapped_lines(c, look.text, choice.text, width - letter_width - count_width - sign_width - 10 * s);
  const auto rows = static_cast<float>(std::count(lines.begin(), lines.end(), '\n') + 1);
  const float height = std::max(kLeastTarget * s, rows * c.fonts.size(look.text) + 10 * s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string id = "lesson.choice." + std::to_string(n + 1);
  // The buttons for hands lie beside the area, not over it.
  const bool clicked = press_area(c, id.c_str(), {width - (look.presented && open ? count_width : 0), height}) && open;
  if (open) {
    note_control(c, id);
  } else {
    note_place(c, id);
  }
  const bool hovered = open && ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  const Colour ground = hovered ? Colour::PanelHovered : Colour::PanelRaised;
  list.AddRectFilled(at, end, c.theme[ground], 6 * s);
  if (choice.hand_share > 0) {
    list.AddRectFilled(at, {at.x + std::max(6 * s, choice.hand_share * width), end.y},
                       with_alpha(c.theme[Colour::Accent], 0.35f), 6 * s);
  }
  outline(c, {at.x, at.y, width, height}, 6, hovered);
  const Colour frame = choice.mark == Mark::Right   ? Colour::Good
                       : choice.mark == Mark::Wrong ? Colour::Wait
                                                    : Colour::Accent;
  if (choice.chosen || choice.mark == Mark::Right) list.AddRect(at, end, c.theme[frame], 6 * s, 0, 2 * s);
  const float text_y = at.y + (height - rows * c.fonts.size(look.text)) / 2;
  const auto write = [&](float x, Colour colour, const std::string& t) {
    list.AddText(c.fonts[look.text], c.fonts.size(look.text), {x, text_y}, c.theme.as_text(colour), t.data(),
                 t.data() + t.size());
  };
  write(at.x + 10 * s, Colour::Accent, choice.letter);
  write(at.x + letter_width, Colour::Text, lines);
  float right = end.x - 10 * s;
  if (choice.mark != Mark::None) {
    write(right - text_width(c.fonts, look.text, "✓"), frame, choice.mark == Mark::Right ? "✓" : "✗");
    right -= sign_width;
  }
  if (choice.hands < 0) return clicked;
  const std::string count = std::to_string(choice.hands);
  if (!open || !look.presented) {
    write(right - text_width(c.fonts, look.text, count), Colour::Text, count);
    return clicked;
  }
  // − 12 +
  const float side = 26 * s;
  const ImVec2 after = ImGui::GetCursorPos();
  const auto hand = [&](const char* name, const char* sign, float x, int by) {
    ImGui::SetCursorScreenPos({x, at.y + (height - 26 * s) / 2});
    if (button(c, fmt::format("lesson.{}.{}", name, n + 1), sign, false, side)) c.state.lesson.raise_hands(n, by);
  };
  hand("less", "−", end.x - count_width + 2 * s, -1);
  hand("more", "+", end.x - side - 2 * s, 1);
  const float middle = end.x - count_width + 2 * s + side + (count_width - 2 * side - 4 * s) / 2;
  write(middle - text_width(c.fonts, look.text, count) / 2, Colour::Text, count);
  ImGui::SetCursorPos(after);
  return clicked;
}

void draw_choices(const Canvas& c, const LessonLook& look, const Question& q) {
  LessonState& lesson = c.state.lesson;
  StepState& now = lesson.now();
  const bool open = lesson.phase() == LessonPhase::Asking;
  const bool known = lesson.phase() == LessonPhase::Known;
  int hands = 0;
  for (const int h : now.hands) hands += h;
  const lesson::Answer* shown = now.answer ? &*now.answer : now.draft ? &*now.draft : nullptr;
  for (std::size_t n = 0; n < q.choices.size(); ++n) {
    ChoiceLook choice;
    choice.letter = std::string(1, static_cast<char>('A' + n));
    choice.text = q.choices[n].text[c.state.language()];
    choice.chosen = shown && *shown == lesson::Answer(n);
    if (known && now.truth->choice == n) choice.mark = Mark::Right;
    if (known && now.truth->choice != n && choice.chosen) choice.mark = Mark::Wrong;
    if (look.presented || hands > 0) choice.hands = now.hands[n];
    if (hands > 0) choice.hand_share = static_cast<float>(now.hands[n]) / static_cast<float>(hands);
    if (draw_choice(c, look, n, choice, open)) {
      if (look.presented) {
        lesson.raise_hands(n, 1);
      } else {
        now.draft = n;
      }
    }
    vertical_space(c, 6);
  }
}

// The guess as a large number over its slider.
void draw_guess(const Canvas& c, const LessonLook& look, const Question& q) {
  StepState& now = c.state.lesson.now();
  const double range = q.most - q.least;
  const bool touched = now.draft.has_value();
  const double value = touched ? std::get<double>(*now.draft) : q.least + range / 2;
  text(c, FontRole::Verdict, touched ? Colour::Accent : Colour::Dim, touched ? value_text(q, value) : "?");
  note_place(c, "lesson.guess");
  const double position = range > 0 ? (value - q.least) / range : 0;
  if (const auto moved = slider_track(c, "lesson.slider", position, 40)) {
    // Three figures are enough to guess with.
    const double raw = q.least + *moved * range;
    const double grain = std::pow(10.0, std::floor(std::log10(std::max(range, 1e-9))) - 2);
    now.draft = std::clamp(std::round(raw / grain) * grain, q.least, q.most);
  }
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const auto end_text = [&](double end) { return lesson::given_number(end) + unit_text(q); };
  const std::string most = end_text(q.most);
  text(c, look.small, Colour::Dim, end_text(q.least));
  ImGui::SameLine(right - text_width(c.fonts, look.small, most));
  text(c, look.small, Colour::Dim, most);
}

// Two bars on one scale, and how far a right guess may be off.
void draw_question_bars(const Canvas& c, const LessonLook& look, const Question& q, const lesson::Truth& truth,
                        const lesson::Answer* answer) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const double* guess = answer ? std::get_if<double>(answer) : nullptr;
  const double most = std::max({truth.value, guess ? *guess : 0, 1e-12}) * 1.02;
  const float line = c.fonts.size(look.text);
  const float bar_height = 10 * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto bar = [&](const std::string& name, double value, Colour colour, bool tolerance) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string number = value_text(q, value);
    const float number_width = text_width(c.fonts, look.text, number);
    const auto x_of = [&](double v) { return at.x + static_cast<float>(std::clamp(v / most, 0.0, 1.0)) * width; };
    const Label labels[] = {
        {at.x, at.y, width - number_width - 8 * s, c.theme.as_text(Colour::Muted), look.text, name, line},
        {at.x, at.y, width, c.theme.as_text(colour), look.text, number, line, LabelAlign::Right}};
    draw_labels(list, c.fonts, labels);
    const float y = at.y + line + 2 * s;
    list.AddRectFilled({at.x, y}, {at.x + width, y + bar_height}, c.theme[Colour::Row], 3 * s);
    list.AddRectFilled({at.x, y}, {std::max(x_of(value), at.x + 2 * s), y + bar_height}, c.theme[colour], 3 * s);
    if (tolerance) {
      const float low = x_of(value * (1 - q.tolerance)), high = x_of(value * (1 + q.tolerance));
      list.AddRect({low, y - 2 * s}, {high, y + bar_height + 2 * s}, c.theme[Colour::Text], 2 * s, 0, 1.5f * s);
    }
    ImGui::Dummy({width, line + bar_height + 8 * s});
  };
  if (guess) bar(look.presented ? tr("the class") : tr("your guess"), *guess, Colour::Accent, false);
  bar(measured_word(c), truth.value, Colour::Good, true);
  note_place(c, "lesson.measured");
  if (!look.presented) {
    wrapped_text(c, look.small, Colour::Dim, tr("the frame: right within {:g} %", std::round(100 * q.tolerance)));
  }
}

void draw_question_result(const Canvas& c, const LessonLook& look, const Question& q) {
  const LessonState& lesson = c.state.lesson;
  const StepState& now = lesson.now();
  vertical_space(c, 6);
  if (lesson.phase() == LessonPhase::Measuring) {
    text(c, look.title, Colour::Muted, tr("Measuring …"));
    if (now.so_far && q.measure.figure != "verdict") {
      text(c, look.text, Colour::Muted, tr("so far: {}", value_text(q, now.so_far->value)));
    }
    note_place(c, "lesson.measuring");
    return;
  }
  const lesson::Answer* answer = now.answer ? &*now.answer : nullptr;
  const bool right = answer && lesson::is_right(q, *now.truth, *answer);
  if (answer) text(c, look.title, right ? Colour::Good : Colour::Wait, right ? tr("Right") : tr("Not quite"));
  if (q.choices.empty()) {
    draw_question_bars(c, look, q, *now.truth, answer);
  } else if (const std::string measured = measured_text(c, q, *now.truth); !measured.empty()) {
    wrapped_text(c, look.text, Colour::Good, measured);
  }
  if (now.unsettled) wrapped_text(c, look.small, Colour::Wait, tr("still changing after a minute"));
  note_place(c, "lesson.result");
}

}  // namespace

void draw_question(const Canvas& c, const LessonLook& look) {
  LessonState& lesson = c.state.lesson;
  const Question& q = *lesson.step().question;
  const bool open = lesson.phase() == LessonPhase::Asking;
  wrapped_text(c, look.presented ? look.title : FontRole::BodyBold, Colour::Text, q.text[c.state.language()]);
  note_place(c, "lesson.question");
  vertical_space(c, 8);
  if (!q.choices.empty()) {
    draw_choices(c, look, q);
  } else if (open) {
    draw_guess(c, look, q);
    vertical_space(c, 6);
  }
  if (!open) return draw_question_result(c, look, q);
  if (look.presented) {
    const std::string keys =
        q.choices.empty() ? tr("↑ ↓ move the guess · → shows what is measured")
                          : tr("1 to {}: one hand more · Shift: one less · → shows what is measured", q.choices.size());
    wrapped_text(c, look.small, Colour::Dim, keys);
    return;
  }
  const bool ready = lesson.now().draft.has_value();
  const std::string says = ready               ? tr("Answer")
                           : q.choices.empty() ? tr("Move the slider first")
                                               : tr("Choose one first");
  if (button(c, "lesson.answer", says, ready, ImGui::GetContentRegionAvail().x) && ready) {
    c.state.requests.actions.push_back(Action::Reveal);
  }
}

}  // namespace lanescope::ui
