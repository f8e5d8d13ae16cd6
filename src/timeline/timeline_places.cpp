// The rows of the timeline: their order, groups, heights, pinning, panes and movement.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/translate.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kRowGap = 6;
constexpr float kLeastPlain = 0.4f;  // a few lanes rather shrink than scroll
constexpr float kCompactGap = 2;
constexpr float kGroupFoldedGap = 1;
constexpr float kHeadingHeight = 24;
constexpr float kStickingHeight = 22;
constexpr float kQuietHeight = 17;  // of a thread without events in view
constexpr float kGroupGap = 12, kNarrowGroupGap = 2;
constexpr float kBelowLast = 18;     // for the label of the unknown edge
constexpr float kAbovePinned = 6;    // above the first pinned lane
constexpr float kMostPinned = 0.6f;  // share of the lanes' height
constexpr float kDividerHeight = 9;  // the line between the panes, with its grip
constexpr float kCurveShare = 0.1f;  // of the room, for the run-ahead curve between two panes
constexpr float kLeastCurve = 16, kPlainCurve = 50;
constexpr float kLeastPane = 56;       // a lane and its heading
constexpr double kEaseSeconds = 0.04;  // about a third of the time after which a movement looks finished
constexpr float kArrivedPx = 0.3f;

}  // namespace

bool any_event(const trace::Lane& lane, Nanoseconds from, Nanoseconds to) {
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const trace::EventIndex last = row.last();
    const trace::EventIndex found = row.first_ending_after(from - 1, row.first(), last);
    if (found < last && row.start(found) < to) return true;
  }
  return false;
}

void Timeline::clear() {
  placed_.clear();
  headings_.clear();
  colours_.clear();
  owners_.reset();
  owners_of_ = nullptr;
  lanes_seen_ = 0;
  moving_ = divided_ = false;
}

void Timeline::sync(const trace::Trace& trace, const LaneLayout* layout) {
  const std::uint64_t version = layout ? layout->version() : layout_seen_;
  if (trace.lane_count() == lanes_seen_ && version == layout_seen_ && !placed_.empty()) return;
  // A layout was seen before but is missing now: it comes with the next frame.
  if (layout || layout_seen_ == 0) arrange(trace, layout);
}

void Timeline::arrange(const trace::Trace& trace, const LaneLayout* layout) {
  static const LaneLayout kUsual;
  const LaneLayout& wanted = layout ? *layout : kUsual;
  lanes_seen_ = trace.lane_count();
  layout_seen_ = layout ? layout->version() : 0;
  grouping_ = wanted.grouping();
  std::vector<std::string> stood;
  for (const Placed& p : placed_) stood.push_back(p.entry.key);
  std::map<std::string, Placed> before;
  for (Placed& p : placed_) before.emplace(p.entry.key, std::move(p));
  placed_.clear();
  order_.clear();
  for (OrderedLane& entry : ordered_lanes(trace, wanted)) {
    order_.push_back(entry.key);
    Placed p;
    if (const auto old = before.find(entry.key); old != before.end()) p = std::move(old->second);
    if (!p.lane_row && entry.lane) p.lane_row = std::make_unique<LaneRow>(*entry.lane, entry.compact);
    p.choice = wanted.choice(entry.key);
    p.group_folded = !entry.group.empty() && wanted.group_folded(entry.group) && !p.choice.pinned;
    p.pinned = p.choice.pinned && p.shown();
    p.entry = std::move(entry);
    if (p.lane_row) p.lane_row->set_look({p.choice.folded, p.group_folded, p.choice.height, stretch_});
    placed_.push_back(std::move(p));
  }
  std::stable_partition(placed_.begin(), placed_.end(), [](const Placed& p) { return p.pinned; });
  mark_groups();
  rearranged_ |= !std::equal(placed_.begin(), placed_.end(), stood.begin(), stood.end(),
                             [](const Placed& p, const std::string& key) { return p.entry.key == key; });
}

