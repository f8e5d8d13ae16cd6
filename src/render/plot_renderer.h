// Draws a line plot with a gradient below it.
#pragma once

#include "render/draw_target.h"
#include "render/shader_program.h"
#include "timeline/plot.h"

struct ImDrawCmd;
struct ImDrawList;

namespace lanescope::ui {

class DrawnPieces;

/// Belongs to the OpenGL context that was current at its creation.
class PlotRenderer {
 public:
  PlotRenderer();
  ~PlotRenderer();
  PlotRenderer(const PlotRenderer&) = delete;
  PlotRenderer& operator=(const PlotRenderer&) = delete;

  /// Two instanced draw calls. Preserves the GL state.
  void draw(const Plot& plot, const Rect& clip, const DrawTarget& target);

 private:
  ShaderProgram program_, fill_;
  unsigned vertex_array_ = 0, run_buffer_ = 0, texture_ = 0;
};

/// Draws the plot at this position in the draw list. Keeps it until the ImGui context's next frame.
void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot);
/// Tells what such a command draws, in a framebuffer with one pixel per logical pixel. False: it is another command.
bool tell_plot(const ImDrawCmd& command, DrawnPieces& drawn);

}  // namespace lanescope::ui
