// Draws pictures to files and pixels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "experiment/sweep.h"
#include "io/png.h"
#include "picture/compare_picture.h"
#include "picture/picture.h"
#include "picture/svg.h"
#include "picture/sweep_chart.h"
#include "render/fonts.h"
#include "timeline/span_batch.h"
#include "timeline/theme.h"

struct ImDrawList;

namespace lanescope::ui {

/// Uses the current OpenGL context, or creates one without a window. Throws base::FileError without OpenGL, and like
/// check_picture().
io::Image draw_picture(const PictureRequest& request);
/// The same as SVG, without OpenGL. The scale only sets its nominal size.
std::string draw_picture_svg(const PictureRequest& request);
/// Writes PNG or SVG, depending on the file's extension, with the facts of picture_text(). Throws base::FileError.
void write_picture(const std::filesystem::path& path, const PictureRequest& request);
/// One SVG for both themes, see themed_svg().
ThemedSvg draw_themed_svg(const PictureRequest& request, std::string_view prefix, std::string_view alt);

PictureSize compare_picture_size(const ComparePicture& picture);
/// Uses the current OpenGL context, or creates one without a window. Throws base::FileError without OpenGL, and like
/// check_picture_size().
io::Image draw_compare_picture(const ComparePicture& picture);
std::string draw_compare_svg(const ComparePicture& picture);
void write_compare_picture(const std::filesystem::path& path, const ComparePicture& picture);

// --- draw sweep chart ------------------------------------------------------------------------------------------------
// The chart of a sweep, possibly incomplete: a line for one axis; for two axes a heat map or, if the first has a few
// non-numeric values (pinned or not), one line per value.

struct SweepChart {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  const SweepTexts& texts;
  std::optional<std::size_t> marked;  ///< a point to highlight
};

/// Draws to `area`, in logical pixels; `scale` is the font scale. Returns the point at `mouse_x`, `mouse_y`, if any.
std::optional<std::size_t> draw_sweep_chart(ImDrawList& list, const Fonts& fonts, const Theme& theme, float scale,
                                            const SweepChart& chart, const Rect& area, float mouse_x, float mouse_y);

// --- sweep picture ---------------------------------------------------------------------------------------------------
// The chart of a sweep as a picture.

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
