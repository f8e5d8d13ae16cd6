// Drawing without a window.
#pragma once

#include "io/png.h"

namespace lanescope::ui {

/// An OpenGL 3.3 core context of its own, current on this thread while it lives. Needs no display server. While a
/// window's context is current on the thread there can be no other: draw with that one.
class OffscreenContext {
 public:
  OffscreenContext();  ///< throws base::FileError
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  void make_current();

 private:
  void* display_ = nullptr;
  void* surface_ = nullptr;
  void* context_ = nullptr;
};

/// Whether this thread has an OpenGL context to draw with: a window's or an OffscreenContext.
bool gl_context_is_current();

/// A picture to draw into, in whichever context is current; with `samples` > 1 it is multisampled.
class Framebuffer {
 public:
  Framebuffer(int width, int height, int samples = 0);  ///< in pixels; throws base::FileError when too large
  ~Framebuffer();
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;

  /// What is drawn from here on goes into this picture, the viewport covers it.
  void bind();
  /// Opaque; the framebuffer that is bound stays bound.
  io::Image read();
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_, height_, samples_;
  unsigned framebuffer_ = 0, colour_ = 0;
};

/// Of the framebuffer that is bound for reading; `x` and `y` are OpenGL's, from the bottom left. Rows from the top,
/// alpha 255.
io::Image read_pixels(int x, int y, int width, int height);

}  // namespace lanescope::ui
