// Draws the window as a picture, at a different scale or in a different theme than on the screen.
#include "render/gl.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "model/lesson/lesson_letters.h"
#include "picture/words.h"
#include "render/gl_state.h"
#include "render/imgui_style.h"
#include "render/offscreen.h"
#include "window/screen.h"

namespace lanescope::ui {
namespace {

// Hides the picture panel in its own picture. Returns the overlay that was open.
std::optional<Overlay> without_picture_panel(std::optional<Overlay>& open) {
  const std::optional<Overlay> before = open;
  if (open == Overlay::Picture) open.reset();
  return before;
}

// Saves the state that is changed for the picture.
struct Put {
  ShellState& state;
  ThemeName theme = state.preferences.theme;
  std::optional<Toast> toast = std::exchange(state.toast, std::nullopt);
  std::optional<Overlay> overlay = without_picture_panel(state.overlays.open);
  ImVec2 mouse = ImGui::GetIO().MousePos;
  ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;

  explicit Put(ShellState& s) : state(s) {}
  Put(const Put&) = delete;
  Put& operator=(const Put&) = delete;
  ~Put() {
    state.preferences.theme = theme;
    state.toast = std::move(toast);
    state.overlays.open = overlay;
    ImGui::GetIO().MousePos = mouse;
    ImGui::GetIO().DisplayFramebufferScale = density;
  }
};

void check_size(int width, int height, float scale) {
  if (!(scale >= kLeastPictureScale && scale <= kMostPictureScale)) {
    throw base::UsageError(
        base::tr("a picture's scale is {}; allowed: {} to {}", scale, kLeastPictureScale, kMostPictureScale));
  }
  if (width <= kMostPictureSide && height <= kMostPictureSide && std::int64_t{width} * height <= kMostPicturePixels) {
    return;
  }
  throw base::FileError(base::tr("a picture of {} x {} pixels is too large; allowed: {} each way and {} million in all",
                                 width, height, kMostPictureSide, kMostPicturePixels / 1'000'000));
}

}  // namespace

// The same ImGui context draws one more frame, so that everything is open and scrolled as on the screen; it uses fonts
// at the picture's own size, for sharp letters.
io::Image Screen::paint(float scale, ThemeName name) {
  ShellState& state = shell_->state();
  ImGuiIO& io = ImGui::GetIO();
  const auto whole = [&](float points, float density) {
    return static_cast<int>(std::lround(points * density * scale));
  };
  const int width = whole(io.DisplaySize.x, io.DisplayFramebufferScale.x);
  const int height = whole(io.DisplaySize.y, io.DisplayFramebufferScale.y);
  check_size(width, height, scale);
  const GlStateGuard guard;
  Framebuffer picture(width, height);
  const Put before(state);
  state.preferences.theme = name;
  io.MousePos = {-FLT_MAX, -FLT_MAX};
  io.DisplayFramebufferScale = {before.density.x * scale, before.density.y * scale};
  io.DeltaTime = 1e-4f;  // freezes animations

  io.Fonts->Clear();
  const Fonts fonts =
      load_fonts(*io.Fonts, state.scale() * scale, scale, window_letters(state.language(), missing_letters_.text()));
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
  apply_to_imgui(theme(name), state.scale());
  set_text_density(scale);
  fonts_scale_ = 0;  // the next frame reloads its own fonts

  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  shell_->draw(fonts);
  for (const auto& [area, colour] : shell_->grounds()) {
    ImGui::GetBackgroundDrawList()->AddRectFilled({area.x, area.y}, {area.x + area.width, area.y + area.height},
                                                  colour);
  }
  ImGui::Render();
  picture.bind();
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  set_text_density(1);
  return picture.read();
}

}  // namespace lanescope::ui
