// Over the lanes: where the statement that is chosen, or pointed at, has run.
#pragma once

#include "ui/code/code_state.h"
#include "ui/mark_surface.h"

namespace lanescope::ui {

/// Outlines those of its ranges (or, where it has only the transfers in them, its calls) that are drawn one by one.
void add_code_marks(const MarkSurface& surface, const CodeState& code);

}  // namespace lanescope::ui
