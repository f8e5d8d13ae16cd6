// The actions that find: search, list of events, plots.
#include "desk/action_checks.h"
#include "desk/job_file.h"
#include "shell/finding.h"
#include "shell/selecting.h"

namespace lanescope::ui_test {
namespace {

using ui::Action;
using ui::DrawerTab;

// Something is being searched for that a loop has many of.
void find_kernels(Desk& desk) {
  desk.state().selection.clear();
  ui::search_for(desk.state(), "kernel");
  desk.state().search.focus_wanted = false;
  desk.until([&] { return desk.state().search.found.size() > 2; });
}

void select_a_kernel(Desk& desk) {
  ui::ShellState& state = desk.state();
  ui::close_search(state);
  state.name_figures.open = false;
  const trace::Trace& trace = state.model.trace();
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    if (trace.lane(lane).info().kind != trace::LaneKind::Kernels) continue;
    const trace::Row& row = trace.lane(lane).row(0);
    return ui::select_event(state, ui::event_ref(lane, 0, row, row.last() - 1));
  }
}

// A trace of another program, with five places and more where its GPU idles.
void open_foreign(Desk& desk) {
  desk.state().requests.files = {LANESCOPE_SOURCE_DIR "/tests/data/pytorch-alexnet.json.gz"};
  desk.until([&] { return desk.state().idle.ledger().rows.size() == analysis::kIdleRows; });
}
ActionCheck idle_row(Action action, std::size_t number) {
  return {action, open_foreign, [number](Desk& desk) {
            return desk.state().idle.chosen() == number && desk.state().selection.bubble.has_value();
          }};
}

}  // namespace

std::vector<ActionCheck> finding_checks() {
  return {
      {Action::Search,
       [](Desk& desk) {
         ui::close_search(desk.state());
         desk.state().drawer = DrawerTab::Plots;
       },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Found && desk.state().search.field_active; }},
      {Action::NextFound, find_kernels,
       [](Desk& desk) {
         const auto& search = desk.state().search;
         return search.at && desk.state().selection.event == search.shown;
       }},
      {Action::PreviousFound,
       [](Desk& desk) {
         find_kernels(desk);
         ui::show_found(desk.state(), 1);
       },
       [](Desk& desk) { return desk.state().search.at == 0u; }},
      {Action::FindSame, select_a_kernel,
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Found && desk.state().search.total > 2; }},
      {Action::NameStatistics, select_a_kernel,
       [](Desk& desk) { return desk.has_place("name_figures") && !desk.state().name_figures.job.outdated(); }},
      idle_row(Action::IdleRow1, 0),
      idle_row(Action::IdleRow2, 1),
      idle_row(Action::IdleRow3, 2),
      idle_row(Action::IdleRow4, 3),
      idle_row(Action::IdleRow5, 4),
      {Action::EventList, [](Desk& desk) { desk.state().drawer = DrawerTab::Plots; },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Events && !desk.state().event_list.shown.empty(); }},
      {Action::Statistics, [](Desk& desk) { desk.state().drawer = DrawerTab::Plots; },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Statistics && desk.has_place("statistics.row.3"); }},
      {Action::Ranks,
       [](Desk& desk) {
         open_job(desk, 2, 1);
         desk.state().drawer = DrawerTab::Plots;
       },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Ranks && desk.has_place("ranks.row.1"); }},
      {Action::ShowPlots,
       [](Desk& desk) {
         desk.state().drawer = DrawerTab::Closed;
         desk.state().last_drawer = DrawerTab::Plots;
       },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Plots; }},
  };
}

}  // namespace lanescope::ui_test
