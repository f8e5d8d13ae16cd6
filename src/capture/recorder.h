// Moves events from the writer threads into the trace.
//
//   writer (a thread each) ─▶ bounded single-producer queue ─▶ ingest thread ─▶ reorder window ─▶ Trace
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/event.h"
#include "trace/sink.h"
#include "trace/trace.h"

namespace lanescope::capture {

// --- event ring ------------------------------------------------------------------------------------------------------
// A bounded queue from one writer thread to one reader thread.

/// Uses only acquire and release, which ThreadSanitizer understands (unlike the fences in moodycamel's queue), and lets
/// the reader process many events in place.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity)
      : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 2)) - 1),
        slots_(std::make_unique<trace::Event[]>(mask_ + 1)) {}

  std::size_t capacity() const { return mask_ + 1; }

  /// Writer thread. False if the queue is full.
  bool push(const trace::Event& event) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    slots_[tail & mask_] = event;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  /// Writer thread: true if more than half of the queue is unread.
  bool filling() const {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_relaxed) > mask_ / 2;
  }

  /// Reader thread: passes the available events, at most one capacity, to `take`. Returns their number.
  template <typename Take>
  std::size_t drain(Take&& take) {
    const std::uint64_t begin = head_.load(std::memory_order_relaxed);
    const std::uint64_t end = tail_.load(std::memory_order_acquire);
    for (std::uint64_t head = begin; head != end;) {
      // Slots are released in batches, so that the threads rarely share a cache line.
      const std::uint64_t lot = std::min(end, head + kLot);
      for (; head != lot; ++head) take(slots_[head & mask_]);
      head_.store(head, std::memory_order_release);
    }
    return end - begin;
  }

 private:
  static constexpr std::uint64_t kLot = 256;
  static constexpr std::size_t kCacheLine = 64;

  const std::size_t mask_;
  const std::unique_ptr<trace::Event[]> slots_;
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_{0};  // next slot to write
  std::uint64_t head_seen_ = 0;                             // writer thread: its last known value of head_
  alignas(kCacheLine) std::atomic<std::uint64_t> head_{0};  // next slot to read
};

// --- recorder --------------------------------------------------------------------------------------------------------

/// Holds back up to `window` events. Output is in start order; of two that start together the longer comes first, so
/// that a range precedes its contents. An event that arrives more than `window` events late is output at once and
/// counted.
class ReorderWindow {
 public:
  explicit ReorderWindow(std::size_t window) : window_(window) { held_.reserve(window + 1); }

  template <typename Emit>
  void add(const trace::Event& event, Emit&& emit) {
    held_.push_back(event);
    std::push_heap(held_.begin(), held_.end(), comes_later);
    if (held_.size() > window_) emit_first(emit);
  }
  template <typename Emit>
  void flush(Emit&& emit) {
    while (!held_.empty()) emit_first(emit);
  }
  std::uint64_t late() const { return late_; }

 private:
  static bool comes_later(const trace::Event& x, const trace::Event& y) {
    return x.start_ns != y.start_ns ? x.start_ns > y.start_ns : x.end_ns < y.end_ns;
  }
  template <typename Emit>
  void emit_first(Emit& emit) {
    std::pop_heap(held_.begin(), held_.end(), comes_later);
    const trace::Event event = held_.back();
    held_.pop_back();
    if (event.start_ns < newest_start_) ++late_;
    newest_start_ = std::max(newest_start_, event.start_ns);
    emit(event);
  }

  std::size_t window_;
  std::vector<trace::Event> held_;  // a heap with the earliest start at the front
  trace::Nanoseconds newest_start_ = std::numeric_limits<trace::Nanoseconds>::min();
  std::uint64_t late_ = 0;
};

// --- recorder --------------------------------------------------------------------------------------------------------
// Moves events from the writer threads into the trace.
//
//   writer (a thread each) ─▶ bounded single-producer queue ─▶ ingest thread ─▶ reorder window ─▶ Trace

/// What to do when a queue is full. A real device cannot wait, so the event is dropped and counted. A virtual-time
/// device can wait. Direct: there are no queues and no ingest thread, because nobody watches the run, or the events
/// have come through a queue already. The writers, all on one thread, put their events into the trace themselves, which
/// costs a third; flush() may only be called while that thread does nothing with the recorder.
enum class WhenFull : std::uint8_t { Drop, Wait, Direct };

struct RecorderHealth {
  bool running = false;
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;
  double latency_ms = 0;  ///< recent mean wall time from write to publication
};

class Recorder final : public trace::EventSink {
 public:
  /// `queue_events` is the capacity of each writer's queue. The trace must outlive the recorder.
  explicit Recorder(trace::Trace& trace, WhenFull when_full, std::size_t queue_events = 1 << 16);
  ~Recorder() override;

  trace::LaneId lane(const trace::LaneInfo& info) override { return trace_.add_lane(info); }
  trace::NameId name(std::string_view text) override { return trace_.names().intern(text); }
  std::uint32_t launch(const trace::LaunchShape& shape) override { return trace_.launches().intern(shape); }
  std::unique_ptr<trace::EventWriter> open_writer() override;

  /// Blocks until everything written before the call is in the trace, including reorder windows.
  void flush();
  /// Direct: publishes what was written since the last lot, on the thread that writes.
  void publish_direct() { publish(); }
  RecorderHealth health() const;

 private:
  class Channel;
  class Writer;
  class DirectWriter;

  enum class Rest : std::uint8_t {
    None,
    Nap,    ///< until a queue fills up, or a short time has passed
    Sleep,  ///< until anything is written
  };

  void ingest();
  void publish();
  void flush_windows();
  void count_late();
  std::size_t drain(Channel& channel);
  void take(const trace::Event& event);
  void reorder(ReorderWindow& window, const trace::Event& event);
  void meet_lane(trace::LaneId lane);
  void rest(Rest how);
  void wake(Rest from);

  trace::Trace& trace_;
  const WhenFull when_full_;
  const std::size_t queue_events_;
  mutable std::mutex channels_mutex_;
  std::vector<std::shared_ptr<Channel>> channels_;
  // By lane; for the thread that puts events into the trace. Null if the writer keeps start order itself.
  std::vector<std::unique_ptr<ReorderWindow>> windows_;
  std::uint64_t late_seen_ = 0;
  std::vector<DirectWriter*> direct_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> received_{0};
  std::atomic<std::uint64_t> flush_asked_{0}, flush_done_{0};
  std::atomic<Rest> rest_{Rest::None};
  std::mutex rest_mutex_;
  std::condition_variable wake_up_;
  bool woken_ = false;
  std::atomic<double> latency_ms_{0};
  std::thread thread_;
};

}  // namespace lanescope::capture
