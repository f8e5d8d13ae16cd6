#include "render/plot_renderer.h"

#include <cmath>
#include <vector>

#include "render/canvas.h"

namespace lanescope::ui {
namespace {

class PlotRendererTest : public CanvasTest {
 protected:
  /// A plot over the whole canvas, 0 at the bottom and 1 at the top, with a column for each pixel.
  Plot plot(std::uint32_t fill = 0) {
    Plot result;
    result.box = whole();
    result.line = kWhite;
    result.fill = fill;
    result.line_width = 2;
    result.columns.assign(static_cast<std::size_t>(target_.width), PlotColumn{0.5f, 0.5f, 0.5f});
    return result;
  }
  io::Image drawn(const Plot& what) {
    clear();
    renderer_.draw(what, whole(), target_);
    return image();
  }

  PlotRenderer renderer_;
};

// Half of 64 pixels: the line is 2 wide around y = 32 and covers rows 31 and 32.
TEST_F(PlotRendererTest, DrawsALevelLine) {
  start(100, 64);
  const io::Image picture = drawn(plot());
  for (int x = 0; x < 100; ++x) {
    ASSERT_EQ(pixel_at(picture, x, 31), kWhitePixel) << x;
    ASSERT_EQ(pixel_at(picture, x, 32), kWhitePixel) << x;
    ASSERT_EQ(pixel_at(picture, x, 29), kBlackPixel) << x;
    ASSERT_EQ(pixel_at(picture, x, 34), kBlackPixel) << x;
  }
}

// The fill's alpha of 200 falls to nothing over 64 rows: at row 40 (middle 40.5) 23.5 / 64 of it are left, 73.
TEST_F(PlotRendererTest, FillFadesToTheBottom) {
  start(100, 64);
  const io::Image picture = drawn(plot(0xc80000ff));
  EXPECT_TRUE(near(pixel_at(picture, 50, 40), {73, 0, 0}));
  for (int y = 35; y < 64; ++y) EXPECT_LE(pixel_at(picture, 50, y).r, pixel_at(picture, 50, y - 1).r) << y;
  EXPECT_LT(pixel_at(picture, 50, 63).r, 4);
  EXPECT_EQ(pixel_at(picture, 50, 20), kBlackPixel);
}

// The fill below the line uses a separate shader program, unless a column of the run is unknown: the pixels must be
// equal.
TEST_F(PlotRendererTest, TheFillIsTheSameInOnePieceAndInTwo) {
  start(60, 64);
  Plot known = plot(0xc80000ff);
  for (std::size_t i = 0; i < 60; ++i) {
    const float mean = 0.5f + 0.3f * std::sin(static_cast<float>(i) / 6);
    known.columns[i] = {mean - 0.1f, mean + 0.05f, mean};
  }
  Plot unknown = known;
  unknown.columns[59].mean = std::nanf("");
  const io::Image two = drawn(known);
  const io::Image one = drawn(unknown);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 56; ++x) ASSERT_TRUE(near(pixel_at(one, x, y), pixel_at(two, x, y), 1)) << x << ", " << y;
  }
}

TEST_F(PlotRendererTest, StepsAreUpright) {
  start(100, 64);
  Plot steps = plot();
  steps.stepped = true;
  for (std::size_t i = 50; i < 100; ++i) steps.columns[i] = {0.25f, 0.25f, 0.25f};
  const io::Image picture = drawn(steps);
  EXPECT_EQ(pixel_at(picture, 48, 31), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 51, 47), kWhitePixel);
  // The upright is 2 wide around x = 50, from row 32 to row 48.
  for (int y = 33; y < 47; ++y) {
    ASSERT_EQ(pixel_at(picture, 49, y), kWhitePixel) << y;
    ASSERT_EQ(pixel_at(picture, 50, y), kWhitePixel) << y;
    ASSERT_EQ(pixel_at(picture, 48, y == 33 ? 34 : y), kBlackPixel) << y;
    ASSERT_EQ(pixel_at(picture, 51, y == 46 ? 45 : y), kBlackPixel) << y;
  }
}

TEST_F(PlotRendererTest, ASlopeIsOneUnbrokenLine) {
  start(100, 64);
  Plot slope = plot();
  for (std::size_t i = 0; i < 100; ++i) {
    const float value = 0.1f + 0.8f * static_cast<float>(i) / 99;
    slope.columns[i] = {value, value, value};
  }
  const io::Image picture = drawn(slope);
  for (int x = 1; x < 99; ++x) {
    // The line's weight in a column is its width over the cosine of the slope: 2 * sqrt(1 + 0.517^2) = 2.25.
    double weight = 0, moment = 0;
    for (int y = 0; y < 64; ++y) {
      const double value = pixel_at(picture, x, y).r / 255.0;
      weight += value;
      moment += value * (y + 0.5);
    }
    ASSERT_NEAR(weight, 2.25, 0.25) << x;
    ASSERT_NEAR(moment / weight, 64 * (1 - 0.1 - 0.8 * x / 99.0), 0.2) << x;
  }
}

