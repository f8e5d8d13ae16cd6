// An image as an OpenGL texture, for drawing with ImGui.
#pragma once

#include <imgui.h>

#include "io/png.h"

namespace lanescope::ui {

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

}  // namespace lanescope::ui
