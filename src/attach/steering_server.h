// The recorder's side of steering: a socket that only this user can reach, at which viewers ask what is in effect and
// change how much is recorded. It has a thread of its own, never waits for a viewer, and believes nothing it is sent.
#pragma once

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "attach/attachment.h"
#include "attach/steering_messages.h"

namespace lanescope::attach {

class SteeringServer {
 public:
  static constexpr std::size_t kMostClients = 16;

  /// `path` is in a folder that only this user can enter. Throws base::Error.
  SteeringServer(Steerable& program, const std::filesystem::path& path);
  ~SteeringServer();
  SteeringServer(const SteeringServer&) = delete;
  SteeringServer& operator=(const SteeringServer&) = delete;

  std::size_t refused() const { return refused_; }  ///< connections of other users
  std::size_t clients() const { return connected_; }

 private:
  struct Client {
    int socket = -1;
    std::uint64_t heard = 0;  // greater: later
  };

  void run();
  void accept_all();
  bool serve(Client& client);  // false: it has gone, or does not read its answers

  Steerable& program_;
  std::filesystem::path path_;
  int listener_ = -1;
  int wake_ = -1;
  std::vector<Client> clients_;  // the thread's
  std::uint64_t heard_ = 0;
  std::atomic<std::size_t> refused_{0}, connected_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Changes what is asked for, all of it or nothing.
SteeringResult apply(Steerable& program, const SteeringChange& change);

}  // namespace lanescope::attach
