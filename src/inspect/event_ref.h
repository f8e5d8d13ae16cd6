// References to events; see trace/event_ref.h.
#pragma once

#include "trace/event_ref.h"

namespace lanescope::ui {

using trace::event_ref;
using trace::EventRef;
using trace::for_rows;

}  // namespace lanescope::ui
