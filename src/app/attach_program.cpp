#include "app/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/argument_checks.h"
#include "app/terminal_output.h"
#include "app/watched_window.h"
#include "attach/attachment.h"
#include "attach/job.h"
#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "io/session_file.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

using base::tr;

std::atomic<attach::Attachment*> watched_program{nullptr};
std::atomic<attach::Attachment*> entered_program{nullptr};  // one that was running before
std::atomic<attach::RemoteProgram*> remote_program{nullptr};
std::atomic<int> spared_signals{0};
std::atomic<bool> is_slurms_task{false};

/// While it lives, signals sent to this program reach the watched one, or end the watching if that was running before.
/// What the terminal sends reaches both anyway, and so does what Slurm sends to a task: twice, a program would save its
/// state twice.
class PassOnSignals {
 public:
  explicit PassOnSignals(attach::Attachment& attachment) {
    (attachment.options().pid != 0 ? entered_program : watched_program).store(&attachment);
    begin();
  }
  explicit PassOnSignals(attach::RemoteProgram& remote) {
    remote_program.store(&remote);
    begin();
  }
  ~PassOnSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    spared_signals.store(0);
    watched_program.store(nullptr);
    entered_program.store(nullptr);
    remote_program.store(nullptr);
  }
  /// The program has been started. Once it has ended, what was recorded of it is still to be written: signals like
  /// those that ended it do not end that. A job's end sends them to both, and a launcher once more.
  void spare_the_recording() { spared_signals.store(2); }
  PassOnSignals(const PassOnSignals&) = delete;
  PassOnSignals& operator=(const PassOnSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

  static pid_t target() {
    if (attach::Attachment* watched = watched_program.load()) return watched->program();
    if (attach::RemoteProgram* remote = remote_program.load()) return remote->program();
    return 0;
  }
  void begin() {
    is_slurms_task.store(!attach::own_variable("SLURM_STEP_NUM_TASKS").empty());
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    action.sa_sigaction = [](int number, siginfo_t* info, void*) {
      const pid_t program = target();
      const bool from_terminal = info->si_code == SI_KERNEL;
      const bool from_slurm = is_slurms_task.load() && info->si_pid == ::getppid();
      if (attach::Attachment* entered = entered_program.exchange(nullptr)) {
        entered->leave();  // the program was there before, and goes on
      } else if (program <= 0 && spared_signals.fetch_sub(1) > 0) {
        if (attach::Attachment* watched = watched_program.load()) watched->leave();
      } else if (program <= 0) {  // there is only this program left to end
        ::signal(number, SIG_DFL);
        ::raise(number);
      } else if (!from_terminal && !from_slurm) {
        ::kill(program, number);
      }
    };
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
  }

  std::array<struct sigaction, kSignals.size()> before_{};
};

trace::RunFacts facts_of(const attach::Attachment& attachment) {
  trace::RunFacts facts;
  facts.clock = attachment.clock();
  const attach::AttachState state = attachment.state();
  if (const attach::ProcessState* process = state.first_with_gpu()) {
    facts.program = process->program;
    facts.iterations = process->iterations;
    facts.device_name = process->gpu;
  }
  return facts;
}

