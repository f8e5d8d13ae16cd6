// The user's own experiments and lessons in the window: their files are looked at about once a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "lesson/own_lessons.h"

namespace lanescope::ui {

struct ShellState;

struct OwnFilesState {
  lesson::OwnFolders folders;
  std::chrono::steady_clock::time_point looked{};
  std::uint64_t version = 0;        ///< lesson::own_files_version() of what the window shows
  std::vector<std::string> errors;  ///< of files that cannot be used, one line each
  /// The experiment to be saved, as it was on the screen when the question for its file was asked.
  std::optional<experiment::Experiment> to_save;
};

/// Often enough, at least once a second: reads files that have changed. True if the window now shows something else.
bool follow_own_files(ShellState& state);
/// The next call of that looks at once, and reads all files again.
void look_again(ShellState& state);

}  // namespace lanescope::ui
