// The events of one lane. Cost depends on the pixels, not on the events: events too narrow to be visible individually
// are skipped by a search and drawn as one folded glyph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "timeline/colouring.h"
#include "timeline/span_batch.h"
#include "timeline/theme.h"
#include "timeline/time_axis.h"
#include "trace/trace.h"

namespace lanescope::ui {

// --- row -------------------------------------------------------------------------------------------------------------
// What all rows of the timeline are given: prepare (fold to pixels) ▸ draw ▸ hit-test ▸ tooltip. prepare() writes plain
// rectangles and labels to a batch; rows do not depend on OpenGL or ImGui.

class EventColours;
class Stalls;
struct Stall;

using base::Nanoseconds;

/// Common to all rows of a frame.
struct RowContext {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< for the run-ahead curve; may be null
  const TimeAxis& axis;
  const Theme& theme;
  Nanoseconds live_edge = 0;        ///< nothing is drawn beyond
  float scale = 1;                  ///< scales lengths, for large fonts
  bool live = false;                ///< more will come after the live edge
  float row_height = 0;             ///< height of the row being prepared; 0: its own height()
  EventColours* colours = nullptr;  ///< null: each event has the colour of its kind
  Stalls* stalls = nullptr;         ///< which waits cost time; null: of none is it known
  const Stall* banded = nullptr;    ///< what is written beside its band is not written on it
};

/// What is under the mouse in a row: one event, or several that share a few pixels.
struct RowHit {
  std::size_t row = 0;  ///< sub-row
  trace::EventIndex first = 0, last = 0;
  bool single() const { return last - first == 1; }
};

// --- lane row --------------------------------------------------------------------------------------------------------

class LaneRow {
 public:
  /// An event narrower than this is folded with its neighbours.
  static constexpr float kFoldPx = 3.0f;

  static constexpr float kRounding = 3.0f;  ///< of corners

  static constexpr float kUprightPx = 17.0f;  ///< least width of a kernel whose name stands

  /// Minimum width of the mark of a premature read, which is an instant.
  static constexpr float kStaleMarkPx = 10.0f;

  /// `compact`: one of many threads, drawn thin.
  explicit LaneRow(trace::LaneId lane, bool compact = false) : lane_(lane), compact_(compact) {}

  static constexpr float kFoldedHeight = 12;      ///< of a lane folded to a strip
  static constexpr float kGroupFoldedHeight = 6;  ///< of a lane whose group is folded

  /// The user's choice.
  struct Appearance {
    bool folded = false, group_folded = false;
    float factor = 1;   ///< relative to the default height
    float stretch = 1;  ///< of all lanes, to the room there is
    bool operator==(const Appearance&) const = default;
  };
  /// Geometry of the sub-rows: height of an event, distance between their tops, total height.
  struct Shape {
    float event = 0, pitch = 0, height = 0;
    bool operator==(const Shape&) const = default;
  };

  trace::LaneId lane() const { return lane_; }
  void set_look(const Appearance& look) { look_ = look; }
  Shape wanted_shape(const RowContext& context) const { return shape_for(context, look_); }
  Shape shape_for(const RowContext& context, const Appearance& look) const;
  /// Overrides the shape during a transition; otherwise prepare() uses the wanted one.
  void set_shape(const Shape& shape) { shape_ = shape; }

  float height(const RowContext& context) const { return wanted_shape(context).height; }
  void prepare(const RowContext& context, float y, SpanBatch& out);
  /// According to the last prepare(); y is relative to the row's top.
  std::optional<RowHit> hit(float x, float y) const;

  /// Discards the hit-test geometry without drawing, because something else was drawn in place of the events.
  void forget_glyphs();

  /// Distance between the tops of sub-rows, as last drawn.
  float strip_pitch() const { return drawn_.pitch; }
  const Shape& drawn() const { return drawn_; }

