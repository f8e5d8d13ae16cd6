#include "render/imgui_image.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <stdexcept>
#include <string>

#include "render/canvas.h"
#include "render/labels.h"
#include "render/plot_renderer.h"
#include "render/span_renderer.h"

namespace lanescope::ui {
namespace {

Pixel colour_pixel(std::uint32_t colour) {
  return {static_cast<int>(colour & 0xff), static_cast<int>(colour >> 8 & 0xff), static_cast<int>(colour >> 16 & 0xff)};
}

class ImGuiImageTest : public testing::Test {
 protected:
  OffscreenContext context_;
};

TEST_F(ImGuiImageTest, DrawsWidgetsAndTheGround) {
  for (ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
    const io::Image picture = render_imgui_offscreen(200, 100, 1, name, [](const Fonts&) {
      ImGui::SetNextWindowPos(ImVec2(20, 20));
      ImGui::SetNextWindowSize(ImVec2(100, 60));
      ImGui::Begin("w", nullptr, ImGuiWindowFlags_NoDecoration);
      ImGui::End();
    });
    ASSERT_EQ(picture.width, 200);
    ASSERT_EQ(picture.height, 100);
    EXPECT_EQ(pixel_at(picture, 5, 5), colour_pixel(theme(name)[Colour::Ground]));
    EXPECT_EQ(pixel_at(picture, 70, 50), colour_pixel(theme(name)[Colour::Panel]));
  }
  EXPECT_EQ(ImGui::GetCurrentContext(), nullptr);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// Spans are drawn between ImGui's own rectangles in the order in which they were added, clipped like the list; and a
// batch may be destroyed before the frame is rendered.
TEST_F(ImGuiImageTest, SpansKeepTheirPlaceInTheDrawList) {
  SpanRenderer renderer;
  PlotRenderer plots;
  for (float scale : {1.0f, 2.0f, 1.5f}) {
    const io::Image picture = render_imgui_offscreen(100, 60, scale, ThemeName::Dark, [&](const Fonts&) {
      ImDrawList& list = *ImGui::GetForegroundDrawList();
      list.AddRectFilled(ImVec2(10, 10), ImVec2(70, 50), kRed);
      {
        SpanBatch batch;
        batch.solid(20, 10, 80, 50, kGreen);
        list.PushClipRect(ImVec2(0, 0), ImVec2(60, 60));
        add_to_draw_list(list, renderer, batch);
        list.PopClipRect();
      }
      list.AddRectFilled(ImVec2(30, 10), ImVec2(50, 50), kBlue);
      Plot plot;
      plot.box = {90, 0, 10, 60};
      plot.line = kWhite;
      plot.columns.assign(10, PlotColumn{0.5f, 0.5f, 0.5f});
      add_to_draw_list(list, plots, plot);
    });
    auto at = [&](float x, float y) {
      return pixel_at(picture, static_cast<int>(x * scale), static_cast<int>(y * scale));
    };
    EXPECT_EQ(at(15, 30), kRedPixel) << scale;
    EXPECT_EQ(at(25, 30), kGreenPixel) << scale;
    EXPECT_EQ(at(40, 30), kBluePixel) << scale;
    EXPECT_EQ(at(55, 30), kGreenPixel) << scale;
    EXPECT_EQ(at(65, 30), kRedPixel) << scale << ": the clip rectangle ends at 60";
    EXPECT_EQ(at(75, 30), colour_pixel(theme(ThemeName::Dark)[Colour::Ground])) << scale;
    EXPECT_GT(at(95, 30).r, 150) << scale;
  }
}

/// The number of adjacent pixel pairs with a strong difference that would share a pixel at half the size: an image that
/// was merely enlarged has hardly any.
int fine_edges(const io::Image& picture) {
  int count = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x + 1 < picture.width; x += 2) {
      count += std::abs(pixel_at(picture, x, y).g - pixel_at(picture, x + 1, y).g) > 120 ? 1 : 0;
    }
  }
  return count;
}

TEST_F(ImGuiImageTest, TextIsCrispAtTwiceTheScale) {
  auto text = [](float scale) {
    return render_imgui_offscreen(240, 40, scale, ThemeName::Dark, [](const Fonts& fonts) {
      SpanBatch batch;
      batch.add(Label{10, 0, 220, kWhite, FontRole::Body, "will time the fitted limit", 40});
      draw_labels(*ImGui::GetForegroundDrawList(), fonts, batch.labels);
    });
  };
  const io::Image once = text(1), twice = text(2);
  ASSERT_EQ(twice.width, 480);
  // The same size on screen: the ink's share of the picture is the same within a few percent.
  auto ink = [](const io::Image& picture) {
    double sum = 0;
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) sum += pixel_at(picture, x, y).g - 17;
    }
    return sum / (picture.width * picture.height);
  };
  EXPECT_NEAR(ink(twice) / ink(once), 1, 0.12);

  io::Image enlarged{480, 80, std::vector<std::uint8_t>(480 * 80 * 4)};
  for (int y = 0; y < 80; ++y) {
    for (int x = 0; x < 480; ++x) {
      for (std::size_t c = 0; c < 4; ++c) {
        enlarged.pixels[(static_cast<std::size_t>(y) * 480 + x) * 4 + c] =
            once.pixels[(static_cast<std::size_t>(y / 2) * 240 + x / 2) * 4 + c];
      }
    }
  }
  EXPECT_EQ(fine_edges(enlarged), 0);
  EXPECT_GT(fine_edges(twice), 200);
}

