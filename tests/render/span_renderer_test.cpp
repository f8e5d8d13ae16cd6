#include "render/span_renderer.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "render/canvas.h"
#include "render/grounds.h"

namespace lanescope::ui {
namespace {

class SpanRendererTest : public CanvasTest {
 protected:
  io::Image drawn(const SpanBatch& batch) {
    clear();
    renderer_.draw(batch, whole(), target_);
    return image();
  }

  SpanRenderer renderer_;
};

TEST_F(SpanRendererTest, FillsExactlyItsPixels) {
  start(64, 32);
  SpanBatch batch;
  batch.solid(10, 4, 20, 12, kRed);
  const io::Image picture = drawn(batch);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool inside = x >= 10 && x < 20 && y >= 4 && y < 12;
      ASSERT_EQ(pixel_at(picture, x, y), inside ? kRedPixel : kBlackPixel) << x << ", " << y;
    }
  }
}

// Edges at 10.5 and 20.25: half of pixel 10 and a quarter of pixel 20 are covered. A span of a quarter of a pixel
// covers a quarter of it.
TEST_F(SpanRendererTest, CoversPartsOfPixelsByTheirArea) {
  start(64, 16);
  SpanBatch batch;
  batch.solid(10.5f, 2, 20.25f, 8, kWhite);
  batch.solid(40.25f, 2, 40.5f, 8, kWhite);
  const io::Image picture = drawn(batch);
  EXPECT_TRUE(near(pixel_at(picture, 10, 5), {128, 128, 128}));
  EXPECT_TRUE(near(pixel_at(picture, 20, 5), {64, 64, 64}));
  EXPECT_EQ(pixel_at(picture, 15, 5), kWhitePixel);
  EXPECT_TRUE(near(pixel_at(picture, 40, 5), {64, 64, 64}));
  EXPECT_EQ(pixel_at(picture, 39, 5), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 41, 5), kBlackPixel);
}

// A rounded rectangle of 40 x 20 with radius 6 has the area 800 - (4 - pi) * 36 = 769.1.
TEST_F(SpanRendererTest, RoundsItsCorners) {
  start(64, 32);
  SpanBatch batch;
  batch.solid(10, 6, 50, 26, kWhite, 6);
  const io::Image picture = drawn(batch);
  EXPECT_EQ(pixel_at(picture, 10, 6), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 49, 25), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 30, 6), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 10, 16), kWhitePixel);
  double area = 0;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) area += pixel_at(picture, x, y).r / 255.0;
  }
  EXPECT_NEAR(area, 800 - (4 - std::numbers::pi) * 36, 3);
}

// A ground of 100.5 x 60.25 at (10.5, 8.75) is large enough to be cleared; its edges are still covered partially.
TEST_F(SpanRendererTest, ALargeGroundHasTheSameEdges) {
  start(128, 80);
  SpanBatch batch;
  batch.solid(0, 0, 128, 80, kBlue);
  batch.solid(10.5f, 8.75f, 111, 69, kWhite);
  batch.solid(20, 20, 24, 24, kRed);  // over it
  const io::Image picture = drawn(batch);
  EXPECT_EQ(pixel_at(picture, 0, 0), kBluePixel);
  EXPECT_EQ(pixel_at(picture, 11, 9), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 110, 68), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 111, 68), kBluePixel);
  EXPECT_EQ(pixel_at(picture, 60, 69), kBluePixel);
  EXPECT_TRUE(near(pixel_at(picture, 10, 40), {128, 128, 255}));
  EXPECT_TRUE(near(pixel_at(picture, 60, 8), {64, 64, 255}));
  EXPECT_EQ(pixel_at(picture, 22, 22), kRedPixel);
  clear();
  renderer_.draw(batch, {32, 16, 40, 24}, target_);
  const io::Image clipped = image();
  EXPECT_EQ(pixel_at(clipped, 31, 20), kBlackPixel);
  EXPECT_EQ(pixel_at(clipped, 32, 16), kWhitePixel);
  EXPECT_EQ(pixel_at(clipped, 71, 39), kWhitePixel);
  EXPECT_EQ(pixel_at(clipped, 72, 39), kBlackPixel);
}

