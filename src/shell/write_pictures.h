// Pictures that a person asked for: drawn at once, written beside the drawing.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "io/png.h"
#include "shell/picture_state.h"

namespace lanescope::ui {

struct ShellState;

/// A picture that has been drawn and still has to become bytes, which needs no OpenGL and may take a second.
struct DrawnPicture {
  io::Image image;
  std::string svg;  ///< instead, where it is not empty
  std::map<std::string, std::string> text;

  void write(const std::filesystem::path& path) const;
};

/// What the window shows, for its picture's text.
std::map<std::string, std::string> window_text(const ShellState& state);
/// "window", "timeline", "selection", "comparison": for a file's name.
const char* picture_subject_word(PictureSubject subject);
/// Needs the GL context. Throws what the drawing throws.
DrawnPicture draw_as(ShellState& state, const PictureChoices& choices, const PictureMoment& moment,
                     PictureFormat format);
/// What is said when it is done goes into `pictures.writing`.
void write_beside(PictureState& pictures, const std::filesystem::path& path, DrawnPicture drawn);
/// Onto the clipboard, or, where that is not possible, into a file.
void copy_picture(ShellState& state, const PictureChoices& choices, const PictureMoment& moment);
/// In the picture folder, a name that is neither there nor about to be.
std::filesystem::path free_picture_name(const ShellState& state, const char* what, const char* extension);
/// Of "Save as": "~/a", "a" in the picture folder, "a" without an ending. Throws base::UsageError when nothing is
/// typed.
std::filesystem::path typed_picture_path(const ShellState& state);
/// After a frame: what the panel asked for, its preview, and what has been written meanwhile. Needs the GL context.
void work_on_pictures(ShellState& state);

}  // namespace lanescope::ui
