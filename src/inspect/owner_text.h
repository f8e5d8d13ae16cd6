// How processes and threads are called on the screen.
#pragma once

#include <string>
#include <string_view>

#include "trace/sink.h"

namespace lanescope::ui {

/// "thread 1262 (pt_main_thread)"; without a name of its own "thread 1262". A thread id that a tool wrote as a negative
/// 32-bit number is shown unsigned, as the system's tools show it.
std::string thread_text(const trace::LaneInfo& lane);
/// A program's name in a heading: of a path its last part, of a very long name both ends.
std::string short_process_name(std::string_view name);

}  // namespace lanescope::ui
