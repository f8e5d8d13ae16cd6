// What caused what: the path from a wait to the bubble it leaves, and what belongs together under the mouse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "ui/links.h"
#include "ui/mark_surface.h"

namespace lanescope::ui {

/// wait 1 → the last operation it waited for 2 → that operation's launch 3 → the bubble 4 → the next launch 5. What is
/// not known (evicted, not captured, no bubble) is empty.
struct CausePath {
  std::optional<EventRef> wait, last_operation, its_launch, next_launch, next_operation;
  std::optional<analysis::Bubble> bubble;
  std::int64_t times = 0;    ///< bubbles of this cause by this call in the stretch of recent(): how often it happens
  Nanoseconds total_ns = 0;  ///< and what they add up to
  bool empty() const { return !wait && !bubble; }
};

/// The path that an event (a blocking call, an operation a wait ends with) or a bubble is on.
CausePath cause_path(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const EventRef& event);
CausePath cause_path(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const analysis::Bubble& bubble);

/// What lights up with an event under the mouse: of a call its GPU work, of GPU work its call, of a wait all that ran
/// while it lasted (at most `most`).
struct Lit {
  std::vector<EventRef> events;
  bool outlined = false;  ///< of a wait: the work it waits for
};
Lit lit_with(const trace::Trace& trace, const EventRef& event, std::size_t most = 500);

struct CauseState {
  CausePath path;  ///< of the selection
  Lit lit;         ///< of what is under the mouse
  std::optional<EventRef> lit_for;
  std::optional<EventRef> path_for_event;
  std::optional<Nanoseconds> path_for_bubble;  ///< its start
};

/// Arrows, numbers and outlines; what is selected is outlined here, too.
void add_causes(const MarkSurface& surface, const CauseState& cause);

}  // namespace lanescope::ui
