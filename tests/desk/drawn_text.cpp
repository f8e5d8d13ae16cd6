#include "desk/drawn_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace lanescope::ui_test {
namespace {

constexpr float kAlmost = 0.6f;  // of a pixel

struct Letter {
  const void* font;
  const ImFontGlyph* glyph;
  float space;  // the font's, in pixels
};

/// The letters by their places in the font's picture. Several fonts may share a letter.
class Letters {
 public:
  explicit Letters(const ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
    width_ = atlas.TexData->Width, height_ = atlas.TexData->Height;
    texels_.assign(static_cast<std::size_t>(width_) * height_, -1);
    for (int i = 0; i < atlas.Builder->BakedPool.Size; ++i) {
      ImFontBaked& baked = atlas.Builder->BakedPool[i];
      const ImFontGlyph* space = baked.FindGlyphNoFallback(' ');
      for (const ImFontGlyph& glyph : baked.Glyphs) add({&baked, &glyph, space ? space->AdvanceX : 0});
    }
#else
    width_ = atlas.TexWidth, height_ = atlas.TexHeight;
    texels_.assign(static_cast<std::size_t>(width_) * height_, -1);
    for (const ImFont* font : atlas.Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs) add({font, &glyph, font->GetCharAdvance(' ')});
    }
#endif
  }

  const std::vector<Letter>& at(float u, float v) const {
    static const std::vector<Letter> none;
    const int x = static_cast<int>(u * static_cast<float>(width_)),
              y = static_cast<int>(v * static_cast<float>(height_));
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return none;
    const int place = texels_[static_cast<std::size_t>(y) * width_ + x];
    return place < 0 ? none : places_[static_cast<std::size_t>(place)];
  }

 private:
  void add(const Letter& letter) {
    const ImFontGlyph& g = *letter.glyph;
    if (!g.Visible || g.U1 <= g.U0 || g.V1 <= g.V0) return;
    const auto texel = [](float part, int size) {
      return static_cast<int>(std::lround(part * static_cast<float>(size)));
    };
    const int left = texel(g.U0, width_), right = texel(g.U1, width_);
    const int top = texel(g.V0, height_), bottom = texel(g.V1, height_);
    int& place = texels_[static_cast<std::size_t>(top) * width_ + left];
    if (place < 0) {
      const int added = static_cast<int>(places_.size());
      places_.emplace_back();
      for (int y = top; y < bottom; ++y) {
        std::fill_n(texels_.begin() + static_cast<std::ptrdiff_t>(y) * width_ + left, right - left, added);
      }
    }
    if (place >= 0) places_[static_cast<std::size_t>(place)].push_back(letter);
  }

  int width_ = 0, height_ = 0;
  std::vector<int> texels_;
  std::vector<std::vector<Letter>> places_;
};

/// A letter as it is drawn: where the pen stood before it, and where it stands after it.
struct Written {
  Letter letter;
  float pen_x, pen_y, next_x, scale;
};

Written written(const Letter& letter, const ImDrawVert& low, const ImDrawVert& high) {
  const ImFontGlyph& g = *letter.glyph;
  // A part of it may be cut off.
  const float scale_x = (high.pos.x - low.pos.x) / ((high.uv.x - low.uv.x) / (g.U1 - g.U0) * (g.X1 - g.X0));
  const float scale_y = (high.pos.y - low.pos.y) / ((high.uv.y - low.uv.y) / (g.V1 - g.V0) * (g.Y1 - g.Y0));
  const float cut_x = (low.uv.x - g.U0) / (g.U1 - g.U0) * (g.X1 - g.X0);
  const float cut_y = (low.uv.y - g.V0) / (g.V1 - g.V0) * (g.Y1 - g.Y0);
  const float pen_x = low.pos.x - (g.X0 + cut_x) * scale_x;
  return {letter, pen_x, low.pos.y - (g.Y0 + cut_y) * scale_y, pen_x + g.AdvanceX * scale_x, scale_x};
}

