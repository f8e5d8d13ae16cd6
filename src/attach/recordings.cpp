#include "attach/recordings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

#include "attach/job.h"
#include "attach/launcher.h"
#include "attach/program_state.h"
#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::string_view kOption = "--record", kEnding = ".lanescope", kFollowing = "--to", kRunning = "--pid";

std::string read_recording(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<pid_t> as_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

// 0: unknown.
pid_t parent_of(pid_t process) {
  const std::string text = read_recording(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = text.rfind(") ");  // the name may contain anything
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < text.size())
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

// As they were when it was started.
Variables variables_of(pid_t process) {
  std::map<std::string, std::string> variables;
  const std::string text = read_recording(fmt::format("/proc/{}/environ", process));
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\0', from), text.size());
    const std::size_t equals = text.find('=', from);
    if (equals < to) variables.emplace(text.substr(from, equals - from), text.substr(equals + 1, to - equals - 1));
    from = to + 1;
  }
  return [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

std::vector<pid_t> own_processes() {
  std::vector<pid_t> own;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const auto pid = as_pid(at->path().filename().string());
    struct stat facts {};
    if (pid && ::stat(at->path().c_str(), &facts) == 0 && facts.st_uid == ::geteuid()) own.push_back(*pid);
  }
  std::sort(own.begin(), own.end());
  return own;
}

std::optional<Recording> as_recording(pid_t process) {
  const std::vector<std::string> words = process_words(static_cast<std::uint32_t>(process));
  if (words.size() < 2 || words[1] != "attach") return std::nullopt;
  Recording found;
  std::optional<pid_t> entered;  // --pid
  std::string file;
  found.recorder = process;
  const auto command = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != command; ++word) {
    if (*word == kRunning && word + 1 != command) entered = as_pid(*(word + 1));
    if (word->starts_with(std::string(kRunning) + "=")) entered = as_pid(word->substr(kRunning.size() + 1));
    if (*word == kOption && word + 1 != command) file = *(word + 1);
    if (word->starts_with(std::string(kOption) + "=")) file = word->substr(kOption.size() + 1);
  }
  if ((command == words.end() && !entered) || file.empty()) return std::nullopt;
  if (entered) {
    found.words = process_words(static_cast<std::uint32_t>(*entered));
    found.names.push_back(process_name(static_cast<std::uint32_t>(*entered)));
    found.processes.push_back(*entered);
  } else {
    found.words.assign(command + 1, words.end());
  }
  try {
    const std::vector<std::string> of_it = entered ? std::vector<std::string>() : found.words;
    found.file = record_file(file, job_place(variables_of(process), process), of_it,
                             process_folder(static_cast<std::uint32_t>(process)))
                     .path;
  } catch (const base::UsageError&) {  // it has just been told so
    return std::nullopt;
  }
  std::error_code error;
  if (found.file.extension() != kEnding || !std::filesystem::exists(found.file, error)) return std::nullopt;
  return found;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_meant(const Recording& recording, const std::string& wanted) {
  if (const auto pid = as_pid(wanted)) {
    return recording.recorder == *pid || std::ranges::find(recording.processes, *pid) != recording.processes.end();
  }
  const auto same = [&](const std::string& name) { return name == wanted || file_name(name) == wanted; };
  return std::ranges::any_of(recording.names, same) || std::ranges::any_of(recording.words, same) ||
         same(recording.file.string()) || recording.file.stem() == wanted;
}

std::string list_of(std::span<const Recording* const> recordings) {
  std::string text;
  for (const Recording* r : recordings) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} ({})", r->recorder, joined_words(r->words));
  }
  return text;
}

}  // namespace

bool is_alive(pid_t process) { return ::kill(process, 0) == 0 || errno == EPERM; }

std::vector<Recording> recordings() {
  std::vector<Recording> found;
  const std::vector<pid_t> own = own_processes();
  std::map<pid_t, std::size_t> recording_of;  // of the processes that belong to one
  for (const pid_t process : own) {
    if (auto recording = as_recording(process)) {
      recording_of[process] = found.size();
      found.push_back(std::move(*recording));
    }
  }
  if (found.empty()) return found;
  std::map<pid_t, pid_t> parents;
  for (const pid_t process : own) parents[process] = parent_of(process);
  for (const pid_t process : own) {
    pid_t ancestor = process;
    for (int generation = 0; generation < 64 && !recording_of.contains(ancestor); ++generation) {
      const auto parent = parents.find(ancestor);
      if (parent == parents.end()) break;
      ancestor = parent->second;
    }
    const auto of = recording_of.find(ancestor);
    if (of == recording_of.end() || of->first == process) continue;
    found[of->second].processes.push_back(process);
    found[of->second].names.push_back(process_name(static_cast<std::uint32_t>(process)));
  }
  return found;
}

