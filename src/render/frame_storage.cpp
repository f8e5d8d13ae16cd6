#include "render/frame_storage.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <unordered_map>
#include <vector>

namespace lanescope::ui {
namespace {

struct Kept {
  int frame = -1;
  std::vector<std::shared_ptr<void>> items;
};

// By context, because a picture may be drawn in its own context during the window's frame.
std::unordered_map<ImGuiContext*, Kept>& storage() {
  static std::unordered_map<ImGuiContext*, Kept> contexts;
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
  Kept& kept = entry->second;
  if (kept.frame != ImGui::GetFrameCount()) {
    kept.frame = ImGui::GetFrameCount();
    kept.items.clear();
  }
  kept.items.push_back(std::move(item));
}

}  // namespace lanescope::ui
