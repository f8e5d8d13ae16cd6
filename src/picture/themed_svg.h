// A timeline as one SVG for both themes, for a page that follows the reader's theme: every colour is a CSS variable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "picture/picture.h"

namespace lanescope::ui {

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
