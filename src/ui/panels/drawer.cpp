#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_drawer(const Canvas& c) {
  switch (c.state.drawer) {
    case DrawerTab::Events:
      return draw_event_list(c);
    case DrawerTab::Found:
      return draw_found(c);
    case DrawerTab::Marks:
      return draw_marks_list(c);
    case DrawerTab::Plots:
      return draw_plots(c);
  }
}

}  // namespace lanescope::ui
