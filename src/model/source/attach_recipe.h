// What the window asks of attaching. A build that cannot attach has these, too (no_attach.cpp).
#pragma once

#include "attach/program_state.h"
#include "model/source/source.h"

namespace lanescope::ui {

/// Starts a program and watches it. Throws base::UsageError if this build cannot.
Recipe attach_recipe(const attach::AttachOptions& options);

}  // namespace lanescope::ui
