// The command line: parses it, runs what it asks for, and turns errors into one line and an exit status.
#pragma once

namespace lanescope::app {

/// Exit status: 0 done, 1 a file, display or device failed, 2 the request was wrong, 130 a run was ended early
/// (Ctrl-C).
int run(int argc, char** argv);

}  // namespace lanescope::app
