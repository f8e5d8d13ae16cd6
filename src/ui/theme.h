// The named colours of the window. Nothing else in the program writes a colour down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::ui {

enum class Colour : std::uint8_t {
  Ground,        ///< behind the timeline
  Row,           ///< a lane's or plot's own strip on the ground
  Panel,         ///< side panels, top and bottom bar
  PanelRaised,   ///< buttons, cards, fields on a panel
  PanelHovered,  ///< the same under the mouse
  Line,          ///< borders and separators
  Grid,          ///< the ruler's vertical lines
  Text,
  Muted,      ///< second rank text
  Dim,        ///< third rank text: headings in capitals, hints
  Faint,      ///< never text: tick marks, slider grooves, switched-off frames
  Accent,     ///< what can be turned, what is on, links
  AccentInk,  ///< text on Accent
  Range,      ///< iteration ranges, and every other one
  RangeAlt,
  Phase,       ///< phase ranges
  Call,        ///< API calls, own cost and return
  CallCopy,    ///< the copying part of a blocking call
  Launch,      ///< cudaLaunchKernel
  Kernel,      ///< kernels
  CopyH2D,     ///< copies host to device
  CopyD2H,     ///< copies device to host
  CopyOther,   ///< copies on one side, memset
  Wait,        ///< stripes of a wait (always hatched on WaitGround), and its figures
  WaitGround,  ///< between the stripes; the range that contains a wait
  WaitInk,     ///< text on WaitGround
  LoaderWait,  ///< stripes of a wait for another thread of the program (always hatched on LoaderWaitGround)
  LoaderWaitGround,
  NotArrived,      ///< memory that was read before the copy into it had ended
  Bubble,          ///< outline (dashed) and label of a bubble
  BubbleGround,    ///< inside a bubble
  Simulated,       ///< the label "SIMULATED"
  SimulatedInk,    ///< text on it
  Unknown,         ///< thin hatching of the live edge
  Selection,       ///< outline of what is selected
  SelectionLink,   ///< arrow and outline from a call to its GPU operation
  RangeSelection,  ///< a selected stretch of time (with alpha)
  Marker,          ///< where a knob was turned
  Good,            ///< a good verdict, done
  Shadow,          ///< under pop-ups (with alpha)
  Pill,            ///< behind a label that lies on hatching (with alpha)
  Count
};
inline constexpr std::size_t kColourCount = static_cast<std::size_t>(Colour::Count);

enum class ThemeName : std::uint8_t { Dark, Light, HighContrast };
inline constexpr std::array<ThemeName, 3> kThemes{ThemeName::Dark, ThemeName::Light, ThemeName::HighContrast};

/// Colours are in ImGui's order: the bytes R, G, B, A from the lowest.
struct Theme {
  ThemeName name = ThemeName::Dark;
  float outline = 0;      ///< the width of the line around buttons, fields and cards; 0: their ground says enough
  double readable = 4.5;  ///< the least contrast of text
  std::array<std::uint32_t, kColourCount> colours{};
  std::array<std::uint32_t, kColourCount> text_colours{};
  std::array<std::uint32_t, kColourCount> ink_colours{};

  std::uint32_t operator[](Colour colour) const { return colours[static_cast<std::size_t>(colour)]; }
  /// The same hue for text on Ground, Row, Panel and PanelRaised, with a contrast of at least `readable` on each.
  std::uint32_t as_text(Colour colour) const { return text_colours[static_cast<std::size_t>(colour)]; }
  /// The colour of text that stands on a span filled with `fill`; contrast at least 4.5, or what black and white give.
  std::uint32_t ink_on(Colour fill) const { return ink_colours[static_cast<std::size_t>(fill)]; }
};

const Theme& theme(ThemeName name);

/// "dark", "light" or "high-contrast"; throws base::UsageError.
ThemeName parse_theme(std::string_view text);
std::string_view theme_key(ThemeName name);
/// For a person: "high contrast".
const char* theme_title(ThemeName name);
/// The one after it, in a circle.
ThemeName next_theme(ThemeName name);

/// `colour` with its alpha replaced (0 to 1).
std::uint32_t with_alpha(std::uint32_t colour, float alpha);
/// Between two colours: 0 gives `a`, 1 gives `b`; alpha too.
std::uint32_t mix(std::uint32_t a, std::uint32_t b, float amount);
/// The contrast ratio of WCAG 2, 1 to 21; alpha is ignored.
double contrast(std::uint32_t a, std::uint32_t b);

/// The grid of all lengths, in logical pixels: distances are multiples of it, and halves of it only between lines that
/// belong together.
inline constexpr float kGrid = 4;

/// Colours and metrics of the current ImGui context. `scale` multiplies every size (1 for a 1600x900 window).
void apply_to_imgui(const Theme& theme, float scale);

}  // namespace lanescope::ui
