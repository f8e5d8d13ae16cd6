#include "render/magnifier.h"

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <array>

namespace lanescope::ui {
namespace {

// Twice as large, half of each side is seen: 400 x 300 of 800 x 600. At (200, 450), a quarter and three quarters of the
// way, the same shares of the part lie before the point: it begins at 200 - 100 = 100 and 450 - 225 = 225.
TEST(MagnifiedPart, KeepsThePointWhereItIs) {
  EXPECT_EQ(magnified_part(200, 450, 2, 800, 600), (PixelArea{100, 225, 500, 525}));
  EXPECT_EQ(magnified_part(0, 0, 2, 800, 600), (PixelArea{0, 0, 400, 300}));
  EXPECT_EQ(magnified_part(800, 600, 2, 800, 600), (PixelArea{400, 300, 800, 600}));
  EXPECT_EQ(magnified_part(-5000, 5000, 4, 800, 600), (PixelArea{0, 450, 200, 600})) << "outside: the nearest edge";
  EXPECT_EQ(magnified_part(300, 300, 1, 800, 600), (PixelArea{0, 0, 800, 600}));
}

std::array<int, 3> pixel(const io::Image& image, int x, int y) {
  const std::size_t at = (static_cast<std::size_t>(y) * image.width + x) * 4;
  return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

// The upper left quarter is red, the rest blue. Of the part from 30 to 80 of 100, 20 of 50 pixels are red each way: 40
// %.
TEST(MagnifierTest, EnlargesAPartToAllOfIt) {
  OffscreenContext context;
  Framebuffer framebuffer(100, 100);
  framebuffer.bind();
  glClearColor(0, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 50, 50, 50);
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  Magnifier magnifier;
  magnifier.apply({30, 30, 80, 80}, 100, 100);
  EXPECT_TRUE(glIsEnabled(GL_SCISSOR_TEST)) << "the state is as it was";
  const io::Image image = framebuffer.read();
  const std::array<int, 3> red{255, 0, 0}, blue{0, 0, 255};
  EXPECT_EQ(pixel(image, 2, 2), red);
  EXPECT_EQ(pixel(image, 37, 37), red);
  EXPECT_EQ(pixel(image, 43, 37), blue);
  EXPECT_EQ(pixel(image, 37, 43), blue);
  EXPECT_EQ(pixel(image, 97, 97), blue);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace lanescope::ui
