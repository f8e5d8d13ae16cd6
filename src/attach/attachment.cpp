#include "attach/attachment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <limits>
#include <set>

#include "attach/host_clock.h"
#include "attach/job.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::attach {
namespace {

using base::tr;

constexpr std::size_t kMostProcesses = 1024, kMessagesAtOnce = 1 << 15;
constexpr int kRestMs = 20, kBusyMs = 2;
constexpr Nanoseconds kBusy = base::kSecond / 2;  // after the last message
constexpr Nanoseconds kPublish = 50 * base::kMillisecond, kLook = 2 * base::kSecond;
constexpr Nanoseconds kShortestBurst = 50 * base::kMillisecond, kLongestBurst = 2 * base::kSecond;
// So many iterations are a basis for advice, as long as their burst is no longer than this; a few in any case.
constexpr int kIterationsPerBurst = 12, kFewestPerBurst = 4;
constexpr Nanoseconds kLongBurst = 500 * base::kMillisecond;
/// At first everything is recorded until the loop has been found, but for no longer than this.
constexpr Nanoseconds kFirstBurst = 10 * base::kSecond;
constexpr Nanoseconds kSearch = 30 * base::kSecond, kPause = 5 * base::kSecond;
/// Of the program's time that bursts may cost, if nobody asked for more; and from one to the next, at least: for some
/// 30 ms after each, nothing is watched.
constexpr double kMostCost = 0.015;
constexpr Nanoseconds kLeastPeriod = 2 * base::kSecond;
constexpr Nanoseconds kQuiet = 5 * base::kSecond;
constexpr std::size_t kMostUnsent = 1 << 16;  // bytes for a library that does not read
constexpr std::size_t kLargestMemory = std::size_t{1} << 30;

Nanoseconds monotonic_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * base::kSecond + t.tv_nsec;
}

Nanoseconds time_of_day_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The file must not become shorter while it is read: touching what is gone would end this program.
bool is_sealed(int file, std::size_t bytes) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0 || facts.st_size < 0 || static_cast<std::size_t>(facts.st_size) != bytes) return false;
  const int seals = ::fcntl(file, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

wire::Python python_state(const wire::Status& status) {
  const std::uint32_t python = status.python.load(std::memory_order_acquire);
  return python <= static_cast<std::uint32_t>(wire::Python::Failed) ? static_cast<wire::Python>(python)
                                                                    : wire::Python::Failed;
}

}  // namespace

