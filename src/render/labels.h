// Draws a batch's labels with ImGui.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

#include "render/fonts.h"
#include "timeline/span_batch.h"

struct ImDrawList;

namespace lanescope::ui {

/// Clips to the draw list's current clip rectangle; labels outside it cost nothing.
void draw_labels(ImDrawList& list, const Fonts& fonts, std::span<const Label> labels);

// --- imgui names -----------------------------------------------------------------------------------------------------
// Names from traces where ImGui gives parts of a text a meaning: "##" hides what follows, and "###" makes it the id.

/// The id of an item of the current window. As ImGui's own, except that "###" is part of the name.
ImGuiID imgui_id(std::string_view name);

/// A text for ImGui's labels, in which nothing is hidden: "a##b" is "a# #b".
std::string imgui_label(std::string_view text);

// --- ribbons ---------------------------------------------------------------------------------------------------------
// Draws the ribbons between the bands of several GPUs.

void draw_ribbons(ImDrawList& list, std::span<const JobRibbon> ribbons, float stroke);

}  // namespace lanescope::ui
