#include "inject/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <new>

#include "inject/calls.h"
#include "inject/compat.h"
#include "inject/cupti.h"
#include "inject/knobs.h"
#include "inject/own_knobs.h"
#include "inject/python.h"
#include "inject/records.h"
#include "inject/ring.h"
#include "inject/short_text.h"
#include "inject/threads.h"

namespace lanescope::inject {
namespace {

constexpr std::uint64_t kSlots = 262'144;               // 16 MiB
constexpr std::int64_t kFlushEvery = 8 * kMillisecond;  // on an H200 each takes 0.16 ms of our thread
constexpr std::int64_t kRest = 50 * kMillisecond;       // between two looks at the controls, if only waits are watched
constexpr std::int64_t kAlert = 10 * kMillisecond;      // otherwise
constexpr std::int64_t kWorthLeaving = 300 * kMillisecond;  // until the next burst: it takes 15 to 25 ms of our thread
constexpr std::int64_t kOthersLeave = 5 * kMillisecond;     // CUPTI's wrappers, once it is finalised
constexpr std::uint32_t kGraphsSurvive = 130001;            // see may_finalise(): CUDA 13.0 update 1
constexpr std::int64_t kTryAgain = 2 * kSecond;             // to subscribe, while another profiler has CUPTI
constexpr std::int64_t kAnswer = 200 * kMillisecond;        // the viewer's, to Hello
constexpr std::int64_t kAtExit = 200 * kMillisecond;
constexpr std::int64_t kLongestRunAhead = 5 * kSecond;
constexpr std::size_t kSampled = 8;  // threads
constexpr std::int64_t kBurstSample = kMillisecond;
constexpr std::int64_t kIdle = 10 * kSecond, kIdleSample = 100 * kMillisecond;
constexpr std::int64_t kPythonComes = 60 * kSecond;  // an interpreter that has not come by then is not waited for
constexpr std::int64_t kRealClock = kSecond;         // the time of day is asked for so often: somebody may correct it
constexpr std::int32_t kMostRanks = 10'000'000;
constexpr std::int64_t kInitTakes = 10 * kSecond;          // at most: cuInit
constexpr std::int64_t kCallbacksEnd = 20 * kMillisecond;  // those that were under way when the last viewer left
constexpr const char* kAsleep = "sleep";                   // LANESCOPE_ATTACH, for a library that waits to be woken

/// A descriptor of ours. The program may close it, and then the number may be that of a file of its own.
class Descriptor {
 public:
  void take(int number) {
    file_ = file_of(number);
    number_.store(number, std::memory_order_release);
  }
  /// -1: there is none, or the program has closed it.
  int get() const {
    const int number = number_.load(std::memory_order_acquire);
    const File file = file_of(number);
    return file.node != 0 && file.node == file_.node && file.device == file_.device ? number : -1;
  }
  void close() {
    const int number = get();
    if (number_.exchange(-1) >= 0 && number >= 0) ::close(number);
  }

 private:
  struct File {
    dev_t device = 0;
    ino_t node = 0;
  };
  // By the system call: glibc has fstat() only since 2.33.
  static File file_of(int number) {
    struct stat facts {};
    return number >= 0 && syscall(SYS_fstat, number, &facts) == 0 ? File{facts.st_dev, facts.st_ino} : File{};
  }

  std::atomic<int> number_{-1};
  File file_;
};
Descriptor connection;                  // to the viewer
Descriptor wake, wake_from;             // a pipe: both ends, and unlike an eventfd it is a file of its own
std::atomic<std::uint32_t> leaving{0};  // 1: the program ends
std::atomic<std::uint32_t> done{0};     // 1: the thread has ended; a futex
bool python_done = false;
std::atomic<bool> serving{false};      // a viewer; only one at a time
std::atomic<bool> cupti_begun{false};  // for this viewer
std::atomic<bool> late{false};         // the viewer came while the program was running
std::int64_t hurry = 1;                // what is waited for between bursts takes so many times less; for tests
wire::Job job{};
Line<256> fifo;  // see "Asleep"
pid_t fifo_of = 0;

// --- Connecting ------------------------------------------------------------------------------------------------------

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof(address.sun_path)) return -1;
  std::memcpy(address.sun_path, path, length + 1);
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0) return -1;
  // Only to a viewer of the same user, and not to one that stands still while others queue up for it.
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) {
    close(s);
    return -1;
  }
  return s;
}

