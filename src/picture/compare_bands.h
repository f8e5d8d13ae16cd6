// The lanes of two runs, one above the other on a common time axis, as plain rectangles and labels: for the window and
// for pictures.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "inspect/alignment.h"
#include "inspect/difference.h"
#include "picture/picture.h"
#include "timeline/text.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

/// The colours of the runs: A (before) is pale, B (after) has the accent colour.
Colour side_colour(std::size_t side);
/// The side's letter on a background, `size` high and wide.
void add_side_badge(SpanBatch& out, const Theme& theme, std::size_t side, float x, float y, float size, bool there);

struct BandsScene {
  const RunSnapshot& a;
  const RunSnapshot* b = nullptr;  ///< null: none yet, and `hint` is shown instead
  const Alignment& alignment;
  const SideTexts& texts;
  const Theme& theme;
  const TextMeasure& fonts;
  float scale = 1;
  std::string hint{};
  const Colouring* colouring = nullptr;  ///< null: by kind

  const RunSnapshot* side(std::size_t which) const { return which == kSideA ? &a : b; }
};

/// The positions of the parts.
struct BandsPlaces {
  Rect ruler, difference;
  std::array<Rect, 2> heads, marks, lanes;  ///< label column and lanes
  float overflow = 0;                       ///< height of the lanes that did not fit and can be scrolled
};

struct BandsHit {
  std::size_t side = 0;
  TimelineHit hit;
  Nanoseconds since_ns = 0;  ///< of an event: from the start of its iteration
};

class CompareBands {
 public:
  /// Space for the lanes' names, left of the axis.
  static constexpr float kNames = Timeline::kLabelWidth;
  static constexpr float kRightMargin = 16;

  /// Call when A or B has been replaced.
  void clear();
  static constexpr float kTallest = 1.6f;
  /// The total height with lanes of `factor` times their default height.
  float height_at(const BandsScene& scene, float factor);
  /// The height with the tallest lanes that fit into `most`, but no lower than the default.
  float fitting_height(const BandsScene& scene, float most);
  /// The height with the lowest readable lanes, or some of them.
  float least_height(const BandsScene& scene);
  /// Fills the sheet, at most as high as `area`: the lanes' height adapts, and what still does not fit scrolls. `axis`
  /// is in common time, with a whole nanosecond at its left edge.
  BandsPlaces compose(const BandsScene& scene, const TimeAxis& axis, const Rect& area, float scroll,
                      PictureSheet& sheet);
  /// What is at this point, according to the last compose().
  std::optional<BandsHit> hit(const BandsScene& scene, const TimeAxis& axis, float x, float y);

 private:
  struct Lanes {
    Timeline timeline;
    LaneLayout layout;
    std::uint64_t of = 0;  // the run's number
    float factor = 0;
    std::map<std::pair<float, float>, float> heights;  // by factor and scale: needed in every frame
    float y = 0, height = 0;                           // of the visible part
  };

  void lay_out(const RunSnapshot& run, Lanes& lanes, float factor) const;
  float lanes_height(const BandsScene& scene, std::size_t side, float factor);
  TimelineFrame frame(const BandsScene& scene, const RunSnapshot& run) const;
  void add_lanes(const BandsScene& scene, std::size_t side, const TimeAxis& axis, const Rect& area,
                 PictureSheet& sheet);

  std::array<Lanes, 2> lanes_;
  float scroll_ = 0, factor_ = 1;  // as last composed
};

// --- bands marks -----------------------------------------------------------------------------------------------------
// What is drawn over and between the lanes of two runs: the ruler, the start and end of iterations, and their
// difference.

/// The axis of a piece on the screen, in the run's own time; empty if it is out of view.
std::optional<TimeAxis> axis_of(const Alignment::Piece& piece, const TimeAxis& axis);
/// The zero of the ruler, in the run's own time: the start of the piece's iteration; when aligned by time, the start of
/// the typical iteration.
Nanoseconds label_origin(const Alignment& alignment, const Alignment::Piece& piece);

void add_bands_ruler(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// A bar for each iteration with its length, and a line through the lanes at its end. Time in which one run has
/// finished before the other is coloured.
void add_iteration_marks(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// A bracket from the end of one run's typical iteration to that of the other.
void add_bracket(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);

}  // namespace lanescope::ui
