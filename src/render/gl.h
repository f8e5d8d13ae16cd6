// OpenGL's functions: 3.3 core, or ES 3.0 in the browser, where they are WebGL's. GLFW brings no header of its own:
// GLFW_INCLUDE_NONE is defined for all.
#pragma once

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif
