#include "render/offscreen.h"

#include <string>

#include "base/error.h"
#include "render/canvas.h"

namespace lanescope::ui {
namespace {

TEST(Offscreen, IsOpenGl33CoreAndCurrent) {
  EXPECT_FALSE(gl_context_is_current());
  {
    const OffscreenContext context;
    EXPECT_TRUE(gl_context_is_current());
    EXPECT_GE(epoxy_gl_version(), 33);
    GLint profile = 0;
    glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    EXPECT_NE(profile & GL_CONTEXT_CORE_PROFILE_BIT, 0);
  }
  EXPECT_FALSE(gl_context_is_current());
}

TEST(Offscreen, TwoContextsLiveSideBySide) {
  OffscreenContext first;
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  {
    const OffscreenContext second;
    GLint bound = -1;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    EXPECT_EQ(bound, 0);
  }
  first.make_current();
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  EXPECT_EQ(bound, static_cast<GLint>(name));
}

class FramebufferTest : public CanvasTest {};

// The scissor counts from the bottom left, pictures from the top left.
TEST_F(FramebufferTest, ReadsRowsFromTheTopAndOpaque) {
  start(8, 6);
  glEnable(GL_SCISSOR_TEST);
  glScissor(2, 0, 3, 1);
  glClearColor(1, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  const io::Image picture = image();
  ASSERT_EQ(picture.pixels.size(), 8u * 6 * 4);
  EXPECT_EQ(pixel_at(picture, 2, 5), kRedPixel);
  EXPECT_EQ(pixel_at(picture, 4, 5), kRedPixel);
  EXPECT_EQ(pixel_at(picture, 5, 5), kBlackPixel);
  EXPECT_EQ(pixel_at(picture, 2, 0), kBlackPixel);
  for (std::size_t i = 3; i < picture.pixels.size(); i += 4) ASSERT_EQ(picture.pixels[i], 255);
}

TEST_F(FramebufferTest, ReadingChangesNothing) {
  start(8, 6);
  Framebuffer other(4, 4);
  glPixelStorei(GL_PACK_ALIGNMENT, 8);
  other.read();
  GLint draw = 0, read = 0, alignment = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw);
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
  glGetIntegerv(GL_PACK_ALIGNMENT, &alignment);
  EXPECT_NE(draw, 0);
  EXPECT_EQ(draw, read);
  EXPECT_EQ(alignment, 8);
  glClearColor(0, 1, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  EXPECT_EQ(pixel_at(image(), 3, 3), kGreenPixel);
}

TEST_F(FramebufferTest, MultisampledPicturesAreResolved) {
  Framebuffer smooth(16, 16, 4);
  smooth.bind();
  glEnable(GL_SCISSOR_TEST);  // must not cut the copy
  glScissor(0, 0, 16, 16);
  glClearColor(0, 0, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glScissor(0, 0, 1, 1);
  EXPECT_EQ(pixel_at(smooth.read(), 8, 8), kBluePixel);
}

TEST_F(FramebufferTest, ImpossibleSizesAreRefusedInOneLine) {
  for (int size : {0, -5, 1 << 24}) {
    try {
      const Framebuffer impossible(size, 100);
      FAIL() << size;
    } catch (const base::FileError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(std::to_string(size) + " x 100"), std::string::npos) << what;
      EXPECT_NE(what.find("allowed: 1 to "), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace lanescope::ui
