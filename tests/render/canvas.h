// A small image for the tests of this folder, drawn with the real renderers and without a display.
#pragma once

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "io/png.h"
#include "render/draw_callback.h"
#include "render/offscreen.h"

namespace lanescope::ui {

struct Pixel {
  int r = 0, g = 0, b = 0;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};

inline void PrintTo(const Pixel& pixel, std::ostream* stream) {
  *stream << "(" << pixel.r << ", " << pixel.g << ", " << pixel.b << ")";
}

inline Pixel pixel_at(const io::Image& image, int x, int y) {
  const std::size_t at = (static_cast<std::size_t>(y) * image.width + x) * 4;
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

inline bool near(const Pixel& a, const Pixel& b, int tolerance = 2) {
  return std::abs(a.r - b.r) <= tolerance && std::abs(a.g - b.g) <= tolerance && std::abs(a.b - b.b) <= tolerance;
}

inline constexpr std::uint32_t kWhite = 0xffffffff, kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlue = 0xffff0000;
inline constexpr Pixel kBlackPixel{0, 0, 0}, kWhitePixel{255, 255, 255}, kRedPixel{255, 0, 0}, kGreenPixel{0, 255, 0},
    kBluePixel{0, 0, 255};

/// A black image in its own OpenGL context.
class CanvasTest : public testing::Test {
 protected:
  void start(int width, int height, float scale = 1) {
    target_ = {static_cast<float>(width), static_cast<float>(height), scale};
    framebuffer_.emplace(static_cast<int>(std::lround(target_.width * scale)),
                         static_cast<int>(std::lround(target_.height * scale)));
    clear();
  }
  void clear() {
    framebuffer_->bind();
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  Rect whole() const { return {0, 0, target_.width, target_.height}; }
  io::Image image() { return framebuffer_->read(); }

  OffscreenContext context_;
  DrawTarget target_;
  std::optional<Framebuffer> framebuffer_;
};

}  // namespace lanescope::ui