/// While it lives, a thread appends to a session file what the program sends, so that little is lost if the machine or
/// this program stops.
class RecordingFile {
 public:
  RecordingFile(const std::filesystem::path& path, const attach::Attachment& attachment)
      : attachment_(attachment), writer_(path, attachment.trace()), thread_([this] { follow(); }) {}
  ~RecordingFile() { stop(); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  /// Call when all has arrived. Throws base::FileError, also if appending failed earlier.
  void finish() {
    stop();
    const trace::CaptureHealth health = attachment_.state().health;
    writer_.finish(facts_of(attachment_), &health);
  }

 private:
  static constexpr std::chrono::milliseconds kEvery{250};  // also how far behind somebody is who follows it

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void follow() {
    try {
      std::unique_lock lock(mutex_);
      while (!stopped_.wait_for(lock, kEvery, [this] { return stop_; })) {
        const trace::CaptureHealth health = attachment_.state().health;
        writer_.append(facts_of(attachment_), &health);
      }
    } catch (const base::Error& error) {  // such as a full disk; finish() throws it again
      say(tr("{}: the recording ends here, the program goes on", error.what()));
    }
  }

  const attach::Attachment& attachment_;
  io::SessionWriter writer_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

// --- trials ----------------------------------------------------------------------------------------------------------

constexpr std::chrono::milliseconds kLook{100};

/// Trials of knobs without a window, one after another.
class Trials {
 public:
  Trials(const AttachRequest& request, attach::Attachment& attachment) : request_(request), attachment_(attachment) {}

  /// Waits for the program's knobs, prints a line for each trial, and returns when all are over or it has ended.
  void make() {
    if (!ready()) return;
    if (request_.list_knobs) list();
    for (const attach::KnobWish& wish : request_.trials) {
      if (!ready()) return;
      try {
        make(attach::find_knob(process_.knobs.knobs, wish), wish);
      } catch (const base::UsageError& error) {
        say(fmt::format("{}: {}", text_of(wish), error.what()));
      }
    }
  }

 private:
  static std::string text_of(const attach::KnobWish& wish) {
    if (!wish.kind) return fmt::format("{}={}", wish.place, wish.value);
    std::string text(attach::to_text(*wish.kind));
    if (!wish.value.empty()) text += '=' + wish.value;
    return wish.place.empty() ? text : text + ':' + wish.place;
  }

  /// The first process whose knobs are known. False: there will be none, and why has been said.
  bool ready() {
    for (;; std::this_thread::sleep_for(kLook)) {
      const bool running = attachment_.running();
      const attach::AttachState state = attachment_.state();
      std::string refused;
      for (const attach::ProcessState& process : state.processes) {
        if (process.ended || (process_.pid != 0 && process.pid != process_.pid)) continue;
        if (process.knobs.state == attach::ProgramKnobs::State::Ready) {
          process_ = process;
          return true;
        }
        // A launcher without GPU work may have a child whose knobs can be turned.
        if (process.knobs.state == attach::ProgramKnobs::State::Refused && process.uses_gpu)
          refused = process.knobs.why;
      }
      if (!refused.empty()) return no_trial(refused);
      const bool gone = process_.pid != 0 && has_ended(state);
      if (!running || gone) return no_trial(tr("the program ended before its knobs could be tried"));
    }
  }
  static bool no_trial(const std::string& why) {
    say(why);
    return false;
  }
  bool has_ended(const attach::AttachState& state) const {
    const auto now = std::ranges::find(state.processes, process_.pid, &attach::ProcessState::pid);
    return now == state.processes.end() || now->ended;
  }

  void list() const {
    const std::vector<attach::Knob>& knobs = process_.knobs.knobs;
    if (knobs.empty()) say(tr("the program has no knobs"));
    for (const attach::Knob& knob : knobs) {
      std::string line = attach::wish_for(knob);
      if (!knob.value.empty()) line += tr(", now {}", knob.value);
      if (!knob.refused.empty()) {
        line += ": " + tr("cannot be turned. {}", knob.refused);
      } else if (!knob.warning.empty()) {
        line += ": " + knob.warning;
      }
      say(line);
    }
  }

  void make(const attach::Knob& knob, const attach::KnobWish& wish) {
    const std::uint32_t before = process_.knobs.trials.empty() ? 0 : process_.knobs.trials.back().number;
    attachment_.try_knob(process_.pid, attach::plan_for(knob, wish.value, process_.iteration_ns));
    for (;; std::this_thread::sleep_for(kLook)) {
      const bool running = attachment_.running();
      const attach::AttachState state = attachment_.state();
      const auto now = std::ranges::find(state.processes, process_.pid, &attach::ProcessState::pid);
      if (now != state.processes.end() && !now->knobs.trials.empty()) {
        const attach::ProgramTrial& trial = now->knobs.trials.back();
        if (trial.number > before && trial.over()) {
          return say(fmt::format("{}: {}", text_of(wish), attach::result_text(trial)));
        }
      }
      if (!running || has_ended(state)) return say(tr("{}: the program has ended", text_of(wish)));
    }
  }

  const AttachRequest& request_;
  attach::Attachment& attachment_;
  attach::ProcessState process_;  // as it was last
};

bool has_trials(const AttachRequest& request) { return request.list_knobs || !request.trials.empty(); }

int try_knobs(const AttachRequest& request, attach::Attachment& attachment) {
  attachment.start();
  const PassOnSignals pass_on(attachment);
  Trials(request, attachment).make();
  attachment.detach();
  return attach::Launched::exit_status(attachment.wait());  // it goes on alone
}

// --- without a window ------------------------------------------------------------------------------------------------

int record(const AttachRequest& request, attach::Attachment& attachment) {
  const std::vector<std::string>& command = request.options.command.words;
  const attach::RecordFile wanted =
      attach::record_file(request.record.string(),
                          attach::job_place(attach::own_variable, static_cast<pid_t>(base::process_number())), command);
  if (!wanted.one_of_many) check_outputs({wanted.path});
  const bool session = wanted.path.extension() == io::kSessionEnding;
  std::optional<attach::RecordClaim> claim;
  if (session || wanted.one_of_many) claim.emplace(wanted);
  std::unique_ptr<RecordingFile> file;
  if (session) file = std::make_unique<RecordingFile>(wanted.path, attachment);
  PassOnSignals pass_on(attachment);  // until the recording is whole
  attachment.start();
  pass_on.spare_the_recording();
  if (claim) claim->keep();
  if (has_trials(request)) Trials(request, attachment).make();
  const int status = attachment.wait();
  const attach::AttachState state = attachment.state();
  for (const attach::Remark& remark : state.remarks) {
    if (remark.problem) say(remark.sentence);
  }
  if (file) {
    file->finish();
  } else {
    io::write_trace(wanted.path, attachment.trace(), facts_of(attachment), &state.health);
  }
  return attach::Launched::exit_status(status);
}

// For the end of a recording elsewhere, and for its beginning if the command has failed: then there may be none.
constexpr std::chrono::seconds kPatience{10}, kPatienceAfterFailure{2};

/// The copy of a recording elsewhere is complete when its last chunk has arrived.
void await_copy(attach::RemoteProgram& remote, int status) {
  io::SessionFollower copy(remote.copy(), std::size_t{256} << 20);
  auto quiet_since = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  while (std::chrono::steady_clock::now() - quiet_since <
         (status != 0 && bytes == 0 ? kPatienceAfterFailure : kPatience)) {
    copy.read();
    if (copy.ended()) return remote.stop_copying(true);
    const std::uint64_t now = remote.state().bytes;
    if (now > bytes) quiet_since = std::chrono::steady_clock::now();
    bytes = now;
    std::this_thread::sleep_for(kLook);
  }
  if (status != 0 && bytes == 0) return;  // ssh, or lanescope there, has said why
  const std::string trouble = remote.state().trouble;
  if (!trouble.empty()) say(trouble);
  throw base::Error(tr("the recording did not arrive as a whole; it is at {}", remote.recording()));
}

int run_elsewhere(const AttachRequest& request) {
  attach::RemoteOptions options = request.job ? find_rank(*request.job, *request.remote) : *request.remote;
  const bool only_looks = !options.recording.empty();
  options.copy = request.record;
  const auto remote = std::make_shared<attach::RemoteProgram>(std::move(options));
  if (!request.record.empty()) {
    check_outputs({request.record});
    remote->start();
    const PassOnSignals pass_on(*remote);
    const int status = remote->wait();
    if (only_looks && status != 0) {  // the look has been ended
      remote->stop_copying(false);
      io::SessionFollower copy(remote->copy(), std::size_t{256} << 20);
      while (copy.read()) {
      }
      if (copy.ended()) return kDone;
      say(tr("the recording did not arrive as a whole; it is at {}", remote->recording()));
      return status;
    }
    await_copy(*remote, status);
    return request.job ? kDone : status;  // the end of the job ends its steps, too
  }
  const PassOnSignals pass_on(*remote);
  show_remote(request.window, remote);
  if (only_looks) return kDone;
  return remote->wait();  // it goes on without the window
}

int follow(const AttachRequest& request) {
  const std::vector<attach::Recording> all = attach::recordings();
  show_followed(request.window, attach::find_recording(all, request.to));
  return 0;
}

}  // namespace

int attach_program(const AttachRequest& request) {
  if (request.ranks_here) {
    print_ranks_here();
    return kDone;
  }
  if (!request.to.empty()) return follow(request);
  if (request.remote) return run_elsewhere(request);
  const auto attachment = std::make_shared<attach::Attachment>(request.options);
  if (!request.record.empty()) return record(request, *attachment);
  if (has_trials(request)) return try_knobs(request, *attachment);
  {
    const PassOnSignals pass_on(*attachment);
    show_attached(request.window, attachment);
    attachment->detach();
  }
  if (request.options.pid != 0) return kDone;
  const PassOnSignals pass_on(*attachment);
  return attach::Launched::exit_status(attachment->wait());  // it goes on without the window
}

}  // namespace lanescope::app
