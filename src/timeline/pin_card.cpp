#include "timeline/pin_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "trace/event.h"

namespace lanescope::ui {
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
