// The desktop: a picture on its clipboard, and its own dialog that asks for a file. Text goes to the clipboard through
// the window's library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::base {

/// Callable from any thread. Throws base::FileError with one line on why copying is not possible.
void copy_png(std::span<const std::uint8_t> bytes);

// --- file dialog -----------------------------------------------------------------------------------------------------
// Asking for a file with the desktop's own dialog.

struct FileQuestion {
  bool save = false;                 ///< for a file to be written; otherwise for one that exists
  std::string title;                 ///< "Open a trace"
  std::filesystem::path start;       ///< a folder, or with `save` the proposed file
  std::vector<std::string> endings;  ///< ".json", ".json.gz"; the first is added to a name without one
  std::string kind;                  ///< of these files, in words: "Traces"
};

struct FileAnswer {
  std::filesystem::path path;  ///< empty: the user closed the dialog
  bool failed = false;         ///< there was no dialog
};

/// The browser, or a program of the desktop (zenity, kdialog), has one.
bool has_file_dialog();
/// Returns when the user has answered, or soon after `enough` says so. Not on the thread that draws.
FileAnswer ask_with_file_dialog(const FileQuestion& question, const std::function<bool()>& enough);

}  // namespace lanescope::base
