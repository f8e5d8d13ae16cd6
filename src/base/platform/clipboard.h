// A picture on the clipboard. Text goes there through the window's library.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope::base {

/// Callable from any thread. Throws base::FileError with one line on why copying is not possible.
void copy_png(std::span<const std::uint8_t> bytes);

}  // namespace lanescope::base
