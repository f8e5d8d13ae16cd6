// Draws pictures to files and pixels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/png.h"
#include "picture/compare_picture.h"
#include "picture/picture.h"
#include "picture/svg.h"

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

}  // namespace lanescope::ui
