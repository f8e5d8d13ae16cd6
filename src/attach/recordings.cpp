#include "attach/recordings.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "attach/launcher.h"
#include "attach/program_state.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::string_view kOption = "--record", kEnding = ".lanescope", kFollowing = "--to";

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
  found.recorder = process;
  const auto command = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != command; ++word) {
    if (*word == kOption && word + 1 != command) found.file = *(word + 1);
    if (word->starts_with(std::string(kOption) + "=")) found.file = word->substr(kOption.size() + 1);
  }
  if (command == words.end() || found.file.extension() != kEnding) return std::nullopt;
  found.words.assign(command + 1, words.end());
  if (found.file.is_relative()) found.file = process_folder(static_cast<std::uint32_t>(process)) / found.file;
  std::error_code error;
  if (!std::filesystem::exists(found.file, error)) return std::nullopt;
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

}  // namespace lanescope::attach
