#include "attach/steering_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "attach/attachment.h"
#include "base/platform/child_process.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLinkLook{100};
constexpr std::chrono::seconds kPatienceHere{5}, kPatienceFar{30};

/// False: nothing came in time, or it is no longer awaited.
bool await_bytes(int file, steady_clock::time_point deadline, const std::function<bool()>& stopped) {
  while (!stopped() && steady_clock::now() < deadline) {
    pollfd ready{file, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kLinkLook.count())) > 0) return true;
  }
  return false;
}

bool read_whole(int file, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(file, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// The numbers of a process's sockets, as /proc/PID/fd has them: "socket:[123]".
std::set<std::string> sockets_of(pid_t process) {
  std::set<std::string> numbers;
  std::error_code error;
  std::filesystem::directory_iterator at(fmt::format("/proc/{}/fd", process), error), end;
  for (; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(at->path(), gone).string();
    if (target.starts_with("socket:[") && target.ends_with("]")) numbers.insert(target.substr(8, target.size() - 9));
  }
  return numbers;
}

}  // namespace

// A line of /proc/net/unix: number, references, protocol, flags, type, state, inode, path.
std::optional<std::filesystem::path> steering_socket(pid_t recorder) {
  constexpr unsigned long kListens = 0x10000;
  const std::set<std::string> own = sockets_of(recorder);
  std::ifstream list(fmt::format("/proc/{}/net/unix", recorder));
  for (std::string line; std::getline(list, line);) {
    std::array<std::string, 7> words;
    std::size_t at = 0;
    for (std::string& word : words) {
      at = std::min(line.find_first_not_of(' ', at), line.size());
      const std::size_t end = std::min(line.find(' ', at), line.size());
      word = line.substr(at, end - at);
      at = end;
    }
    if (at + 1 >= line.size() || (std::strtoul(words[3].c_str(), nullptr, 16) & kListens) == 0) continue;
    const std::filesystem::path path = line.substr(at + 1);
    if (path.is_absolute() && path.filename() == kSteeringSocket && own.contains(words[6])) return path;
  }
  return std::nullopt;
}

// --- SteeringSocket --------------------------------------------------------------------------------------------------

void SteeringSocket::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void SteeringSocket::connect() {
  const auto path = steering_socket(recorder_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!path || path->string().size() >= sizeof(address.sun_path)) {
    throw SteeringError(
        tr("Process {} cannot be steered: it has ended, or records with an older version of Lanescope.", recorder_),
        false);
  }
  const std::string text = path->string();
  std::copy(text.begin(), text.end(), address.sun_path);
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int reason = errno;
    close();
    throw SteeringError(tr("Process {} cannot be steered: {}", recorder_, std::strerror(reason)), false);
  }
  if (!same_user(socket_)) {
    close();
    throw SteeringError(tr("Process {} cannot be steered: {}", recorder_, std::strerror(EACCES)), true);
  }
}

SteeringAnswer SteeringSocket::ask(const SteeringChange& change) {
  const bool fresh = socket_ < 0;
  if (fresh) connect();
  const std::string request = write_request(change);
  const ssize_t sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  std::string bytes(kMostAnswerBytes, '\0');
  ssize_t got = -1;
  if (sent == static_cast<ssize_t>(request.size()) &&
      await_bytes(socket_, steady_clock::now() + kPatienceHere, [this] { return stopped(); })) {
    got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  }
  if (got <= 0) {
    close();
    // The recorder has closed the connection before it had the request: it is made again, once.
    if (!fresh && !stopped() && sent < 0) return ask(change);
    throw SteeringError(tr("Process {} does not answer.", recorder_), false);
  }
  const auto answer = read_answer(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  if (!answer) {
    close();
    throw SteeringError(tr("Process {} gives no answer that can be understood.", recorder_), true);
  }
  return *answer;
}

// --- SteeringOverSsh -------------------------------------------------------------------------------------------------

void SteeringOverSsh::connect() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw SteeringError(tr("cannot start {}: {}", command_.front(), std::strerror(errno)), false);
  }
  base::ChildStreams streams;
  streams.in = ends[1];
  streams.out = ends[1];
  const int error = base::start_child(command_, streams, child_);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    child_ = 0;
    throw SteeringError(tr("cannot start {}: {}", command_.front(), std::strerror(error)), false);
  }
  socket_ = ends[0];
}

int SteeringOverSsh::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (child_ <= 0) return 0;
  ::kill(child_, SIGTERM);
  return Launched::exit_status(base::wait_for_child(std::exchange(child_, 0)));
}

void SteeringOverSsh::fail() {
  constexpr int kWrongOption = 2, kNotFound = 127;
  // It has closed its side, so it is ending: its status is its own, not that of a signal.
  int status = 0;
  const auto deadline = steady_clock::now() + std::chrono::seconds(1);
  bool ended = false;
  while (child_ > 0 && !(ended = base::child_has_ended(child_, status)) && !stopped() &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  if (ended) child_ = 0;
  close();
  const int code = ended ? Launched::exit_status(status) : 255;
  if (code == kWrongOption) {
    throw SteeringError(
        tr("What is recorded cannot be changed: the Lanescope on {} is older and does not know {}.", host_, "--steer"),
        true);
  }
  if (code == kNotFound) throw SteeringError(tr("There is no Lanescope on {} that can be started.", host_), true);
  throw SteeringError(tr("The connection to {} is broken; it is tried again. The recording goes on there.", host_),
                      false);
}

SteeringAnswer SteeringOverSsh::ask(const SteeringChange& change) {
  if (socket_ < 0) connect();
  const std::string request = write_request(change);
  // The few bytes always have room: there is never more than one request on its way.
  if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(request.size())) {
    fail();
  }
  const auto answer = read_answer(receive());
  if (!answer) fail();
  if (answer->result == SteeringResult::NoRecorder) close();
  return *answer;
}

// Empty: what came is no answer.
std::string SteeringOverSsh::receive() {
  const auto deadline = steady_clock::now() + kPatienceFar;
  std::string bytes;
  std::size_t wanted = kSteeringHeadBytes;
  while (bytes.size() < wanted) {
    std::array<char, 4096> part{};
    if (!await_bytes(socket_, deadline, [this] { return stopped(); })) return {};
    const ssize_t got = ::recv(socket_, part.data(), std::min(part.size(), wanted - bytes.size()), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return {};
    bytes.append(part.data(), static_cast<std::size_t>(got));
    if (wanted == kSteeringHeadBytes && bytes.size() == wanted) {
      const auto whole = answer_bytes(bytes);
      if (!whole) return {};
      wanted = *whole;
    }
  }
  return bytes;
}

// --- on the other machine --------------------------------------------------------------------------------------------

void pass_on(int in, int out, const std::function<std::unique_ptr<SteeringLink>()>& link) {
  std::unique_ptr<SteeringLink> recorder;
  std::array<char, kSteeringRequestBytes> bytes{};
  while (read_whole(in, bytes.data(), bytes.size())) {
    SteeringAnswer answer;
    SteeringChange change;
    answer.result = read_request({bytes.data(), bytes.size()}, change);
    if (answer.result == SteeringResult::Done) {
      try {
        if (!recorder) recorder = link();
        answer = recorder->ask(change);
      } catch (const base::Error&) {
        answer.result = SteeringResult::NoRecorder;
        recorder.reset();
      }
    }
    if (!write_whole(out, write_answer(answer.result, answer.state))) return;
  }
}

}  // namespace lanescope::attach
