#include "picture/compare_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/translate.h"
#include "device/device.h"
#include "picture/words.h"

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
  const analysis::Gain gain = gain_between(a, *b);
  if (where.empty() && gain.known() && !gain.per_sample) where = tr("Their iterations differ by less than 1 %.");
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

// --- compare picture -------------------------------------------------------------------------------------------------

namespace {

constexpr float kCompareMargin = 16, kCompareHead = 62, kCompareFoot = 34, kCompareBadgeHeight = 26, kTableGap = 14;
constexpr float kCompareMostLanes = 1400;  // of both together, as in a window

bool compare_simulated(const ComparePicture& p) { return p.a->facts.simulated || p.b->facts.simulated; }

std::string compare_headline(const RunSnapshot& a, const RunSnapshot& b) {
  return a.title == b.title ? tr(a.title) : tr(a.title) + std::string("  |  ") + tr(b.title);
}

std::string device_text(const RunSnapshot& a, const RunSnapshot& b) {
  const auto name = [](const RunSnapshot& run) {
    return run.facts.device_name.empty() ? run.facts.device : device::name_in_words(run.facts.device_name);
  };
  return name(a) == name(b) ? name(a) : name(a) + "  |  " + name(b);
}

}  // namespace

class CompareLayout::Composition {
 public:
  Composition(const ComparePicture& picture, const TextMeasure& fonts)
      : picture_(picture),
        fonts_(fonts),
        colours_(theme(picture.theme)),
        alignment_(picture.align, {picture.a->iterations, picture.a->typical},
                   {picture.b->iterations, picture.b->typical}),
        texts_(side_texts(*picture.a, picture.b.get(), 5)),
        rows_(difference_rows(*picture.a, picture.b.get())),
        width_(static_cast<float>(picture.width)) {
    bands_height_ = std::min(bands_.height_at(scene(), 1), kCompareMostLanes);
    head_ = picture.caption ? kCompareHead : 0;
    foot_ = picture.caption || compare_simulated(picture) ? kCompareFoot : 0;
    height_ = std::ceil(head_ + kWordsHeight + bands_height_ + kTableGap + table_height(table()) + 8 + foot_);
  }

  float width() const { return width_; }
  float height() const { return height_; }

  PictureSheet sheet() {
    PictureSheet sheet{width_, height_, colours_[Colour::Ground], {}};
    SpanBatch around;
    if (picture_.caption) add_head(around);
    float y = head_;
    add_words(compare_words(*picture_.a, picture_.b.get()), colours_, fonts_, 1, {0, y, width_, kWordsHeight}, around);
    y += kWordsHeight;
    auto [from, to] = picture_.view;
    if (to <= from) std::tie(from, to) = alignment_.first_view();
    const float left = CompareBands::kNames;
    const TimeAxis axis = TimeAxis(from, 1, left, width_ - left - CompareBands::kRightMargin).fitted(from, to);
    bands_.compose(scene(), axis, {0, y, width_, bands_height_}, 0, sheet);
    y += bands_height_ + kTableGap;
    const float table_room = height_ - y - foot_;
    add_table(table(), {0, y, width_, table_room}, 0, sheet);
    y += table_room;
    if (foot_ > 0) add_foot(y, around);
    sheet.layers.push_back({{0, 0, width_, height_}, std::move(around)});
    return sheet;
  }

 private:
  BandsScene scene() const {
    return {*picture_.a, picture_.b.get(), alignment_, texts_, colours_, fonts_, 1, {}, &picture_.colouring};
  }
  TableScene table() const { return {rows_, true, colours_, fonts_}; }

  void add_badge(float y, SpanBatch& out) const {
    const trace::RunFacts& facts = picture_.a->facts.simulated ? picture_.a->facts : picture_.b->facts;
    const std::string says = badge_text(picture_.a->facts, picture_.b->facts);
    const float width = text_width(fonts_, FontRole::BodyBold, says) + 36;
    const float x = width_ - kCompareMargin - width;
    out.solid(x, y, x + width, y + kCompareBadgeHeight,
              colours_[facts.simulated ? Colour::Simulated : Colour::PanelRaised], 5);
    out.add({x, y, width, colours_[facts.simulated ? Colour::SimulatedInk : Colour::Text], FontRole::BodyBold, says,
             kCompareBadgeHeight, LabelAlign::Centre});
  }

