#include "attach/job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/from_chars.h"
#include "base/plain_text.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::string_view kSessionFile = ".lanescope";

std::optional<int> number_of(const std::string& text) {
  constexpr int kMost = 10'000'000;
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = base::from_chars(text.data(), last, number);
  const bool right = error == std::errc() && end == last && number >= 0 && number <= kMost;
  return right ? std::optional(number) : std::nullopt;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A part of a name is no path.
std::string without_slashes(std::string text) {
  std::ranges::replace(text, '/', '_');
  return text;
}

std::string host_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "";
  const std::string name = base::valid_utf8(host.data());
  return name.substr(0, name.find('.'));  // without its domain
}

/// Of many files `ls` is to have rank 10 after rank 9: as many digits as the last one has.
std::string padded(int rank, int ranks) {
  const std::string last = std::to_string(std::max(ranks - 1, 0));
  return fmt::format("{:0{}}", rank, last.size());
}

}  // namespace

std::string own_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

JobPlace job_place(const Variables& variable, pid_t process) {
  struct Names {
    const char *rank, *ranks, *local_rank;
    bool needs_ranks;
  };
  // As in the library, src/inject/connection.cpp. But a batch script, in which no rank runs, has a SLURM_PROCID, too:
  // a task is one of a step.
  static constexpr Names kNames[] = {
      {"RANK", "WORLD_SIZE", "LOCAL_RANK", false},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", false},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", true},
      {"PMI_RANK", "PMI_SIZE", nullptr, false}};
  JobPlace place;
  for (const Names& names : kNames) {
    const auto rank = number_of(variable(names.rank)), ranks = number_of(variable(names.ranks));
    if (!rank || (ranks && *rank >= *ranks) || (names.needs_ranks && !ranks)) continue;
    place.rank = rank;
    place.ranks = ranks.value_or(0);
    if (names.local_rank) place.local_rank = number_of(variable(names.local_rank));
    break;
  }
  for (const char* name : {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"}) {
    if (place.job.empty()) place.job = variable(name);
  }
  for (const char* name : {"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"}) {
    place.restarts += number_of(variable(name)).value_or(0);
  }
  place.host = host_name();
  place.node = variable("SLURMD_NODENAME");
  if (place.node.empty()) place.node = place.host;
  place.process = process;
  return place;
}

// --- the recording's name --------------------------------------------------------------------------------------------

namespace {

/// The ranks are the command's children: what launched this recorder has numbered nodes.
bool starts_ranks(const std::vector<std::string>& command) {
  static constexpr std::array kLaunchers{"torchrun", "accelerate", "deepspeed",     "horovodrun", "srun",
                                         "mpirun",   "mpiexec",    "mpiexec.hydra", "orterun",    "prterun"};
  const std::string program = command.empty() ? std::string() : last_part(command.front());
  if (std::ranges::find(kLaunchers, program) != kLaunchers.end()) return true;
  const auto is_module = [](const std::string& word) {
    return word == "torch.distributed.run" || word == "torch.distributed.launch";
  };
  return program.starts_with("python") && std::ranges::any_of(command, is_module);
}

/// The value of a letter in a pattern; empty: nothing here says it.
std::string part_of(char letter, const std::string& pattern, const JobPlace& place) {
  switch (letter) {
    case 'r':
      return place.rank ? padded(*place.rank, place.ranks) : "";
    case 'l':
      return place.local_rank ? std::to_string(*place.local_rank) : "";
    case 'n':
      return place.node;
    case 'j':
      return place.job;
    case 'h':
      return place.host;
    case 'p':
      return std::to_string(place.process);
    case '%':
      return "%";
    default:
      throw base::UsageError(
          tr("--record '{}': %{} is no part of a name; allowed: %r rank, %l local rank, %n node, %j job, %h host, %p "
             "process, %%",
             pattern, letter == 0 ? std::string() : std::string(1, letter)));
  }
}

std::string filled_in(const std::string& pattern, const JobPlace& place) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      name += pattern[i];
      continue;
    }
    const char letter = i + 1 < pattern.size() ? pattern[++i] : '\0';
    const std::string part = part_of(letter, pattern, place);
    if (part.empty()) {
      throw base::UsageError(
          tr("--record '{}': nothing here says what %{} is: no torchrun, Open MPI, Slurm or other MPI has started this "
             "process; %h is the host, and %p the process",
             pattern, letter));
    }
    name += without_slashes(part);
  }
  return name;
}

