// The window's large areas of one colour, cleared before anything is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::ui {

/// In pixels of the framebuffer, from the top left.
struct PixelGround {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::uint32_t colour = 0;

  friend bool operator==(const PixelGround&, const PixelGround&) = default;
};

/// What painting these one after the other comes to, with hardly a pixel painted twice: the first of the result is the
/// first of `painted`, which holds the others, in the colour that most of it has in the end; then what differs from it.
std::vector<PixelGround> flattened(std::span<const PixelGround> painted);

/// Clears them, in a framebuffer so many pixels high. The scissor test is off afterwards.
void clear_grounds(std::span<const PixelGround> painted, int height);

}  // namespace lanescope::ui
