#include "render/imgui_image.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/translate.h"
#include "render/gl.h"
#include "render/gl_state.h"
#include "render/imgui_style.h"
#include "render/offscreen.h"

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

// --- imgui image -----------------------------------------------------------------------------------------------------

namespace {

/// Makes an ImGui context the current one, and restores the one before.
class CurrentImGui {
 public:
  explicit CurrentImGui(ImGuiContext* context) : before_(ImGui::GetCurrentContext()) {
    ImGui::SetCurrentContext(context);
  }
  ~CurrentImGui() { ImGui::SetCurrentContext(before_); }
  CurrentImGui(const CurrentImGui&) = delete;
  CurrentImGui& operator=(const CurrentImGui&) = delete;

 private:
  ImGuiContext* before_;
};

/// The first context that is created becomes the current one; this one does not.
ImGuiContext* new_context() {
  const CurrentImGui restored(ImGui::GetCurrentContext());
  return ImGui::CreateContext();
}

/// An ImGui context with an OpenGL back end.
class OwnImGui {
 public:
  OwnImGui() : context_(new_context()) {
    const CurrentImGui current(context_);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    has_back_end_ = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!has_back_end_) {
      close();
      throw base::FileError(base::tr("no OpenGL 3.3: Dear ImGui cannot draw with this OpenGL"));
    }
  }
  ~OwnImGui() {
    const CurrentImGui current(context_);
    close();
  }
  OwnImGui(const OwnImGui&) = delete;
  OwnImGui& operator=(const OwnImGui&) = delete;

  ImGuiContext* context() const { return context_; }

 private:
  void close() {
    if (has_back_end_) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context_);
  }

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
  const CurrentImGui current(own.context());
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
  const std::unique_ptr<ImGuiContext, decltype(&ImGui::DestroyContext)> context(new_context(), &ImGui::DestroyContext);
  const CurrentImGui current(context.get());
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;  // glyphs are loaded on demand
#endif
  use(load_fonts(*io.Fonts, scale, scale, chinese));
}

}  // namespace lanescope::ui
