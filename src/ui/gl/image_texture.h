// A picture in the memory of OpenGL, for ImGui to draw.
#pragma once

#include <imgui.h>

#include "io/png.h"

namespace lanescope::ui {

/// Belongs to the OpenGL context in which set() is called; destroy it before that goes.
class ImageTexture {
 public:
  ImageTexture() = default;
  ~ImageTexture();
  ImageTexture(const ImageTexture&) = delete;
  ImageTexture& operator=(const ImageTexture&) = delete;

  /// The GL state is afterwards as it was. Drawn smaller it stays smooth.
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