TEST(Grounds, FlattenedAreTheSamePicture) {
  const std::vector<PixelGround> painted{{0, 0, 60, 40, 1},   {0, 0, 60, 5, 2},    {0, 6, 10, 34, 2},
                                         {11, 6, 50, 20, 3},  {11, 21, 50, 34, 3}, {51, 6, 60, 34, 2},
                                         {-5, 35, 99, 99, 2}, {30, 8, 30, 12, 7},  {20, 10, 25, 15, 4}};
  const auto paint = [](const std::vector<PixelGround>& grounds) {
    std::vector<std::uint32_t> pixels(60 * 40);
    for (const PixelGround& g : grounds) {
      for (int y = std::max(0, g.top); y < std::min(40, g.bottom); ++y) {
        for (int x = std::max(0, g.left); x < std::min(60, g.right); ++x) {
          pixels[static_cast<std::size_t>(y * 60 + x)] = g.colour;
        }
      }
    }
    return pixels;
  };
  const std::vector<PixelGround> flat = flattened(painted);
  EXPECT_EQ(paint(flat), paint(painted));
  EXPECT_EQ(flat.front(), (PixelGround{0, 0, 60, 40, 2})) << "1,132 of 2,400 pixels; 1,028 have the 3";
  for (std::size_t i = 1; i < flat.size(); ++i) {
    for (std::size_t k = i + 1; k < flat.size(); ++k) {
      const bool apart = flat[i].right <= flat[k].left || flat[k].right <= flat[i].left ||
                         flat[i].bottom <= flat[k].top || flat[k].bottom <= flat[i].top;
      EXPECT_TRUE(apart) << i << ", " << k;
    }
  }
  EXPECT_TRUE(flattened({}).empty());
}

TEST(ClearedGround, IsTheWholePixelsAndItsEdgesAreTheRest) {
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    const Span span{10.3f, 4.7f, 200.1f, 90.2f, kWhite};
    const ClearedGround ground = cleared_ground(span, scale);
    double area = (ground.right - ground.left) * static_cast<double>(ground.bottom - ground.top);
    for (const Span& edge : ground.edges) {
      area += static_cast<double>((edge.x1 - edge.x0) * (edge.y1 - edge.y0) * scale * scale);
    }
    EXPECT_NEAR(area, (200.1 - 10.3) * (90.2 - 4.7) * static_cast<double>(scale * scale), 0.5) << scale;
  }
  EXPECT_EQ(cleared_ground(Span{3.2f, 0, 3.9f, 100, kWhite}, 1).edges.size(), 0u) << "no whole pixel";
  const ClearedGround nan = cleared_ground(Span{std::numeric_limits<float>::quiet_NaN(), 0, 9, 9, kWhite}, 1);
  EXPECT_EQ(nan.edges.size(), 0u);
}

// Many square spans in a row use a separate shader program: the pixels must equal those of the general one.
TEST_F(SpanRendererTest, PlainSpansLookAsTheOthersDo) {
  start(128, 64);
  SpanBatch plain, mixed;
  for (int i = 0; i < 24; ++i) {
    const float x = 2 + 5.13f * static_cast<float>(i);
    Span span{x, 4.4f, x + 3.7f, 50.6f, 0xb0ff8040, kWhite};
    if (i % 2 == 1) {
      span.style = SpanStyle::Folded;
      span.busy = static_cast<float>(i) / 24;
      span.stroke = static_cast<float>(i % 4);
    }
    plain.add(span);
    mixed.add(span);
    mixed.styled(SpanStyle::Outline, 500, 500, 510, 510, kRed, kRed);  // outside: only keeps them apart
  }
  const io::Image a = drawn(plain);
  const io::Image b = drawn(mixed);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 128; ++x) {
      ASSERT_TRUE(near(pixel_at(a, x, y), pixel_at(b, x, y), 12))
          << x << ", " << y;  // a corner's curve differs a little
    }
  }
}

TEST_F(SpanRendererTest, RoundingIsNeverMoreThanHalfTheSpan) {
  start(32, 32);
  SpanBatch batch;
  batch.solid(4, 4, 8, 28, kWhite, 100);
  const io::Image picture = drawn(batch);
  EXPECT_EQ(pixel_at(picture, 5, 16), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 4, 16), kWhitePixel);
  EXPECT_LT(pixel_at(picture, 4, 4).r, 128);
}

