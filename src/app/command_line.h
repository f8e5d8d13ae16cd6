// Parses the command line, runs the command, and turns errors into one line and an exit status.
#pragma once

namespace lanescope::app {

/// Exit status: 0 success; 1 a file, display or device failed; 2 invalid request; 130 a run was ended early (Ctrl-C).
int run(int argc, const char* const* argv);

}  // namespace lanescope::app
