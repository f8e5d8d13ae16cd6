// Where the rows of a timeline are: their order, groups, heights, what stands still, and how all of it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/translate.h"
#include "ui/timeline.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::LaneId;
using trace::LaneKind;

constexpr float kRowGap = 6;
constexpr float kCompactGap = 2;
constexpr float kGroupFoldedGap = 1;
constexpr float kHeadingHeight = 24;
constexpr float kStickingHeight = 22;
constexpr float kGroupGap = 12;
constexpr float kBelowLast = 18;       // for the line that names the unknown edge
constexpr float kAbovePinned = 6;      // the first of the pinned lanes
constexpr float kMostPinned = 0.6f;    // of the lanes' height
constexpr double kEaseSeconds = 0.04;  // a third of the time after which a movement has all but ended
constexpr float kArrivedPx = 0.3f;

}  // namespace

void Timeline::clear() {
  placed_.clear();
  headings_.clear();
  lanes_seen_ = 0;
  moving_ = false;
}

void Timeline::sync(const trace::Trace& trace, const LaneLayout* layout) {
  const std::uint64_t version = layout ? layout->version() : layout_seen_;
  if (trace.lane_count() == lanes_seen_ && version == layout_seen_ && !placed_.empty()) return;
  // Without a layout, but with one seen before: it comes with the next frame.
  if (layout || layout_seen_ == 0) arrange(trace, layout);
}

void Timeline::arrange(const trace::Trace& trace, const LaneLayout* layout) {
  static const LaneLayout kUsual;
  const LaneLayout& wanted = layout ? *layout : kUsual;
  lanes_seen_ = trace.lane_count();
  layout_seen_ = layout ? layout->version() : 0;
  grouping_ = wanted.grouping();
  std::vector<std::string> stood;
  for (const Placed& p : placed_) stood.push_back(p.seat.key);
  std::map<std::string, Placed> before;
  for (Placed& p : placed_) before.emplace(p.seat.key, std::move(p));
  placed_.clear();
  order_.clear();
  for (LaneSeat& seat : seat_lanes(trace, wanted)) {
    order_.push_back(seat.key);
    Placed p;
    if (const auto old = before.find(seat.key); old != before.end()) p = std::move(old->second);
    if (!p.row) {
      if (seat.lane) {
        auto row = std::make_unique<LaneRow>(*seat.lane, seat.compact);
        p.lane_row = row.get();
        p.row = std::move(row);
      } else {
        p.row = std::make_unique<RunAheadRow>();
      }
    }
    p.choice = wanted.choice(seat.key);
    p.group_folded = !seat.group.empty() && wanted.group_folded(seat.group) && !p.choice.pinned;
    p.pinned = p.choice.pinned && p.shown();
    p.seat = std::move(seat);
    if (p.lane_row) p.lane_row->set_look({p.choice.folded, p.group_folded, p.choice.height});
    placed_.push_back(std::move(p));
  }
  std::stable_partition(placed_.begin(), placed_.end(), [](const Placed& p) { return p.pinned; });
  mark_groups();
  rearranged_ |= !std::equal(placed_.begin(), placed_.end(), stood.begin(), stood.end(),
                             [](const Placed& p, const std::string& key) { return p.seat.key == key; });
}

Timeline::Wanted Timeline::wanted(const Placed& p, const RowContext& context) const {
  const float s = context.scale;
  Wanted wanted;
  if (!p.shown()) return wanted;
  if (p.lane_row) {
    wanted.shape = p.lane_row->wanted_shape(context);
  } else {
    const float height = p.group_folded    ? LaneRow::kGroupFoldedHeight * s
                         : p.choice.folded ? LaneRow::kFoldedHeight * s
                                           : p.row->height(context) * p.choice.height;
    wanted.shape = {height, height, height};
  }
  wanted.after = (p.group_folded ? kGroupFoldedGap : p.seat.compact ? kCompactGap : kRowGap) * s;
  if (p.begins_group) wanted.before = p.first ? (kHeadingHeight - 2) * s : (kHeadingHeight + kGroupGap) * s;
  if (p.first && !p.begins_group) wanted.before = kAbovePinned * s;
  return wanted;
}

