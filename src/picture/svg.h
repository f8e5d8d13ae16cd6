// A picture as SVG: scalable graphics and text for browsers, Inkscape and papers.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "picture/picture_sheet.h"
#include "timeline/text.h"

namespace lanescope::ui {

/// A complete SVG 1.1 document, with a size of `scale` times the sheet's. `title` and `text` (as for PNG's text chunks)
/// become <title>, <desc> and <metadata>. `fonts` measures texts, which are cut where the window would cut them.
std::string svg_document(const PictureSheet& sheet, const TextMeasure& fonts, float scale, std::string_view title,
                         const std::map<std::string, std::string>& text);

}  // namespace lanescope::ui
