#include "timeline/text.h"

#include <algorithm>

namespace lanescope::ui {

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

FittedText fit(const TextMeasure& fonts, FontRole role, std::string_view text, float max_width, int fewest) {
  const float whole = fonts.width(role, text);
  if (whole <= max_width) return {text, false, whole};
  const float ellipsis = fonts.width(role, kEllipsis);
  if (ellipsis >= max_width) return {{}, true, 0};
  const std::string_view kept = fonts.within(role, text, max_width - ellipsis);
  if (letters(kept) < static_cast<std::size_t>(fewest)) return {{}, true, 0};
  return {kept, true, fonts.width(role, kept) + ellipsis};
}

std::string fit_text(const TextMeasure& fonts, FontRole role, std::string_view text, float max_width) {
  const FittedText fitted = fit(fonts, role, text, max_width);
  std::string result(fitted.shown);
  if (fitted.cut && !fitted.shown.empty()) result += kEllipsis;
  return result;
}

float text_width(const TextMeasure& fonts, FontRole role, std::string_view text) { return fonts.width(role, text); }

}  // namespace lanescope::ui