Timeline::Wanted Timeline::wanted(const Placed& p, const RowContext& context, float stretch, bool as_chosen) const {
  const float s = context.scale;
  const float factor = as_chosen ? p.choice.height : 1;
  Wanted wanted;
  if (!p.shown()) return wanted;
  if (p.quiet) {  // only its heading
    if (p.begins_group) wanted.before = kQuietHeight * s;
    return wanted;
  }
  if (p.lane_row) {
    wanted.shape = p.lane_row->shape_for(context, {p.choice.folded, p.group_folded, factor, stretch});
  } else {
    const float height = p.group_folded    ? LaneRow::kGroupFoldedHeight * s
                         : p.choice.folded ? LaneRow::kFoldedHeight * s
                         : divided_        ? curve_height_ * p.choice.height
                         : plain_          ? kPlainCurve * s * factor * std::min(stretch, 1.0f)
                                           : p.curve.height(context) * factor * std::min(stretch, 1.0f);
    wanted.shape = {height, height, height};
  }
  wanted.after = (p.group_folded ? kGroupFoldedGap : p.entry.compact ? kCompactGap : kRowGap) * s;
  if (divided_ && !p.lane_row && !p.pinned) {
    wanted.before = kDividerHeight * s;
  } else if (plain_ && p.begins_group) {
    wanted.before = p.first ? 0 : kGroupGap * s;
  } else if (p.begins_group) {
    const float gap = p.first ? -2 : divided_ ? kNarrowGroupGap : kGroupGap;
    wanted.before = (kHeadingHeight + gap) * s;
  } else if (p.first) {
    wanted.before = kAbovePinned * s;
  }
  return wanted;
}

// Marks which of the visible rows start a group, and which comes first in its pane.
void Timeline::mark_groups() {
  const Placed* last = nullptr;
  bool first = true;
  for (Placed& p : placed_) {
    p.begins_group = p.first = false;
    p.pane = divided_ && p.entry.gpu ? Pane::Gpu : Pane::Cpu;
    if (!p.shown()) continue;
    if (divided_ && last && last->pane != p.pane) first = true;
    p.first = std::exchange(first, false);
    if (p.pinned) continue;
    p.begins_group = !p.entry.group.empty() && (!last || last->entry.group != p.entry.group || last->pane != p.pane);
    last = &p;
  }
}

// Pinned lanes may take only part of the space; those that do not fit scroll like the others, but come first.
void Timeline::choose_pinned(const RowContext& context, float room) {
  float height = kAbovePinned * context.scale;
  bool changed = false;
  for (Placed& p : placed_) {
    if (!p.choice.pinned || !p.shown()) continue;
    const Wanted w = wanted(p, context, 1);
    height += w.shape.height + w.after;
    changed |= p.pinned != (height <= room * kMostPinned);
    p.pinned = height <= room * kMostPinned;
  }
  if (changed) mark_groups();
}

// Threads other than the first fold to a line while they have no events in view. So that a moving view does not make
// them flicker, they must have none within half a view on both sides, either.
void Timeline::find_quiet_threads(const TimelineFrame& frame, const TimeAxis& axis) {
  if (!frame.panes || grouping_ != LaneGrouping::Owner) {
    for (Placed& p : placed_) p.quiet = false;
    return;
  }
  const Nanoseconds from = axis.begin_ns();
  const Nanoseconds to = axis.end_ns();
  const Nanoseconds around = (to - from) / 2;
  std::map<std::string_view, std::pair<bool, bool>> busy;  // in view; in view or around it
  const auto first =
      std::find_if(placed_.begin(), placed_.end(), [](const Placed& p) { return p.shown() && !p.choice.pinned; });
  const auto folds = [&](const Placed& p) {
    return p.lane_row && p.shown() && !p.choice.pinned && !p.entry.gpu && !p.entry.compact && !p.group_folded &&
           p.entry.group != first->entry.group && !(frame.layout && frame.layout->kept_open(p.entry.group));
  };
  for (const Placed& p : placed_) {
    if (!folds(p)) continue;
    auto& [in_view, near] = busy[p.entry.group];
    const trace::Lane& lane = frame.trace.lane(p.lane_row->lane());
    const bool open = std::any_of(frame.open_calls.begin(), frame.open_calls.end(), [&](const trace::OpenCall& call) {
      return call.lane == p.lane_row->lane() && call.start_ns < to;
    });
    in_view = in_view || open || any_event(lane, from, to);
    near = near || in_view || any_event(lane, from - around, to + around);
  }
  for (Placed& p : placed_) {
    const auto found = folds(p) ? busy.find(p.entry.group) : busy.end();
    p.quiet = found != busy.end() && (!found->second.second || (p.quiet && !found->second.first));
  }
}

