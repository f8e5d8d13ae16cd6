// Draws a SpanBatch with one instanced call.
#pragma once

#include <span>

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
  ShaderProgram program_;
  unsigned vertex_array_ = 0, buffer_ = 0;
};

/// Draws the batch's spans at this place in the draw list, clipped as the list is now. The spans are copied and kept
/// until the ImGui context's next frame; the renderer must live as long.
void add_to_draw_list(ImDrawList& list, SpanRenderer& renderer, const SpanBatch& batch);

}  // namespace lanescope::ui
