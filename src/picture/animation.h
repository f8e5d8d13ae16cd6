// A change as a short film, as plain data: the lanes of one run move by, the knob turns, the lanes of the other run
// move by at the same speed and scale, and then the measured factor.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/run_snapshot.h"
#include "picture/picture_sheet.h"
#include "timeline/text.h"
#include "timeline/theme.h"

namespace lanescope::ui {

inline constexpr float kLeastAnimationScale = 0.5f, kMostAnimationScale = 4, kAnimationScale = 1.5f;

struct Animation {
  SharedSnapshot before, after;
  std::string title;                  ///< "P09 Reading the loss every iteration", in the language of the texts
  std::array<std::string, 2> labels;  ///< of the two sides: "a read every iteration"; may be empty
  ThemeName theme = ThemeName::Dark;
  float scale = kAnimationScale;  ///< pixels per logical pixel, kLeastAnimationScale to kMostAnimationScale
};

enum class AnimationPart : std::uint8_t { Before, Turn, After, Result };
/// What is seen for a while.
struct AnimationStep {
  AnimationPart part = AnimationPart::Before;
  int moved = 0;         ///< lanes: logical pixels by which they have moved to the left
  bool lit = false;      ///< the knob is highlighted
  int centiseconds = 0;  ///< how long it is shown
};
/// The whole film, with so many hundredths of a second between two pictures of the moving lanes.
std::vector<AnimationStep> animation_steps(int interval);

/// A sheet, and perhaps a second one with larger letters on top of it.
struct AnimationSheet {
  PictureSheet sheet;
  std::optional<PictureSheet> large;  ///< in logical pixels of kLarge times the size; as wide as the other
  float large_y = 0;                  ///< its upper edge in `sheet`
};

/// The film with its lanes laid out. The animation must outlive it.
class AnimationLayout {
 public:
  static constexpr int kWidth = 848;  ///< logical pixels
  static constexpr float kLarge = 2;  ///< how much larger the letters of the result are

  explicit AnimationLayout(const Animation& animation);
  ~AnimationLayout();
  AnimationLayout(const AnimationLayout&) = delete;
  AnimationLayout& operator=(const AnimationLayout&) = delete;

  int height() const;  ///< in logical pixels
  AnimationSheet sheet(const AnimationStep& step, const TextMeasure& fonts);

 private:
  class Composition;
  std::unique_ptr<Composition> composition_;
};

/// The result in words: "1.44x faster", and what that is based on; if there is no factor, why.
struct AnimationResult {
  std::string headline;             ///< "1.44x faster"
  std::string basis;                ///< "per iteration, by elapsed time; 200 iterations each"
  std::array<std::string, 2> time;  ///< of an iteration, or of a sample if that is what the factor is about
  std::array<double, 2> ns{};       ///< the same as numbers; 0: not known
};
AnimationResult animation_result(const RunSnapshot& before, const RunSnapshot& after);

/// The Chinese characters it needs; only their glyphs are loaded.
ChineseTexts animation_letters(const Animation& animation);
/// The facts, for the file's comment: workload, device, simulated, the knob, and the result.
std::string animation_text(const Animation& animation);

}  // namespace lanescope::ui
