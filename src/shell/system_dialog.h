// Asks for a file with a dialog of the desktop: zenity or kdialog, run as a child beside the drawing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
  SystemDialog() = default;
  ~SystemDialog() { cancel(); }
  SystemDialog(const SystemDialog&) = delete;
  SystemDialog& operator=(const SystemDialog&) = delete;

  /// False: it could not be started. One at a time.
  bool start(const std::vector<std::string>& command);
  bool running() const { return child_ > 0; }
  /// Closes it, without an answer.
  void cancel();

  struct Answer {
    std::filesystem::path path;  ///< empty: the user closed the dialog
    bool failed = false;         ///< there was no dialog
  };
  /// Once per frame, and never blocks: the answer, once there is one. Nothing is running after that.
  std::optional<Answer> poll();

 private:
  void close_pipe();

  pid_t child_ = 0;
  int pipe_ = -1;
  std::string said_;
};

}  // namespace lanescope::ui