/// "rank3.lanescope" becomes "rank3.restart1.lanescope": what was recorded before is not in the way.
std::filesystem::path with_restarts(std::filesystem::path path, int restarts) {
  if (restarts == 0) return path;
  std::string name = path.filename().string();
  std::size_t ending = name.size();
  for (const std::string_view known : {kSessionFile, std::string_view(".json"), std::string_view(".json.gz")}) {
    if (name.ends_with(known)) ending = name.size() - known.size();
  }
  name.insert(ending, fmt::format(".restart{}", restarts));
  return path.replace_filename(name);
}

[[noreturn]] void refuse(const std::filesystem::path& path, int error) {
  throw base::FileError(path.string() + ": " + tr("cannot write") + ": " + std::strerror(error));
}

}  // namespace

RecordFile record_file(const std::string& wanted, const JobPlace& place, const std::vector<std::string>& command,
                       const std::filesystem::path& folder) {
  std::string name = wanted;
  const bool pattern = wanted.find('%') != std::string::npos;
  if (pattern) name = filled_in(wanted, place);
  std::filesystem::path path = name;
  if (path.is_relative()) path = folder / path;
  std::error_code error;
  const bool into = name.ends_with('/') || std::filesystem::is_directory(path, error);
  if (into)
    path /= filled_in(place.rank && !starts_ranks(command) ? "rank%r" : "node%n", place) + std::string(kSessionFile);
  RecordFile file{path, pattern || into || place.one_of_many()};
  if (file.one_of_many) file.path = with_restarts(file.path, place.restarts);
  return file;
}

RecordClaim::RecordClaim(const RecordFile& file) : path_(file.path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  const bool there = std::filesystem::exists(status);
  if (there && !std::filesystem::is_regular_file(status)) return;  // a device or a pipe
  if (file.one_of_many && path_.has_parent_path()) {
    std::filesystem::create_directories(path_.parent_path(), error);
    if (error) refuse(path_.parent_path(), error.value());
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  made_ = file_ >= 0;
  if (file_ < 0 && errno == EEXIST) {
    if (file.one_of_many) {
      throw base::FileError(
          tr("{} is there already, and is not overwritten: remove it, or give each task a file of its own, with a "
             "folder (--record DIR/) or %r in the name",
             path_.string()));
    }
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (file_ < 0) refuse(path_, errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // others: this file system has no locks
  ::close(file_);
  throw base::FileError(tr("{} is being written by another recorder: give this one another name", path_.string()));
}

RecordClaim::~RecordClaim() {
  if (made_) ::unlink(path_.c_str());
  if (file_ >= 0) ::close(file_);
}

// --- elsewhere -------------------------------------------------------------------------------------------------------

namespace {

bool has_option(const std::vector<std::string>& command, std::initializer_list<std::string_view> options) {
  return std::ranges::any_of(command, [&](const std::string& word) {
    return std::ranges::any_of(options, [&](std::string_view option) {
      return word == option || (word.starts_with(option) && option.starts_with("--") && word[option.size()] == '=');
    });
  });
}

}  // namespace

std::string started_elsewhere(const std::vector<std::string>& command, const Variables& variable) {
  const std::string launcher = command.empty() ? std::string() : last_part(command.front());
  const std::string nodes = variable("SLURM_JOB_NODELIST");
  const bool several = number_of(variable("SLURM_JOB_NUM_NODES")).value_or(1) > 1;
  std::string where = nodes.empty() || !several ? tr("other machines") : nodes;
  if (launcher == "sbatch") {
    return tr("sbatch starts its script later and elsewhere. In the script, write: {}",
              "srun lanescope attach --record DIR/ -- COMMAND");
  }
  if (launcher == "srun") {
    // Without an allocation it gets one: on a machine for that, which this one hardly is.
    const bool allocated = !variable("SLURM_JOB_ID").empty();
    if (allocated && !several && !has_option(command, {"-N", "--nodes", "-w", "--nodelist"})) return "";
  } else if (launcher == "mpirun" || launcher == "mpiexec" || launcher == "mpiexec.hydra" || launcher == "orterun" ||
             launcher == "prterun") {
    if (!several && !has_option(command, {"-H", "-host", "--host", "-hosts", "--hosts", "-f", "-hostfile", "--hostfile",
                                          "-machinefile", "--machinefile"}))
      return "";
  } else {
    return "";
  }
  return tr("{} started its processes on {}, where nobody could report in here. Put lanescope behind it: {}", launcher,
            where, launcher + " ... lanescope attach --record DIR/ -- COMMAND");
}

}  // namespace lanescope::attach
