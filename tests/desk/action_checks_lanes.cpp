// Lanes: folded, hidden, pinned, moved, resized, grouped.
#include <algorithm>

#include "desk/action_checks.h"
#include "desk/job_file.h"

namespace lanescope::ui_test {

using ui::Action;

namespace {

std::string key_of(Desk& desk, trace::LaneKind kind) {
  const trace::Trace& trace = desk.state().model.trace();
  for (const trace::LaneId lane : desk.state().timeline.lanes()) {
    if (trace.lane(lane).info().kind == kind) return *desk.state().timeline.key_of(lane);
  }
  return {};
}

ui::LaneChoice calls(Desk& desk) { return desk.state().lanes.choice(key_of(desk, trace::LaneKind::Calls)); }

std::size_t number_of_calls(Desk& desk) {
  const auto places = desk.state().timeline.places();
  const auto key = key_of(desk, trace::LaneKind::Calls);
  return static_cast<std::size_t>(
      std::find_if(places.begin(), places.end(), [&](const ui::LanePlace& p) { return p.key == key; }) -
      places.begin());
}

// The mouse over the name of a lane, and all lanes as they are at first.
void point_at(Desk& desk, trace::LaneKind kind) {
  desk.state().model.set_paused(true);
  desk.state().lanes.reset();
  desk.frames(2);
  const std::string key = key_of(desk, kind);
  desk.until([&] { return !desk.state().timeline.moving(); });
  desk.point_at(middle(desk.place("lane_name." + key)));
  desk.until([&] { return desk.state().lane_hands.pointed == key; });
}

void point_at_calls(Desk& desk) { point_at(desk, trace::LaneKind::Calls); }

void point_at_phases(Desk& desk) { point_at(desk, trace::LaneKind::Phases); }

bool second_is_phases(Desk& desk) {
  return desk.state().timeline.places()[1].key == key_of(desk, trace::LaneKind::Phases);
}

void hide_calls(Desk& desk) {
  point_at_calls(desk);
  desk.state().lanes.set(key_of(desk, trace::LaneKind::Calls), {.hidden = true});
}

}  // namespace

std::vector<ActionCheck> lanes_checks() {
  return {
      {Action::CollapseLane, point_at_calls, [](Desk& desk) { return calls(desk).folded; }},
      {Action::HideLane, point_at_calls, [](Desk& desk) { return desk.state().timeline.hidden_count() == 1; }},
      {Action::ShowAllLanes, hide_calls, [](Desk& desk) { return desk.state().lanes.hidden_count() == 0; }},
      {Action::PinLane, point_at_calls, [](Desk& desk) { return calls(desk).pinned && number_of_calls(desk) == 0; }},
      {Action::LaneUp, point_at_calls, [](Desk& desk) { return number_of_calls(desk) == 0; }},
      {Action::LaneDown, point_at_phases, second_is_phases},
      {Action::TallerLane, point_at_calls, [](Desk& desk) { return calls(desk).height > 1.2f; }},
      {Action::ShorterLane, point_at_calls, [](Desk& desk) { return calls(desk).height < 0.9f; }},
      {Action::GroupLanes, point_at_calls,
       [](Desk& desk) { return desk.state().lanes.grouping() == ui::LaneGrouping::Process; }},
      {Action::ResetLanes, hide_calls, [](Desk& desk) { return desk.state().lanes.hidden_count() == 0; }},
      {Action::JobMap,
       [](Desk& desk) {
         open_ranks(desk, 17, 3);
         ui::open_rank(desk.state(), 5);
         desk.until([&] { return !desk.state().model.nothing(); });
       },
       [](Desk& desk) { return desk.has_place("job_map") && desk.state().model.nothing(); }},
      {Action::JobBands, [](Desk& desk) { open_job(desk, 2, 1); },
       [](Desk& desk) { return desk.state().job.gpu_count() == 2 && !desk.state().job.visible(); }},
  };
}

}  // namespace lanescope::ui_test
