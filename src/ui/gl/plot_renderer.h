// Draws a line plot with a gradient under it.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/gl/draw_target.h"
#include "ui/gl/shader_program.h"

struct ImDrawList;

namespace lanescope::ui {

/// What the values in one column of pixels come to. A column of which nothing is known has a NaN mean: the line has a
/// gap.
struct PlotColumn {
  float min = 0, max = 0, mean = 0;
};

struct Plot {
  Rect box;                 ///< where it is drawn
  float low = 0, high = 1;  ///< the values at the bottom and the top of the box
  std::uint32_t line = 0;   ///< through the means; from min to max it is drawn lighter
  std::uint32_t fill = 0;  ///< under the line: its alpha holds at the top of the box and fades to nothing at the bottom
  float line_width = 1.75f;
  float dash = 0;        ///< > 0: the line is dashed, so many logical pixels on and 0.6 as many off
  float dash_from = 0;   ///< where along the axis a dash begins
  bool stepped = false;  ///< a value holds for its whole column and then jumps (a count), else it is a straight line
  std::vector<PlotColumn> columns;  ///< evenly over the box's width; one for each logical pixel looks best
};

/// Belongs to the OpenGL context that is current when it is made.
class PlotRenderer {
 public:
  PlotRenderer();
  ~PlotRenderer();
  PlotRenderer(const PlotRenderer&) = delete;
  PlotRenderer& operator=(const PlotRenderer&) = delete;

  /// Two instanced calls. The GL state is afterwards as it was.
  void draw(const Plot& plot, const Rect& clip, const DrawTarget& target);

 private:
  ShaderProgram program_, fill_;
  unsigned vertex_array_ = 0, run_buffer_ = 0, column_buffer_ = 0, texture_ = 0;
};

/// Draws the plot at this place in the draw list. It is kept until the ImGui context's next frame.
void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot);

}  // namespace lanescope::ui
