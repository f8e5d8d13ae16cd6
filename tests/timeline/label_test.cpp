#include <gmock/gmock.h>

#include "timeline/span_batch.h"

namespace lanescope::ui {
namespace {

// Every letter is 7 wide, a line is 14 high.
class EvenFont : public TextMeasure {
 public:
  float size(FontRole) const override { return 14; }
  float ascent(FontRole) const override { return 11; }
  float width(FontRole, std::string_view text) const override { return 7 * static_cast<float>(letters(text)); }
  std::string_view within(FontRole, std::string_view text, float max_width) const override {
    std::size_t end = text.size();
    while (end > 0 && 7 * static_cast<float>(letters(text.substr(0, end))) > max_width) --end;
    return text.substr(0, end);
  }
};

struct Shown {
  std::string text;
  bool upright = false;
  bool operator==(const Shown&) const = default;
};
Shown shown(LabelFit fit, float width, float height, std::string text = "linear_weight_grad") {
  const Label label{10, 20, width, 0, FontRole::Small, text, height, LabelAlign::Centre, 0, fit};
  const auto placed = place_label(EvenFont(), label);
  if (!placed) return {};
  return {std::string(placed->shown) + (placed->cut ? "…" : ""), placed->upright};
}

// 18 letters are 126 wide. "…" takes the place of a letter: 70 hold nine others, 63 eight, 56 seven.
TEST(PlaceLabel, WhatIsTooLongIsCutOrLeftOut) {
  EXPECT_EQ(shown(LabelFit::Cut, 126, 34).text, "linear_weight_grad");
  EXPECT_EQ(shown(LabelFit::Cut, 70, 34).text, "linear_we…");
  EXPECT_EQ(shown(LabelFit::Cut, 35, 34).text, "line…");
  EXPECT_EQ(shown(LabelFit::Cut, 34, 34).text, "");
  EXPECT_EQ(shown(LabelFit::Name, 63, 34, "ampere_fp16_gemm_fp16_128x64").text, "ampere_f…");
  EXPECT_EQ(shown(LabelFit::Name, 62, 34, "ampere_fp16_gemm_fp16_128x64").text, "");
  EXPECT_EQ(shown(LabelFit::Name, 125, 34).text, "") << "a short name is whole or not there";
  EXPECT_EQ(shown(LabelFit::Whole, 125, 34).text, "");
  EXPECT_EQ(shown(LabelFit::Whole, 126, 34).text, "linear_weight_grad");
}

// With a margin of half a line, which is 7: 126 need 133.
TEST(PlaceLabel, AKernelsNameStandsWhereItDoesNotLie) {
  EXPECT_EQ(shown(LabelFit::Stand, 133, 146), (Shown{"linear_weight_grad", false}));
  EXPECT_EQ(shown(LabelFit::Stand, 132, 146), (Shown{"linear_weight_grad", true}));
  EXPECT_EQ(shown(LabelFit::Stand, 17, 133), (Shown{"linear_weight_grad", true}));
  EXPECT_EQ(shown(LabelFit::Stand, 17, 132), (Shown{})) << "whole or not at all";
  EXPECT_EQ(shown(LabelFit::Stand, 90, 80), (Shown{}));
  EXPECT_EQ(shown(LabelFit::Stand, 17, 34), (Shown{}));
}

// Lying in the middle of (10, 20) to (210, 60): 42 wide, 14 high. Standing in 17 by 100: 14 wide, 42 high.
TEST(PlaceLabel, IsInTheMiddleOfItsBox) {
  const auto lying = place_label(EvenFont(), {10, 20, 200, 0, FontRole::Small, "kernel", 40, LabelAlign::Centre});
  ASSERT_TRUE(lying);
  EXPECT_FLOAT_EQ(lying->x, 10 + (200 - 42) / 2);
  EXPECT_FLOAT_EQ(lying->y, 20 + (40 - 14) / 2);
  EXPECT_FLOAT_EQ(lying->length, 42);
  const auto standing =
      place_label(EvenFont(), {10, 20, 17, 0, FontRole::Small, "kernel", 100, LabelAlign::Centre, 0, LabelFit::Stand});
  ASSERT_TRUE(standing && standing->upright);
  EXPECT_FLOAT_EQ(standing->x, 10 + (17 - 14) / 2.0f);
  EXPECT_FLOAT_EQ(standing->y, 20 + (100 - 42) / 2);
}

}  // namespace
}  // namespace lanescope::ui
