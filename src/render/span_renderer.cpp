#include "render/span_renderer.h"

#include <imgui.h>
#include "render/gl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "render/damage.h"
#include "render/draw_callback.h"
#include "render/gl_state.h"
#include "render/shader_program.h"

namespace lanescope::ui {
namespace {

const void* offset(std::size_t bytes) { return reinterpret_cast<const void*>(bytes); }

constexpr int kLeastCleared = 4096;        // pixels; drawing a smaller area is faster than changing the state
constexpr std::size_t kLeastPlainRun = 8;  // minimum number of spans that makes switching the program worthwhile

// A sequence of spans drawn together.
struct Piece {
  enum class Kind : std::uint8_t { Any, Plain, Clear } kind;
  std::size_t first, end;  // indices of spans
  ClearedGround ground;
};

bool is_plain(const Span& span) {
  return span.rounding <= 0 && (span.style == SpanStyle::Solid || span.style == SpanStyle::Folded);
}

bool is_ground(const Span& span) {
  return span.style == SpanStyle::Solid && span.rounding <= 0 && span.colour >> 24 == 255 &&
         (span.x1 - span.x0) * (span.y1 - span.y0) >= static_cast<float>(kLeastCleared);
}

// Splits the batch where the kind of drawing changes. The edges of cleared areas are appended to `spans`.
std::vector<Piece> to_pieces(std::span<const Span> batch, const DrawTarget& target, std::vector<Span>& spans) {
  std::vector<Piece> pieces;
  std::size_t plain = 0;  // number of plain spans at the end of the batch so far
  const auto close = [&] {
    const std::size_t first = pieces.empty() ? 0 : pieces.back().end;
    const std::size_t open = spans.size() - first;
    const std::size_t others = plain == open || plain >= kLeastPlainRun ? open - plain : open;
    if (others > 0) pieces.push_back({Piece::Kind::Any, first, first + others, {}});
    if (others < open) pieces.push_back({Piece::Kind::Plain, first + others, spans.size(), {}});
    plain = 0;
  };
  for (const Span& span : batch) {
    if (is_ground(span)) {
      ClearedGround ground = cleared_ground(span, target.scale);
      if (std::int64_t{ground.right - ground.left} * (ground.bottom - ground.top) >= kLeastCleared) {
        close();
        pieces.push_back({Piece::Kind::Clear, spans.size(), spans.size(), ground});
        spans.insert(spans.end(), ground.edges.begin(), ground.edges.end());
        plain = ground.edges.size();
        continue;
      }
    }
    if (!is_plain(span) && plain >= kLeastPlainRun) close();
    plain = is_plain(span) ? plain + 1 : 0;
    spans.push_back(span);
  }
  close();
  return pieces;
}

// Leaves out what lies outside the area. How the rest is drawn must not depend on that.
void keep_within(const PixelArea& area, float scale, std::vector<Piece>& pieces, std::vector<Span>& spans) {
  const auto left = static_cast<float>(area.left), right = static_cast<float>(area.right);
  const auto top = static_cast<float>(area.top), bottom = static_cast<float>(area.bottom);
  std::size_t kept = 0;
  for (Piece& piece : pieces) {
    const std::size_t first = kept;
    for (std::size_t i = piece.first; i < piece.end; ++i) {
      const Span& s = spans[i];
      if (s.x1 * scale > left && s.x0 * scale < right && s.y1 * scale > top && s.y0 * scale < bottom) spans[kept++] = s;
    }
    piece.first = first;
    piece.end = kept;
  }
  spans.resize(kept);
}

struct KeptSpans {
  SpanRenderer* renderer;
  std::vector<Span> spans;
};

void draw_kept_spans(const ImDrawList*, const ImDrawCmd* command) {
  const auto* kept = static_cast<const KeptSpans*>(command->UserCallbackData);
  kept->renderer->draw(kept->spans, callback_clip(*command), callback_target());
}

}  // namespace

struct SpanRenderer::Objects {
  ShaderProgram program{"span"}, plain{"span_plain"};  // the latter supports only square-cornered, unstriped spans
  unsigned vertex_array = 0, buffer = 0;

