#include "picture/compare_picture.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/translate.h"
#include "device/device.h"
#include "picture/badge.h"
#include "picture/compare_table.h"
#include "picture/words.h"

namespace lanescope::ui {
namespace {

using base::tr;

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
    std::string foot =
        std::string("Lanescope  ·  ") + tr("hatched: the CPU waits for the GPU  ·  dashed: the GPU has nothing to run");
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
