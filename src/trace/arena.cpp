#include "trace/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

namespace lanescope::trace {
namespace {

constexpr std::align_val_t kAligned{64};
constexpr std::size_t kSmall = std::size_t{1} << 20;
// Only what is touched takes up memory.
constexpr std::size_t kRegion = 16 * base::kHugePage;

}  // namespace

void Arena::Delete::operator()(std::byte* data) const { ::operator delete[](data, kAligned); }

void Arena::give_back(void* piece, std::size_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(piece);
  const std::uintptr_t from = (at + page - 1) / page * page;
  const std::uintptr_t to = (at + bytes) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

std::byte* Arena::take_slowly(std::size_t bytes) {
  if (single_bytes_ < kSmall) {
    single_bytes_ += bytes;
    return single_.emplace_back(static_cast<std::byte*>(::operator new[](bytes, kAligned))).get();
  }
  next_ = regions_.emplace_back(base::map_pages(kRegion)).get();
  madvise(next_, kRegion, MADV_HUGEPAGE);  // only advice: without it, searching a large trace misses the TLB more often
  left_ = kRegion;
  return take(bytes);
}

}  // namespace lanescope::trace
