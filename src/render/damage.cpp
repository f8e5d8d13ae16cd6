#include "render/damage.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "render/plot_renderer.h"
#include "render/span_renderer.h"

namespace lanescope::ui {
namespace {

constexpr int kTileWidth = 64, kTileHeight = 16;  // low, since what changes are lanes, lines of text and of plots
// Drawing some more pixels is cheaper than one area more; each one goes through all commands.
constexpr std::int64_t kWasted = 32'768;
constexpr std::size_t kMostAreas = 32;

std::int64_t pixels(const PixelArea& a) { return std::int64_t{a.right - a.left} * (a.bottom - a.top); }

bool overlap(const PixelArea& a, const PixelArea& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

PixelArea join(const PixelArea& a, const PixelArea& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}

PixelArea common(const PixelArea& a, const PixelArea& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

int whole(float px) { return static_cast<int>(std::clamp(px, -65536.0f, 65536.0f)); }

// The pixels that a command may touch: ImGui's back end rounds the size, our renderers both sides.
PixelArea clip_of(const ImDrawData& data, const ImDrawCmd& command) {
  const ImVec4 clip = command.ClipRect;
  const ImVec2 origin = data.DisplayPos;
  const ImVec2 size = data.DisplaySize;
  const float left = std::max(clip.x - origin.x, 0.0f), top = std::max(clip.y - origin.y, 0.0f);
  const float right = std::min(clip.z - origin.x, size.x), bottom = std::min(clip.w - origin.y, size.y);
  if (command.UserCallback) return {whole(left), whole(top), whole(right), whole(bottom)};
  const int height = whole(size.y);
  const int below = whole(size.y - bottom);
  return {whole(left), height - below - whole(bottom - top), whole(left) + whole(right - left), height - below};
}

/// Collects the hashes of a frame.
class Tiles final : public DrawnPieces {
 public:
  Tiles(int width, int height)
      : columns_((width + kTileWidth - 1) / kTileWidth),
        rows_((height + kTileHeight - 1) / kTileHeight),
        hashes_(static_cast<std::size_t>(columns_) * rows_),
        clip_{0, 0, width, height} {}

  void clip_to(const PixelArea& clip) {
    clip_ = clip;
    clip_hash_ = Hash()
                     .add(static_cast<std::uint64_t>(clip.left) << 32 | static_cast<std::uint32_t>(clip.top))
                     .add(static_cast<std::uint64_t>(clip.right) << 32 | static_cast<std::uint32_t>(clip.bottom))
                     .value();
  }

  void piece(float left, float top, float right, float bottom, std::uint64_t look) override {
    each(left, top, right, bottom, [&](const Tile&) { return Hash().add(look).add(clip_hash_).value(); });
  }

  void uniform(float left, float top, float right, float bottom, float rounding, std::uint64_t look) override {
    const auto edges = [](float x0, float y0, float x1, float y1) { return Hash().add(x0, y0).add(x1, y1).value(); };
    const float margin = rounding > 0 ? rounding + 1 : 0;
    each(left, top, right, bottom, [&](const Tile& tile) {
      const bool inside = left + margin <= tile.left && right - margin >= tile.right && top + margin <= tile.top &&
                          bottom - margin >= tile.bottom;
      // The corners of a rounded one depend on all of it.
      if (margin > 0 && !inside) return Hash().add(look).add(edges(left, top, right, bottom)).add(clip_hash_).value();
      return Hash()
          .add(look)
          .add(edges(std::max(left, tile.left), std::max(top, tile.top), std::min(right, tile.right),
                     std::min(bottom, tile.bottom)))
          .value();
    });
  }

  /// The tiles that differ, as areas within width x height.
  std::vector<PixelArea> differing(const std::vector<std::uint64_t>& others, int width, int height) const;
  /// Outside of these areas, what the tiles were: none of them differs there.
  void keep_outside(std::span<const PixelArea> areas, const std::vector<std::uint64_t>& others) {
    if (others.size() != hashes_.size()) return;
    each_outside(areas, [&](const PixelArea&, std::size_t i) { hashes_[i] = others[i]; });
  }
  /// Those outside that are drawn nevertheless are not what they were.
  void forget_outside(std::span<const PixelArea> areas, std::span<const PixelArea> drawn, std::uint64_t frame) {
    each_outside(areas, [&](const PixelArea& tile, std::size_t i) {
      const auto meets = [&](const PixelArea& area) { return overlap(tile, area); };
      if (std::ranges::any_of(drawn, meets)) hashes_[i] = Hash().add(hashes_[i]).add(frame).value();
    });
  }
  std::vector<std::uint64_t> take() { return std::move(hashes_); }

 private:
  template <typename Do>
  void each_outside(std::span<const PixelArea> areas, Do&& act) {
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        const PixelArea tile{column * kTileWidth, row * kTileHeight, (column + 1) * kTileWidth,
                             (row + 1) * kTileHeight};
        const auto meets = [&](const PixelArea& area) { return overlap(tile, area); };
        if (std::ranges::none_of(areas, meets)) act(tile, static_cast<std::size_t>(row) * columns_ + column);
      }
    }
  }

  struct Tile {
    float left, top, right, bottom;  // of the part that may be drawn to
  };

  template <typename HashIn>
  void each(float left, float top, float right, float bottom, HashIn&& hash_in) {
    const int x0 = std::max(whole(std::floor(left)), clip_.left), x1 = std::min(whole(std::ceil(right)), clip_.right);
    const int y0 = std::max(whole(std::floor(top)), clip_.top), y1 = std::min(whole(std::ceil(bottom)), clip_.bottom);
    if (x0 >= x1 || y0 >= y1) return;
    const auto px = [](int at) { return static_cast<float>(at); };
    for (int row = y0 / kTileHeight; row <= (y1 - 1) / kTileHeight; ++row) {
      for (int column = x0 / kTileWidth; column <= (x1 - 1) / kTileWidth; ++column) {
        const Tile tile{px(std::max(column * kTileWidth, clip_.left)), px(std::max(row * kTileHeight, clip_.top)),
                        px(std::min((column + 1) * kTileWidth, clip_.right)),
                        px(std::min((row + 1) * kTileHeight, clip_.bottom))};
        std::uint64_t& hash = hashes_[static_cast<std::size_t>(row) * columns_ + column];
        hash = Hash().add(hash).add(hash_in(tile)).value();
      }
    }
  }

  int columns_, rows_;
  std::vector<std::uint64_t> hashes_;
  PixelArea clip_;
  std::uint64_t clip_hash_ = 0;
};

// Joins overlapping areas, and the two whose union wastes least while there are too many.
void join_some(std::vector<PixelArea>& areas) {
  for (;;) {
    std::size_t best_a = 0, best_b = 0;
    std::int64_t least = areas.size() > kMostAreas ? std::numeric_limits<std::int64_t>::max() : kWasted;
    for (std::size_t a = 0; a < areas.size(); ++a) {
      for (std::size_t b = a + 1; b < areas.size(); ++b) {
        const std::int64_t wasted = overlap(areas[a], areas[b])
                                        ? std::numeric_limits<std::int64_t>::min()
                                        : pixels(join(areas[a], areas[b])) - pixels(areas[a]) - pixels(areas[b]);
        if (wasted < least) least = wasted, best_a = a, best_b = b;
      }
    }
    if (best_b == 0) return;
    areas[best_a] = join(areas[best_a], areas[best_b]);
    areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(best_b));
  }
}

std::vector<PixelArea> Tiles::differing(const std::vector<std::uint64_t>& others, int width, int height) const {
  if (others.size() != hashes_.size()) return {{0, 0, width, height}};
  std::vector<PixelArea> areas;
  for (int row = 0; row < rows_; ++row) {
    const auto differs = [&](int column) {
      const std::size_t i = static_cast<std::size_t>(row) * columns_ + column;
      return hashes_[i] != others[i];
    };
    for (int column = 0; column < columns_; ++column) {
      if (!differs(column)) continue;
      int end = column + 1;
      while (end < columns_ && differs(end)) ++end;
      const PixelArea run{column * kTileWidth, row * kTileHeight, std::min(end * kTileWidth, width),
                          std::min((row + 1) * kTileHeight, height)};
      // Most belong to an area that ends just above.
      const auto fits = [&](const PixelArea& area) {
        return pixels(join(area, run)) - pixels(area) - pixels(run) < kWasted / 4;
      };
      const auto area = std::find_if(areas.rbegin(), areas.rend(), fits);
      if (area == areas.rend()) {
        areas.push_back(run);
      } else {
        *area = join(*area, run);
      }
      column = end;
    }
  }
  if (areas.size() > 4 * kMostAreas) {  // scattered all over: joining them one by one would take longer than drawing
    for (const PixelArea& area : areas) areas.front() = join(areas.front(), area);
    areas.resize(1);
  }
  join_some(areas);
  return areas;
}

// Images may change behind their number; letters do not.
bool is_font(const ImDrawCmd& command) {
#if IMGUI_VERSION_NUM >= 19200
  return command.TexRef._TexData != nullptr;
#else
  return command.GetTexID() == ImGui::GetIO().Fonts->TexID;
#endif
}

Hash& add_vertex(Hash& hash, const ImDrawVert& vertex) {
  return hash.add(vertex.pos.x, vertex.pos.y).add(vertex.uv.x, vertex.uv.y).add(vertex.col);
}

void add_triangles(Tiles& tiles, const ImDrawData& data, const ImDrawList& list, const ImDrawCmd& command,
                   std::uint64_t texture) {
  const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImVec2 origin = data.DisplayPos;
  for (unsigned i = 0; i + 3 <= command.ElemCount;) {
    // Letters and rectangles are two triangles with a common side.
    const bool two = i + 6 <= command.ElemCount && index[i + 3] == index[i] && index[i + 4] == index[i + 2];
    const std::array<const ImDrawVert*, 4> corners{&vertices[index[i]], &vertices[index[i + 1]],
                                                   &vertices[index[i + 2]], &vertices[index[two ? i + 5 : i + 2]]};
    Hash hash;
    hash.add(texture);
    float left = corners[0]->pos.x, right = left, top = corners[0]->pos.y, bottom = top;
    for (const ImDrawVert* v : corners) {
      add_vertex(hash, *v);
      left = std::min(left, v->pos.x);
      right = std::max(right, v->pos.x);
      top = std::min(top, v->pos.y);
      bottom = std::max(bottom, v->pos.y);
    }
    tiles.piece(left - origin.x, top - origin.y, right - origin.x, bottom - origin.y, hash.value());
    i += two ? 6 : 3;
  }
}

}  // namespace

