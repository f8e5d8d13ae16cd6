// `lanescope attach --job`: into a running job of Slurm's without a door of its own, through a step that shares the
// job's nodes. There the program itself says which ranks there are (--ranks); the rest is as with --host.
#include "app/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "app/reports.h"
#include "attach/job.h"
#include "attach/recordings.h"
#include "base/error.h"
#include "base/plain_text.h"
#include "base/platform/child_process.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

using base::tr;

constexpr std::chrono::seconds kEntering{60};  // a step begins within a second, unless the nodes are busy

constexpr int kNotHere = 199;  // as an exit status

struct Answer {
  std::string said;  ///< its output and its errors
  int status = 0;
};

Answer ask(const std::string& job, const std::vector<std::string>& command) {
  std::vector<std::string> words{
      "sh", "-c", fmt::format("command -v \"$1\" >/dev/null || exit {}; exec \"$@\" 2>&1", kNotHere), "sh"};
  words.insert(words.end(), command.begin(), command.end());
  const auto until = std::chrono::steady_clock::now() + kEntering;
  base::ProgramRun run =
      base::run_program(words, {.enough = [until] { return std::chrono::steady_clock::now() > until; }});
  if (run.error != 0) throw base::Error(tr("cannot start {}: {}", command.front(), std::strerror(run.error)));
  if (run.killed)
    throw base::Error(tr("--job {}: {} did not answer within {} s", job, command.front(), kEntering.count()));
  if (run.status == kNotHere) {
    throw base::Error(tr("--job {}: there is no {} here; run this where jobs are started", job, command.front()));
  }
  return {std::move(run.out), run.status};
}

// Of what a program said, the reason of its failure: the first line that is not for us.
std::string reason_in(const std::string& said) {
  std::string line;
  for (std::istringstream lines(said); std::getline(lines, line) && line.starts_with("{");) {
  }
  return base::without_controls(line);
}

struct RunningJob {
  std::string number;  ///< Slurm's own: an array's element has another name
  int nodes = 0;
};

RunningJob running_job(const std::string& name) {
  const Answer answer =
      ask(name, {"squeue", "--noheader", "--states=all", "--jobs=" + name, "--format=%i %A %D %T %r"});
  if (answer.status != 0) throw base::Error(tr("--job {}: squeue says: {}", name, reason_in(answer.said)));
  std::string names, line;
  RunningJob job;
  int found = 0;
  std::string state, reason;
  for (std::istringstream lines(answer.said); std::getline(lines, line);) {
    std::istringstream words(line);
    std::string its_name, number, its_state, its_reason;
    int nodes = 0;
    if (!(words >> its_name >> number >> nodes >> its_state)) continue;
    std::getline(words >> std::ws, its_reason);
    names += (found++ == 0 ? "" : ", ") + its_name;
    job = {number, nodes};
    state = its_state;
    reason = its_reason;
  }
  if (found == 0) throw base::Error(tr("--job {}: Slurm knows no such job", name));
  if (found > 1) throw base::UsageError(tr("--job {} means several: {}; name one", name, names));
  if (state != "RUNNING") throw base::Error(tr("--job {}: the job is not running: {} ({})", name, state, reason));
  return job;
}

std::vector<std::string> step(const RunningJob& job, const std::vector<std::string>& where) {
  std::vector<std::string> words{
      "srun",     "--jobid=" + job.number, "--overlap", "--quiet", "--disable-status", "--export=ALL", "--mpi=none",
      "--chdir=/"};
  words.insert(words.end(), where.begin(), where.end());
  words.insert(words.end(), {"env", fmt::format("{}=1", attach::kLookVariable)});
  return words;
}

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

// What the nodes have said: a line for each process.
std::vector<Json> processes_of(const std::string& said) {
  std::vector<Json> found;
  std::string line;
  for (std::istringstream lines(said); std::getline(lines, line);) {
    Json process = line.starts_with("{") ? Json::parse(line, nullptr, false) : Json();
    if (process.is_object()) found.push_back(std::move(process));
  }
  return found;
}

