// Renders one ImGui frame to an image, at any resolution.
#pragma once

#include <imgui.h>

#include <functional>

#include "io/png.h"
#include "render/fonts.h"
#include "timeline/theme.h"

namespace lanescope::ui {

// --- image texture ---------------------------------------------------------------------------------------------------
// An image as an OpenGL texture, for drawing with ImGui.

/// Belongs to the OpenGL context in which set() was called, and must be destroyed before it.
class ImageTexture {
 public:
  ImageTexture() = default;
  ~ImageTexture();
  ImageTexture(const ImageTexture&) = delete;
  ImageTexture& operator=(const ImageTexture&) = delete;

  /// Preserves the GL state. The image is filtered when drawn smaller.
  void set(const io::Image& image);
  void clear();
  bool empty() const { return texture_ == 0; }
  int width() const { return width_; }
  int height() const { return height_; }
  ImTextureID id() const;

 private:
  unsigned texture_ = 0;
  int width_ = 0, height_ = 0;
};

// --- imgui image -----------------------------------------------------------------------------------------------------

/// Runs `draw` in a separate ImGui context (with fonts, theme and OpenGL back end) with a display of `width` x `height`
/// logical pixels. Returns an image of width * scale x height * scale pixels; text and edges are crisp at any scale. An
/// OpenGL context must be current: the window's, or an OffscreenContext. Restores the ImGui context and the GL state,
/// even in the middle of a frame, and if `draw` throws.
///
/// Calls `draw` twice, because ImGui knows some sizes only in the second frame; only the second is kept. The background
/// is the theme's Ground. Chinese characters are limited to those in `chinese`.
io::Image render_imgui_offscreen(int width, int height, float scale, ThemeName theme,
                                 const std::function<void(const Fonts&)>& draw, const ChineseTexts& chinese = {});

/// Calls `use` with the fonts of a picture of that scale, for measuring text. Needs no OpenGL. Restores the ImGui
/// context.
void with_picture_fonts(float scale, const ChineseTexts& chinese, const std::function<void(const Fonts&)>& use);

}  // namespace lanescope::ui
