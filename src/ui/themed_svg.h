// A timeline as one SVG for both themes, for a page that follows the reader's: every colour is a variable of the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/picture.h"

namespace lanescope::ui {

struct ThemedSvg {
  struct Paint {
    std::uint32_t dark = 0, light = 0;  ///< in ImGui's order
  };
  std::string svg;            ///< an <svg> element to stand in a page; colour i is var(--PREFIXi)
  std::vector<Paint> paints;  ///< by i
};

/// `prefix` begins with a letter and is the picture's own: variables and ids of several pictures in a page must not
/// meet. The request's theme does not matter. `alt` says what is to be seen.
ThemedSvg draw_themed_svg(const PictureRequest& request, std::string_view prefix, std::string_view alt);

}  // namespace lanescope::ui
