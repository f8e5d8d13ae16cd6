#include "shell/file_dialog.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/settings_folder.h"
#include "base/translate.h"
#include "model/read_file.h"
#include "shell/code.h"
#include "shell/save_experiment.h"
#include "shell/shell_state.h"
#include "shell/write_tables.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;
using base::tr;

constexpr std::size_t kPlaces = 6;
constexpr std::string_view kSeparators = fs::path::preferred_separator == '/' ? "/" : "/\\";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path with_ending(const fs::path& path, const FileQuestion& question) {
  if (question.endings.empty() || has_ending(path.filename().string(), question.endings)) return path;
  fs::path ended = path;
  return ended += question.endings.front();
}

void add_place(std::vector<fs::path>& places, const fs::path& folder) {
  if (places.size() < kPlaces && is_folder(folder) && std::ranges::find(places, folder) == places.end()) {
    places.push_back(folder);
  }
}

void open_own(ShellState& state) {
  open_overlay(state, Overlay::Files);
  FileDialog& dialog = state.files.own;
  dialog.question = state.files.question;
  dialog.just_opened = true;
  if (!dialog.question.save) dialog.recent = recent_files(state.preferences);
  add_place(dialog.places, base::home_folder());
  if (const auto file = state.model.source().file()) add_place(dialog.places, fs::absolute(*file).parent_path());
  add_place(dialog.places, picture_folder(state.preferences));
  std::error_code ignored;
  add_place(dialog.places, fs::current_path(ignored));
  for (const fs::path& path : recent_files(state.preferences)) add_place(dialog.places, path.parent_path());
  const fs::path start = fs::absolute(dialog.question.start).lexically_normal();
  if (dialog.question.save) {
    dialog.go_to(start.parent_path());
    dialog.typed = start.filename().string();
    dialog.field_changed = true;
  } else {
    dialog.go_to(start);
  }
}

// `asked`: whoever chose the file has agreed to replace it.
void take(ShellState& state, const fs::path& chosen, bool asked) {
  const FileChoice& files = state.files;
  const fs::path path = files.question.save ? with_ending(chosen, files.question) : chosen;
  if (files.question.save && is_there(path) && !(asked && path == chosen)) {
    state.files.question.start = path;
    open_own(state);
    return state.files.own.confirm(path);  // asks whether to replace it
  }
  switch (files.purpose) {
    case FilePurpose::OpenTrace:
      state.requests.files = {path};
      return;
    case FilePurpose::SaveTrace:
      return save_trace_to(state, path);
    case FilePurpose::SaveSelection:
      return save_selection_to(state, path);
    case FilePurpose::SaveTable:
      return save_statistics_to(state, path);
    case FilePurpose::SaveExperiment:
      return save_experiment_to(state, path);
    case FilePurpose::FindSource:
      return source_is_at(state, path);
  }
}

}  // namespace

void FileDialog::close() { *this = {}; }

void FileDialog::read() {
  if (reading.busy()) reading.supersede();
  if (reading.busy() && !reading.ready()) return;  // update() starts it again
  reading.end();
  reading.start([folder = folder, endings = question.endings](const base::Stop& stop) {
    return read_folder(folder, endings, &stop);
  });
}

void FileDialog::go_to(const fs::path& wanted) {
  folder = wanted;
  if (folder.has_relative_path() && !folder.has_filename()) folder = folder.parent_path();  // "/tmp/" is "/tmp"
  typed.clear();
  field_changed = true;
  problem.clear();
  replaces.clear();
  selected.reset();
  read();
}

void FileDialog::show() {
  // A proposed name must not hide the others.
  shown = matching_entries(contents.entries, question.save ? std::string() : typed);
  selected.reset();
  if (!question.save && !shown.empty() && !typed.empty()) selected = 0;
}

