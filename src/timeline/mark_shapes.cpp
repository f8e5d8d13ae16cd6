#include "timeline/mark_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "trace/event.h"
#include "workload/settings.h"

namespace lanescope::ui {
namespace {

constexpr float kLetter = 6.9f;  // width of a letter in the small font, with a margin
constexpr float kLine = 19;      // distance from a ruler to the one below it
constexpr float kLabelHeight = 17;
constexpr float kNoteWidth = 190;

// The lane's row on the screen; without one, the top edge of all lanes.
std::optional<Rect> row_of(const MarkSurface& surface, const std::string& key) {
  const auto place = key.empty() ? std::nullopt : surface.timeline.place_of(key);
  return place && place->lane ? std::optional(place->rect) : std::nullopt;
}

// The first of 0, step, 2 step ... at which a box fits below `y` without overlapping another.
float free_place(const std::vector<Rect>& taken, float x0, float x1, float y, float height, float step) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    const float top = y + static_cast<float>(attempt) * step;
    const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& r) {
      return x0 < r.x + r.width && r.x < x1 && top < r.y + r.height && r.y < top + height;
    });
    if (free) return top;
  }
  return y;
}

void add_ruler_shape(const MarkSurface& surface, const Measure& m, bool open, std::vector<Rect>& taken,
                     MarkShapes& shapes) {
  const TimeAxis& axis = surface.axis;
  if (m.to < axis.begin_ns() || m.from > axis.end_ns()) return;
  const float s = surface.frame.scale;
  RulerShape shape;
  shape.id = m.id;
  shape.open = open;
  shape.x0 = axis.to_px(m.from);
  shape.x1 = axis.to_px(m.to);
  shape.text = measure_text(m.to - m.from);
  const float width = (static_cast<float>(letters(shape.text)) * kLetter + 14) * s;
  // The text is in the middle of the visible part of the ruler, or beside it if that is too short.
  const float left = std::max(shape.x0, axis.left_px());
  const float right = std::min(shape.x1, axis.right_px());
  float x = (left + right - width) / 2;
  if (right - left < width + 16 * s) x = right + 5 * s + width < axis.right_px() ? right + 5 * s : left - width - 5 * s;
  const auto row = row_of(surface, m.lane);
  const float wanted = row ? row->y + row->height / 2 - kLabelHeight * s / 2 : surface.lanes_top() + 4 * s;
  const float y = free_place(taken, std::min(x, left), std::max(x + width, right), wanted, kLabelHeight * s, kLine * s);
  shape.label = {x, y, width, kLabelHeight * s};
  shape.y = y + kLabelHeight * s / 2;
  taken.push_back({std::min(x, left), y, std::max(x + width, right) - std::min(x, left), kLabelHeight * s});
  shapes.rulers.push_back(std::move(shape));
}

void add_bookmark_shape(const MarkSurface& surface, const Bookmark& b, std::size_t number, std::vector<Rect>& taken,
                        MarkShapes& shapes) {
  const TimeAxis& axis = surface.axis;
  const float s = surface.frame.scale;
  if (b.at < axis.begin_ns() || b.at > axis.end_ns()) return;
  BookmarkShape shape;
  shape.id = b.id;
  shape.note = b.is_note();
  shape.x = axis.to_px(b.at);
  if (!shape.note) {
    shape.text = std::to_string(number);
    const float width = (static_cast<float>(shape.text.size()) * kLetter + 11) * s;
    shape.body = {shape.x, surface.area.y + 3 * s, width, 16 * s};
  } else {
    shape.text = b.text;
    const float width = std::min(kNoteWidth, static_cast<float>(letters(b.text)) * kLetter + 18) * s;
    const auto row = row_of(surface, b.lane);
    // Beside its time; to the left of it at the right edge.
    const float x = shape.x + 8 * s + width < axis.right_px() ? shape.x + 8 * s : shape.x - width - 8 * s;
    const float wanted = row ? row->y + std::max(0.0f, row->height - 20 * s) / 2 : surface.lanes_top() + 4 * s;
    const float y = free_place(taken, x, x + width, wanted, 20 * s, 23 * s);
    shape.body = {x, y, width, 20 * s};
    taken.push_back(shape.body);
  }
  shapes.bookmarks.push_back(std::move(shape));
}

