#include "render/grounds.h"

#include "render/gl.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace lanescope::ui {
namespace {

std::vector<int> edges(std::span<const PixelGround> painted, int PixelGround::*from, int PixelGround::*to, int low,
                       int high) {
  std::vector<int> found{low, high};
  for (const PixelGround& ground : painted) {
    for (const int edge : {ground.*from, ground.*to}) found.push_back(std::clamp(edge, low, high));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::vector<PixelGround> flattened(std::span<const PixelGround> painted) {
  if (painted.empty()) return {};
  PixelGround whole = painted.front();
  const std::vector<int> xs = edges(painted, &PixelGround::left, &PixelGround::right, whole.left, whole.right);
  const std::vector<int> ys = edges(painted, &PixelGround::top, &PixelGround::bottom, whole.top, whole.bottom);
  const std::size_t columns = xs.size() - 1, rows = ys.size() - 1;
  // The colour of every cell between neighbouring edges, and the number of pixels per colour.
  std::vector<std::uint32_t> colours(columns * rows);
  std::map<std::uint32_t, std::int64_t> pixels;
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      std::uint32_t& colour = colours[y * columns + x];
      for (const PixelGround& ground : painted) {
        const bool inside =
            xs[x] >= ground.left && xs[x] < ground.right && ys[y] >= ground.top && ys[y] < ground.bottom;
        if (inside) colour = ground.colour;
      }
      pixels[colour] += std::int64_t{xs[x + 1] - xs[x]} * (ys[y + 1] - ys[y]);
    }
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (!pixels.empty()) whole.colour = std::max_element(pixels.begin(), pixels.end(), fewer)->first;
  std::vector<PixelGround> result{whole};
  std::vector<bool> done(colours.size());
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const std::uint32_t colour = colours[y * columns + x];
      const auto is_open = [&](std::size_t i, std::size_t k) {
        return colours[k * columns + i] == colour && !done[k * columns + i];
      };
      if (colour == whole.colour || !is_open(x, y)) continue;
      std::size_t right = x + 1, bottom = y + 1;
      while (right < columns && is_open(right, y)) ++right;
      const auto row_is_open = [&](std::size_t k) {
        for (std::size_t i = x; i < right; ++i) {
          if (!is_open(i, k)) return false;
        }
        return true;
      };
      while (bottom < rows && row_is_open(bottom)) ++bottom;
      for (std::size_t k = y; k < bottom; ++k) {
        for (std::size_t i = x; i < right; ++i) done[k * columns + i] = true;
      }
      result.push_back({xs[x], ys[y], xs[right], ys[bottom], colour});
    }
  }
  return result;
}

void clear_grounds(std::span<const PixelGround> painted, int height, std::span<const PixelArea> areas) {
  if (painted.empty()) return;
  const PixelGround& all = painted.front();
  for (const PixelArea& area : areas) {
    // What covers most of this area depends on the area.
    const int left = std::max(area.left, all.left), top = std::max(area.top, all.top);
    const int right = std::min(area.right, all.right), bottom = std::min(area.bottom, all.bottom);
    if (left >= right || top >= bottom) continue;
    std::vector<PixelGround> here{{left, top, right, bottom, all.colour}};
    here.insert(here.end(), painted.begin() + 1, painted.end());
    // Clearing everything is fast; with a scissor, a software renderer draws a rectangle.
    const bool everything = left == all.left && top == all.top && right == all.right && bottom == all.bottom;
    bool first = everything;
    for (const PixelGround& g : flattened(here)) {
      const auto part = [&](int shift) { return static_cast<float>(g.colour >> shift & 255) / 255; };
      (first ? glDisable : glEnable)(GL_SCISSOR_TEST);
      if (!first) glScissor(g.left, height - g.bottom, g.right - g.left, g.bottom - g.top);
      glClearColor(part(0), part(8), part(16), 1);
      glClear(GL_COLOR_BUFFER_BIT);
      first = false;
    }
  }
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace lanescope::ui