// A lane is used if it has an event since then, or if the run beside it has one on such a lane.
void Timeline::find_unused_lanes(const TimelineFrame& frame) {
  bool changed = false;
  const auto beside = [&](const trace::LaneInfo& info) {
    for (std::size_t l = 0; frame.beside && l < frame.beside->lane_count(); ++l) {
      const trace::LaneInfo& other = frame.beside->lane(static_cast<trace::LaneId>(l)).info();
      if (other.kind == info.kind && other.name == info.name) return true;
    }
    return false;
  };
  std::set<std::string_view> groups;
  for (Placed& p : placed_) {
    bool unused = false;
    if (frame.used_since && p.lane_row && !p.choice.pinned) {
      const trace::Lane& lane = frame.trace.lane(p.lane_row->lane());
      unused = !any_event(lane, *frame.used_since, std::numeric_limits<Nanoseconds>::max() / 2) && !beside(lane.info());
    }
    changed |= std::exchange(p.unused, unused) != unused;
    if (p.shown() && p.lane_row) groups.insert(p.entry.group);
  }
  const bool owners = frame.panes && grouping_ == LaneGrouping::Owner;
  const auto cpu = std::ranges::count_if(groups, [](std::string_view group) { return !group.starts_with("gpu|"); });
  const bool plain = owners && frame.used_since && cpu <= 1 && groups.size() <= 4;
  if (changed || plain != plain_) {
    plain_ = plain;
    mark_groups();
  }
}

float Timeline::height_of_rows(const RowContext& context, float stretch, bool as_chosen) const {
  float height = 0;
  for (const Placed& p : placed_) {
    const Wanted w = wanted(p, context, stretch, as_chosen);
    height += w.before + w.shape.height + w.after;
  }
  return height;
}

float Timeline::content_height(const TimelineFrame& frame, const TimeAxis& axis) const {
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  float height = (kRulerHeight + kBelowLast) * frame.scale;
  for (const Placed& p : placed_) {
    if (frame.seconds > 0 && p.placed) {
      height += p.before + p.shape.height + p.after;
    } else {
      const Wanted w = wanted(p, context, 1);
      height += w.before + w.shape.height + w.after;
    }
  }
  if (hidden_count() > 0) height += kHiddenNoteHeight * frame.scale;
  return height;
}

float Timeline::most_height(const TimelineFrame& frame, const TimeAxis& axis) const {
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, frame.scale, frame.live};
  const float note = hidden_count() > 0 ? kHiddenNoteHeight : 0;
  return (kRulerHeight + kBelowLast + note) * frame.scale + height_of_rows(context, kMostStretch);
}