bool say_hello(int s, int file) {
  wire::Hello hello{};
  hello.magic = wire::kMagic;
  hello.version = wire::kVersion;
  hello.pid = static_cast<std::uint32_t>(getpid());
  hello.parent = static_cast<std::uint32_t>(getppid());
  hello.bytes = static_cast<std::uint32_t>(ring.bytes);
  iovec part{&hello, sizeof(hello)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof(file));
  return sendmsg(s, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(hello));
}

std::uint64_t slots() {
  const char* text = getenv("LANESCOPE_RING_SLOTS");
  std::uint64_t wanted = 0;
  for (; text && *text >= '0' && *text <= '9' && wanted < kSlots; ++text) wanted = wanted * 10 + (*text - '0');
  if (wanted == 0) return kSlots;
  std::uint64_t n = 64;
  while (n < wanted && n < kSlots) n *= 2;
  return n;
}

// A number that some launchers set; -1: there is none. No other variables of the program's are read.
std::int32_t number_in(const char* variable) {
  const char* text = getenv(variable);
  if (!text || !*text) return -1;
  std::int32_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    number = number * 10 + (*text - '0');
    if (number > kMostRanks) return -1;
  }
  return *text == 0 ? number : -1;
}

// By torchrun and others like it; else Open MPI, Slurm, other MPIs. attach/job.cpp has the same list.
wire::Job read_job() {
  struct Names {
    const char *rank, *ranks, *local_rank;
  };
  static constexpr Names kNames[] = {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
                                     {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                     {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
                                     {"PMI_RANK", "PMI_SIZE", nullptr}};
  for (const Names& names : kNames) {
    const std::int32_t rank = number_in(names.rank), ranks = number_in(names.ranks);
    if (rank < 0 || (ranks >= 0 && rank >= ranks)) continue;
    const std::int32_t local = names.local_rank ? number_in(names.local_rank) : -1;
    return {static_cast<std::uint32_t>(rank + 1), static_cast<std::uint32_t>(local + 1),
            ranks < 0 ? 0 : static_cast<std::uint32_t>(ranks)};
  }
  return {};
}

// --- The library's thread -------------------------------------------------------------------------------------------

class Loop {
 public:
  void run() {
    prctl(PR_SET_NAME, "lanescope");
    bool viewer = true;
    while (viewer && leaving.load(std::memory_order_acquire) == 0) {
      viewer = wait(step_alone(true));
    }
    end(viewer);
  }
  /// One step; of two threads only one does it, and the other waits if `must`, but not for ever. The library's thread
  /// must; the other one is in cuInit.
  std::int64_t step_alone(bool must) {
    if (!begin_step(must)) return 0;
    const std::int64_t next = live() ? do_step(must) : 0;  // otherwise the viewer has ended meanwhile
    stepping_.store(false, std::memory_order_release);
    return next;
  }

 private:
  std::int64_t do_step(bool must) {
    const std::int64_t now = now_ns();
    ring.status().beat_ns.store(now, kRelaxed);
    ring.status().graphs.store(graphs_seen.load(kRelaxed), kRelaxed);
    add_up_counts();
    send_unsent_changes();
    tell_own_knobs();
    return step(now, !must);
  }
  bool begin_step(bool must) {
    for (int i = 0; stepping_.exchange(true, std::memory_order_acquire); ++i) {
      if (!must && i == 100) return false;
      const timespec nap{0, kMillisecond};
      nanosleep(&nap, nullptr);
    }
    return true;
  }
  // Does what is due; returns when something is due again.
  std::int64_t step(std::int64_t now, bool in_init) {
    ViewerRequest request = request_of(ring.memory->controls, now);
    // What is recorded would slow down one side of a trial more than the other.
    if (trial_runs() && request.level > wire::Level::Waits) request.level = wire::Level::Waits;
    std::int64_t next = now + (request.level <= wire::Level::Waits ? kRest : kAlert);
    const auto at_latest = [&](std::int64_t t) { next = t < next ? t : next; };
    if (cupti_works.load(std::memory_order_acquire)) {
      if (fatal.load(std::memory_order_acquire)) {
        say_fatal();
      } else if (in_init || after_init(now)) {
        switch_to(request, now, at_latest);
      }
    } else if (away_since_ != 0) {
      if (now >= try_again_) come_back();
      at_latest(try_again_);
    } else if (!in_init && late.load(kRelaxed) && !cupti_begun.load(kRelaxed) && driver_is_up()) {
      driver_ready.store(true, std::memory_order_release);  // cuInit has ended long ago
      begin_cupti();
      at_latest(now);
    }
    // Without CUPTI, a thread that makes calls looks as if it made none.
    if (request.level >= wire::Level::Waits && request.sample > 0 && cupti_works.load(kRelaxed)) {
      at_latest(sample(recording() && request.sample > kBurstSample ? kBurstSample : request.sample, now_ns()));
    }
    if (now >= chores_) {
      chores_ = now + kSecond;
      do_chores(now);
    }
    if (!in_init) at_latest(step_knobs(now));
    return next;
  }

  // While cuInit runs, only the thread that is in it may switch: CUPTI accepts what another thread switches on, but on
  // a busy machine no callback came of it, until it was off and on again.
  bool after_init(std::int64_t now) {
    if (after_init_) return true;
    if (cupti_since_ == 0) cupti_since_ = now;
    if (!driver_ready.load(std::memory_order_acquire) && ring.status().first_call_ns.load(kRelaxed) == 0 &&
        now < cupti_since_ + kInitTakes) {
      return false;
    }
    return after_init_ = true;
  }

  // A burst that has lasted longer than usual is followed by the usual pause. The ranks of a job record at the same
  // time, or their collectives could not be compared.
  std::int64_t next_burst(const ViewerRequest& request) {
    const std::int64_t usual_begin = ended_ - request.burst > burst_ ? ended_ - request.burst : burst_;
    if (job.rank == 0 || job.ranks == 1) return usual_begin + request.period;
    const std::int64_t now = now_ns();
    if (real_asked_ == 0 || now >= real_asked_ + kRealClock) {
      real_asked_ = now;
      real_ahead_ = clock_ns(CLOCK_REALTIME) - now;
    }
    // One whose time has passed is left out: begun now, it would be nobody else's.
    const std::int64_t missed = now - request.burst - kSameBurst;
    return next_on_grid(usual_begin > missed ? usual_begin : missed, request.period, real_ahead_);
  }

  // A program whose launches run far ahead of the GPU: what is launched in a burst runs after it. So the burst lasts
  // until the GPU has worked on that for as long.
  std::int64_t end_of_burst(const ViewerRequest& request, std::int64_t now) const {
    const std::int64_t usual = burst_ + request.burst;
    if (!recording() || add_up_counts() == launches_at_burst_) return usual;
    const std::int64_t first = first_work_ns();
    const std::int64_t wanted = first == 0 ? now + kAlert : first + request.burst;
    return clamp(wanted, usual, burst_ + kLongestRunAhead);
  }

  template <typename AtLatest>
  void switch_to(const ViewerRequest& request, std::int64_t now, AtLatest at_latest) {
    const auto level = static_cast<std::uint32_t>(request.level);
    bool record = request.level >= wire::Level::Calls;
    if (request.level == wire::Level::Acquire) {
      const bool over = !recording() || now >= end_of_burst(request, now);
      const bool begins = level_ != wire::Level::Acquire || (over && now >= next_burst(request));
      if (begins) {
        burst_ = now;
        launches_at_burst_ = add_up_counts();
      }
      // A burst that is over stays so if bursts become longer.
      const std::int64_t burst_end = end_of_burst(request, now);
      const bool in_burst = (begins || recording()) && now < burst_end;
      record = now < request.boost_until || in_burst;
      at_latest(in_burst ? burst_end : next_burst(request));
    }
    const Watched watched = request.level == wire::Level::Off   ? Watched::Nothing
                            : request.level == wire::Level::All ? Watched::All
                            : record                            ? Watched::Calls
                                                                : Watched::Waits;
    if (recording() && (!record || request.level != level_)) {
      // What was recorded ends before anything is switched off; then what is still under way comes in.
      stop_recording(static_cast<std::uint32_t>(level_));
      silence_.look(now_ns());
      ended_ = now;
      tail_until_ = now + 2 * kSecond;
      clean_ = 0;
      flushed_ = now;
    }
    if (watched != watched_ || request.anchor != anchor_) {
      watch(watched, request.anchor);
      watched_ = watched;
      anchor_ = request.anchor;
    }
    if (record && !recording()) {
      moved_at_burst_ = buffers_moved();
      start_recording(level);
      burst_ = flushed_ = now_ns();  // a burst lasts from when everything is on
      silence_.begin(burst_);
      at_latest(burst_ + (request.level == wire::Level::Acquire ? request.burst : kAlert));
    }
    level_ = request.level;
    // What ended just before a flush is only known to be delivered by the next one.
    const bool tail = !recording() && tail_until_ > now && clean_ < 2;
    if (!recording() && !tail && kinds_on()) {
      rest(request, now_ns());
    } else if (recording() || tail) {
      if (now >= flushed_ + kFlushEvery / hurry) {
        clean_ = deliver(level) ? clean_ + 1 : 0;
        flushed_ = now;
        if (recording()) silence_.look(now);
      }
      at_latest(flushed_ + kFlushEvery / hurry);
    } else {
      read_completed();
    }
  }

  // A burst is over, and all of it has come: the program is to be as fast as without us until the next one.
  void rest(const ViewerRequest& request, std::int64_t now) {
    const std::int64_t next = request.level == wire::Level::Acquire ? next_burst(request) : INT64_MAX;
    // A program that runs far ahead of the GPU is not slowed down, and what it has queued now is wanted in the next
    // burst.
    const bool far_ahead = first_work_ns() - burst_ > 2 * request.burst;
    // Without a buffer of ours, somebody else has perhaps taken the records over, and would lose them.
    const bool ours = buffers_moved() != moved_at_burst_;
    if (far_ahead || !ours || next - now < kWorthLeaving / hurry) return read_completed();
    if (!stays_ && may_finalise()) {
      deliver(static_cast<std::uint32_t>(level_), true);
      const Departed departed = detach_cupti();
      if (departed.how == Departure::Done) {
        held_up_ = departed.took_ns;
        away_since_ = now_ns() - held_up_;
        const timespec others_leave{0, kOthersLeave / hurry};
        nanosleep(&others_leave, nullptr);
        forget_cupti();
        return come_back();
      }
      watch(watched_, anchor_);
      stays_ = departed.how == Departure::Refused;
    }
    release_kinds();
    if (kinds_on()) read_completed();
  }

  // Graphs from before a viewer came are not known. As long as they are not replayed, CUPTI may go: measured with CUDA
  // 13.0 update 1, a graph of PyTorch's and one of torch.compile's.
  static bool may_finalise() {
    return (!late.load(kRelaxed) || cupti.version >= kGraphsSurvive) && contexts_seen() <= 1 && !graphs_seen.load() &&
           ring.status().state.load(kRelaxed) == static_cast<std::uint32_t>(wire::State::Watching);
  }

  // The viewer has left, and the program goes on: as fast as without us. True if CUPTI has left the process.
  bool leave_cupti() {
    if (!kinds_on() || !may_finalise() || buffers_moved() == moved_at_burst_) return false;
    deliver(static_cast<std::uint32_t>(level_), true);
    for (int i = 0; i < 3 && leaving.load(std::memory_order_acquire) == 0; ++i) {
      const Departure how = detach_cupti().how;
      if (how == Departure::No) continue;  // a thread was in a long call
      if (how != Departure::Done) return false;
      const timespec others_leave{0, kOthersLeave / hurry};
      nanosleep(&others_leave, nullptr);
      forget_cupti();
      return true;
    }
    return false;
  }

  // `held_up_`: of the time without CUPTI, what it took to finalise and to subscribe, when it may hold calls up.
  void come_back() {
    const std::int64_t joining = now_ns();
    const Joined joined = join_cupti();
    if (joined == Joined::Yes) watch(watched_, anchor_);
    const std::int64_t now = now_ns();
    held_up_ += now - joining;
    try_again_ = now + kTryAgain;
    if (joined == Joined::Yes) send_away(away_since_, now, held_up_);
    if (joined != Joined::Busy) away_since_ = 0;
  }

  void do_chores(std::int64_t now) {
    forget_ended_threads();
    send_thread_names();
    if (cupti_works.load(kRelaxed)) {
      look_after_records();
      if (graphs_seen.load()) look_for_graphs(false);
    }
    if (began_ == 0) began_ = now;
    if (!python_done && now < began_ + kPythonComes) python_done = find_python();
    if (!driver_known_ && ring.status().first_call_ns.load(kRelaxed) != 0) {
      driver_known_ = true;
      read_driver_version();
    }
  }

  // Threads that have made calls before and now make none: where they are. Returns when to look again.
  std::int64_t sample(std::int64_t every, std::int64_t now) {
    if (now < sample_due_) return sample_due_;
    ThreadState* quiet[kSampled];
    std::size_t n = 0;
    bool idle = true;
    std::int64_t soonest = now + kRest;
    const std::size_t used = threads_used.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < used && n < kSampled; ++i) {
      ThreadState& t = threads[i];
      const std::int64_t since = t.quiet_since_ns.load(kRelaxed);
      if (t.id.load(std::memory_order_acquire) == 0 || since == 0 || t.python.load(kRelaxed) == 0) continue;
      idle = idle && now - since > kIdle;
      if (since > now - every &&
          !recording()) {  // while all calls are seen, also short gaps between two are looked into
        if (since + every < soonest) soonest = since + every;
        continue;
      }
      quiet[n++] = &t;
    }
    for (std::size_t i = 0; i < n; ++i) send_sample(*quiet[i], now);
    sample_due_ = n == 0 ? soonest : now + (idle && every < kIdleSample ? kIdleSample : every);
    if (sample_due_ < now + every) sample_due_ = now + every;
    return sample_due_;
  }

  static void send_sample(const ThreadState& t, std::int64_t now) {
    wire::SampleMessage message{};
    message.thread = t.id.load(kRelaxed);
    message.since_ns = t.quiet_since_ns.load(kRelaxed);
    if (message.thread == 0 || message.since_ns == 0) return;
    Line<64> path;
    char text[256];
    path.add("/proc/self/task/").add(std::uint64_t{message.thread}).add("/stat");
    if (read_file(path.c_str(), text, sizeof(text)) == 0) return;  // it has ended
    const char* name_end = std::strrchr(text, ')');
    if (!name_end) return;
    message.runs = name_end[1] == ' ' && name_end[2] == 'R';
    message.time_ns = now;
    message.stack = walk_other(t);
    // A call that began meanwhile has a stack of its own.
    if (message.stack == 0 || t.quiet_since_ns.load(std::memory_order_acquire) != message.since_ns) return;
    ring.send(wire::MessageKind::Sample, message);
  }

  // False when the viewer has ended. A byte from it only wakes the thread, unless it is of a command.
  bool wait(std::int64_t until) {
    pollfd polled[2] = {{connection.get(), POLLIN, 0}, {wake_from.get(), POLLIN, 0}};
    if (polled[0].fd < 0) return false;
    const std::int64_t left = until - now_ns();
    const timespec timeout{left > 0 ? left / kSecond : 0, left > 0 ? left % kSecond : 0};
    if (ppoll(polled, 2, &timeout, nullptr) <= 0) return true;
    if (connection.get() < 0) return false;  // the program has closed it meanwhile
    if (wake_from.get() < 0) polled[1].revents = 0;
    char bytes[512];
    if (polled[1].revents != 0 && read(polled[1].fd, bytes, sizeof(bytes)) < 0) polled[1].revents = 0;  // none left
    if (polled[0].revents == 0) return true;
    const ssize_t n = recv(polled[0].fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n > 0) hear_knobs(bytes, static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  // The program ends, or the viewer has: everything off for good, except for what must stay on (see records.cpp).
  void end(bool viewer) {
    begin_step(true);  // a thread that is in cuInit must not switch on what is switched off here
    release_own_knobs();
    if (cupti_works.load(std::memory_order_acquire) && !fatal.load(kRelaxed)) {
      const auto level = static_cast<std::uint32_t>(level_);
      watch(Watched::Nothing, 0);
      const bool recorded = recording();
      if (recorded) stop_recording(level);
      if (viewer && (recorded || records_out())) {
        const std::int64_t deadline = now_ns() + kAtExit / 2;
        while (records_out() && now_ns() < deadline) {
          const timespec nap{0, kMillisecond};
          nanosleep(&nap, nullptr);
          deliver(level);
        }
        deliver(level, true);
      }
      if (viewer || !leave_cupti()) {
        if (!viewer) {
          watch(Watched::Nothing, 0);  // leave_cupti() may have watched more
          if (kinds_on() && graphs_seen.load()) release_kinds();
        }
        stop_kernels();
        release_calls();
        cupti.unsubscribe(cupti.subscriber);
      }
      cupti_works.store(false, std::memory_order_release);
    }
    add_up_counts();
    ring.live.store(false, std::memory_order_release);
    stepping_.store(false, std::memory_order_release);
    connection.close();
    done.store(1, std::memory_order_release);
    syscall(SYS_futex, &done, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, nullptr, nullptr, 0);
    if (!viewer) release_knobs();
  }

  wire::Level level_ = wire::Level::Off;
  Watched watched_ = Watched::Nothing;
  std::uint32_t anchor_ = 0;
  int clean_ = 0;  // flushes in a row after which CUPTI had no more records
  std::int64_t burst_ = 0, ended_ = 0, flushed_ = 0, tail_until_ = 0, chores_ = 0, began_ = 0, sample_due_ = 0,
               cupti_since_ = 0;
  std::int64_t real_asked_ = 0, real_ahead_ = 0;  // CLOCK_REALTIME less CLOCK_MONOTONIC
  Silence silence_;
  std::uint64_t moved_at_burst_ = 0, launches_at_burst_ = 0;
  bool driver_known_ = false, after_init_ = false;
  bool stays_ = false;                                         // CUPTI could not be finalised
  std::int64_t away_since_ = 0, held_up_ = 0, try_again_ = 0;  // CUPTI has been finalised, and not subscribed to again
  std::atomic<bool> stepping_{false};
};
Loop loop;

void* run_loop(void*) {
  loop.run();
  serving.store(false, std::memory_order_release);
  return nullptr;
}

// In a forked child: it shares the memory, but has no thread of ours, and CUPTI does not work in it.
void forked() {
  serving.store(false, kRelaxed);  // it may be watched by a viewer of its own
  forget_knobs();
  if (!live()) return;
  const int saved = errno;
  ring.send(wire::MessageKind::Forked, wire::ForkedMessage{static_cast<std::uint32_t>(getpid())});
  ring.live.store(false, std::memory_order_release);
  cupti_works.store(false, kRelaxed);
  connection.close();
  wake.close();
  wake_from.close();
  errno = saved;
}

// Before anything that a forked child must not have: it may be forked at any moment from then on.
bool knows_of_forks() {
  static const bool knows = pthread_atfork(nullptr, nullptr, &forked) == 0;
  return knows;
}

// At the program's end the thread sends what there is, but the program does not wait long for it.
void leave() {
  const int saved = errno;
  if (fifo_of == getpid()) unlink(fifo.c_str());
  if (!live()) return;
  ring.memory->end.store(static_cast<std::uint32_t>(wire::End::Regular), kRelaxed);
  leaving.store(1, std::memory_order_release);
  wake_up();
  const std::int64_t deadline = now_ns() + kAtExit;
  for (std::int64_t left = kAtExit; done.load(std::memory_order_acquire) == 0 && left > 0; left = deadline - now_ns()) {
    const timespec timeout{left / kSecond, left % kSecond};
    syscall(SYS_futex, &done, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &timeout, nullptr, 0);
  }
  ring.live.store(false, std::memory_order_release);
  errno = saved;
}

// Says Hello to the viewer at this socket, and waits a moment for its answer. False: nobody answers.
bool greet(const char* path) {
  static const bool tables = create_tables();
  if (!tables) return false;
  const int s = connect_to(path);
  if (s < 0) return false;
  const int file = ring.create(slots());
  if (file < 0) {
    close(s);
    return false;
  }
  ring.memory->job = job = read_job();
  hurry = clamp(number_in("LANESCOPE_HURRY"), 1, 100);
  ring.memory->end.store(static_cast<std::uint32_t>(wire::End::None), kRelaxed);
  ring.live.store(true, std::memory_order_release);
  connection.take(s);
  int ends[2] = {-1, -1};
  bool piped = wake.get() >= 0 && wake_from.get() >= 0;  // of an earlier viewer
  if (!piped) {
    piped = pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
    wake_from.take(ends[0]);
    wake.take(ends[1]);
  }
  python_done = find_python();
  // Until the viewer has said what it wants: it may be slow, and the first calls are not to be missed.
  ring.memory->controls.level.store(static_cast<std::uint32_t>(wire::Level::Acquire), kRelaxed);
  const bool hello = piped && say_hello(s, file);
  close(file);
  if (hello) {
    // The viewer writes the controls and then a byte. So the program's first calls are watched as it wants them.
    pollfd answer{s, POLLIN, 0};
    const timespec patience{0, kAnswer};
    ppoll(&answer, 1, &patience, nullptr);
    return true;
  }
  ring.live.store(false, std::memory_order_release);
  connection.close();
  wake.close();
  wake_from.close();
  return false;
}

// --- Entered while the program runs ---------------------------------------------------------------------------------

// Nothing of an earlier viewer's time counts, and nothing that was sent is known to the next one.
void forget_last_viewer() {
  const timespec callbacks_end{0, kCallbacksEnd};
  nanosleep(&callbacks_end, nullptr);
  begin_records_anew();
  forget_sent();
  forget_counts();
  forget_call_names();
  forget_calls();
  fatal.store(false, kRelaxed);
  cupti_begun.store(false, kRelaxed);
  leaving.store(0, kRelaxed);
  done.store(0, kRelaxed);
  new (&loop) Loop();
}

/// Where the viewer listens. Written by whoever has set `serving`.
char viewer_path[sizeof(sockaddr_un::sun_path)];

// On a thread of the library's own, for as long as the viewer is there.
void serve() {
  prctl(PR_SET_NAME, "lanescope");
  if (ring.memory) forget_last_viewer();
  late.store(true, kRelaxed);
  if (greet(viewer_path)) loop.run();
  serving.store(false, std::memory_order_release);
}

// --- Asleep ---------------------------------------------------------------------------------------------------------
// The library waits in open() of a FIFO for somebody to open the other end: until then it has a thread, no descriptor,
// and nothing that anybody could connect to. The FIFO is in a folder that only this user can enter. What comes through
// it is the path of a viewer's socket, and that viewer must be of this user, too.

// Once, before there is a thread: false if the folder cannot be had, or is somebody else's.
bool make_fifo() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  fifo.add(runtime && *runtime == '/' ? runtime : "/tmp").add("/lanescope-sleep-").add(std::uint64_t{geteuid()});
  struct stat facts {};
  const bool made = mkdir(fifo.c_str(), 0700) == 0 || errno == EEXIST;
  if (!made || syscall(SYS_newfstatat, AT_FDCWD, fifo.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 077) != 0) {
    return false;
  }
  fifo_of = getpid();
  fifo.add("/").add(static_cast<std::uint64_t>(fifo_of));
  unlink(fifo.c_str());  // of a process that was killed and had this number
  return mkfifo(fifo.c_str(), 0600) == 0;
}

// One path, up to the end of the line; false: it is too long, or none came.
bool read_path(int from) {
  std::size_t n = 0;
  while (n < sizeof(viewer_path)) {
    const ssize_t got = read(from, viewer_path + n, sizeof(viewer_path) - n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    n += static_cast<std::size_t>(got);
    if (viewer_path[n - 1] == '\n') {
      viewer_path[n - 1] = 0;
      return true;
    }
  }
  return false;
}

void* sleep_and_serve(void*) {
  prctl(PR_SET_NAME, "lanescope");
  for (;;) {
    const int file = open(fifo.c_str(), O_RDONLY | O_CLOEXEC);  // until somebody opens the other end
    if (file < 0) return nullptr;
    bool none = false;
    const bool ours = serving.compare_exchange_strong(none, true);
    const bool path = ours && read_path(file);
    close(file);
    if (path) {
      serve();
    } else if (ours) {
      serving.store(false, std::memory_order_release);
    }
  }
}

}  // namespace

bool start_thread(void* (*run)(void*)) {
  // The program's signals are not for this thread.
  std::uint64_t all = ~std::uint64_t{0}, before = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all)) != 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int result = pthread_create(&thread, &attributes, run, nullptr);
  pthread_attr_destroy(&attributes);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(before));
  return result == 0;
}

