#include "window/panels/code/code_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/plain_text.h"
#include "base/time.h"
#include "base/translate.h"
#include "inspect/figure_text.h"
#include "model/code/call_stack.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/code.h"
#include "timeline/stalls.h"
#include "window/panels/advice/advice_cards.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kCodeEdge = 3, kBarHeight = 5;
constexpr std::size_t kContinued = 2;  // letters before a line that goes on
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

const char* figure_name(CodeFigure figure) {
  return figure == CodeFigure::Cpu ? tr("CPU") : figure == CodeFigure::Wait ? tr("waiting") : tr("GPU");
}
Colour figure_colour(CodeFigure figure) {
  return figure == CodeFigure::Cpu ? Colour::Launch : figure == CodeFigure::Wait ? Colour::Wait : Colour::Kernel;
}

// The GPU idles because of what it waits for, as on the lanes.
bool costs_time(const LineCost& cost) { return cost.idle_ns > 0 && cost.idle_ns >= Stalls::kHarmless * cost.ns[1]; }

constexpr double kNothing = 0.5;  // shorter times, in nanoseconds, are shown as "–"

std::string three_digits(double v) {
  return v < 9.995 ? fmt::format("{:.2f}", v) : v < 99.95 ? fmt::format("{:.1f}", v) : fmt::format("{:.0f}", v);
}

// Always the same width: three digits and a unit.
std::string cost_text(double ns) {
  if (ns < kNothing) return "–";
  const double us = ns / 1e3;
  if (us < 999.5) return three_digits(us) + " µs";
  return us < 999'500 ? three_digits(us / 1e3) + " ms" : three_digits(us / 1e6) + " s";
}

// The unit of all costs beside the lanes, and its length in nanoseconds.
std::pair<const char*, double> chip_unit(const CodeState& code) {
  double most = 0;
  for (std::size_t i = 0; i < code.code().size(); ++i) {
    if (const LineCost* cost = code.cost(i)) most = std::max(most, cost->host_ns());
  }
  return most < 2e6 ? std::pair{"µs", 1e3} : most < 2e9 ? std::pair{"ms", 1e6} : std::pair{"s", 1e9};
}

// A statement with advice has the colour of its card here, too.
Colour idle_colour(const ShellState& state, const Statement& statement) {
  for (const AdviceCard& advice : state.advice.cards()) {
    const auto& ranges = statement.ranges;
    if (std::find(ranges.begin(), ranges.end(), advice.card.range) != ranges.end()) return card_colour(advice.card);
  }
  return Colour::Bubble;
}

std::string sentence(const CodeState& code, const LineCost& cost, double share) {
  const auto of = [&](CodeFigure figure) { return cost_text(cost.ns[static_cast<std::size_t>(figure)]); };
  const std::string cpu = of(CodeFigure::Cpu), waiting = of(CodeFigure::Wait), gpu = of(CodeFigure::Gpu);
  std::string says = code.of_user() && code.per_second()
                         ? tr("per second: CPU {} · waiting {} · GPU {}", cpu, waiting, gpu)
                         : tr("per iteration: CPU {} · waiting {} · GPU {}", cpu, waiting, gpu);
  if (cost.idle_ns >= 0.5) {
    says += "\n" + tr("GPU idle because of it: {}", cost_text(cost.idle_ns));
  }
  if (code.of_user()) {
    if (code.only_waits()) return says + "\n" + tr("Launches and the GPU's work were not recorded.");
    const std::string calls = fmt::format("{:.3g}", cost.per_iteration);
    return says + "\n" + (code.per_second() ? tr("calls per second: {}", calls) : tr("calls per iteration: {}", calls));
  }
  return says + "\n" +
         tr("{:.2f} times per iteration, {:.0f} % of the program's time", cost.per_iteration, share * 100);
}

// The columns that a text takes: two for a wide character.
std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) count += base::is_wide(base::next_code_point(text, i)) ? 2 : 1;
  return count;
}

// The bytes of the whole characters that fit into so many columns.
std::size_t bytes_in(std::string_view text, std::size_t most) {
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    std::size_t next = bytes;
    used += base::is_wide(base::next_code_point(text, next)) ? 2 : 1;
    if (used > most) break;
    bytes = next;
  }
  return bytes;
}