// In a window: fits the heights of the lanes to the room, and divides them into two panes if that is not enough.
void Timeline::fit(const RowContext& context, const TimelineFrame& frame, float room) {
  const bool was = std::exchange(divided_, false);
  stretch_ = 1;
  excess_ = 0;
  if (was) mark_groups();
  if (frame.panes) {
    const float s = context.scale;
    const float below = frame.fits ? 0 : kBelowLast;
    const float note = !frame.fits && hidden_count() > 0 ? kHiddenNoteHeight : 0;
    const float rows = room - (below + note) * s;
    const auto any = [&](bool gpu) {
      return std::any_of(placed_.begin(), placed_.end(),
                         [&](const Placed& p) { return p.lane_row && p.shown() && !p.pinned && p.entry.gpu == gpu; });
    };
    // Headings and gaps keep their heights. Twice the stretch adds what the lanes have. A lane that the user makes
    // higher does not shrink the others: its edge follows the mouse.
    const float natural = height_of_rows(context, 1, false);
    const float lanes =
        rows < natural ? natural - height_of_rows(context, 0, false) : height_of_rows(context, 2, false) - natural;
    const float wanted = lanes > 0 ? 1 + (rows - natural) / lanes : 1;
    stretch_ = std::clamp(wanted, frame.fits ? 0.1f : plain_ ? kLeastPlain : kLeastStretch, kMostStretch);
    excess_ = std::max(0.0f, height_of_rows(context, stretch_) - rows);
    if (excess_ > 1 && any(false) && any(true)) {
      divided_ = true;
      curve_height_ = std::clamp(room * kCurveShare, kLeastCurve * s, RunAheadRow::kHeight * s);
      mark_groups();
    }
  }
  for (Placed& p : placed_) {
    if (p.lane_row) p.lane_row->set_look({p.choice.folded, p.group_folded, p.choice.height, stretch_});
  }
}

// Both panes get what they need or, if that is too much, half of the room, or the share that the user chose.
void Timeline::place_panes(const TimelineFrame& frame, const Rect& area, float top) {
  const float s = frame.scale;
  const float bottom = area.y + area.height;
  std::array<float, kPanes> content{0, kBelowLast * s};
  if (hidden_count() > 0) content[1] += kHiddenNoteHeight * s;
  float between = 0;
  for (const Placed& p : placed_) {
    if (p.pinned) continue;
    const float height = p.before + p.shape.height + p.after;
    (fixed(p) ? between : content[static_cast<std::size_t>(p.pane)]) += height;
  }
  const bool curve = between > 0;
  if (!curve) between = kDividerHeight * s;
  const float room = std::max(0.0f, bottom - top - between);
  const float least = std::min(kLeastPane * s, room / 2);
  const float wanted =
      frame.panes->cpu_share > 0 ? frame.panes->cpu_share * room : std::max(room / 2, room - content[1]);
  // A pane does not get more than it needs while the other one lacks space.
  float cpu = std::clamp(wanted, std::min(least, content[0]), std::max(least, room - least));
  if (content[0] + content[1] >= room)
    cpu = std::clamp(cpu, room - content[1], std::max(room - content[1], content[0]));
  cpu = std::floor(std::clamp(cpu, 0.0f, room));
  panes_[0].top = top;
  panes_[0].bottom = top + cpu;
  panes_[1].top = std::min(bottom, top + cpu + between);
  panes_[1].bottom = bottom;
  divider_ = {area.x, panes_[0].bottom, area.width, kDividerHeight * s};
  panes_room_ = room;
  for (std::size_t i = 0; i < kPanes; ++i) {
    PanePlace& pane = panes_[i];
    pane.overflow = std::max(0.0f, content[i] - (pane.bottom - pane.top));
    pane.scroll = std::clamp(frame.panes->scroll[i], 0.0f, pane.overflow);
  }
}