TEST_F(PlotRendererTest, WhatIsNotKnownIsAGap) {
  start(100, 64);
  Plot gap = plot(0xc80000ff);
  for (std::size_t i = 40; i < 60; ++i) gap.columns[i].mean = std::nanf("");
  io::Image picture = drawn(gap);
  for (int x = 41; x < 59; ++x) {
    for (int y = 0; y < 64; ++y) ASSERT_EQ(pixel_at(picture, x, y), kBlackPixel) << x << ", " << y;
  }
  EXPECT_EQ(pixel_at(picture, 38, 32), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 61, 32), kWhitePixel);
  for (PlotColumn& column : gap.columns) column.mean = std::nanf("");
  picture = drawn(gap);
  EXPECT_EQ(pixel_at(picture, 50, 32), kBlackPixel);
  gap.columns[50].mean = 0.5f;  // alone it is a dot
  EXPECT_GT(pixel_at(drawn(gap), 50, 32).r, 150);
}

TEST_F(PlotRendererTest, MinAndMaxMakeALighterBand) {
  start(100, 64);
  Plot band = plot();
  for (PlotColumn& column : band.columns) column = {0.25f, 0.75f, 0.5f};
  const io::Image picture = drawn(band);
  EXPECT_EQ(pixel_at(picture, 50, 32), kWhitePixel);
  EXPECT_TRUE(near(pixel_at(picture, 50, 20), {102, 102, 102}));  // 40 %
  EXPECT_TRUE(near(pixel_at(picture, 50, 44), {102, 102, 102}));
  EXPECT_EQ(pixel_at(picture, 50, 10), kBlackPixel);
}

TEST_F(PlotRendererTest, AHighPeakIsNotCutOff) {
  start(200, 64);
  Plot peak = plot();
  peak.columns[64] = {0.9f, 0.9f, 0.9f};  // the first column of a run: its flank belongs to the previous run
  const io::Image picture = drawn(peak);
  // The flank goes from half height at 63.5 to 0.9 at 64.5.
  EXPECT_GT(pixel_at(picture, 63, 26).r, 60);
  EXPECT_GT(pixel_at(picture, 64, 8).r, 200);
  EXPECT_GT(pixel_at(picture, 65, 26).r, 60);
}

TEST_F(PlotRendererTest, FewColumnsFillTheBoxAtAnyScale) {
  start(100, 64, 2);
  Plot few = plot();
  few.columns.resize(7);
  const io::Image picture = drawn(few);
  EXPECT_EQ(picture.width, 200);
  for (int x = 0; x < 200; ++x) ASSERT_EQ(pixel_at(picture, x, 63), kWhitePixel) << x;
  few.columns.clear();
  few.box.width = 0;
  renderer_.draw(few, whole(), target_);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// Dashes of 10 pixels with 6 between them, the first at x = 4: lit from 4 to 14, dark to 20.
TEST_F(PlotRendererTest, ALineCanBeDashed) {
  start(100, 64);
  Plot dashed = plot();
  dashed.dash = 10;
  dashed.dash_from = 4;
  const io::Image picture = drawn(dashed);
  for (int x = 5; x < 13; ++x) EXPECT_EQ(pixel_at(picture, x, 31), kWhitePixel) << x;
  for (int x = 15; x < 19; ++x) EXPECT_EQ(pixel_at(picture, x, 31), kBlackPixel) << x;
  EXPECT_EQ(pixel_at(picture, 21, 31), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 1, 31), kBlackPixel);
}

TEST_F(PlotRendererTest, LeavesTheStateAsItWas) {
  start(64, 32);
  glActiveTexture(GL_TEXTURE3);
  auto state = [] {
    std::vector<GLint> values;
    for (GLenum name : {GL_CURRENT_PROGRAM, GL_VERTEX_ARRAY_BINDING, GL_ARRAY_BUFFER_BINDING, GL_TEXTURE_BUFFER,
                        GL_TEXTURE_BINDING_BUFFER, GL_ACTIVE_TEXTURE, GL_BLEND, GL_SCISSOR_TEST}) {
      values.push_back(0);
      glGetIntegerv(name, &values.back());
    }
    return values;
  };
  const std::vector<GLint> before = state();
  renderer_.draw(plot(), whole(), target_);
  EXPECT_EQ(state(), before);
  glActiveTexture(GL_TEXTURE0);
  GLint bound = -1;
  glGetIntegerv(GL_TEXTURE_BINDING_BUFFER, &bound);
  EXPECT_EQ(bound, 0);
}

}  // namespace
}  // namespace lanescope::ui
