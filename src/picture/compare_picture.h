// Both runs with their lanes and figures as a picture, PNG or SVG.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "inspect/alignment.h"
#include "inspect/run_snapshot.h"
#include "picture/picture.h"

namespace lanescope::ui {

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