// Of a file of the user's, a line may be long: then it is cut before the figures are.
std::size_t letters_wanted(const CodeState& code) {
  constexpr std::size_t kMostOfUser = 64, kLeastOfUser = 40;
  const std::size_t longest = longest_line(code.code());
  return code.of_user() ? std::clamp(longest, kLeastOfUser, kMostOfUser) : longest;
}

CodeMeasures measures(const Fonts& fonts) {
  CodeMeasures m;
  for (const FontRole role : {FontRole::Mono, FontRole::MonoSmall}) {
    m.letter[static_cast<std::size_t>(role)] = text_width(fonts, role, "00000000") / 8;
  }
  m.figure = text_width(fonts, FontRole::MonoSmall, "88.8 µs");
  return m;
}

// The inputs for drawing a row.
struct Line {
  std::size_t number = 0;
  const Statement* statement = nullptr;
  std::size_t owner = 0;  ///< the line that this one continues, or the line itself
  const LineCost* cost = nullptr;
  Rect box;
};

class CodeDrawing {
 public:
  CodeDrawing(const Canvas& canvas, const CodeLayout& layout)
      : c_(canvas),
        s_(canvas.scale),
        l_(layout),
        code_(canvas.state.code),
        unit_ns_(chip_unit(code_).second),
        list_(*ImGui::GetWindowDrawList()) {}

