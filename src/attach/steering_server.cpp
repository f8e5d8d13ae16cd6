#include "attach/steering_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr int kMostAtOnce = 8;  // requests of one client, before the others have their turn
constexpr int kPauseMs = 100;

}  // namespace

SteeringResult apply(Steerable& program, const SteeringChange& change) {
  if (change.loop) {
    const AttachState state = program.state();
    const auto process = std::ranges::find(state.processes, change.loop->pid, &ProcessState::pid);
    if (process == state.processes.end() || process->ended) return SteeringResult::NoProcess;
    if (change.loop->key &&
        std::ranges::find(process->loops, *change.loop->key, &LoopChoice::key) == process->loops.end())
      return SteeringResult::NoLoop;
    program.choose_loop(change.loop->pid, change.loop->key);
  }
  if (change.level || change.share || change.launch_lines) {
    Intensity intensity = program.intensity();
    intensity.level = change.level.value_or(intensity.level);
    intensity.share = change.share.value_or(intensity.share);
    intensity.launch_lines = change.launch_lines.value_or(intensity.launch_lines);
    program.set_intensity(intensity);
  }
  if (change.record) program.record_for(*change.record);
  return SteeringResult::Done;
}

SteeringServer::SteeringServer(Steerable& program, const std::filesystem::path& path) : program_(program), path_(path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  const auto fail = [&](const std::string& why) {
    if (listener_ >= 0) ::close(listener_);
    if (wake_ >= 0) ::close(wake_);
    throw base::Error(tr("{}: what is recorded cannot be changed from elsewhere: {}", text, why));
  };
  if (text.size() >= sizeof(address.sun_path)) fail(tr("the path is too long"));
  std::copy(text.begin(), text.end(), address.sun_path);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (wake_ < 0 || listener_ < 0 ||
      ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(text.c_str(), 0600) != 0 || ::listen(listener_, static_cast<int>(kMostClients)) != 0) {
    fail(std::strerror(errno));
  }
  thread_ = std::thread([this] { run(); });
}

SteeringServer::~SteeringServer() {
  stop_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
  thread_.join();
  for (const Client& client : clients_) ::close(client.socket);
  ::close(listener_);
  ::close(wake_);
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void SteeringServer::run() {
  while (!stop_) {
    std::vector<pollfd> awaited{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Client& client : clients_) awaited.push_back({client.socket, POLLIN, 0});
    if (::poll(awaited.data(), awaited.size(), -1) < 0 || stop_) continue;
    std::size_t i = 2;
    std::erase_if(clients_, [&](Client& client) {
      if (awaited[i++].revents == 0 || serve(client)) return false;
      ::close(client.socket);
      return true;
    });
    if (awaited[1].revents != 0) accept_all();
    connected_ = clients_.size();
  }
}

void SteeringServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {  // no more files: not tried over and over
        pollfd woken{wake_, POLLIN, 0};
        ::poll(&woken, 1, kPauseMs);
      }
      return;
    }
    if (!same_user(socket)) {
      ++refused_;
      ::close(socket);
      continue;
    }
    if (clients_.size() == kMostClients) {  // a window that is left out comes again
      const auto quietest = std::ranges::min_element(clients_, {}, &Client::heard);
      ::close(quietest->socket);
      clients_.erase(quietest);
    }
    clients_.push_back({socket, ++heard_});
  }
}

bool SteeringServer::serve(Client& client) {
  for (int i = 0; i < kMostAtOnce; ++i) {
    // One byte more, so that what is too long is seen.
    std::array<char, kSteeringRequestBytes + 1> bytes{};
    const ssize_t got = ::recv(client.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (got == 0) return false;
    client.heard = ++heard_;
    SteeringChange change;
    SteeringResult result = read_request({bytes.data(), static_cast<std::size_t>(got)}, change);
    if (result == SteeringResult::Done) result = apply(program_, change);
    SteeringState state;
    state.program = program_.state();
    state.intensity = program_.intensity();
    state.boosted_ns = program_.boosted_ns();
    const std::string answer = write_answer(result, state);
    const ssize_t sent = ::send(client.socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(answer.size())) return false;
  }
  return true;
}

}  // namespace lanescope::attach
