// The screen positions of marks, for drawing and hit testing.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inspect/cause.h"
#include "timeline/marks.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

// --- mark surface ----------------------------------------------------------------------------------------------------
// Where things other than events are drawn over the lanes: rulers, notes, search results, causes.

/// One frame's timeline after Timeline::prepare(). `axis` converts times to pixels; `timeline` knows the positions of
/// events and lanes.
struct MarkSurface {
  const TimelineFrame& frame;
  const Timeline& timeline;
  const TimeAxis& axis;
  Rect area;        ///< label column, ruler and lanes
  SpanBatch& rows;  ///< drawn over the lanes, clipped to them
  SpanBatch& top;   ///< drawn over the ruler, clipped to it

  float lanes_top() const { return timeline.rows_top(); }
  float lanes_bottom() const { return area.y + area.height; }
};

// --- mark shapes -----------------------------------------------------------------------------------------------------

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

/// A flag beside the line of a changed setting. Markers whose lines would be under it share it.
struct MarkerFlag {
  float x = 0;  ///< of the first line
  Rect body;    ///< no other flag is there; at the right edge it may be narrower than the text
  std::string text;
};
/// For markers in time order, which are all in view.
std::vector<MarkerFlag> marker_flags(const base::NameTable& names, std::span<const trace::Event> markers,
                                     const TimeAxis& axis, float top, float height, float scale);

/// Marks the instant of a trigger: a flag on the ruler with a line through the lanes; nothing if the instant is out of
/// view.
void add_trigger_mark(const MarkSurface& surface, Nanoseconds instant);

// --- pin card --------------------------------------------------------------------------------------------------------
// A pinned tooltip: its text, the position of its card, and its appearance in a picture.

/// A title, and lines of name and value.
struct PinText {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;
};
/// Times are relative to `begin`, the start of the trace.
PinText pin_text(const trace::Trace& trace, const TimelineHit& hit, Nanoseconds begin);

/// The card, moved to lie over the lanes, and its target point on the lane.
struct PinPlace {
  Rect card;
  float tip_x = 0, tip_y = 0;
};
/// Empty if that point is out of view or its lane is hidden. `area`: label column, ruler and lanes.
std::optional<PinPlace> pin_place(const PinnedTooltip& pin, const Timeline& timeline, const TimeAxis& axis,
                                  const Rect& area, float scale, std::size_t lines);
/// Title and lines within the card.
std::vector<Label> pin_labels(const PinText& text, const Rect& card, const Theme& theme, float scale);

/// Draws all of them as cards over the lanes.
void add_pins(const MarkSurface& surface, const std::vector<PinnedTooltip>& pins);

// --- cause marks -----------------------------------------------------------------------------------------------------
// Arrows, numbers and outlines that show causes, drawn over the lanes.

/// Draws outlines around the selection and what is highlighted with the event under the mouse, arrows from launches to
/// operations, and the numbered path.
void add_causes(const MarkSurface& surface, const CauseState& cause);

}  // namespace lanescope::ui
