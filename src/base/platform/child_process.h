// Other programs that this one runs.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/files.h"

namespace lanescope::base {

struct RunOptions {
  std::string_view in = {};           ///< what it reads
  bool quiet = true;                  ///< false: its errors go where this program's go
  std::function<bool()> enough = {};  ///< asked every few milliseconds: it is to be killed
};

struct ProgramRun {
  int error = 0;        ///< an errno: it could not be started
  bool killed = false;  ///< it did not end by itself
  int status = 0;       ///< with which it ended
  std::string out;      ///< what it wrote
  bool well() const { return error == 0 && !killed && status == 0; }
};

/// `command[0]` is a path, or a name that is looked for in PATH. No shell reads the words.
ProgramRun run_program(const std::vector<std::string>& command, const RunOptions& options = {});

/// Shows a folder in the desktop's own window. False: there is no program for that. Does not wait.
bool open_folder(const std::filesystem::path& folder);

/// Files that a child process has as its standard streams. -1: /dev/null.
struct ChildStreams {
  int in = -1, out = -1;
  bool quiet = true;  ///< false: its errors go where this program's go
};

/// Starts a program. `command[0]` is its path, or a name that is looked for in PATH. Returns 0 and sets `child`, or an
/// errno.
int start_child(const std::vector<std::string>& command, const ChildStreams& streams, pid_t& child);
/// Waits until it has ended; the status is that of waitpid().
int wait_for_child(pid_t child);
/// True, with the status, if it has ended. Does not wait.
bool child_has_ended(pid_t child, int& status);

using TemporaryFile = File;
/// A file without a name that holds these bytes, at its beginning; empty if it cannot be written, and errno says why.
TemporaryFile temporary_file(std::string_view bytes);

}  // namespace lanescope::base
