// Opening and saving traces, and tables as CSV.
#include "shell/write_tables.h"

#include <imgui.h>

#include <optional>
#include <utility>

#include "base/translate.h"
#include "io/atomic_file.h"
#include "io/trace_file.h"
#include "model/timeline/marks_json.h"
#include "shell/action_rows.h"
#include "shell/save_experiment.h"
#include "shell/shell_state.h"
#include "shell/write_pictures.h"
#include "trace/copy_trace.h"

namespace lanescope::ui {

using base::tr;
namespace fs = std::filesystem;

namespace {

// Where the user was last, else the current folder.
fs::path opening_folder(const ShellState& state) {
  for (const fs::path& path : recent_files(state.preferences)) return path.parent_path();
  std::error_code ignored;
  return fs::current_path(ignored);
}

fs::path saving_folder(const ShellState& state) {
  if (const auto file = state.model.source().file()) return fs::absolute(*file).parent_path();
  return picture_folder(state.preferences);
}

bool still_saving(ShellState& state) {
  if (!state.pictures.saving.busy()) return false;
  state.show_toast(tr("Another file is still being written"));
  return true;
}

void open_trace(ShellState& state) {
  ask_for_file(state, FilePurpose::OpenTrace,
               {false,
                tr("Open a trace"),
                opening_folder(state),
                {".lanescope", ".json", ".json.gz", ".gz", ".zst", ".zip", ".sqlite", ".nsys-rep"},
                tr("Traces")});
}

void save_trace_as(ShellState& state) {
  const fs::path name = free_picture_name(state, "trace", ".json").filename();
  ask_for_file(
      state, FilePurpose::SaveTrace,
      {true, tr("Save the trace"), saving_folder(state) / name, {".json", ".json.gz", ".lanescope"}, tr("Traces")});
}

void save_trace(ShellState& state, const char* ending) {
  save_trace_to(state, free_picture_name(state, "trace", ending));
}

void save_selection_as(ShellState& state) {
  const fs::path name = free_picture_name(state, "selection", ".json").filename();
  ask_for_file(state, FilePurpose::SaveSelection,
               {true,
                tr("Save the selected time as a trace"),
                saving_folder(state) / name,
                {".json", ".json.gz", ".lanescope"},
                tr("Traces")});
}

std::string no_range(const ShellState& state) {
  return state.selection.range ? "" : tr("no time range is selected: Shift+drag");
}

std::string nothing_to_save(const ShellState& state) { return state.model.nothing() ? tr("nothing is shown yet") : ""; }

}  // namespace

void save_trace_to(ShellState& state, const fs::path& path) {
  if (still_saving(state)) return;
  state.show_toast(std::string(tr("Saving the trace")) + ": " + path.string());
  io::RunFacts shown = state.model.facts();
  shown.marks = marks_to_json(state.marks);
  state.pictures.saved_trace = path;
  std::optional<trace::CaptureHealth> health;
  if (const CaptureMonitor* monitor = state.model.source().capture_monitor()) health = monitor->health();
  if (const io::OpenedTrace* opened = state.model.source().opened()) health = opened->health;
  state.pictures.saving.start([path, facts = std::move(shown), health, trace = state.model.shared_trace()] {
    io::write_trace(path, *trace, facts, health ? &*health : nullptr);
    return std::string(tr("Trace saved")) + ": " + path.string();
  });
}

void save_selection_to(ShellState& state, const fs::path& path) {
  if (still_saving(state) || !state.selection.range) return;
  state.show_toast(std::string(tr("Saving the trace")) + ": " + path.string());
  state.pictures.saved_trace = path;
  state.pictures.saving.start(
      [path, facts = state.model.facts(), range = *state.selection.range, trace = state.model.shared_trace()] {
        trace::Trace part(trace->memory_cap_bytes());
        copy_trace(*trace, part, {.from = range.first, .to = range.second});
        part.set_complete_until(part.extent().second);
        io::write_trace(path, part, facts);
        return std::string(tr("Trace saved")) + ": " + path.string();
      });
}

void save_statistics(ShellState& state) {
  const fs::path name = free_picture_name(state, "statistics", ".csv").filename();
  ask_for_file(state, FilePurpose::SaveTable,
               {true, tr("Save the statistics"), saving_folder(state) / name, {".csv"}, tr("Tables (CSV)")});
}

void save_statistics_to(ShellState& state, const fs::path& path) {
  if (still_saving(state)) return;
  state.pictures.saving.start([path, csv = shown_statistics_csv(state)] {
    io::write_text_file(path, csv);
    return std::string(tr("Statistics saved")) + ": " + path.string();
  });
}

void copy_statistics(ShellState& state) {
  ImGui::SetClipboardText(shown_statistics_csv(state).c_str());
  state.show_toast(tr("{} lines copied as CSV", state.statistics.shown.size()));
}

std::vector<ActionInfo> file_actions() {
  return {
      {Action::OpenTrace, ActionGroup::Out, "open", N_("open a trace …"), {{key::O, kCtrl}}, open_trace},
      {Action::SaveTrace,
       ActionGroup::Out,
       "save-trace",
       N_("save the trace as JSON"),
       {},
       [](ShellState& s) { save_trace(s, ".json"); },
       nothing_to_save},
      {Action::SaveTraceCompressed,
       ActionGroup::Out,
       "save-trace-gz",
       N_("save the trace as JSON, compressed"),
       {},
       [](ShellState& s) { save_trace(s, ".json.gz"); },
       nothing_to_save},
      {Action::SaveTraceAs,
       ActionGroup::Out,
       "save-trace-as",
       N_("save the trace as …"),
       {},
       save_trace_as,
       nothing_to_save},
      {Action::SaveSelection,
       ActionGroup::Out,
       "save-selection",
       N_("save the selected time range as a trace …"),
       {},
       save_selection_as,
       no_range},
      {Action::SaveExperiment,
       ActionGroup::Out,
       "save-experiment",
       N_("save what is shown as an experiment …"),
       {},
       save_experiment,
       no_experiment_to_save},
  };
}

}  // namespace lanescope::ui
