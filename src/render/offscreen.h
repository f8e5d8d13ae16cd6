// OpenGL without a window.
#pragma once

#include "io/png.h"

namespace lanescope::ui {

/// A separate OpenGL 3.3 core context, current on this thread during its lifetime. Needs no display server. If a
/// window's context is current on the thread, use that one instead.
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

/// True if this thread has a current OpenGL context: a window's or an OffscreenContext.
bool gl_context_is_current();

/// An off-screen framebuffer in the current context; multisampled if `samples` > 1.
class Framebuffer {
 public:
  Framebuffer(int width, int height, int samples = 0);  ///< in pixels; throws base::FileError if too large
  ~Framebuffer();
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;

  /// Binds it as the target for drawing and sets the viewport to cover it.
  void bind();
  /// Reads the image as opaque. The bound framebuffer does not change.
  io::Image read();

 private:
  int width_, height_, samples_;
  unsigned framebuffer_ = 0, colour_ = 0;
};

/// Reads from the framebuffer bound for reading; `x` and `y` are OpenGL's, from the bottom left. Rows from the top,
/// alpha 255.
io::Image read_pixels(int x, int y, int width, int height);

}  // namespace lanescope::ui