// Where groups begin, and what comes first: of what is shown.
void Timeline::mark_groups() {
  const Placed* last = nullptr;
  bool first = true;
  for (Placed& p : placed_) {
    p.begins_group = p.first = false;
    if (!p.shown()) continue;
    p.first = std::exchange(first, false);
    if (p.pinned) continue;
    p.begins_group = !p.seat.group.empty() && (!last || last->seat.group != p.seat.group);
    last = &p;
  }
}

// Pinned lanes may take a part of the room; those that do not fit scroll like the others, in front of them.
void Timeline::choose_pinned(const RowContext& context, float room) {
  float height = kAbovePinned * context.scale;
  bool changed = false;
  for (Placed& p : placed_) {
    if (!p.choice.pinned || !p.shown()) continue;
    const Wanted w = wanted(p, context);
    height += w.shape.height + w.after;
    changed |= p.pinned != (height <= room * kMostPinned);
    p.pinned = height <= room * kMostPinned;
  }
  if (changed) mark_groups();
}

float Timeline::content_height(const TimelineFrame& frame, const TimeAxis& axis) const {
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  float height = (kRulerHeight + kBelowLast) * frame.scale;
  for (const Placed& p : placed_) {
    if (frame.seconds > 0 && p.placed) {
      height += p.before + p.shape.height + p.after;
    } else {
      const Wanted w = wanted(p, context);
      height += w.before + w.shape.height + w.after;
    }
  }
  if (hidden_count() > 0) height += kHiddenNoteHeight * frame.scale;
  return height;
}

void Timeline::place(const RowContext& context, const TimelineFrame& frame, const Rect& area) {
  const float s = context.scale;
  const float rows_top = area.y + kRulerHeight * s;
  choose_pinned(context, area.height - kRulerHeight * s);
  const bool fresh = std::none_of(placed_.begin(), placed_.end(), [](const Placed& p) { return p.placed; });
  const bool at_once = frame.seconds <= 0 || fresh;
  const auto part = static_cast<float>(at_once ? 1 : 1 - std::exp(-frame.seconds / kEaseSeconds));
  moving_ = false;
  const auto ease = [&](float& value, float to) {
    value += (to - value) * part;
    if (at_once || std::abs(to - value) < kArrivedPx) {
      value = to;
    } else {
      moving_ = true;
    }
  };
  float y = rows_top;
  bool scrolls = false;
  pinned_bottom_ = rows_top;
  for (Placed& p : placed_) {
    if (!p.pinned && !scrolls) {
      scrolls = true;
      pinned_bottom_ = y;
      y -= frame.scroll;
    }
    const Wanted w = wanted(p, context);
    ease(p.before, w.before);
    ease(p.after, w.after);
    ease(p.shape.height, w.shape.height);
    // What is being hidden keeps its form while it goes.
    ease(p.shape.event, p.shown() ? w.shape.event : p.shape.event);
    ease(p.shape.pitch, p.shown() ? w.shape.pitch : p.shape.pitch);
    const float home = y + p.before;
    if (rearranged_ && p.placed && !at_once) p.shift = p.y - home;
    ease(p.shift, 0);
    p.y = home + p.shift;
    p.placed = true;
    y = home + p.shape.height + p.after;
  }
  if (!scrolls) pinned_bottom_ = y;
  rearranged_ = false;
  place_headings(frame, area);
}

