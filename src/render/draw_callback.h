// Common code of renderers that draw between ImGui's own commands.
#pragma once

#include "render/draw_target.h"

struct ImDrawCmd;

namespace lanescope::ui {

float framebuffer_width(const DrawTarget& target);
float framebuffer_height(const DrawTarget& target);

/// Sets the viewport to the whole target, the scissor to `clip`, and blending for premultiplied colours. Returns false
/// if `clip` is outside the target.
bool set_up_drawing(const Rect& clip, const DrawTarget& target);

/// For use in an ImGui draw callback: the clip rectangle of its command, and the target that ImGui draws to.
Rect callback_clip(const ImDrawCmd& command);
DrawTarget callback_target();

}  // namespace lanescope::ui
