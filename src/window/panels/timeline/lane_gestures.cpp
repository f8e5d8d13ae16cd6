// Mouse input over the lane names: folding headings, dragging edges, moving lanes by their names.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "render/labels.h"
#include "shell/selecting.h"
#include "window/panels/timeline/lane_menu.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using Grip = LaneHands::Grip;

constexpr float kClickSlop = 4;
constexpr float kEdgePx = 3.5f;
constexpr float kScrollZone = 26;  // near the top and bottom, a drag scrolls
constexpr float kScrollPerSecond = 420;

bool lane_inside(const Rect& r, const ImVec2& p) {
  return p.x >= r.x && p.x < r.x + r.width && p.y >= r.y && p.y < r.y + r.height;
}

// Finds what a press would grab.
void look(const Canvas& c, const NameArea& names, const ImVec2& mouse) {
  LaneHands& hands = c.state.lane_hands;
  const Timeline& timeline = c.state.timeline;
  hands.under = Grip::None;
  hands.pointed.reset();
  if (mouse.y < names.top() || mouse.y >= names.bottom()) return;
  if (timeline.hidden_count() > 0 && lane_inside(names.note(), mouse)) {
    hands.under = Grip::Note;
    return;
  }
  for (const HeadingPlace& heading : timeline.headings()) {
    if (timeline.covers(heading, mouse.y) || !lane_inside(heading_target(c, heading), mouse)) continue;
    hands.under = Grip::Heading;
    hands.under_group = heading.group;
    hands.under_folded = heading.folded;
    return;
  }
  const bool over_names = mouse.x < names.right();
  const auto place = timeline.place_at(mouse.y);
  if (place) hands.pointed = place->key;
  if (!over_names) return;
  // An edge extends a little below its row, into the gap.
  const auto above = timeline.place_at(mouse.y - 2 * kEdgePx * c.scale);
  for (const auto& row : {place, above}) {
    if (!row || row->folded || c.state.lanes.group_folded(row->group)) continue;
    if (std::abs(row->rect.y + row->rect.height - mouse.y) > kEdgePx * c.scale) continue;
    hands.under = Grip::Edge;
    hands.pointed = row->key;
    return;
  }
  if (!place) return;
  hands.under = lane_inside(names.pin_mark(place->rect), mouse)    ? Grip::Pin
                : lane_inside(names.hide_mark(place->rect), mouse) ? Grip::Hide
                : lane_inside(names.fold_mark(place->rect), mouse) ? Grip::Fold
                                                                   : Grip::Name;
}

void take(const Canvas& c, const ImVec2& mouse) {
  ShellState& state = c.state;
  LaneHands& hands = state.lane_hands;
  hands.grip = hands.under;
  hands.held = hands.grip == Grip::Heading ? hands.under_group : hands.pointed.value_or("");
  hands.held_folded = hands.under_folded;
  hands.moved = hands.cancelled = false;
  hands.press_y = mouse.y;
  if (hands.grip == Grip::Edge) {
    const auto place = state.timeline.place_of(hands.held);
    hands.before = state.lanes.choice(hands.held);
    hands.natural_height = place ? place->rect.height / state.lanes.choice(hands.held).height : 1;
  }
  if (hands.grip == Grip::Name) {
    hands.places = state.timeline.places();
    if (const auto place = state.timeline.place_of(hands.held)) {
      hands.pane = place->pane;
      hands.of_gpu = place->gpu;
    }
    hands.scroll = state.scroll[static_cast<std::size_t>(hands.pane)];
    hands.order = state.timeline.order();
    hands.was_pinned = state.lanes.choice(hands.held).pinned;
  }
}

// Selects the event or bubble under the mouse, so that the menu is about it; false if there is none.
bool select_under(ShellState& state) {
  const std::optional<TimelineHit>& hit = state.pointed.hit;
  if (!hit || hit->open || hit->averaged) return false;
  if (hit->event) {
    if (state.selection.event != hit->event) select_event(state, *hit->event);
    return true;
  }
  if (!hit->bubble) return false;
  state.selection.clear();
  state.selection.bubble = hit->bubble;
  state.view.pan(0);
  return true;
}

void put(ShellState& state, const std::vector<std::string>& order, bool pinned) {
  LaneHands& hands = state.lane_hands;
  if (order != state.timeline.order()) state.lanes.reorder(order);
  LaneChoice choice = state.lanes.choice(hands.held);
  if (choice.pinned == pinned) return;
  choice.pinned = pinned;
  state.lanes.set(hands.held, choice);
}

