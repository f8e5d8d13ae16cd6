#include "model/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/translate.h"
#include "calibration/quick_probe_text.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongest{10};

/// What the command prints. Kills it when it takes too long.
std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  pid_t child = 0;
  const int failed = base::start_child(command, {.out = ends[1]}, child);
  ::close(ends[1]);
  std::string text;
  if (failed == 0) {
    const auto until = Clock::now() + kLongest;
    constexpr std::size_t kMost = 1 << 20;
    bool ended = false;
    while (!ended && text.size() < kMost) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd ready{ends[0], POLLIN, 0};
      const int found = left > 0 ? ::poll(&ready, 1, static_cast<int>(left)) : 0;
      if (found < 0 && errno == EINTR) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = found > 0 ? ::read(ends[0], buffer.data(), buffer.size()) : -1;
      ended = got == 0;
      if (got <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (!ended) {
      ::kill(child, SIGKILL);
      text.clear();
    }
    const int status = base::wait_for_child(child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) text.clear();
  }
  ::close(ends[0]);
  return text;
}

}  // namespace

calibration::QuickProbe probe_with(const std::string& program, const std::string& device,
                                   std::span<const ops::Op> ops) {
  std::vector<std::string> command{program, "probe", "--device", device};
  for (const ops::Op& op : ops) command.insert(command.end(), {"--op", calibration::to_text(op)});
  const auto probe = calibration::parse_quick_probe(output_of(command));
  if (!probe) throw base::Error(tr("{} could not be probed", device));
  return *probe;
}

calibration::QuickProbe probe_in_a_process(const std::string& device, std::span<const ops::Op> ops) {
  return probe_with("/proc/self/exe", device, ops);
}

}  // namespace lanescope::ui
