// OpenGL's functions: 3.3 core, or ES 3.0 in the browser, where they are WebGL's. Include it before GLFW, which must
// not bring a header of its own.
#pragma once

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#define GLFW_INCLUDE_NONE
#else
#include <epoxy/gl.h>
#endif
