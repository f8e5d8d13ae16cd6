// The figures of two runs side by side, as plain rectangles and labels: for the window, and for pictures.
#pragma once

#include <string>
#include <vector>

#include "ui/compare/compare_bands.h"

namespace lanescope::ui {

/// What is said of A and B over their lanes: by how much an iteration differs, and where that went.
struct CompareWords {
  std::string headline, where;
  Colour colour = Colour::Text;
};
CompareWords compare_words(const RunSnapshot& a, const RunSnapshot* b);
inline constexpr float kWordsHeight = 56;  ///< at scale 1
void add_words(const CompareWords& words, const Theme& theme, const Fonts& fonts, float scale, const Rect& area,
               SpanBatch& out);

struct TableScene {
  const std::vector<DifferenceRow>& rows;
  bool has_b = false;
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
};
inline constexpr float kTableHead = 26, kTableRow = 24;  ///< at scale 1
/// With its head.
float table_height(const TableScene& scene);
/// Rows that are moved up by `scroll` pass below the head.
void add_table(const TableScene& scene, const Rect& area, float scroll, PictureSheet& sheet);

}  // namespace lanescope::ui
