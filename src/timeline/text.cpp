#include "timeline/text.h"

namespace lanescope::ui {

FittedText fit(const TextMeasure& fonts, FontRole role, std::string_view text, float max_width) {
  constexpr int kFewestLetters = 4;
  const float whole = fonts.width(role, text);
  if (whole <= max_width) return {text, false, whole};
  const float ellipsis = fonts.width(role, kEllipsis);
  if (ellipsis >= max_width) return {{}, true, 0};
  const std::string_view kept = fonts.within(role, text, max_width - ellipsis);
  int letters = 0;
  for (const char c : kept) letters += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  if (letters < kFewestLetters) return {{}, true, 0};
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
