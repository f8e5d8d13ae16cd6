// Names from traces where ImGui gives parts of a text a meaning: "##" hides what follows, and "###" makes it the id.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace lanescope::ui {

/// The id of an item of the current window. As ImGui's own, except that "###" is part of the name.
ImGuiID imgui_id(std::string_view name);

/// A text for ImGui's labels, in which nothing is hidden: "a##b" is "a# #b".
std::string imgui_label(std::string_view text);

}  // namespace lanescope::ui
