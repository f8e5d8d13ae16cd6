// The screen positions of marks, for drawing and hit testing.
#pragma once

#include <vector>

#include "timeline/mark_surface.h"
#include "timeline/marks.h"

namespace lanescope::ui {

/// A ruler on the screen: a line from x0 to x1 at y, with its text in `label`.
struct RulerShape {
  std::uint32_t id = 0;
  float x0 = 0, x1 = 0, y = 0;
  Rect label;
  std::string text;
  bool open = false;
};

/// The flag of a bookmark on the time axis, or of a note on its lane.
struct BookmarkShape {
  std::uint32_t id = 0;
  float x = 0;
  Rect body;
  std::string text;  ///< its text, shortened to fit
  bool note = false;
};

struct MarkShapes {
  std::vector<RulerShape> rulers;        ///< in view
  std::vector<BookmarkShape> bookmarks;  ///< in view
};

/// Overlapping rulers are stacked, and so are notes.
MarkShapes mark_shapes(const MarkSurface& surface, const Marks& marks);

enum class RulerPart : std::uint8_t { From, To, Body };
struct MarkHit {
  std::uint32_t id = 0;
  bool ruler = false;
  RulerPart part = RulerPart::Body;
};
/// The mark at this point. The ends of rulers are hit from up to `reach` pixels away.
std::optional<MarkHit> hit_mark(const MarkShapes& shapes, float x, float y, float reach = 6);

void add_marks(const MarkSurface& surface, const Marks& marks, const MarkShapes& shapes);
/// For pictures, which need no hit testing.
void add_marks(const MarkSurface& surface, const Marks& marks);

/// Marks the instant of a trigger: a flag on the ruler with a line through the lanes; nothing if the instant is out of
/// view.
void add_trigger_mark(const MarkSurface& surface, Nanoseconds instant);

}  // namespace lanescope::ui