  /// All lines from the cursor down.
  void draw(const std::string& id) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const workload::Code& code = code_.code();
    const float left = l_.left;
    const float width = l_.right + 4 * s_ - left;
    std::optional<std::size_t> clicked;
    float y = at.y, arrow_y = at.y;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const float height = static_cast<float>(rows_of(code[i]).size()) * l_.row_height;
      const Line line{i + 1, &code[i], code[i].part_of.value_or(i), code_.cost(i), {left, y, width, height}};
      if (code_.pointed_to() == i) arrow_y = y + l_.row_height / 2;
      y += height;
      ImGui::SetCursorScreenPos({line.box.x, line.box.y});
      if (!ImGui::IsRectVisible({width, height})) {
        ImGui::Dummy({width, height});
        continue;
      }
      if (draw_line(id, i, line)) clicked = i;
    }
    add_to_draw_list(list_, c_.spans, batch_);
    draw_labels(list_, c_.fonts, batch_.labels);
    draw_arrow(arrow_y);
    ImGui::SetCursorScreenPos({at.x, y});
    if (clicked) go_to_statement(c_.state, *clicked);
  }

 private:
  /// A part of a line in a row of its own, in bytes.
  struct Row {
    std::size_t begin, end;
  };
  // A line too long for the room beside its cost goes on in the next row, two letters further in, after a word.
  std::vector<Row> rows_of(const Statement& statement) const {
    const std::string_view text = statement.text;
    if (l_.detail != CodeDetail::Text) return {{0, text.size()}};
    const bool costs = statement.indent > 0 && !statement.ranges.empty();
    const float cost = costs ? chip_width() : 0;
    const float room = (l_.right - l_.text_x(statement.indent) - cost) / l_.letter;
    auto most = static_cast<std::size_t>(std::max(8.0f, room));
    std::vector<Row> rows;
    for (std::size_t at = 0; at < text.size() || rows.empty();) {
      std::size_t length = text.size() - at;
      if (columns(text.substr(at)) > most) {
        length = bytes_in(text.substr(at), most);
        const std::size_t word = text.substr(at, length).find_last_of(" (");
        if (word != std::string_view::npos && word >= length / 3) length = word + 1;
      }
      rows.push_back({at, at + length});
      at += length;
      if (rows.size() == 1) most -= kContinued;
    }
    return rows;
  }

  void draw_wrapped(const Line& line, const std::vector<Row>& rows, bool runs) {
    const Statement& statement = *line.statement;
    const std::string_view text = statement.text;
    Rect box{line.box.x, line.box.y, line.box.width, l_.row_height};
    for (const Row& row : rows) {
      const float x = l_.text_x(statement.indent) + (row.begin > 0 ? kContinued * l_.letter : 0);
      for (const CodeToken& token : tokens(statement)) {
        const std::size_t begin = std::max(token.begin, row.begin);
        const std::size_t end = std::min(token.begin + token.length, row.end);
        if (begin >= end) continue;
        const std::string_view part = text.substr(begin, end - begin);
        label(x + static_cast<float>(columns(text.substr(row.begin, begin - row.begin))) * l_.letter,
              static_cast<float>(columns(part) + 2) * l_.letter, box, token_colour(token.kind, !runs), l_.font,
              std::string(part));
      }
      box.y += l_.row_height;
    }
  }

  bool draw_line(const std::string& id, std::size_t i, const Line& line) {
    const bool clickable = line.owner != i ? code_.cost(line.owner) != nullptr : line.cost != nullptr;
    const bool clicked =
        press_area(c_, fmt::format("##{}.{}", id, i).c_str(), {line.box.width, line.box.height}) && clickable;
    const std::string name = fmt::format("{}.{}", id, i);
    clickable ? note_control(c_, name) : note_place(c_, name);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered && clickable) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      code_.hovered = i;
    }
    draw_ground(i, line, hovered && clickable);
    const bool cut = draw_text(i, line);
    draw_costs(line);
    draw_chip(i, line);
    if (hovered) draw_tooltip(line, cut);
    return clicked;
  }

  float lit(std::size_t owner) const {
    const std::vector<float>& lines = code_.light().lines;
    return owner < lines.size() ? lines[owner] : 0;
  }

  void draw_ground(std::size_t i, const Line& line, bool hovered) {
    const Rect& b = line.box;
    const auto fill = [&](std::uint32_t colour, float alpha) {
      batch_.solid(b.x, b.y + 1, b.x + b.width, b.y + b.height - 1, with_alpha(colour, alpha), 4 * s_);
    };
    if (hovered) fill(c_.theme[Colour::PanelHovered], 1);
    // A line that mostly waits, and costs time by that, is lit in the colour of harm.
    const LineCost* cost = code_.cost(line.owner);
    const bool waits = cost && cost->ns[1] > cost->ns[0] && costs_time(*cost);
    const std::uint32_t glow = c_.theme[waits ? Colour::Wait : Colour::Accent];
    // Beside the lanes nothing moves: only the costliest statement stands out.
    const bool calm = l_.detail == CodeDetail::Text;
    if (calm && code_.costliest() == line.owner) fill(c_.theme[idle_colour(c_.state, code_.code()[line.owner])], 0.22f);
    const float light = calm ? 0 : lit(line.owner);
    if (light > 0.004f) {
      const bool shares = code_.light().basis == CodeLight::Basis::Share;
      fill(glow, (shares ? 0.42f : 0.3f) * light);
      if (!shares)
        batch_.solid(b.x, b.y + 1, b.x + kCodeEdge * s_, b.y + b.height - 1, with_alpha(glow, light), 2 * s_);
    }
    if (code_.costliest() == line.owner) {
      const Colour edge = idle_colour(c_.state, code_.code()[line.owner]);
      batch_.solid(b.x, b.y + 1, b.x + kCodeEdge * s_, b.y + b.height - 1, c_.theme[edge], 2 * s_);
    }
    if (code_.chosen() == line.owner) {
      Span& chosen = batch_.styled(SpanStyle::Outline, b.x, b.y + 1, b.x + b.width, b.y + b.height - 1,
                                   with_alpha(c_.theme[Colour::Accent], 0.08f), c_.theme[Colour::Accent], 4 * s_);
      chosen.stroke = 1.5f * s_;
    }
    const float flash = c_.state.preferences.animation    ? code_.flashing(base::now())
                        : code_.flashing(base::now()) > 0 ? 1.0f
                                                          : 0.0f;
    if (flash <= 0) return;
    for (const CodeChange& change : code_.changed()) {
      if (change.line != i) continue;
      const float x = l_.text_x(line.statement->indent) + static_cast<float>(change.begin) * l_.letter;
      const float w = static_cast<float>(change.length) * l_.letter;
      batch_.solid(x - 2 * s_, b.y + 2 * s_, x + w + 2 * s_, b.y + b.height - 2 * s_,
                   with_alpha(c_.theme[Colour::Accent], 0.45f * flash), 3 * s_);
    }
  }

  void label(float x, float width, const Rect& box, std::uint32_t colour, FontRole font, std::string text,
             LabelAlign align = LabelAlign::Left) {
    batch_.labels.push_back({x, box.y, width, colour, font, std::move(text), box.height, align});
  }

  std::uint32_t token_colour(CodeToken::Kind kind, bool dark) const {
    switch (kind) {
      case CodeToken::Kind::Keyword:
        return c_.theme[Colour::Muted];
      case CodeToken::Kind::Knob:
        return c_.theme.as_text(Colour::Accent);
      case CodeToken::Kind::Comment:
        return c_.theme[Colour::Dim];
      case CodeToken::Kind::Plain:
        break;
    }
    return c_.theme[dark ? Colour::Muted : Colour::Text];
  }

  // True if the text was cut.
  bool draw_text(std::size_t i, const Line& line) {
    const Rect& b = line.box;
    const Statement& statement = *line.statement;
    label(b.x + 4 * s_, l_.number_right - b.x - 4 * s_, {b.x, b.y, b.width, l_.row_height}, c_.theme[Colour::Dim],
          FontRole::MonoSmall, std::to_string(line.number), LabelAlign::Right);
    for (int level = 1; level <= statement.indent; ++level) {
      const float x = l_.text_x(level - 1) + l_.letter / 2;
      batch_.solid(x, b.y, x + 1, b.y + b.height, with_alpha(c_.theme[Colour::Faint], 0.6f));
    }
    const float x = l_.text_x(statement.indent);
    const float room = (shows_costs(line) ? l_.code_x + l_.code_width : l_.right) - x;
    const bool runs = !code_.code()[line.owner].ranges.empty();
    if (const auto rows = rows_of(statement); rows.size() > 1) {
      draw_wrapped(line, rows, runs);
      return false;
    }
    const auto letters = static_cast<std::size_t>(std::max(0.0f, room / l_.letter + 0.01f));
    const std::string_view whole = statement.text;
    const bool cut = columns(whole) > letters;
    const std::size_t shown = cut ? bytes_in(whole, std::max<std::size_t>(letters, 2) - 1) : whole.size();
    for (const CodeToken& token : tokens(statement)) {
      if (token.begin >= shown) break;
      const std::size_t length = std::min(token.length, shown - token.begin);
      const float from = x + static_cast<float>(columns(whole.substr(0, token.begin))) * l_.letter;
      const auto wide = static_cast<float>(columns(whole.substr(token.begin, length)) + 2);
      label(from, wide * l_.letter, b, token_colour(token.kind, !runs), l_.font,
            statement.text.substr(token.begin, length));
    }
    const float end = x + static_cast<float>(columns(whole.substr(0, shown))) * l_.letter;
    if (cut) label(end, 2 * l_.letter, b, c_.theme[Colour::Dim], l_.font, "…");
    if (!cut && code_.costliest() == i && l_.detail != CodeDetail::Text) draw_idle(b, end + 2 * l_.letter);
    return cut;
  }

  // The GPU idle time that the statement causes, drawn like a bubble in the timeline.
  void draw_idle(const Rect& b, float from) {
    const LineCost* cost = code_.cost(*code_.costliest());
    const std::string says = tr("idle {}", cost_text(cost->idle_ns));
    const float width = text_width(c_.fonts, FontRole::Small, tr("idle 88.8 µs")) + 14 * s_;
    if (from + width > l_.code_x + l_.code_width) return;
    const float top = b.y + 2 * s_, bottom = b.y + b.height - 2 * s_;
    batch_.styled(SpanStyle::Dashed, from, top, from + width, bottom, c_.theme[Colour::BubbleGround],
                  c_.theme[Colour::Bubble], 3 * s_);
    label(from, width, b, c_.theme.as_text(Colour::Bubble), FontRole::Small, says, LabelAlign::Centre);
  }

  void draw_bar(const Line& line, CodeFigure figure, float x, float y, float width, float height) {
    const std::size_t number = line.number - 1;
    batch_.solid(x, y, x + width, y + height, with_alpha(c_.theme[Colour::Faint], 0.35f), 2 * s_);
    const float length = code_.bar(number, figure) * width;
    if (length < 0.5f) return;
    const float end = x + std::max(length, 2 * s_);
    if (figure == CodeFigure::Wait) {
      const Hatching look = wait_hatching(c_.theme, line.cost && costs_time(*line.cost));
      batch_.styled(SpanStyle::Hatched, x, y, end, y + height, look.ground, look.ink, 2 * s_);
    } else {
      batch_.solid(x, y, end, y + height, c_.theme[figure_colour(figure)], 2 * s_);
    }
  }

  // A statement that did not run in recent iterations shows no costs instead of zeros.
  bool shows_costs(const Line& line) const {
    if (l_.detail == CodeDetail::Text || line.statement->ranges.empty()) return false;
    return !line.cost || line.cost->per_iteration > 0 || line.cost->host_ns() + line.cost->ns[2] >= 0.5;
  }

  void draw_costs(const Line& line) {
    if (!shows_costs(line)) return;
    const Rect& b = line.box;
    for (std::size_t f = 0; f < kCodeFigures; ++f) {
      const auto figure = static_cast<CodeFigure>(f);
      const float x = l_.column_x[f];
      if (l_.detail == CodeDetail::Bar) {
        const float height = (b.height - 6 * s_) / kCodeFigures;
        draw_bar(line, figure, x, b.y + 3 * s_ + static_cast<float>(f) * height, l_.column_width, height - s_);
        continue;
      }
      if (l_.detail == CodeDetail::Bars) {
        draw_bar(line, figure, x, b.y + b.height / 2 - 4 * s_, l_.column_width, 8 * s_);
        continue;
      }
      draw_bar(line, figure, x, b.y + b.height - (kBarHeight + 1.5f) * s_, l_.column_width, kBarHeight * s_);
      const std::string says = line.cost ? cost_text(line.cost->ns[f]) : "…";
      const bool none = !line.cost || line.cost->ns[f] < kNothing;
      const Rect upper{b.x, b.y, b.width, b.height - (kBarHeight + 1) * s_};
      label(x, l_.column_width, upper, none ? c_.theme[Colour::Dim] : c_.theme[Colour::Text], FontRole::MonoSmall, says,
            LabelAlign::Right);
    }
  }

  float chip_width() const { return text_width(c_.fonts, FontRole::MonoSmall, "88.8") + 8 * s_; }

  // Without columns: the CPU time of the statement, waits included.
  void draw_chip(std::size_t i, const Line& line) {
    if (l_.detail != CodeDetail::Text || line.statement->ranges.empty() || !line.cost) return;
    const double ns = line.cost->host_ns();
    if (line.statement->indent == 0 && ns < kNothing) return;  // before the loop
    const std::string says = ns < kNothing ? "–" : three_digits(ns / unit_ns_);
    const Rect b{line.box.x, line.box.y, line.box.width, l_.row_height};
    const float width = std::max(chip_width(), text_width(c_.fonts, FontRole::MonoSmall, says) + 8 * s_);
    const float x = b.x + b.width - width - 2 * s_;
    const bool costly = code_.costliest() == i;
    batch_.solid(x, b.y + 2 * s_, x + width, b.y + b.height - 2 * s_,
                 c_.theme[costly ? idle_colour(c_.state, *line.statement) : Colour::PanelRaised], 4 * s_);
    label(x, width, b,
          costly ? c_.theme.ink_on(idle_colour(c_.state, *line.statement))
                 : c_.theme[ns < kNothing ? Colour::Dim : Colour::Text],
          FontRole::MonoSmall, says, LabelAlign::Centre);
  }

  // Marks the statement of the selection, between its number and its text.
  void draw_arrow(float y) {
    if (!code_.pointed_to()) return;
    const float x = l_.code_x - 11 * s_, half = 5 * s_;
    list_.AddTriangleFilled({x, y - half}, {x, y + half}, {x + 8 * s_, y}, c_.theme[Colour::Selection]);
  }

  void draw_tooltip(const Line& line, bool cut) {
    std::string says;
    if (cut) says = line.statement->text;
    const LineCost* cost = code_.cost(line.owner);
    if (cost) {
      const std::string costs = sentence(code_, *cost, code_.share(line.owner));
      const bool on = code_.chosen() == line.owner;
      const char* click = code_.of_user() ? (on ? tr("click: remove the outlines of its events")
                                                : tr("click: outline its events, go to the longest call"))
                          : on            ? tr("click: remove the outlines of its ranges")
                                          : tr("click: outline its ranges, go to the longest one");
      says += (says.empty() ? "" : "\n") + costs + "\n" + click;
    }
    if (!says.empty()) ImGui::SetTooltip("%s", wrapped_lines(c_, FontRole::Body, says, 420 * s_).c_str());
  }

  const Canvas& c_;
  const float s_;
  const CodeLayout& l_;
  CodeState& code_;
  const double unit_ns_;  // of the costs beside the lanes
  ImDrawList& list_;
  SpanBatch batch_;
};

