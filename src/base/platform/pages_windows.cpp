#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/platform/pages.h"

namespace lanescope::base {
namespace {

constexpr std::size_t kPart = 1 << 20, kPage = 4096;

// Windows counts memory from when it is committed, not from when it is touched. So only addresses are reserved, and the
// first touch of each part commits it.
class Reserved {
 public:
  Reserved() { ::AddVectoredExceptionHandler(1, on_exception); }

  void add(std::byte* data, std::size_t bytes) {
    const std::unique_lock lock(mutex_);
    regions_[data] = bytes;
  }
  void remove(std::byte* data) {
    const std::unique_lock lock(mutex_);
    regions_.erase(data);
  }
  bool commit(std::byte* touched) {
    const std::shared_lock lock(mutex_);
    auto region = regions_.upper_bound(touched);
    if (region == regions_.begin()) return false;
    --region;
    const auto offset = static_cast<std::size_t>(touched - region->first);
    if (offset >= region->second) return false;
    const std::size_t from = offset / kPart * kPart, size = std::min(kPart, region->second - from);
    return ::VirtualAlloc(region->first + from, size, MEM_COMMIT, PAGE_READWRITE) != nullptr;
  }

 private:
  static LONG CALLBACK on_exception(EXCEPTION_POINTERS* what);

  std::shared_mutex mutex_;
  std::map<std::byte*, std::size_t> regions_;
};

// Never destroyed: memory is touched while the program ends.
Reserved& reserved() {
  static Reserved* const all = new Reserved;
  return *all;
}

LONG CALLBACK Reserved::on_exception(EXCEPTION_POINTERS* what) {
  const EXCEPTION_RECORD& record = *what->ExceptionRecord;
  if (record.ExceptionCode != EXCEPTION_ACCESS_VIOLATION || record.NumberParameters < 2) {
    return EXCEPTION_CONTINUE_SEARCH;
  }
  auto* const touched = reinterpret_cast<std::byte*>(record.ExceptionInformation[1]);
  return reserved().commit(touched) ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

std::byte* take_pages(std::size_t bytes, std::size_t alignment) {
  // Reservations begin at multiples of 64 KiB. For more, the place of one that was large enough is taken.
  constexpr std::size_t kUsual = 1 << 16;
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const std::size_t more = alignment > kUsual ? alignment : 0;
    void* place = ::VirtualAlloc(nullptr, bytes + more, MEM_RESERVE, PAGE_READWRITE);
    if (place == nullptr) return nullptr;
    if (more != 0) {
      const auto at = reinterpret_cast<std::uintptr_t>(place);
      ::VirtualFree(place, 0, MEM_RELEASE);
      place = ::VirtualAlloc(reinterpret_cast<void*>((at + alignment - 1) / alignment * alignment), bytes, MEM_RESERVE,
                             PAGE_READWRITE);
      if (place == nullptr) continue;  // another thread was faster
    }
    auto* const data = static_cast<std::byte*>(place);
    reserved().add(data, bytes);
    return data;
  }
  return nullptr;
}

void return_pages(std::byte* data, std::size_t) {
  reserved().remove(data);
  ::VirtualFree(data, 0, MEM_RELEASE);
}

void forget_pages(std::byte* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t from = (at + kPage - 1) / kPage * kPage, to = (at + bytes) / kPage * kPage;
  if (from < to) ::VirtualFree(reinterpret_cast<void*>(from), to - from, MEM_DECOMMIT);
}

void prefer_large_pages(std::byte*, std::size_t) {}

}  // namespace lanescope::base
