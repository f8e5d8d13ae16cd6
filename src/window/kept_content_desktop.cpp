#include "window/kept_content.h"

#include "render/gl.h"
// First: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace lanescope::ui {

bool keeps_content(GLFWwindow* window) {
  const auto* const name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer = name ? name : "";
  if (renderer.find("llvmpipe") == std::string_view::npos && renderer.find("softpipe") == std::string_view::npos) {
    return false;
  }
  // More swaps than there are buffers that could take turns; the colours can hardly be told apart.
  for (int i = 0; i < 4; ++i) {
    const float shade = static_cast<float>(12 + i) / 255;
    glClearColor(shade, shade, shade, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    std::array<std::uint8_t, 4> drawn{}, kept{};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, drawn.data());
    glfwSwapBuffers(window);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, kept.data());
    if (kept != drawn) return false;
  }
  return true;
}

}  // namespace lanescope::ui
