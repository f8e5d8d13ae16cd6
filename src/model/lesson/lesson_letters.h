// The Chinese letters that the window's fonts need.
#pragma once

#include <string>

#include "base/translate.h"
#include "timeline/text.h"

namespace lanescope::ui {

/// chinese_texts(), those of all lessons, and `others` in every font: names may be Chinese in an English window, too.
ChineseTexts window_letters(base::Language language, const std::string& others);

}  // namespace lanescope::ui
