#include "timeline/theme.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "render/imgui_style.h"

namespace lanescope::ui {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// "A Physiologically-based Model for Simulation of Color Vision Deficiency", Machado, Oliveira and Fernandes, IEEE TVCG
// 15(6), 2009: the matrices of severity 1, for linear RGB.
constexpr Matrix kNormal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia{
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

Vector linear_rgb(std::uint32_t colour) {
  Vector result{};
  for (unsigned i = 0; i < 3; ++i) {
    const double v = static_cast<double>(colour >> (8 * i) & 0xff) / 255;
    result[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return result;
}

Vector times(const Matrix& m, const Vector& v) {
  Vector result{};
  for (unsigned i = 0; i < 3; ++i) result[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return result;
}

/// CIE L*a*b* of a linear RGB colour (sRGB primaries, D65).
Vector lab(Vector rgb) {
  for (double& v : rgb) v = std::clamp(v, 0.0, 1.0);
  constexpr Matrix kToXyz{
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  const Vector xyz = times(kToXyz, rgb);
  auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(std::uint32_t a, std::uint32_t b, const Matrix& eye) {
  const Vector x = lab(times(eye, linear_rgb(a))), y = lab(times(eye, linear_rgb(b)));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

constexpr std::array<Colour, 4> kGrounds{Colour::Ground, Colour::Row, Colour::Panel, Colour::PanelRaised};
constexpr std::array<Colour, 14> kFills{Colour::Range,        Colour::RangeAlt, Colour::Phase,   Colour::Call,
                                        Colour::Launch,       Colour::Kernel,   Colour::CopyH2D, Colour::CopyD2H,
                                        Colour::CopyOther,    Colour::Accent,   Colour::Wait,    Colour::WaitGround,
                                        Colour::BubbleGround, Colour::Simulated};

class ThemeTest : public testing::TestWithParam<ThemeName> {
 protected:
  const Theme& theme_ = theme(GetParam());
};

// White on black has the maximum contrast; a colour has none with itself.
TEST(Contrast, IsThatOfWcag) {
  EXPECT_NEAR(contrast(0xffffffff, 0xff000000), 21, 1e-9);
  EXPECT_DOUBLE_EQ(contrast(0xff123456, 0xff123456), 1);
  // #767676 on white is the well-known lightest grey that passes: 4.54.
  EXPECT_NEAR(contrast(0xff767676, 0xffffffff), 4.54, 0.01);
}

TEST_P(ThemeTest, TextCanBeReadOnEveryGround) {
  for (Colour ground : kGrounds) {
    EXPECT_GE(contrast(theme_[Colour::Text], theme_[ground]), 7) << "on " << static_cast<int>(ground);
    EXPECT_GE(contrast(theme_[Colour::Muted], theme_[ground]), 4.5) << "on " << static_cast<int>(ground);
    EXPECT_GE(contrast(theme_[Colour::Soft], theme_[ground]), contrast(theme_[Colour::Muted], theme_[ground]));
  }
  for (Colour ground : {Colour::Ground, Colour::Row, Colour::Panel}) {
    EXPECT_GE(contrast(theme_[Colour::Dim], theme_[ground]), 4.5) << "on " << static_cast<int>(ground);
  }
  EXPECT_GE(contrast(theme_[Colour::Text], theme_[Colour::PanelHovered]), 4.5);
  EXPECT_GE(contrast(theme_[Colour::SimulatedInk], theme_[Colour::Simulated]), 4.5);
  EXPECT_GE(contrast(theme_[Colour::AccentInk], theme_[Colour::Accent]), 4.5);
  EXPECT_GE(contrast(theme_[Colour::WaitInk], theme_[Colour::WaitGround]), 4.5);
}

TEST_P(ThemeTest, EveryColourHasATextVariantOfItsHue) {
  for (std::size_t i = 0; i < kColourCount; ++i) {
    for (Colour ground : kGrounds) {
      EXPECT_GE(contrast(theme_.as_text(static_cast<Colour>(i)), theme_[ground]), 4.5) << "colour " << i;
    }
  }
  // Colours that are already readable do not change.
  EXPECT_EQ(theme_.as_text(Colour::Text), theme_[Colour::Text]);
}

TEST_P(ThemeTest, InkCanBeReadOnEverySpan) {
  for (Colour fill : kFills) {
    EXPECT_GE(contrast(theme_.ink_on(fill), theme_[fill]), 4.5) << "on " << static_cast<int>(fill);
  }
}

// The pill lies over a wait's stripes: even where most of a stripe shows through, its label stays readable.
TEST_P(ThemeTest, LabelsOnHatchingCanBeRead) {
  const float opaque = static_cast<float>(theme_[Colour::Pill] >> 24) / 255;
  const std::uint32_t under = mix(theme_[Colour::Wait], theme_[Colour::Pill], opaque);
  EXPECT_GE(contrast(theme_[Colour::WaitInk], under), 4.5);
}

// Colours with different meanings on one lane. 2.3 is the smallest difference of CIE L*a*b* visible between two
// adjacent areas (Mahy, Van Eycken and Oosterlinck 1994); 20 is distinguishable from memory and in narrow bars.
TEST_P(ThemeTest, WhatSharesALaneDiffersForEveryEye) {
  constexpr double kApart = 20, kFromTheRow = 30;
  using enum Colour;
  const std::vector<std::vector<Colour>> lanes{
      {Call, Launch, Wait, LoaderWait},       // a thread's calls
      {Kernel, CopyH2D, CopyD2H, CopyOther},  // the GPU's work
      {Kernel, Bubble},
      {Kernel, Wait},                    // the strip of the whole run has the latter
      {Call, Launch, Wait, NotArrived},  // a read of what had not arrived
      {CopyD2H, Wait},                   // amber is for bytes that move, and not for harm
      {Wait, Bubble},
      {CopyD2H, LoaderWait},
  };
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (const std::vector<Colour>& lane : lanes) {
      for (std::size_t a = 0; a < lane.size(); ++a) {
        for (std::size_t b = a + 1; b < lane.size(); ++b) {
          EXPECT_GE(distance(theme_[lane[a]], theme_[lane[b]], eye), kApart)
              << static_cast<int>(lane[a]) << " and " << static_cast<int>(lane[b]);
        }
        EXPECT_GE(distance(theme_[lane[a]], theme_[Row], eye), kFromTheRow) << static_cast<int>(lane[a]);
      }
    }
  }
}

// Hue of a colour in degrees: 0 is red, 120 green, 240 blue.
double hue(std::uint32_t colour) {
  const double r = colour & 255, g = colour >> 8 & 255, b = colour >> 16 & 255;
  const double high = std::max({r, g, b}), span = high - std::min({r, g, b});
  if (span <= 0) return 120;  // grey
  const double sector = high == r ? (g - b) / span : high == g ? 2 + (b - r) / span : 4 + (r - g) / span;
  return sector < 0 ? 60 * sector + 360 : 60 * sector;
}

// Names, streams and threads: any two may be neighbours. None is orange, red or pink, which say that time is lost.
TEST_P(ThemeTest, CategoriesDifferForEveryEye) {
  constexpr double kApart = 20, kFromTheRow = 30;
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (std::size_t a = 0; a < kCategories; ++a) {
      for (std::size_t b = a + 1; b < kCategories; ++b) {
        EXPECT_GE(distance(theme_.categories[a], theme_.categories[b], eye), kApart) << a << " and " << b;
      }
      EXPECT_GE(distance(theme_.categories[a], theme_[Colour::Row], eye), kFromTheRow) << a;
    }
  }
  for (std::size_t a = 0; a < kCategories; ++a) {
    EXPECT_GE(contrast(theme_.category_inks[a], theme_.categories[a]), theme_.readable) << a;
    EXPECT_GE(hue(theme_.categories[a]), 60) << a;
    EXPECT_LE(hue(theme_.categories[a]), 290) << a;
  }
}

// What costs time stands out from the lane as what costs nothing does not: the latter is grey.
TEST_P(ThemeTest, AHarmlessWaitIsFaint) {
  const Hatching harm = wait_hatching(theme_, true), none = wait_hatching(theme_, false);
  const auto seen = [&](std::uint32_t colour) {
    return mix(theme_[Colour::Row], with_alpha(colour, 1), static_cast<float>(colour >> 24) / 255);
  };
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    EXPECT_GE(distance(seen(harm.ground), theme_[Colour::Row], eye), 30);
    EXPECT_GE(distance(seen(harm.ground), seen(none.ink), eye), 20);
    EXPECT_GE(distance(seen(none.ink), theme_[Colour::Row], eye), 8) << "it is seen";
    EXPECT_LE(distance(seen(none.ink), theme_[Colour::Row], eye), 40) << "it is faint";
  }
}

// A ramp is read by its lightness, which every eye sees; a step is wider than the least visible difference (2.3).
TEST_P(ThemeTest, TheRampOfDurationsRisesEvenlyForEveryEye) {
  constexpr double kStep = 8, kFromTheRow = 25;
  const double direction = GetParam() == ThemeName::Light ? -1 : 1;  // long events stand out from the ground
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (std::size_t i = 0; i < kRampSteps; ++i) {
      EXPECT_GE(distance(theme_.ramp[i], theme_[Colour::Row], eye), kFromTheRow) << i;
      if (i == 0) continue;
      const double before = lab(times(eye, linear_rgb(theme_.ramp[i - 1])))[0];
      const double now = lab(times(eye, linear_rgb(theme_.ramp[i])))[0];
      EXPECT_GE((now - before) * direction, kStep) << i;
    }
  }
  for (std::size_t i = 0; i < kRampSteps; ++i) {
    EXPECT_GE(contrast(theme_.ramp_inks[i], theme_.ramp[i]), theme_.readable) << i;
  }
}

TEST_P(ThemeTest, FillsImGui) {
  ImGuiContext* context = ImGui::CreateContext();
  apply_to_imgui(theme_, 2);
  const ImGuiStyle& style = ImGui::GetStyle();
  EXPECT_EQ(ImGui::ColorConvertFloat4ToU32(style.Colors[ImGuiCol_Text]), theme_[Colour::Text]);
  EXPECT_EQ(ImGui::ColorConvertFloat4ToU32(style.Colors[ImGuiCol_WindowBg]), theme_[Colour::Panel]);
  const float rounding = style.FrameRounding;
  apply_to_imgui(theme_, 1);
  EXPECT_FLOAT_EQ(style.FrameRounding * 2, rounding);
  ImGui::DestroyContext(context);
}

constexpr const char* kNames[] = {"Dark", "Light", "HighContrast"};
static_assert(std::size(kNames) == kThemes.size());
std::string title(const testing::TestParamInfo<ThemeName>& about) {
  constexpr std::array<const char*, kThemes.size()> kTitles{"Dark", "Light", "HighContrast"};
  return kTitles[static_cast<std::size_t>(about.param)];
}
INSTANTIATE_TEST_SUITE_P(Each, ThemeTest, testing::ValuesIn(kThemes), title);

// Level AAA for all text, on black, with outlines around controls.
TEST(Theme, HighContrastIsHigh) {
  const Theme& strong = theme(ThemeName::HighContrast);
  EXPECT_EQ(strong[Colour::Ground], 0xff000000u);
  EXPECT_GT(strong.outline, 1);
  for (const Colour ground : kGrounds) {
    for (const Colour ink : {Colour::Text, Colour::Muted, Colour::Dim})
      EXPECT_GE(contrast(strong[ink], strong[ground]), 7);
    for (std::size_t i = 0; i < kColourCount; ++i) {
      EXPECT_GE(contrast(strong.as_text(static_cast<Colour>(i)), strong[ground]), 7) << i;
    }
  }
  EXPECT_GE(contrast(strong[Colour::Text], strong[Colour::PanelHovered]), 7);
  EXPECT_GE(contrast(strong[Colour::SimulatedInk], strong[Colour::Simulated]), 7);
  EXPECT_GE(contrast(strong[Colour::AccentInk], strong[Colour::Accent]), 7);
  EXPECT_GE(contrast(strong[Colour::WaitInk], strong[Colour::WaitGround]), 7);
  EXPECT_GE(contrast(strong[Colour::Line], strong[Colour::Panel]), 3) << "a line is seen";
}

TEST(Theme, AfterTheLastComesTheFirst) {
  ThemeName name = ThemeName::Dark;
  for (const ThemeName next : {ThemeName::Light, ThemeName::HighContrast, ThemeName::Dark}) {
    EXPECT_EQ(name = next_theme(name), next);
    EXPECT_EQ(parse_theme(theme_key(name)), name);
  }
}

TEST(Theme, NamesAreParsed) {
  EXPECT_EQ(parse_theme("dark"), ThemeName::Dark);
  EXPECT_EQ(parse_theme("light"), ThemeName::Light);
  try {
    parse_theme("pink");
    FAIL() << "pink is no theme";
  } catch (const base::UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "unknown theme 'pink' (allowed: dark, light, high-contrast)");
  }
}

// 0x80 is 50.2 % of 255; half way from 0x00 to 0x10 is 0x08.
TEST(Theme, AlphaAndMixing) {
  EXPECT_EQ(with_alpha(0xff112233, 128.0f / 255), 0x80112233u);
  EXPECT_EQ(with_alpha(0x00112233, 2), 0xff112233u);
  EXPECT_EQ(mix(0xff000000, 0xff101010, 0.5f), 0xff080808u);
  EXPECT_EQ(mix(0x00000000, 0xff101010, 1), 0xff101010u);
}

}  // namespace
}  // namespace lanescope::ui
