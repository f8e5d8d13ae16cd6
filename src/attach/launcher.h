// Starts the watched program, with the variables that make it load the injection library, and meets its processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/program_state.h"
#include "inject/wire.h"

namespace lanescope::attach {

/// Where liblanescope_inject.so is: the file that LANESCOPE_INJECT names, or beside this program, or in
/// ../lib/lanescope. Throws base::Error if there is none.
std::filesystem::path injection_library();

/// Throws what starting the command would: that there is no library, that another tool's injection is already set, that
/// there is no such folder or command.
void check_startable(const Command& command);

/// A process that has reported in.
struct Arrival {
  wire::Hello hello;
  int socket = -1;  ///< to be closed by whoever takes it
  int memory = -1;  ///< likewise
};

/// The socket that the processes of one program report to, in a folder that only this user can enter.
class Meeting {
 public:
  /// In the temporary folder of a program in a container, if `root` is where that has its files. Throws base::Error.
  explicit Meeting(const std::filesystem::path& root = {});
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  const std::filesystem::path& socket_path() const { return path_; }
  /// What becomes readable when a process reports in.
  std::vector<int> descriptors() const;
  /// The next process, without waiting; none if nobody is there. One of another user, or that says nonsense or nothing
  /// for ten seconds, is refused and counted.
  std::optional<Arrival> next();
  std::uint64_t refused() const { return refused_; }

 private:
  std::filesystem::path folder_, path_;
  struct Pending {  // connected, and has not said Hello yet
    int socket = -1;
    std::chrono::steady_clock::time_point since;
  };
  void refuse(const Pending& pending);

  int listener_ = -1;
  std::vector<Pending> pending_;
  bool full_ = false;  // at the last look there was no descriptor left
  std::uint64_t refused_ = 0;
};

/// The program itself. Its input, output and errors are this program's.
class Launched {
 public:
  /// Throws base::UsageError if another tool's injection is already set, base::Error if the command cannot be started.
  Launched(const Command& command, const std::filesystem::path& socket);
  ~Launched();
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  pid_t pid() const { return pid_; }
  /// The status of waitpid() once it has ended; does not wait.
  std::optional<int> ended();
  int wait();
  void signal(int number);
  /// As a shell reports it: the program's own, or 128 plus the signal that ended it.
  static int exit_status(int wait_status);
  /// "exit status 1", "ended by signal 9 (Killed)".
  static std::string describe(int wait_status);
  /// NVTX is injected by another tool, so the program's ranges are not seen; empty otherwise.
  const std::string& without_nvtx() const { return without_nvtx_; }

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::string without_nvtx_;
};

/// What /proc says of a process: its command line; empty if it is not there.
std::vector<std::string> process_words(std::uint32_t pid);
/// The script it runs, or the program.
std::string process_name(std::uint32_t pid);
std::filesystem::path process_folder(std::uint32_t pid);

}  // namespace lanescope::attach
