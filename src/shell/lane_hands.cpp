#include "shell/lane_hands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kTaller = 1.25f;

// The row under the mouse, else the selected event's row. A row that a key moved away from under the mouse stays the
// target of the next key: otherwise the next key would move the row that took its place.
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
  // Pinned rows stay at the top, and the curve between the CPU's lanes and the GPU's.
  if (other->pinned != at->pinned) return;
  if (!at->pinned && (!at->lane || !other->lane || other->gpu != at->gpu)) return;
  state.lanes.reorder(moved_key(state.timeline.order(), key, other->key, down));
}

template <Action kAction>
void on_meant_lane(ShellState& state) {
  const auto key = meant_lane(state);
  if (!key) return state.show_toast(tr("Point at a lane or at its name first."));
  perform_on_lane(state, *key, kAction);
  if (state.lane_hands.pointed) state.lane_hands.carried = key;
}

void next_grouping(ShellState& state) {
  constexpr std::array kNext = {LaneGrouping::Process, LaneGrouping::Device, LaneGrouping::None, LaneGrouping::Owner};
  group_lanes(state, kNext[static_cast<std::size_t>(state.lanes.grouping())]);
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
      // A lane of a folded group unfolds the whole group: alone it would sit between folded lanes.
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

std::vector<ActionInfo> lane_actions() {
  return {
      {Action::CollapseLane,
       ActionGroup::Lanes,
       "collapse",
       N_("fold or unfold the lane under the mouse"),
       {},
       on_meant_lane<Action::CollapseLane>},
      {Action::HideLane,
       ActionGroup::Lanes,
       "hide-lane",
       N_("hide the lane under the mouse"),
       {},
       on_meant_lane<Action::HideLane>},
      {Action::ShowAllLanes,
       ActionGroup::Lanes,
       "show-lanes",
       N_("show all hidden lanes"),
       {},
       [](ShellState& s) { s.lanes.show_all(); }},
      {Action::PinLane,
       ActionGroup::Lanes,
       "pin-lane",
       N_("pin the lane to the top, or unpin it"),
       {},
       on_meant_lane<Action::PinLane>},
      {Action::LaneUp, ActionGroup::Lanes, "lane-up", N_("move the lane up"), {}, on_meant_lane<Action::LaneUp>},
      {Action::LaneDown,
       ActionGroup::Lanes,
       "lane-down",
       N_("move the lane down"),
       {},
       on_meant_lane<Action::LaneDown>},
      {Action::TallerLane, ActionGroup::Lanes, "taller", N_("taller lane"), {}, on_meant_lane<Action::TallerLane>},
      {Action::ShorterLane, ActionGroup::Lanes, "shorter", N_("shorter lane"), {}, on_meant_lane<Action::ShorterLane>},
      {Action::GroupLanes,
       ActionGroup::Lanes,
       "group",
       N_("group lanes by stream, process or device, or not"),
       {},
       next_grouping},
      {Action::JobBands,
       ActionGroup::Lanes,
       "job-bands",
       N_("show or hide the bands of several GPUs"),
       {},
       [](ShellState& s) { s.job.shown = !s.job.visible(); },
       [](const ShellState& s) { return s.job.gpu_count() < 2 ? std::string(tr("there is only one GPU")) : ""; }},
      {Action::JobMap,
       ActionGroup::Lanes,
       "job-map",
       N_("back to the map of all ranks"),
       {{key::Backspace}},
       [](ShellState& s) { s.requests.job_map = true; },
       [](const ShellState& s) { return s.job_folder.on() ? "" : std::string(tr("no job of many ranks is open")); }},
      {Action::ResetLanes,
       ActionGroup::Lanes,
       "reset-lanes",
       N_("reset the lanes"),
       {},
       [](ShellState& s) { s.lanes.reset(); }},
  };
}

}  // namespace lanescope::ui
