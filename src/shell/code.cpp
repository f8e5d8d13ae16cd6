#include "shell/code.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/time.h"
#include "base/translate.h"
#include "experiment/loop_script.h"
#include "shell/action_rows.h"
#include "shell/copy_link.h"
#include "shell/finding.h"
#include "shell/selection_actions.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

void toggle_code(ShellState& state) {
  bool& shown = state.preferences.code_view;
  shown = !shown || state.comparison.state.open;  // A and B cover it
  state.comparison.state.open = false;
  state.drawer = shown ? DrawerTab::Code : DrawerTab::Closed;
}

std::string no_code(const ShellState& state) {
  if (state.model.has_users_code()) return base::tr("it is your own program: nothing has to be copied");
  return state.code.loop() ? "" : base::tr("the code of this trace is not known");
}

// The experiment is only named if the loop is that of its side: with other settings it is another program.
void copy_script(ShellState& state) {
  const CodeState::Loop& loop = *state.code.loop();
  experiment::LoopOfScript wanted{loop.workload, loop.settings, loop.on_cpu};
  if (const auto& active = state.experiment.active; active && active->experiment().workload == loop.workload) {
    const experiment::Experiment& e = active->experiment();
    wanted.iterations = e.iterations;
    const experiment::Side side = active->side();
    if (experiment::start_settings(e, side, state.model.source().device()) == loop.settings) {
      wanted.experiment = &e;
      wanted.side = side;
    }
  }
  const workload::Script script = experiment::loop_script(wanted);
  copy_text(script.text);
  const auto lines = std::count(script.text.begin(), script.text.end(), '\n');
  state.show_toast(script.suffix == ".cu" ? base::tr("copied as CUDA C++: {} lines", lines)
                                          : base::tr("copied as PyTorch: {} lines; run it with python", lines));
}

// Where the program's source files may be: where its processes run; of a recording, beside it and here.
std::vector<std::filesystem::path> folders_of(const Source& source) {
  std::vector<std::filesystem::path> folders;
  const auto add = [&](const std::filesystem::path& folder) {
    const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!folder.empty() && !known) folders.push_back(folder);
  };
  if (const Watching* watching = source.watching()) {
    for (const attach::ProcessState& process : watching->watched().processes) add(process.folder);
    return folders;
  }
  std::error_code error;
  if (const auto file = source.file()) add(std::filesystem::absolute(*file, error).parent_path());
  add(std::filesystem::current_path(error));
  return folders;
}

}  // namespace

void open_in_code(ShellState& state, const std::string& file, std::uint32_t line) {
  state.code.show_file(file, line);
  show_drawer(state, DrawerTab::Code);
}

void ask_for_source(ShellState& state) {
  const std::filesystem::path wanted = state.code.files.absolute(state.code.file());
  const std::string ending = wanted.extension().string();
  FileQuestion question;
  question.title = base::tr("Where is {}?", wanted.filename().string());
  if (const Watching* watching = state.model.source().watching()) question.start = watching->command().folder;
  if (const auto file = state.model.source().file()) question.start = file->parent_path();
  if (question.start.empty()) question.start = std::filesystem::current_path();
  if (!ending.empty()) question.endings = {ending};
  question.kind = base::tr("Source files");
  ask_for_file(state, FilePurpose::FindSource, question);
}

void source_is_at(ShellState& state, const std::filesystem::path& found) {
  std::vector<MovedSources>& moved = state.preferences.moved_sources;
  const MovedSources now = moved_with(state.code.files.absolute(state.code.file()), found);
  std::erase_if(moved, [&](const MovedSources& other) { return other.from == now.from; });
  moved.insert(moved.begin(), now);
  if (moved.size() > kMovedSources) moved.resize(kMovedSources);
}

bool has_code(const ShellState& state) {
  return state.model.live() || state.model.has_users_code() || state.code.loop();
}

void update_code(ShellState& state) {
  CodeState& code = state.code;
  if (state.model.has_users_code()) {
    code.files.set_folders(folders_of(state.model.source()));
    code.files.set_moved(state.preferences.moved_sources);
  }
  if (!state.presentation.on) state.preferences.code_view = state.drawer == DrawerTab::Code;
  CodeState::Situation now;
  now.seen = std::exchange(code.drawn, false);
  if (!now.seen) code.hovered.reset();
  now.still = state.view.frozen_by_hand() || !state.model.live();
  now.animation = state.preferences.animation;
  now.seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  if (state.pointed.lane && state.pointed.at) now.instant = state.pointed.at;
  now.selected = state.selection.event;
  if (state.selection.bubble) now.selected_at = state.selection.bubble->start_ns;
  if (code.went_to && state.selection.event != code.went_to) {
    code.went_to.reset();
    code.choose(std::nullopt);
  }
  code.update(state.model, now, base::now());
  if (state.drawer == DrawerTab::Code && !has_code(state)) state.drawer = DrawerTab::Plots;
}

void go_to_statement(ShellState& state, std::size_t line) {
  CodeState& code = state.code;
  if (line >= code.code().size()) return;
  if (code.code()[line].part_of) line = *code.code()[line].part_of;
  if (code.chosen() == line) {
    code.choose(std::nullopt);
    code.went_to.reset();
    return;
  }
  const LineCost* cost = code.cost(line);
  if (!cost || cost->example.end_ns == 0) return;
  const std::optional<EventRef> event = event_of(state.model.trace(), cost->example);
  if (!event) return state.show_toast(base::tr("The example is no longer in memory"));
  show_example(state, *event);
  code.choose(line);
  code.went_to = event;
}

std::vector<ActionInfo> code_actions() {
  return {
      {Action::CodeView,
       ActionGroup::Reading,
       "code-view",
       N_("code view: what each statement costs"),
       {{key::F4}},
       toggle_code,
       [](const ShellState& s) {
         return has_code(s) ? "" : std::string(base::tr("the code of this trace is not known"));
       }},
      {Action::CopyScript,
       ActionGroup::Out,
       "copy-script",
       N_("copy the loop as a PyTorch script that runs"),
       {},
       copy_script,
       no_code},
      {Action::CopyLink,
       ActionGroup::Out,
       "copy-link",
       N_("copy a link, or the command that shows this"),
       {},
       copy_link,
       no_link},
  };
}

}  // namespace lanescope::ui