TEST_F(ImGuiImageTest, LabelsAreAlignedCutAndGrounded) {
  const io::Image picture = render_imgui_offscreen(300, 100, 1, ThemeName::Dark, [](const Fonts& fonts) {
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    SpanBatch batch;
    batch.add(Label{0, 0, 300, kWhite, FontRole::Body, "III", 20, LabelAlign::Left});
    batch.add(Label{0, 20, 300, kWhite, FontRole::Body, "III", 20, LabelAlign::Centre});
    batch.add(Label{0, 40, 300, kWhite, FontRole::Body, "III", 20, LabelAlign::Right});
    batch.add(Label{10, 60, 3, kWhite, FontRole::Body, "too narrow for this", 20});
    batch.add(Label{0, 80, 300, kWhite, FontRole::Body, "III", 20, LabelAlign::Centre, kBlue});
    draw_labels(list, fonts, batch.labels);
  });
  auto has_ink = [&](int x0, int x1, int y0, int y1) {
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        if (pixel_at(picture, x, y).r > 150) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has_ink(0, 20, 0, 20));
  EXPECT_FALSE(has_ink(30, 300, 0, 20));
  EXPECT_TRUE(has_ink(135, 165, 20, 40));
  EXPECT_FALSE(has_ink(0, 130, 20, 40));
  EXPECT_TRUE(has_ink(280, 300, 40, 60));
  EXPECT_FALSE(has_ink(0, 270, 40, 60));
  EXPECT_FALSE(has_ink(0, 300, 60, 80));
  EXPECT_TRUE(has_ink(135, 165, 80, 100));
  bool grounded = false;
  for (int x = 130; x < 170; ++x) grounded |= pixel_at(picture, x, 90) == kBluePixel;
  EXPECT_TRUE(grounded);
}

/// A window's ImGui context in the middle of its frame, with spans not rendered yet.
TEST_F(ImGuiImageTest, WorksInTheMiddleOfAnotherFrame) {
  SpanRenderer renderer;
  Framebuffer window(64, 64);
  window.bind();
  ImGuiContext* outer = ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = ImVec2(64, 64);
  ASSERT_TRUE(ImGui_ImplOpenGL3_Init("#version 330 core"));
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  SpanBatch batch;
  batch.solid(0, 0, 64, 64, kRed);
  add_to_draw_list(*ImGui::GetBackgroundDrawList(), renderer, batch);

  for (int i = 0; i < 3; ++i) {
    const io::Image inner = render_imgui_offscreen(40, 40, 1, ThemeName::Dark, [&](const Fonts&) {
      EXPECT_NE(ImGui::GetCurrentContext(), outer);
      SpanBatch other;
      other.solid(0, 0, 40, 40, kBlue);
      add_to_draw_list(*ImGui::GetBackgroundDrawList(), renderer, other);
    });
    EXPECT_EQ(pixel_at(inner, 20, 20), kBluePixel);
    EXPECT_EQ(ImGui::GetCurrentContext(), outer);
  }
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  EXPECT_NE(bound, 0);

  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  EXPECT_EQ(pixel_at(window.read(), 32, 32), kRedPixel);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(outer);
}

TEST_F(ImGuiImageTest, AnExceptionLeavesEverythingAsItWas) {
  ImGuiContext* outer = ImGui::CreateContext();
  EXPECT_THROW(render_imgui_offscreen(40, 40, 1, ThemeName::Dark,
                                      [](const Fonts&) -> void { throw std::runtime_error("in the middle"); }),
               std::runtime_error);
  EXPECT_EQ(ImGui::GetCurrentContext(), outer);
  GLint bound = -1;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  EXPECT_EQ(bound, 0);
  ImGui::DestroyContext(outer);
}

}  // namespace
}  // namespace lanescope::ui
