// The named colours of the window. Colours are defined nowhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::ui {

enum class Colour : std::uint8_t {
  Ground,        ///< behind the timeline
  Row,           ///< background strip of a lane or plot
  Panel,         ///< side panels, top and bottom bar
  PanelRaised,   ///< buttons, cards, fields on a panel
  PanelHovered,  ///< hovered ones
  Line,          ///< borders and separators
  Grid,          ///< the ruler's vertical lines
  Text,
  Soft,       ///< text beside what matters more
  Muted,      ///< secondary text
  Dim,        ///< tertiary text: headings in capitals, hints
  Faint,      ///< never text: tick marks, slider grooves, disabled frames
  Accent,     ///< controls, active items, links
  AccentInk,  ///< text on Accent
  Range,      ///< iteration ranges, alternating with RangeAlt
  RangeAlt,
  Phase,       ///< phase ranges
  Call,        ///< API calls, and the own cost of those that block
  Launch,      ///< cudaLaunchKernel
  Kernel,      ///< kernels
  CopyH2D,     ///< copies host to device
  CopyD2H,     ///< copies device to host: amber means that bytes move, nothing else
  CopyOther,   ///< device-to-device and other copies, memset
  Wait,        ///< harm: a wait because of which a GPU idles (hatched with WaitGround), and its figures
  WaitGround,  ///< the stripes; the range that contains such a wait
  WaitInk,     ///< text on WaitGround
  LoaderWait,  ///< stripes of a wait for another thread of the program (always hatched on LoaderWaitGround)
  LoaderWaitGround,
  NotArrived,      ///< memory read before the copy into it had ended
  Bubble,          ///< outline (dashed) and label of a bubble
  BubbleGround,    ///< inside a bubble
  Simulated,       ///< the label "SIMULATED"
  SimulatedInk,    ///< text on it
  Unknown,         ///< thin hatching of the live edge
  Selection,       ///< outline of what is selected
  SelectionLink,   ///< arrow and outline from a call to its GPU operation
  RangeSelection,  ///< a selected stretch of time (with alpha)
  Marker,          ///< a changed setting
  Good,            ///< a good verdict; done
  Shadow,          ///< under pop-ups (with alpha)
  Pill,            ///< behind a label on hatching (with alpha)
  Count
};
inline constexpr std::size_t kColourCount = static_cast<std::size_t>(Colour::Count);

enum class ThemeName : std::uint8_t { Dark, Light, HighContrast };
inline constexpr std::array<ThemeName, 3> kThemes{ThemeName::Dark, ThemeName::Light, ThemeName::HighContrast};

/// The colours of names, streams and threads: any two can be told apart by every eye (tests/render/theme_test.cpp).
inline constexpr std::size_t kCategories = 10;
/// The steps from a short event to a long one.
inline constexpr std::size_t kRampSteps = 6;

/// A colour's bytes are R, G, B, A, starting with the lowest, as in Dear ImGui.
struct Theme {
  ThemeName name = ThemeName::Dark;
  float outline = 0;      ///< line width around buttons, fields and cards; 0: no lines
  double readable = 4.5;  ///< minimum contrast of text
  std::array<std::uint32_t, kColourCount> colours{};
  std::array<std::uint32_t, kColourCount> text_colours{};
  std::array<std::uint32_t, kColourCount> ink_colours{};
  std::array<std::uint32_t, kCategories> categories{}, category_inks{};  ///< and the colours of text on them
  std::array<std::uint32_t, kRampSteps> ramp{}, ramp_inks{};             ///< from short to long

  std::uint32_t operator[](Colour colour) const { return colours[static_cast<std::size_t>(colour)]; }
  /// The same hue for text on Ground, Row, Panel and PanelRaised, with a contrast of at least `readable` on each of
  /// them.
  std::uint32_t as_text(Colour colour) const { return text_colours[static_cast<std::size_t>(colour)]; }
  /// The colour of text on a span filled with `fill`; contrast at least 4.5, or the best that black or white can give.
  std::uint32_t ink_on(Colour fill) const { return ink_colours[static_cast<std::size_t>(fill)]; }
};

const Theme& theme(ThemeName name);

/// The colours of a hatched block with an outline.
struct Hatching {
  std::uint32_t ground = 0, ink = 0, edge = 0;
};
/// Of a wait: in the colour of harm where a GPU idles because of it, faint and grey where nothing is lost.
Hatching wait_hatching(const Theme& theme, bool harmful);

/// Parses "dark", "light" or "high-contrast"; throws base::UsageError otherwise.
ThemeName parse_theme(std::string_view text);
std::string_view theme_key(ThemeName name);
/// The display name, translated: "high contrast".
const char* theme_title(ThemeName name);
/// The next theme, cyclically.
ThemeName next_theme(ThemeName name);

/// `colour` with its alpha replaced (0 to 1).
std::uint32_t with_alpha(std::uint32_t colour, float alpha);
/// Blends two colours, including alpha: 0 gives `a`, 1 gives `b`.
std::uint32_t mix(std::uint32_t a, std::uint32_t b, float amount);
/// The contrast ratio of WCAG 2, 1 to 21; alpha is ignored.
double contrast(std::uint32_t a, std::uint32_t b);

/// The layout grid in logical pixels: distances are multiples of it, or of half of it between lines that belong
/// together.
inline constexpr float kGrid = 4;

}  // namespace lanescope::ui