// The heading of the group that scrolls by stays until the next one pushes it away.
void Timeline::place_headings(const TimelineFrame& frame, const Rect& area) {
  const float s = frame.scale;
  headings_.clear();
  for (const Placed& p : placed_) {
    if (!p.shown() || p.pinned) continue;
    if (p.begins_group) {
      const float height = (p.first ? kHeadingHeight - 2 : kHeadingHeight) * s;
      HeadingPlace heading;
      heading.group = p.seat.group;
      heading.text = p.seat.heading;
      heading.rect = {area.x, p.y - height, area.width, height};
      heading.folded = p.group_folded;
      headings_.push_back(std::move(heading));
    }
    if (!headings_.empty() && p.group_folded) ++headings_.back().lanes;
  }
  for (HeadingPlace& heading : headings_) {
    if (!heading.folded) continue;
    heading.text += " · ";
    heading.text += heading.lanes == 1 ? std::string(tr("1 lane folded"))
                                       : fmt::format(fmt::runtime(tr("{} lanes folded")), heading.lanes);
  }
  fixed_bottom_ = pinned_bottom_;
  for (auto next = headings_.rbegin(); next != headings_.rend(); ++next) {
    if (next->rect.y > pinned_bottom_ - 0.5f) continue;
    const float height = kStickingHeight * s;
    float top = pinned_bottom_;
    if (next != headings_.rbegin()) top = std::min(top, std::prev(next)->rect.y - height);
    next->rect = {area.x, top, area.width, height};
    next->sticks = true;
    fixed_bottom_ = std::max(pinned_bottom_, top + height);
    break;
  }
  splits_ = fixed_bottom_ > area.y + kRulerHeight * s;
}

bool Timeline::covered(const Placed& p, float y) const { return splits_ && !p.pinned && y < fixed_bottom_; }

const Timeline::Placed* Timeline::find(LaneId lane) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && p.lane_row->lane() == lane && p.shown()) return &p;
  }
  return nullptr;
}

const Timeline::Placed* Timeline::kernel_row(const trace::Trace& trace) const {
  for (const Placed& p : placed_) {
    if (p.lane_row && p.shown() && trace.lane(p.lane_row->lane()).info().kind == LaneKind::Kernels) return &p;
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
  if (splits_ && !p->pinned) {
    y0 = std::max(y0, fixed_bottom_);
    y1 = std::max(y1, fixed_bottom_);
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

std::optional<Rect> Timeline::bubble_row(const trace::Trace& trace) const {
  const Placed* kernels = kernel_row(trace);
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
    const float top = p.pinned || !splits_ ? p.y : std::max(p.y, fixed_bottom_);
    if (p.lane_row && p.shown() && top < y1 && p.y + p.height() > std::max(y0, top)) lanes.push_back(*p.seat.lane);
  }
  return lanes;
}

std::vector<LaneId> Timeline::lanes() const {
  std::vector<LaneId> lanes;
  for (const Placed& p : placed_) {
    if (p.lane_row && p.shown()) lanes.push_back(*p.seat.lane);
  }
  return lanes;
}

std::size_t Timeline::lane_count() const { return lanes().size(); }

std::size_t Timeline::hidden_count() const {
  return static_cast<std::size_t>(
      std::count_if(placed_.begin(), placed_.end(), [](const Placed& p) { return !p.shown(); }));
}

LanePlace Timeline::place_of(const Placed& p) const {
  LanePlace place;
  place.key = p.seat.key;
  place.lane = p.seat.lane;
  place.name = p.seat.name;
  std::replace(place.name.begin(), place.name.end(), '\n', ' ');
  place.full_name = place.name;
  const std::string& whose = p.seat.heading.empty() || grouping_ != LaneGrouping::Owner ? p.seat.owner : p.seat.heading;
  if (!whose.empty()) place.full_name = whose + " · " + place.name;
  place.group = p.seat.group;
  place.rect = {area_.x, p.y, area_.width, p.height()};
  place.pinned = p.choice.pinned;
  place.folded = p.choice.folded;
  place.stands_still = p.pinned;
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
    if (p.shown() && p.seat.key == key) return place_of(p);
  }
  return std::nullopt;
}

std::optional<std::string> Timeline::key_of(LaneId lane) const {
  for (const Placed& p : placed_) {
    if (p.seat.lane == lane) return p.seat.key;
  }
  return std::nullopt;
}

float Timeline::scroll_to_show(LaneId lane, float scroll) const {
  const Placed* p = find(lane);
  if (!p || p->pinned) return scroll;
  const float top = std::max(fixed_bottom_, pinned_bottom_);
  const float bottom = area_.y + area_.height;
  if (p->y < top) return std::max(0.0f, scroll - (top - p->y));
  if (p->y + p->height() > bottom) return scroll + std::min(p->y + p->height() - bottom, p->y - top);
  return scroll;
}

}  // namespace lanescope::ui