void Timeline::place(const RowContext& context, const TimelineFrame& frame, const Rect& area) {
  const float s = context.scale;
  const float rows_top = rows_top_ = area.y + kRulerHeight * s + frame.head;
  const float room = area.y + area.height - rows_top;
  choose_pinned(context, room);
  find_unused_lanes(frame);
  find_quiet_threads(frame, context.axis);
  fit(context, frame, room);
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
  pinned_bottom_ = rows_top;
  for (Placed& p : placed_) {
    const Wanted w = wanted(p, context, stretch_);
    ease(p.before, w.before);
    ease(p.after, w.after);
    ease(p.shape.height, w.shape.height);
    // A row being hidden keeps its shape while it shrinks.
    const bool shrinks = !p.shown() || p.quiet;
    ease(p.shape.event, shrinks ? p.shape.event : w.shape.event);
    ease(p.shape.pitch, shrinks ? p.shape.pitch : w.shape.pitch);
    if (p.pinned) pinned_bottom_ += p.before + p.shape.height + p.after;
  }
  if (divided_) {
    place_panes(frame, area, pinned_bottom_);
  } else {
    // A picture, or a part of A and B, is scrolled from outside.
    const float scroll = frame.panes ? std::clamp(frame.panes->scroll[0], 0.0f, excess_) : frame.scroll;
    panes_[0] = {pinned_bottom_, area.y + area.height, pinned_bottom_, scroll, excess_};
    panes_[1] = {area.y + area.height, area.y + area.height, area.y + area.height, 0, 0};
    divider_ = {};
  }
  float fixed_y = rows_top;
  std::array<float, kPanes> y{panes_[0].top - panes_[0].scroll, panes_[1].top - panes_[1].scroll};
  for (Placed& p : placed_) {
    if (divided_ && !p.pinned && !p.lane_row) fixed_y = panes_[0].bottom;
    float& at = fixed(p) ? fixed_y : y[static_cast<std::size_t>(p.pane)];
    const float home = at + p.before;
    if (rearranged_ && p.placed && !at_once) p.shift = p.y - home;
    ease(p.shift, 0);
    p.y = home + p.shift;
    p.placed = true;
    at = home + p.shape.height + p.after;
  }
  rearranged_ = false;
  place_headings(frame, area);
}

// The heading of the current group stays until the next one pushes it away.
void Timeline::place_headings(const TimelineFrame& frame, const Rect& area) {
  const float s = frame.scale;
  headings_.clear();
  for (const Placed& p : placed_) {
    if (!p.shown() || fixed(p) || plain_) continue;
    if (p.begins_group) {
      const float height = (p.quiet ? kQuietHeight : p.first ? kHeadingHeight - 2 : kHeadingHeight) * s;
      HeadingPlace heading;
      heading.group = p.entry.group;
      heading.text = p.entry.heading;
      heading.rect = {area.x, p.y - std::min(height, p.before), area.width, height};
      heading.folded = p.group_folded || p.quiet;
      heading.quiet = p.quiet;
      heading.pane = p.pane;
      headings_.push_back(std::move(heading));
    }
    if (!headings_.empty() && p.group_folded) ++headings_.back().lanes;
  }
  for (HeadingPlace& heading : headings_) {
    if (!heading.folded) continue;
    heading.text += " · ";
    heading.text += heading.quiet        ? std::string(tr("no events in view"))
                    : heading.lanes == 1 ? std::string(tr("1 lane folded"))
                                         : tr("{} lanes folded", heading.lanes);
  }
  splits_ = divided_;
  for (std::size_t i = 0; i < kPanes; ++i) stick_heading(i, frame, area);
}

void Timeline::stick_heading(std::size_t number, const TimelineFrame& frame, const Rect& area) {
  PanePlace& pane = panes_[number];
  const float rows_top = rows_top_;
  const float height = kStickingHeight * frame.scale;
  pane.fixed_bottom = pane.top;
  const HeadingPlace* next = nullptr;
  for (auto heading = headings_.rbegin(); heading != headings_.rend(); ++heading) {
    if (heading->pane != static_cast<Pane>(number)) continue;
    if (heading->rect.y > pane.top - 0.5f) {
      next = &*heading;
      continue;
    }
    const float top = next ? std::min(pane.top, next->rect.y - height) : pane.top;
    // Pushed up, it passes under the ruler, but not under lanes.
    if (top < pane.top && pane.top > rows_top) break;
    heading->rect = {area.x, top, area.width, height};
    heading->sticks = true;
    pane.fixed_bottom = std::max(pane.top, top + height);
    break;
  }
  splits_ = splits_ || (number == 0 && pane.fixed_bottom > rows_top);
}

}  // namespace lanescope::ui
