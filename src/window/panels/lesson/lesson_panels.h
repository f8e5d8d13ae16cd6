// A lesson: its step beside the lanes, for a person at a desk and for a class. Each function draws into the current
// ImGui window, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// How large a step is drawn.
struct LessonLook {
  FontRole title = FontRole::Title, text = FontRole::Body, small = FontRole::Small;
  bool presented = false;  ///< for a class: the teacher counts hands instead of choosing
};

/// The left panel while a lesson is open, and the buttons below it.
void draw_lesson(const Canvas& canvas);
void draw_lesson_buttons(const Canvas& canvas);
float lesson_buttons_height(const Canvas& canvas);

/// The step's question with its choices or its slider, or its task; then what was measured beside what was answered.
void draw_question(const Canvas& canvas, const LessonLook& look);
void draw_task(const Canvas& canvas, const LessonLook& look);

/// Presentation: the column beside the lanes with the lesson's step, or with the experiment's story. Its width; 0:
/// there is nothing to tell, or no room.
float story_width(const ShellState& state, float width);
void draw_story(const Canvas& canvas);
/// The step's and the lesson's time, up to `right` in the window's line of height `height`. Returns its left edge.
float draw_lesson_clock(const Canvas& canvas, float right, float y, float height);

/// The lessons in the gallery.
void draw_lesson_list(const Canvas& canvas, float width, float height);

}  // namespace lanescope::ui
