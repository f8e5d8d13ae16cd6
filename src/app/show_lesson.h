// `lanescope lesson`: a lesson's plan, notes and sheets.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::FileError if a page cannot be written.
void show_lesson(const LessonRequest& request);

}  // namespace lanescope::app
