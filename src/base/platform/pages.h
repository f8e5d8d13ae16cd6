// Memory from the system, in pages. Only what has been touched takes up memory.
#pragma once

#include <cstddef>

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

}  // namespace lanescope::base
