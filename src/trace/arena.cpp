#include "trace/arena.h"

#include <new>

#include "base/platform/system.h"

namespace lanescope::trace {
namespace {

constexpr std::align_val_t kAligned{64};
constexpr std::size_t kSmall = std::size_t{1} << 20;
// Only what is touched takes up memory.
constexpr std::size_t kRegion = 16 * base::kHugePage;

}  // namespace

void Arena::Delete::operator()(std::byte* data) const { ::operator delete[](data, kAligned); }

void Arena::give_back(void* piece, std::size_t bytes) { base::forget_pages(static_cast<std::byte*>(piece), bytes); }

std::byte* Arena::take_slowly(std::size_t bytes) {
  if (single_bytes_ < kSmall) {
    single_bytes_ += bytes;
    return single_.emplace_back(static_cast<std::byte*>(::operator new[](bytes, kAligned))).get();
  }
  next_ = regions_.emplace_back(base::map_pages(kRegion)).get();
  base::prefer_large_pages(next_, kRegion);  // without, searching a large trace misses the TLB more often
  left_ = kRegion;
  return take(bytes);
}

}  // namespace lanescope::trace
