#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/platform/pages.h"

namespace lanescope::base {
namespace {

std::uintptr_t page() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

std::byte* take_pages(std::size_t bytes, std::size_t alignment) {
  // More than needed, so that an aligned part lies inside; the rest is given back.
  const std::size_t more = alignment > page() ? alignment : 0;
  void* const mapped =
      ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  if (more == 0) return begin;
  const std::size_t before = (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment;
  if (before != 0) ::munmap(begin, before);
  if (before != more) ::munmap(begin + before + bytes, more - before);
  return begin + before;
}

void return_pages(std::byte* data, std::size_t bytes) { ::munmap(data, bytes); }

void forget_pages(std::byte* data, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t from = (at + page() - 1) / page() * page(), to = (at + bytes) / page() * page();
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

void prefer_large_pages(std::byte* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  ::madvise(data, bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

}  // namespace lanescope::base
