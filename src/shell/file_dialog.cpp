#include "shell/file_dialog.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/translate.h"
#include "base/user_folders.h"
#include "model/source/read_file.h"
#include "shell/code.h"
#include "shell/save_experiment.h"
#include "shell/shell_state.h"
#include "shell/write_tables.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;
using base::tr;

constexpr std::size_t kMostFound = 10'000;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Ignoring case; true if there are no endings.
bool has_ending(std::string name, const std::vector<std::string>& endings) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return endings.empty() || std::ranges::any_of(endings, [&](const std::string& e) { return name.ends_with(e); });
}

fs::path with_ending(const fs::path& path, const FileQuestion& question) {
  if (has_ending(path.filename().string(), question.endings)) return path;
  fs::path ended = path;
  return ended += question.endings.front();
}

/// Where the last name of a path begins.
std::size_t name_at(const std::string& typed) { return typed.rfind('/') + 1; }

void open_field(ShellState& state) {
  open_overlay(state, Overlay::Files);
  PathField& field = state.files.field;
  field.question = state.files.question;
  const fs::path start = fs::absolute(field.question.start).lexically_normal();
  field.folder = field.question.save ? start.parent_path() : start;
  std::string text = short_path(start);
  if (!field.question.save && !text.ends_with('/')) text += '/';
  field.type(text);
  field.select_from = name_at(text);  // typing replaces a proposed name
}

void take_file(ShellState& state, const fs::path& chosen) {
  FileChoice& files = state.files;
  const fs::path path = files.question.save ? with_ending(chosen, files.question) : chosen;
  if (path != chosen && is_there(path)) {  // the desktop's dialog has asked about another name
    files.question.start = path;
    open_field(state);
    return files.field.confirm();
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

fs::path typed_path(const fs::path& folder, std::string_view typed) {
  std::string text(typed);
  if (text == "~" || text.starts_with("~/")) text = base::home_folder().string() + text.substr(1);
  const fs::path path = text;
  return (path.is_absolute() ? path : folder / path).lexically_normal();
}

void PathField::type(const std::string& text) {
  typed = text;
  // A path from the root or from home, typed after the folder that stands there, takes its place.
  for (const std::string_view anew : {"//", "/~"}) {
    const std::size_t at = typed.rfind(anew);
    if (at == std::string::npos) continue;
    typed.erase(0, at + 1);
    select_from = typed.size();
  }
  problem.clear();
  replaces.clear();
  selected.reset();
  found.clear();
  const std::string name = typed.substr(name_at(typed));
  std::error_code error, ignored;
  fs::directory_iterator at(typed_path(folder, typed.substr(0, name_at(typed))), error);
  for (; !error && at != fs::directory_iterator() && found.size() < kMostFound; at.increment(error)) {
    const std::string entry = at->path().filename().string();
    if (!entry.starts_with(name) || (entry.starts_with('.') && name.empty())) continue;
    if (at->is_directory(ignored)) {
      found.push_back(entry + "/");
    } else if (has_ending(entry, question.endings)) {
      found.push_back(entry);
    }
  }
  std::ranges::sort(found);
}

void PathField::complete_typed() {
  select_from = typed.size();
  if (found.empty()) return;
  // In sorted names, what the first and the last have in common, all have.
  const std::string first = found.front();
  auto same = static_cast<std::size_t>(std::ranges::mismatch(first, found.back()).in1 - first.begin());
  // Never half of a character of several bytes.
  while (same < first.size() && (static_cast<unsigned char>(first[same]) & 0xC0) == 0x80) --same;
  type(typed.substr(0, name_at(typed)) + first.substr(0, same));
  select_from = typed.size();
}

void PathField::take(std::size_t place) {
  type(typed.substr(0, name_at(typed)) + found.at(place));
  select_from = typed.size();
  if (!typed.ends_with('/')) confirm();
}

void PathField::confirm() {
  if (selected) return take(*selected);
  select_from = typed.size();
  fs::path path = typed_path(folder, typed);
  if (question.save && !is_folder(path)) path = with_ending(path, question);
  if (is_folder(path)) {
    problem = tr("{} is a folder", short_path(path));
  } else if (!question.save) {
    try {
      check_readable({path});
      chosen = path;
    } catch (const base::Error& error) {
      problem = error.what();
    }
  } else if (!is_folder(path.parent_path())) {
    problem = tr("{}: there is no such folder", path.parent_path().string());
  } else if (is_there(path) && replaces != path) {
    replaces = path;
    problem = tr("{} exists already. Replace it?", path.filename().string());
  } else {
    chosen = path;
  }
}

void ask_for_file(ShellState& state, FilePurpose purpose, const FileQuestion& question) {
  FileChoice& files = state.files;
  if (files.asking.busy()) return state.show_toast(tr("A dialog of the desktop is open already"));
  files.purpose = purpose;
  files.question = question;
  if (!base::has_file_dialog()) return open_field(state);
  files.asking.start([question](const base::Stop& stop) {
    return base::ask_with_file_dialog(question, [&stop] { return stop.load(); });
  });
}

void follow_files(ShellState& state) {
  FileChoice& files = state.files;
  if (const auto answer = files.asking.take()) {
    if (answer->failed) open_field(state);
    if (!answer->path.empty()) take_file(state, answer->path);
  }
  if (!files.field.chosen) return;
  const fs::path path = *files.field.chosen;
  close_overlay(state);
  take_file(state, path);
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
