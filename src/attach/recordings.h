// Recordings that are being made: on this machine, and on another one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "attach/program_state.h"

namespace lanescope::attach {

// --- recordings ------------------------------------------------------------------------------------------------------
// The recordings that are being made on this machine: every `lanescope attach --record FILE.lanescope -- COMMAND` of
// this user's. They are found among the processes; nothing has to be registered, so nothing can be out of date.

struct Recording {
  pid_t recorder = 0;              ///< the process that writes the file
  std::filesystem::path file;      ///< that file
  std::vector<std::string> words;  ///< the recorded command
  std::vector<std::string> names;  ///< the recorded processes: "train.py"
  std::vector<pid_t> processes;    ///< their pids
};

/// Those of this user, by the recorder's pid.
std::vector<Recording> recordings();
/// Set for what looks into a job from outside, which is none of its ranks.
inline constexpr const char* kLookVariable = "LANESCOPE_LOOK";
struct RankHere {
  int rank = 0, ranks = 0;  ///< 0, 0: no launcher has given it one
  std::string node;         ///< as the job calls this machine
  pid_t process = 0;
  bool uses_gpu = false;              ///< it has loaded the driver
  std::vector<Recording> recordings;  ///< of this process
};
/// The processes of a job of Slurm's on this machine.
std::vector<RankHere> ranks_here(const std::string& job);
/// The one that `wanted` means: the pid of the recorder or of a recorded process, the name of one ("train.py"), of a
/// word of the command, or of the file. Throws base::UsageError, which lists what there is, if that is none or several.
const Recording& find_recording(std::span<const Recording> all, const std::string& wanted);
/// The process exists.
bool is_alive(pid_t process);

// --- remote program --------------------------------------------------------------------------------------------------
// A program on another machine, recorded there by `lanescope attach --record` and shown here, over the user's own ssh:
// no port is opened and nothing stays behind. One connection has the program's input and output; another one copies
// the recording as it grows. If that one breaks, it is made again, and goes on where it stopped.

class RemoteProgram {
 public:
  /// Throws base::Error or base::UsageError. Starts nothing.
  explicit RemoteProgram(RemoteOptions options);
  ~RemoteProgram();  ///< closes its connections
  RemoteProgram(const RemoteProgram&) = delete;
  RemoteProgram& operator=(const RemoteProgram&) = delete;

  /// Throws base::Error if ssh cannot be started.
  void start();
  /// Waits until the program's connection has ended: the program's exit status, or ssh's 255.
  int wait();
  pid_t program() const { return program_.load(std::memory_order_relaxed); }  ///< ssh's; 0: not started, or ended
  /// The program's connection has ended.
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  /// No more of the recording is wanted. `complete`: all of it is here, so the file there is removed. Does not wait.
  void stop_copying(bool complete);

  const RemoteOptions& options() const { return options_; }
  const std::filesystem::path& copy() const { return options_.copy; }
  std::string recording() const;  ///< where it is: "user@node:.cache/lanescope/…"

  struct State {
    std::uint64_t bytes = 0;  ///< copied
    std::string trouble;      ///< one sentence while the connection is broken; empty: it is not
  };
  State state() const;

 private:
  std::vector<std::string> enter(std::vector<std::string> ssh_options, std::string command) const;
  void copy_all();
  bool copy_once(int file);
  void set_trouble(std::string trouble);

  RemoteOptions options_;
  std::filesystem::path folder_;  // of the temporary file
  std::string remote_file_;       // as a shell there expands it
  std::thread waiting_, copying_;
  std::atomic<bool> stop_{false}, complete_{false}, ended_{false};
  std::atomic<pid_t> program_{0};
  int status_ = 0;  // once ended
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace lanescope::attach
