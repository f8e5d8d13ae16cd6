// The list of events beside the timeline: what is in view, or in the selection, filtered; in step with the graph.
#pragma once

#include <cstdint>
#include <string>

namespace lanescope::ui {

struct EventListState {
  std::string filter;
  bool in_view_only = true;
};

}  // namespace lanescope::ui
