// The knobs of the program: runs knobs.py in its interpreter, CPython 3.9 to 3.14, if the viewer permits it
// (Controls::knobs). The file is run on the program's main thread, between two of its own steps (Py_AddPendingCall), in
// a dictionary of its own; it registers nothing, imports nothing, and takes back what it has changed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope::inject {

/// Bytes from the viewer: of its commands, or wake-ups. On the library's thread.
void hear_knobs(const char* bytes, std::size_t n);
/// Does what is due, and returns when something is due again. On the library's thread.
std::int64_t step_knobs(std::int64_t now);
/// A trial is going on, so nothing else should disturb the program.
bool trial_runs();
/// The viewer has ended: everything is taken back. Waits a moment for that. On the library's thread.
void release_knobs();
/// In a forked child, which may have inherited what is turned: it does nothing there.
void forget_knobs();

}  // namespace lanescope::inject
