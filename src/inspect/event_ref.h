// References to events; see trace/trace.h.
#pragma once

#include "trace/trace.h"

namespace lanescope::ui {

using trace::event_ref;
using trace::EventRef;
using trace::for_rows;

}  // namespace lanescope::ui
