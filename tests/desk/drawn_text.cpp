#include "desk/drawn_text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/plain_text.h"

namespace lanescope::ui_test {
namespace {

constexpr float kAlmost = 0.6f;  // of a pixel

struct Letter {
  const void* font;
  const ImFontGlyph* glyph;
  float space, line;  // the font's, in pixels
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
      for (const ImFontGlyph& glyph : baked.Glyphs) add({&baked, &glyph, space ? space->AdvanceX : 0, baked.Size});
    }
#else
    width_ = atlas.TexWidth, height_ = atlas.TexHeight;
    texels_.assign(static_cast<std::size_t>(width_) * height_, -1);
    for (ImFont* font : atlas.Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs) add({font, &glyph, font->GetCharAdvance(' '), font->FontSize});
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
  float begin_x;  // where the text began
};

Written written(const Letter& letter, const ImDrawVert& low, const ImDrawVert& high) {
  const ImFontGlyph& g = *letter.glyph;
  // A part of it may be cut off.
  const float scale_x = (high.pos.x - low.pos.x) / ((high.uv.x - low.uv.x) / (g.U1 - g.U0) * (g.X1 - g.X0));
  const float scale_y = (high.pos.y - low.pos.y) / ((high.uv.y - low.uv.y) / (g.V1 - g.V0) * (g.Y1 - g.Y0));
  const float cut_x = (low.uv.x - g.U0) / (g.U1 - g.U0) * (g.X1 - g.X0);
  const float cut_y = (low.uv.y - g.V0) / (g.V1 - g.V0) * (g.Y1 - g.Y0);
  const float pen_x = low.pos.x - (g.X0 + cut_x) * scale_x;
  return {letter, pen_x, low.pos.y - (g.Y0 + cut_y) * scale_y, pen_x + g.AdvanceX * scale_x, scale_x, pen_x};
}

/// Puts letters together to texts: the pen goes on from one to the next, over at most one space, or to the next line.
class Reader {
 public:
  void read(const std::vector<Letter>& same, ImDrawVert low, ImDrawVert high, const ImVec4& room) {
    // An upright text goes up: it is read as if it went to the right.
    const bool upright = high.pos.y < low.pos.y;
    if (upright != text_.upright) end(room);
    if (upright) {
      low.pos = {-low.pos.y, low.pos.x};
      high.pos = {-high.pos.y, high.pos.x};
    }
    std::vector<Written> now;
    bool space = false, next_line = false;
    for (const Written& before : last_) {
      for (const Letter& letter : same) {
        if (low.col != colour_ || letter.font != before.letter.font) continue;
        Written w = written(letter, low, high);
        const auto is_at = [&](float x, float y) {
          return std::abs(w.pen_x - x) < kAlmost && std::abs(w.pen_y - y) < kAlmost;
        };
        const bool follows = is_at(before.next_x, before.pen_y);
        const bool after_space = is_at(before.next_x + letter.space * w.scale, before.pen_y);
        const bool on_next_line = is_at(before.begin_x, before.pen_y + letter.line * w.scale);
        if (!follows && !after_space && !on_next_line) continue;
        space = !follows && after_space;
        next_line = !follows && !after_space;
        w.begin_x = before.begin_x;
        now.push_back(w);
      }
    }
    const bool begins = now.empty();
    if (begins || next_line) {
      end(room);
      text_.goes_on = next_line && !begins;
      text_.upright = upright;
      text_.x = low.pos.x;
      text_.y = low.pos.y;
    }
    if (begins) {
      for (const Letter& letter : same) now.push_back(written(letter, low, high));
      colour_ = low.col;
    }
    if (space && !begins) text_.text += ' ';
    base::append_utf8(text_.text, now.front().letter.glyph->Codepoint);
    text_.width = std::max(text_.width, high.pos.x - text_.x);
    const float bottom = std::max(text_.y + text_.height, high.pos.y);
    text_.y = std::min(text_.y, low.pos.y);
    text_.height = bottom - text_.y;
    last_ = std::move(now);
  }
  /// Of a text that began within `room`, where it can be seen.
  void end(const ImVec4& room) {
    if (text_.upright) {
      const DrawnText along = text_;
      text_.x = along.y, text_.y = -along.x - along.width;
      text_.width = along.height, text_.height = along.width;
    }
    const bool seen =
        text_.x < room.z && text_.x + text_.width > room.x && text_.y < room.w && text_.y + text_.height > room.y;
    text_.clipped = text_.x < room.x - 1 || text_.x + text_.width > room.z + 1;
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

std::optional<Letters> the_letters;
DrawnTexts* the_collector = nullptr;

}  // namespace

void letters_have_changed() { the_letters.reset(); }

std::vector<DrawnText> texts_of(const ImDrawData& frame, const std::string& window) {
#if IMGUI_VERSION_NUM >= 19200
  letters_have_changed();  // it makes each letter when it is first drawn
#endif
  if (!the_letters) the_letters.emplace(*ImGui::GetIO().Fonts);
  Reader reader;
  for (int n = 0; n < frame.CmdListsCount; ++n) {
    const ImDrawList& list = *frame.CmdLists[n];
    if (!window.empty() && (list._OwnerName == nullptr || window != list._OwnerName)) continue;
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
        const auto& same = the_letters->at((low.uv.x + high.uv.x) / 2, (low.uv.y + high.uv.y) / 2);
        is_letter && !same.empty() ? reader.read(same, low, high, room) : reader.end(room);
      }
      reader.end(room);
    }
  }
  return reader.take();
}

DrawnTexts::DrawnTexts(std::string window) : window_(std::move(window)) { the_collector = this; }
DrawnTexts::~DrawnTexts() { the_collector = nullptr; }

void DrawnTexts::forget() {
  texts_.clear();
  places_.clear();
}

void DrawnTexts::collect(const ImDrawData& frame) {
  if (the_collector == nullptr) return;
  std::string text;
  for (DrawnText& line : texts_of(frame, the_collector->window_)) {
    if (!line.goes_on) the_collector->texts_.insert(std::exchange(text, {}));
    text += (line.goes_on ? "\n" : "") + line.text;
    the_collector->places_.push_back(std::move(line));
  }
  the_collector->texts_.insert(text);
  the_collector->texts_.erase("");
}

}  // namespace lanescope::ui_test
