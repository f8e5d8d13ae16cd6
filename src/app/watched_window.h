// The window, showing a program that is watched. A server build has none
// (no_watched_window.cpp).
#pragma once

#include <memory>

#include "app/graphics.h"
#include "attach/attachment.h"
#include "attach/recordings.h"

namespace lanescope::app {

/// Each returns when the window is closed; the program goes on. Throws what show_window() throws.
void show_attached(WindowRequest window, std::shared_ptr<attach::Attachment> attachment);
void show_followed(WindowRequest window, const attach::Recording& recording);
void show_remote(WindowRequest window, std::shared_ptr<attach::RemoteProgram> remote);

}  // namespace lanescope::app
