#include "capture/recorder.h"

#include <chrono>
#include <limits>
#include <utility>

#include "base/time.h"

namespace lanescope::capture {
namespace {

using Clock = std::chrono::steady_clock;
using trace::Event;
using trace::Nanoseconds;

// Batches the output of a busy writer. An event is visible after this time at the latest, and waking costs nothing.
constexpr std::chrono::milliseconds kBatchTime{2};
// If a round takes this many events (or a quarter of a queue), the writers are busy, and this thread does not rest.
constexpr std::size_t kHurry = 4096;
// The events that a direct writer publishes together.
constexpr std::size_t kLot = 256;
// How often, in events, a writer checks whether its queue is filling up.
constexpr std::size_t kLookEvery = 1024;
// The live edge moves at least in such steps.
constexpr Nanoseconds kEdgeStep = 10 * base::kMillisecond;
constexpr Nanoseconds kUnsaid = std::numeric_limits<Nanoseconds>::min();

// A change of what is recorded goes through the queue as an event of a lane that no trace has.
constexpr trace::LaneId kRecordingLane = std::numeric_limits<trace::LaneId>::max();
static_assert(kRecordingLane >= trace::Trace::kMaxLanes);

Event as_event(const trace::RecordingChange& change) {
  Event e;
  e.lane = kRecordingLane;
  e.flags = static_cast<std::uint8_t>(change.act);
  trace::set_bytes(e, static_cast<std::uint64_t>(change.pid));
  e.start_ns = change.time_ns;
  e.end_ns = change.calls_from_ns;
  return e;
}

trace::RecordingChange recording_change(const Event& e) {
  return {static_cast<trace::RecordingChange::Act>(e.flags), static_cast<std::int64_t>(trace::bytes_of(e)), e.start_ns,
          e.end_ns};
}

std::int64_t wall_ns() { return Clock::now().time_since_epoch().count(); }

}  // namespace

// One writer's queue. `complete_until` is stored after the events before it were queued, and is read before the queue
// is drained, so it never promises more than what has arrived.
class Recorder::Channel {
 public:
  explicit Channel(std::size_t capacity) : queue(capacity) {}

  EventRing queue;
  std::atomic<Nanoseconds> complete_until{kUnsaid};
  std::atomic<std::int64_t> oldest_waiting{0};  // wall time of the first write since the last round; 0: none
  std::atomic<std::uint64_t> dropped{0};
  std::atomic<bool> closed{false};
};

class Recorder::Writer final : public trace::EventWriter {
 public:
  Writer(Recorder& recorder, std::shared_ptr<Channel> channel)
      : recorder_(recorder), channel_(std::move(channel)), when_full_(recorder.when_full_) {}
  ~Writer() override {
    channel_->closed.store(true, std::memory_order_release);
    recorder_.wake(Rest::Nap);
  }

  void write(const Event& event) noexcept override { put(event, when_full_ == WhenFull::Drop); }
  void recording(const trace::RecordingChange& change) noexcept override { put(as_event(change), false); }

  void complete_until(Nanoseconds t) noexcept override {
    channel_->complete_until.store(t, std::memory_order_release);
    if (t - shown_ < kEdgeStep) return;
    shown_ = t;
    recorder_.wake(Rest::Sleep);  // the live edge goes on where nothing is written, too
  }

 private:
  void put(const Event& event, bool may_drop) noexcept {
    while (!channel_->queue.push(event)) {
      if (may_drop) {
        channel_->dropped.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      recorder_.wake(Rest::Nap);
      std::this_thread::yield();
    }
    if (channel_->oldest_waiting.load(std::memory_order_relaxed) == 0) {
      channel_->oldest_waiting.store(wall_ns(), std::memory_order_seq_cst);
      recorder_.wake(Rest::Sleep);
    }
    if (++written_ % kLookEvery == 0 && channel_->queue.filling()) {
      recorder_.wake(Rest::Nap);
    }
  }

  Recorder& recorder_;
  std::shared_ptr<Channel> channel_;
  const WhenFull when_full_;
  std::size_t written_ = 0;
  Nanoseconds shown_ = 0;
};

inline void Recorder::take(const Event& event) {
  if (event.lane >= windows_.size()) {
    if (event.lane == kRecordingLane) return trace_.change_recording(recording_change(event));
    meet_lane(event.lane);
  }
  ReorderWindow* window = windows_[event.lane].get();
  if (window == nullptr) return trace_.append(event);
  reorder(*window, event);
}

// A separate function, never inlined, so that the common path saves no registers.
[[gnu::noinline]] void Recorder::reorder(ReorderWindow& window, const Event& event) {
  window.add(event, [this](const Event& e) { trace_.append(e); });
}

class Recorder::DirectWriter final : public trace::EventWriter {
 public:
  explicit DirectWriter(Recorder& recorder) : recorder_(recorder) { recorder_.direct_.push_back(this); }
  ~DirectWriter() override {
    recorder_.publish();
    std::erase(recorder_.direct_, this);
  }

