#include <GLFW/glfw3.h>
#include <epoxy/egl.h>

#include <array>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "render/offscreen.h"

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

struct MadeContext {
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;
};

/// Creates an OpenGL 3.3 core context on an initialised display and makes it current.
bool make_context(EGLDisplay display, MadeContext& made) {
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
  made = MadeContext{};
  return false;
}

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
      MadeContext made;
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

}  // namespace lanescope::ui
