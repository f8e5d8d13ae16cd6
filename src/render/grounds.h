// The window's large areas of uniform colour, cleared before drawing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::ui {

/// In framebuffer pixels, from the top left.
struct PixelGround {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::uint32_t colour = 0;

  friend bool operator==(const PixelGround&, const PixelGround&) = default;
};

/// The same without a colour.
struct PixelArea {
  int left = 0, top = 0, right = 0, bottom = 0;

  friend bool operator==(const PixelArea&, const PixelArea&) = default;
};

/// Returns areas that give the same final picture as painting these in order, but with hardly any pixel painted twice.
/// The first has the extent of painted[0], which must contain the others, in the colour that covers most of it in the
/// end. The others follow.
std::vector<PixelGround> flattened(std::span<const PixelGround> painted);

/// Clears the grounds in a framebuffer of this height in pixels, as far as they lie within `areas`, which must not
/// overlap. Disables the scissor test.
void clear_grounds(std::span<const PixelGround> painted, int height, std::span<const PixelArea> areas);

}  // namespace lanescope::ui