std::vector<RankHere> ranks_here(const std::string& job) {
  const std::vector<Recording> all = recordings();
  std::vector<RankHere> ranks;
  for (const pid_t process : own_processes()) {
    const Variables variable = variables_of(process);
    if (variable("SLURM_JOB_ID") != job || !variable(kLookVariable).empty()) continue;
    RankHere here;
    const JobPlace place = job_place(variable, process);
    here.rank = place.rank.value_or(0);
    here.ranks = place.rank ? std::max(place.ranks, here.rank + 1) : 0;
    here.node = place.node;
    here.process = process;
    here.uses_gpu = read_recording(fmt::format("/proc/{}/maps", process)).find("/libcuda.so") != std::string::npos;
    for (const Recording& recording : all) {
      if (std::ranges::find(recording.processes, process) != recording.processes.end())
        here.recordings.push_back(recording);
    }
    ranks.push_back(std::move(here));
  }
  return ranks;
}

const Recording& find_recording(std::span<const Recording> all, const std::string& wanted) {
  std::vector<const Recording*> meant, there;
  for (const Recording& recording : all) {
    there.push_back(&recording);
    if (is_meant(recording, wanted)) meant.push_back(&recording);
  }
  if (meant.size() == 1) return *meant.front();
  if (meant.size() > 1) {
    throw base::UsageError(
        tr("{} '{}' means several recordings: {}; name one by its process number", kFollowing, wanted, list_of(meant)));
  }
  if (there.empty()) {
    throw base::UsageError(
        tr("{} '{}': nothing is being recorded here; begin with lanescope attach --record FILE.lanescope -- COMMAND",
           kFollowing, wanted));
  }
  throw base::UsageError(tr("{} '{}' is not being recorded; there is: {}", kFollowing, wanted, list_of(there)));
}

// --- remote program --------------------------------------------------------------------------------------------------

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRemoteLook{100}, kRemoteFirstPause{1000}, kRemoteLongestPause{10'000};
constexpr const char* kFolderThere = "~/.cache/lanescope";
// The job may end with its last program, and tells all that is in it so: what that has written last is still read.
constexpr const char* kToTheEnd = "trap '' TERM; ";

std::string random_name() {
  std::random_device random;
  return fmt::format("attach-{:08x}{:08x}", random(), random());
}

bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(file, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

// Quoted, so that a shell there takes it as it is; "~/" at its start is expanded there.
std::string word_there(const std::string& word) {
  if (word == "~" || !word.starts_with("~/")) return joined_words({word});
  return "~/" + (word.size() > 2 ? joined_words({word.substr(2)}) : std::string());
}

std::string command_there(const RemoteOptions& options, const std::string& file) {
  if (!options.recording.empty())
    return fmt::format("{}exec tail --pid={} -s 0.2 -f /dev/null", kToTheEnd, options.recorder);
  std::string text = fmt::format("mkdir -p {} && exec {} attach --record {} --level {}", kFolderThere,
                                 word_there(options.lanescope), file, to_text(options.intensity.level));
  if (options.intensity.level == wire::Level::Acquire && !options.intensity.sparing)
    text += fmt::format(" --share {:.0f}", options.intensity.share * 100);
  if (!options.intensity.launch_lines) text += " --no-launch-lines";
  if (!options.command.folder.empty()) text += " --folder " + word_there(options.command.folder.string());
  for (const auto& [name, value] : options.command.variables) text += " --env " + joined_words({name + "=" + value});
  if (options.pid != 0) return fmt::format("{} --pid {}", text, options.pid);
  return text + " -- " + joined_words(options.command.words);
}

}  // namespace

RemoteProgram::RemoteProgram(RemoteOptions options) : options_(std::move(options)) {
  // What begins with a dash would be an option of ssh's.
  if (options_.host.empty() || options_.host.starts_with("-")) {
    throw base::UsageError(tr("--host '{}' is no machine; allowed: what ssh takes, such as user@node", options_.host));
  }
  remote_file_ = options_.recording.empty() ? fmt::format("{}/{}.lanescope", kFolderThere, random_name())
                                            : joined_words({options_.recording});
  if (!options_.copy.empty()) return;
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "lanescope-XXXXXX").string();
  if (error || !::mkdtemp(pattern.data())) {
    throw base::Error(tr("{}: cannot make a folder for the recording: {}", pattern, std::strerror(errno)));
  }
  folder_ = pattern;
  options_.copy = folder_ / "recording.lanescope";
}

