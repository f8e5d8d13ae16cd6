// The timeline's answers about what is where.
#include <algorithm>

#include "timeline/timeline.h"

namespace lanescope::ui {

using trace::LaneId;
using trace::LaneKind;

bool Timeline::covered(Pane number, float y) const {
  return splits_ && (y < pane(number).fixed_bottom || y >= pane(number).bottom);
}

bool Timeline::covered(const Placed& p, float y) const { return !fixed(p) && covered(p.pane, y); }
bool Timeline::covers(const HeadingPlace& heading, float y) const {
  return !heading.sticks && covered(heading.pane, y);
}
bool Timeline::covers(const LanePlace& place, float y) const { return !place.stands_still && covered(place.pane, y); }

const Timeline::Placed* Timeline::find(LaneId lane) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && p.lane_row->lane() == lane && p.shown()) return &p;
  }
  return nullptr;
}

const Timeline::Placed* Timeline::kernel_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const {
  const trace::Links& links = analysis.links();
  for (const Placed& p : placed_) {
    if (!p.lane_row || !p.shown() || links.owners().gpu_of(p.lane_row->lane()) != gpu) continue;
    if (links.trace().lane(p.lane_row->lane()).info().kind == LaneKind::Kernels) return &p;
  }
  return nullptr;
}

std::optional<Rect> Timeline::event_rect(const EventRef& ref, const TimeAxis& axis) const {
  const Placed* p = find(ref.lane);
  if (!p) return std::nullopt;
  const float x0 = axis.to_px(ref.event.start_ns);
  const float x1 = std::max(axis.to_px(ref.event.end_ns), x0 + 2);
  float y0 = p->y + static_cast<float>(ref.row) * p->shape.pitch;
  float y1 = y0 + p->shape.event;
  if (splits_ && !fixed(*p)) {
    const PanePlace& pane = pane_of(*p);
    y0 = std::clamp(y0, pane.fixed_bottom, std::max(pane.fixed_bottom, pane.bottom));
    y1 = std::clamp(y1, pane.fixed_bottom, std::max(pane.fixed_bottom, pane.bottom));
  }
  return Rect{x0, y0, x1 - x0, y1 - y0};
}

std::optional<Rect> Timeline::lane_rect(LaneId lane) const {
  const Placed* p = find(lane);
  return p ? std::optional(Rect{area_.x, p->y, area_.width, p->height()}) : std::nullopt;
}

std::optional<Rect> Timeline::lane_rect(const trace::Trace& trace, LaneKind kind) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && p.shown() && trace.lane(p.lane_row->lane()).info().kind == kind) {
      return lane_rect(p.lane_row->lane());
    }
  }
  return std::nullopt;
}

std::optional<Rect> Timeline::bubble_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const {
  const Placed* kernels = kernel_row(analysis, gpu);
  return kernels ? lane_rect(kernels->lane_row->lane()) : std::nullopt;
}

std::optional<LaneId> Timeline::lane_at(float y) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && y >= p.y && y < p.y + p.height() && !covered(p, y)) return p.lane_row->lane();
  }
  return std::nullopt;
}

std::vector<LaneId> Timeline::lanes_between(float y0, float y1) const {
  std::vector<LaneId> lanes;
  for (const Placed& p : placed_) {
    const bool clipped = splits_ && !fixed(p);
    const float top = clipped ? std::max(p.y, pane_of(p).fixed_bottom) : p.y;
    const float bottom = clipped ? std::min(p.y + p.height(), pane_of(p).bottom) : p.y + p.height();
    if (p.lane_row && p.shown() && top < y1 && bottom > std::max(y0, top)) lanes.push_back(*p.entry.lane);
  }
  return lanes;
}

std::vector<LaneId> Timeline::lanes() const {
  std::vector<LaneId> lanes;
  for (const Placed& p : placed_) {
    if (p.lane_row && p.shown()) lanes.push_back(*p.entry.lane);
  }
  return lanes;
}

std::size_t Timeline::lane_count() const { return lanes().size(); }

std::size_t Timeline::hidden_count() const {
  return static_cast<std::size_t>(
      std::count_if(placed_.begin(), placed_.end(), [](const Placed& p) { return p.choice.hidden; }));
}

LanePlace Timeline::place_of(const Placed& p) const {
  LanePlace place;
  place.key = p.entry.key;
  place.lane = p.entry.lane;
  place.name = p.entry.name;
  std::replace(place.name.begin(), place.name.end(), '\n', ' ');
  place.full_name = place.name;
  const std::string& whose =
      p.entry.heading.empty() || grouping_ != LaneGrouping::Owner ? p.entry.owner : p.entry.heading;
  if (!whose.empty()) place.full_name = whose + " · " + place.name;
  place.group = p.entry.group;
  place.rect = {area_.x, p.y, area_.width, p.height()};
  place.pinned = p.choice.pinned;
  place.folded = p.choice.folded;
  place.stands_still = fixed(p);
  place.pane = p.pane;
  place.gpu = p.entry.gpu;
  return place;
}