Hash& Hash::add(float a, float b) {
  return add(std::uint64_t{std::bit_cast<std::uint32_t>(a)} << 32 | std::bit_cast<std::uint32_t>(b));
}

std::vector<PixelArea> Damage::since_last_frame(const ImDrawData& data, std::span<const PixelGround> grounds, int width,
                                                int height, std::span<const PixelArea> only) {
  if (width != width_ || height != height_) forget();
  width_ = width;
  height_ = height;
  ++frame_;
  Tiles tiles(width, height);
  for (const PixelGround& ground : grounds) {
    const auto px = [](int at) { return static_cast<float>(at); };
    tiles.uniform(px(ground.left), px(ground.top), px(ground.right), px(ground.bottom), 0, ground.colour);
  }
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback == ImDrawCallback_ResetRenderState) continue;
      const PixelArea clip = clip_of(data, command);
      if (clip.left >= clip.right || clip.top >= clip.bottom) continue;
      tiles.clip_to(clip);
      const bool known =
          command.UserCallback ? tell_spans(command, tiles) || tell_plot(command, tiles) : is_font(command);
      if (!command.UserCallback) {
        add_triangles(tiles, data, list, command, known ? 0 : frame_);
      } else if (!known) {
        tiles.piece(static_cast<float>(clip.left), static_cast<float>(clip.top), static_cast<float>(clip.right),
                    static_cast<float>(clip.bottom), frame_);
      }
    }
  }
  if (!only.empty()) tiles.keep_outside(only, last_);
  std::vector<PixelArea> areas = tiles.differing(last_, width, height);
  if (!only.empty()) tiles.forget_outside(only, areas, frame_);
  last_ = tiles.take();
  return areas;
}