void upright(const MarkSurface& surface, float x, std::uint32_t colour, float dash) {
  const float s = surface.frame.scale;
  if (x < surface.axis.left_px() - 2 || x > surface.axis.right_px() + 2) return;
  for (float y = surface.lanes_top(); y < surface.lanes_bottom(); y += (dash + 3) * s) {
    surface.rows.solid(x - 0.6f * s, y, x + 0.6f * s, std::min(y + dash * s, surface.lanes_bottom()), colour);
  }
}

void add_ruler(const MarkSurface& surface, const RulerShape& r) {
  const Theme& theme = surface.frame.theme;
  const float s = surface.frame.scale;
  const std::uint32_t colour = theme[Colour::Accent];
  const float x0 = std::max(r.x0, surface.axis.left_px() - 10);
  const float x1 = std::min(r.x1, surface.axis.right_px() + 10);
  upright(surface, r.x0, with_alpha(colour, 0.55f), 2);
  upright(surface, r.x1, with_alpha(colour, 0.55f), 2);
  surface.rows.solid(x0, r.y - s, x1, r.y + s, colour);
  for (const float x : {r.x0, r.x1}) {  // the handles
    if (x < surface.axis.left_px() - 10 || x > surface.axis.right_px() + 10) continue;
    surface.rows.solid(x - 1.5f * s, r.y - 8 * s, x + 1.5f * s, r.y + 8 * s, colour, 1.5f * s);
  }
  surface.rows.add({r.label.x, r.label.y, r.label.width, theme[Colour::AccentInk], FontRole::SmallBold, r.text,
                    r.label.height, LabelAlign::Centre, colour});
}

void add_bookmark(const MarkSurface& surface, const BookmarkShape& b, bool shown) {
  const Theme& theme = surface.frame.theme;
  const float s = surface.frame.scale;
  const std::uint32_t colour = theme[Colour::Simulated];
  upright(surface, b.x, with_alpha(colour, shown ? 0.9f : 0.45f), 3);
  if (b.note) {
    surface.rows.solid(std::min(b.x, b.body.x + b.body.width), b.body.y + 9 * s, std::max(b.x, b.body.x),
                       b.body.y + 11 * s, colour);
    surface.rows.solid(b.body.x, b.body.y, b.body.x + b.body.width, b.body.y + b.body.height, colour, 3 * s);
    surface.rows.add({b.body.x + 7 * s, b.body.y, b.body.width - 10 * s, theme[Colour::SimulatedInk], FontRole::Small,
                      b.text, b.body.height});
  } else {
    surface.top.solid(b.x - 0.75f * s, b.body.y, b.x + 0.75f * s, surface.lanes_top(), colour);
    surface.top.solid(b.body.x, b.body.y, b.body.x + b.body.width, b.body.y + b.body.height, colour, 2 * s);
    surface.top.add({b.body.x, b.body.y, b.body.width, theme[Colour::SimulatedInk], FontRole::SmallBold, b.text,
                     b.body.height, LabelAlign::Centre});
  }
}

bool inside(const Rect& r, float x, float y) { return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height; }

}  // namespace

MarkShapes mark_shapes(const MarkSurface& surface, const Marks& marks) {
  MarkShapes shapes;
  std::vector<Rect> taken;
  if (const auto& band = surface.timeline.stall_band()) taken.push_back(band->label);
  for (const Measure& m : marks.rulers) add_ruler_shape(surface, m, false, taken, shapes);
  if (marks.open) {
    Measure m = *marks.open;
    if (m.from > m.to) std::swap(m.from, m.to);
    add_ruler_shape(surface, m, true, taken, shapes);
  }
  std::size_t number = 0;
  for (const Bookmark& b : marks.bookmarks) {
    if (!b.is_note()) ++number;
    add_bookmark_shape(surface, b, number, taken, shapes);
  }
  return shapes;
}

std::optional<MarkHit> hit_mark(const MarkShapes& shapes, float x, float y, float reach) {
  for (const RulerShape& r : shapes.rulers) {
    if (r.open || y < r.y - 9 || y > r.y + 9) continue;
    // The nearer end, if both ends of a short ruler are within reach.
    const float from = std::abs(x - r.x0);
    const float to = std::abs(x - r.x1);
    if (std::min(from, to) <= reach) return MarkHit{r.id, true, from < to ? RulerPart::From : RulerPart::To};
    if (inside(r.label, x, y) || (x > r.x0 && x < r.x1 && std::abs(y - r.y) < 4)) return MarkHit{r.id, true};
  }
  for (const BookmarkShape& b : shapes.bookmarks) {
    if (inside(b.body, x, y)) return MarkHit{b.id};
  }
  return std::nullopt;
}

