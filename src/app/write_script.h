// `lanescope script`
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::UsageError for unknown settings, base::FileError if the file cannot be written.
void write_script(const ScriptRequest& request);

}  // namespace lanescope::app