  /// A rectangle drawn by prepare() with its events; left to right per sub-row.
  struct Glyph {
    float x0, x1;
    std::size_t row;
    trace::EventIndex first, last;
  };
  const std::vector<Glyph>& glyphs() const { return glyphs_; }

 private:
  struct Strip;  // the place of one sub-row

  Paint paint_of(const RowContext& context, trace::LaneKind kind, const trace::Event& event, float width) const;
  std::optional<RowHit> hit_strip(std::size_t strip, float x) const;
  void prepare_strip(const RowContext& context, const Strip& strip, SpanBatch& out);
  void draw_short_time(const RowContext& context, const Strip& strip, trace::EventIndex i, float x0, float x1,
                       SpanBatch& out) const;
  void draw_event(const RowContext& context, const Strip& strip, trace::EventIndex i, float x0, float x1,
                  SpanBatch& out);
  void write_name(const RowContext& context, const Strip& strip, const trace::Event& event, float x0, float x1,
                  std::uint32_t ink, SpanBatch& out);
  float steady_width(std::size_t strip, trace::NameId name, float width, float scale);
  bool draw_block(const RowContext& context, const Strip& strip, const trace::Event& call, float x0, float x1,
                  SpanBatch& out);
  void write_on_block(const RowContext& context, const Strip& strip, const trace::Event& call, bool harmful, float x0,
                      float x1, SpanBatch& out);
  void draw_open_iteration(const RowContext& context, const Strip& strip, SpanBatch& out) const;
  void draw_host_wait(const RowContext& context, const Strip& strip, const trace::Event& wait, float x0, float x1,
                      SpanBatch& out) const;
  float draw_stale_reads(const RowContext& context, const Strip& strip, trace::EventIndex first,
                         const trace::Fold& fold, float x0, SpanBatch& out) const;
  void draw_fold(const RowContext& context, const Strip& strip, trace::EventIndex first, const trace::Fold& fold,
                 float x0, float x1, SpanBatch& out) const;

  trace::LaneId lane_;
  bool compact_;
  Appearance look_;
  std::optional<Shape> shape_;
  std::vector<Glyph> glyphs_;
  std::vector<std::size_t> strip_begin_;  // index of each sub-row's first glyph
  // The widths by which names were fitted, in this frame and in the last one: by sub-row and name, from the left.
  std::map<std::pair<std::size_t, trace::NameId>, std::vector<float>> widths_, last_widths_;
  Shape drawn_;
};

/// Significant digits of a duration on a lane: more would change from event to event.
inline constexpr int kLaneDigits = 3;
/// Of a wait, which differs more: "34 µs", "2.8 ms", "345 µs".
std::string brief_duration(Nanoseconds ns);

/// The density of a fold's events, 0 to 3: fewer than 10 per three pixels (the width of the narrowest fold), 10 or
/// more, 100 or more, 1,000 or more. Drawn as ticks along its upper edge, finer with each level.
int fold_density(std::uint64_t events, float width_px, float scale);
/// The fill colour of an event; of a blocking call, that of its own cost.
Colour event_colour(trace::LaneKind lane, const trace::Event& event);
/// The label of an event: "iteration 412", "linear_forward"; a long C++ kernel name is shortened to its function.
std::string event_label(const trace::Trace& trace, trace::LaneKind lane, const trace::Event& event);

// --- run ahead row ---------------------------------------------------------------------------------------------------
// The run-ahead curve: operations issued by the CPU and not finished by the GPU, over time (analysis::InFlight).
// Without an analysis, the row is empty.

class RunAheadRow {
 public:
  static constexpr float kHeight = 58;
  float height(const RowContext& context) const { return kHeight * context.scale; }
  void prepare(const RowContext& context, float y, SpanBatch& out);

  /// The maximum in view, as found by prepare().
  std::int64_t peak() const { return peak_; }

 private:
  std::vector<std::int64_t> columns_;
  float shown_peak_ = 4;  // of the vertical scale: grows at once, shrinks slowly, so that the curve does not jump
  std::int64_t peak_ = 0;
};

}  // namespace lanescope::ui