// Scrolls to the line of the selection when it changes.
void keep_in_view(CodeState& code, const CodeLayout& layout) {
  if (const auto line = std::exchange(code.scroll_to, std::nullopt)) {
    code.in_view = code.pointed_to();
    const float middle = (static_cast<float>(*line) + 0.5f) * layout.row_height;
    ImGui::SetScrollY(std::max(0.0f, middle - ImGui::GetWindowHeight() / 2));
    return;
  }
  const std::optional<std::size_t> wanted = code.pointed_to();
  if (wanted == code.in_view) return;
  code.in_view = wanted;
  if (!wanted) return;
  const float top = static_cast<float>(*wanted) * layout.row_height, room = ImGui::GetWindowHeight();
  if (top < ImGui::GetScrollY() || top + layout.row_height > ImGui::GetScrollY() + room) {
    ImGui::SetScrollY(std::max(0.0f, top - room / 2));
  }
}

void draw_heads(const Canvas& c, const CodeLayout& layout, float y, float height) {
  if (layout.detail != CodeDetail::Figures) return;
  std::vector<Label> labels;
  for (std::size_t f = 0; f < kCodeFigures; ++f) {
    const auto figure = static_cast<CodeFigure>(f);
    labels.push_back({layout.column_x[f], y, layout.column_width, c.theme.as_text(figure_colour(figure)),
                      FontRole::SmallBold, figure_name(figure), height, LabelAlign::Right});
  }
  const Rect header = c.state.places["drawer.header"];
  const CodeState& code = c.state.code;
  const std::string unit = code.of_user() && code.per_second() ? tr("per second") : tr("per iteration");
  const float width = text_width(c.fonts, FontRole::Small, unit) + 2;
  const float x = layout.column_x[0] - 14 * c.scale - width;
  if (x > header.x + 8 * c.scale) {
    labels.push_back({x, y, width, c.theme[Colour::Dim], FontRole::Small, unit, height, LabelAlign::Right});
  }
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
}

