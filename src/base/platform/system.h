// What the system gives: memory, times, libraries that are opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lanescope::base {

/// Zeros; null: there is no memory. It begins at a multiple of `alignment`, which is a power of two, or of a page.
std::byte* take_pages(std::size_t bytes, std::size_t alignment = 1);
/// Exactly what take_pages() gave.
void return_pages(std::byte* data, std::size_t bytes);
/// The content of whole pages within these bytes is no longer needed: they take up no memory until they are touched,
/// and then hold zeros, or what they held.
void forget_pages(std::byte* data, std::size_t bytes);
/// Only advice: large pages, so that the processor finds them faster.
void prefer_large_pages(std::byte* data, std::size_t bytes);

/// The memory of the machine, or the container's limit if that is lower. 0 if unknown.
std::uint64_t machine_memory_bytes();

// --- system time -----------------------------------------------------------------------------------------------------
// What the system says of time that the standard library does not.

/// The processor time that this program has used.
double process_seconds();
/// The number by which the system knows the calling thread.
std::uint32_t thread_number();

// --- library ---------------------------------------------------------------------------------------------------------
// Libraries that are opened at run time. They stay open until the program ends.

/// Null, and why, if there is none of this name or path.
void* open_library(const std::string& name, std::string& why);
/// Null: it has no such function.
void* find_symbol(void* library, const char* name);
template <typename Function>
Function find_function(void* library, const char* name) {
  return reinterpret_cast<Function>(find_symbol(library, name));
}

}  // namespace lanescope::base
