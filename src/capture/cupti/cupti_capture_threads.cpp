// The two threads of a session.
#include <algorithm>
#include <exception>

#include "capture/cupti/cupti_capture_impl.h"

namespace lanescope::capture::cupti {
namespace {

constexpr double kLongestRest_ms = 100;
constexpr std::int64_t kLookEvery_ns = 500'000'000;
constexpr std::int64_t kPollEvery_ns = 1'000'000'000;
constexpr std::int64_t kWaitAtEnd_ns = 200'000'000;
constexpr std::int64_t kNap_ns = 1'000'000;
// CUPTI timestamps the start of a call slightly before its callback.
constexpr Nanoseconds kStampedBefore = 50 * base::kMicrosecond;

}  // namespace

// --- Flusher -----------------------------------------------------------------------------------------------------

void CuptiCapture::Impl::flush_loop() {
  const double base_ms = std::max(options_.flush_ms, 1.0);
  const double longest_ms = std::max(base_ms, kLongestRest_ms);
  double interval_ms = base_ms;
  std::int64_t looked_ns = 0, polled_ns = monotonic_ns();
  std::uint64_t buffers_seen = 0;
  while (!stop_asked_ && !hub_.lost()) {
    interval_ms_.store(interval_ms, std::memory_order_relaxed);
    if (interval_ms > base_ms) hub_.flusher_rests = true;
    const bool woken = hub_.flusher.wait(static_cast<std::int64_t>(interval_ms * 1e6));
    if (stop_asked_ || hub_.lost()) break;
    if (woken && flush_asked_ == flush_done_) {
      interval_ms = base_ms;  // a buffer was requested: records arrive again
      continue;
    }
    flush_round();
    const std::uint64_t buffers = pool_->numbers().completed;
    interval_ms = buffers == buffers_seen ? std::min(interval_ms * 2, longest_ms) : base_ms;
    buffers_seen = buffers;

    const std::int64_t now = monotonic_ns();
    if (now - looked_ns >= kLookEvery_ns) {
      looked_ns = now;
      watch_.look(table_, now, hub_.calls_seen(), buffers, counts_.clock_steps);
      hub_.open_calls.forget_dead_threads();
    }
    if (now - polled_ns >= kPollEvery_ns) {
      polled_ns = now;
      poll_dropped();
    }
  }
  if (!stop_asked_) {
    {
      const std::lock_guard lock(progress_mutex_);  // a waiting flush() must not miss it
    }
    progress_.notify_all();
  }
  while (!stop_asked_) hub_.flusher.wait(-1);  // lost: nothing to do until the end
  wind_up();
  {
    const std::lock_guard lock(progress_mutex_);
    wound_up_ = true;
  }
  progress_.notify_all();
}

void CuptiCapture::Impl::flush_round() {
  const std::uint64_t ticket = flush_asked_.load(std::memory_order_acquire);
  const Nanoseconds began = trace_ns();
  table_.flush_all(0);
  pool_->grow();
  asked_ns_.store(began, std::memory_order_relaxed);
  flush_done_.store(ticket, std::memory_order_release);
  hub_.decoder.raise();
}

void CuptiCapture::Impl::poll_dropped() {
  std::size_t dropped = 0;
  if (table_.get_dropped(nullptr, 0, &dropped) == CUPTI_SUCCESS) add(counts_.dropped, dropped);
}

void CuptiCapture::Impl::wind_up() {
  if (hub_.lost()) {
    subscription_.forget();
    return;
  }
  subscription_.disable();
  flush_round();
  const std::int64_t deadline = monotonic_ns() + kWaitAtEnd_ns;
  while (pool_->records_out() && monotonic_ns() < deadline && !hub_.lost()) {
    hub_.flusher.wait(kNap_ns);
    flush_round();
  }
  if (at_exit_) table_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  poll_dropped();
  subscription_.end();
}

// --- Decoder -----------------------------------------------------------------------------------------------------

void CuptiCapture::Impl::decode_loop() {
  while (!end_decoding_) {
    hub_.decoder.wait(-1);
    decode_round();
  }
  decode_round();
  try {
    if (!decoding_failed_) decoder_->finish();
  } catch (const std::exception& e) {
    give_up_decoding(e.what());
  }
}

void CuptiCapture::Impl::decode_round() {
  pool_->grow();
  // The order matters. What the flush delivered is in the completed list before the flush counts as done. A buffer that
  // has not been read when threads_with_buffers() is called counts as in use.
  const std::uint64_t ticket = flush_done_.load(std::memory_order_acquire);
  const Nanoseconds asked_ns = asked_ns_.load(std::memory_order_relaxed);
  try {
    pool_->drain([this](const BufferPool::Filled& buffer) {
      if (decoding_failed_) return;
      update_main_thread();
      try {
        decoder_->take(buffer.data, buffer.valid_bytes);
      } catch (const std::exception& e) {
        give_up_decoding(e.what());
      }
    });
    if (!decoding_failed_) {
      Decoder::Progress progress;
      progress.asked_ns = asked_ns;
      progress.threads_with_buffers = pool_->threads_with_buffers();
      const std::int64_t until =
          hub_.open_calls.all_ended_until(asked_ns + options_.origin_ns, asked_before_ns_ + options_.origin_ns);
      if (until != OpenCalls::kNever) progress.oldest_open_call_ns = until - options_.origin_ns - kStampedBefore;
      asked_before_ns_ = asked_ns;
      decoder_->advance(progress);
    }
  } catch (const std::exception& e) {
    give_up_decoding(e.what());
  }
  {
    const std::lock_guard lock(progress_mutex_);
    flush_written_ = ticket;
  }
  progress_.notify_all();
}

void CuptiCapture::Impl::update_main_thread() {
  const std::size_t count = std::min(main_thread_count_.load(std::memory_order_acquire), kMostMainThreads);
  for (; main_threads_seen_ < count; ++main_threads_seen_) {
    const std::uint32_t thread = main_threads_[main_threads_seen_].load(std::memory_order_acquire);
    if (thread == 0) break;
    hub_.set_main_thread(thread);
    main_thread_seen_ = thread;
    decoder_->set_main_thread(thread);
  }
  const std::uint32_t thread = hub_.main_thread();
  if (thread == main_thread_seen_) return;
  main_thread_seen_ = thread;
  decoder_->set_main_thread(thread);
}

void CuptiCapture::Impl::give_up_decoding(const char* why) {
  if (decoding_failed_) return;
  decoding_problem_ = why;
  decoding_failed_.store(true, std::memory_order_release);
}

}  // namespace lanescope::capture::cupti
