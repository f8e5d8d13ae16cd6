// Asks for a file beside the drawing: with a dialog of the desktop, zenity or kdialog, or with the browser's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"

namespace lanescope::ui {

struct FileQuestion {
  bool save = false;                 ///< for a file to be written; otherwise for one that exists
  std::string title;                 ///< "Open a trace"
  std::filesystem::path start;       ///< a folder, or with `save` the proposed file
  std::vector<std::string> endings;  ///< ".json", ".json.gz"; the first is added to a name without one
  std::string kind;                  ///< of these files, in words: "Traces"
};

/// The program to use, or empty: over SSH, where the user sits elsewhere, or without such a program. On KDE kdialog
/// comes first.
std::filesystem::path dialog_program();
/// Its arguments, the program first. No shell reads them, and no name can be taken for an option.
std::vector<std::string> dialog_command(const std::filesystem::path& program, const FileQuestion& question);

class SystemDialog {
 public:
  struct Answer {
    std::filesystem::path path;  ///< empty: the user closed the dialog
    bool failed = false;         ///< there was no dialog
  };

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
