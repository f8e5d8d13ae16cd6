#include "render/offscreen.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "render/gl_state.h"

namespace lanescope::ui {
namespace {

std::string dimensions(int width, int height) { return std::to_string(width) + " x " + std::to_string(height); }

}  // namespace

Framebuffer::Framebuffer(int width, int height, int samples) : width_(width), height_(height), samples_(samples) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
  if (width < 1 || height < 1 || width > largest || height > largest) {
    throw base::FileError(base::tr("a picture of {} pixels is not possible; allowed: 1 to {} each way",
                                   dimensions(width, height), largest));
  }
  GLint before = 0, renderbuffer_before = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
  glGetIntegerv(GL_RENDERBUFFER_BINDING, &renderbuffer_before);
  glGenFramebuffers(1, &framebuffer_);
  glGenRenderbuffers(1, &colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, colour_);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples > 1 ? samples : 0, GL_RGBA8, width, height);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  const bool complete = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(before));
  glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(renderbuffer_before));
  if (!complete) {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
    throw base::FileError(base::tr("OpenGL has no memory for a picture of {} pixels", dimensions(width, height)));
  }
}

Framebuffer::~Framebuffer() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &colour_);
}

void Framebuffer::bind() {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width_, height_);
}

io::Image Framebuffer::read() {
  const GlStateGuard guard;
  if (samples_ > 1) {
    // Pixels of a multisampled framebuffer cannot be read, so resolve it to a plain one first.
    Framebuffer plain(width_, height_);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain.framebuffer_);
    glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    return plain.read();
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  return read_pixels(0, 0, width_, height_);
}

io::Image read_pixels(int x, int y, int width, int height) {
  io::Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 4)};
  GLint alignment_before = 0, row_before = 0, pack_before = 0;
  glGetIntegerv(GL_PACK_ALIGNMENT, &alignment_before);
  glGetIntegerv(GL_PACK_ROW_LENGTH, &row_before);
  glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &pack_before);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glReadPixels(x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  glPixelStorei(GL_PACK_ALIGNMENT, alignment_before);
  glPixelStorei(GL_PACK_ROW_LENGTH, row_before);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, static_cast<GLuint>(pack_before));

  const auto row_bytes = static_cast<std::ptrdiff_t>(width) * 4;
  for (int top = 0, bottom = height - 1; top < bottom; ++top, --bottom) {
    const auto upper = image.pixels.begin() + row_bytes * top;
    std::swap_ranges(upper, upper + row_bytes, image.pixels.begin() + row_bytes * bottom);
  }
  for (std::size_t i = 3; i < image.pixels.size(); i += 4) image.pixels[i] = 255;
  return image;
}

}  // namespace lanescope::ui
