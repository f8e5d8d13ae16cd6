// What is drawn over everything, and presentations. Each draws into the ImGui window that is current,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_picture_panel(const Canvas& canvas);
void draw_palette(const Canvas& canvas);
void draw_keys_panel(const Canvas& canvas);
/// The button that opens the menu, at the cursor, and the menu below it.
void draw_menu_button(const Canvas& canvas);
void draw_menu(const Canvas& canvas);
// What is open takes arrows, Enter and Escape: true when it took this key.
bool menu_key(ShellState& state, KeyChord chord);
bool palette_key(ShellState& state, KeyChord chord);
/// A window over everything, that nothing behind it can be hit, with a box drawn in it; ends with ImGui::End(). True
/// when it was clicked beside the box.
bool begin_sheet(const Canvas& canvas, const char* id, const Rect& box, bool shade = true);
/// A window in the middle, over everything, of its content's size.
void begin_overlay(const Canvas& canvas, const char* id);
void end_overlay();
/// Over everything: the list of keys, the first start's hints, the toast.
void draw_overlays(const Canvas& canvas);
/// Presentation: what stands over and under the lanes.
float presentation_height(const Canvas& canvas);
void draw_presentation_top(const Canvas& canvas);
void draw_presentation_bar(const Canvas& canvas);

}  // namespace lanescope::ui
