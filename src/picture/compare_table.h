// The figures of two runs side by side, as plain rectangles and labels: for the window and for pictures.
#pragma once

#include <string>
#include <vector>

#include "picture/compare_bands.h"

namespace lanescope::ui {

/// The statement about A and B above their lanes: the difference of an iteration, and where it comes from.
struct CompareWords {
  std::string headline, where;
  Colour colour = Colour::Text;
};
CompareWords compare_words(const RunSnapshot& a, const RunSnapshot* b);
inline constexpr float kWordsHeight = 56;  ///< at scale 1
void add_words(const CompareWords& words, const Theme& theme, const TextMeasure& fonts, float scale, const Rect& area,
               SpanBatch& out);

struct TableScene {
  const std::vector<DifferenceRow>& rows;
  bool has_b = false;
  const Theme& theme;
  const TextMeasure& fonts;
  float scale = 1;
};
inline constexpr float kTableHead = 26, kTableRow = 24;  ///< at scale 1
/// The height including the header.
float table_height(const TableScene& scene);
/// Rows are moved up by `scroll` and pass below the header.
void add_table(const TableScene& scene, const Rect& area, float scroll, PictureSheet& sheet);

}  // namespace lanescope::ui
