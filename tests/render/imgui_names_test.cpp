#include "render/labels.h"

#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

class ImGuiNames : public testing::Test {
 protected:
  ImGuiNames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {100, 100};
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    ImGui::NewFrame();
    ImGui::Begin("window");
  }
  ~ImGuiNames() override {
    ImGui::End();
    ImGui::EndFrame();
    ImGui::DestroyContext();
  }
};

// With ImGui's own ids, a click on the one kernel would be one on the other.
TEST_F(ImGuiNames, EveryNameHasItsOwnId) {
  EXPECT_EQ(ImGui::GetID("gemm###0"), ImGui::GetID("relu###0"));
  EXPECT_NE(imgui_id("gemm###0"), imgui_id("relu###0"));
  EXPECT_EQ(imgui_id("gemm"), ImGui::GetID("gemm"));
  EXPECT_EQ(imgui_id("##a.b"), ImGui::GetID("##a.b"));
}

TEST(ImGuiLabels, HideNothing) {
  EXPECT_EQ(imgui_label("run##1.py"), "run# #1.py");
  EXPECT_EQ(imgui_label("a###b"), "a# # #b");
  EXPECT_EQ(imgui_label("C# 100 %s"), "C# 100 %s");
}

}  // namespace
}  // namespace lanescope::ui
