#include "base/platform/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

namespace lanescope::base {

int start_child(const std::vector<std::string>& command, const ChildStreams& streams, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const auto give = [&](int file, int as, int mode) {
    if (file >= 0) {
      posix_spawn_file_actions_adddup2(&files, file, as);
    } else {
      posix_spawn_file_actions_addopen(&files, as, "/dev/null", mode, 0);
    }
  };
  give(streams.in, STDIN_FILENO, O_RDONLY);
  give(streams.out, STDOUT_FILENO, O_WRONLY);
  if (streams.quiet) give(-1, STDERR_FILENO, O_WRONLY);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool child_has_ended(pid_t child, int& status) { return ::waitpid(child, &status, WNOHANG) == child; }

TemporaryFile temporary_file(std::string_view bytes) {
  TemporaryFile file(std::tmpfile());
  if (!file) return nullptr;
  // fwrite() may not be given the null pointer of an empty view.
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return nullptr;
  if (std::fflush(file.get()) != 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) return nullptr;
  return file;
}

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

bool open_folder(const std::filesystem::path& folder) {
  pid_t child = 0;
  return start_child({"xdg-open", folder.string()}, {}, child) == 0;
}

}  // namespace lanescope::base
