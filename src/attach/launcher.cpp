#include "attach/launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/platform/paths.h"
#include "base/translate.h"

extern char** environ;

namespace lanescope::attach {
namespace {

using base::tr;

constexpr const char* kCudaVariable = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxVariable = "NVTX_INJECTION64_PATH";
constexpr std::size_t kMostPending = 256;
constexpr std::chrono::seconds kPatience{10};
constexpr const char* kLibrary = "liblanescope_inject.so";

std::string reason() { return std::strerror(errno); }

std::filesystem::path private_folder(const std::filesystem::path& root) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  std::filesystem::path parent =
      runtime && std::filesystem::is_directory(runtime, error) && ::access(runtime, W_OK) == 0
          ? std::filesystem::path(runtime)
          : std::filesystem::temp_directory_path(error);
  if (parent.empty()) parent = "/tmp";
  if (!root.empty()) parent = root / "tmp";
  std::string pattern = (parent / "lanescope-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {  // only this user may enter it
    throw base::Error(tr("{}: cannot make a folder for the connection: {}", parent.string(), reason()));
  }
  return pattern;
}

/// False if the other end of the connection was opened by another user, or that is unknown.
bool same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

enum class Received { Nothing, Hello, Nonsense };

/// A Hello and its file, without waiting.
Received receive(int socket, wire::Hello& hello, int& memory) {
  iovec part{&hello, sizeof(hello)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return Received::Nothing;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); n > 0 && head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= head->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(head) + at, sizeof(file));
      if (memory < 0) {
        memory = file;
      } else {
        ::close(file);  // padding gives room for more than the one that is asked for
      }
    }
  }
  const bool whole = n == static_cast<ssize_t>(sizeof(hello)) && memory >= 0 && hello.magic == wire::kMagic;
  return whole ? Received::Hello : Received::Nonsense;
}

// Its process may end meanwhile: an iterator over the file would throw then.
std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Of a variable, as the program will see it; empty: it is not set.
std::string value_of(const Command& command, const char* name) {
  const auto given = command.variables.find(name);
  if (given != command.variables.end()) return given->second;
  const char* inherited = std::getenv(name);
  return inherited ? inherited : "";
}

std::string library_for(const Command& command) {
  if (command.words.empty()) throw base::UsageError(tr("there is no command to start"));
  const std::string library = injection_library().string();
  const bool asleep = value_of(command, wire::kSocketVariable) == "sleep";  // a job's prolog has set ours, see enter.h
  if (const std::string other = value_of(command, kCudaVariable); !asleep && !other.empty() && other != library) {
    throw base::UsageError(tr(
        "{} is already set to {}: another tool watches the program. Unset it, or start the program without that tool.",
        kCudaVariable, other));
  }
  return library;
}

/// As execvp() looks for it: 0, or why not.
int reason_not_to_run(const std::string& word, const std::filesystem::path& folder) {
  const auto reason_of = [](const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return EACCES;
    return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
  };
  if (word.find('/') != std::string::npos) return reason_of(folder / word);
  const char* listed = std::getenv("PATH");
  const std::string path = listed ? listed : "/bin:/usr/bin";
  int reason = ENOENT;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    const int why = reason_of(folder / path.substr(from, to - from) / word);
    if (why == 0) return 0;
    if (why == EACCES) reason = why;
    from = to + 1;
  }
  return reason;
}

}  // namespace

void check_startable(const Command& command) {
  library_for(command);
  const std::filesystem::path& folder = command.folder;
  if (!folder.empty() && ::access(folder.c_str(), X_OK) != 0) {
    throw base::Error(tr("cannot enter {}: {}", folder.string(), reason()));
  }
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw base::Error(tr("cannot enter {}: {}", folder.string(), std::strerror(ENOTDIR)));
  }
  if (const int why = reason_not_to_run(command.words[0], folder); why != 0) {
    throw base::Error(tr("cannot start {}: {}", command.words[0], std::strerror(why)));
  }
}

std::filesystem::path injection_library() {
  if (const char* named = std::getenv("LANESCOPE_INJECT")) {
    if (::access(named, R_OK) == 0) return std::filesystem::absolute(named);
    throw base::Error(tr("LANESCOPE_INJECT names {}, which cannot be read: {}", named, reason()));
  }
  const std::filesystem::path path = base::own_library(kLibrary);
  if (::access(path.c_str(), R_OK) == 0) return path;
  throw base::Error(tr("{} is not beside this program ({}): it is built where the CUDA toolkit is", kLibrary,
                       path.parent_path().string()));
}

// --- Meeting ---------------------------------------------------------------------------------------------------------

Meeting::Meeting(const std::filesystem::path& root) : folder_(private_folder(root)), path_(folder_ / "attach") {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path_.string();
  const auto fail = [&](const std::string& why) {
    if (listener_ >= 0) ::close(listener_);
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    throw base::Error(tr("{}: cannot listen for the program: {}", text, why));
  };
  if (text.size() >= sizeof(address.sun_path)) fail(tr("the path is too long"));
  std::copy(text.begin(), text.end(), address.sun_path);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) fail(reason());
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(text.c_str(), 0600) != 0 || ::listen(listener_, 64) != 0) {
    fail(reason());
  }
}

