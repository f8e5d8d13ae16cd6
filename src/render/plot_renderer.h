// Draws a line plot with a gradient below it.
#pragma once

#include <memory>

#include "render/draw_callback.h"
#include "timeline/span_batch.h"

struct ImDrawCmd;
struct ImDrawList;

namespace lanescope::ui {

class DrawnPieces;

/// Belongs to the OpenGL context in which it first draws, and must be destroyed before it.
class PlotRenderer {
 public:
  PlotRenderer();
  ~PlotRenderer();
  PlotRenderer(const PlotRenderer&) = delete;
  PlotRenderer& operator=(const PlotRenderer&) = delete;

  /// Two instanced draw calls. Preserves the GL state.
  void draw(const Plot& plot, const Rect& clip, const DrawTarget& target);

 private:
  struct Objects;  // of OpenGL
  std::unique_ptr<Objects> objects_;
};

/// Draws the plot at this position in the draw list. Keeps it until the ImGui context's next frame.
void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot);
/// Tells what such a command draws, in a framebuffer with one pixel per logical pixel. False: it is another command.
bool tell_plot(const ImDrawCmd& command, DrawnPieces& drawn);

}  // namespace lanescope::ui
