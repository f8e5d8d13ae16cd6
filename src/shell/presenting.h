// Presenting to a class: what is hidden, and what the keys mean.
#pragma once

#include <string>

#include "shell/actions.h"

namespace lanescope::ui {

struct ShellState;

/// Presentation mode: large text, only the lanes, the verdict, and what is told about them.
struct Presentation {
  bool on = false;
  float scale = 1.5f;    ///< scale factor in this mode, from the window's height
  bool story = false;    ///< the column with the text, the published numbers and the correction
  std::string told;      ///< what the column tells, in which size of the window: its letters stay as they are
  bool smaller = false;  ///< letters, because it would not fit otherwise
  float scroll = 0;      ///< by how many lines the column is to be scrolled in the next frame
};

/// Nothing may be shown that gives an answer away: hidden by hand, or by a question of the lesson.
bool answers_hidden(const ShellState& state);
/// The experiment's other side would give an answer away, or solve a task.
bool other_side_tells(const ShellState& state);
/// An answered step was about one side, and the next one asks about both: until then the other side is kept back.
bool next_step_asks(const ShellState& state);
/// The lesson's step is what runs, and not something that was started beside it.
bool on_stage(const ShellState& state);

/// Keys that mean something else while presenting: arrows and the keys of a presenter's remote control go through the
/// lesson, digits count raised hands. True: the key was for it.
bool presenting_key(ShellState& state, KeyChord chord, bool repeated);

}  // namespace lanescope::ui