void restrict_to(ImDrawData& data, std::span<const PixelArea> areas) {
  for (int n = 0; n < data.CmdListsCount; ++n) {
    ImDrawList& list = *data.CmdLists[n];
    ImVector<ImDrawCmd> restricted;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback == ImDrawCallback_ResetRenderState) {
        restricted.push_back(command);
        continue;
      }
      const PixelArea clip = clip_of(data, command);
      for (const PixelArea& area : areas) {
        const PixelArea part = common(clip, area);
        if (part.left >= part.right || part.top >= part.bottom) continue;
        restricted.push_back(command);
        const ImVec2 origin = data.DisplayPos;
        restricted.back().ClipRect =
            ImVec4(static_cast<float>(part.left) + origin.x, static_cast<float>(part.top) + origin.y,
                   static_cast<float>(part.right) + origin.x, static_cast<float>(part.bottom) + origin.y);
      }
    }
    list.CmdBuffer.swap(restricted);
  }
}

// --- coarseness ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kSmoothing = 0.1;     // of a frame: about ten slow ones in a row make a difference
constexpr double kMostOfOne_ms = 100;  // one long pause is not a busy machine
constexpr double kPatience_s = 2, kMostPatience_s = 64;

}  // namespace

void Coarseness::frame(double now_s, double interval_ms) {
  ++turn_;
  smoothed_ms_ += (std::min(interval_ms, kMostOfOne_ms) - smoothed_ms_) * kSmoothing;
  interval_ms_ += (interval_ms - interval_ms_) * kSmoothing;
  if (!coarse_ && smoothed_ms_ > kSlow_ms) {
    // Right after it became fine again: then all takes far longer than the lanes do, and is not to be tried again so
    // soon.
    patience_s_ = now_s - fine_s_ < 10 ? std::min(2 * patience_s_, kMostPatience_s) : kPatience_s;
    coarse_ = true;
    busy_s_ = now_s;
  } else if (coarse_ && smoothed_ms_ >= kSpare_ms) {
    busy_s_ = now_s;
  } else if (coarse_ && now_s - busy_s_ > patience_s_) {
    coarse_ = false;
    fine_s_ = now_s;
  }
}

}  // namespace lanescope::ui