bool start() {
  const char* path = getenv(wire::kSocketVariable);
  if (!path || !*path || is_asleep()) return false;
  bool none = false;
  if (!knows_of_forks() || !serving.compare_exchange_strong(none, true)) return false;  // somebody has entered already
  if (greet(path) && start_thread(&run_loop)) return true;
  if (live()) {
    ring.live.store(false, std::memory_order_release);
    connection.close();
    wake.close();
    wake_from.close();
  }
  serving.store(false, std::memory_order_release);
  return false;
}

bool is_asleep() {
  const char* text = getenv(wire::kSocketVariable);
  return text && std::strcmp(text, kAsleep) == 0;
}

void fall_asleep() {
  static std::atomic<bool> asleep{false};
  if (!asleep.exchange(true) && knows_of_forks() && make_fifo() && start_thread(&sleep_and_serve)) leave_at_exit();
}

int enter(const char* path) {
  const std::size_t length = path ? std::strlen(path) : 0;
  if (length == 0 || length >= sizeof(viewer_path)) return kNoPath;
  if (!knows_of_forks()) return kNoThread;
  bool none = false;
  if (!serving.compare_exchange_strong(none, true)) return kServing;
  std::memcpy(viewer_path, path, length + 1);
  const auto body = [](void*) -> void* {
    serve();
    return nullptr;
  };
  if (start_thread(body)) return 0;
  serving.store(false, std::memory_order_release);
  return kNoThread;
}

void begin_cupti() {
  if (cupti_begun.exchange(true)) return;
  start_cupti();
  leave_at_exit();
}

void wake_up() {
  const int saved = errno;
  if (write(wake.get(), "!", 1) < 0) {  // it is full, or not there
  }
  errno = saved;
}
void step_now() { loop.step_alone(false); }
void leave_at_exit() {
  static std::atomic<bool> asked{false};
  if (!asked.exchange(true)) atexit(&leave);
}

}  // namespace lanescope::inject
