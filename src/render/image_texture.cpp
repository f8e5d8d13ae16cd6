#include "render/image_texture.h"

#include "render/gl.h"

#include <cstdint>

namespace lanescope::ui {

ImageTexture::~ImageTexture() { clear(); }

void ImageTexture::clear() {
  if (texture_ != 0) glDeleteTextures(1, &texture_);
  texture_ = 0;
}

void ImageTexture::set(const io::Image& image) {
  GLint before = 0, alignment_before = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &before);
  glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment_before);
  if (texture_ == 0) glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glPixelStorei(GL_UNPACK_ALIGNMENT, alignment_before);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
  width_ = image.width;
  height_ = image.height;
}

ImTextureID ImageTexture::id() const {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(texture_);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture_));
#endif
}

}  // namespace lanescope::ui
