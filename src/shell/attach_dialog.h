// Attaching to a program of the user's: what is typed in the dialog, and its start.
#pragma once

#include <optional>
#include <string>

#include "attach/program_state.h"
#include "shell/preferences.h"

namespace lanescope::ui {

struct ShellState;

struct AttachDialog {
  AttachedProgram typed;
  std::string problem;  ///< why it could not be started
  int fields = 0;       ///< changes when the fields are filled in, so that ImGui sees new ones
  int field = 0;        ///< which of the three has the keyboard
  bool focus = false;   ///< give it the keyboard
  bool enter = false;   ///< Enter was pressed; applied after the text typed before it
};

/// With the last program in the fields, if there is one.
void open_attach_dialog(ShellState& state);
void fill_in(AttachDialog& dialog, const AttachedProgram& program);
/// Throws base::UsageError on what cannot be understood; does not look whether the command exists.
attach::AttachOptions options_of(const AttachedProgram& program);
/// Requests the start of what was typed, or says in the dialog what is wrong.
void attach_as_typed(ShellState& state);
/// It was started: remembers it, the newest first, each once.
void remember_program(Preferences& preferences, const AttachedProgram& program);

}  // namespace lanescope::ui
