// Both runs with their lanes and figures as a picture, PNG or SVG.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inspect/alignment.h"
#include "inspect/run_snapshot.h"
#include "picture/compare_bands.h"
#include "picture/picture.h"

namespace lanescope::ui {

// --- compare table ---------------------------------------------------------------------------------------------------
// The figures of two runs side by side, as plain rectangles and labels: for the window and for pictures.

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

// --- compare picture -------------------------------------------------------------------------------------------------

struct ComparePicture {
  SharedSnapshot a, b;
  CompareAlign align = CompareAlign::Iteration;
  /// In common time; empty: Alignment::first_view().
  std::pair<Nanoseconds, Nanoseconds> view{};
  ThemeName theme = ThemeName::Dark;
  int width = 1600;     ///< logical pixels
  float scale = 2;      ///< pixels per logical pixel
  bool caption = true;  ///< off: no title, settings and footer; simulated runs are still marked
  Colouring colouring{};
};

/// The layout of the picture. The picture and the fonts must outlive it.
class CompareLayout {
 public:
  CompareLayout(const ComparePicture& picture, const TextMeasure& fonts);
  ~CompareLayout();
  CompareLayout(const CompareLayout&) = delete;
  CompareLayout& operator=(const CompareLayout&) = delete;

  int height() const;        ///< in logical pixels
  PictureSize size() const;  ///< in pixels
  PictureSheet sheet();

 private:
  class Composition;
  std::unique_ptr<Composition> composition_;
  float scale_;
};

std::string compare_headline(const ComparePicture& picture);
/// The Chinese characters it needs; only their glyphs are loaded.
ChineseTexts compare_letters(const ComparePicture& picture);
/// For the PNG's text chunks and the SVG's metadata; includes the table as Markdown.
std::map<std::string, std::string> compare_picture_text(const ComparePicture& picture);

}  // namespace lanescope::ui
