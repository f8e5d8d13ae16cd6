#include "capture/cupti/hub.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace lanescope::capture::cupti {

std::int64_t monotonic_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

std::uint32_t this_thread() noexcept { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

Hub& Hub::get() {
  static Hub* hub = new Hub;  // never destroyed
  return *hub;
}

Hub::Hub() {
  pthread_atfork(nullptr, nullptr, [] { get().forked_.store(true, std::memory_order_relaxed); });
}

bool Hub::claim(std::weak_ptr<Live> session, std::uint32_t main_thread) {
  const std::lock_guard lock(mutex_);
  if (claimed_) return false;
  if (!exit_registered_) {
    exit_registered_ = true;
    std::atexit([] {
      Hub& hub = get();
      if (hub.forked()) return;
      std::shared_ptr<Live> live;
      {
        const std::lock_guard exit_lock(hub.mutex_);
        live = hub.live_.lock();
      }
      if (live) live->stop_at_exit();
    });
  }
  claimed_ = true;
  live_ = std::move(session);
  session_.fetch_add(1, std::memory_order_relaxed);
  calls_seen_.store(0, std::memory_order_relaxed);
  main_thread_.store(main_thread, std::memory_order_relaxed);
  losing_.store(false, std::memory_order_relaxed);
  lost_.store(false, std::memory_order_relaxed);
  open_calls.clear();
  return true;
}

void Hub::release() {
  const std::lock_guard lock(mutex_);
  claimed_ = false;
  live_.reset();
}

bool Hub::claimed() const {
  const std::lock_guard lock(mutex_);
  return claimed_;
}

BufferPool& Hub::use_pool(std::size_t buffer_bytes) {
  const std::size_t bytes = BufferPool::rounded(buffer_bytes);
  Pool* pool = pools_.load(std::memory_order_acquire);
  while (pool && pool->buffers.buffer_bytes() != bytes) pool = pool->next;
  if (!pool) {
    pool = new Pool(bytes);
    pool->next = pools_.load(std::memory_order_relaxed);
    pools_.store(pool, std::memory_order_release);
  }
  pool_.store(&pool->buffers, std::memory_order_release);
  return pool->buffers;
}

void Hub::set_main_thread_if_none(std::uint32_t thread) noexcept {
  std::uint32_t none = 0;
  if (main_thread_.load(std::memory_order_relaxed) == 0) {
    main_thread_.compare_exchange_strong(none, thread, std::memory_order_relaxed);
  }
}

void CUPTIAPI Hub::buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  Hub& hub = get();
  *buffer = nullptr;
  *size = 0;
  *max_records = 0;
  BufferPool* pool = hub.pool_.load(std::memory_order_acquire);
  if (hub.forked() || !pool) return;
  *buffer = pool->take(this_thread(), monotonic_ns());
  if (!*buffer) {
    pool->count_no_buffer();
    if (!hub.null_allowed_.load(std::memory_order_relaxed)) *buffer = pool->scratch();
  }
  if (*buffer) *size = pool->buffer_bytes();
  if (pool->low()) hub.decoder.raise();
  if (hub.flusher_rests.load(std::memory_order_relaxed) && hub.flusher_rests.exchange(false)) hub.flusher.raise();
}

void CUPTIAPI Hub::buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                    std::size_t valid_size) {
  Hub& hub = get();
  if (hub.forked() || !buffer) return;
  Pool* pool = hub.pools_.load(std::memory_order_acquire);
  while (pool && !pool->buffers.complete(buffer, valid_size)) pool = pool->next;
  hub.decoder.raise();
}

void CUPTIAPI Hub::called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Hub& hub = get();
  if (hub.forked() || !data) return;
  if (domain == CUPTI_CB_DOMAIN_STATE) {
    if (id != CUPTI_CBID_STATE_FATAL_ERROR || hub.losing_.exchange(true)) return;
    const auto& state = *static_cast<const CUpti_StateData*>(data);
    const char* message = state.notification.message ? state.notification.message : "";
    std::strncpy(hub.lost_message_, message, sizeof(hub.lost_message_) - 1);
    hub.lost_.store(true, std::memory_order_release);
    hub.flusher.raise();
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const std::uint32_t thread = this_thread();
  hub.calls_seen_.fetch_add(1, std::memory_order_relaxed);
  if (call.callbackSite == CUPTI_API_ENTER) {
    hub.set_main_thread_if_none(thread);
    hub.open_calls.enter(thread, domain, id, call.correlationId);
  } else {
    hub.open_calls.exit(thread, domain, id, call.correlationId);
  }
}

}  // namespace lanescope::capture::cupti
