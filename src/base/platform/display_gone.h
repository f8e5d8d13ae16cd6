// A display that goes away while a window is open: its server ends or is killed, or the connection to it breaks.
#pragma once

namespace lanescope::base {

/// From now on `what_to_do` is called then, once, on the thread that talked to the display; the program ends
/// afterwards, because the system's library cannot go on. It must not use the display. Only X11 has this.
void when_display_goes(void (*what_to_do)());

}  // namespace lanescope::base
