#include "capture/cupti/hub.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace lanescope::capture::cupti {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kLeastBytes = 1024;
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint8_t* zeroed(std::size_t bytes) {
  auto* memory = static_cast<std::uint8_t*>(::operator new(bytes, std::align_val_t(kCacheLine)));
  std::memset(memory, 0, bytes);  // also touches every page
  return memory;
}
void give_back(std::uint8_t* memory) { ::operator delete(memory, std::align_val_t(kCacheLine)); }

}  // namespace

std::size_t BufferPool::rounded(std::size_t buffer_bytes) {
  return (std::max(buffer_bytes, kLeastBytes) + kCacheLine - 1) / kCacheLine * kCacheLine;
}

BufferPool::BufferPool(std::size_t buffer_bytes) : bytes_(rounded(buffer_bytes)), scratch_(zeroed(bytes_)) {}

BufferPool::~BufferPool() {
  for (std::size_t c = 0; c < chunk_count_; ++c) {
    give_back(chunks_[c].load()->memory);
    delete chunks_[c].load();
  }
  give_back(scratch_);
}

void BufferPool::begin(std::uint32_t session, std::size_t buffers, std::size_t max_buffers) {
  drain([](const Filled&) {});  // what came back between two sessions
  session_.store(session, kRelaxed);
  max_buffers_.store(std::clamp<std::size_t>(max_buffers, buffers, kMaxChunks * kPerChunk), kRelaxed);
  out_.store(0, kRelaxed);
  peak_.store(0, kRelaxed);
  completed_.store(0, kRelaxed);
  no_buffer_.store(0, kRelaxed);
  strays_.store(0, kRelaxed);
  const std::lock_guard lock(grow_mutex_);
  while (total_.load(kRelaxed) < buffers && chunk_count_.load(kRelaxed) < kMaxChunks) {
    make(buffers - total_.load(kRelaxed));
  }
  reading_.store(true, std::memory_order_release);
}

void BufferPool::end() {
  reading_.store(false, std::memory_order_release);
  drain([](const Filled&) {});
}

std::uint8_t* BufferPool::take(std::uint32_t thread, std::int64_t now_ns) noexcept {
  std::uint64_t head = free_head_.load(std::memory_order_acquire);
  std::uint32_t index = 0;
  do {
    index = static_cast<std::uint32_t>(head);
    if (index == kNone) return nullptr;
    const std::uint64_t next = slot(index).next.load(kRelaxed);
    const std::uint64_t changed = ((head >> 32) + 1) << 32;
    if (free_head_.compare_exchange_weak(head, changed | next, std::memory_order_acq_rel, std::memory_order_acquire)) {
      break;
    }
  } while (true);
  free_.fetch_sub(1, kRelaxed);
  const std::int64_t out = out_.fetch_add(1, kRelaxed) + 1;
  std::int64_t peak = peak_.load(kRelaxed);
  while (peak < out && !peak_.compare_exchange_weak(peak, out, kRelaxed)) {
  }
  Slot& s = slot(index);
  s.thread.store(thread, kRelaxed);
  s.session.store(session_.load(kRelaxed), kRelaxed);
  s.asked_ns.store(now_ns, kRelaxed);
  s.state.store(Out, std::memory_order_release);
  return s.data;
}

bool BufferPool::complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept {
  if (buffer == scratch_) return true;
  const std::uint32_t index = index_of(buffer);
  if (index == kNone) return false;
  Slot& s = slot(index);
  State out = Out;
  if (!s.state.compare_exchange_strong(out, Completed, std::memory_order_acq_rel)) {
    strays_.fetch_add(1, kRelaxed);
    return true;
  }
  s.valid.store(std::min(valid_bytes, bytes_), kRelaxed);
  const bool ours = s.session.load(kRelaxed) == session_.load(kRelaxed);
  if (ours) out_.fetch_sub(1, kRelaxed);
  if (!ours || !reading_.load(std::memory_order_acquire)) {
    strays_.fetch_add(1, kRelaxed);
    recycle(index);
    return true;
  }
  std::uint32_t head = completed_head_.load(kRelaxed);
  do {
    s.next.store(head, kRelaxed);
  } while (!completed_head_.compare_exchange_weak(head, index, std::memory_order_release, kRelaxed));
  completed_.fetch_add(1, kRelaxed);
  return true;
}

bool BufferPool::low() const noexcept {
  const auto total = static_cast<std::int64_t>(total_.load(kRelaxed));
  return free_.load(kRelaxed) <= std::max<std::int64_t>(2, total / 8) &&
         total < static_cast<std::int64_t>(max_buffers_.load(kRelaxed));
}

void BufferPool::grow() {
  if (!low()) return;
  const std::lock_guard lock(grow_mutex_);
  if (!low() || chunk_count_.load(kRelaxed) == kMaxChunks) return;
  make(std::min(kPerChunk, max_buffers_.load(kRelaxed) - total_.load(kRelaxed)));
}

