#include "timeline/theme.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

constexpr double kReadable = 4.5;    // WCAG 2, level AA, for text of normal size
constexpr double kWellReadable = 7;  // level AAA

struct Rgb {
  double r, g, b;
};

constexpr Rgb split(std::uint32_t colour) {
  return {static_cast<double>(colour & 0xff), static_cast<double>((colour >> 8) & 0xff),
          static_cast<double>((colour >> 16) & 0xff)};
}

std::uint32_t join(const Rgb& colour, double alpha = 255) {
  auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(std::clamp(v, 0.0, 255.0))); };
  return byte(colour.r) | byte(colour.g) << 8 | byte(colour.b) << 16 | byte(alpha) << 24;
}

/// Converts 0xRRGGBB.
constexpr std::uint32_t hex(std::uint32_t rgb, std::uint32_t alpha = 255) {
  return (rgb >> 16 & 0xff) | (rgb & 0xff00) | (rgb & 0xff) << 16 | alpha << 24;
}

double luminance(std::uint32_t colour) {
  auto linear = [](double v) {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const Rgb c = split(colour);
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

/// Darker (factor < 1) with the same hue.
std::uint32_t scaled(std::uint32_t colour, double factor) {
  const Rgb c = split(colour);
  return join({c.r * factor, c.g * factor, c.b * factor});
}

std::uint32_t text_variant(const Theme& t, std::uint32_t colour) {
  auto readable = [&t](std::uint32_t candidate) {
    for (Colour ground : {Colour::Ground, Colour::Row, Colour::Panel, Colour::PanelRaised}) {
      if (contrast(candidate, t[ground]) < t.readable) return false;
    }
    return true;
  };
  const std::uint32_t opaque = with_alpha(colour, 1);
  for (int step = 0; step < 50; ++step) {
    const float amount = static_cast<float>(step) / 50;
    const std::uint32_t candidate =
        t.name == ThemeName::Light ? scaled(opaque, 1.0 - amount) : mix(opaque, hex(0xffffff), amount);
    if (readable(candidate)) return candidate;
  }
  return t[Colour::Text];
}

/// A very dark or a very light tint of the fill, whichever is more readable on it.
std::uint32_t ink_variant(std::uint32_t fill, double readable) {
  const std::uint32_t opaque = with_alpha(fill, 1);
  const bool dark = contrast(opaque, hex(0x000000)) > contrast(opaque, hex(0xffffff));
  const std::uint32_t tint = dark ? scaled(opaque, 0.16) : mix(hex(0xffffff), opaque, 0.08f);
  if (contrast(tint, opaque) >= readable) return tint;
  return dark ? hex(0x000000) : hex(0xffffff);
}

using Entry = std::pair<Colour, std::uint32_t>;

// Found by a search for the largest least distance under normal sight and the three kinds of colour blindness, without
// orange, red and pink, which say that time is lost.
constexpr std::array<std::uint32_t, kCategories> kDarkCategories{0x50a987, 0x836cf2, 0x8db050, 0xade1dc, 0x9555b3,
                                                                 0x6f733a, 0xdaa0f1, 0x3c6476, 0xe6f16c, 0x6ef2a5};
constexpr std::array<std::uint32_t, kCategories> kLightCategories{0x2c6138, 0x5d50da, 0x808838, 0x6c968c, 0xc194db,
                                                                  0x3d2d84, 0x89d74e, 0x764c85, 0x4eda84, 0x3a1b4e};
constexpr std::array<std::uint32_t, kCategories> kStrongCategories{0x4caca2, 0xd463ff, 0x919b52, 0xadfffa, 0x4c1be9,
                                                                   0xeffe3a, 0xe6b3ff, 0x34ff6c, 0x581970, 0xabd2a3};
// From blue to yellow through grey, with evenly rising lightness: after cividis, "Optimizing colormaps with
// consideration for color vision deficiency", Nunez, Anderton and Renslow, PLOS ONE 13(7), 2018. High contrast leaves
// out the middle, on which neither black nor white text would stand out enough.
constexpr std::array<std::uint32_t, kRampSteps> kDarkRamp{0x114688, 0x576384, 0x818185, 0xb09f7d, 0xdbbe6e, 0xffe179};
constexpr std::array<std::uint32_t, kRampSteps> kLightRamp{0xf0d044, 0xcaae5f, 0x9f8f6e, 0x727175, 0x485475, 0x04346b};
constexpr std::array<std::uint32_t, kRampSteps> kStrongRamp{0x033060, 0x434f70, 0x969599, 0xc2b08c, 0xe7ca6c, 0xfff04a};

Theme make_theme(ThemeName name, std::initializer_list<Entry> entries) {
  Theme t;
  t.name = name;
  const bool strong = name == ThemeName::HighContrast;
  t.readable = strong ? kWellReadable : kReadable;
  t.outline = strong ? 1.5f : 0;
  for (const auto& [colour, value] : entries) t.colours[static_cast<std::size_t>(colour)] = value;
  for (std::size_t i = 0; i < kColourCount; ++i) {
    t.text_colours[i] = text_variant(t, t.colours[i]);
    t.ink_colours[i] = ink_variant(t.colours[i], t.readable);
  }
  auto set_ink = [&t](Colour fill, Colour ink) { t.ink_colours[static_cast<std::size_t>(fill)] = t[ink]; };
  for (Colour ground : {Colour::Ground, Colour::Row, Colour::Panel, Colour::PanelRaised, Colour::PanelHovered}) {
    set_ink(ground, Colour::Text);
  }
  set_ink(Colour::Accent, Colour::AccentInk);
  set_ink(Colour::WaitGround, Colour::WaitInk);
  set_ink(Colour::Simulated, Colour::SimulatedInk);
  set_ink(Colour::Phase, Colour::Soft);
  t.ink_colours[static_cast<std::size_t>(Colour::LoaderWaitGround)] = t[Colour::Text];
  const bool light = name == ThemeName::Light;
  const auto& categories = strong ? kStrongCategories : light ? kLightCategories : kDarkCategories;
  const auto& ramp = strong ? kStrongRamp : light ? kLightRamp : kDarkRamp;
  for (std::size_t i = 0; i < kCategories; ++i) {
    t.categories[i] = hex(categories[i]);
    t.category_inks[i] = ink_variant(t.categories[i], t.readable);
  }
  for (std::size_t i = 0; i < kRampSteps; ++i) {
    t.ramp[i] = hex(ramp[i]);
    t.ramp_inks[i] = ink_variant(t.ramp[i], t.readable);
  }
  t.ink_colours[static_cast<std::size_t>(Colour::BubbleGround)] = t.as_text(Colour::Bubble);
  return t;
}

Theme make_dark() {
  return make_theme(ThemeName::Dark, {{Colour::Ground, hex(0x0e1116)},
                                      {Colour::Row, hex(0x11161d)},
                                      {Colour::Panel, hex(0x151a21)},
                                      {Colour::PanelRaised, hex(0x1b222c)},
                                      {Colour::PanelHovered, hex(0x283143)},
                                      {Colour::Line, hex(0x262d37)},
                                      {Colour::Grid, hex(0x1b212a)},
                                      {Colour::Text, hex(0xe8edf2)},
                                      {Colour::Soft, hex(0xb6c0cc)},
                                      {Colour::Muted, hex(0x8a95a3)},
                                      {Colour::Dim, hex(0x798493)},
                                      {Colour::Faint, hex(0x5b6673)},
                                      {Colour::Accent, hex(0x7aa2f7)},
                                      {Colour::AccentInk, hex(0x0b1120)},
                                      {Colour::Range, hex(0x3a4560)},
                                      {Colour::RangeAlt, hex(0x323c54)},
                                      {Colour::Phase, hex(0x2f3950)},
                                      {Colour::Call, hex(0x5f7390)},
                                      {Colour::Launch, hex(0x8ca8cd)},
                                      {Colour::Kernel, hex(0x1fa67f)},
                                      {Colour::CopyH2D, hex(0x83ceff)},
                                      {Colour::CopyD2H, hex(0xe69f00)},
                                      {Colour::CopyOther, hex(0x8c83cd)},
                                      {Colour::Wait, hex(0xe8603c)},
                                      {Colour::WaitGround, hex(0x4d2a23)},
                                      {Colour::WaitInk, hex(0xffbfa8)},
                                      {Colour::LoaderWait, hex(0xbada69)},
                                      {Colour::LoaderWaitGround, hex(0x2b3620)},
                                      {Colour::NotArrived, hex(0xe80053)},
                                      {Colour::Bubble, hex(0xd684ba)},
                                      {Colour::BubbleGround, hex(0x2a232f)},
                                      {Colour::Simulated, hex(0xe6c229)},
                                      {Colour::SimulatedInk, hex(0x1d1804)},
                                      {Colour::Unknown, hex(0x39424f)},
                                      {Colour::Selection, hex(0xffffff)},
                                      {Colour::SelectionLink, hex(0xffbfa8)},
                                      {Colour::RangeSelection, hex(0x7aa2f7, 52)},
                                      {Colour::Marker, hex(0x7aa2f7)},
                                      {Colour::Good, hex(0x2fbf94)},
                                      {Colour::Shadow, hex(0x000000, 110)},
                                      {Colour::Pill, hex(0x120f12, 190)}});
}

// For projectors: a white background, and spans dark enough for a bright room.
Theme make_light() {
  return make_theme(ThemeName::Light, {{Colour::Ground, hex(0xfbfcfd)},
                                       {Colour::Row, hex(0xf2f5f8)},
                                       {Colour::Panel, hex(0xeef1f5)},
                                       {Colour::PanelRaised, hex(0xffffff)},
                                       {Colour::PanelHovered, hex(0xdfe6f0)},
                                       {Colour::Line, hex(0xd0d7e0)},
                                       {Colour::Grid, hex(0xe3e8ee)},
                                       {Colour::Text, hex(0x171d26)},
                                       {Colour::Soft, hex(0x36404d)},
                                       {Colour::Muted, hex(0x4a5563)},
                                       {Colour::Dim, hex(0x5f6b7a)},
                                       {Colour::Faint, hex(0xa3adba)},
                                       {Colour::Accent, hex(0x2f62d3)},
                                       {Colour::AccentInk, hex(0xffffff)},
                                       {Colour::Range, hex(0xb3c1de)},
                                       {Colour::RangeAlt, hex(0xc5d0e6)},
                                       {Colour::Phase, hex(0xd3dbea)},
                                       {Colour::Call, hex(0x72a2c4)},
                                       {Colour::Launch, hex(0x4d6994)},
                                       {Colour::Kernel, hex(0x299770)},
                                       {Colour::CopyH2D, hex(0x54b4fe)},
                                       {Colour::CopyD2H, hex(0xdf9800)},
                                       {Colour::CopyOther, hex(0x7868bd)},
                                       {Colour::Wait, hex(0xc4410e)},
                                       {Colour::WaitGround, hex(0xf8d3c7)},
                                       {Colour::WaitInk, hex(0x7a1f0a)},
                                       {Colour::LoaderWait, hex(0x779945)},
                                       {Colour::LoaderWaitGround, hex(0xe6efc8)},
                                       {Colour::NotArrived, hex(0xe60649)},
                                       {Colour::Bubble, hex(0xa83c7f)},
                                       {Colour::BubbleGround, hex(0xf8e6f0)},
                                       {Colour::Simulated, hex(0xf2cf3b)},
                                       {Colour::SimulatedInk, hex(0x2b2300)},
                                       {Colour::Unknown, hex(0xc3cbd6)},
                                       {Colour::Selection, hex(0x0b0f14)},
                                       {Colour::SelectionLink, hex(0xa32d10)},
                                       {Colour::RangeSelection, hex(0x2f62d3, 42)},
                                       {Colour::Marker, hex(0x2f62d3)},
                                       {Colour::Good, hex(0x12876f)},
                                       {Colour::Shadow, hex(0x1b2330, 46)},
                                       {Colour::Pill, hex(0xfff4f0, 225)}});
}

// For users who need high contrast, and for poor projectors: a black background, strong colours, and outlines around
// controls.
Theme make_high_contrast() {
  return make_theme(ThemeName::HighContrast, {{Colour::Ground, hex(0x000000)},
                                              {Colour::Row, hex(0x0c0c0c)},
                                              {Colour::Panel, hex(0x000000)},
                                              {Colour::PanelRaised, hex(0x121212)},
                                              {Colour::PanelHovered, hex(0x2b3550)},
                                              {Colour::Line, hex(0x9aa4b2)},
                                              {Colour::Grid, hex(0x383838)},
                                              {Colour::Text, hex(0xffffff)},
                                              {Colour::Soft, hex(0xf1f3f6)},
                                              {Colour::Muted, hex(0xe2e6ec)},
                                              {Colour::Dim, hex(0xc3cad4)},
                                              {Colour::Faint, hex(0x8e97a4)},
                                              {Colour::Accent, hex(0x7cc4ff)},
                                              {Colour::AccentInk, hex(0x000000)},
                                              {Colour::Range, hex(0x45599a)},
                                              {Colour::RangeAlt, hex(0x34457c)},
                                              {Colour::Phase, hex(0x26345f)},
                                              {Colour::Call, hex(0x7d97c4)},
                                              {Colour::Launch, hex(0xb9d2ff)},
                                              {Colour::Kernel, hex(0x00c990)},
                                              {Colour::CopyH2D, hex(0xa2e1ff)},
                                              {Colour::CopyD2H, hex(0xffaa00)},
                                              {Colour::CopyOther, hex(0x9a86ff)},
                                              {Colour::Wait, hex(0xff6935)},
                                              {Colour::WaitGround, hex(0x3d1408)},
                                              {Colour::WaitInk, hex(0xffffff)},
                                              {Colour::LoaderWait, hex(0xdaff61)},
                                              {Colour::LoaderWaitGround, hex(0x263008)},
                                              {Colour::NotArrived, hex(0xf6005e)},
                                              {Colour::Bubble, hex(0xfb84ce)},
                                              {Colour::BubbleGround, hex(0x2a0f22)},
                                              {Colour::Simulated, hex(0xffe100)},
                                              {Colour::SimulatedInk, hex(0x000000)},
                                              {Colour::Unknown, hex(0x6b7480)},
                                              {Colour::Selection, hex(0xffffff)},
                                              {Colour::SelectionLink, hex(0xffe100)},
                                              {Colour::RangeSelection, hex(0x7cc4ff, 84)},
                                              {Colour::Marker, hex(0x7cc4ff)},
                                              {Colour::Good, hex(0x00c990)},
                                              {Colour::Shadow, hex(0x000000, 160)},
                                              {Colour::Pill, hex(0x000000, 225)}});
}

}  // namespace

const Theme& theme(ThemeName name) {
  static const Theme kDark = make_dark();
  static const Theme kLight = make_light();
  static const Theme kHighContrast = make_high_contrast();
  if (name == ThemeName::HighContrast) return kHighContrast;
  return name == ThemeName::Light ? kLight : kDark;
}

Hatching wait_hatching(const Theme& theme, bool harmful) {
  if (harmful) {
    const std::uint32_t wait = theme[Colour::Wait];
    return {wait, mix(wait, theme[Colour::WaitGround], 0.72f), wait};
  }
  const std::uint32_t grey = theme[Colour::Muted];
  return {with_alpha(grey, 0.08f), with_alpha(grey, 0.3f), with_alpha(grey, 0.45f)};
}

std::string_view theme_key(ThemeName name) {
  constexpr std::array<std::string_view, kThemes.size()> kKeys{"dark", "light", "high-contrast"};
  return kKeys[static_cast<std::size_t>(name)];
}

const char* theme_title(ThemeName name) {
  if (name == ThemeName::HighContrast) return base::tr("high contrast");
  return name == ThemeName::Light ? base::tr("light") : base::tr("dark");
}

ThemeName next_theme(ThemeName name) { return kThemes[(static_cast<std::size_t>(name) + 1) % kThemes.size()]; }

ThemeName parse_theme(std::string_view text) {
  for (const ThemeName name : kThemes) {
    if (text == theme_key(name)) return name;
  }
  throw base::UsageError(base::tr("unknown theme '{}' (allowed: dark, light, high-contrast)", text));
}

std::uint32_t with_alpha(std::uint32_t colour, float alpha) {
  const long byte = std::lround(255.0f * std::clamp(alpha, 0.0f, 1.0f));
  return (colour & 0x00ffffffu) | static_cast<std::uint32_t>(byte) << 24;
}

std::uint32_t mix(std::uint32_t a, std::uint32_t b, float amount) {
  const Rgb x = split(a), y = split(b);
  const double t = std::clamp(static_cast<double>(amount), 0.0, 1.0);
  const double alpha = static_cast<double>(a >> 24) + (static_cast<double>(b >> 24) - static_cast<double>(a >> 24)) * t;
  return join({x.r + (y.r - x.r) * t, x.g + (y.g - x.g) * t, x.b + (y.b - x.b) * t}, alpha);
}

double contrast(std::uint32_t a, std::uint32_t b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

}  // namespace lanescope::ui
