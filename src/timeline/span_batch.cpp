#include "timeline/span_batch.h"

namespace lanescope::ui {

std::optional<PlacedLabel> place_label(const TextMeasure& fonts, const Label& label) {
  constexpr int kFewest = 4, kFewestOfAName = 8;
  constexpr std::size_t kLongName = 24;
  constexpr float kMargin = 0.5f;  // of a line, on both sides together
  const float line = fonts.size(label.font);
  const bool may_stand = label.fit == LabelFit::Stand;
  const float margin = may_stand ? kMargin * line : 0;
  const int fewest = label.fit == LabelFit::Cut ? kFewest : kFewestOfAName;
  FittedText fitted = fit(fonts, label.font, label.text, label.max_width - margin, fewest);
  PlacedLabel placed;
  if (may_stand && fitted.cut) {
    const FittedText standing = fit(fonts, label.font, label.text, label.height - margin, fewest);
    placed.upright = !standing.cut;
    if (placed.upright) fitted = standing;
  }
  const bool may_be_cut = label.fit == LabelFit::Cut || (label.fit != LabelFit::Whole && label.text.size() > kLongName);
  if (fitted.shown.empty() || (fitted.cut && !may_be_cut)) return std::nullopt;
  placed.shown = fitted.shown;
  placed.cut = fitted.cut;
  placed.length = fitted.width;
  const float width = placed.upright ? line : fitted.width, height = placed.upright ? fitted.width : line;
  placed.x = label.x;
  if (label.align == LabelAlign::Centre) placed.x += (label.max_width - width) / 2;
  if (label.align == LabelAlign::Right) placed.x += label.max_width - width;
  placed.y = label.height > 0 ? label.y + (label.height - height) / 2 : label.y;
  return placed;
}

}  // namespace lanescope::ui