TEST_F(SpanRendererTest, BlendsInTheOrderOfTheBatch) {
  start(32, 16);
  SpanBatch batch;
  batch.solid(0, 0, 32, 16, kRed);
  batch.solid(0, 0, 16, 16, kBlue);
  batch.solid(8, 0, 24, 16, 0x8000ff00);  // green, half of it
  const io::Image picture = drawn(batch);
  EXPECT_EQ(pixel_at(picture, 2, 8), kBluePixel);
  EXPECT_TRUE(near(pixel_at(picture, 12, 8), {0, 128, 127}));
  EXPECT_TRUE(near(pixel_at(picture, 20, 8), {127, 128, 0}));
  EXPECT_EQ(pixel_at(picture, 28, 8), kRedPixel);
}

// Stripes have a period of 9 pixels along x and are 42 % of it.
TEST_F(SpanRendererTest, HatchingAlternates) {
  start(128, 40);
  SpanBatch batch;
  batch.styled(SpanStyle::Hatched, 10, 4, 118, 36, kBlue, kRed);
  const io::Image picture = drawn(batch);
  int changes = 0;
  double inked = 0;
  for (int x = 11; x < 117; ++x) {
    const bool red = pixel_at(picture, x, 20).r > 127;
    changes += red != (pixel_at(picture, x - 1, 20).r > 127) ? 1 : 0;
    inked += pixel_at(picture, x, 20).r / 255.0;
    if (x > 20) {
      EXPECT_TRUE(near(pixel_at(picture, x, 20), pixel_at(picture, x - 9, 20))) << x;
    }
    // Rising to the right: one row down, the stripe is one pixel further left.
    EXPECT_TRUE(near(pixel_at(picture, x, 20), pixel_at(picture, x - 1, 21))) << x;
  }
  EXPECT_NEAR(changes, 2 * 106 / 9, 2);
  EXPECT_NEAR(inked, 0.42 * 106, 2);
}

TEST_F(SpanRendererTest, HatchingMovesWithItsSpanAndTheUnknownEdgeDoesNot) {
  start(128, 80);
  auto picture = [this](float x) {
    SpanBatch batch;
    batch.styled(SpanStyle::Hatched, x, 4, x + 60, 36, kBlue, kRed);
    batch.styled(SpanStyle::Unknown, x, 44, x + 60, 76, 0, kWhite);
    return drawn(batch);
  };
  const io::Image before = picture(10), after = picture(14);
  bool hatching_differs_on_screen = false, unknown_has_stripes = false, unknown_has_gaps = false;
  for (int x = 20; x < 60; ++x) {
    EXPECT_TRUE(near(pixel_at(before, x, 20), pixel_at(after, x + 4, 20))) << x;
    hatching_differs_on_screen |= !near(pixel_at(before, x, 20), pixel_at(after, x, 20), 60);
    EXPECT_EQ(pixel_at(before, x, 60), pixel_at(after, x, 60)) << x;
    unknown_has_stripes |= pixel_at(before, x, 60).r > 150;
    unknown_has_gaps |= pixel_at(before, x, 60) == kBlackPixel;
  }
  EXPECT_TRUE(hatching_differs_on_screen);
  EXPECT_TRUE(unknown_has_stripes);
  EXPECT_TRUE(unknown_has_gaps);
}

TEST_F(SpanRendererTest, DashedDrawsOnlyItsOutline) {
  start(128, 64);
  SpanBatch batch;
  Span& span = batch.styled(SpanStyle::Dashed, 10, 10, 110, 50, 0, kWhite);
  span.stroke = 2;
  const io::Image picture = drawn(batch);
  for (int y = 14; y < 46; ++y) {
    for (int x = 14; x < 106; ++x) ASSERT_EQ(pixel_at(picture, x, y), kBlackPixel) << x << ", " << y;
  }
  int on = 0, off = 0;
  for (int x = 10; x < 110; ++x) {
    on += pixel_at(picture, x, 10).r > 200 ? 1 : 0;
    off += pixel_at(picture, x, 10).r < 55 ? 1 : 0;
  }
  EXPECT_GT(on, 40);
  EXPECT_GT(off, 20);
  for (int x : {10, 109}) {
    for (int y : {10, 49}) EXPECT_GT(pixel_at(picture, x, y).r, 200) << "corner " << x << ", " << y;
  }
}

