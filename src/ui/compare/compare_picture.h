// Both runs with their lanes and figures as a picture of its own, PNG or SVG.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "io/png.h"
#include "ui/compare/alignment.h"
#include "ui/compare/run_snapshot.h"
#include "ui/picture.h"

namespace lanescope::ui {

struct ComparePicture {
  SharedSnapshot a, b;
  CompareAlign align = CompareAlign::Iteration;
  /// In the common time; empty: Alignment::first_view().
  std::pair<Nanoseconds, Nanoseconds> view{};
  ThemeName theme = ThemeName::Dark;
  int width = 1600;     ///< logical pixels
  float scale = 2;      ///< pixels per logical pixel
  bool caption = true;  ///< off: without title, settings and foot; what is simulated says so all the same
};

PictureSize compare_picture_size(const ComparePicture& picture);
/// Needs a current OpenGL context, or makes one without a window. Throws base::FileError when there is none, and what
/// check_picture() throws for a scale that is out of range or too large.
io::Image draw_compare_picture(const ComparePicture& picture);
std::string draw_compare_svg(const ComparePicture& picture);
/// A file of the one kind or the other, by its ending.
void write_compare_picture(const std::filesystem::path& path, const ComparePicture& picture);
/// For the PNG's text chunks and the SVG's metadata: the table too, as Markdown.
std::map<std::string, std::string> compare_picture_text(const ComparePicture& picture);

}  // namespace lanescope::ui
