#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/translate.h"
#include "ui/perform.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kTaller = 1.25f;

// The row under the mouse, else that of the selected event. One that has been moved from under the mouse is still meant
// by the next key: else this one would move back what took its place.
std::optional<std::string> meant_lane(const ShellState& state) {
  const LaneHands& hands = state.lane_hands;
  if (hands.carried && state.timeline.place_of(*hands.carried)) return hands.carried;
  if (hands.pointed) return hands.pointed;
  if (state.selection.event) return state.timeline.key_of(state.selection.event->lane);
  return std::nullopt;
}

void move_lane(ShellState& state, const std::string& key, bool down) {
  const std::vector<LanePlace> places = state.timeline.places();
  const auto at = std::find_if(places.begin(), places.end(), [&](const LanePlace& p) { return p.key == key; });
  if (at == places.end()) return;
  if (down ? std::next(at) == places.end() : at == places.begin()) return;
  const auto other = down ? std::next(at) : std::prev(at);
  if (other->pinned != at->pinned) return;  // the pinned ones stay at the top
  state.lanes.reorder(moved_key(state.timeline.order(), key, other->key, down));
}

}  // namespace

std::vector<std::string> moved_key(std::vector<std::string> order, const std::string& key, const std::string& other,
                                   bool behind) {
  if (key == other) return order;
  std::erase(order, key);
  auto at = std::find(order.begin(), order.end(), other);
  if (behind && at != order.end()) ++at;
  order.insert(at, key);
  return order;
}

std::size_t slot_at(const std::vector<LanePlace>& others, float y, float scrolled) {
  return static_cast<std::size_t>(std::count_if(others.begin(), others.end(), [&](const LanePlace& p) {
    return p.rect.y + p.rect.height / 2 - (p.stands_still ? 0 : scrolled) < y;
  }));
}

const char* grouping_text(LaneGrouping grouping) {
  switch (grouping) {
    case LaneGrouping::Process:
      return tr("by process");
    case LaneGrouping::Device:
      return tr("by device");
    case LaneGrouping::None:
      return tr("not grouped");
    default:
      return tr("by thread and stream");
  }
}

void group_lanes(ShellState& state, LaneGrouping grouping) {
  state.lanes.set_grouping(grouping);
  state.show_toast(fmt::format("{}: {}", tr("Lanes"), grouping_text(grouping)));
}

void show_only_group(ShellState& state, const std::string& group) {
  for (const LanePlace& place : state.timeline.places()) {
    if (place.group == group) continue;
    LaneChoice choice = state.lanes.choice(place.key);
    choice.hidden = true;
    state.lanes.set(place.key, choice);
  }
}

bool perform_on_lane(ShellState& state, const std::string& key, Action action) {
  LaneChoice choice = state.lanes.choice(key);
  switch (action) {
    case Action::CollapseLane: {
      // Of a folded group, a lane unfolds with the group: alone it would stand between strips.
      const auto place = state.timeline.place_of(key);
      if (place && !choice.pinned && state.lanes.group_folded(place->group)) {
        state.lanes.fold_group(place->group, false);
        return true;
      }
      choice.folded = !choice.folded;
      break;
    }
    case Action::HideLane:
      choice.hidden = true;
      state.lane_hands.pointed.reset();
      state.lane_hands.carried.reset();
      break;
    case Action::PinLane:
      choice.pinned = !choice.pinned;
      break;
    case Action::TallerLane:
      if (!choice.folded) choice.height *= kTaller;
      choice.folded = false;
      break;
    case Action::ShorterLane:
      if (!choice.folded) choice.height /= kTaller;
      break;
    case Action::LaneUp:
    case Action::LaneDown:
      move_lane(state, key, action == Action::LaneDown);
      return true;
    default:
      return false;
  }
  state.lanes.set(key, choice);
  return true;
}

bool perform_lanes(ShellState& state, Action action) {
  switch (action) {
    case Action::CollapseLane:
    case Action::HideLane:
    case Action::PinLane:
    case Action::LaneUp:
    case Action::LaneDown:
    case Action::TallerLane:
    case Action::ShorterLane:
      if (const auto key = meant_lane(state)) {
        perform_on_lane(state, *key, action);
        if (state.lane_hands.pointed) state.lane_hands.carried = key;
      } else {
        state.show_toast(tr("Point at a lane or at its name first."));
      }
      return true;
    case Action::ShowAllLanes:
      state.lanes.show_all();
      return true;
    case Action::GroupLanes: {
      constexpr std::array kNext = {LaneGrouping::Process, LaneGrouping::Device, LaneGrouping::None,
                                    LaneGrouping::Owner};
      group_lanes(state, kNext[static_cast<std::size_t>(state.lanes.grouping())]);
      return true;
    }
    case Action::ResetLanes:
      state.lanes.reset();
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
