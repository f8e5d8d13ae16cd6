// What looks different than in the last frame, of draw data without an OpenGL context. Tiles are 64x16 pixels.
#include "render/damage.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <functional>

namespace lanescope::ui {
namespace {

constexpr int kWidth = 1280, kHeight = 720;

class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    ImGui::GetIO().Fonts->Build();
    grounds_ = {{0, 0, kWidth, kHeight, 0xFF000000}};
  }
  ~DamageTest() override { ImGui::DestroyContext(); }

  /// Draws a frame, and says what has changed.
  std::vector<PixelArea> frame(const std::function<void(ImDrawList&)>& draw, std::span<const PixelArea> only = {}) {
    ImGui::NewFrame();
    draw(*ImGui::GetBackgroundDrawList());
    ImGui::Render();
    return damage_.since_last_frame(*ImGui::GetDrawData(), grounds_, kWidth, kHeight, only);
  }
  static void box(ImDrawList& list, float x, float y, ImU32 colour = 0xFFFFFFFF) {
    list.AddRectFilled({x, y}, {x + 20, y + 10}, colour);
  }
  static bool covers(const std::vector<PixelArea>& areas, int x, int y) {
    return std::ranges::any_of(
        areas, [&](const PixelArea& a) { return x >= a.left && x < a.right && y >= a.top && y < a.bottom; });
  }

  Damage damage_;
  std::vector<PixelGround> grounds_;
};

const std::vector<PixelArea> kAll{{0, 0, kWidth, kHeight}};

TEST_F(DamageTest, TheFirstFrameIsAllNewAndTheSameAgainIsNothing) {
  const auto draw = [](ImDrawList& list) { box(list, 100, 100); };
  EXPECT_EQ(frame(draw), kAll);
  EXPECT_TRUE(frame(draw).empty());
  damage_.forget();
  EXPECT_EQ(frame(draw), kAll);
}

// From tile (1, 6) to tile (15, 43).
TEST_F(DamageTest, WhatMovesChangesWhereItWasAndWhereItIs) {
  frame([](ImDrawList& list) { box(list, 100, 100); });
  const auto areas = frame([](ImDrawList& list) { box(list, 1000, 700); });
  EXPECT_EQ(areas, (std::vector<PixelArea>{{64, 96, 128, 112}, {960, 688, 1024, 720}}));
}

TEST_F(DamageTest, AColourOrAGroundIsAChange) {
  frame([](ImDrawList& list) { box(list, 100, 100); });
  EXPECT_EQ(frame([](ImDrawList& list) { box(list, 100, 100, 0xFF0000FF); }),
            (std::vector<PixelArea>{{64, 96, 128, 112}}));
  grounds_.push_back({0, 700, kWidth, kHeight, 0xFF202020});
  const auto areas = frame([](ImDrawList& list) { box(list, 100, 100, 0xFF0000FF); });
  EXPECT_TRUE(covers(areas, 0, 719) && covers(areas, kWidth - 1, 700));
  EXPECT_FALSE(covers(areas, 100, 100));
}

// A clip that cuts off more of it changes what is seen, though it is drawn at the same place.
TEST_F(DamageTest, AnotherClipIsAChange) {
  const auto clipped = [](float right) {
    return [right](ImDrawList& list) {
      list.PushClipRect({0, 0}, {right, 720});
      box(list, 100, 100);
      list.PopClipRect();
    };
  };
  frame(clipped(400));
  EXPECT_TRUE(covers(frame(clipped(110)), 115, 105));
}

// Each area gets its part of every command that reaches into it, and nothing is drawn outside.
TEST_F(DamageTest, DrawDataIsRestrictedToTheAreas) {
  frame([](ImDrawList& list) { list.AddRectFilled({0, 0}, {kWidth, kHeight}, 0xFFFFFFFF); });
  const std::vector<PixelArea> areas{{0, 0, 64, 16}, {128, 32, 256, 48}};
  ImDrawData& data = *ImGui::GetDrawData();
  restrict_to(data, areas);
  std::vector<PixelArea> drawn;
  for (int n = 0; n < data.CmdListsCount; ++n) {
    for (const ImDrawCmd& command : data.CmdLists[n]->CmdBuffer) {
      const ImVec4& c = command.ClipRect;
      drawn.push_back({static_cast<int>(c.x), static_cast<int>(c.y), static_cast<int>(c.z), static_cast<int>(c.w)});
    }
  }
  EXPECT_EQ(drawn, areas);
  restrict_to(data, {});
  for (int n = 0; n < data.CmdListsCount; ++n) EXPECT_TRUE(data.CmdLists[n]->CmdBuffer.empty());
}

TEST_F(DamageTest, WhatIsLeftOutIsDrawnLater) {
  const auto at = [](float inside, float outside) {
    return [=](ImDrawList& list) {
      box(list, inside, 100);
      box(list, outside, 600);
    };
  };
  const std::vector<PixelArea> upper{{0, 0, kWidth, 300}};
  frame(at(100, 100));
  EXPECT_EQ(frame(at(200, 200), upper), (std::vector<PixelArea>{{64, 96, 256, 112}}));
  EXPECT_EQ(frame(at(200, 200)), (std::vector<PixelArea>{{64, 592, 256, 624}}));
}

// Tiles in rows 0 and 2 are drawn as one area with the one in row 1, whose turn it is not; then all is as it was.
TEST_F(DamageTest, WhatIsDrawnOutOfTurnIsNotTakenForWhatItWas) {
  const auto boxes = [](ImU32 colour) {
    return [colour](ImDrawList& list) {
      for (const float y : {2.0f, 18.0f, 34.0f}) box(list, 2, y, colour);
    };
  };
  const std::vector<PixelArea> turn{{0, 0, 64, 16}, {0, 32, 64, 48}};
  frame(boxes(0xFFFFFFFF));
  ASSERT_EQ(frame(boxes(0xFF0000FF), turn), (std::vector<PixelArea>{{0, 0, 64, 48}}));
  EXPECT_EQ(frame(boxes(0xFFFFFFFF)), (std::vector<PixelArea>{{0, 0, 64, 48}}));
}

}  // namespace
}  // namespace lanescope::ui
