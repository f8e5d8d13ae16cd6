#include "cuda_backend/own_capture.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <forward_list>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/translate.h"
#include "capture/assembly/assembler.h"
#include "capture/messages.h"
#include "capture/ring_reader.h"
#include "inject/compat.h"
#include "inject/here.h"

namespace lanescope::cuda_backend {
namespace {

using base::Nanoseconds;
using base::tr;
using capture::Message;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using trace::CaptureHealth;
using trace::CaptureLevel;
using trace::CaptureState;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kStopLimit{10'000}, kExitLimit{2'000}, kFlushPause{1};
// Between two rounds while records come; each round without any doubles it.
constexpr milliseconds kBusyRest{15}, kLongestRest{50};
constexpr Nanoseconds kLongOpen = 50 * base::kMicrosecond;
// A call's message is sent after its end was taken, so the last instants are not known yet.
constexpr Nanoseconds kCallsComeAfter = base::kMillisecond;
// Read while nothing else can use what is read.
constexpr std::size_t kMessagesAtOnce = 4096;

std::string busy_ourselves() { return tr("this program is already recording the GPU for another run"); }
std::string no_memory() { return tr("there is no memory for the capture"); }

}  // namespace

class OwnCapture::Impl : public std::enable_shared_from_this<OwnCapture::Impl> {
 public:
  Impl(trace::EventSink& sink, std::int64_t origin_ns, CaptureLevel level)
      : sink_(sink), origin_ns_(origin_ns), calls_(level == CaptureLevel::All) {}

  void start();
  CaptureHealth health() const;
  std::vector<trace::OpenCall> open_calls() const;
  void set_main_thread(std::uint32_t thread);
  void flush(int limit_ms);
  void stop(milliseconds limit, bool at_exit);
  bool forked() const { return ::getpid() != process_; }

  struct Owner {
    std::mutex mutex;
    bool taken = false;  // also by one whose thread is stuck in CUPTI
    std::weak_ptr<Impl> running;
    bool exit_registered = false;
    std::forward_list<std::shared_ptr<Impl>> kept;  // in a forked child
  };
  static Owner& owner() {
    static Owner* only = new Owner;  // used at the process's exit
    return *only;
  }

 private:
  /// For who holds reading_mutex_.
  struct Reading {
    Reading(trace::EventSink& sink, capture::RingReader opened, capture::Counts& counts, Nanoseconds origin_ns)
        : ring(std::move(opened)), words(sink), messages(words, counts, origin_ns), assembler(sink, counts) {}

    capture::RingReader ring;
    capture::Words words;
    capture::MessageReader messages;
    capture::Assembler assembler;
    std::optional<Nanoseconds> delivered_ns;
    std::uint64_t news = 0;  // messages that are not about the recording itself
    bool main_known = false;
    bool over = false;  // all was written; whoever comes later writes nothing
  };

  Nanoseconds now_ns() const { return inject::now_ns() - origin_ns_; }
  void run() noexcept;
  /// Returns Reading::news. `last`: writes all that there is.
  std::uint64_t read_ring(bool last);
  void take(const Message& message);
  void note_health(const capture::RingReader& ring);
  static void release();

  trace::EventSink& sink_;
  const Nanoseconds origin_ns_;
  const bool calls_;  // and not the GPU's work alone
  const pid_t process_ = ::getpid();
  capture::Counts counts_;

  mutable std::mutex reading_mutex_;
  std::unique_ptr<Reading> reading_;  // null: it did not start, and holds up no other writer of the trace

  mutable std::mutex mutex_;  // guards what follows; never held while CUPTI is called
  std::condition_variable wake_, progress_;
  std::uint64_t flush_asked_ = 0, flush_done_ = 0;
  Nanoseconds complete_ns_ = std::numeric_limits<Nanoseconds>::min();
  bool running_ = false, stop_asked_ = false, at_exit_ = false, ended_ = false;
  CaptureHealth state_;  // state, reason, library and what the library has counted

