#include "capture/cupti/open_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace lanescope::capture::cupti {
namespace {

constexpr auto kOpenCallRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
// The delay between the callback at a call's end and its record appearing in a buffer.
constexpr std::int64_t kRecordComesAfter_ns = 1'000'000;
// A slot whose last call ended longer ago may be taken over by another thread.
constexpr std::int64_t kUnused_ns = 1'000'000'000;

constexpr std::array kRuntime = std::to_array<CUpti_CallbackId>({
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaThreadSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2D_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2D_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy3D_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy3D_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyToSymbol_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyToSymbol_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyFromSymbol_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyFromSymbol_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeer_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,  // blocks with pageable memory
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemset_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemset2D_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemset2D_ptds_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocPitch_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocHost_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000,
    CUPTI_RUNTIME_TRACE_CBID_cudaHostAlloc_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020,
});
constexpr std::array kDriver = std::to_array<CUpti_CallbackId>({
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoD_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy3D_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
});

std::int64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

}  // namespace

std::span<const CUpti_CallbackId> watched_runtime_calls() { return kRuntime; }
std::span<const CUpti_CallbackId> watched_driver_calls() { return kDriver; }

bool OpenCalls::lock(Slot& slot) noexcept {
  std::uint32_t version = slot.version.load(kOpenCallRelaxed);
  return version % 2 == 0 && slot.version.compare_exchange_strong(version, version + 1, std::memory_order_seq_cst);
}
void OpenCalls::unlock(Slot& slot) noexcept { slot.version.store(slot.version.load(kOpenCallRelaxed) + 1, kRelease); }

// The writer makes the version odd, then stores the fields with release. The reader loads the fields with acquire, then
// compares the version. So a reader that has seen a new field also sees the new version.
OpenCalls::Reading OpenCalls::read(const Slot& slot) noexcept {
  Reading r;
  for (int attempt = 0; attempt < 100 && !r.steady; ++attempt) {
    const std::uint32_t version = slot.version.load(std::memory_order_seq_cst);
    r.call.thread = slot.thread.load(kAcquire);
    r.call.domain = static_cast<CUpti_CallbackDomain>(slot.domain.load(kAcquire));
    r.call.id = slot.id.load(kAcquire);
    r.call.correlation = slot.correlation.load(kAcquire);
    r.call.start_ns = slot.start_ns.load(kAcquire);
    r.end_ns = slot.end_ns.load(kAcquire);
    r.steady = version % 2 == 0 && slot.version.load(kOpenCallRelaxed) == version;
  }
  return r;
}

void OpenCalls::enter(std::uint32_t thread, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      std::uint32_t correlation) noexcept {
  Slot* mine = nullptr;
  for (std::size_t i = 0; i < kWindow && !mine; ++i) {
    Slot& slot = in_window(thread, i);
    if (slot.thread.load(kOpenCallRelaxed) != thread) continue;
    if (slot.end_ns.load(kOpenCallRelaxed) == 0 && slot.correlation.load(kOpenCallRelaxed) == correlation)
      return;  // a nested call
    if (!lock(slot)) continue;
    if (slot.thread.load(kOpenCallRelaxed) == thread) {
      mine = &slot;
    } else {
      unlock(slot);
    }
  }
  const std::int64_t unused_since = now_ns() - kUnused_ns;
  for (std::size_t i = 0; i < kWindow && !mine; ++i) {
    Slot& slot = in_window(thread, i);
    const auto unused = [&] {
      const std::int64_t end = slot.end_ns.load(kOpenCallRelaxed);
      return slot.thread.load(kOpenCallRelaxed) == 0 || (end != 0 && end < unused_since);
    };
    if (!unused() || !lock(slot)) continue;
    if (unused()) {
      mine = &slot;
    } else {
      unlock(slot);
    }
  }
  if (!mine) return;  // no free slot: this call becomes visible when it has ended
  mine->thread.store(thread, kRelease);
  mine->domain.store(domain, kRelease);
  mine->id.store(id, kRelease);
  mine->correlation.store(correlation, kRelease);
  mine->start_ns.store(now_ns(), kRelease);
  mine->end_ns.store(0, kRelease);
  unlock(*mine);
}

void OpenCalls::exit(std::uint32_t thread, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                     std::uint32_t correlation) noexcept {
  for (std::size_t i = 0; i < kWindow; ++i) {
    Slot& slot = in_window(thread, i);
    if (slot.thread.load(kOpenCallRelaxed) != thread || slot.end_ns.load(kOpenCallRelaxed) != 0) continue;
    const bool same = slot.correlation.load(kOpenCallRelaxed) == correlation &&
                      slot.domain.load(kOpenCallRelaxed) == static_cast<std::uint32_t>(domain) &&
                      slot.id.load(kOpenCallRelaxed) == id;
    if (!same || !lock(slot)) continue;
    slot.end_ns.store(now_ns(), kRelease);
    unlock(slot);
    return;
  }
}

std::vector<OpenCalls::Call> OpenCalls::open() const {
  std::vector<Call> calls;
  for (const Slot& slot : slots_) {
    if (slot.thread.load(kOpenCallRelaxed) == 0) continue;
    const Reading r = read(slot);
    if (r.steady && r.call.thread != 0 && r.end_ns == 0) calls.push_back(r.call);
  }
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.start_ns < b.start_ns; });
  return calls;
}

// A call not visible here took its start time after this scan, and so after asked_ns. One that is just being written
// began after the previous scan, and so after `before`.
std::int64_t OpenCalls::all_ended_until(std::int64_t asked_ns, std::int64_t before) const {
  std::int64_t until = kNever;
  for (const Slot& slot : slots_) {
    const Reading r = read(slot);
    if (!r.steady) {
      until = std::min(until, before);
    } else if (r.call.thread != 0 && (r.end_ns == 0 || r.end_ns + kRecordComesAfter_ns > asked_ns)) {
      until = std::min(until, r.call.start_ns);
    }
  }
  return until;
}

void OpenCalls::forget_dead_threads(std::int64_t age_ns) {
  const std::int64_t now = now_ns();
  for (Slot& slot : slots_) {
    const Reading r = read(slot);
    if (!r.steady || r.call.thread == 0 || r.end_ns != 0 || now - r.call.start_ns < age_ns) continue;
    if (syscall(SYS_tgkill, getpid(), r.call.thread, 0) == 0 || errno != ESRCH || !lock(slot)) continue;
    if (slot.thread.load(kOpenCallRelaxed) == r.call.thread &&
        slot.start_ns.load(kOpenCallRelaxed) == r.call.start_ns) {
      slot.end_ns.store(now, kRelease);
    }
    unlock(slot);
  }
}

void OpenCalls::clear() {
  for (Slot& slot : slots_) {
    if (!lock(slot)) continue;
    slot.thread.store(0, kRelease);
    slot.end_ns.store(1, kRelease);
    unlock(slot);
  }
}

}  // namespace lanescope::capture::cupti