CodeState& begin_code(const Canvas& c) {
  CodeState& code = c.state.code;
  code.drawn = true;
  code.hovered.reset();
  c.state.in_motion = c.state.in_motion || code.moving(base::now());
  return code;
}

// Why there is no line of the user's program to show, and what can be done.
void draw_no_file(const Canvas& c) {
  const CodeState& code = c.state.code;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (code.file().empty()) {
    return text(c, FontRole::Body, Colour::Muted,
                tr("No line of your program is known yet: they come with its first calls."));
  }
  const std::filesystem::path wanted = code.files.absolute(code.file());
  text(c, FontRole::Body, Colour::Muted,
       tr("{} is not in {}.", wanted.filename().string(), short_path(wanted.parent_path())));
  if (code.file().front() == '<') return;  // it is no file
  ImGui::SetCursorScreenPos({at.x, at.y + 26 * c.scale});
  if (button(c, "code.find", tr("Choose where it is …"), false, 0,
             tr("holds for all files of that folder, and is remembered"))) {
    ask_for_source(c.state);
  }
}

std::string file_label(const CodeState& code, const UserFile& file) {
  std::string label = file_name_of(file.path);
  const auto same = [&](const UserFile& other) { return file_name_of(other.path) == label; };
  if (std::count_if(code.user_files().begin(), code.user_files().end(), same) > 1) {
    const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
    label = (folder.filename() / label).string();
  }
  return label;
}

