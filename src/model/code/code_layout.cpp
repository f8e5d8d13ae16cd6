#include "model/code/code_layout.h"

#include <algorithm>

#include "model/code/call_stack.h"

namespace lanescope::ui {
namespace {

constexpr float kLeft = 8, kMark = 18, kNarrowMark = 13, kGap = 14, kRight = 12;
constexpr float kMostColumn = 132, kLeastBar = 26, kOneBar = 56;
constexpr float kMayBeCut = 0.8f;
constexpr float kRow = 22, kSmallRow = 20;

constexpr float kLeastPx = 3;  // narrower events share a glyph

void add_outline(const MarkSurface& s, const Rect& r, float strength) {
  const float scale = s.frame.scale;
  Span span{std::max(r.x, s.axis.left_px() - 8 * scale), r.y, std::min(r.x + r.width, s.axis.right_px() + 8 * scale),
            r.y + r.height};
  if (span.x1 <= span.x0) return;
  const std::uint32_t colour = s.frame.theme[Colour::Accent];
  span.colour = with_alpha(colour, 0.2f * strength);
  span.ink = with_alpha(colour, strength);
  span.rounding = 3 * scale;
  span.stroke = 1.5f * scale;
  span.style = SpanStyle::Outline;
  s.rows.add(span);
}

/// Outlines the events in view for which `belongs` holds, except those too short to be drawn alone.
template <class LaneFilter, class Belongs>
void outline_events(const MarkSurface& s, float strength, LaneFilter lanes, Belongs belongs) {
  const trace::Trace& trace = s.frame.trace;
  const Nanoseconds fold = std::max<Nanoseconds>(1, s.axis.length_ns(kLeastPx * s.frame.scale));
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto id = static_cast<trace::LaneId>(l);
    const trace::Lane& lane = trace.lane(id);
    if (!lanes(lane.info())) continue;
    for (std::size_t number = 0; number < lane.row_count(); ++number) {
      const trace::Row& row = lane.row(number);
      const trace::EventIndex last = row.last();
      auto i = row.first_ending_after(s.axis.begin_ns(), row.first(), last);
      while (i < last && row.start(i) < s.axis.end_ns()) {
        const trace::EventIndex event = i;
        i = row.fold(event, fold, last).last;
        if (i != event + 1) continue;
        const EventRef ref = event_ref(id, number, row, event);
        if (!belongs(ref)) continue;
        if (const auto rect = s.timeline.event_rect(ref, s.axis)) add_outline(s, *rect, strength);
      }
    }
  }
}

void add_statement(const MarkSurface& s, const workload::Code& code, std::size_t line, float strength) {
  const trace::Trace& trace = s.frame.trace;
  const Statement& statement = code[line];
  const CodeLocator locator(trace, code);
  const trace::LaneKind kind = statement.transfers ? trace::LaneKind::Calls : trace::LaneKind::Phases;
  outline_events(
      s, strength, [&](const trace::LaneInfo& info) { return info.kind == kind; },
      [&](const EventRef& ref) {
        const bool may_be = statement.transfers
                                ? is_transfer(ref.event, trace.names())
                                : std::find(statement.ranges.begin(), statement.ranges.end(),
                                            trace.names().text(ref.event.name)) != statement.ranges.end();
        return may_be && locator.of(ref) == line;
      });
}

void add_line(const MarkSurface& s, const CodeState& code, const trace::Links& links, std::size_t line,
              float strength) {
  outline_events(
      s, strength,
      [](const trace::LaneInfo& info) {
        const bool lines = info.kind == trace::LaneKind::Phases && info.role == trace::LaneRole::Statements;
        return lines || info.kind == trace::LaneKind::Calls || trace::is_gpu_work_lane(info.kind);
      },
      [&](const EventRef& ref) { return code.line_of_site(site_of(links, ref)) == line; });
}

}  // namespace

std::size_t longest_line(const workload::Code& code) {
  std::size_t longest = 0;
  for (const Statement& s : code) {
    if (!s.ranges.empty()) longest = std::max(longest, 2 * static_cast<std::size_t>(s.indent) + s.text.size());
  }
  return longest;
}