  void add_head(SpanBatch& out) const {
    const RunSnapshot &a = *picture_.a, &b = *picture_.b;
    out.add({kCompareMargin, 12, width_ - 360, colours_[Colour::Text], FontRole::Title, compare_headline(a, b), 26});
    out.add({kCompareMargin, 36, width_ - 2 * kCompareMargin, colours_[Colour::Muted], FontRole::Small,
             device_text(a, b) + "   ·   " + shared_settings(a, b), 18});
    out.solid(0, kCompareHead - 3, width_, kCompareHead - 2, colours_[Colour::Line]);
    add_badge(12, out);
  }

  void add_foot(float y, SpanBatch& out) const {
    if (!picture_.caption) return add_badge(y + (kCompareFoot - kCompareBadgeHeight) / 2, out);
    out.solid(0, y, width_, y + 1, colours_[Colour::Line]);
    std::string foot = std::string("Lanescope  ·  ") + tr("hatched: the CPU waits; in colour as far as the GPU idles "
                                                          "because of it  ·  dashed: the GPU has nothing to run");
    if (const std::string said = colouring_text(picture_.colouring); !said.empty()) foot += "  ·  " + said;
    if (compare_simulated(picture_)) {
      const bool both = picture_.a->facts.simulated && picture_.b->facts.simulated;
      foot += std::string("  ·  ") + (both                          ? tr("simulated, not measured on a GPU")
                                      : picture_.a->facts.simulated ? tr("A is simulated, not measured on a GPU")
                                                                    : tr("B is simulated, not measured on a GPU"));
    }
    out.add(
        {kCompareMargin, y, width_ - 2 * kCompareMargin, colours_[Colour::Dim], FontRole::Small, foot, kCompareFoot});
  }

  const ComparePicture& picture_;
  const TextMeasure& fonts_;
  const Theme& colours_;
  Alignment alignment_;
  SideTexts texts_;
  std::vector<DifferenceRow> rows_;
  CompareBands bands_;
  float width_ = 0, height_ = 0, head_ = 0, foot_ = 0, bands_height_ = 0;
};

CompareLayout::CompareLayout(const ComparePicture& picture, const TextMeasure& fonts)
    : composition_(std::make_unique<Composition>(picture, fonts)), scale_(picture.scale) {}
CompareLayout::~CompareLayout() = default;

int CompareLayout::height() const { return static_cast<int>(composition_->height()); }

PictureSize CompareLayout::size() const {
  return {static_cast<int>(std::lround(composition_->width() * scale_)),
          static_cast<int>(std::lround(composition_->height() * scale_))};
}

PictureSheet CompareLayout::sheet() { return composition_->sheet(); }

std::string compare_headline(const ComparePicture& picture) { return compare_headline(*picture.a, *picture.b); }

ChineseTexts compare_letters(const ComparePicture& picture) {
  ChineseTexts texts = catalogue_letters(base::language());
  texts.title += compare_headline(*picture.a, *picture.b);
  texts.body += picture.a->title + picture.b->title + picture.a->label + picture.b->label;
  return texts;
}

std::map<std::string, std::string> compare_picture_text(const ComparePicture& picture) {
  std::map<std::string, std::string> text;
  const SideTexts sides = side_texts(*picture.a, picture.b.get(), 100);
  text["Software"] = "Lanescope";
  for (const bool b : {false, true}) {
    const RunSnapshot& run = b ? *picture.b : *picture.a;
    const std::string side = b ? " B" : " A";
    text["workload" + side] = run.facts.workload;
    text["device" + side] = run.facts.device;
    text["simulated" + side] = run.facts.simulated ? "true" : "false";
    text["settings" + side] = b ? sides.b : sides.a;
    text["verdict" + side] = std::string(analysis::verdict_key(run.summary.verdict.kind));
  }
  text["Description"] = headline(*picture.a, *picture.b);
  text["table"] = markdown(*picture.a, *picture.b);
  return text;
}

}  // namespace lanescope::ui