// The file that is shown, and all that have been seen.
void draw_file_choice(const Canvas& c, float width) {
  CodeState& code = c.state.code;
  const TextStyle style(c, FontRole::Body, Colour::Text);
  const auto shown = std::find_if(code.user_files().begin(), code.user_files().end(),
                                  [&](const UserFile& file) { return file.path == code.file(); });
  const std::string now = shown != code.user_files().end() ? file_label(code, *shown) : file_name_of(code.file());
  ImGui::SetNextItemWidth(std::min(260 * c.scale, width));
  const bool open = ImGui::BeginCombo("##file", imgui_label(now).c_str());
  if (!open) note_control(c, "code.file");
  if (!open && ImGui::IsItemHovered()) {
    const auto path = code.files.find(code.file());
    ImGui::SetTooltip("%s", path ? short_path(*path).c_str() : code.file().c_str());
  }
  if (!open) return;
  const RowSpacing rows(c);
  std::optional<std::string> wanted;
  for (std::size_t i = 0; i < code.user_files().size(); ++i) {
    const UserFile& file = code.user_files()[i];
    std::string label = file_label(code, file);
    if (file.waiting_ns > 0) label += "   ·   " + tr("waits {}", base::format_duration(file.waiting_ns));
    const TextStyle ink(c, FontRole::Body, file.library ? Colour::Muted : Colour::Text);
    // Its waits and its place change while it is clicked.
    ImGui::PushID(static_cast<int>(imgui_id(file.path)));
    if (ImGui::Selectable((imgui_label(label) + "###file").c_str(), file.path == code.file())) wanted = file.path;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", file.path.c_str());
    ImGui::PopID();
    note_control(c, fmt::format("code.file.{}", i));
  }
  ImGui::EndCombo();
  if (wanted) code.show_file(*wanted, 0);
}