void FileDialog::type(const std::string& text) {
  typed = text;
  problem.clear();
  replaces.clear();
  const std::size_t slash = typed.find_last_of(kSeparators);
  const bool home = typed == "~/" || slash != std::string::npos;
  if (home) {
    const fs::path wanted = typed_path(folder, typed.substr(0, slash + 1));
    if (is_folder(wanted)) {
      const std::string rest = typed.substr(slash + 1);
      go_to(wanted);
      typed = rest;
    }
  }
  show();
}

void FileDialog::sort(FileColumn by) {
  backwards = sorted_by == by && !backwards;
  sorted_by = by;
  sort_entries(contents.entries, sorted_by, backwards);
  show();
}

void FileDialog::select(std::ptrdiff_t place) {
  if (shown.empty()) return;
  selected = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, std::ssize(shown) - 1));
  scroll_to_selected = true;
  const FileEntry& entry = contents.entries[shown[*selected]];
  if (!question.save || entry.folder) return;
  typed = entry.name;
  field_changed = true;
  replaces.clear();
  problem.clear();
}

void FileDialog::complete_typed() {
  const std::string more = completed(contents.entries, typed);
  if (more == typed) return;
  type(more);
  field_changed = true;
}

void FileDialog::confirm() {
  const bool folder_selected = selected && contents.entries[shown[*selected]].folder;
  const fs::path named = typed.empty() ? fs::path() : typed_path(folder, typed);
  if (selected && (folder_selected || typed.empty() || (!question.save && !is_there(named)))) {
    return confirm(folder / contents.entries[shown[*selected]].name);
  }
  if (!typed.empty()) confirm(named);
}

void FileDialog::confirm(const fs::path& path) {
  if (is_folder(path)) return go_to(path);
  if (!question.save) {
    try {
      check_readable({path});
      chosen = path;
    } catch (const base::Error& error) {
      problem = error.what();
    }
    return;
  }
  const fs::path whole = with_ending(path, question);
  if (!is_folder(whole.parent_path())) {
    problem = tr("{}: there is no such folder", whole.parent_path().string());
  } else if (is_there(whole) && replaces != whole) {
    replaces = whole;
    problem = tr("{} exists already. Replace it?", whole.filename().string());
  } else {
    chosen = whole;
  }
}

bool FileDialog::update() {
  if (!reading.ready()) return reading.busy();
  auto result = reading.take();
  if (!result || result->folder != folder) {
    read();
    return true;
  }
  contents = std::move(*result);
  sort_entries(contents.entries, sorted_by, backwards);
  problem = contents.problem;
  show();
  return false;
}

void ask_for_file(ShellState& state, FilePurpose purpose, const FileQuestion& question) {
  FileChoice& files = state.files;
  if (files.system.running()) return state.show_toast(tr("A dialog of the desktop is open already"));
  files.purpose = purpose;
  files.question = question;
  if (state.preferences.system_dialogs && files.system.start(question)) return;
  open_own(state);
}

void follow_files(ShellState& state) {
  FileChoice& files = state.files;
  if (const auto answer = files.system.poll()) {
    if (answer->failed) open_own(state);
    if (!answer->path.empty()) take(state, answer->path, true);
  }
  if (!files.own.chosen) return;
  const fs::path path = *files.own.chosen;
  close_overlay(state);
  take(state, path, true);
}

void remember_file(Preferences& preferences, const fs::path& path) {
  std::vector<std::string>& files = preferences.recent_files;
  const std::string name = fs::absolute(path).lexically_normal().string();
  std::erase(files, name);
  files.insert(files.begin(), name);
  if (files.size() > kRecentFiles) files.resize(kRecentFiles);
}

std::vector<fs::path> recent_files(const Preferences& preferences) {
  std::vector<fs::path> files;
  for (const std::string& file : preferences.recent_files) files.push_back(file);
  std::erase_if(files, [](const fs::path& path) { return !is_there(path); });
  return files;
}

}  // namespace lanescope::ui
