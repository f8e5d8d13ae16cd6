#include "capture/cupti/cupti_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "base/translate.h"
#include "capture/assembly/operation_names.h"
#include "capture/cupti/cupti_capture_impl.h"
#include "capture/cupti/decoder.h"
#include "capture/cupti/health.h"

namespace lanescope::capture::cupti {
namespace {

using base::tr;
using std::chrono::milliseconds;
using trace::CaptureState;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kStopLimit{10'000};
constexpr milliseconds kExitLimit{2'000};
constexpr milliseconds kFlushPause{2};
constexpr std::uint32_t kNullIsFineFrom = 27;  // CUDA 12.9; 13.0 counts 130000
constexpr Nanoseconds kLongOpen = 50 * base::kMicrosecond;

Verdict busy_ourselves() {
  return {CaptureState::Busy, tr("this program is already recording the GPU for another run")};
}

}  // namespace

CuptiCapture::Impl::Impl(const CuptiTable& table, trace::EventSink& sink, const CaptureOptions& options)
    : table_(table), sink_(sink), options_(options), hub_(Hub::get()), subscription_(table_) {}

void CuptiCapture::Impl::start() {
  if (options_.level == trace::CaptureLevel::None) {
    started_ = {CaptureState::Off, ""};
    return;
  }
  if (!table_.complete()) {
    started_ = {CaptureState::Unavailable, tr("CUPTI not found")};
    return;
  }
  if (hub_.forked()) {
    started_ = {CaptureState::Unavailable, tr("this process is a fork of one that records")};
    return;
  }
  if (!hub_.claim(weak_from_this(), options_.main_thread)) {
    started_ = busy_ourselves();
    return;
  }
  hub_.allow_null(table_.version >= kNullIsFineFrom);
  pool_ = &hub_.use_pool(options_.buffer_bytes);
  const bool records = options_.level > trace::CaptureLevel::Subscribed;
  pool_->begin(hub_.session(), records ? options_.buffers : 0, records ? options_.max_buffers : 0);
  started_ = subscription_.start(options_.level);
  if (started_.state != CaptureState::Running) {
    pool_->end();
    hub_.release();
    return;
  }
  if (!records) {
    phase_ = Phase::Idle;
    return;
  }
  ClockMap::Clocks clocks;
  clocks.cupti_ns = [timestamp = table_.get_timestamp] {
    std::uint64_t now = 0;
    timestamp(&now);
    return now;
  };
  clocks.trace_ns = [origin = options_.origin_ns] { return monotonic_ns() - origin; };
  decoder_ = std::make_unique<Decoder>(table_, sink_, ClockMap(std::move(clocks)), counts_);
  if (options_.main_thread != 0) {
    decoder_->set_main_thread(options_.main_thread);
    main_thread_seen_ = options_.main_thread;
  }
  start_threads();
}

// The threads share ownership, because a flusher stuck in CUPTI is left behind.
void CuptiCapture::Impl::start_threads() {
  phase_ = Phase::Running;
  try {
    decoder_thread_ = std::thread([self = shared_from_this()] { self->decode_loop(); });
    flusher_ = std::thread([self = shared_from_this()] { self->flush_loop(); });
  } catch (const std::system_error& e) {
    started_ = {CaptureState::Unavailable, tr("the thread for the capture cannot be started: {}", e.what())};
    end_decoding_ = true;
    hub_.decoder.raise();
    if (decoder_thread_.joinable()) decoder_thread_.join();
    subscription_.end();
    pool_->end();
    hub_.release();
    phase_ = Phase::Refused;
  }
}

void CuptiCapture::Impl::flush(int limit_ms) {
  if (hub_.forked()) return;
  const auto deadline = Clock::now() + milliseconds(limit_ms);
  while (phase_ == Phase::Running && !hub_.lost()) {
    const std::uint64_t ticket = flush_asked_.fetch_add(1) + 1;
    hub_.flusher.raise();
    std::unique_lock lock(progress_mutex_);
    const bool written =
        progress_.wait_until(lock, deadline, [&] { return flush_written_ >= ticket || wound_up_ || hub_.lost(); });
    if (!written || wound_up_ || hub_.lost()) return;
    const bool all = pool_->nothing_completed() && !pool_->records_out() && counts_.pending.load() == 0;
    if (all || Clock::now() >= deadline) return;
    progress_.wait_for(lock, kFlushPause, [&] { return wound_up_; });
  }
}

void CuptiCapture::Impl::stop(milliseconds limit, bool at_exit) {
  if (hub_.forked() || phase_ == Phase::Refused) return;
  if (stop_begun_.exchange(true)) {  // already stopped, or another thread is stopping it
    std::unique_lock lock(progress_mutex_);
    progress_.wait_for(lock, limit, [&] { return phase_ == Phase::Stopped; });
    return;
  }
  const bool records = phase_ == Phase::Running;
  bool wound_up = true;
  if (records) {
    phase_ = Phase::Stopping;
    at_exit_ = at_exit;
    stop_asked_ = true;
    hub_.flusher.raise();
    {
      std::unique_lock lock(progress_mutex_);
      wound_up = progress_.wait_for(lock, limit, [&] { return wound_up_; });
    }
    end_decoding_ = true;
    hub_.decoder.raise();
    decoder_thread_.join();
  }
  final_ = health_now();
  if (!wound_up) {
    flusher_.detach();  // CUPTI stays claimed: another session would get stuck in the same way
  } else {
    if (records) flusher_.join();
    if (!records) subscription_.end();
    pool_->end();
    hub_.release();
  }
  {
    const std::lock_guard lock(progress_mutex_);
    phase_ = Phase::Stopped;
  }
  progress_.notify_all();
}

void CuptiCapture::Impl::stop_at_exit() noexcept {
  try {
    stop(kExitLimit, true);
  } catch (...) {  // the process is exiting anyway
  }
}

std::vector<trace::OpenCall> CuptiCapture::Impl::open_calls() const {
  std::vector<trace::OpenCall> found;
  if (hub_.forked() || phase_ != Phase::Running || hub_.lost()) return found;
  const Nanoseconds now = monotonic_ns();
  for (const OpenCalls::Call& call : hub_.open_calls.open()) {
    if (now - call.start_ns <= kLongOpen) continue;
    const std::lock_guard lock(names_mutex_);
    auto lane = lanes_.find(call.thread);
    if (lane == lanes_.end()) {
      lane = lanes_.emplace(call.thread, sink_.lane(LaneNames().calls(call.thread, is_main(call.thread)))).first;
    }
    const std::pair<std::uint32_t, std::uint32_t> function{call.domain, call.id};
    auto name = names_.find(function);
    if (name == names_.end()) {
      const char* text = nullptr;
      if (table_.get_callback_name(call.domain, call.id, &text) != CUPTI_SUCCESS || !text) text = "?";
      name = names_.emplace(function, sink_.name(trace::plain_api_name(text))).first;
    }
    found.push_back({lane->second, name->second, call.start_ns - options_.origin_ns});
  }
  return found;
}

std::string CuptiCapture::Impl::missing_text() const {
  std::vector<std::string> reasons;
  const auto say = [&reasons](std::string text) { reasons.push_back(std::move(text)); };
  if (decoding_failed_.load(std::memory_order_acquire)) say(tr("reading its records failed: {}", decoding_problem_));
  if (!subscription_.refused().empty()) {
    say(tr("CUPTI does not record: {}", fmt::format("{}", fmt::join(subscription_.refused(), ", "))));
  }
  if (pool_) {
    if (const std::uint64_t n = pool_->numbers().no_buffer) say(tr("ran out of buffers {} times", n));
  }
  if (const std::uint64_t n = counts_.dropped) say(tr("CUPTI dropped {} records", n));
  if (const std::int64_t since = watch_.silent_since_ns()) {
    say(tr("no buffers received for {}: another profiler may have taken over",
           base::format_duration((monotonic_ns() - since) / base::kSecond * base::kSecond)));
  }
  if (watch_.foreign_clock()) reasons.push_back(tr("CUPTI's clock has been replaced: another profiler is active"));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

trace::CaptureHealth CuptiCapture::Impl::health() const { return phase_ == Phase::Stopped ? final_ : health_now(); }

trace::CaptureHealth CuptiCapture::Impl::health_now() const {
  trace::CaptureHealth h;
  h.state = started_.state;
  h.reason = started_.reason;
  h.library = library_text(table_);
  if (phase_ == Phase::Refused || hub_.forked()) return h;
  if (hub_.lost()) {
    h.state = CaptureState::Lost;
    const std::string message = hub_.lost_message();
    h.reason = message.empty() ? tr("CUPTI has failed") : tr("CUPTI has failed: {}", message);
  } else if (h.reason = missing_text(); !h.reason.empty()) {
    h.state = CaptureState::Degraded;
  }
  add_to(h, counts_);
  const BufferPool::Numbers buffers = pool_->numbers();
  h.no_buffer = buffers.no_buffer;
  h.buffer_bytes = pool_->buffer_bytes();
  h.buffers_total = buffers.total;
  h.buffers_out = buffers.out;
  h.buffers_peak = buffers.peak;
  h.buffers_completed = buffers.completed;
  h.flush_interval_ms = interval_ms_;
  return h;
}

CuptiCapture::CuptiCapture(const CuptiTable& table, trace::EventSink& sink, const CaptureOptions& options)
    : impl_(std::make_shared<Impl>(table, sink, options)) {
  impl_->start();
}

// A forked child does not have the threads: they must be neither joined nor considered running.
CuptiCapture::~CuptiCapture() {
  if (Hub::get().forked()) {
    Hub::get().keep(std::move(impl_));
  } else {
    stop();
  }
}

trace::CaptureHealth CuptiCapture::health() const { return impl_->health(); }
std::vector<trace::OpenCall> CuptiCapture::open_calls() const { return impl_->open_calls(); }
void CuptiCapture::Impl::set_main_thread(std::uint32_t thread) noexcept {
  if (was_main(thread)) return;
  const std::size_t place = main_thread_count_.fetch_add(1, std::memory_order_acq_rel);
  if (place < kMostMainThreads) main_threads_[place].store(thread, std::memory_order_release);
}

bool CuptiCapture::Impl::is_main(std::uint32_t thread) const noexcept {
  return thread == hub_.main_thread() || was_main(thread);
}

bool CuptiCapture::Impl::was_main(std::uint32_t thread) const noexcept {
  return std::ranges::any_of(main_threads_, [thread](const auto& known) { return known == thread; });
}

void CuptiCapture::set_main_thread(std::uint32_t thread) noexcept { impl_->set_main_thread(thread); }
void CuptiCapture::flush(int limit_ms) { impl_->flush(limit_ms); }
void CuptiCapture::stop() { impl_->stop(kStopLimit, false); }

std::string subscription_problem(const CuptiTable& table) {
  if (!table.complete()) return tr("CUPTI not found");
  if (Hub::get().claimed()) return busy_ourselves().reason;
  CUpti_SubscriberHandle handle = nullptr;
  std::string incumbent;
  const CUptiResult result = Subscription::subscribe(table, &handle, &incumbent);
  if (result != CUPTI_SUCCESS) return refusal(table, result, incumbent).reason;
  table.unsubscribe(handle);
  return {};
}

// --- cupti capture threads -------------------------------------------------------------------------------------------

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