  std::thread thread_;  // of the one that starts and the one that stops
};

void OwnCapture::Impl::start() {
  {
    Owner& own = owner();
    const std::lock_guard lock(own.mutex);
    if (own.taken) {
      state_.state = CaptureState::Busy;
      state_.reason = busy_ourselves();
      return;
    }
    own.taken = true;
    own.running = weak_from_this();
  }
  const bool begun = inject::begin_here(calls_);
  std::string problem = no_memory();
  std::optional<capture::RingReader> ring;
  if (inject::ring.memory) ring = capture::RingReader::open(inject::ring.memory, inject::ring.bytes, problem);
  state_.state = CaptureState::Unavailable;
  state_.reason = problem;
  if (ring) note_health(*ring);
  if (!begun || !ring) return release();
  {
    Owner& own = owner();
    const std::lock_guard lock(own.mutex);
    // After CUPTI is loaded, so that it runs before CUPTI's own.
    if (!std::exchange(own.exit_registered, true)) {
      std::atexit([] {
        std::shared_ptr<Impl> running;
        {
          const std::lock_guard exit_lock(owner().mutex);
          running = owner().running.lock();
        }
        if (running) running->stop(kExitLimit, true);
      });
    }
  }
  try {
    reading_ = std::make_unique<Reading>(sink_, std::move(*ring), counts_, origin_ns_);
    running_ = true;
    thread_ = std::thread([self = shared_from_this()] { self->run(); });  // one that is stuck in CUPTI is left behind
  } catch (const std::exception& e) {
    inject::end_here(false);
    reading_.reset();
    running_ = false;
    state_.state = CaptureState::Unavailable;
    state_.reason = tr("the capture cannot be started: {}", e.what());
    release();
  }
}

void OwnCapture::Impl::release() {
  const std::lock_guard lock(owner().mutex);
  owner().taken = false;
  owner().running.reset();
}

// --- the thread ------------------------------------------------------------------------------------------------------

void OwnCapture::Impl::run() noexcept {
  milliseconds rest = kBusyRest;
  std::uint64_t news = 0;
  for (;;) {
    std::uint64_t flush = 0;
    bool stopping = false, at_exit = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, rest, [this] { return stop_asked_ || flush_asked_ > flush_done_; });
      flush = flush_asked_;
      stopping = stop_asked_;
      at_exit = at_exit_;
    }
    if (stopping) {
      inject::end_here(at_exit);
    } else {
      inject::step_here();
    }
    const std::uint64_t now_news = read_ring(stopping);
    rest = now_news == news ? std::min(2 * rest, kLongestRest) : kBusyRest;
    news = now_news;
    const std::lock_guard lock(mutex_);
    flush_done_ = flush;
    ended_ = stopping;
    progress_.notify_all();
    if (stopping) return;
  }
}

std::uint64_t OwnCapture::Impl::read_ring(bool last) try {
  std::uint64_t news = 0;
  for (bool more = true; more;) {
    const std::lock_guard lock(reading_mutex_);
    Reading& r = *reading_;
    if (r.over) return 0;
    r.messages.set_now(now_ns());
    // Before the ring is read: calls that were open then and have ended since have sent their message.
    Nanoseconds oldest_open = std::numeric_limits<Nanoseconds>::max();
    for (const capture::OpenCallEntry& open : r.ring.open_calls()) {
      oldest_open = std::min(oldest_open, r.messages.here(open.start_ns));
    }
    const Nanoseconds calls_known = now_ns() - kCallsComeAfter;
    if (last) r.ring.writer_ended();
    more = r.ring.read(kMessagesAtOnce, [this](const Message& message) { take(message); }) == kMessagesAtOnce;
    news = r.news;
    r.assembler.relieve(now_ns());
    if (more) continue;  // nothing is known to be complete
    if (last) {
      r.assembler.finish(now_ns());
      r.assembler.close();
      r.over = true;
    } else if (r.delivered_ns) {
      capture::Progress progress;
      progress.asked_ns = std::min(*r.delivered_ns, calls_known);
      progress.oldest_open_call_ns = oldest_open;
      r.assembler.advance(progress, now_ns());
    }
    note_health(r.ring);
  }
  return news;
} catch (const std::exception&) {  // out of memory: a message is lost
  capture::add(counts_.dropped);
  return 0;
}

void OwnCapture::Impl::take(const Message& message) {
  Reading& r = *reading_;
  capture::add(counts_.received);
  if (message.kind != wire::MessageKind::Recording) ++r.news;
  switch (message.kind) {
    case wire::MessageKind::Text:
    case wire::MessageKind::Shape:
      return r.words.learn(message);
    case wire::MessageKind::Call:
      if (const auto call = message.as<wire::CallMessage>()) {
        if (!std::exchange(r.main_known, true)) r.assembler.set_main_thread(call->thread);
        if (const auto record = r.messages.call(*call, r.words.call(*call))) r.assembler.add(*record);
      }
      return;
    case wire::MessageKind::Recording:
      if (const auto recording = message.as<wire::RecordingMessage>();
          recording && recording->act == wire::RecordingAct::Delivered) {
        r.delivered_ns = r.messages.here(recording->time_ns);
      }
      return;
    default:
      if (const auto record = r.messages.record(message)) r.assembler.add(*record);
  }
}

