// What a row wants drawn, as plain data that a test can read. Coordinates are logical pixels of the display.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ui/fonts.h"

namespace lanescope::ui {

enum class SpanStyle : std::uint8_t {
  Solid,    ///< `colour`
  Hatched,  ///< stripes of `ink` on `colour`, rising to the right, that move with the span
  Dashed,   ///< a dashed outline of `ink` around `colour` (alpha 0 leaves the inside alone)
  Folded,   ///< many events in a few pixels: `colour` from the bottom up to the `busy` fraction, a shade of it above;
            ///< ticks of `ink` along the upper edge, finer with each of three densities (`stroke`)
  Unknown,  ///< thin stripes of `ink` on `colour`, at rest on the screen
  Outline,  ///< an outline of `ink` around `colour`
};

struct Span {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t colour = 0;
  std::uint32_t ink = 0;
  float rounding = 0;   ///< radius; never more than half the span
  float busy = 1;       ///< Folded: the fraction of its time in which something ran, 0 to 1
  float stroke = 1.5f;  ///< Dashed and Outline: width of the line, inside the edge; Folded: 0 to 3, how many there are
  SpanStyle style = SpanStyle::Solid;

  friend bool operator==(const Span&, const Span&) = default;
};

enum class LabelAlign : std::uint8_t { Left, Centre, Right };

struct Label {
  float x = 0, y = 0;   ///< the box: its left and top
  float max_width = 0;  ///< text that does not fit ends in "…", or is left out where under four letters would stay
  std::uint32_t colour = 0;
  FontRole font = FontRole::Small;
  std::string text;
  float height = 0;  ///< of the box, in which the text is centred; 0: the text starts at y
  LabelAlign align = LabelAlign::Left;
  std::uint32_t ground = 0;  ///< a rounded ground behind the text (on hatching); alpha 0: none

  friend bool operator==(const Label&, const Label&) = default;
};

/// Spans are drawn in order, then the labels on top of them.
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

}  // namespace lanescope::ui