TEST_F(SpanRendererTest, OutlineIsClosedAndKeepsItsInside) {
  start(64, 32);
  SpanBatch batch;
  batch.solid(0, 0, 64, 32, kBlue);
  Span& span = batch.styled(SpanStyle::Outline, 10, 6, 50, 26, 0, kWhite);
  span.stroke = 2;
  const io::Image picture = drawn(batch);
  for (int x = 10; x < 50; ++x) {
    for (int y : {6, 7, 24, 25}) ASSERT_EQ(pixel_at(picture, x, y), kWhitePixel) << x << ", " << y;
  }
  EXPECT_EQ(pixel_at(picture, 12, 8), kBluePixel);
  EXPECT_EQ(pixel_at(picture, 30, 16), kBluePixel);
  EXPECT_EQ(pixel_at(picture, 9, 16), kBluePixel);
}

// 40 pixels high and busy a quarter of the time: the lowest 10 rows are full; above is a shade of 22 %.
TEST_F(SpanRendererTest, FoldedShadesTheBusyFraction) {
  start(32, 48);
  SpanBatch batch;
  batch.folded(4, 4, 28, 44, kWhite, 0.25f);
  const io::Image picture = drawn(batch);
  for (int y = 4; y < 44; ++y) {
    const Pixel expected = y >= 34 ? kWhitePixel : Pixel{56, 56, 56};
    EXPECT_TRUE(near(pixel_at(picture, 16, y), expected)) << y;
  }
  SpanBatch busy;
  busy.folded(4, 4, 28, 44, kWhite, 1);
  EXPECT_EQ(pixel_at(drawn(busy), 16, 4), kWhitePixel);
}

// How many there are: a tick of one pixel every 8, 4 or 2, in fixed places of the screen, 2, 3 or 4 pixels long.
TEST_F(SpanRendererTest, FoldedTicksSayHowMany) {
  start(32, 48);
  for (const auto& [density, period, length] : {std::tuple{1, 8, 2}, {2, 4, 3}, {3, 2, 4}}) {
    SpanBatch batch;
    for (const float x : {5.0f, 14.0f}) {
      Span& span = batch.folded(x, 4, x + 9, 44, kWhite, 1);
      span.ink = 0xff000000;
      span.stroke = static_cast<float>(density);
    }
    const io::Image picture = drawn(batch);
    for (int x = 6; x < 22; ++x) {
      const Pixel expected = x % period == 0 ? kBlackPixel : kWhitePixel;
      EXPECT_TRUE(near(pixel_at(picture, x, 4), expected)) << density << " at " << x;
      EXPECT_TRUE(near(pixel_at(picture, x, 4 + length - 1), expected)) << density << " at " << x;
      EXPECT_EQ(pixel_at(picture, x, 4 + length + 1), kWhitePixel) << density << " at " << x;
    }
  }
}

TEST_F(SpanRendererTest, DrawsOnlyInsideTheClip) {
  start(64, 32);
  SpanBatch batch;
  batch.solid(0, 0, 64, 32, kWhite);
  renderer_.draw(batch, {8, 4, 20, 10}, target_);
  io::Image picture = image();
  EXPECT_EQ(pixel_at(picture, 8, 4), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 27, 13), kWhitePixel);
  EXPECT_EQ(pixel_at(picture, 7, 4), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 28, 13), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 8, 3), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 8, 14), kBlackPixel);
  clear();
  renderer_.draw(batch, {100, 100, 20, 10}, target_);
  renderer_.draw(batch, {8, 4, -20, 10}, target_);
  picture = image();
  EXPECT_EQ(pixel_at(picture, 8, 4), kBlackPixel);
}

TEST_F(SpanRendererTest, AScaleGivesMorePixelsNotLargerOnes) {
  start(64, 32, 4);
  SpanBatch batch;
  batch.solid(10.25f, 4, 20, 12, kRed);
  batch.solid(30, 4, 60, 28, kWhite, 8);
  const io::Image picture = drawn(batch);
  EXPECT_EQ(picture.width, 256);
  EXPECT_EQ(picture.height, 128);
  // A quarter of a logical pixel is one of these: the edge is sharp.
  EXPECT_EQ(pixel_at(picture, 40, 30), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 41, 30), kRedPixel);
  EXPECT_EQ(pixel_at(picture, 79, 47), kRedPixel);
  EXPECT_EQ(pixel_at(picture, 80, 47), kBlackPixel);
  // The corner's radius is 32 pixels: at 45 degrees it leaves 32 * (1 - 0.707) = 9.4 of them in each direction.
  EXPECT_EQ(pixel_at(picture, 128, 24), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 132, 24), kWhitePixel);
}

