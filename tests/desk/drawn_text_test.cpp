// What is drawn is read as it was written.
#include "desk/drawn_text.h"

#include <gmock/gmock.h>

#include "desk/desk.h"
#include "model/lesson/lesson_letters.h"
#include "render/labels.h"

namespace lanescope::ui_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

class DrawnTextTest : public testing::Test {
 protected:
  DrawnTextTest() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    io.DisplaySize = {800, 600};
    io.DeltaTime = 1.0f / 60;
    fonts_ = ui::load_fonts(*io.Fonts, 1, 1, ui::window_letters(base::Language::Chinese, ""));
    letters_have_changed();
  }
  ~DrawnTextTest() override {
    ImGui::DestroyContext();
    letters_have_changed();
  }
  std::vector<DrawnText> drawn(const std::function<void(ImDrawList&)>& draw) {
    ImGui::NewFrame();
    draw(*ImGui::GetForegroundDrawList());
    ImGui::Render();
    return texts_of(*ImGui::GetDrawData());
  }
  void write(ImDrawList& list, ui::FontRole role, ImVec2 at, const char* text, float wrap = 0) {
    list.AddText(fonts_[role], fonts_.size(role), at, IM_COL32_WHITE, text, nullptr, wrap);
  }

  ui::Fonts fonts_;
};

TEST_F(DrawnTextTest, InEveryFont) {
  constexpr const char* kText = "if x[0] == \"a-b\": 12.5 µs → 3 (é)";
  for (std::size_t role = 0; role < ui::kFontRoleCount; ++role) {
    if (static_cast<ui::FontRole>(role) == ui::FontRole::Factor) continue;  // has figures only
    const auto lines = drawn([&](ImDrawList& list) { write(list, static_cast<ui::FontRole>(role), {10, 20}, kText); });
    ASSERT_EQ(lines.size(), 1u) << role;
    EXPECT_EQ(lines[0].text, kText) << role;
    EXPECT_NEAR(lines[0].x, 10, 3);
    EXPECT_NEAR(lines[0].width, fonts_.width(static_cast<ui::FontRole>(role), kText), 4);
  }
}

TEST_F(DrawnTextTest, UprightTextIsOneText) {
  const auto lines = drawn([&](ImDrawList& list) {
    ui::Label label{100, 50, 20, IM_COL32_WHITE, ui::FontRole::Small, "mse_forward", 200};
    label.fit = ui::LabelFit::Stand;
    ui::draw_labels(list, fonts_, std::span(&label, 1));
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].text, "mse_forward");
  EXPECT_TRUE(lines[0].upright);
  EXPECT_NEAR(lines[0].height, fonts_.width(ui::FontRole::Small, "mse_forward"), 4);
  EXPECT_GE(lines[0].x, 100);
  EXPECT_LE(lines[0].x + lines[0].width, 120);
  EXPECT_GE(lines[0].y, 50);
  EXPECT_LE(lines[0].y + lines[0].height, 250);
}

TEST_F(DrawnTextTest, NeighboursAreTwoAndAColourIsNoNeighbour) {
  const auto lines = drawn([&](ImDrawList& list) {
    write(list, ui::FontRole::Body, {10, 20}, "one");
    write(list, ui::FontRole::Body, {60, 20}, "two");
    write(list, ui::FontRole::Body, {10, 60}, "ab");
    const float x = 10 + fonts_.width(ui::FontRole::Body, "ab");
    list.AddText(fonts_.body, fonts_.size(ui::FontRole::Body), {x, 60}, IM_COL32(255, 0, 0, 255), "cd");
  });
  std::vector<std::string> texts;
  for (const DrawnText& line : lines) texts.push_back(line.text);
  EXPECT_THAT(texts, ElementsAre("one", "two", "ab", "cd"));
}

TEST_F(DrawnTextTest, AWrappedTextIsOneOfSeveralLines) {
  const auto lines = drawn([&](ImDrawList& list) {
    write(list, ui::FontRole::Body, {10, 20}, "first second third", 60);
  });
  const auto line = [](const char* text, bool goes_on) {
    return AllOf(Field(&DrawnText::text, text), Field(&DrawnText::goes_on, goes_on));
  };
  EXPECT_THAT(lines, ElementsAre(line("first", false), line("second", true), line("third", true)));
}

TEST_F(DrawnTextTest, WhatIsOutsideOfItsPlaceIsNotSeenAndTheRestOfALineIs) {
  EXPECT_THAT(drawn([&](ImDrawList& list) {
                list.PushClipRect({0, 0}, {100, 100});
                write(list, ui::FontRole::Body, {10, 200}, "below");
                list.PopClipRect();
              }),
              IsEmpty());
  const auto lines = drawn([&](ImDrawList& list) {
    list.PushClipRect({0, 0}, {30, 100});
    write(list, ui::FontRole::Body, {10, 20}, "a long text");
    list.PopClipRect();
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(std::string("a long text").starts_with(lines[0].text)) << lines[0].text;
  EXPECT_LT(lines[0].text.size(), 8u);
}

TEST_F(DrawnTextTest, OfImGuisOwnControlsAndATooltip) {
  DrawnTexts all;
  for (int frame = 0; frame < 3; ++frame) {  // a new window is hidden in its first frame
    drawn([&](ImDrawList&) {
      ImGui::SetNextWindowSize({300, 200});
      ImGui::Begin("window's title");
      ImGui::Button("press me");
      bool on = true;
      ImGui::Checkbox("check me", &on);
      ImGui::SetTooltip("a tip\nof two lines");
      ImGui::End();
    });
    DrawnTexts::collect(*ImGui::GetDrawData());
  }
  EXPECT_THAT(all.texts(), testing::IsSupersetOf({"window's title", "press me", "check me", "a tip\nof two lines"}));
}

}  // namespace
}  // namespace lanescope::ui_test
