// The connection to the viewer, and the library's own thread.
#pragma once

namespace lanescope::inject {

/// Once per process: creates the memory, connects to the viewer, says Hello, starts the thread. False if nobody is to
/// be told anything: no LANESCOPE_ATTACH, or nobody answers.
bool start();
/// Does what the controls ask for now, on the calling thread, which is in cuInit.
void step_now();
/// The library's thread looks at once whether there is something to do. Safe in a callback.
void wake_up();
/// At the program's end sends what there is. To be called after CUPTI was loaded, so that it comes before CUPTI's own
/// end.
void leave_at_exit();

}  // namespace lanescope::inject
