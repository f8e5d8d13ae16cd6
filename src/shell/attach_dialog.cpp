#include "shell/attach_dialog.h"

#include <algorithm>
#include <system_error>

#include "attach/program_state.h"
#include "base/error.h"
#include "base/platform/system.h"
#include "base/translate.h"
#include "model/source/attach_recipe.h"
#include "shell/file_dialog.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

using base::tr;

void fill_in(AttachDialog& dialog, const AttachedProgram& program) {
  dialog.typed = program;
  dialog.problem.clear();
  ++dialog.fields;
  dialog.field = 0;
  dialog.focus = true;
}

void open_attach_dialog(ShellState& state) {
  AttachDialog& dialog = state.overlays.attach;
  const std::vector<AttachedProgram>& known = state.preferences.attached;
  fill_in(dialog, known.empty() ? AttachedProgram{} : known.front());
  dialog.enter = false;
}

attach::AttachOptions options_of(const AttachedProgram& program) {
  attach::AttachOptions options;
  options.command.words = attach::split_words(program.command);
  if (options.command.words.empty()) throw base::UsageError(tr("there is no command to start"));
  if (!program.folder.empty()) {
    std::error_code ignored;
    options.command.folder = typed_path(std::filesystem::current_path(ignored), program.folder);
  }
  options.command.variables = attach::parse_variables(program.environment);
  options.intensity.level = attach::parse_level(program.level);
  return options;
}

void attach_as_typed(ShellState& state) {
  AttachDialog& dialog = state.overlays.attach;
  dialog.problem.clear();
  try {
    attach::AttachOptions options = options_of(dialog.typed);
    options.memory_cap_bytes = memory_cap_of(state.preferences.memory_gb, base::machine_memory_bytes());
    state.requests.attach = attach_recipe(options);
  } catch (const base::Error& error) {
    dialog.problem = error.what();
    dialog.focus = true;
  }
}

void remember_program(Preferences& preferences, const AttachedProgram& program) {
  std::vector<AttachedProgram>& known = preferences.attached;
  std::erase(known, program);
  known.insert(known.begin(), program);
  if (known.size() > kAttachedPrograms) known.resize(kAttachedPrograms);
}

}  // namespace lanescope::ui
