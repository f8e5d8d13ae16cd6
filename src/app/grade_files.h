// `lanescope grade`: students' files, graded by runs made now.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Returns the exit status: 1 if a file cannot be used, 130 if ended early. Throws base::FileError if an output cannot
/// be written, base::UsageError if it is one of the files.
int grade_files(const GradeRequest& request);

}  // namespace lanescope::app
