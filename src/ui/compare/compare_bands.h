// The lanes of two runs below each other on one clock, as plain rectangles and labels: for the window, and for
// pictures.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ui/compare/alignment.h"
#include "ui/compare/difference.h"
#include "ui/fonts.h"
#include "ui/picture_sheet.h"
#include "ui/timeline.h"

namespace lanescope::ui {

/// Both runs, in one colour each: A, which was before, is pale; B, which is now, has the colour of what can be turned.
Colour side_colour(std::size_t side);
/// The letter on its ground, `size` high and wide.
void add_side_badge(SpanBatch& out, const Theme& theme, std::size_t side, float x, float y, float size, bool there);

struct BandsScene {
  const RunSnapshot& a;
  const RunSnapshot* b = nullptr;  ///< none yet: `hint` stands in its place
  const Alignment& alignment;
  const SideTexts& texts;
  const Theme& theme;
  const Fonts& fonts;
  float scale = 1;
  std::string hint{};

  const RunSnapshot* side(std::size_t which) const { return which == kSideA ? &a : b; }
};

/// Where things are.
struct BandsPlaces {
  Rect ruler, difference;
  std::array<Rect, 2> heads, marks, lanes;  ///< label column and lanes
  float overflow = 0;                       ///< lanes that did not fit, and can be scrolled
};

struct BandsHit {
  std::size_t side = 0;
  TimelineHit hit;
  Nanoseconds since_ns = 0;  ///< from the start of its iteration, of an event
};

class CompareBands {
 public:
  /// Left of the axis: the lanes' names.
  static constexpr float kNames = Timeline::kLabelWidth;
  static constexpr float kRightMargin = 16;

  /// Call when A or B is another one.
  void clear();
  static constexpr float kTallest = 1.6f;
  /// The height that all of it needs with lanes of so many times their usual height.
  float height_at(const BandsScene& scene, float factor);
  /// With the tallest lanes that fit into `most`, but not lower than usual.
  float fitting_height(const BandsScene& scene, float most);
  /// With the lowest lanes that can be read, or some of them.
  float least_height(const BandsScene& scene);
  /// Fills the sheet, no higher than `area`: lanes become taller or lower with it, and what does not fit then is
  /// scrolled. `axis` is in the common time, with a whole nanosecond at its left.
  BandsPlaces compose(const BandsScene& scene, const TimeAxis& axis, const Rect& area, float scroll,
                      PictureSheet& sheet);
  /// What is at this point; as of the last compose().
  std::optional<BandsHit> hit(const BandsScene& scene, const TimeAxis& axis, float x, float y);

 private:
  struct Lanes {
    Timeline timeline;
    LaneLayout layout;
    std::uint64_t of = 0;  // the run's number
    float factor = 0;
    std::map<std::pair<float, float>, float> heights;  // by factor and scale: asked for in every frame
    float y = 0, height = 0;                           // of the part that is seen
  };

  void lay_out(const RunSnapshot& run, Lanes& lanes, float factor) const;
  float lanes_height(const BandsScene& scene, std::size_t side, float factor);
  TimelineFrame frame(const BandsScene& scene, const RunSnapshot& run) const;
  void add_lanes(const BandsScene& scene, std::size_t side, const TimeAxis& axis, const Rect& area,
                 PictureSheet& sheet);

  std::array<Lanes, 2> lanes_;
  float scroll_ = 0, factor_ = 1;  // as composed
};

}  // namespace lanescope::ui