// Allocates at most one chunk.
void BufferPool::make(std::size_t count) {
  auto* chunk = new Chunk;
  chunk->count = std::min(count, kPerChunk);
  chunk->memory = zeroed(chunk->count * bytes_);
  for (std::size_t i = 0; i < chunk->count; ++i) chunk->slots[i].data = chunk->memory + i * bytes_;
  const std::size_t c = chunk_count_.load(kRelaxed);
  chunks_[c].store(chunk, std::memory_order_release);
  chunk_count_.store(c + 1, std::memory_order_release);
  total_.fetch_add(chunk->count, kRelaxed);
  for (std::size_t i = 0; i < chunk->count; ++i) push_free(static_cast<std::uint32_t>(c * kPerChunk + i));
}

std::uint32_t BufferPool::index_of(const std::uint8_t* buffer) const noexcept {
  const std::size_t count = chunk_count_.load(std::memory_order_acquire);
  for (std::size_t c = 0; c < count; ++c) {
    const Chunk& chunk = *chunks_[c].load(std::memory_order_acquire);
    if (buffer < chunk.memory || buffer >= chunk.memory + chunk.count * bytes_) continue;
    const auto offset = static_cast<std::size_t>(buffer - chunk.memory);
    return offset % bytes_ == 0 ? static_cast<std::uint32_t>(c * kPerChunk + offset / bytes_) : kNone;
  }
  return kNone;
}

void BufferPool::push_free(std::uint32_t index) noexcept {
  Slot& s = slot(index);
  free_.fetch_add(1, kRelaxed);
  std::uint64_t head = free_head_.load(kRelaxed);
  do {
    s.next.store(static_cast<std::uint32_t>(head), kRelaxed);
  } while (!free_head_.compare_exchange_weak(head, (head >> 32 << 32) | index, std::memory_order_release, kRelaxed));
}

// Takes the whole list at once and returns it oldest first.
std::uint32_t BufferPool::take_completed() noexcept {
  std::uint32_t newest = completed_head_.exchange(kNone, std::memory_order_acquire);
  std::uint32_t oldest = kNone;
  while (newest != kNone) {
    Slot& s = slot(newest);
    const std::uint32_t next = s.next.load(kRelaxed);
    s.next.store(oldest, kRelaxed);
    oldest = newest;
    newest = next;
  }
  return oldest;
}

void BufferPool::recycle(std::uint32_t index) noexcept {
  Slot& s = slot(index);
  // records_out() may be reading it on another thread.
  std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(s.data)).store(0, kRelaxed);
  const std::size_t valid = s.valid.load(kRelaxed);
  if (valid > sizeof(std::uint32_t)) std::memset(s.data + sizeof(std::uint32_t), 0, valid - sizeof(std::uint32_t));
  s.state.store(Free, std::memory_order_release);
  push_free(index);
}

template <typename Visit>
void BufferPool::for_each_in_use(Visit&& visit) const {
  const std::uint32_t session = session_.load(kRelaxed);
  const std::size_t count = chunk_count_.load(std::memory_order_acquire);
  for (std::size_t c = 0; c < count; ++c) {
    const Chunk& chunk = *chunks_[c].load(std::memory_order_acquire);
    for (std::size_t i = 0; i < chunk.count; ++i) {
      const Slot& s = chunk.slots[i];
      const State state = s.state.load(std::memory_order_acquire);
      if (state != Free && s.session.load(kRelaxed) == session) visit(s, state);
    }
  }
}

std::vector<std::uint32_t> BufferPool::threads_with_buffers() const {
  std::vector<std::uint32_t> threads;
  for_each_in_use([&](const Slot& s, State) { threads.push_back(s.thread.load(kRelaxed)); });
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

// A record begins with its kind, which is never 0, whereas a free buffer is all zeros.
bool BufferPool::records_out() const {
  bool found = false;
  for_each_in_use([&](const Slot& s, State state) {
    if (state != Out) return;
    auto& kind = *reinterpret_cast<std::uint32_t*>(s.data);
    found = found || std::atomic_ref<std::uint32_t>(kind).load(kRelaxed) != 0;
  });
  return found;
}

BufferPool::Numbers BufferPool::numbers() const {
  Numbers n;
  n.total = total_.load(kRelaxed);
  n.out = static_cast<std::uint64_t>(std::max<std::int64_t>(0, out_.load(kRelaxed)));
  n.peak = static_cast<std::uint64_t>(peak_.load(kRelaxed));
  n.completed = completed_.load(kRelaxed);
  n.no_buffer = no_buffer_.load(kRelaxed);
  n.strays = strays_.load(kRelaxed);
  return n;
}

// --- hub -------------------------------------------------------------------------------------------------------------

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
