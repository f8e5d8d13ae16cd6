// Text in the timeline and in pictures: its role and its width. Module render has the fonts themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope::ui {

/// The purpose of a text. Sizes form one scale with four steps per doubling: each step is 2^(1/4), or 1.19 times, the
/// one before, rounded to whole pixels.
///   step 0  12  Small, SmallBold, MonoSmall  hints, headings in capitals, labels on spans, keys
///   step 1  14  Body, BodyBold, Mono         sentences, controls, figures
///   step 2  17  Title, Lead                  an experiment's or a panel's name; sentences for a class
///   step 4  24  Verdict                      the verdict's title
///           60  Factor                       "1.44x" for the back row: only figures
enum class FontRole : std::uint8_t {
  Body,
  BodyBold,
  Small,
  SmallBold,
  Title,
  Mono,
  MonoSmall,
  Verdict,
  Lead,
  Factor,
  Count
};
inline constexpr std::size_t kFontRoleCount = static_cast<std::size_t>(FontRole::Count);

/// The letter size (em) of a role in logical pixels at scale 1.
constexpr float em_size(FontRole role) {
  constexpr std::array<float, kFontRoleCount> kSizes{14, 14, 12, 12, 17, 14, 12, 24, 17, 60};
  return kSizes[static_cast<std::size_t>(role)];
}

/// Measures text in the current fonts, in logical pixels. `text` is UTF-8.
class TextMeasure {
 public:
  virtual ~TextMeasure() = default;

  virtual float size(FontRole role) const = 0;    ///< line height
  virtual float ascent(FontRole role) const = 0;  ///< from the top of a line to its baseline
  virtual float width(FontRole role, std::string_view text) const = 0;
  /// The longest prefix of `text` of at most `max_width`, in whole characters.
  virtual std::string_view within(FontRole role, std::string_view text, float max_width) const = 0;
};

/// A text cut to a width, with "…" appended if it was cut.
struct FittedText {
  std::string_view shown;  ///< the whole text or a prefix; empty if fewer than `fewest` letters would remain
  bool cut = false;
  float width = 0;  ///< including the "…"
};
FittedText fit(const TextMeasure& fonts, FontRole role, std::string_view text, float max_width, int fewest = 4);
/// The same as a string.
std::string fit_text(const TextMeasure& fonts, FontRole role, std::string_view text, float max_width);
inline constexpr std::string_view kEllipsis = "\u2026";

/// The number of characters.
std::size_t letters(std::string_view text);

/// The width of one line of text in logical pixels.
float text_width(const TextMeasure& fonts, FontRole role, std::string_view text);

/// The Chinese texts by font, which determine the glyphs to load, because loading all would take seconds. Body and
/// Small are also used in bold. `mono` has only characters of these two, and is needed in both of its sizes.
struct ChineseTexts {
  std::string body, small, title, mono{}, verdict{}, lead{};
};

}  // namespace lanescope::ui
