#include "picture/compare_table.h"

#include <algorithm>
#include <cmath>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kGroupGap = 7;
constexpr float kLeastBars = 70;
constexpr float kNumber = 92, kTableDifference = 104, kLeastName = 150, kMostName = 250;

struct Columns {
  float name = 0, name_width = 0, a = 0, b = 0, difference = 0;  // right edges of the numbers
  float bars = 0, bars_width = 0;                                // 0: there is no space for them
};

Columns columns_of(const TableScene& scene, const Rect& area) {
  const float s = scene.scale;
  Columns c;
  c.name = area.x + 16 * s;
  const float right = area.x + area.width - CompareBands::kRightMargin * s;
  const float numbers = (2 * kNumber + kTableDifference) * s;
  const float rest = right - c.name - numbers;
  c.name_width = std::clamp(rest * 0.55f, std::min(rest, kLeastName * s), kMostName * s);
  const float bars = rest - c.name_width - 20 * s;
  if (bars < kLeastBars * s) c.name_width = rest;
  c.a = c.name + c.name_width + kNumber * s;
  c.b = c.a + kNumber * s;
  c.difference = c.b + kTableDifference * s;
  if (bars >= kLeastBars * s) {
    c.bars = c.difference + 20 * s;
    c.bars_width = bars;
  }
  return c;
}

Colour colour_of(const DifferenceRow& row) {
  const int sign = difference_sign(row);
  if (sign == 0) return Colour::Dim;
  if (row.neutral) return Colour::Text;
  return sign < 0 ? Colour::Good : Colour::Wait;
}

void add_number(const TableScene& scene, float right, float y, float height, const std::string& says,
                std::uint32_t colour, SpanBatch& out) {
  const float width = kNumber * scene.scale;
  out.add({right - width, y, width, colour, FontRole::Mono, says, height, LabelAlign::Right});
}

void add_bars(const TableScene& scene, const DifferenceRow& row, const Columns& c, float y, float height, double full,
              SpanBatch& out) {
  if (c.bars_width <= 0 || !(full > 0)) return;
  const float s = scene.scale;
  const float each = std::round(height * 0.28f);
  const float gap = std::max(1.0f, std::round(s));
  float top = y + (height - 2 * each - gap) / 2;
  for (const std::size_t side : {kSideA, kSideB}) {
    const double value = side == kSideA ? row.a : row.b;
    const auto width = static_cast<float>(value / full) * c.bars_width;
    if (value > 0) {
      out.solid(c.bars, top, c.bars + std::max(width, 2 * s), top + each, scene.theme[side_colour(side)], 1.5f * s);
    }
    top += each + gap;
  }
}

float row_gap(const std::vector<DifferenceRow>& rows, std::size_t i, float s) {
  return i > 0 && rows[i].group != rows[i - 1].group ? kGroupGap * s : 0;
}

}  // namespace

CompareWords compare_words(const RunSnapshot& a, const RunSnapshot* b) {
  if (!b) {
    analysis::Summary summary = a.summary;
    judge(summary);  // in the current language
    return {tr("A is pinned"), summary.verdict.sentence, Colour::Text};
  }
  const Better who = better(a, *b);
  const Colour colour = who == Better::B ? Colour::Good : who == Better::A ? Colour::Wait : Colour::Text;
  std::string where = where_it_went(a, *b);
  const bool known = a.mean_ns() > 0 && b->mean_ns() > 0;
  if (where.empty() && known) where = tr("Their iterations differ by less than 1 %.");
  return {headline(a, *b), std::move(where), colour};
}

void add_words(const CompareWords& words, const Theme& theme, const TextMeasure& fonts, float scale, const Rect& area,
               SpanBatch& out) {
  const float s = scale;
  const float x = area.x + 16 * s, width = area.width - 32 * s;
  const bool large = text_width(fonts, FontRole::Verdict, words.headline) <= width;
  out.add({x, area.y + 1 * s, width, theme.as_text(words.colour), large ? FontRole::Verdict : FontRole::Title,
           words.headline, 30 * s});
  const bool body = text_width(fonts, FontRole::Body, words.where) <= width;
  out.add(
      {x, area.y + 32 * s, width, theme[Colour::Text], body ? FontRole::Body : FontRole::Small, words.where, 20 * s});
}

float table_height(const TableScene& scene) {
  const float s = scene.scale;
  float height = (kTableHead + 6) * s + kTableRow * s * static_cast<float>(scene.rows.size());
  for (std::size_t i = 0; i < scene.rows.size(); ++i) height += row_gap(scene.rows, i, s);
  return height;
}

void add_table(const TableScene& scene, const Rect& area, float scroll, PictureSheet& sheet) {
  const float s = scene.scale;
  const Theme& theme = scene.theme;
  const Columns c = columns_of(scene, area);
  const float right = area.x + area.width - CompareBands::kRightMargin * s;
  SpanBatch head, body;
  const float badge = 16 * s;
  const float badge_y = area.y + (kTableHead * s - badge) / 2;
  head.add(
      {c.name, area.y, c.name_width, theme[Colour::Dim], FontRole::SmallBold, tr("PER ITERATION"), kTableHead * s});
  add_side_badge(head, theme, kSideA, c.a - badge, badge_y, badge, true);
  add_side_badge(head, theme, kSideB, c.b - badge, badge_y, badge, scene.has_b);
  head.add({c.difference - kTableDifference * s, area.y, kTableDifference * s, theme[Colour::Dim], FontRole::SmallBold,
            tr("DIFFERENCE"), kTableHead * s, LabelAlign::Right});
  head.solid(c.name, area.y + kTableHead * s - s, right, area.y + kTableHead * s, theme[Colour::Line]);

  double longest = 0;
  for (const DifferenceRow& row : scene.rows) {
    if (!row.count) longest = std::max({longest, row.a, row.b});
  }
  const float height = kTableRow * s;
  float y = area.y + (kTableHead + 3) * s - scroll;
  for (std::size_t i = 0; i < scene.rows.size(); ++i) {
    const DifferenceRow& row = scene.rows[i];
    if (const float gap = row_gap(scene.rows, i, s); gap > 0) {
      body.solid(c.name, y + gap / 2, right, y + gap / 2 + s, theme[Colour::Line]);
      y += gap;
    }
    const bool first = row.group == DifferenceGroup::Iteration;
    body.add({c.name, y, c.name_width, theme[first ? Colour::Text : Colour::Muted],
              first ? FontRole::BodyBold : FontRole::Body, row.name, height});
    add_number(scene, c.a, y, height, value_text(row, row.a), theme[Colour::Text], body);
    if (scene.has_b) {
      add_number(scene, c.b, y, height, value_text(row, row.b), theme[Colour::Text], body);
      const float width = kTableDifference * s;
      body.add({c.difference - width, y, width, theme.as_text(colour_of(row)), FontRole::Mono, difference_text(row),
                height, LabelAlign::Right});
    }
    if (!row.count) add_bars(scene, row, c, y, height, longest, body);
    y += height;
  }
  const float top = area.y + kTableHead * s;
  sheet.layers.push_back({{area.x, top, area.width, std::max(0.0f, area.y + area.height - top)}, std::move(body)});
  sheet.layers.push_back({area, std::move(head)});
}

}  // namespace lanescope::ui