/// The memory of a process, as long as this lives.
class Attachment::Mapping {
 public:
  Mapping(int file, std::size_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory_ == MAP_FAILED) memory_ = nullptr;
  }
  ~Mapping() {
    if (memory_) ::munmap(memory_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  void* memory() const { return memory_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
};

// The controls as they were written last; none: never.
struct Written {
  std::optional<std::uint32_t> level, walk_launches, burst_us, period_us, anchor, sample_us, knobs;
  std::optional<Nanoseconds> boost_until_ns;
};

struct Attachment::Watched {
  int socket = -1;
  std::unique_ptr<Mapping> mapping;
  std::unique_ptr<WatchedProcess> process;
  bool ended = false, cut_off = false;
  Nanoseconds first_work_ns = 0, last_call_ns = 0, ended_ns = 0;  // first work: since when the loop is looked for
  Written written;
  // While no loop is known: longer and longer bursts, half of the time, until one holds some rounds.
  Nanoseconds search_burst_ns = kShortestBurst, search_from_ns = 0;
  JobBursts job_bursts;  // of a rank
  std::string unsent;    // of what the library is asked about knobs

  ~Watched() {
    if (socket >= 0) ::close(socket);
  }
};

Attachment::Attachment(AttachOptions options)
    : options_(std::move(options)),
      origin_ns_(monotonic_ns()),
      trace_(options_.memory_cap_bytes),
      recorder_(std::make_unique<capture::Recorder>(trace_, capture::WhenFull::Direct)),
      meeting_(std::make_unique<Meeting>()),
      intensity_(options_.intensity),
      clock_(host_clock(origin_ns_)) {
  injection_library();  // says so now if there is none
  if (options_.pid == 0) return;
  running_process_ = std::make_unique<RunningProcess>(static_cast<pid_t>(options_.pid));
  options_.command.words = process_words(options_.pid);
  if (!running_process_->root().empty()) meeting_ = std::make_unique<Meeting>(running_process_->root());
}

Attachment::~Attachment() { detach(); }

void Attachment::start() {
  if (running_process_) {
    const auto has_arrived = [&] {
      pollfd listener{meeting_->descriptors().front(), POLLIN, 0};
      return ::poll(&listener, 1, 0) > 0;
    };
    const Entry entry = enter(*running_process_, injection_library(), {meeting_->socket_path(), has_arrived});
    const std::lock_guard lock(mutex_);
    entry_ = entry;
    state_.started = true;
  } else {
    const std::lock_guard lock(mutex_);
    launched_ = std::make_unique<Launched>(options_.command, meeting_->socket_path());
    state_.started = true;
    program_.store(launched_->pid(), std::memory_order_relaxed);
  }
  running_.store(true, std::memory_order_release);
  thread_ = std::thread([this] { run(); });
}

void Attachment::detach() {
  stop_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

int Attachment::wait() {
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  const int status = launched_ ? launched_->wait() : 0;  // who was running before has no status for us
  program_.store(0, std::memory_order_relaxed);
  return status;
}

// The number may soon be another process's.
std::optional<int> Attachment::ended() const {
  if (running_process_) return running_process_->ended() ? std::optional(0) : std::nullopt;
  const std::optional<int> status = launched_ ? launched_->ended() : std::nullopt;
  if (status) program_.store(0, std::memory_order_relaxed);
  return status;
}

void Attachment::signal(int number) {
  const std::lock_guard lock(mutex_);
  if (launched_) launched_->signal(number);
}

std::optional<int> Attachment::wait_status() const {
  const std::lock_guard lock(mutex_);
  return ended();
}

Nanoseconds Attachment::clock_now() const { return monotonic_ns() - origin_ns_; }

Nanoseconds Attachment::now_ns() const { return running() ? clock_now() : live_edge_ns(); }

// --- the reading thread ----------------------------------------------------------------------------------------------

void Attachment::run() {
  bool program_ended = false;
  Nanoseconds busy_until = 0;
  read_clock();
  while (!stop_.load(std::memory_order_acquire)) {
    meet();
    const std::size_t read = read_all();
    recorder_->publish_direct();
    publish();
    if (clock_now() - clock_read_ns_ >= trace::kClockEvery) read_clock();
    if (!program_ended && wait_status()) program_ended = true;
    if (program_ended && processes_.empty()) {
      meet();  // a process may have reported in and ended in between
      if (processes_.empty()) break;
    }
    if (read == kMessagesAtOnce) continue;
    std::vector<pollfd> awaited;
    for (const int descriptor : meeting_->descriptors()) awaited.push_back({descriptor, POLLIN, 0});
    for (const auto& watched : processes_) {
      const int also = watched->unsent.empty() ? 0 : POLLOUT;
      awaited.push_back({watched->socket, static_cast<short>(POLLIN | also), 0});
    }
    if (read > 0) busy_until = clock_now() + kBusy;
    ::poll(awaited.data(), awaited.size(), clock_now() < busy_until ? kBusyMs : kRestMs);
  }
  for (const auto& watched : processes_) {
    watched->process->knobs().end(tr("It was not over when watching ended."));
    end_of(*watched);
  }
  processes_.clear();
  recorder_->flush();
  read_clock();
  published_ns_ = 0;
  publish();
  running_.store(false, std::memory_order_release);
}

void Attachment::meet() {
  for (auto arrival = meeting_->next(); arrival; arrival = meeting_->next()) {
    auto watched = std::make_unique<Watched>();
    watched->socket = arrival->socket;
    const std::size_t bytes = arrival->hello.bytes;
    // In a container it has another number, and nobody else knows the socket.
    const std::uint32_t pid = running_process_ ? options_.pid : arrival->hello.pid;
    std::string problem;
    std::optional<RingReader> ring;
    if (processes_.size() >= kMostProcesses) {
      problem = tr("there are more than {} of them", kMostProcesses);
    } else if (bytes > kLargestMemory || !is_sealed(arrival->memory, bytes)) {
      problem = tr("its shared memory is not sealed");
    } else {
      watched->mapping = std::make_unique<Mapping>(arrival->memory, bytes);
      if (watched->mapping->memory()) {
        ring = RingReader::open(watched->mapping->memory(), bytes, problem);
      } else {
        problem = tr("its shared memory cannot be mapped");
      }
    }
    ::close(arrival->memory);
    if (!ring) {
      unwatched_.push_back({tr("Process {} is not watched: {}", pid, problem), true});
      continue;
    }
    WatchedProcess::Identity identity{pid, arrival->hello.parent, process_name(pid), process_folder(pid)};
    const wire::Job& job = ring->job();
    if (job.rank != 0 && job.ranks != 1) {
      identity.rank = static_cast<int>(job.rank) - 1;
      identity.ranks = static_cast<int>(job.ranks);
    }
    watched->process =
        std::make_unique<WatchedProcess>(std::move(identity), std::move(*ring), trace_, *recorder_, origin_ns_);
    if (options_.knobs) {
      // The slowest rank sets the pace of all.
      watched->process->knobs().begin(
          watched->process->identity().rank
              ? tr("The ranks of a job would have to turn a knob at the same iteration, which is not possible yet.")
              : std::string());
    }
    steer(*watched);
    // The library waits for a moment for its controls, so that the first calls are watched.
    const char go = 1;
    [[maybe_unused]] const ssize_t sent = ::send(watched->socket, &go, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    processes_.push_back(std::move(watched));
  }
}

std::size_t Attachment::read_all() {
  std::size_t most = 0;
  decltype(chosen_) chosen;
  decltype(asked_) asked;
  {
    const std::lock_guard lock(mutex_);
    chosen.swap(chosen_);
    asked.swap(asked_);
  }
  for (const auto& watched : processes_) {
    for (const auto& [pid, loop] : chosen) {
      if (pid == watched->process->identity().pid) watched->process->choose_loop(loop);
    }
    for (const auto& [pid, line] : asked) {
      if (pid == watched->process->identity().pid) send(*watched, line(watched->process->knobs()));
    }
    most = std::max(most, watched->process->read(kMessagesAtOnce, clock_now()));
    steer(*watched);
    steer_knobs(*watched);
    // The library never sends after its Hello: the socket only tells when the process has ended.
    char byte = 0;
    const ssize_t n = ::recv(watched->socket, &byte, 1, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      watched->cut_off = watched->process->ring().end() == wire::End::None;
      end_of(*watched);
    }
  }
  std::erase_if(processes_, [](const auto& watched) { return watched->ended; });
  return most;
}

void Attachment::end_of(Watched& watched) {
  watched.process->ring().controls().level.store(static_cast<std::uint32_t>(wire::Level::Off));
  watched.process->ring().controls().knobs.store(0);
  watched.ended_ns = clock_now();
  watched.process->finish(watched.ended_ns);
  watched.ended = true;
  // What is said of it stays; its memory and its socket go.
  Ended& ended = ended_.emplace_back();
  ended.state = state_of(watched);
  ended.forked = watched.process->forked().size();
  add_health(health_of_ended_, watched, ended.state);
  add_remarks(ended.remarks, watched, ended.state);
  if (ended_.size() > kMostProcesses) ended_.pop_front();
}

void Attachment::steer(Watched& watched) {
  const Intensity wanted = intensity();
  WatchedProcess& process = *watched.process;
  const Nanoseconds now = clock_now();
  // After a long pause, such as reading a data set, the loop is yet to begin.
  const bool paused = process.last_call_ns() - std::exchange(watched.last_call_ns, process.last_call_ns()) > kPause;
  if (watched.first_work_ns == 0 ? process.uses_gpu() : paused && process.iteration_ns() == 0) {
    watched.first_work_ns = watched.search_from_ns = now;
    // A job's are on the grid at once, so that its ranks end the first one together.
    watched.search_burst_ns = process.identity().rank ? kLeastPeriod / 2 : kShortestBurst;
  }
  // A burst holds some whole iterations. The ranks of a job have the same bursts, at the same times (see JobBursts,
  // and next_burst() of the library).
  const auto slower_by = [](const WatchedProcess& of) {
    const auto between = static_cast<double>(of.iteration_between_ns());
    return between > 0 ? static_cast<double>(of.iteration_recorded_ns()) / between - 1 : 0;
  };
  Nanoseconds iteration = process.iteration_ns();
  double slower = slower_by(process);
  if (process.identity().rank) {
    for (const auto& other : processes_) {
      if (!other->process->identity().rank) continue;
      iteration = std::max(iteration, other->process->iteration_ns());
      slower = std::max(slower, slower_by(*other->process));
    }
  }
  Nanoseconds burst = std::clamp(iteration * kIterationsPerBurst, kShortestBurst, kLongBurst);
  burst = std::max(burst, std::min(iteration * kFewestPerBurst, kLongestBurst));
  double share = std::clamp(wanted.share, 0.001, 1.0);
  const bool searching = process.iteration_ns() == 0 && watched.first_work_ns != 0;
  if (searching && now - watched.first_work_ns < kSearch) {
    if (now - watched.search_from_ns > 4 * watched.search_burst_ns) {
      watched.search_burst_ns = std::min(2 * watched.search_burst_ns, kLongestBurst);
      watched.search_from_ns = now;
    }
    burst = watched.search_burst_ns;
    share = std::max(share, 0.5);
  }
  const bool sparing = !searching && wanted.sparing, in_job = !searching && process.identity().rank;
  while (sparing && !in_job && share * slower > kMostCost && share > 0.001) share /= 2;
  auto period = static_cast<Nanoseconds>(static_cast<double>(burst) / share);
  if (sparing) period = std::max(period, kLeastPeriod);
  if (in_job) {
    const double most_cost = sparing ? kMostCost : std::numeric_limits<double>::infinity();
    const trace::Bursts bursts = watched.job_bursts.at(time_of_day_ns(), {burst, share, slower, most_cost});
    burst = bursts.burst_ns;
    period = bursts.period_ns;
  } else {
    watched.job_bursts = {};
  }
  Nanoseconds boost = boost_until_ns_.load(std::memory_order_relaxed);
  if (searching) boost = std::max(boost, watched.first_work_ns + kFirstBurst);

  const bool in_bursts = wanted.level == wire::Level::Acquire && boost <= now;
  process.set_bursts(in_bursts ? burst : 0, in_bursts ? period : 0);

  // Only what changes is written: the program's threads read this memory in each call.
  wire::Controls& controls = process.ring().controls();
  const auto write = [](auto& control, auto& written, auto value) {
    if (written == value) return;
    control.store(value, std::memory_order_relaxed);
    written = value;
  };
  Written& written = watched.written;
  write(controls.level, written.level, static_cast<std::uint32_t>(wanted.level));
  write(controls.walk_launches, written.walk_launches, wanted.launch_lines ? 1u : 0u);
  write(controls.burst_us, written.burst_us, static_cast<std::uint32_t>(burst / 1000));
  write(controls.period_us, written.period_us,
        static_cast<std::uint32_t>(std::min<Nanoseconds>(period / 1000, 0xFFFFFFFF)));
  write(controls.boost_until_ns, written.boost_until_ns, boost > now ? boost + origin_ns_ : Nanoseconds{0});
  write(controls.anchor, written.anchor, process.anchor());
  write(controls.sample_us, written.sample_us, static_cast<std::uint32_t>(kSampleEvery / 1000));
  write(controls.knobs, written.knobs, options_.knobs && !process.identity().rank ? 1u : 0u);
}

void Attachment::steer_knobs(Watched& watched) {
  WatchedProcess& process = *watched.process;
  if (process.knobs().look_is_due(process.iteration_ns() > 0, clock_now())) send(watched, process.knobs().look());
  send(watched, process.knobs().held_back());
  send_rest(watched);
}

void Attachment::send(Watched& watched, const std::string& line) {
  send_rest(watched);
  if (watched.unsent.size() + line.size() > kMostUnsent) {  // it has not read for long: it is not going to answer
    watched.process->knobs().end(tr("The program does not answer."));
    return;
  }
  watched.unsent += line;
}

void Attachment::send_rest(Watched& watched) {
  while (!watched.unsent.empty()) {
    const ssize_t n = ::send(watched.socket, watched.unsent.data(), watched.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // later; that the process has ended is seen when its socket is read
    watched.unsent.erase(0, static_cast<std::size_t>(n));
  }
}

ProcessState Attachment::state_of(Watched& watched) {
  WatchedProcess& process = *watched.process;
  const wire::Status& status = process.ring().status();
  ProcessState state;
  state.pid = process.identity().pid;
  state.parent = process.identity().parent;
  state.name = process.identity().shown();
  state.program = process.identity().name;
  state.rank = process.identity().rank;
  state.ranks = process.identity().ranks;
  state.folder = process.identity().folder;
  state.uses_gpu = process.uses_gpu();
  state.ended = watched.ended;
  state.cut_off = watched.cut_off;
  state.recording = process.recording();
  state.state = capture::library_state(status);
  state.python = python_state(status);
  state.library = capture::library_text(process.ring());
  state.gpu = process.gpu();
  state.iterations = process.iteration_text();
  state.loops = process.loops();
  state.chosen = process.chosen_loop();
  state.iteration_ns = process.iteration_ns();
  state.iteration_recorded_ns = process.iteration_recorded_ns();
  state.iteration_between_ns = process.iteration_between_ns();
  state.iteration_count = process.iterations();
  state.dropped = status.dropped.load(std::memory_order_relaxed);
  state.malformed = process.ring().malformed() + process.knobs().malformed();
  state.knobs = process.knobs().known();
  state.walks = status.walks.load(std::memory_order_relaxed);
  state.walks_failed = status.walks_failed.load(std::memory_order_relaxed);
  state.switches = status.switches.load(std::memory_order_relaxed);
  state.switch_ns = static_cast<Nanoseconds>(status.switch_ns.load(std::memory_order_relaxed));
  return state;
}

void Attachment::add_health(trace::CaptureHealth& health, const Watched& watched, const ProcessState& state) {
  const trace::CaptureState capture = capture::capture_state(state.state);
  if (health.state == trace::CaptureState::None || capture > health.state) health.state = capture;
  if (capture != trace::CaptureState::Running && health.reason.empty()) {
    health.reason = watched.process->ring().state_text();
  }
  if (health.library.empty()) health.library = state.library;
  capture::add_to(health, watched.process->counts());
  health.unknown_kind += state.malformed;
  capture::add_to(health, watched.process->ring().status());
}

void Attachment::add_remarks(std::vector<Remark>& remarks, const Watched& watched, const ProcessState& state) {
  const RingReader& ring = watched.process->ring();
  const auto say = [&](const std::string& text) {
    remarks.push_back({fmt::format("{} ({}): {}", state.name, state.pid, text), true});
  };
  if (state.state != wire::State::Watching && state.state != wire::State::Starting) say(ring.state_text());
  if (state.python == wire::Python::Unsupported || state.python == wire::Python::Failed) say(ring.python_text());
  // Others may well leave by _exit(): only of a rank it is known that it should run as long as the job.
  if (watched.cut_off && state.rank && state.uses_gpu) {
    remarks.push_back({tr("{} ({}) ended after {} without running its exit handlers: it was killed, it crashed, or it "
                          "called _exit().",
                          state.name, state.pid, base::format_duration(watched.ended_ns)),
                       true});
  }
  if (ring.status().graphs.load(std::memory_order_relaxed) != 0) {
    remarks.push_back(
        {tr("{} replays CUDA graphs, which would not outlive CUPTI: it stays between bursts.", state.name), false});
  }
  if (state.dropped == 0) return;
  remarks.push_back(
      {tr("{} messages of {} were dropped because this program read too slowly.", state.dropped, state.name), true});
}

void Attachment::publish() {
  const Nanoseconds now = clock_now();
  if (published_ns_ != 0 && now - published_ns_ < kPublish) return;
  published_ns_ = now;
  if (now - looked_ns_ > kLook) {
    looked_ns_ = now;
    std::set<std::uint32_t> known;
    for (const auto& watched : processes_) known.insert(watched->process->identity().pid);
    for (const Ended& ended : ended_) known.insert(ended.state.pid);
    look_around(known);
  }
  std::vector<ProcessState> processes;
  std::vector<Remark> remarks;
  std::vector<trace::OpenCall> open;
  trace::CaptureHealth health = health_of_ended_;
  std::size_t without_gpu = 0, with_gpu = 0;
  std::set<int> ranks_here;
  int ranks = 0;  // of the job
  const auto count = [&](const ProcessState& state, std::size_t forked) {
    without_gpu += (state.uses_gpu ? 0 : 1) + forked;
    with_gpu += state.uses_gpu ? 1 : 0;
    if (state.rank && state.uses_gpu) {
      ranks_here.insert(*state.rank);
      ranks = std::max(ranks, state.ranks);
    }
    processes.push_back(state);
  };
  for (const Ended& ended : ended_) {
    count(ended.state, ended.forked);
    remarks.insert(remarks.end(), ended.remarks.begin(), ended.remarks.end());
  }
  for (const auto& watched : processes_) {
    const ProcessState state = state_of(*watched);
    count(state, watched->process->forked().size());
    add_health(health, *watched, state);
    add_remarks(remarks, *watched, state);
    const auto calls = watched->process->open_calls();
    open.insert(open.end(), calls.begin(), calls.end());
  }
  std::ranges::stable_sort(processes, {}, [](const ProcessState& process) {
    return process.rank.value_or(std::numeric_limits<int>::max());
  });
  const std::lock_guard lock(mutex_);
  const std::optional<int> status = ended();
  if (!status) state_.running_ns = now;
  state_.processes = std::move(processes);
  state_.without_gpu = std::max(others_, without_gpu);
  state_.health = health;
  state_.ended = status.has_value();
  if (status) state_.end = launched_ ? Launched::describe(*status) : tr("it has ended");
  const bool nobody = processes_.empty() && ended_.empty() && launched_;
  const std::string elsewhere =
      nobody && (status || now > kQuiet) ? started_elsewhere(options_.command.words, own_variable) : std::string();
  if (!elsewhere.empty()) {
    remarks.push_back({elsewhere, true});
  } else if (with_gpu == 0 && status) {
    remarks.push_back({tr("The program ended ({}) without a call to the GPU.", state_.end), true});
  } else if (with_gpu == 0 && now > kQuiet) {
    remarks.push_back({tr("The program has made no call to the GPU yet. Its lanes appear with the first one."), false});
  }
  if (ranks > static_cast<int>(ranks_here.size()) && !ranks_here.empty() && now > kQuiet && !status) {
    remarks.push_back(
        {tr("{} of the job's {} ranks use a GPU here. The others run on other machines, or have not come so "
            "far yet.",
            ranks_here.size(), ranks),
         false});
  }
  if (meeting_->refused() != 0) {
    remarks.push_back({tr("{} processes that wanted to report in were refused.", meeting_->refused()), true});
  }
  if (entry_) say_what_is_missing(remarks, now, status.has_value());
  if (launched_ && !launched_->without_nvtx().empty()) remarks.push_back({launched_->without_nvtx(), false});
  remarks.insert(remarks.end(), unwatched_.begin(), unwatched_.end());
  remarks.insert(remarks.end(), found_.begin(), found_.end());
  state_.remarks = std::move(remarks);
  open_calls_ = std::move(open);
}

void Attachment::read_clock() {
  clock_read_ns_ = clock_now();
  const trace::ClockReading reading = read_host_clock();
  const std::lock_guard lock(mutex_);
  clock_.readings.push_back(reading);
}

void Attachment::say_what_is_missing(std::vector<Remark>& remarks, Nanoseconds now, bool ended) const {
  if (processes_.empty() && ended_.empty() && !ended && now > kQuiet) {
    remarks.push_back({tr("The program has the library now, but has not reported in: a sandbox may keep it from this "
                          "program's socket."),
                       true});
  }
  remarks.push_back(
      {entry_->way == Entry::Way::Asleep
           ? tr("Attached while it ran: what was before is not known, and processes that it starts are not watched.")
           : tr("Attached while it ran: what was before is not known; its NVTX ranges (with NCCL's sizes), names that "
                "it "
                "gave to threads, and processes that it starts are not seen. Started by lanescope attach --, they "
                "are."),
       false});
}

// --- for any thread --------------------------------------------------------------------------------------------------

AttachState Attachment::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::vector<trace::OpenCall> Attachment::open_calls() const {
  const std::lock_guard lock(mutex_);
  return open_calls_;
}

trace::ClockFacts Attachment::clock() const {
  const std::lock_guard lock(mutex_);
  return clock_;
}

Intensity Attachment::intensity() const {
  const std::lock_guard lock(mutex_);
  return intensity_;
}

void Attachment::set_intensity(const Intensity& intensity) {
  const std::lock_guard lock(mutex_);
  intensity_ = intensity;
}

Nanoseconds Attachment::boosted_ns() const {
  return std::max<Nanoseconds>(boost_until_ns_.load(std::memory_order_relaxed) - clock_now(), 0);
}

void Attachment::record_for(Nanoseconds duration_ns) {
  const Nanoseconds until = clock_now() + duration_ns;
  Nanoseconds before = boost_until_ns_.load(std::memory_order_relaxed);
  while (before < until && !boost_until_ns_.compare_exchange_weak(before, until, std::memory_order_relaxed)) {
  }
}

void Attachment::choose_loop(std::uint32_t pid, std::optional<LoopKey> loop) {
  const std::lock_guard lock(mutex_);
  chosen_.emplace_back(pid, loop);
}

void Attachment::ask(std::uint32_t pid, std::function<std::string(KnobLines&)> line) {
  const std::lock_guard lock(mutex_);
  asked_.emplace_back(pid, std::move(line));
}

void Attachment::look_for_knobs(std::uint32_t pid) { ask(pid, &KnobLines::look); }

void Attachment::try_knob(std::uint32_t pid, const TrialPlan& plan) {
  ask(pid, [plan](KnobLines& knobs) { return knobs.try_knob(plan); });
}

void Attachment::stop_trial(std::uint32_t pid) { ask(pid, &KnobLines::stop); }

void Attachment::set_own_knob(std::uint32_t pid, const std::string& name, const std::string& value) {
  ask(pid, [name, value](KnobLines& knobs) { return knobs.set_own_knob(name, value); });
}

void Attachment::set_memory_cap(std::size_t bytes) {
  options_.memory_cap_bytes = bytes;
  trace_.set_memory_cap_bytes(bytes);
}

}  // namespace lanescope::attach
