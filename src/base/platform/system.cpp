#include "base/platform/system.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/translate.h"

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

std::uint64_t machine_memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  std::uint64_t bytes =
      pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
  for (const char* limit_file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    if (std::ifstream(limit_file) >> limit && limit > 0) bytes = bytes > 0 ? std::min(bytes, limit) : limit;
  }
  return bytes;
}

// --- system time -----------------------------------------------------------------------------------------------------

double process_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

std::uint32_t thread_number() {
#ifdef __linux__
  return static_cast<std::uint32_t>(::gettid());
#else
  return static_cast<std::uint32_t>(::getpid());
#endif
}

// --- library ---------------------------------------------------------------------------------------------------------

namespace {

/// The last error, without the library's name at its start.
std::string open_error(std::string_view library) {
  const char* const said = ::dlerror();
  if (said == nullptr) return tr("no reason given");
  std::string_view why = said;
  if (why.starts_with(library)) why.remove_prefix(library.size());
  while (why.starts_with(':') || why.starts_with(' ')) why.remove_prefix(1);
  constexpr std::string_view kMissing = "cannot open shared object file: ";
  if (why.starts_with(kMissing)) why.remove_prefix(kMissing.size());
  return std::string(why);
}

}  // namespace

void* open_library(const std::string& name, std::string& why) {
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) why = open_error(name);
  return library;
}

void* find_symbol(void* library, const char* name) { return ::dlsym(library, name); }

}  // namespace lanescope::base
