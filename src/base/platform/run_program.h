// Runs another program to its end.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace lanescope::base
