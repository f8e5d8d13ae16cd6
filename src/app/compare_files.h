// `lanescope compare`: what changed between two saved traces.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::FileError if a file cannot be read or an output cannot be written.
void compare_files(const CompareRequest& request);

}  // namespace lanescope::app
