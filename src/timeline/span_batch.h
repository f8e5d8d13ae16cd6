// What is drawn, as plain data that a test can read: rectangles, labels and glyphs of rows, line plots, ribbons.
// Coordinates are logical pixels of the display.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/text.h"

namespace lanescope::ui {

/// In logical pixels, from the top left.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};

// --- span batch ------------------------------------------------------------------------------------------------------
// What a row draws, as plain data that a test can read. Coordinates are logical pixels of the display.

enum class SpanStyle : std::uint8_t {
  Solid,    ///< `colour`
  Hatched,  ///< stripes of `ink` on `colour`, rising to the right, that move with the span
  Dashed,   ///< a dashed outline of `ink` around `colour` (alpha 0: no fill)
  Folded,   ///< many events in a few pixels: `colour` from the bottom to the `busy` fraction, a shade of it above;
            ///< ticks of `ink` along the upper edge, with three densities (`stroke`)
  Unknown,  ///< thin stripes of `ink` on `colour`, fixed to the screen
  Outline,  ///< an outline of `ink` around `colour`
};

struct Span {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t colour = 0;
  std::uint32_t ink = 0;
  float rounding = 0;   ///< radius; at most half the span
  float busy = 1;       ///< Folded: share of its time with activity, 0 to 1
  float stroke = 1.5f;  ///< Dashed and Outline: line width, inside the edge; Folded: density level, 0 to 3
  SpanStyle style = SpanStyle::Solid;

  friend bool operator==(const Span&, const Span&) = default;
};

enum class LabelAlign : std::uint8_t { Left, Centre, Right };

/// What becomes of a text that is longer than its box is wide.
enum class LabelFit : std::uint8_t {
  Cut,    ///< cut with "…", or omitted if fewer than four letters would remain
  Name,   ///< omitted, too, if it is short; a name of more than 24 bytes is cut to no fewer than eight letters
  Whole,  ///< omitted
  Stand,  ///< stands upright, read from below, where only then the whole fits, with a margin inside the box; or as Name
};

struct Label {
  float x = 0, y = 0;   ///< left and top of the box
  float max_width = 0;  ///< of the box, see `fit`
  std::uint32_t colour = 0;
  FontRole font = FontRole::Small;
  std::string text;
  float height = 0;  ///< of the box, in which the text is centred vertically; 0: the text starts at y
  LabelAlign align = LabelAlign::Left;
  std::uint32_t ground = 0;  ///< a rounded background behind the text (on hatching); alpha 0: none
  LabelFit fit = LabelFit::Cut;

  friend bool operator==(const Label&, const Label&) = default;
};

/// What is drawn of a label, and where.
struct PlacedLabel {
  std::string_view shown;  ///< the text or a prefix
  bool cut = false;        ///< "…" follows
  bool upright = false;
  float x = 0, y = 0;  ///< left and top of what is drawn; upright: the text begins at the bottom
  float length = 0;    ///< along the text
};
/// Empty: the text is omitted.
std::optional<PlacedLabel> place_label(const TextMeasure& fonts, const Label& label);

/// Spans are drawn in order, then the labels above them.
class SpanBatch {
 public:
  std::vector<Span> spans;
  std::vector<Label> labels;

  void clear() {
    spans.clear();
    labels.clear();
  }
  bool empty() const { return spans.empty() && labels.empty(); }

  Span& add(const Span& span) { return spans.emplace_back(span); }
  Label& add(Label label) { return labels.emplace_back(std::move(label)); }

  Span& solid(float x0, float y0, float x1, float y1, std::uint32_t colour, float rounding = 0) {
    return add(Span{x0, y0, x1, y1, colour, 0, rounding});
  }
  Span& styled(SpanStyle style, float x0, float y0, float x1, float y1, std::uint32_t colour, std::uint32_t ink,
               float rounding = 0) {
    return add(Span{x0, y0, x1, y1, colour, ink, rounding, 1, 1.5f, style});
  }
  Span& folded(float x0, float y0, float x1, float y1, std::uint32_t colour, float busy) {
    return add(Span{x0, y0, x1, y1, colour, 0, 0, busy, 0, SpanStyle::Folded});
  }
};

// --- plots -----------------------------------------------------------------------------------------------------------
// A line plot with a gradient below it, as plain data.

/// The values in one column of pixels. If nothing is known, the mean is NaN, and the line has a gap.
struct PlotColumn {
  float min = 0, max = 0, mean = 0;
};

struct Plot {
  Rect box;                 ///< position
  float low = 0, high = 1;  ///< the values at the bottom and the top of the box
  std::uint32_t line = 0;   ///< colour of the line through the means; a lighter shade from min to max
  std::uint32_t fill = 0;   ///< below the line: full alpha at the top of the box, fading to 0 at the bottom
  float line_width = 1.75f;
  float dash = 0;        ///< > 0: length of a dash in logical pixels, with gaps 0.6 times as long
  float dash_from = 0;   ///< position along the axis where a dash begins
  bool stepped = false;  ///< each value holds for its whole column (a count); otherwise values are joined by lines
  std::vector<PlotColumn> columns;  ///< evenly spaced over the box's width; ideally one per logical pixel
};

// --- ribbons ---------------------------------------------------------------------------------------------------------
// What joins the parts of a collective from one GPU's band to the next.

/// Between two bands: from a collective's part in the upper one to that in the lower one.
struct JobRibbon {
  float top = 0, bottom = 0;
  float top_left = 0, top_right = 0, bottom_left = 0, bottom_right = 0;
  std::uint32_t fill = 0, edge = 0;
};

}  // namespace lanescope::ui
