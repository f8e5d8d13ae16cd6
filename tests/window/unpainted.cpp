#include "window/unpainted.h"

namespace lanescope::ui_test {

static int unpainted_alive = 0, painted_alive = 0;
#ifdef LANESCOPE_TSAN
constexpr bool kPaintRarely = true;
#else
constexpr bool kPaintRarely = false;
#endif

Unpainted::Unpainted() { ++unpainted_alive; }
Unpainted::~Unpainted() { --unpainted_alive; }
Painted::Painted() { ++painted_alive; }
Painted::~Painted() { --painted_alive; }

// The linker's --wrap gives this name to every call of ImGui_ImplOpenGL3_RenderDrawData (tests/CMakeLists.txt).
extern "C" {
void __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(void* data);
void __wrap__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(void* data);
void __wrap__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(void* data) {
  static unsigned calls = 0;
  const bool rarely = unpainted_alive > 0 || (kPaintRarely && painted_alive == 0);
  if (!rarely || ++calls % 50 == 0) __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(data);
}
}

}  // namespace lanescope::ui_test