// True: there is no code to draw, and the reason was shown.
bool draw_no_code(const Canvas& c) {
  if (!c.state.code.code().empty()) return false;
  if (c.state.code.of_user()) {
    draw_no_file(c);
    return true;
  }
  text(c, FontRole::Body, Colour::Muted, tr("The code of this trace is not known: another program recorded it."));
  return true;
}

void draw_copy(const Canvas& c) {
  if (button(c, "code.copy", tr("Copy as PyTorch"), false, 0, tr("the whole program, which runs without Lanescope"))) {
    c.state.requests.actions.push_back(Action::CopyScript);
  }
}

void begin_lines(const char* id, ImVec2 size) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
  ImGui::BeginChild(id, size, false, ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();  // so that tooltips keep their own padding
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{0, 0});
}
void end_lines() {
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace

void draw_code_tab(const Canvas& c) {
  constexpr float kTabs = 26, kFileRow = 34;
  const float s = c.scale;
  const float head = kTabs + (c.state.code.of_user() && !c.state.code.file().empty() ? kFileRow : 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  CodeState& code = begin_code(c);
  const float height = size.y - head * s;
  if (head > kTabs) {
    ImGui::SetCursorScreenPos({at.x + 16 * s, at.y + (kTabs + 1) * s});
    draw_file_choice(c, size.x - 32 * s);
  }
  ImGui::SetCursorScreenPos({at.x + 16 * s, at.y + head * s});
  if (height < 20 * s || draw_no_code(c)) return;
  const CodeLayout layout =
      code_layout(at.x + 4 * s, size.x - 8 * s, height, s, letters_wanted(code), code.code().size(), measures(c.fonts));
  draw_heads(c, layout, at.y, 20 * s);
  ImGui::SetCursorScreenPos({at.x, at.y + head * s});
  begin_lines("##code", {size.x, height});
  keep_in_view(code, layout);
  CodeDrawing(c, layout).draw("code");
  if (code.loop()) {
    vertical_space(c, 10);
    ImGui::SetCursorPosX(16 * s);
    draw_copy(c);
    vertical_space(c, 6);
  }
  end_lines();
  c.state.places["code"] = {at.x, at.y + head * s, size.x, height};
}

void draw_code_section(const Canvas& c) {
  CodeState& code = c.state.code;
  if (code.of_user() || code.code().empty() || c.state.drawer == DrawerTab::Code) return;
  heading(c, tr("CODE"));
  ImGui::SameLine();
  const float right = ImGui::GetContentRegionAvail().x;
  const ImVec2 line = ImGui::GetCursorScreenPos();
  draw_label(c, {line.x, line.y, right, c.fonts.size(FontRole::SmallBold)}, c.theme[Colour::Dim], FontRole::Small,
             tr("{} of CPU time", chip_unit(code).first), LabelAlign::Right);
  ImGui::NewLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (!ImGui::IsRectVisible({width, 100 * c.scale})) {
    ImGui::Dummy({width, static_cast<float>(code.code().size()) * 20 * c.scale});
    return;
  }
  begin_code(c);
  const CodeLayout layout =
      code_layout(at.x - 16 * c.scale, width + 32 * c.scale, 0, c.scale, longest_line(code.code()), code.code().size(),
                  measures(c.fonts), CodeDetail::Text);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{0, 0});
  CodeDrawing(c, layout).draw("code");
  ImGui::PopStyleVar();
}

void draw_statement_figure(const Canvas& c) {
  const auto line = c.state.code.pointed_to();
  if (!line || c.state.code.of_user()) return;  // the stack has it
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string name = tr("statement");
  const float room = width - text_width(c.fonts, FontRole::Body, name) - 16 * c.scale;
  figure_line(c, name, fit_text(c.fonts, FontRole::Mono, c.state.code.code()[*line].text, room));
}

}  // namespace lanescope::ui
