#include "app/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lanescope::app::test {
namespace {

constexpr std::chrono::seconds kPatience{600};

// Both ends of the program's output: a pipe, or a terminal.
struct Outlet {
  int ours = -1, theirs = -1;

  explicit Outlet(bool terminal) {
    std::array<int, 2> ends{};
    if (terminal ? openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0 : pipe(ends.data()) != 0) {
      throw std::runtime_error("no pipe or terminal to be had");
    }
    ours = ends[0];
    theirs = ends[1];
    fcntl(ours, F_SETFD, FD_CLOEXEC);
    fcntl(ours, F_SETFL, O_NONBLOCK);
  }
  ~Outlet() {
    close(ours);
    close_theirs();
  }
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  void close_theirs() {
    if (theirs >= 0) close(theirs);
    theirs = -1;
  }
  // False when nothing will come any more.
  bool read_into(std::string& text) const {
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t n = read(ours, buffer.data(), buffer.size());
      if (n > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        return false;  // a terminal whose other end has been closed gives EIO
      } else if (errno == EAGAIN) {
        return true;
      }
    }
  }
};

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const Surroundings& surroundings, int out,
                                 int err) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  if (!surroundings.out_path.empty()) out = open(surroundings.out_path.c_str(), O_WRONLY);
  dup2(out, 1);
  dup2(err, 2);
  if (!surroundings.folder.empty() && chdir(surroundings.folder.c_str()) != 0) _exit(127);
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR"}) unsetenv(name);
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("LANESCOPE_CUDA", "off", 1);        // the same on every machine
  setenv("XDG_CONFIG_HOME", "/nowhere", 1);  // nobody's own experiments
  setenv("LANESCOPE_CRASH_REPORTS", "off", 1);
  for (const auto& [name, value] : surroundings.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>(LANESCOPE_BINARY)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(LANESCOPE_BINARY, argv.data());
  _exit(127);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  Outlet out(surroundings.out_terminal), err(surroundings.err_terminal);
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("no process to be had");  // and kill(-1) would signal every process
  if (process == 0) become_program(arguments, surroundings, out.theirs, err.theirs);
  out.close_theirs();
  err.close_theirs();

  Outcome outcome;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  bool out_open = true, err_open = true;
  while (out_open || err_open) {
    std::array<pollfd, 2> ends{pollfd{out.ours, POLLIN, 0}, pollfd{err.ours, POLLIN, 0}};
    if (!out_open) ends[0].fd = -1;
    if (!err_open) ends[1].fd = -1;
    poll(ends.data(), ends.size(), surroundings.watch ? 1 : 1000);
    if (out_open) out_open = out.read_into(outcome.out);
    if (err_open) err_open = err.read_into(outcome.err);
    if (surroundings.watch) surroundings.watch(process, outcome);
    if (std::chrono::steady_clock::now() > deadline) {
      kill(process, SIGKILL);
      ADD_FAILURE() << "the program did not end";
      break;
    }
  }
  int status = 0;
  waitpid(process, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

bool handles_signal(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigCgt:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ProgramTest::ProgramTest() {
  std::string pattern = (std::filesystem::path(testing::TempDir()) / "lanescope-app-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

ProgramTest::~ProgramTest() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Outcome ProgramTest::run(const std::vector<std::string>& arguments, Surroundings surroundings) const {
  surroundings.folder = folder_;
  return run_program(arguments, surroundings);
}

void ProgramTest::expect_complaint(const Outcome& outcome, int status, const std::vector<std::string>& parts) const {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("lanescope: ", 0), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

std::vector<std::string> ProgramTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace lanescope::app::test