// What the library says of itself, for other threads.
void OwnCapture::Impl::note_health(const capture::RingReader& ring) {
  const wire::State said = capture::library_state(ring.status());
  CaptureHealth health;
  health.state = capture::capture_state(said);
  if (health.state != CaptureState::Running) health.reason = ring.state_text();
  health.library = capture::library_text(ring);
  health.library.erase(0, health.library.rfind('/') + 1);  // npos + 1 is 0
  capture::add_to(health, ring.status());
  if (health.state == CaptureState::Running && health.no_buffer > 0) {
    health.state = CaptureState::Degraded;
    health.reason = tr("ran out of buffers {} times", health.no_buffer);
  } else if (health.state == CaptureState::Running && health.dropped > 0) {
    health.state = CaptureState::Degraded;
    health.reason = tr("{} records were dropped", health.dropped);
  }
  const std::lock_guard lock(mutex_);
  state_ = std::move(health);
  if (reading_) complete_ns_ = reading_->assembler.complete_until();
}

// --- for any thread --------------------------------------------------------------------------------------------------

CaptureHealth OwnCapture::Impl::health() const {
  const std::lock_guard lock(mutex_);
  CaptureHealth health = state_;
  capture::add_to(health, counts_);
  return health;
}

std::vector<trace::OpenCall> OwnCapture::Impl::open_calls() const {
  std::vector<trace::OpenCall> calls;
  if (forked()) return calls;
  {
    const std::lock_guard lock(mutex_);
    if (!running_) return calls;
  }
  const std::lock_guard lock(reading_mutex_);
  Reading& r = *reading_;
  for (const capture::OpenCallEntry& open : r.ring.open_calls()) {
    const Nanoseconds start = r.messages.here(open.start_ns);
    const std::string& name = r.words.text(open.name);
    if (now_ns() - start <= kLongOpen || name.empty()) continue;
    calls.push_back({sink_.lane(capture::LaneNames().calls(open.thread, r.assembler.is_main(open.thread))),
                     r.words.name(trace::plain_api_name(name)), start});
  }
  return calls;
}

void OwnCapture::Impl::set_main_thread(std::uint32_t thread) {
  if (forked() || !reading_) return;
  const std::lock_guard lock(reading_mutex_);
  reading_->main_known = true;
  reading_->assembler.set_main_thread(thread);
}

void OwnCapture::Impl::flush(int limit_ms) {
  if (forked()) return;
  const auto deadline = Clock::now() + milliseconds(limit_ms);
  std::unique_lock lock(mutex_);
  const Nanoseconds called_ns = now_ns();
  while (running_ && !stop_asked_ && state_.state != CaptureState::Lost && complete_ns_ < called_ns) {
    const std::uint64_t ticket = ++flush_asked_;
    wake_.notify_one();
    if (!progress_.wait_until(lock, deadline, [&] { return flush_done_ >= ticket || ended_; })) return;
    if (complete_ns_ >= called_ns || Clock::now() >= deadline) return;
    progress_.wait_for(lock, kFlushPause, [this] { return ended_; });
  }
}

void OwnCapture::Impl::stop(milliseconds limit, bool at_exit) {
  if (forked()) return;
  bool ended = false;
  {
    std::unique_lock lock(mutex_);
    if (!running_) return;
    const bool first = !std::exchange(stop_asked_, true);
    if (first) at_exit_ = at_exit;
    wake_.notify_one();
    ended = progress_.wait_for(lock, limit, [this] { return ended_; });
    if (!first) return;  // another thread stops it
    running_ = false;
  }
  if (ended) {
    thread_.join();
    release();
  } else {  // stuck in CUPTI, which nobody else gets: he would be stuck, too
    read_ring(true);
    thread_.detach();
  }
}

OwnCapture::OwnCapture(trace::EventSink& sink, std::int64_t origin_ns, CaptureLevel level)
    : impl_(std::make_shared<Impl>(sink, origin_ns, level)) {
  impl_->start();
}

// A forked child has no thread of ours: it must be neither joined nor taken for running.
OwnCapture::~OwnCapture() {
  if (impl_->forked()) {
    Impl::owner().kept.push_front(std::move(impl_));  // without the lock, which a thread of the parent's may hold
  } else {
    stop();
  }
}

CaptureHealth OwnCapture::health() const { return impl_->health(); }
std::vector<trace::OpenCall> OwnCapture::open_calls() const { return impl_->open_calls(); }
void OwnCapture::set_main_thread(std::uint32_t thread) { impl_->set_main_thread(thread); }
void OwnCapture::flush(int limit_ms) { impl_->flush(limit_ms); }
void OwnCapture::stop() { impl_->stop(kStopLimit, false); }

std::string OwnCapture::problem() {
  const std::lock_guard lock(Impl::owner().mutex);
  if (Impl::owner().taken) return busy_ourselves();
  if (inject::can_begin_here()) return {};
  std::string problem = no_memory();
  if (!inject::ring.memory) return problem;
  const auto ring = capture::RingReader::open(inject::ring.memory, inject::ring.bytes, problem);
  return ring ? ring->state_text() : problem;
}

}  // namespace lanescope::cuda_backend
