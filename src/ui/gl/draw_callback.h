// What the renderers share when they draw between ImGui's own commands.
#pragma once

#include "ui/gl/draw_target.h"

struct ImDrawCmd;

namespace lanescope::ui {

float framebuffer_width(const DrawTarget& target);
float framebuffer_height(const DrawTarget& target);

/// Viewport over the whole target, scissor at `clip`, blending of premultiplied colours. False when nothing of `clip`
/// is on the target.
bool set_up_drawing(const Rect& clip, const DrawTarget& target);

/// Inside an ImGui draw callback: the clip rectangle of its command, and what ImGui draws into.
Rect callback_clip(const ImDrawCmd& command);
DrawTarget callback_target();

}  // namespace lanescope::ui
