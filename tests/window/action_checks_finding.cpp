// The actions that find: search, list of events, plots.
#include "shell/finding.h"
#include "window/action_checks.h"

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
      {Action::EventList, [](Desk& desk) { desk.state().drawer = DrawerTab::Plots; },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Events && !desk.state().event_list.shown.empty(); }},
      {Action::Statistics, [](Desk& desk) { desk.state().drawer = DrawerTab::Plots; },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Statistics && desk.has_place("statistics.row.3"); }},
      {Action::ShowPlots, [](Desk& desk) { desk.state().drawer = DrawerTab::Events; },
       [](Desk& desk) { return desk.state().drawer == DrawerTab::Plots; }},
  };
}

}  // namespace lanescope::ui_test
