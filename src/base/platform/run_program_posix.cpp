#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/platform/child_process.h"
#include "base/platform/run_program.h"

namespace lanescope::base {

ProgramRun run_program(const std::vector<std::string>& command, const RunOptions& options) {
  ProgramRun run;
  // Files, not pipes: a program that is longer than a pipe is deep cannot block, and no SIGPIPE ends this one.
  const TemporaryFile in = temporary_file(options.in), out = temporary_file({});
  if (!in || !out) {
    run.error = errno;
    return run;
  }
  pid_t child = 0;
  run.error = start_child(command, {::fileno(in.get()), ::fileno(out.get()), options.quiet}, child);
  if (run.error != 0) return run;
  int status = 0;
  constexpr std::chrono::milliseconds kFirst{1}, kMost{20};
  if (!options.enough) status = wait_for_child(child);
  for (auto pause = kFirst; options.enough && !child_has_ended(child, status); pause = std::min(pause * 2, kMost)) {
    if (options.enough()) {
      ::kill(child, SIGKILL);
      status = wait_for_child(child);
      break;
    }
    std::this_thread::sleep_for(pause);
  }
  run.killed = !WIFEXITED(status);
  if (!run.killed) run.status = WEXITSTATUS(status);
  std::rewind(out.get());
  std::array<char, 4096> buffer{};
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(buffer.data(), 1, buffer.size(), out.get());
    run.out.append(buffer.data(), got);
  }
  return run;
}

}  // namespace lanescope::base