Meeting::~Meeting() {
  for (const Pending& pending : pending_) ::close(pending.socket);
  ::close(listener_);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::vector<int> Meeting::descriptors() const {
  std::vector<int> all;
  if (!full_) all.push_back(listener_);
  for (const Pending& pending : pending_) all.push_back(pending.socket);
  return all;
}

void Meeting::refuse(const Pending& pending) {
  ++refused_;
  ::close(pending.socket);
}

std::optional<Arrival> Meeting::next() {
  const auto now = std::chrono::steady_clock::now();
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
      // At the limit of descriptors whoever wants to report in has to wait, without a poll() that returns at once.
      full_ = errno == EMFILE || errno == ENFILE;
      break;
    }
    if (pending_.size() < kMostPending && same_user(socket)) {
      pending_.push_back({socket, now});
    } else {
      refuse({socket, now});
    }
  }
  for (std::size_t i = 0; i < pending_.size();) {
    const Pending pending = pending_[i];
    Arrival arrival;
    arrival.socket = pending.socket;
    const Received received = receive(pending.socket, arrival.hello, arrival.memory);
    if (received == Received::Nothing && now - pending.since < kPatience) {
      ++i;
      continue;
    }
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    if (received == Received::Hello) return arrival;
    refuse(pending);
    if (arrival.memory >= 0) ::close(arrival.memory);
  }
  return std::nullopt;
}

// --- Launched --------------------------------------------------------------------------------------------------------

Launched::Launched(const Command& command, const std::filesystem::path& socket) {
  const std::string library = library_for(command);
  std::map<std::string, std::string> variables = command.variables;
  variables[kCudaVariable] = library;
  const bool asleep = value_of(command, wire::kSocketVariable) == "sleep";
  if (const std::string other = value_of(command, kNvtxVariable); !asleep && !other.empty() && other != library) {
    without_nvtx_ =
        tr("{} is already set to {}, so the program's NVTX ranges are not seen here.", kNvtxVariable, other);
  } else {
    variables[kNvtxVariable] = library;
  }
  variables[wire::kSocketVariable] = socket.string();

  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  std::vector<char*> words, entries;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (const std::string& entry : environment) entries.push_back(const_cast<char*>(entry.c_str()));
  entries.push_back(nullptr);

  // The pipe closes when the program has been started; otherwise it says why it could not be.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::Error(tr("cannot start {}: {}", command.words[0], reason()));
  const std::string folder = command.folder.string();
  pid_ = ::fork();
  if (pid_ == 0) {
    // The handlers of this program do not survive exec; what it ignores would.
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    int failed = 0;
    if (!folder.empty() && ::chdir(folder.c_str()) != 0) {
      failed = -errno;
    } else {
      ::execvpe(words[0], words.data(), entries.data());
      failed = errno;
    }
    [[maybe_unused]] const ssize_t written = ::write(ends[1], &failed, sizeof(failed));
    ::_exit(127);
  }
  ::close(ends[1]);
  int failed = pid_ < 0 ? errno : 0;
  if (pid_ > 0 && ::read(ends[0], &failed, sizeof(failed)) != static_cast<ssize_t>(sizeof(failed))) failed = 0;
  ::close(ends[0]);
  if (failed == 0) return;
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  throw base::Error(failed < 0 ? tr("cannot enter {}: {}", folder, std::strerror(-failed))
                               : tr("cannot start {}: {}", command.words[0], std::strerror(failed)));
}

// The program goes on: it belongs to the user.
Launched::~Launched() = default;

std::optional<int> Launched::ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

int Launched::wait() {
  while (!status_) {
    int status = 0;
    if (::waitpid(pid_, &status, 0) == pid_) {
      status_ = status;
    } else if (errno != EINTR) {
      status_ = 0;
    }
  }
  return *status_;
}

void Launched::signal(int number) {
  if (!ended()) ::kill(pid_, number);
}

int Launched::exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::string Launched::describe(int status) {
  if (WIFSIGNALED(status)) return tr("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return tr("exit status {}", WEXITSTATUS(status));
}

// --- /proc -----------------------------------------------------------------------------------------------------------

std::vector<std::string> process_words(std::uint32_t pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  std::vector<std::string> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\0', from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::string process_name(std::uint32_t pid) {
  const std::vector<std::string> words = process_words(pid);
  if (words.empty()) return "pid " + std::to_string(pid);
  const auto last_part = [](const std::string& path) { return base::valid_utf8(path.substr(path.rfind('/') + 1)); };
  const std::string program = last_part(words[0]);
  if (!program.starts_with("python")) return program;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-m" && i + 1 < words.size()) return base::valid_utf8(words[i + 1]);
    if (words[i] == "-c") break;
    if (words[i].starts_with("-")) continue;
    return last_part(words[i]);
  }
  return program;
}

std::filesystem::path process_folder(std::uint32_t pid) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/cwd", error);
  return error ? std::filesystem::path() : folder;
}

}  // namespace lanescope::attach
