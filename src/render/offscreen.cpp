#include "render/offscreen.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "render/gl_state.h"

namespace lanescope::ui {
namespace {

/// Displays that need no server, simplest first; the default display may use a pbuffer.
std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> displays;
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) {
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
      displays.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr));
    }
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration")) {
      std::array<EGLDeviceEXT, 8> devices{};
      EGLint count = 0;
      if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_TRUE) {
        for (EGLint i = 0; i < count; ++i) {
          displays.push_back(
              eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
        }
      }
    }
  }
  displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return displays;
}

struct Made {
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;
};

/// Creates an OpenGL 3.3 core context on an initialised display and makes it current.
bool make_context(EGLDisplay display, Made& made) {
  const bool surfaceless = epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context");
  const std::array<EGLint, 13> wanted{EGL_SURFACE_TYPE,
                                      surfaceless ? 0 : EGL_PBUFFER_BIT,
                                      EGL_RENDERABLE_TYPE,
                                      EGL_OPENGL_BIT,
                                      EGL_RED_SIZE,
                                      8,
                                      EGL_GREEN_SIZE,
                                      8,
                                      EGL_BLUE_SIZE,
                                      8,
                                      EGL_ALPHA_SIZE,
                                      8,
                                      EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return false;
  if (eglChooseConfig(display, wanted.data(), &config, 1, &count) != EGL_TRUE || count == 0) return false;
  const std::array<EGLint, 7> version{
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  made.context = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
  if (made.context == EGL_NO_CONTEXT) return false;
  if (!surfaceless) {
    const std::array<EGLint, 5> size{EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    made.surface = eglCreatePbufferSurface(display, config, size.data());
  }
  if (eglMakeCurrent(display, made.surface, made.surface, made.context) == EGL_TRUE) return true;
  if (made.surface != EGL_NO_SURFACE) eglDestroySurface(display, made.surface);
  eglDestroyContext(display, made.context);
  made = Made{};
  return false;
}

std::string dimensions(int width, int height) { return std::to_string(width) + " x " + std::to_string(height); }

}  // namespace

OffscreenContext::OffscreenContext() {
  if (glfwGetCurrentContext() != nullptr) {
    throw base::FileError(base::tr("no offscreen OpenGL context: a window's context is in use on this thread"));
  }
  // Without libEGL, epoxy would end the program, so check first.
  if (epoxy_has_egl()) {
    for (EGLDisplay display : candidate_displays()) {
      // Repeated initialisation does nothing, and the display is never terminated: Mesa would unload its driver and
      // load it again for the next picture.
      if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) continue;
      Made made;
      if (make_context(display, made)) {
        display_ = display;
        surface_ = made.surface;
        context_ = made.context;
        return;
      }
    }
  }
  throw base::FileError(base::tr("no OpenGL 3.3: EGL gives no offscreen context (is Mesa's libEGL installed?)"));
}

OffscreenContext::~OffscreenContext() {
  if (eglGetCurrentContext() == context_) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (surface_ != EGL_NO_SURFACE) eglDestroySurface(display_, surface_);
  eglDestroyContext(display_, context_);
}

void OffscreenContext::make_current() {
  if (eglMakeCurrent(display_, surface_, surface_, context_) != EGL_TRUE) {
    throw base::FileError(base::tr("the offscreen OpenGL context cannot be used on this thread"));
  }
}

bool gl_context_is_current() {
  return glfwGetCurrentContext() != nullptr || (epoxy_has_egl() && eglGetCurrentContext() != EGL_NO_CONTEXT);
}

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
