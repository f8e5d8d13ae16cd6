#include "render/plot_renderer.h"

#include <imgui.h>
#include "render/gl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "render/damage.h"
#include "render/draw_callback.h"
#include "render/gl_state.h"
#include "render/shader_program.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kNeighbours = 2;       // columns to each side that a pixel considers
constexpr std::size_t kTextureWidth = 1024;  // as in plot.frag
constexpr std::size_t kRunColumns = 64;      // small, so that a peak does not raise the top of many columns
constexpr std::size_t kToldColumns = 16;     // the same for telling what changes, which costs less than drawing

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
Runs to_runs(const std::vector<PixelColumn>& pixels, std::size_t run_columns, float margin, float bottom) {
  Runs runs;
  const std::size_t count = pixels.size() - 2 * kNeighbours;
  for (std::size_t first = 0; first < count; first += run_columns) {
    const std::size_t end = std::min(first + run_columns, count);
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

/// A plot in pixels of a framebuffer.
struct Drawn {
  float left, right, top, bottom, half_width, column_width;
  std::vector<PixelColumn> columns;
  Runs runs;

  Drawn(const Plot& plot, float scale, std::size_t run_columns)
      : left(plot.box.x * scale),
        right((plot.box.x + plot.box.width) * scale),
        top(plot.box.y * scale),
        bottom((plot.box.y + plot.box.height) * scale),
        half_width(plot.line_width * scale / 2),
        column_width((right - left) / static_cast<float>(plot.columns.size())),
        columns(to_pixels(plot, top, bottom)),
        runs(to_runs(columns, run_columns, half_width + 1, std::ceil(bottom + half_width + 1))) {}
  // As in the vertex shader.
  float side(float column) const { return std::floor(left + column * column_width + 0.5f); }
};

struct KeptPlot {
  PlotRenderer* renderer;
  Plot plot;
};

void draw_kept(const ImDrawList*, const ImDrawCmd* command) {
  const auto* kept = static_cast<const KeptPlot*>(command->UserCallbackData);
  kept->renderer->draw(kept->plot, callback_clip(*command), callback_target());
}

}  // namespace

struct PlotRenderer::Objects {
  ShaderProgram program{"plot"}, fill{"plot_fill"};
  unsigned vertex_array = 0, run_buffer = 0, texture = 0;

  Objects() {
    glGenVertexArrays(1, &vertex_array);
    glGenBuffers(1, &run_buffer);
    glGenTextures(1, &texture);
    glBindVertexArray(vertex_array);
    glBindBuffer(GL_ARRAY_BUFFER, run_buffer);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(Run), nullptr);
    glEnableVertexAttribArray(0);
    glVertexAttribDivisor(0, 1);
    glBindTexture(GL_TEXTURE_2D, texture);
    // Floating-point texels that are only fetched.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  }
  ~Objects() {
    glDeleteTextures(1, &texture);
    glDeleteBuffers(1, &run_buffer);
    glDeleteVertexArrays(1, &vertex_array);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
};

PlotRenderer::PlotRenderer() = default;
PlotRenderer::~PlotRenderer() = default;

void PlotRenderer::draw(const Plot& plot, const Rect& clip, const DrawTarget& target) {
  if (plot.columns.empty() || plot.box.width <= 0 || plot.box.height <= 0) return;
  const GlStateGuard guard;
  if (!set_up_drawing(clip, target)) return;
  Drawn drawn(plot, target.scale, kRunColumns);
  const auto outside = [&](const Run& run) {
    return drawn.side(run.end) <= clip.x * target.scale ||
           drawn.side(run.first) >= (clip.x + clip.width) * target.scale || run.bottom <= clip.y * target.scale ||
           run.top >= (clip.y + clip.height) * target.scale;
  };
  Runs& runs = drawn.runs;
  std::erase_if(runs.lines, outside);
  std::erase_if(runs.fills, outside);

  const auto use = [&](ShaderProgram& program) {
    glUseProgram(program.get());
    glUniform2f(program.uniform("framebuffer"), framebuffer_width(target), framebuffer_height(target));
    glUniform4f(program.uniform("box"), drawn.left, drawn.top, drawn.right, drawn.bottom);
    glUniform1f(program.uniform("column_width"), drawn.column_width);
    glUniform4fv(program.uniform("fill_colour"), 1, to_floats(plot.fill).data());
  };
  if (!objects_) objects_ = std::make_unique<Objects>();
  glBindVertexArray(objects_->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, objects_->run_buffer);
  const auto draw_runs = [](const std::vector<Run>& some) {
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(some.size() * sizeof(Run)), some.data(), GL_STREAM_DRAW);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(some.size()));
  };
  if (!runs.fills.empty() && plot.fill >> 24 != 0) {
    use(objects_->fill);
    draw_runs(runs.fills);
  }
  if (runs.lines.empty()) return;
  ShaderProgram& program = objects_->program;
  use(program);
  glUniform1i(program.uniform("columns"), 0);
  glUniform1f(program.uniform("half_width"), drawn.half_width);
  glUniform4fv(program.uniform("line_colour"), 1, to_floats(plot.line).data());
  glUniform1i(program.uniform("stepped"), plot.stepped ? 1 : 0);
  glUniform2f(program.uniform("dash"), plot.dash * target.scale, plot.dash_from * target.scale);
  glBindTexture(GL_TEXTURE_2D, objects_->texture);
  std::vector<PixelColumn>& columns = drawn.columns;
  const std::size_t rows = (columns.size() + kTextureWidth - 1) / kTextureWidth;
  columns.resize(rows * kTextureWidth);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, kTextureWidth, static_cast<GLsizei>(rows), 0, GL_RGBA, GL_FLOAT,
               columns.data());
  draw_runs(runs.lines);
}

bool tell_plot(const ImDrawCmd& command, DrawnPieces& drawn) {
  if (command.UserCallback != draw_kept) return false;
  const Plot& plot = static_cast<const KeptPlot*>(command.UserCallbackData)->plot;
  if (plot.columns.empty() || plot.box.width <= 0 || plot.box.height <= 0) return true;
  const Drawn d(plot, 1, kToldColumns);
  const std::uint64_t fill = Hash().add(plot.fill).add(d.top, d.bottom).value();
  const std::uint64_t line = Hash()
                                 .add(fill)
                                 .add(std::uint64_t{plot.line} << 1 | (plot.stepped ? 1 : 0))
                                 .add(d.left, d.column_width)
                                 .add(plot.line_width, plot.dash)
                                 .add(plot.dash_from, 0)
                                 .value();
  for (const Run& run : d.runs.lines) {
    Hash look;
    look.add(line).add(run.top, run.bottom).add(run.first, run.end);
    const auto end = static_cast<std::size_t>(run.end) + 2 * kNeighbours;
    for (auto i = static_cast<std::size_t>(run.first); i < end; ++i) {
      look.add(d.columns[i].min, d.columns[i].max).add(d.columns[i].mean, d.columns[i].known);
    }
    drawn.piece(d.side(run.first), run.top, d.side(run.end), run.bottom, look.value());
  }
  for (const Run& run : d.runs.fills) {
    drawn.uniform(d.side(run.first), run.top, d.side(run.end), run.bottom, 0, fill);
  }
  return true;
}

void add_to_draw_list(ImDrawList& list, PlotRenderer& renderer, Plot plot) {
  if (plot.columns.empty()) return;
  list.AddCallback(draw_kept, keep_until_next_frame(KeptPlot{&renderer, std::move(plot)}));
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace lanescope::ui
