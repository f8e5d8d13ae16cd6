// A picture as SVG: vectors and text that a browser, Inkscape and a paper can use at any size.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ui/fonts.h"
#include "ui/picture_sheet.h"

namespace lanescope::ui {

/// A whole SVG 1.1 document, `scale` times as large as the sheet where its size is asked for. `title` and `text` (as
/// for PNG's text chunks) become <title>, <desc> and <metadata>. `fonts` say how wide text is; texts are cut where the
/// window cuts them.
std::string svg_document(const PictureSheet& sheet, const Fonts& fonts, float scale, std::string_view title,
                         const std::map<std::string, std::string>& text);

/// Text for an XML document: valid UTF-8, the five characters with a meaning of their own escaped, those that XML
/// forbids replaced by U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace lanescope::ui