TEST_F(SpanRendererTest, OddSpansDoNoHarm) {
  start(64, 32);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  SpanBatch batch;
  batch.solid(20, 4, 10, 12, kRed);  // ends before it begins
  batch.solid(20, 4, 20, 12, kRed);  // empty
  batch.solid(nan, 4, 30, 12, kRed);
  batch.solid(40, nan, 50, nan, kRed);
  batch.solid(-32768, 20, 32768, 28, kGreen, 4);  // far beyond both sides
  const io::Image picture = drawn(batch);
  for (int x = 0; x < 64; ++x) {
    ASSERT_EQ(pixel_at(picture, x, 8), kBlackPixel) << x;
    ASSERT_EQ(pixel_at(picture, x, 24), kGreenPixel) << x;
  }
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// 20,000 spans of 2 x 2 pixels with alternating colours: one call draws them all, in the right places.
TEST_F(SpanRendererTest, ThousandsGoInOneCall) {
  start(600, 450);
  SpanBatch batch;
  const std::array<std::uint32_t, 3> colours{kRed, kGreen, kBlue};
  for (int i = 0; i < 20000; ++i) {
    const float x = static_cast<float>(i % 200 * 3), y = static_cast<float>(i / 200 * 4);
    batch.solid(x, y, x + 2, y + 2, colours[static_cast<std::size_t>(i) % 3]);
  }
  GLuint query = 0, primitives = 0;
  glGenQueries(1, &query);
  glBeginQuery(GL_PRIMITIVES_GENERATED, query);
  renderer_.draw(batch, whole(), target_);
  glEndQuery(GL_PRIMITIVES_GENERATED);
  glGetQueryObjectuiv(query, GL_QUERY_RESULT, &primitives);
  glDeleteQueries(1, &query);
  EXPECT_EQ(primitives, 40000u);
  const io::Image picture = image();
  const std::array<Pixel, 3> expected{kRedPixel, kGreenPixel, kBluePixel};
  for (int i = 0; i < 20000; ++i) {
    ASSERT_EQ(pixel_at(picture, i % 200 * 3 + 1, i / 200 * 4 + 1), expected[static_cast<std::size_t>(i) % 3]) << i;
  }
}

TEST_F(SpanRendererTest, LeavesTheStateAsItWas) {
  start(64, 32);
  GLuint array = 0, buffer = 0;
  glGenVertexArrays(1, &array);
  glGenBuffers(1, &buffer);
  glBindVertexArray(array);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glViewport(3, 4, 5, 6);
  glScissor(7, 8, 9, 10);
  glDisable(GL_BLEND);
  glEnable(GL_CULL_FACE);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_SCISSOR_TEST);
  glBlendFuncSeparate(GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_DST_ALPHA);
  glBlendEquationSeparate(GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT);
  auto state = [] {
    std::vector<GLint> values;
    for (GLenum name :
         {GL_CURRENT_PROGRAM, GL_VERTEX_ARRAY_BINDING, GL_ARRAY_BUFFER_BINDING, GL_BLEND_SRC_RGB, GL_BLEND_DST_RGB,
          GL_BLEND_SRC_ALPHA, GL_BLEND_DST_ALPHA, GL_BLEND_EQUATION_RGB, GL_BLEND_EQUATION_ALPHA, GL_BLEND,
          GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_SCISSOR_TEST, GL_VIEWPORT, GL_SCISSOR_BOX, GL_ACTIVE_TEXTURE,
          GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING}) {
      std::array<GLint, 4> value{};
      glGetIntegerv(name, value.data());
      values.insert(values.end(), value.begin(), value.end());
    }
    return values;
  };
  const std::vector<GLint> before = state();
  SpanBatch batch;
  batch.solid(0, 0, 64, 32, kWhite);
  renderer_.draw(batch, whole(), target_);
  EXPECT_EQ(state(), before);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_EQ(pixel_at(image(), 40, 20), kWhitePixel) << "depth test and culling must not hide a span";
  glDeleteBuffers(1, &buffer);
  glDeleteVertexArrays(1, &array);
}

}  // namespace
}  // namespace lanescope::ui
