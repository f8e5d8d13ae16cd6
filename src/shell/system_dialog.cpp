#include "shell/system_dialog.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/child_process.h"

extern char** environ;

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSaid = 64 * 1024;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path on_path(const char* program) {
  const std::string_view path = variable("PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path candidate = fs::path(path.substr(at, end - at)) / program;
    // Never from the current folder: relative entries are skipped.
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return {};
}

}  // namespace

fs::path dialog_program() {
  if (!variable("SSH_CONNECTION").empty() || !variable("SSH_TTY").empty()) return {};
  if (variable("DISPLAY").empty() && variable("WAYLAND_DISPLAY").empty()) return {};
  const bool kde = variable("XDG_CURRENT_DESKTOP").find("KDE") != std::string_view::npos;
  const fs::path first = on_path(kde ? "kdialog" : "zenity");
  return first.empty() ? on_path(kde ? "zenity" : "kdialog") : first;
}

std::vector<std::string> dialog_command(const fs::path& program, const FileQuestion& question) {
  std::string patterns;
  for (const std::string& ending : question.endings) patterns += (patterns.empty() ? "*" : " *") + ending;
  std::string start = fs::absolute(question.start).string();
  if (!question.save && !start.ends_with('/')) start += '/';
  if (program.filename() == "kdialog") {
    return {program.string(),
            "--title",
            question.title,
            question.save ? "--getsavefilename" : "--getopenfilename",
            start,
            question.kind + " (" + patterns + ")"};
  }
  std::vector<std::string> command{program.string(),
                                   "--file-selection",
                                   "--title=" + question.title,
                                   "--filename=" + start,
                                   "--file-filter=" + question.kind + " | " + patterns,
                                   "--file-filter=* | *"};
  if (question.save) command.insert(command.begin() + 2, {"--save", "--confirm-overwrite"});
  return command;
}

bool SystemDialog::start(const std::vector<std::string>& command) {
  if (running() || command.empty()) return false;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  pid_t child = 0;
  const int failed = base::start_child(command, {.out = ends[1]}, child);
  ::close(ends[1]);
  if (failed != 0) {
    ::close(ends[0]);
    return false;
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child_ = child;
  pipe_ = ends[0];
  said_.clear();
  return true;
}

void SystemDialog::close_pipe() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
}

void SystemDialog::cancel() {
  close_pipe();
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  base::wait_for_child(child_);
  child_ = 0;
}

std::optional<SystemDialog::Answer> SystemDialog::poll() {
  if (!running()) return std::nullopt;
  int status = 0;
  // Before reading: what an ended child has said is complete.
  const pid_t ended = ::waitpid(child_, &status, WNOHANG);
  std::array<char, 4096> bytes{};
  ssize_t count = 0;
  while (pipe_ >= 0 && (count = ::read(pipe_, bytes.data(), bytes.size())) > 0) {
    if (said_.size() < kMostSaid) said_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  if (ended == 0) return std::nullopt;
  child_ = 0;
  close_pipe();
  Answer answer;
  // Both programs end with 0 after a choice and with 1 after Cancel.
  const int code = ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  answer.failed = code != 0 && code != 1;
  if (said_.ends_with('\n')) said_.pop_back();
  if (code == 0 && said_.size() < kMostSaid && said_.starts_with('/')) answer.path = said_;
  return answer;
}

}  // namespace lanescope::ui
