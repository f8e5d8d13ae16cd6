#include "render/gl_state.h"

namespace lanescope::ui {
namespace {

GLint value(GLenum name) {
  GLint result = 0;
  glGetIntegerv(name, &result);
  return result;
}

}  // namespace

GlStateGuard::GlStateGuard()
    : active_texture_(value(GL_ACTIVE_TEXTURE)),
      program_(value(GL_CURRENT_PROGRAM)),
      vertex_array_(value(GL_VERTEX_ARRAY_BINDING)),
      array_buffer_(value(GL_ARRAY_BUFFER_BINDING)),
      draw_framebuffer_(value(GL_DRAW_FRAMEBUFFER_BINDING)),
      read_framebuffer_(value(GL_READ_FRAMEBUFFER_BINDING)),
      blend_source_(value(GL_BLEND_SRC_RGB)),
      blend_destination_(value(GL_BLEND_DST_RGB)),
      blend_source_alpha_(value(GL_BLEND_SRC_ALPHA)),
      blend_destination_alpha_(value(GL_BLEND_DST_ALPHA)),
      blend_equation_(value(GL_BLEND_EQUATION_RGB)),
      blend_equation_alpha_(value(GL_BLEND_EQUATION_ALPHA)),
      switches_{{{GL_BLEND, GL_FALSE},
                 {GL_CULL_FACE, GL_FALSE},
                 {GL_DEPTH_TEST, GL_FALSE},
                 {GL_STENCIL_TEST, GL_FALSE},
                 {GL_SCISSOR_TEST, GL_FALSE}}} {
  glActiveTexture(GL_TEXTURE0);
  texture_ = value(GL_TEXTURE_BINDING_2D);
  glGetIntegerv(GL_VIEWPORT, viewport_.data());
  glGetIntegerv(GL_SCISSOR_BOX, scissor_.data());
  for (Switch& s : switches_) s.on = glIsEnabled(s.name);
}

GlStateGuard::~GlStateGuard() {
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
  glActiveTexture(static_cast<GLenum>(active_texture_));
  glUseProgram(static_cast<GLuint>(program_));
  glBindVertexArray(static_cast<GLuint>(vertex_array_));
  glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(array_buffer_));
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
  glBlendFuncSeparate(static_cast<GLenum>(blend_source_), static_cast<GLenum>(blend_destination_),
                      static_cast<GLenum>(blend_source_alpha_), static_cast<GLenum>(blend_destination_alpha_));
  glBlendEquationSeparate(static_cast<GLenum>(blend_equation_), static_cast<GLenum>(blend_equation_alpha_));
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  glScissor(scissor_[0], scissor_[1], scissor_[2], scissor_[3]);
  for (const Switch& s : switches_) {
    if (s.on == GL_TRUE) {
      glEnable(s.name);
    } else {
      glDisable(s.name);
    }
  }
}

}  // namespace lanescope::ui
