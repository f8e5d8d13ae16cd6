// Draws a SpanBatch with a few instanced calls: neighbours of one kind together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ui/gl/draw_target.h"
#include "ui/gl/shader_program.h"
#include "ui/span_batch.h"

struct ImDrawList;

namespace lanescope::ui {

/// Belongs to the OpenGL context that is current when it is made; make it once that exists, destroy it before it goes.
class SpanRenderer {
 public:
  SpanRenderer();
  ~SpanRenderer();
  SpanRenderer(const SpanRenderer&) = delete;
  SpanRenderer& operator=(const SpanRenderer&) = delete;

  /// Draws what lies in `clip`, blending over what is there. The GL state is afterwards as it was. Labels are not its
  /// business: see draw_labels().
  void draw(std::span<const Span> spans, const Rect& clip, const DrawTarget& target);
  void draw(const SpanBatch& batch, const Rect& clip, const DrawTarget& target) { draw(batch.spans, clip, target); }

 private:
  void draw_run(ShaderProgram& program, std::size_t first, std::size_t end, const DrawTarget& target);

  ShaderProgram program_, plain_;  // the latter knows square spans without stripes only
  unsigned vertex_array_ = 0, buffer_ = 0;
};

/// A large ground of one colour is cleared, which costs a tenth of drawing it where a processor draws: the whole pixels
/// in it, counted from the top left of the framebuffer. What is left of it are its edges.
struct ClearedGround {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::uint32_t colour = 0;
  std::vector<Span> edges;  ///< of pixels that it covers in part
};
/// The whole pixels may be none: then it is drawn as any other span.
ClearedGround cleared_ground(const Span& span, float scale);

/// Draws the batch's spans at this place in the draw list, clipped as the list is now. The spans are copied and kept
/// until the ImGui context's next frame; the renderer must live as long.
void add_to_draw_list(ImDrawList& list, SpanRenderer& renderer, const SpanBatch& batch);

}  // namespace lanescope::ui
