// The chart of a sweep as a picture.
#pragma once

#include <map>
#include <span>
#include <string>

#include "experiment/sweep.h"
#include "io/png.h"
#include "timeline/theme.h"

namespace lanescope::ui {

struct SweepPicture {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  std::string unit;      ///< of the values
  std::string headline;  ///< empty: the workload's title
  ThemeName theme = ThemeName::Dark;
  float scale = 2;  ///< pixels per logical pixel: 1 to 4
};

/// Uses the current OpenGL context, or creates one without a window. Throws base::FileError without OpenGL.
io::Image draw_sweep_picture(const SweepPicture& picture);
/// The facts for the PNG's text chunks.
std::map<std::string, std::string> sweep_picture_text(const SweepPicture& picture);

}  // namespace lanescope::ui
