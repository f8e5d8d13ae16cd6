// Choosing a file to open or to write: with a dialog of the desktop or, without one, with our own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shell/file_list.h"
#include "shell/system_dialog.h"

namespace lanescope::ui {

struct Preferences;
struct ShellState;

enum class FilePurpose : std::uint8_t { OpenTrace, SaveTrace, SaveSelection, SaveTable, SaveExperiment, FindSource };

/// Our own dialog: a folder's list, and a field for a name or path.
struct FileDialog {
  FileQuestion question;
  std::filesystem::path folder;
  std::string typed;
  bool just_opened = false, field_changed = false;
  FolderContents contents;
  FileColumn sorted_by = FileColumn::Name;
  bool backwards = false;
  std::vector<std::size_t> shown;  ///< entries of `contents`
  std::optional<std::size_t> selected;
  bool scroll_to_selected = false;
  std::vector<std::filesystem::path> recent;  ///< files to open, those that exist
  std::vector<std::filesystem::path> places;  ///< folders
  std::string problem;                        ///< why it cannot go on
  std::filesystem::path replaces;             ///< an existing file: another confirmation replaces it
  base::BackgroundJob<FolderContents> reading;
  std::optional<std::filesystem::path> chosen;
  // Keys since the last frame, applied after the text typed before them.
  std::ptrdiff_t steps = 0;
  bool enter = false, complete = false, up = false;

  void close();
  void go_to(const std::filesystem::path& folder);
  /// The text has changed: a path ending in "/" goes there, anything else filters the list.
  void type(const std::string& text);
  void sort(FileColumn by);
  void select(std::ptrdiff_t place);
  void complete_typed();
  /// Enter, or the button: goes into the selected folder, or chooses the file.
  void confirm();
  /// The same for this path.
  void confirm(const std::filesystem::path& path);
  /// Once per frame: takes a folder that has been read. True if something is still being read.
  bool update();

 private:
  void read();
  void show();
};

/// Asks for one file at a time.
struct FileChoice {
  FilePurpose purpose = FilePurpose::OpenTrace;
  FileQuestion question;
  SystemDialog system;
  FileDialog own;
};

void ask_for_file(ShellState& state, FilePurpose purpose, const FileQuestion& question);
/// Once per frame, after it is drawn: carries out what was chosen.
void follow_files(ShellState& state);

/// The newest first.
void remember_file(Preferences& preferences, const std::filesystem::path& path);
/// Those that exist.
std::vector<std::filesystem::path> recent_files(const Preferences& preferences);

}  // namespace lanescope::ui
