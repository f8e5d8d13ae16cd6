// Choosing a file to open or to write: with a dialog of the desktop or, without one, in a field for a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/background_job.h"
#include "base/platform/desktop.h"

namespace lanescope::ui {

struct Preferences;
struct ShellState;
using base::FileQuestion;

enum class FilePurpose : std::uint8_t { OpenTrace, SaveTrace, SaveSelection, SaveTable, SaveExperiment, FindSource };

/// A field for a path, and the entries of its folder that it may go on with.
struct PathField {
  FileQuestion question;
  std::filesystem::path folder;  ///< where a relative path begins
  std::string typed;
  std::vector<std::string> found;  ///< names that begin as the typed one does, sorted; folders end in "/"
  std::optional<std::size_t> selected;
  std::string problem;             ///< why it cannot go on
  std::filesystem::path replaces;  ///< an existing file: another confirmation replaces it
  std::optional<std::filesystem::path> chosen;
  bool scroll_to_selected = false;
  std::optional<std::size_t> select_from;  ///< the program changed the text: it is to be selected from here on
  // Keys since the last frame, applied after the text typed before them.
  std::ptrdiff_t steps = 0;
  bool enter = false, complete = false;

  void type(const std::string& text);
  /// As far as all that was found agrees.
  void complete_typed();
  /// Goes into a folder that was found, or confirms a file.
  void take(std::size_t place);
  /// Enter, or the button.
  void confirm();
};

/// Asks for one file at a time.
struct FileChoice {
  FilePurpose purpose = FilePurpose::OpenTrace;
  FileQuestion question;
  base::BackgroundJob<base::FileAnswer> asking;  ///< a dialog of the desktop
  PathField field;
};

/// A typed path: "~/a" is in the home folder, "a" in `folder`; without ".." where possible.
std::filesystem::path typed_path(const std::filesystem::path& folder, std::string_view typed);

void ask_for_file(ShellState& state, FilePurpose purpose, const FileQuestion& question);
/// Once per frame, after it is drawn: carries out what was chosen.
void follow_files(ShellState& state);

/// The newest first.
void remember_file(Preferences& preferences, const std::filesystem::path& path);
/// Those that exist.
std::vector<std::filesystem::path> recent_files(const Preferences& preferences);

}  // namespace lanescope::ui
