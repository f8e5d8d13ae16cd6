// What a person leaves on a trace: rulers that measure, bookmarks, notes. All are bound to times of the trace, so they
// stay where they belong when the view moves, and travel with the saved trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/mark_surface.h"

namespace lanescope::ui {

/// A ruler that a person laid down and that stays. ("Ruler" alone is the time axis at the top.)
struct Measure {
  Nanoseconds from = 0, to = 0;
  std::uint32_t id = 0;
};

struct Bookmark {
  Nanoseconds at = 0;
  double span_ns = 0;  ///< of the view that it brings back
  std::string lane;    ///< lane_key(), or empty
  std::string text;    ///< a note's text; empty: a bookmark only
  std::uint32_t id = 0;
};

struct Marks {
  std::vector<Measure> rulers;
  std::vector<Bookmark> bookmarks;  ///< oldest time first
  std::uint32_t next_id = 1;
};

/// As JSON text, for io::RunFacts::marks, and back; what cannot be read throws base::UsageError with the place.
std::string marks_to_json(const Marks& marks);
Marks marks_from_json(std::string_view json);

void add_marks(const MarkSurface& surface, const Marks& marks);

}  // namespace lanescope::ui
