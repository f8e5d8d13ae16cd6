// A viewer's connection to a recorder: to its socket on this machine, or over ssh to one on another machine.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attach/steering_messages.h"
#include "base/error.h"

namespace lanescope::attach {

/// No answer has come.
class SteeringError : public base::Error {
 public:
  SteeringError(const std::string& what, bool lasting) : base::Error(what), lasting_(lasting) {}
  bool lasting() const { return lasting_; }  ///< it is no use to try again

 private:
  bool lasting_;
};

class SteeringLink {
 public:
  virtual ~SteeringLink() = default;
  /// Asks for a change and waits for the answer. Connects first where it must. Throws SteeringError.
  virtual SteeringAnswer ask(const SteeringChange& change) = 0;
  /// From any thread: ask() soon returns or throws.
  void stop() { stopped_ = true; }

 protected:
  bool stopped() const { return stopped_; }

 private:
  std::atomic<bool> stopped_{false};
};

/// The socket at which a recorder on this machine listens; found in /proc, as recordings are. Empty: there is none, for
/// it has ended, has not begun, or is older than this.
std::optional<std::filesystem::path> steering_socket(pid_t recorder);

/// To a recorder on this machine.
class SteeringSocket final : public SteeringLink {
 public:
  explicit SteeringSocket(pid_t recorder) : recorder_(recorder) {}
  ~SteeringSocket() override { close(); }
  SteeringSocket(const SteeringSocket&) = delete;
  SteeringSocket& operator=(const SteeringSocket&) = delete;

  SteeringAnswer ask(const SteeringChange& change) override;

 private:
  void connect();
  void close();

  pid_t recorder_;
  int socket_ = -1;
};

/// To one on another machine, through a program that passes on what it reads and writes (pass_on()).
class SteeringOverSsh final : public SteeringLink {
 public:
  /// `command` starts ssh; `host` is for sentences.
  SteeringOverSsh(std::vector<std::string> command, std::string host)
      : command_(std::move(command)), host_(std::move(host)) {}
  ~SteeringOverSsh() override { close(); }
  SteeringOverSsh(const SteeringOverSsh&) = delete;
  SteeringOverSsh& operator=(const SteeringOverSsh&) = delete;

  SteeringAnswer ask(const SteeringChange& change) override;

 private:
  void connect();
  int close();  // the status of the program, as a shell reports it
  std::string receive();
  [[noreturn]] void fail();

  std::vector<std::string> command_;
  std::string host_;
  int socket_ = -1;
  pid_t child_ = 0;
};

/// On the other machine: reads requests from a file and writes the answers to another one until the first has ended.
/// `link` gives the connection to the recorder, or throws base::Error where there is none.
void pass_on(int in, int out, const std::function<std::unique_ptr<SteeringLink>()>& link);

}  // namespace lanescope::attach