  void write(const Event& event) noexcept override {
    ++written_;
    recorder_.take(event);
  }
  void recording(const trace::RecordingChange& change) noexcept override { recorder_.trace_.change_recording(change); }
  void complete_until(Nanoseconds t) noexcept override {
    complete_until_ = t;
    if (written_ >= kLot) recorder_.publish();
  }

 private:
  friend class Recorder;
  Recorder& recorder_;
  std::size_t written_ = 0;  // since the last publication
  Nanoseconds complete_until_ = kUnsaid;
};

Recorder::Recorder(trace::Trace& trace, WhenFull when_full, std::size_t queue_events)
    : trace_(trace), when_full_(when_full), queue_events_(queue_events) {
  if (when_full != WhenFull::Direct) thread_ = std::thread([this] { ingest(); });
}

Recorder::~Recorder() {
  stop_.store(true, std::memory_order_seq_cst);
  if (thread_.joinable()) {
    wake(Rest::Nap);
    thread_.join();
  } else {
    flush();
  }
}

std::unique_ptr<trace::EventWriter> Recorder::open_writer() {
  if (when_full_ == WhenFull::Direct) return std::make_unique<DirectWriter>(*this);
  auto channel = std::make_shared<Channel>(queue_events_);
  {
    const std::lock_guard lock(channels_mutex_);
    channels_.push_back(channel);
  }
  return std::make_unique<Writer>(*this, std::move(channel));
}

// Wakes the thread only if it rests at least this deeply, so a busy writer pays for one load.
void Recorder::wake(Rest from) {
  if (rest_.load(std::memory_order_seq_cst) < from) return;
  {
    const std::lock_guard lock(rest_mutex_);
    woken_ = true;
  }
  wake_up_.notify_one();
}

// Of the direct writers. All of them are told where the record is complete in one go, after the events before that.
void Recorder::publish() {
  std::size_t written = 0;
  Nanoseconds complete = std::numeric_limits<Nanoseconds>::max();
  for (DirectWriter* writer : direct_) {
    written += std::exchange(writer->written_, 0);
    if (writer->complete_until_ != kUnsaid) complete = std::min(complete, writer->complete_until_);
  }
  count_late();
  trace_.publish();
  received_.fetch_add(written, std::memory_order_relaxed);
  if (complete != std::numeric_limits<Nanoseconds>::max() && complete > trace_.complete_until()) {
    trace_.set_complete_until(complete);
  }
}

void Recorder::flush_windows() {
  for (const auto& window : windows_) {
    if (window) window->flush([this](const Event& e) { trace_.append(e); });
  }
  count_late();
}

void Recorder::count_late() {
  std::uint64_t late = 0;
  for (const auto& window : windows_) {
    if (window) late += window->late();
  }
  trace_.count_late(late - late_seen_);
  late_seen_ = late;
}

void Recorder::flush() {
  if (when_full_ == WhenFull::Direct) {
    flush_windows();
    return publish();
  }
  const std::uint64_t asked = flush_asked_.fetch_add(1, std::memory_order_seq_cst) + 1;
  wake(Rest::Nap);
  for (std::uint64_t done = flush_done_; done < asked; done = flush_done_) flush_done_.wait(done);
}

RecorderHealth Recorder::health() const {
  RecorderHealth health;
  health.running = !stop_.load(std::memory_order_acquire);
  health.received = received_.load(std::memory_order_relaxed);
  health.latency_ms = latency_ms_.load(std::memory_order_relaxed);
  health.dropped = trace_.counts().dropped;
  return health;
}

[[gnu::noinline]] void Recorder::meet_lane(trace::LaneId lane) {
  for (std::size_t l = windows_.size(); l <= lane; ++l) {
    const std::uint32_t window = trace_.lane(static_cast<trace::LaneId>(l)).info().reorder_window;
    windows_.push_back(window == 0 ? nullptr : std::make_unique<ReorderWindow>(window));
  }
}

std::size_t Recorder::drain(Channel& channel) {
  return channel.queue.drain([this](const Event& event) { take(event); });
}

void Recorder::ingest() {
  std::vector<std::shared_ptr<Channel>> channels;
  for (;;) {
    const bool stopping = stop_.load(std::memory_order_acquire);
    const std::uint64_t flush_asked = flush_asked_.load(std::memory_order_acquire);
    {
      const std::lock_guard lock(channels_mutex_);
      channels = channels_;
    }

    std::size_t taken = 0;
    std::int64_t oldest = 0;
    bool written = false;
    Nanoseconds complete = std::numeric_limits<Nanoseconds>::max();
    bool said = false;
    for (const auto& channel : channels) {
      const bool closed = channel->closed.load(std::memory_order_acquire);
      const std::int64_t waiting = channel->oldest_waiting.exchange(0, std::memory_order_relaxed);
      written |= waiting != 0;
      const Nanoseconds until = channel->complete_until.load(std::memory_order_acquire);
      // Everything queued when this round began, and so everything written before a flush was requested.
      const std::size_t from_this = drain(*channel);
      taken += from_this;
      if (from_this && waiting && (oldest == 0 || waiting < oldest)) oldest = waiting;
      if (const std::uint64_t lost = channel->dropped.exchange(0, std::memory_order_relaxed)) {
        trace_.count_dropped(lost);
      }
      if (until != kUnsaid) {
        said = true;
        complete = std::min(complete, until);
      }
      if (closed && from_this == 0) {
        const std::lock_guard lock(channels_mutex_);
        std::erase(channels_, channel);
      }
    }
    const bool flushing = flush_asked > flush_done_.load();
    if (flushing || stopping) {
      flush_windows();
    } else {
      count_late();
    }
    trace_.publish();
    if (said && complete > trace_.complete_until()) trace_.set_complete_until(complete);
    received_.fetch_add(taken, std::memory_order_relaxed);
    if (oldest) {
      const double now_ms = static_cast<double>(wall_ns() - oldest) / 1e6;
      latency_ms_.store(0.9 * latency_ms_.load(std::memory_order_relaxed) + 0.1 * now_ms, std::memory_order_relaxed);
    }
    if (flushing) {
      flush_done_ = flush_asked;
      flush_done_.notify_all();
    }
    if (taken >= std::min(kHurry, queue_events_ / 4) || flushing) continue;
    if (stopping) return;
    // A writer that has just seen `oldest_waiting` set wakes nobody, and its event may come into sight after the drain.
    rest(taken || written ? Rest::Nap : Rest::Sleep);
  }
}

void Recorder::rest(Rest how) {
  // Requests made before this store are checked below; later ones see the store and wake this thread.
  rest_.store(how, std::memory_order_seq_cst);
  bool work =
      stop_.load(std::memory_order_seq_cst) || flush_asked_.load(std::memory_order_seq_cst) > flush_done_.load();
  if (how == Rest::Sleep) {
    const std::lock_guard lock(channels_mutex_);
    for (const auto& channel : channels_) work |= channel->oldest_waiting.load(std::memory_order_seq_cst) != 0;
  }
  std::unique_lock lock(rest_mutex_);
  const auto woken = [this] { return woken_; };
  if (!work && how == Rest::Nap) wake_up_.wait_for(lock, kBatchTime, woken);
  if (!work && how == Rest::Sleep) wake_up_.wait(lock, woken);
  woken_ = false;
  rest_.store(Rest::None, std::memory_order_seq_cst);
}

}  // namespace lanescope::capture
