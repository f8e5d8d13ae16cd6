#include "render/imgui_image.h"

#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <array>
#include <cfloat>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "render/gl_state.h"
#include "render/imgui_style.h"
#include "render/offscreen.h"

namespace lanescope::ui {
namespace {

/// An ImGui context with an OpenGL back end. Restores the previously current context.
class OwnImGui {
 public:
  OwnImGui() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    has_back_end_ = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!has_back_end_) {
      close();
      throw base::FileError(base::tr("no OpenGL 3.3: Dear ImGui cannot draw with this OpenGL"));
    }
  }
  ~OwnImGui() { close(); }
  OwnImGui(const OwnImGui&) = delete;
  OwnImGui& operator=(const OwnImGui&) = delete;

 private:
  void close() {
    ImGui::SetCurrentContext(context_);
    if (has_back_end_) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before_);
  }

  ImGuiContext* before_;
  ImGuiContext* context_;
  bool has_back_end_ = false;
};

}  // namespace

io::Image render_imgui_offscreen(int width, int height, float scale, ThemeName theme_name,
                                 const std::function<void(const Fonts&)>& draw, const ChineseTexts& chinese) {
  const GlStateGuard guard;
  Framebuffer picture(static_cast<int>(std::lround(static_cast<float>(width) * scale)),
                      static_cast<int>(std::lround(static_cast<float>(height) * scale)));
  const OwnImGui own;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(scale, scale);
  io.DeltaTime = 1.0f / 60;
  io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
  const Fonts fonts = load_fonts(*io.Fonts, scale, scale, chinese);
  io.FontDefault = fonts.body;
  const Theme& colours = theme(theme_name);
  apply_to_imgui(colours, 1);
  set_text_density(scale);

  for (int frame = 0; frame < 2; ++frame) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    try {
      draw(fonts);
    } catch (...) {
      ImGui::EndFrame();
      throw;
    }
    ImGui::Render();
  }
  picture.bind();
  glDisable(GL_SCISSOR_TEST);
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(colours[Colour::Ground]);
  const std::array<GLfloat, 4> opaque{ground.x, ground.y, ground.z, 1};
  glClearBufferfv(GL_COLOR, 0, opaque.data());
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  return picture.read();
}

void with_picture_fonts(float scale, const ChineseTexts& chinese, const std::function<void(const Fonts&)>& use) {
  class Context {
   public:
    Context() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
      ImGui::SetCurrentContext(context_);
    }
    ~Context() {
      ImGui::DestroyContext(context_);
      ImGui::SetCurrentContext(before_);
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

   private:
    ImGuiContext* before_;
    ImGuiContext* context_;
  };
  const Context context;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;  // glyphs are loaded on demand
#endif
  use(load_fonts(*io.Fonts, scale, scale, chinese));
}

}  // namespace lanescope::ui
