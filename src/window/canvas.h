// Everything a panel needs for drawing.
#pragma once

#include "render/fonts.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

class PlotRenderer;
class SpanRenderer;

struct Canvas {
  ShellState& state;
  const Theme& theme;
  const Fonts& fonts;
  float scale;  ///< font scale; lengths are multiplied by it
  SpanRenderer& spans;
  PlotRenderer& plots;
};

}  // namespace lanescope::ui