  Objects() {
    glGenVertexArrays(1, &vertex_array);
    glGenBuffers(1, &buffer);
    glBindVertexArray(vertex_array);
    for (GLuint attribute = 0; attribute < 5; ++attribute) {
      glEnableVertexAttribArray(attribute);
      glVertexAttribDivisor(attribute, 1);
    }
  }
  ~Objects() {
    glDeleteBuffers(1, &buffer);
    glDeleteVertexArrays(1, &vertex_array);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
};

SpanRenderer::SpanRenderer() = default;
SpanRenderer::~SpanRenderer() = default;

void SpanRenderer::draw(std::span<const Span> batch, const Rect& clip, const DrawTarget& target) {
  if (batch.empty()) return;
  const GlStateGuard guard;
  if (!set_up_drawing(clip, target)) return;
  std::array<GLint, 4> scissor{};
  glGetIntegerv(GL_SCISSOR_BOX, scissor.data());
  std::vector<Span> spans;
  spans.reserve(batch.size());
  std::vector<Piece> pieces = to_pieces(batch, target, spans);
  const auto height = static_cast<int>(framebuffer_height(target));
  keep_within({scissor[0], height - scissor[1] - scissor[3], scissor[0] + scissor[2], height - scissor[1]},
              target.scale, pieces, spans);
  if (!objects_) objects_ = std::make_unique<Objects>();
  glBindVertexArray(objects_->vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, objects_->buffer);
  if (!spans.empty()) {
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(spans.size() * sizeof(Span)), spans.data(), GL_STREAM_DRAW);
  }
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::Clear) {
      draw_run(piece.kind == Piece::Kind::Plain ? objects_->plain : objects_->program, piece.first, piece.end, target);
      continue;
    }
    const ClearedGround& ground = piece.ground;
    const int left = std::max(ground.left, scissor[0]);
    const int right = std::min(ground.right, scissor[0] + scissor[2]);
    const int low = std::max(height - ground.bottom, scissor[1]);
    const int high = std::min(height - ground.top, scissor[1] + scissor[3]);
    if (left >= right || low >= high) continue;
    const std::uint32_t colour = ground.colour;
    const auto part = [colour](int shift) { return static_cast<float>(colour >> shift & 255) / 255; };
    glScissor(left, low, right - left, high - low);
    glClearColor(part(0), part(8), part(16), 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glScissor(scissor[0], scissor[1], scissor[2], scissor[3]);
  }
}

void SpanRenderer::draw_run(ShaderProgram& program, std::size_t first, std::size_t end, const DrawTarget& target) {
  if (first == end) return;
  glUseProgram(program.get());
  glUniform2f(program.uniform("framebuffer"), framebuffer_width(target), framebuffer_height(target));
  glUniform1f(program.uniform("scale"), target.scale);
  // A Span is uploaded to the GPU unchanged.
  constexpr GLsizei kStride = sizeof(Span);
  const std::size_t from = first * sizeof(Span);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, kStride, offset(from + offsetof(Span, x0)));
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, offset(from + offsetof(Span, colour)));
  glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, kStride, offset(from + offsetof(Span, ink)));
  glVertexAttribPointer(3, 3, GL_FLOAT, GL_FALSE, kStride, offset(from + offsetof(Span, rounding)));
  glVertexAttribIPointer(4, 1, GL_UNSIGNED_BYTE, kStride, offset(from + offsetof(Span, style)));
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(end - first));
}

ClearedGround cleared_ground(const Span& span, float scale) {
  if (!(span.x1 > span.x0 && span.y1 > span.y0)) return {};  // also handles NaN
  ClearedGround ground;
  ground.colour = span.colour;
  // Clamped far outside any framebuffer.
  const auto whole = [](float pixels) { return static_cast<int>(std::clamp(pixels, -65536.0f, 65536.0f)); };
  ground.left = whole(std::ceil(span.x0 * scale));
  ground.top = whole(std::ceil(span.y0 * scale));
  ground.right = whole(std::floor(span.x1 * scale));
  ground.bottom = whole(std::floor(span.y1 * scale));
  if (ground.left >= ground.right || ground.top >= ground.bottom) return {};
  const float left = static_cast<float>(ground.left) / scale, right = static_cast<float>(ground.right) / scale;
  const float top = static_cast<float>(ground.top) / scale, bottom = static_cast<float>(ground.bottom) / scale;
  const auto edge = [&](float x0, float y0, float x1, float y1) {
    Span part = span;
    part.x0 = x0, part.y0 = y0, part.x1 = x1, part.y1 = y1;
    if (x1 > x0 && y1 > y0) ground.edges.push_back(part);
  };
  edge(span.x0, span.y0, span.x1, top);
  edge(span.x0, bottom, span.x1, span.y1);
  edge(span.x0, top, left, bottom);
  edge(right, top, span.x1, bottom);
  return ground;
}

bool tell_spans(const ImDrawCmd& command, DrawnPieces& drawn) {
  if (command.UserCallback != draw_kept_spans) return false;
  for (const Span& s : static_cast<const KeptSpans*>(command.UserCallbackData)->spans) {
    Hash look;
    look.add(std::uint64_t{s.colour} << 32 | s.ink).add(static_cast<std::uint64_t>(s.style));
    if (s.style == SpanStyle::Solid) {
      drawn.uniform(s.x0, s.y0, s.x1, s.y1, s.rounding, look.add(s.rounding, 0).value());
    } else {
      look.add(s.x0, s.y0).add(s.x1, s.y1).add(s.rounding, s.busy).add(s.stroke, 0);
      drawn.piece(s.x0, s.y0, s.x1, s.y1, look.value());
    }
  }
  return true;
}

void add_to_draw_list(ImDrawList& list, SpanRenderer& renderer, const SpanBatch& batch) {
  if (batch.spans.empty()) return;
  list.AddCallback(draw_kept_spans, keep_until_next_frame(KeptSpans{&renderer, batch.spans}));
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace lanescope::ui