std::vector<LanePlace> Timeline::places() const {
  std::vector<LanePlace> places;
  for (const Placed& p : placed_) {
    if (p.shown()) places.push_back(place_of(p));
  }
  return places;
}

std::optional<LanePlace> Timeline::place_at(float y) const {
  for (const Placed& p : placed_) {
    if (p.shown() && y >= p.y && y < p.y + p.height() && !covered(p, y)) return place_of(p);
  }
  return std::nullopt;
}

std::optional<LanePlace> Timeline::place_of(std::string_view key) const {
  for (const Placed& p : placed_) {
    if (p.shown() && p.entry.key == key) return place_of(p);
  }
  return std::nullopt;
}

std::optional<std::string> Timeline::key_of(LaneId lane) const {
  for (const Placed& p : placed_) {
    if (p.entry.lane == lane) return p.entry.key;
  }
  return std::nullopt;
}

Pane Timeline::pane_at(float y) const { return divided_ && y >= panes_[1].top ? Pane::Gpu : Pane::Cpu; }

Pane Timeline::pane_of(LaneId lane) const {
  const Placed* p = find(lane);
  return p ? p->pane : Pane::Cpu;
}

float Timeline::cpu_share_at(float y) const {
  return panes_room_ > 0 ? std::clamp((y - panes_[0].top) / panes_room_, 0.01f, 0.99f) : 0;
}

float Timeline::scroll_to_show(const EventRef& ref, float margin) const {
  const Placed* p = find(ref.lane);
  const PanePlace& pane = panes_[p ? static_cast<std::size_t>(p->pane) : 0];
  if (!p || fixed(*p)) return pane.scroll;
  const float y0 = p->y + static_cast<float>(ref.row) * p->shape.pitch;
  const float y1 = y0 + std::min(p->shape.event, p->height());
  const float room = pane.bottom - pane.fixed_bottom - (y1 - y0);
  const float gap = std::clamp(room / 2, 0.0f, margin);
  const float top = pane.fixed_bottom + gap;
  const float bottom = pane.bottom - gap;
  if (y0 < top) return std::max(0.0f, pane.scroll - (top - y0));
  if (y1 > bottom) return pane.scroll + std::min(y1 - bottom, y0 - top);
  return pane.scroll;
}

// --- timeline gutter -------------------------------------------------------------------------------------------------

namespace {

constexpr float kStep = 0.25f;  // in pixels of a triangle: sharp when enlarged

// Down: unfolded. Right: folded.
void add_triangle(SpanBatch& out, float x, float y, bool folded, std::uint32_t colour) {
  constexpr float kReach = 3.5f, kBack = 0.6f * kReach, kLength = 1.4f * kReach;
  for (float along = 0; along < kLength; along += kStep) {
    const float half = kReach * (1 - along / kLength);
    const float at = -kBack + along;
    if (folded) {
      out.solid(x + at, y - half, x + at + kStep, y + half, colour);
    } else {
      out.solid(x - half, y + at, x + half, y + at + kStep, colour);
    }
  }
}

void add_pin(SpanBatch& out, float x, float y, std::uint32_t colour) {
  out.solid(x - 2.5f, y - 5, x + 2.5f, y, colour, 1);
  out.solid(x - 4.5f, y, x + 4.5f, y + 1.6f, colour, 0.8f);
  out.solid(x - 0.7f, y + 1.6f, x + 0.7f, y + 6, colour);
}

}  // namespace

void add_gutter(const Timeline& timeline, const Theme& theme, const Rect& area, SpanBatch& out) {
  const float fixed = timeline.pane(Pane::Cpu).fixed_bottom;  // pictures have one pane
  for (const HeadingPlace& heading : timeline.headings()) {
    const float y = heading.rect.y + heading.rect.height - 12;
    if (heading.sticks || y >= fixed) add_triangle(out, area.x + 20, y, heading.folded, theme[Colour::Dim]);
  }
  for (const LanePlace& place : timeline.places()) {
    if (!place.stands_still && place.rect.y < fixed) continue;
    if (place.folded) {
      add_triangle(out, area.x + 8, place.rect.y + std::min(place.rect.height, 22.0f) / 2, true, theme[Colour::Muted]);
    }
    if (place.pinned) {
      add_pin(out, area.x + Timeline::kLabelWidth - 32, place.rect.y + std::min(place.rect.height, 34.0f) / 2,
              theme[Colour::Accent]);
    }
  }
}

}  // namespace lanescope::ui