// Of the processes with a rank: one that is recorded before one that uses the GPU before the eldest.
const Json& process_of_rank(const std::vector<Json>& all, const std::string& job, int rank) {
  const bool ranked = std::ranges::any_of(all, [](const Json& p) { return p.at("ranks").get<int>() > 0; });
  int ranks = ranked ? 0 : 1;
  const auto worth = [](const Json& p) {
    return std::tuple(!p.at("recordings").empty(), p.at("uses_gpu").get<bool>(), -p.at("pid").get<std::int64_t>());
  };
  const Json* best = nullptr;
  for (const Json& process : all) {
    if (ranked && process.at("ranks").get<int>() == 0) continue;
    ranks = std::max(ranks, process.at("ranks").get<int>());
    if (process.at("rank").get<int>() == rank && (!best || worth(process) > worth(*best))) best = &process;
  }
  if (!best && rank >= ranks) {
    throw base::UsageError(tr("--job {}.{}: there is no such rank; the job has ranks 0 to {}", job, rank, ranks - 1));
  }
  if (!best) throw base::Error(tr("--job {}.{}: no process of this rank is running", job, rank));
  return *best;
}

// Fills in the recording of this process that is to be looked at.
void follow_recording(attach::RemoteOptions& options, const attach::JobRank& job, const std::vector<Json>& all,
                      const Json& process) {
  std::map<std::string, Json> files;
  for (const Json& other : all) {
    if (other.at("rank") != process.at("rank") || other.at("node") != process.at("node")) continue;
    for (const Json& recording : other.at("recordings")) files[recording.at("file").get<std::string>()] = recording;
  }
  if (files.empty()) {
    throw base::Error(
        tr("rank {} of job {} is not being recorded. Watch it from now on with lanescope attach --job "
           "{}.{} --pid {}, or record the next job: srun lanescope attach --record DIR/ -- COMMAND",
           job.rank, job.job, job.job, job.rank, process.at("pid").get<std::int64_t>()));
  }
  if (files.size() > 1) {
    std::string names;
    for (const auto& [file, recording] : files) names += (names.empty() ? "" : ", ") + file;
    throw base::UsageError(
        tr("--job {}.{} is being recorded several times: {}; open one of them", job.job, job.rank, names));
  }
  const auto& [file, recording] = *files.begin();
  options.recording = file;
  options.recorder = recording.at("recorder").get<std::uint32_t>();
  options.command.words = recording.at("words").get<std::vector<std::string>>();
}

}  // namespace

attach::RemoteOptions find_rank(const attach::JobRank& job, attach::RemoteOptions options) {
  options.lanescope = job.lanescope.empty() ? own_program() : job.lanescope;
  const RunningJob running = running_job(job.job);
  std::vector<std::string> look = step(running, {fmt::format("--nodes={}", running.nodes),
                                                 fmt::format("--ntasks={}", running.nodes), "--ntasks-per-node=1"});
  look.insert(look.end(), {options.lanescope, "attach", "--ranks"});
  const Answer answer = ask(job.job, look);
  if (answer.status != 0) {
    throw base::Error(tr("--job {}: cannot enter the job: {}", job.job, reason_in(answer.said)));
  }
  const std::vector<Json> all = processes_of(answer.said);
  const Json& process = process_of_rank(all, job.job, job.rank);
  options.host = process.at("node").get<std::string>();
  // Of several nodes whole lines come; but of a recording, what follows its last end of a line must come, too.
  options.door = step(running, {"--nodes=1", "--ntasks=1", "--nodelist=" + options.host, "--unbuffered"});
  options.door.insert(options.door.end(), {"sh", "-c"});
  if (options.pid == 0) follow_recording(options, job, all, process);
  return options;
}

void print_ranks_here() {
  std::string text;
  for (const attach::RankHere& here : attach::ranks_here(attach::own_variable("SLURM_JOB_ID"))) {
    Json recordings = Json::array();
    for (const attach::Recording& r : here.recordings) {
      recordings.push_back({{"recorder", r.recorder}, {"file", r.file.string()}, {"words", r.words}});
    }
    const Json line{{"rank", here.rank},   {"ranks", here.ranks},       {"node", here.node},
                    {"pid", here.process}, {"uses_gpu", here.uses_gpu}, {"recordings", recordings}};
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  }
  std::cout << text << std::flush;
}

}  // namespace lanescope::app
