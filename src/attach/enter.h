// Gets the injected library into a program that is running already. In this order:
//   asleep    where a job's prolog has set CUDA_INJECTION64_PATH, and LANESCOPE_ATTACH to "sleep", the library is there
//             already, and is woken through a FIFO
//   Python    from 3.14 on, the interpreter is asked to run a file of two lines (PEP 768)
//   thread    one of its threads, which waits in a call, is stopped for a moment and made to start a thread; that one
//             loads the library, and the other goes on waiting as if nothing had been
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::attach {

using base::Nanoseconds;

/// A process that runs already. Its number does not become another one's as long as this lives.
class RunningProcess {
 public:
  /// Throws base::Error if there is none, or if it is not to be watched: says why, and what to do.
  explicit RunningProcess(pid_t pid);
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool ended() const;
  void wait() const;
  /// What is before a path of the process's to make it one of ours: empty, or "/proc/1234/root" if it runs in a
  /// container.
  const std::filesystem::path& root() const { return root_; }

 private:
  pid_t pid_;
  int file_ = -1;
  std::filesystem::path root_;
};

struct Entry {
  enum class Way : std::uint8_t { Asleep, Python, Thread };
  Way way = Way::Asleep;
  Nanoseconds held_ns = 0;  ///< Thread: for so long the one thread was stopped
};

/// Where to look for a viewer that has a socket. `has_arrived`: somebody has connected to it.
struct Meet {
  std::filesystem::path socket;  ///< a path of ours
  std::function<bool()> has_arrived;
};

/// Brings the library into the process; it then reports in by itself. Throws base::Error after two seconds at most:
/// says why, and what to do. What it needs for it lies beside the socket.
Entry enter(const RunningProcess& process, const std::filesystem::path& library, const Meet& meet);

// --- For tests -------------------------------------------------------------------------------------------------------

/// Whether a thread may be stopped and made to call something else, by its line in /proc/PID/task/TID/syscall: it waits
/// in a call that holds no lock of the C library and goes on exactly where it was. Smaller is better.
std::optional<int> harmless_wait(std::string_view line);
/// Why the system does not let us enter: by the value of kernel.yama.ptrace_scope; none: there is no Yama.
std::string why_not_permitted(std::optional<int> ptrace_scope);
/// The tool whose library this is, if it has CUPTI or the place of an injected library: "Nsight Systems".
std::string_view other_tool(std::string_view mapped_file);

}  // namespace lanescope::attach
