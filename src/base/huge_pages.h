// Memory for large arrays: address space for the most that they will ever hold, at the start of a huge page. Only what
// has been touched takes up memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace lanescope::base {

inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

struct UnmapPages {
  std::size_t bytes = 0;
  void operator()(std::byte* data) const;
};
/// Memory that begins at a huge page and takes up only what has been touched. Not initialised.
using MappedPages = std::unique_ptr<std::byte[], UnmapPages>;
/// `bytes` is rounded up to whole huge pages. The beginning of what was given back is kept for the next caller, up to
/// a limit, since getting new pages can cost more than a short run. Throws std::bad_alloc.
MappedPages map_pages(std::size_t bytes);

/// For a vector that reserves address space for the most it will ever hold. Small arrays are allocated as usual.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return std::allocator<T>().allocate(count);
    return reinterpret_cast<T*>(map_pages(bytes).release());
  }
  void deallocate(T* data, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return std::allocator<T>().deallocate(data, count);
    UnmapPages{bytes}(reinterpret_cast<std::byte*>(data));
  }
  bool operator==(const HugePageAllocator&) const = default;
};

/// Reserves a few values first, and then address space for `most`: a large vector must not move.
template <class T>
void reserve_more(std::vector<T, HugePageAllocator<T>>& values, std::size_t most) {
  constexpr std::size_t kFew = 1024;
  values.reserve(values.capacity() == 0 ? std::min(kFew, most) : most);
}

}  // namespace lanescope::base
