// The user's marks as text, beside or within the file of their trace.
#pragma once

#include <string>
#include <string_view>

#include "timeline/marks.h"

namespace lanescope::ui {

/// Converts rulers, bookmarks and notes to JSON text (for io::RunFacts::marks; empty if there are none), and back.
/// Invalid text throws base::UsageError with the position.
std::string marks_to_json(const Marks& marks);
Marks marks_from_json(std::string_view json);

}  // namespace lanescope::ui
