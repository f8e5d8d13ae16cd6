// Where marks are on the screen, for drawing them and for the mouse.
#pragma once

#include <vector>

#include "ui/mark_surface.h"
#include "ui/marks/marks.h"

namespace lanescope::ui {

/// A ruler on the screen: a line from x0 to x1 at y, with its text in `label`.
struct RulerShape {
  std::uint32_t id = 0;
  float x0 = 0, x1 = 0, y = 0;
  Rect label;
  std::string text;
  bool open = false;
};

/// A bookmark's pennant on the time axis; a note's leaf on its lane.
struct BookmarkShape {
  std::uint32_t id = 0;
  float x = 0;
  Rect body;
  std::string text;  ///< what is written on it, cut to its room
  bool note = false;
};

struct MarkShapes {
  std::vector<RulerShape> rulers;        ///< those in view
  std::vector<BookmarkShape> bookmarks;  ///< those in view
};

/// Rulers that would cover each other lie below each other; notes as well.
MarkShapes mark_shapes(const MarkSurface& surface, const Marks& marks);

enum class RulerPart : std::uint8_t { From, To, Body };
struct MarkHit {
  std::uint32_t id = 0;
  bool ruler = false;
  RulerPart part = RulerPart::Body;
};
/// What of the marks is under the mouse; ends of rulers are caught from `reach` pixels away.
std::optional<MarkHit> hit_mark(const MarkShapes& shapes, float x, float y, float reach = 6);

void add_marks(const MarkSurface& surface, const Marks& marks, const MarkShapes& shapes);
/// As a picture wants it.
void add_marks(const MarkSurface& surface, const Marks& marks);

}  // namespace lanescope::ui
