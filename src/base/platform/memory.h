// Memory from the system, in pages, of which only those that have been touched take any up; and how much there is.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace lanescope::base