/// Puts letters together to texts: those whose pen goes on from one to the next, over at most one space.
class Reader {
 public:
  void read(const std::vector<Letter>& same, const ImDrawVert& low, const ImDrawVert& high, const ImVec4& room) {
    std::vector<Written> now;
    bool spaced = false;
    if (low.col == colour_) {
      for (const Written& before : last_) {
        for (const Letter& letter : same) {
          if (letter.font != before.letter.font) continue;
          const Written w = written(letter, low, high);
          if (std::abs(w.pen_y - before.pen_y) > kAlmost) continue;
          const float gap = w.pen_x - before.next_x;
          const bool after_space = std::abs(gap - letter.space * w.scale) < kAlmost;
          if (std::abs(gap) >= kAlmost && !after_space) continue;
          spaced = std::abs(gap) >= kAlmost;
          now.push_back(w);
        }
      }
    }
    if (now.empty()) {
      end(room);
      for (const Letter& letter : same) now.push_back(written(letter, low, high));
      colour_ = low.col;
      text_.x = low.pos.x;
      text_.y = low.pos.y;
    }
    if (spaced) text_.text += ' ';
    base::append_utf8(text_.text, now.front().letter.glyph->Codepoint);
    text_.width = std::max(text_.width, high.pos.x - text_.x);
    const float bottom = std::max(text_.y + text_.height, high.pos.y);
    text_.y = std::min(text_.y, low.pos.y);
    text_.height = bottom - text_.y;
    last_ = std::move(now);
  }
  /// Of a text that began within `room`, where it can be seen.
  void end(const ImVec4& room) {
    const bool seen =
        text_.x < room.z && text_.x + text_.width > room.x && text_.y < room.w && text_.y + text_.height > room.y;
    if (seen && !text_.text.empty()) texts_.push_back(std::move(text_));
    text_ = {};
    last_.clear();
  }
  std::vector<DrawnText> take() { return std::move(texts_); }

 private:
  std::vector<DrawnText> texts_;
  DrawnText text_;
  std::vector<Written> last_;
  ImU32 colour_ = 0;
};

/// Two triangles that are a rectangle, as letters are drawn.
bool is_rectangle(const ImDrawIdx* i) {
  return i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[3] == i[0] && i[4] == i[0] + 2 && i[5] == i[0] + 3;
}

bool draws_letters(const ImDrawCmd& command) {
  if (command.UserCallback != nullptr) return false;
#if IMGUI_VERSION_NUM >= 19200
  return command.TexRef._TexData == ImGui::GetIO().Fonts->TexData;
#else
  return command.GetTexID() == ImGui::GetIO().Fonts->TexID;
#endif
}

DrawnTexts* the_collector = nullptr;

}  // namespace

std::vector<DrawnText> texts_of(const ImDrawData& frame) {
  const Letters letters(*ImGui::GetIO().Fonts);
  Reader reader;
  for (int n = 0; n < frame.CmdListsCount; ++n) {
    const ImDrawList& list = *frame.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (!draws_letters(command)) continue;
      const ImVec4& room = command.ClipRect;
      const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i < command.ElemCount;) {
        if (i + 6 > command.ElemCount || !is_rectangle(indices + i)) {
          reader.end(room);
          i += 3;
          continue;
        }
        const ImDrawVert &low = vertices[indices[i]], &high = vertices[indices[i + 2]];
        i += 6;
        const bool is_letter = high.uv.x > low.uv.x && high.uv.y > low.uv.y;
        const auto& same = letters.at((low.uv.x + high.uv.x) / 2, (low.uv.y + high.uv.y) / 2);
        is_letter && !same.empty() ? reader.read(same, low, high, room) : reader.end(room);
      }
      reader.end(room);
    }
  }
  return reader.take();
}

DrawnTexts::DrawnTexts() { the_collector = this; }
DrawnTexts::~DrawnTexts() { the_collector = nullptr; }

void DrawnTexts::forget() {
  texts_.clear();
  places_.clear();
}

void DrawnTexts::collect(const ImDrawData& frame) {
  if (the_collector == nullptr) return;
  for (DrawnText& drawn : texts_of(frame)) {
    the_collector->texts_.insert(drawn.text);
    the_collector->places_.push_back(std::move(drawn));
  }
}

}  // namespace lanescope::ui_test