void drag_name(const Canvas& c, float y) {
  ShellState& state = c.state;
  LaneHands& hands = state.lane_hands;
  const PanePlace& pane = state.timeline.pane(hands.pane);
  float& scroll = state.scroll[static_cast<std::size_t>(hands.pane)];
  const float zone = std::min(kScrollZone * c.scale, (pane.bottom - pane.fixed_bottom) / 4);
  const float over = y > pane.bottom - zone         ? y - (pane.bottom - zone)
                     : y < pane.fixed_bottom + zone ? y - (pane.fixed_bottom + zone)
                                                    : 0;
  if (over != 0) {
    const float speed = std::clamp(over / zone, -1.0f, 1.0f) * kScrollPerSecond * c.scale;
    scroll = std::clamp(scroll + speed * ImGui::GetIO().DeltaTime, 0.0f, pane.overflow);
  }
  // Lanes stay in their part, and the curve stays between the CPU's and the GPU's.
  std::vector<LanePlace> others = hands.places;
  std::erase_if(others, [&](const LanePlace& p) {
    return p.key == hands.held || (!p.pinned && (!p.lane || p.gpu != hands.of_gpu));
  });
  if (others.empty()) return;
  const std::size_t slot = slot_at(others, y, scroll - hands.scroll);
  const auto still = static_cast<std::size_t>(
      std::count_if(others.begin(), others.end(), [](const LanePlace& p) { return p.stands_still; }));
  const bool pinned = slot < still || (slot == still && still > 0 && hands.was_pinned);
  // Next to a neighbour of the same kind: pinned or scrolling lanes.
  const bool behind = pinned ? slot > 0 : slot > still;
  const std::size_t neighbour = behind ? slot - 1 : std::min(slot, others.size() - 1);
  put(state, moved_key(hands.order, hands.held, others[neighbour].key, behind), pinned);
}

void let_go(ShellState& state) {
  LaneHands& hands = state.lane_hands;
  if (hands.moved || hands.under != hands.grip) return;
  switch (hands.grip) {
    case Grip::Heading:
      state.lanes.fold_group(hands.held, !hands.held_folded);
      break;
    case Grip::Note:
      state.lanes.show_all();
      break;
    case Grip::Fold:
      perform_on_lane(state, hands.held, Action::CollapseLane);
      break;
    case Grip::Pin:
      perform_on_lane(state, hands.held, Action::PinLane);
      break;
    case Grip::Hide:
      perform_on_lane(state, hands.held, Action::HideLane);
      break;
    case Grip::Name:
      if (hands.folds) {
        perform_on_lane(state, hands.held, Action::CollapseLane);
      }
      break;
    default:
      break;
  }
}

}  // namespace

bool handle_lane_gestures(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  LaneHands& hands = state.lane_hands;
  const NameArea names{area, c.scale};
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0) hands.carried.reset();
  if (ImGui::IsItemHovered() || hands.grip != Grip::None) {
    look(c, names, mouse);
  } else {
    hands.pointed.reset();
    hands.under = Grip::None;
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(1) && hands.grip == Grip::None && !state.pointed.mark) {
    const ImVec2 moved = ImGui::GetMouseDragDelta(1, 0);
    const bool still = std::hypot(moved.x, moved.y) <= kClickSlop;
    if (hands.pointed && still) open_lane_menu(c, *hands.pointed, select_under(state));
  }
  if (ImGui::IsItemActivated() && hands.under != Grip::None) {
    take(c, mouse);
    hands.folds = ImGui::IsMouseDoubleClicked(0);
  }
  if (hands.grip == Grip::None) return false;
  if (!ImGui::IsItemActive()) {
    let_go(state);
    hands.grip = Grip::None;
    return true;
  }
  if (std::abs(mouse.y - hands.press_y) > kClickSlop * c.scale) hands.moved = true;
  if (!hands.moved) return true;
  if (key_pressed(ImGuiKey_Escape)) hands.cancel();  // with Ctrl or Shift still held, Escape is not an action's key
  if (hands.cancelled || (hands.grip == Grip::Name && ImGui::IsMouseClicked(1))) {  // the drag is cancelled
    if (hands.grip == Grip::Name) put(state, hands.order, hands.was_pinned);
    if (hands.grip == Grip::Edge) state.lanes.set(hands.held, hands.before);
    hands.cancelled = false;
    hands.grip = Grip::Note;  // a grip without effect until the button is released
    hands.under = Grip::None;
    return true;
  }
  if (hands.grip == Grip::Edge) {
    if (const auto place = state.timeline.place_of(hands.held)) {
      LaneChoice choice = state.lanes.choice(hands.held);
      choice.height = std::clamp((mouse.y - place->rect.y) / hands.natural_height, LaneLayout::kLeastHeight,
                                 LaneLayout::kMostHeight);
      if (choice != state.lanes.choice(hands.held)) state.lanes.set(hands.held, choice);
    }
  }
  if (hands.grip == Grip::Name) drag_name(c, mouse.y);
  return true;
}

}  // namespace lanescope::ui
