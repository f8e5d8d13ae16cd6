// `lanescope export`: a saved trace as tables, or as a trace for other programs.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::FileError if the file cannot be read or an output cannot be written.
void export_file(const ExportRequest& request);

}  // namespace lanescope::app
