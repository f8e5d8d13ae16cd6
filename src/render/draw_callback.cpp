#include "render/draw_callback.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "render/gl.h"

namespace lanescope::ui {

float framebuffer_width(const DrawTarget& target) { return std::round(target.width * target.scale); }
float framebuffer_height(const DrawTarget& target) { return std::round(target.height * target.scale); }

bool set_up_drawing(const Rect& clip, const DrawTarget& target) {
  const float width = framebuffer_width(target), height = framebuffer_height(target);
  // Rounded like in ImGui's back end, so that both clip alike.
  const float left = std::floor(std::max(clip.x * target.scale, 0.0f));
  const float top = std::floor(std::max(clip.y * target.scale, 0.0f));
  const float right = std::floor(std::min((clip.x + clip.width) * target.scale, width));
  const float bottom = std::floor(std::min((clip.y + clip.height) * target.scale, height));
  if (!(right > left) || !(bottom > top)) return false;

  glViewport(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(left), static_cast<GLint>(height - bottom), static_cast<GLsizei>(right - left),
            static_cast<GLsizei>(bottom - top));
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_STENCIL_TEST);
  return true;
}

Rect callback_clip(const ImDrawCmd& command) {
  const ImVec2 origin = ImGui::GetDrawData()->DisplayPos;
  const ImVec4& clip = command.ClipRect;
  return {clip.x - origin.x, clip.y - origin.y, clip.z - clip.x, clip.w - clip.y};
}

DrawTarget callback_target() {
  const ImDrawData& data = *ImGui::GetDrawData();
  return {data.DisplaySize.x, data.DisplaySize.y, data.FramebufferScale.y};
}

// --- frame storage ---------------------------------------------------------------------------------------------------

namespace {

struct KeptForFrame {
  int frame = -1;
  std::vector<std::shared_ptr<void>> items;
};

// By context, because a picture may be drawn in its own context during the window's frame.
std::unordered_map<ImGuiContext*, KeptForFrame>& storage() {
  static std::unordered_map<ImGuiContext*, KeptForFrame> contexts;
  return contexts;
}

void forget(ImGuiContext* context, ImGuiContextHook*) { storage().erase(context); }

}  // namespace

void keep_until_next_frame(std::shared_ptr<void> item) {
  ImGuiContext* context = ImGui::GetCurrentContext();
  const auto [entry, is_new] = storage().try_emplace(context);
  if (is_new) {
    ImGuiContextHook hook;
    hook.Type = ImGuiContextHookType_Shutdown;
    hook.Callback = forget;
    ImGui::AddContextHook(context, &hook);
  }
  KeptForFrame& kept = entry->second;
  if (kept.frame != ImGui::GetFrameCount()) {
    kept.frame = ImGui::GetFrameCount();
    kept.items.clear();
  }
  kept.items.push_back(std::move(item));
}

}  // namespace lanescope::ui
