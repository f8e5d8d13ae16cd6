// Draws a SpanBatch with a few instanced draw calls: neighbours of the same kind together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "render/draw_callback.h"
#include "timeline/span_batch.h"

struct ImDrawCmd;
struct ImDrawList;

namespace lanescope::ui {

class DrawnPieces;
class ShaderProgram;

/// Belongs to the OpenGL context in which it first draws, and must be destroyed before it.
class SpanRenderer {
 public:
  SpanRenderer();
  ~SpanRenderer();
  SpanRenderer(const SpanRenderer&) = delete;
  SpanRenderer& operator=(const SpanRenderer&) = delete;

  /// Blends the part of the spans within `clip` over the existing content. Preserves the GL state. Does not draw
  /// labels: see draw_labels().
  void draw(std::span<const Span> spans, const Rect& clip, const DrawTarget& target);
  void draw(const SpanBatch& batch, const Rect& clip, const DrawTarget& target) { draw(batch.spans, clip, target); }

 private:
  void draw_run(ShaderProgram& program, std::size_t first, std::size_t end, const DrawTarget& target);

  struct Objects;  // of OpenGL
  std::unique_ptr<Objects> objects_;
};

/// A large area of uniform colour is cleared, which with software rendering costs a tenth of drawing it. These are the
/// whole pixels in it, from the top left of the framebuffer; the rest are its edges.
struct ClearedGround {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::uint32_t colour = 0;
  std::vector<Span> edges;  ///< partially covered pixels
};
/// If it contains no whole pixels, it is drawn like any other span.
ClearedGround cleared_ground(const Span& span, float scale);

/// Draws the batch's spans at this position in the draw list, with its current clip rectangle. Copies the spans and
/// keeps them until the ImGui context's next frame; the renderer must live as long.
void add_to_draw_list(ImDrawList& list, SpanRenderer& renderer, const SpanBatch& batch);
/// Tells what such a command draws, in a framebuffer with one pixel per logical pixel. False: it is another command.
bool tell_spans(const ImDrawCmd& command, DrawnPieces& drawn);

}  // namespace lanescope::ui