RemoteProgram::~RemoteProgram() {
  stop_ = true;
  if (const pid_t program = program_; program > 0) ::kill(program, SIGHUP);
  if (waiting_.joinable()) waiting_.join();
  if (copying_.joinable()) copying_.join();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> RemoteProgram::enter(std::vector<std::string> options, std::string command) const {
  if (!options_.door.empty()) {
    std::vector<std::string> words = options_.door;
    words.push_back(std::move(command));
    return words;
  }
  // A connection that has died is noticed within 15 seconds.
  std::vector<std::string> words{"ssh", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"};
  words.insert(words.end(), std::move_iterator(options.begin()), std::move_iterator(options.end()));
  words.push_back(options_.host);
  words.push_back(std::move(command));
  return words;
}

std::string RemoteProgram::recording() const { return options_.host + ":" + remote_file_; }

void RemoteProgram::start() {
  const int file = ::open(options_.copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    throw base::FileError(fmt::format("{}: {}: {}", options_.copy.string(), tr("cannot write"), std::strerror(errno)));
  }
  std::vector<std::string> terminal;
  if (::isatty(STDIN_FILENO) && ::isatty(STDOUT_FILENO)) terminal = {"-t"};
  base::ChildStreams streams;
  if (options_.recording.empty()) {  // otherwise nothing is said to anybody
    streams.in = STDIN_FILENO;
    streams.out = STDOUT_FILENO;
    streams.quiet = false;
  }
  pid_t program = 0;
  const int error = base::start_child(enter(terminal, command_there(options_, remote_file_)), streams, program);
  if (error != 0) {
    ::close(file);
    throw base::Error(
        tr("cannot start {}: {}", options_.door.empty() ? "ssh" : options_.door.front(), std::strerror(error)));
  }
  program_ = program;
  waiting_ = std::thread([this, program] {
    status_ = Launched::exit_status(base::wait_for_child(program));
    program_ = 0;
    ended_.store(true, std::memory_order_release);
  });
  copying_ = std::thread([this, file] {
    milliseconds pause = kRemoteFirstPause;
    while (!stop_) {
      const std::uint64_t before = state().bytes;
      if (copy_once(file)) break;
      if (state().bytes > before) pause = kRemoteFirstPause;
      for (milliseconds waited{0}; waited < pause && !stop_; waited += kRemoteLook)
        std::this_thread::sleep_for(kRemoteLook);
      pause = std::min(2 * pause, kRemoteLongestPause);
    }
    ::close(file);
    if (!complete_) return;
    pid_t removing = 0;
    if (base::start_child(enter({"-o", "BatchMode=yes"}, "rm -f " + remote_file_), {}, removing) == 0)
      base::wait_for_child(removing);
  });
}

int RemoteProgram::wait() {
  if (waiting_.joinable()) waiting_.join();
  return status_;
}

void RemoteProgram::stop_copying(bool complete) {
  complete_ = complete && options_.recording.empty();
  stop_ = true;
}

RemoteProgram::State RemoteProgram::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RemoteProgram::set_trouble(std::string trouble) {
  const std::lock_guard lock(mutex_);
  state_.trouble = std::move(trouble);
}

// Over one connection, from where the last one stopped. True if nothing more can be copied.
bool RemoteProgram::copy_once(int file) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    set_trouble(tr("The recording is not copied: {}", std::strerror(errno)));
    return false;
  }
  const std::uint64_t from = state().bytes;
  // The file may not be there yet.
  const std::string until = options_.recording.empty() ? "" : fmt::format("--pid={} -s 0.2 ", options_.recorder);
  const std::string command = fmt::format("{}exec tail {}-c +{} -F {} 2>/dev/null",
                                          options_.door.empty() ? "" : kToTheEnd, until, from + 1, remote_file_);
  base::ChildStreams streams;
  streams.out = pipe[1];
  pid_t child = 0;
  const int error = base::start_child(enter({"-o", "BatchMode=yes"}, command), streams, child);
  ::close(pipe[1]);
  if (error != 0) {
    ::close(pipe[0]);
    set_trouble(tr("The recording is not copied: {}", std::strerror(error)));
    return false;
  }
  std::vector<char> bytes(std::size_t{64} << 10);
  bool full = false;
  auto since = steady_clock::now();
  std::uint64_t copied = 0;  // since then
  while (!stop_) {
    pollfd ready{pipe[0], POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kRemoteLook.count())) <= 0) continue;
    const ssize_t got = ::read(pipe[0], bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!write_all(file, bytes.data(), static_cast<std::size_t>(got))) {
      set_trouble(fmt::format("{}: {}: {}", options_.copy.string(), tr("cannot write"), std::strerror(errno)));
      full = true;
      break;
    }
    copied += static_cast<std::uint64_t>(got);
    {
      const std::lock_guard lock(mutex_);
      state_.bytes += static_cast<std::uint64_t>(got);
      state_.trouble.clear();
    }
    // What is not read waits there: the connection is not filled.
    const std::chrono::duration<double> due(static_cast<double>(copied) / static_cast<double>(options_.bytes_per_s));
    const auto ahead = due - (steady_clock::now() - since);
    if (ahead > kRemoteLook)
      std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(ahead, milliseconds{500}));
    if (ahead < -std::chrono::seconds(1)) {  // what was not used is not saved up
      since = steady_clock::now();
      copied = 0;
    }
  }
  ::close(pipe[0]);
  ::kill(child, SIGTERM);
  base::wait_for_child(child);
  if (!stop_ && !full) {
    set_trouble(tr("The connection to {} is broken; it is tried again. The recording goes on there.", options_.host));
  }
  return full;
}

}  // namespace lanescope::attach
