// The ranges around an event: what its program was doing.
#pragma once

#include <vector>

#include "inspect/event_ref.h"
#include "trace/links.h"

namespace lanescope::ui {

/// The ranges on the event's thread that contain it, innermost first: a framework's operators, the functions of a
/// recorded Python stack, the phases of the loop, its iteration. For GPU work, those around the call that issued it;
/// empty if that is unknown.
std::vector<EventRef> enclosing_ranges(const trace::Links& links, const EventRef& event);

}  // namespace lanescope::ui
