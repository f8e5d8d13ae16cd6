#include "ui/gl/span_renderer.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "ui/gl/draw_callback.h"
#include "ui/gl/frame_storage.h"
#include "ui/gl/gl_state.h"

namespace lanescope::ui {
namespace {

const void* offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }

struct KeptSpans {
  SpanRenderer* renderer;
  std::vector<Span> spans;
};

void draw_kept(const ImDrawList*, const ImDrawCmd* command) {
  const auto* kept = static_cast<const KeptSpans*>(command->UserCallbackData);
  kept->renderer->draw(kept->spans, callback_clip(*command), callback_target());
}

}  // namespace

SpanRenderer::SpanRenderer() : program_("span") {
  const GlStateGuard guard;
  glGenVertexArrays(1, &vertex_array_);
  glGenBuffers(1, &buffer_);
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  // A Span goes to the GPU as it is.
  constexpr GLsizei kStride = sizeof(Span);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, kStride, offset(offsetof(Span, x0)));
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, offset(offsetof(Span, colour)));
  glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, offset(offsetof(Span, ink)));
  glVertexAttribPointer(3, 3, GL_FLOAT, GL_FALSE, kStride, offset(offsetof(Span, rounding)));
  glVertexAttribIPointer(4, 1, GL_UNSIGNED_BYTE, kStride, offset(offsetof(Span, style)));
  for (GLuint attribute = 0; attribute < 5; ++attribute) {
    glEnableVertexAttribArray(attribute);
    glVertexAttribDivisor(attribute, 1);
  }
}

SpanRenderer::~SpanRenderer() {
  glDeleteBuffers(1, &buffer_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void SpanRenderer::draw(std::span<const Span> spans, const Rect& clip, const DrawTarget& target) {
  if (spans.empty()) return;
  const GlStateGuard guard;
  if (!set_up_drawing(clip, target)) return;
  glUseProgram(program_.get());
  glUniform2f(program_.uniform("framebuffer"), framebuffer_width(target), framebuffer_height(target));
  glUniform1f(program_.uniform("scale"), target.scale);
  glBindVertexArray(vertex_array_);
  glBindBuffer(GL_ARRAY_BUFFER, buffer_);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(spans.size_bytes()), spans.data(), GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(spans.size()));
}

void add_to_draw_list(ImDrawList& list, SpanRenderer& renderer, const SpanBatch& batch) {
  if (batch.spans.empty()) return;
  list.AddCallback(draw_kept, keep_until_next_frame(KeptSpans{&renderer, batch.spans}));
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace lanescope::ui
