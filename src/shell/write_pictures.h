// Pictures that the user requested: drawn at once, written in the background.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "io/png.h"
#include "shell/picture_state.h"

namespace lanescope::ui {

struct ShellState;

/// A picture that has been drawn but not encoded yet; encoding needs no OpenGL and may take a second.
struct DrawnPicture {
  io::Image image;
  std::string svg;  ///< used instead of `image` if not empty
  std::map<std::string, std::string> text;

  void write(const std::filesystem::path& path) const;
};

/// What the window shows, as the text in its picture.
std::map<std::string, std::string> window_text(const ShellState& state);
/// "window", "timeline", "selection", "comparison": for a file's name.
const char* picture_subject_word(PictureSubject subject);
/// Needs the GL context. Throws what the drawing throws.
DrawnPicture draw_as(ShellState& state, const PictureChoices& choices, const PictureMoment& moment,
                     PictureFormat format);
/// Writes in the background; the result's message goes through `pictures.writing`.
void write_beside(PictureState& pictures, const std::filesystem::path& path, DrawnPicture drawn);
/// Copies to the clipboard or, if that is not possible, to a file.
void copy_picture(ShellState& state, const PictureChoices& choices, const PictureMoment& moment);
/// A path in the picture folder that neither exists nor is about to be written.
std::filesystem::path free_picture_name(const ShellState& state, const char* what, const char* extension);
/// The path typed for "Save as": "~/a" in the home folder, "a" in the picture folder; adds a missing extension. Throws
/// base::UsageError if nothing is typed.
std::filesystem::path typed_picture_path(const ShellState& state);
/// After a frame: carries out the panel's request, updates its preview, and reports finished files. Needs the GL
/// context.
void work_on_pictures(ShellState& state);

}  // namespace lanescope::ui