CodeLayout code_layout(float x, float width, float height, float scale, std::size_t longest, std::size_t rows,
                       const CodeMeasures& measures, CodeDetail most) {
  const float s = scale;
  const auto letter_of = [&](FontRole role) { return measures.letter[static_cast<std::size_t>(role)]; };
  const float small = letter_of(FontRole::MonoSmall);
  CodeLayout layout;
  std::size_t digits = 2;
  for (std::size_t n = rows; n >= 100; n /= 10) ++digits;
  layout.number_right = x + kLeft * s + static_cast<float>(digits) * small;
  layout.code_x = layout.number_right + (most == CodeDetail::Text ? kNarrowMark : kMark) * s;
  layout.right = x + width - kRight * s;
  const float room = layout.right - layout.code_x;
  const auto text = [&](FontRole role) { return (static_cast<float>(longest) + 1) * letter_of(role); };
  const auto columns = [&](CodeDetail detail) {
    switch (detail) {
      case CodeDetail::Figures:
        return kCodeFigures * (measures.figure + kGap * s);
      case CodeDetail::Bars:
        return kCodeFigures * (kLeastBar + kGap / 2) * s;
      case CodeDetail::Bar:
        return (kOneBar + kGap / 2) * s;
      case CodeDetail::Text:
        break;
    }
    return 0.0f;
  };
  // Shrink the font before dropping columns.
  bool found = false;
  for (CodeDetail detail = most; !found; detail = static_cast<CodeDetail>(static_cast<int>(detail) + 1)) {
    for (const FontRole role : {FontRole::Mono, FontRole::MonoSmall}) {
      const float row = (role == FontRole::Mono ? kRow : kSmallRow) * s;
      if (role == FontRole::Mono && static_cast<float>(rows) * row > height) continue;
      const bool last = detail == CodeDetail::Text && role == FontRole::MonoSmall;
      // The overview of where the time goes may cut the end of the longest line.
      const float wanted = text(role) * (detail == CodeDetail::Bar && role == FontRole::MonoSmall ? kMayBeCut : 1);
      if (!last && wanted + columns(detail) > room) continue;
      layout.detail = detail;
      layout.font = role;
      layout.row_height = row;
      found = true;
      break;
    }
  }
  layout.letter = letter_of(layout.font);
  layout.left = layout.number_right - static_cast<float>(digits) * layout.letter - 8 * s;
  const float gap = (layout.detail == CodeDetail::Figures ? kGap : kGap / 2) * s;
  if (layout.detail == CodeDetail::Text) {
    layout.code_width = room;
    return layout;
  }
  const bool one = layout.detail == CodeDetail::Bar;
  const float n = one ? 1 : kCodeFigures;
  const float least = columns(layout.detail) / n - gap;
  layout.column_width = std::clamp((room - text(layout.font)) / n - gap, least, (one ? 2 * kOneBar : kMostColumn) * s);
  for (std::size_t i = 0; i < kCodeFigures; ++i) {
    const float from_right = one ? 1 : static_cast<float>(kCodeFigures - i);
    layout.column_x[i] = layout.right - from_right * layout.column_width - (from_right - 1) * gap;
  }
  layout.code_width = layout.column_x[0] - gap - layout.code_x;
  return layout;
}

void add_code_marks(const MarkSurface& surface, const CodeState& code, const trace::Links& links) {
  if (code.of_user()) {
    if (code.chosen()) add_line(surface, code, links, *code.chosen(), 1);
    if (code.hovered && code.hovered != code.chosen()) add_line(surface, code, links, *code.hovered, 0.7f);
    return;
  }
  const auto shown = [&](std::optional<std::size_t> line) -> std::optional<std::size_t> {
    if (!line || *line >= code.code().size()) return std::nullopt;
    if (code.code()[*line].part_of) line = code.code()[*line].part_of;
    return code.code()[*line].ranges.empty() ? std::nullopt : line;
  };
  const auto chosen = shown(code.chosen()), hovered = shown(code.hovered);
  if (chosen) add_statement(surface, code.code(), *chosen, 1);
  if (hovered && hovered != chosen) add_statement(surface, code.code(), *hovered, 0.7f);
}

}  // namespace lanescope::ui
