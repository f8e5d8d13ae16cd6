#include "base/huge_pages.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "base/platform/system.h"

namespace lanescope::base {
namespace {

std::size_t whole_pages(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

/// Regions that were given back. Never destroyed, because others may be given back while the program ends.
class KeptPages {
 public:
  std::byte* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto fits = std::ranges::find(regions_, size, &Region::size);
    if (fits == regions_.end()) return nullptr;
    std::byte* const data = fits->data;
    kept_ -= size;
    regions_.erase(fits);
    return data;
  }
  /// False: there is no room, or it is something small, such as what a growing vector leaves behind.
  bool keep(std::byte* data, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (size < kLeast || kept_ + size > kMost) return false;
    if (size > kPart) forget_pages(data + kPart, size - kPart);
    regions_.push_back({data, size});
    kept_ += size;
    return true;
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{32} << 20, kMost = std::size_t{320} << 20;
  static constexpr std::size_t kPart = std::size_t{32} << 20;  // of each region stays in memory
  struct Region {
    std::byte* data;
    std::size_t size;
  };
  std::mutex mutex_;
  std::vector<Region> regions_;
  std::size_t kept_ = 0;
};

KeptPages& kept() {
  static KeptPages* const kept = new KeptPages;
  return *kept;
}

}  // namespace

void UnmapPages::operator()(std::byte* data) const {
  if (data == nullptr) return;
  const std::size_t size = whole_pages(bytes);
  if (!kept().keep(data, size)) return_pages(data, size);
}

MappedPages map_pages(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  if (std::byte* const known = kept().take(size)) return MappedPages(known, UnmapPages{bytes});
  std::byte* const data = take_pages(size, kHugePage);
  if (data == nullptr) throw std::bad_alloc();
  return MappedPages(data, UnmapPages{bytes});
}

// --- arena -----------------------------------------------------------------------------------------------------------

namespace {

constexpr std::align_val_t kArenaAligned{64};
constexpr std::size_t kSmallArena = std::size_t{1} << 20;
// Only what is touched takes up memory.
constexpr std::size_t kArenaRegion = 16 * kHugePage;

}  // namespace

void Arena::Delete::operator()(std::byte* data) const { ::operator delete[](data, kArenaAligned); }

void Arena::give_back(void* piece, std::size_t bytes) { forget_pages(static_cast<std::byte*>(piece), bytes); }

std::byte* Arena::take_slowly(std::size_t bytes) {
  if (single_bytes_ < kSmallArena) {
    single_bytes_ += bytes;
    return single_.emplace_back(static_cast<std::byte*>(::operator new[](bytes, kArenaAligned))).get();
  }
  next_ = regions_.emplace_back(map_pages(kArenaRegion)).get();
  prefer_large_pages(next_, kArenaRegion);  // without, searching a large trace misses the TLB more often
  left_ = kArenaRegion;
  return take(bytes);
}

}  // namespace lanescope::base
