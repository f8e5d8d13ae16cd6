// Asks for a file beside the drawing: with the system's own dialog, or with one of the desktop, zenity or kdialog.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"
#include "base/platform/file_dialog.h"

namespace lanescope::ui {

using base::FileQuestion;

/// The program to use, or empty: over SSH, where the user sits elsewhere, or without such a program. On KDE kdialog
/// comes first.
std::filesystem::path dialog_program();
/// Its arguments, the program first. No shell reads them, and no name can be taken for an option.
std::vector<std::string> dialog_command(const std::filesystem::path& program, const FileQuestion& question);

class SystemDialog {
 public:
  using Answer = base::FileAnswer;

  /// Asks with what this system has. False: it has nothing. One at a time.
  bool start(const FileQuestion& question);
  /// Asks with a program. False: there is no such program.
  bool start(const std::vector<std::string>& command);
  bool running() const { return asking_.busy(); }
  /// Closes it, without an answer.
  void cancel() { asking_.end(); }
  /// Once per frame, and never blocks: the answer, once there is one. Nothing is running after that.
  std::optional<Answer> poll() { return asking_.take(); }

 private:
  base::BackgroundJob<Answer> asking_;
};

}  // namespace lanescope::ui