void add_marks(const MarkSurface& surface, const Marks& marks, const MarkShapes& shapes) {
  for (const BookmarkShape& b : shapes.bookmarks) add_bookmark(surface, b, marks.shown == b.id);
  for (const RulerShape& r : shapes.rulers) add_ruler(surface, r);
}

void add_marks(const MarkSurface& surface, const Marks& marks) {
  add_marks(surface, marks, mark_shapes(surface, marks));
}

std::vector<MarkerFlag> marker_flags(const base::NameTable& names, std::span<const trace::Event> markers,
                                     const TimeAxis& axis, float top, float height, float s) {
  constexpr float kBeside = 6, kApart = 10;
  std::vector<MarkerFlag> flags;
  float free_from = axis.left_px() + 2 * s;
  for (std::size_t first = 0; first < markers.size();) {
    MarkerFlag flag;
    flag.x = axis.to_px(markers[first].start_ns);
    std::size_t last = first + 1;
    // A longer text may reach the next line, which then belongs to it, too.
    for (std::size_t covered = last;; covered = last) {
      flag.text = workload::marker_text(names, markers.subspan(first, last - first));
      flag.body = {flag.x + kBeside * s, top, (static_cast<float>(letters(flag.text)) * kLetter + 14) * s, height};
      const float end = flag.body.x + flag.body.width + kApart * s;
      while (last < markers.size() && axis.to_px(markers[last].start_ns) < end) ++last;
      if (last == covered) break;
    }
    // At the right edge it stands to the left of its line, where there is room.
    const float room = axis.right_px() - 2 * s;
    if (flag.body.x + flag.body.width > room) flag.body.x = std::max(free_from, room - flag.body.width);
    flag.body.width = std::min(flag.body.width, room - flag.body.x);
    free_from = flag.body.x + flag.body.width + kApart * s;
    if (flag.body.width > 0) flags.push_back(std::move(flag));
    first = last;
  }
  return flags;
}

void add_trigger_mark(const MarkSurface& surface, Nanoseconds instant) {
  const float x = surface.axis.to_px(instant);
  if (x < surface.axis.left_px() - 1 || x > surface.axis.right_px()) return;
  const float s = surface.frame.scale;
  const Theme& colours = surface.frame.theme;
  const float line = std::floor(x);
  surface.rows.solid(line - s, surface.lanes_top(), line + s, surface.lanes_bottom(),
                     with_alpha(colours[Colour::Accent], 0.55f));
  surface.top.solid(line - s, surface.area.y + 20 * s, line + s, surface.lanes_top(), colours[Colour::Accent]);
  // The flag is at the ruler's 0 and replaces that label.
  std::erase_if(surface.top.labels, [&](const Label& label) {
    return label.font == FontRole::MonoSmall && label.align == LabelAlign::Centre &&
           std::abs(label.x + label.max_width / 2 - x) < 12 * s;
  });
  surface.top.add({x - 10 * s, surface.area.y + 5 * s, 20 * s, colours[Colour::AccentInk], FontRole::SmallBold, "T",
                   20 * s, LabelAlign::Centre, colours[Colour::Accent]});
}

// --- pin card --------------------------------------------------------------------------------------------------------

namespace {

using base::tr;

constexpr float kWidth = 232;
constexpr float kPinLine = 18;
constexpr float kHead = 32;  // of a card, including the margin below its last line
constexpr float kPinDotPitch = 3;

}  // namespace

PinText pin_text(const trace::Trace& trace, const TimelineHit& hit, Nanoseconds begin) {
  PinText pin;
  if (hit.event) {
    const trace::Event& e = hit.event->event;
    const trace::LaneKind kind = trace.lane(hit.lane).info().kind;
    pin.title = event_label(trace, kind, e);
    if (e.kind == trace::EventKind::Copy) pin.title = std::string(trace.names().text(e.name));
    pin.lines.emplace_back(tr("duration"), base::format_duration(e.duration()));
    pin.lines.emplace_back(tr("start"), base::format_duration(e.start_ns - begin));
    if (trace::is_blocking(e)) {
      pin.lines.emplace_back(tr("waiting"), base::format_duration(trace::parts_of(e).waiting));
    }
    if (e.kind == trace::EventKind::Copy) {
      pin.lines.emplace_back(tr("bytes"), base::format_bytes(trace::shown_bytes(e)));
    }
  } else if (hit.bubble) {
    pin.title = std::string(tr("GPU idle")) + " " + base::format_duration(hit.bubble->duration());
    pin.lines.emplace_back(tr("cause"), std::string(analysis::cause_name(hit.bubble->cause)));
  } else {
    pin.title = fmt::format("{} {}", base::format_count(hit.folded_count), tr("events"));
    pin.lines.emplace_back(tr("time span"), base::format_duration(hit.folded_to - hit.folded_from));
    pin.lines.emplace_back(tr("busy"), fmt::format("{:.0f} %", hit.folded_busy * 100));
  }
  return pin;
}

