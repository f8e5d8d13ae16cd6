// Overlays and presentations. Each function draws into the current ImGui window, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_picture_panel(const Canvas& canvas);
void draw_palette(const Canvas& canvas);
void draw_file_dialog(const Canvas& canvas);
void draw_attach_dialog(const Canvas& canvas);
/// The button that opens the menu, at the cursor, and the menu below it.
void draw_menu_button(const Canvas& canvas);
void draw_menu(const Canvas& canvas);
// An open menu, palette or file dialog takes arrows, Enter and Escape: true if it took this key.
/// Keys of the overlay that is open; true: it has taken the key, and nothing else gets it.
bool overlay_key(ShellState& state, KeyChord chord);
bool menu_key(ShellState& state, KeyChord chord);
bool palette_key(ShellState& state, KeyChord chord);
bool file_dialog_key(ShellState& state, KeyChord chord);
bool attach_dialog_key(ShellState& state, KeyChord chord);
/// Begins a window over everything, so that nothing behind it can be clicked, with a box drawn in it; end it with
/// ImGui::End(). True if the user clicked outside the box.
bool begin_sheet(const Canvas& canvas, const char* id, const Rect& box, bool shade = true);
/// Begins a centred window over everything, sized to its content.
void begin_overlay(const Canvas& canvas, const char* id);
void end_overlay();
/// The first minute's card.
void draw_tour(const Canvas& canvas);
/// Drawn over everything: the list of keys, the first minute, the toast.
void draw_overlays(const Canvas& canvas);
/// Presentation: the bars above and below the lanes.
float presentation_height(const Canvas& canvas);
void draw_presentation_top(const Canvas& canvas);
/// The same without a lesson: the switch and the factor above the lanes, a sentence below them.
void draw_stage_top(const Canvas& canvas);
void draw_stage_bottom(const Canvas& canvas);
void draw_presentation_bar(const Canvas& canvas);

}  // namespace lanescope::ui
