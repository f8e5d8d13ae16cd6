// Saves and restores OpenGL state.
#pragma once

#include "render/gl.h"

#include <array>

namespace lanescope::ui {

/// Saves the state that the renderers and the offscreen pictures change, and restores it in the destructor. Meanwhile,
/// texture unit 0 is active.
class GlStateGuard {
 public:
  GlStateGuard();
  ~GlStateGuard();
  GlStateGuard(const GlStateGuard&) = delete;
  GlStateGuard& operator=(const GlStateGuard&) = delete;

 private:
  struct Switch {
    GLenum name;
    GLboolean on;
  };

  GLint active_texture_ = 0, texture_ = 0;
  GLint program_ = 0, vertex_array_ = 0, array_buffer_ = 0, draw_framebuffer_ = 0, read_framebuffer_ = 0;
  GLint blend_source_ = 0, blend_destination_ = 0, blend_source_alpha_ = 0, blend_destination_alpha_ = 0;
  GLint blend_equation_ = 0, blend_equation_alpha_ = 0;
  std::array<GLint, 4> viewport_{}, scissor_{};
  std::array<Switch, 5> switches_;
};

}  // namespace lanescope::ui
