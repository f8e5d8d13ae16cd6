#include "render/plot_renderer.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "render/draw_callback.h"
#include "render/frame_storage.h"
#include "render/gl_state.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kNeighbours = 2;   // columns to each side that a pixel considers
constexpr std::size_t kRunColumns = 64;  // small, so that a peak does not raise the top of many columns

/// Input of the shader: heights in pixels from the top of the framebuffer; `known` is 1 or 0.
struct PixelColumn {
  float min, max, mean, known;
};

struct Run {
  float first, end, top, bottom;
};

struct Runs {
  std::vector<Run> lines;  // where the line may be
  std::vector<Run> fills;  // completely below the line: most of a plot, and much cheaper
};

std::vector<PixelColumn> to_pixels(const Plot& plot, float top, float bottom) {
  const float range = plot.high - plot.low;
  auto y = [&](float value) {
    const float part = range != 0 ? (value - plot.low) / range : 0;
    // Limits values far outside, so that the shader does not lose precision.
    return bottom - std::clamp(part, -2.0f, 3.0f) * (bottom - top);
  };
  std::vector<PixelColumn> pixels(plot.columns.size() + 2 * kNeighbours, PixelColumn{0, 0, 0, 0});
  for (std::size_t i = 0; i < plot.columns.size(); ++i) {
    const PlotColumn& column = plot.columns[i];
    if (std::isnan(column.mean)) continue;
    const float mean = y(column.mean);
    const float highest = std::isnan(column.max) ? mean : std::min(mean, y(column.max));
    const float lowest = std::isnan(column.min) ? mean : std::max(mean, y(column.min));
    pixels[i + kNeighbours] = {highest, lowest, mean, 1};
  }
  return pixels;
}

/// Splits the columns into runs, skipping unknown ones. Nothing is drawn below `bottom`.
Runs to_runs(const std::vector<PixelColumn>& pixels, float margin, float bottom) {
  Runs runs;
  const std::size_t count = pixels.size() - 2 * kNeighbours;
  for (std::size_t first = 0; first < count; first += kRunColumns) {
    const std::size_t end = std::min(first + kRunColumns, count);
    float top = std::numeric_limits<float>::infinity(), low = -top;
    bool all_known = true;
    // The line extends into neighbouring columns, which may be higher.
    for (std::size_t i = first; i < end + 2 * kNeighbours; ++i) {
      const bool own = i >= first + kNeighbours && i < end + kNeighbours;
      if (own && pixels[i].known <= 0) all_known = false;
      if (pixels[i].known <= 0) continue;
      top = std::min(top, pixels[i].min - margin);
      low = std::max(low, pixels[i].max + margin);
    }
    if (std::isinf(top)) continue;
    const float cut = all_known ? std::min(std::ceil(low), bottom) : bottom;
    const Run line{static_cast<float>(first), static_cast<float>(end), std::floor(top), cut};
    runs.lines.push_back(line);
    if (cut < bottom) runs.fills.push_back({line.first, line.end, cut, bottom});
  }
  return runs;
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

PlotRenderer::PlotRenderer() : program_("plot"), fill_("plot_fill") {
  const GlStateGuard guard;
  glGenVertexArrays(1, &vertex_array_);
  glGenBuffers(1, &run_buffer_);
  glGenBuffers(1, &column_buffer_);
  glGenTextures(1, &texture_);
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, run_buffer_);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(Run), nullptr);
  glEnableVertexAttribArray(0);
  glVertexAttribDivisor(0, 1);
  glBindBuffer(GL_TEXTURE_BUFFER, column_buffer_);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, column_buffer_);
}

PlotRenderer::~PlotRenderer() {
  glDeleteTextures(1, &texture_);
  glDeleteBuffers(1, &column_buffer_);
  glDeleteBuffers(1, &run_buffer_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void PlotRenderer::draw(const Plot& plot, const Rect& clip, const DrawTarget& target) {
  if (plot.columns.empty() || plot.box.width <= 0 || plot.box.height <= 0) return;
  const GlStateGuard guard;
  if (!set_up_drawing(clip, target)) return;
  const float left = plot.box.x * target.scale, right = (plot.box.x + plot.box.width) * target.scale;
  const float top = plot.box.y * target.scale, bottom = (plot.box.y + plot.box.height) * target.scale;
  const float half_width = plot.line_width * target.scale / 2;
  const std::vector<PixelColumn> pixels = to_pixels(plot, top, bottom);
  const Runs runs = to_runs(pixels, half_width + 1, std::ceil(bottom + half_width + 1));
  if (runs.lines.empty()) return;

  const float column_width = (right - left) / static_cast<float>(plot.columns.size());
  const auto use = [&](ShaderProgram& program) {
    glUseProgram(program.get());
    glUniform2f(program.uniform("framebuffer"), framebuffer_width(target), framebuffer_height(target));
    glUniform4f(program.uniform("box"), left, top, right, bottom);
    glUniform1f(program.uniform("column_width"), column_width);
    glUniform4fv(program.uniform("fill_colour"), 1, to_floats(plot.fill).data());
  };
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, run_buffer_);
  const auto draw_runs = [](const std::vector<Run>& some) {
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(some.size() * sizeof(Run)), some.data(), GL_STREAM_DRAW);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(some.size()));
  };
  if (!runs.fills.empty() && plot.fill >> 24 != 0) {
    use(fill_);
    draw_runs(runs.fills);
  }
  use(program_);
  glUniform1i(program_.uniform("columns"), 0);
  glUniform1f(program_.uniform("half_width"), half_width);
  glUniform4fv(program_.uniform("line_colour"), 1, to_floats(plot.line).data());
  glUniform1i(program_.uniform("stepped"), plot.stepped ? 1 : 0);
  glUniform2f(program_.uniform("dash"), plot.dash * target.scale, plot.dash_from * target.scale);
  glBindTexture(GL_TEXTURE_BUFFER, texture_);
  glBindBuffer(GL_TEXTURE_BUFFER, column_buffer_);
  glBufferData(GL_TEXTURE_BUFFER, static_cast<GLsizeiptr>(pixels.size() * sizeof(PixelColumn)), pixels.data(),
               GL_STREAM_DRAW);
  draw_runs(runs.lines);
}

void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot) {
  if (plot.columns.empty()) return;
  list.AddCallback(draw_kept, keep_until_next_frame(KeptPlot{&renderer, std::move(plot)}));
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace lanescope::ui
