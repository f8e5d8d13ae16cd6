// `lanescope report`: the figures of a saved trace.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::FileError if the file cannot be read or an output cannot be written.
void report_file(const ReportRequest& request);

}  // namespace lanescope::app