std::optional<PinPlace> pin_place(const PinnedTooltip& pin, const Timeline& timeline, const TimeAxis& axis,
                                  const Rect& area, float s, std::size_t lines) {
  const auto lane = timeline.lane_rect(pin.hit.lane);
  if (!lane || pin.at < axis.begin_ns() || pin.at > axis.end_ns()) return std::nullopt;
  PinPlace place;
  place.tip_x = axis.to_px(pin.at);
  place.tip_y = lane->y + lane->height / 2;
  const float top = area.y + Timeline::kRulerHeight * s;
  Rect& card = place.card;
  card.width = kWidth * s;
  card.height = (kHead + kPinLine * static_cast<float>(lines)) * s;
  card.x = std::clamp(place.tip_x + pin.dx * s, axis.left_px(), std::max(axis.left_px(), axis.right_px() - card.width));
  card.y = std::clamp(place.tip_y + pin.dy * s, top, std::max(top, area.y + area.height - card.height));
  return place;
}

std::vector<Label> pin_labels(const PinText& text, const Rect& card, const Theme& theme, float s) {
  std::vector<Label> labels{{card.x + 10 * s, card.y + 4 * s, card.width - 36 * s, theme[Colour::Text],
                             FontRole::SmallBold, text.title, 20 * s}};
  float y = card.y + 24 * s;
  for (const auto& [name, value] : text.lines) {
    labels.push_back({card.x + 10 * s, y, 90 * s, theme[Colour::Muted], FontRole::Small, name, kPinLine * s});
    labels.push_back({card.x + 90 * s, y, card.width - 100 * s, theme[Colour::Text], FontRole::MonoSmall, value,
                      kPinLine * s, LabelAlign::Right});
    y += kPinLine * s;
  }
  return labels;
}

void add_pins(const MarkSurface& surface, const std::vector<PinnedTooltip>& pins) {
  const float s = surface.frame.scale;
  const Theme& theme = surface.frame.theme;
  const std::uint32_t edge = theme[Colour::Selection];
  SpanBatch& out = surface.rows;
  const Nanoseconds begin = surface.frame.trace.extent().first;
  for (const PinnedTooltip& pin : pins) {
    const PinText text = pin_text(surface.frame.trace, pin.hit, begin);
    const auto place = pin_place(pin, surface.timeline, surface.axis, surface.area, s, text.lines.size());
    if (!place) continue;
    const Rect& card = place->card;
    const float x1 = card.x + card.width;
    const float y1 = card.y + card.height;
    // From the point to the nearest point of the card.
    const float dx = std::clamp(place->tip_x, card.x, x1) - place->tip_x;
    const float dy = std::clamp(place->tip_y, card.y, y1) - place->tip_y;
    const int dots = static_cast<int>(std::hypot(dx, dy) / (kPinDotPitch * s));
    for (int i = 0; i <= dots; ++i) {
      const float share = dots > 0 ? static_cast<float>(i) / static_cast<float>(dots) : 0;
      const float r = (i == 0 ? 3.0f : 0.8f) * s;
      const float x = place->tip_x + dx * share;
      const float y = place->tip_y + dy * share;
      out.solid(x - r, y - r, x + r, y + r, edge, r);
    }
    // Labels are above all spans of a batch, so remove those that a card covers.
    std::erase_if(out.labels, [&](const Label& l) {
      return l.x < x1 && l.x + l.max_width > card.x && l.y < y1 && l.y + l.height > card.y;
    });
    out.solid(card.x, card.y + 2 * s, x1, y1 + 2 * s, theme[Colour::Shadow], 6 * s);
    out.styled(SpanStyle::Outline, card.x, card.y, x1, y1, theme[Colour::PanelRaised], edge, 6 * s).stroke = 1.2f * s;
    for (Label& label : pin_labels(text, card, theme, s)) out.add(std::move(label));
  }
}

}  // namespace lanescope::ui
