#include "render/magnifier.h"

#include "render/gl.h"

#include <algorithm>
#include <cmath>

#include "render/gl_state.h"

namespace lanescope::ui {

PixelArea magnified_part(float x, float y, float factor, int width, int height) {
  const auto begin = [factor](float at, int size) {
    const auto all = static_cast<float>(size);
    return std::clamp(at, 0.0f, all) * (1 - 1 / factor);
  };
  const float left = begin(x, width), top = begin(y, height);
  const auto whole = [](float px) { return static_cast<int>(std::lround(px)); };
  return {whole(left), whole(top), whole(left + static_cast<float>(width) / factor),
          whole(top + static_cast<float>(height) / factor)};
}

void Magnifier::apply(const PixelArea& part, int width, int height) {
  const GlStateGuard guard;
  GLint shown = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &shown);
  if (!copy_ || copy_->width() != width || copy_->height() != height) copy_.emplace(width, height);
  glDisable(GL_SCISSOR_TEST);
  copy_->bind();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(shown));
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  // OpenGL counts from the bottom.
  copy_->bind();
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(shown));
  glBlitFramebuffer(part.left, height - part.bottom, part.right, height - part.top, 0, 0, width, height,
                    GL_COLOR_BUFFER_BIT, GL_LINEAR);
}

}  // namespace lanescope::ui
