// The recordings that are being made on this machine: every `lanescope attach --record FILE.lanescope -- COMMAND` of
// this user's. They are found among the processes; nothing has to be registered, so nothing can be out of date.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lanescope::attach {

struct Recording {
  pid_t recorder = 0;              ///< the process that writes the file
  std::filesystem::path file;      ///< that file
  std::vector<std::string> words;  ///< the recorded command
  std::vector<std::string> names;  ///< the recorded processes: "train.py"
  std::vector<pid_t> processes;    ///< their pids
};

/// Those of this user, by the recorder's pid.
std::vector<Recording> recordings();
/// The one that `wanted` means: the pid of the recorder or of a recorded process, the name of one ("train.py"), of a
/// word of the command, or of the file. Throws base::UsageError, which lists what there is, if that is none or several.
const Recording& find_recording(std::span<const Recording> all, const std::string& wanted);
/// The process exists.
bool is_alive(pid_t process);

}  // namespace lanescope::attach
