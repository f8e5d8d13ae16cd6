#include "ui/gl/plot_renderer.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "ui/gl/draw_callback.h"
#include "ui/gl/frame_storage.h"
#include "ui/gl/gl_state.h"

namespace lanescope::ui {
namespace {

constexpr int kNeighbours = 2;  // columns to each side that a column's quad looks at

struct PixelColumn {
  float min, max, mean;
};
constexpr PixelColumn kNothing{1, 0, 0};  // a mean below the min: the shader's sign for "not known"

/// Heights in pixels from the top of the framebuffer, with empty columns at both ends.
std::vector<PixelColumn> to_pixels(const Plot& plot, float top, float bottom) {
  const float range = plot.high - plot.low;
  auto y = [&](float value) {
    const float part = range != 0 ? (value - plot.low) / range : 0;
    // A value far outside stays outside, but not so far that the shader loses precision.
    return bottom - std::clamp(part, -2.0f, 3.0f) * (bottom - top);
  };
  std::vector<PixelColumn> pixels(plot.columns.size() + 2 * kNeighbours, kNothing);
  for (std::size_t i = 0; i < plot.columns.size(); ++i) {
    const PlotColumn& column = plot.columns[i];
    if (std::isnan(column.mean)) continue;
    const float mean = y(column.mean);
    const float highest = std::isnan(column.max) ? mean : std::min(mean, y(column.max));
    const float lowest = std::isnan(column.min) ? mean : std::max(mean, y(column.min));
    pixels[i + kNeighbours] = {highest, lowest, mean};
  }
  return pixels;
}

std::array<float, 4> to_floats(std::uint32_t colour) {
  std::array<float, 4> result{};
  for (unsigned i = 0; i < 4; ++i) result[i] = static_cast<float>(colour >> (8 * i) & 0xff) / 255.0f;
  return result;
}

struct KeptPlot {
  PlotRenderer* renderer;
  Plot plot;
};

void draw_kept(const ImDrawList*, const ImDrawCmd* command) {
  const auto* kept = static_cast<const KeptPlot*>(command->UserCallbackData);
  kept->renderer->draw(kept->plot, callback_clip(*command), callback_target());
}

}  // namespace

PlotRenderer::PlotRenderer() : program_("plot") {
  const GlStateGuard guard;
  glGenVertexArrays(1, &vertex_array_);
  glGenBuffers(1, &buffer_);
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  // Five views of one array, each one column further on.
  for (GLuint attribute = 0; attribute < 2 * kNeighbours + 1; ++attribute) {
    glVertexAttribPointer(attribute, 3, GL_FLOAT, GL_FALSE, sizeof(PixelColumn),
                          reinterpret_cast<const void*>(attribute * sizeof(PixelColumn)));
    glEnableVertexAttribArray(attribute);
    glVertexAttribDivisor(attribute, 1);
  }
}

PlotRenderer::~PlotRenderer() {
  glDeleteBuffers(1, &buffer_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void PlotRenderer::draw(const Plot& plot, const Rect& clip, const DrawTarget& target) {
  if (plot.columns.empty() || plot.box.width <= 0 || plot.box.height <= 0) return;
  const GlStateGuard guard;
  if (!set_up_drawing(clip, target)) return;
  const float left = plot.box.x * target.scale, right = (plot.box.x + plot.box.width) * target.scale;
  const float top = plot.box.y * target.scale, bottom = (plot.box.y + plot.box.height) * target.scale;
  const std::vector<PixelColumn> pixels = to_pixels(plot, top, bottom);

  glUseProgram(program_.get());
  glUniform2f(program_.uniform("framebuffer"), framebuffer_width(target), framebuffer_height(target));
  glUniform4f(program_.uniform("box"), left, top, right, bottom);
  glUniform1f(program_.uniform("column_width"), (right - left) / static_cast<float>(plot.columns.size()));
  glUniform1f(program_.uniform("half_width"), plot.line_width * target.scale / 2);
  glUniform4fv(program_.uniform("line_colour"), 1, to_floats(plot.line).data());
  glUniform4fv(program_.uniform("fill_colour"), 1, to_floats(plot.fill).data());
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(pixels.size() * sizeof(PixelColumn)), pixels.data(),
               GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(plot.columns.size()));
}

void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot) {
  if (plot.columns.empty()) return;
  list.AddCallback(draw_kept, keep_until_next_frame(KeptPlot{&renderer, std::move(plot)}));
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace lanescope::ui
