// One ImGui frame as a picture, at any resolution.
#pragma once

#include <functional>

#include "io/png.h"
#include "ui/fonts.h"
#include "ui/theme.h"

namespace lanescope::ui {

/// Runs `draw` in an ImGui context of its own (fonts, theme and OpenGL back end included) whose display is
/// `width` x `height` logical pixels, and returns width * scale x height * scale pixels of it; text and edges are crisp
/// at any scale. An OpenGL context must be current: the window's, or an OffscreenContext. The ImGui context and the GL
/// state that were current are current again afterwards, also in the middle of a frame and when `draw` throws.
///
/// `draw` is called twice, since ImGui knows the sizes of some things only in the second frame; only the second is
/// kept. The ground is the theme's Ground. Chinese letters are drawn as far as `chinese` has them.
io::Image render_imgui_offscreen(int width, int height, float scale, ThemeName theme,
                                 const std::function<void(const Fonts&)>& draw, const ChineseTexts& chinese = {});

/// Calls `use` with the fonts of a picture of that scale, to measure text with. Needs no OpenGL; the ImGui context that
/// was current is current again afterwards.
void with_picture_fonts(float scale, const ChineseTexts& chinese, const std::function<void(const Fonts&)>& use);

}  // namespace lanescope::ui
