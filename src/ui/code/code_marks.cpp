#include "ui/code/code_marks.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr float kLeastPx = 3;  // narrower ones share a glyph

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

void add_statement(const MarkSurface& s, const workload::Code& code, std::size_t line, float strength) {
  const trace::Trace& trace = s.frame.trace;
  const Statement& statement = code[line];
  const CodeLocator locator(trace, code);
  const trace::LaneKind kind = statement.transfers ? trace::LaneKind::Calls : trace::LaneKind::Phases;
  const Nanoseconds fold = std::max<Nanoseconds>(1, s.axis.length_ns(kLeastPx * s.frame.scale));
  const trace::Trace::ReadLock lock(trace);
  for_rows(
      trace, [&](trace::LaneKind k) { return k == kind; },
      [&](trace::LaneId id, std::size_t number, const trace::Row& row) {
        const trace::EventIndex last = row.last();
        auto i = row.first_ending_after(s.axis.begin_ns(), row.first(), last);
        while (i < last && row.start(i) < s.axis.end_ns()) {
          const trace::Fold together = row.fold(i, fold, last);
          const trace::EventIndex event = i;
          i = together.last;
          if (together.last != event + 1) continue;
          const EventRef ref = event_ref(id, number, row, event);
          const bool may_be = statement.transfers
                                  ? is_transfer(ref.event, trace.names())
                                  : std::find(statement.ranges.begin(), statement.ranges.end(),
                                              trace.names().text(ref.event.name)) != statement.ranges.end();
          if (!may_be || locator.of(ref) != line) continue;
          if (const auto rect = s.timeline.event_rect(ref, s.axis)) add_outline(s, *rect, strength);
        }
      });
}

}  // namespace

void add_code_marks(const MarkSurface& surface, const CodeState& code) {
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
