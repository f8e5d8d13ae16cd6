// A picture as SVG: scalable graphics and text for browsers, Inkscape and papers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "picture/picture.h"
#include "timeline/text.h"

namespace lanescope::ui {

/// A complete SVG 1.1 document, with a size of `scale` times the sheet's. `title` and `text` (as for PNG's text chunks)
/// become <title>, <desc> and <metadata>. `fonts` measures texts, which are cut where the window would cut them.
std::string svg_document(const PictureSheet& sheet, const TextMeasure& fonts, float scale, std::string_view title,
                         const std::map<std::string, std::string>& text);

// --- themed svg ------------------------------------------------------------------------------------------------------
// A timeline as one SVG for both themes, for a page that follows the reader's theme: every colour is a CSS variable.

struct ThemedSvg {
  struct Paint {
    std::uint32_t dark = 0, light = 0;  ///< as in a Theme
  };
  std::string svg;            ///< an <svg> element for a page; colour i is var(--PREFIXi)
  std::vector<Paint> paints;  ///< indexed by i
};

/// `prefix` starts with a letter and is unique per picture, so that variables and ids of several pictures in a page do
/// not collide. The request's theme is ignored. `alt` describes the picture.
ThemedSvg themed_svg(const PictureRequest& request, const TextMeasure& fonts, std::string_view prefix,
                     std::string_view alt);

}  // namespace lanescope::ui
