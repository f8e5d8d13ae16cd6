// The timeline: the rows in order, the ruler above them, and bubbles, markers, selection and the unknown edge over
// them. It prepares a batch, independent of what draws it (a window, a picture, a test).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inspect/event_ref.h"
#include "timeline/average.h"
#include "timeline/lane_layout.h"
#include "timeline/lane_order.h"
#include "timeline/lane_row.h"
#include "timeline/rect.h"
#include "timeline/run_ahead_row.h"
#include "trace/capture_health.h"

namespace lanescope::ui {

/// The user's selection: an event, a bubble, or a stretch of time.
struct Selection {
  std::optional<EventRef> event;
  std::optional<EventRef> linked;     ///< the GPU operation of the selected call, what it waited for, or the reverse
  std::optional<EventRef> came_from;  ///< the origin of a followed link, if `linked` does not lead back to it
  std::optional<analysis::Bubble> bubble;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> range;
  std::vector<trace::LaneId> lanes;  ///< with a range: only these lanes; empty: all

  void clear() { *this = {}; }
  bool empty() const { return !event && !bubble && !range; }
};

/// What is under the mouse.
struct TimelineHit {
  std::optional<EventRef> event;
  std::optional<analysis::Bubble> bubble;
  trace::LaneId lane = 0;
  std::int64_t folded_count = 0;  ///< > 1: several events share these pixels
  Nanoseconds folded_from = 0, folded_to = 0;
  double folded_busy = 0;
  bool averaged = false;                ///< the event is an averaged one
  std::optional<trace::OpenCall> open;  ///< an open call; then only the lane is set in addition
};

struct TimelineFrame {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;
  const Theme& theme;
  Nanoseconds live_edge = 0;
  bool live = false;             ///< there is an unknown edge
  Nanoseconds label_origin = 0;  ///< zero of the ruler's labels
  const Selection* selection = nullptr;
  float scale = 1;
  float scroll = 0;  ///< rows are moved up by this
  std::span<const trace::OpenCall> open_calls{};
  Nanoseconds now = 0;                      ///< end of open calls
  const LaneLayout* layout = nullptr;       ///< the user's arrangement of the lanes; null: the default
  const AveragePicture* average = nullptr;  ///< drawn instead of the events, on the lanes it has
  Nanoseconds average_at = 0;               ///< the position of its time 0
  double seconds = 0;                       ///< since the last frame, for smooth changes of heights; 0: change at once
  const Colouring* colouring = nullptr;     ///< what the colours say; null: the kinds
};

/// A row with its name, as last drawn.
struct LanePlace {
  std::string key;                    ///< key in a LaneLayout
  std::optional<trace::LaneId> lane;  ///< empty: the run-ahead curve
  std::string name, full_name;        ///< "kernels", "GPU 0 · stream 7 · kernels"
  std::string group;                  ///< key in a LaneLayout
  Rect rect;                          ///< label column and row
  bool pinned = false, folded = false;
  bool stands_still = false;  ///< pinned, and there is space for it
};

/// The heading of a group of lanes, as last drawn.
struct HeadingPlace {
  std::string group;  ///< key in a LaneLayout
  std::string text;
  Rect rect;  ///< over label column and lanes
  std::size_t lanes = 0;
  bool folded = false, sticks = false;
};

/// Lanes and names that scroll below the fixed ones.
struct ScrolledLanes {
  SpanBatch rows, names;
};

class Timeline {
 public:
  static constexpr float kRulerHeight = 30;
  static constexpr float kLabelWidth = 118;
  static constexpr float kHiddenNoteHeight = 28;  ///< at the bottom of the names, while lanes are hidden

  /// Creates rows for new lanes, in the layout's order. Cheap if nothing has changed.
  void sync(const trace::Trace& trace, const LaneLayout* layout = nullptr);
  void clear();

  /// The total height of all rows, including the ruler.
  float content_height(const TimelineFrame& frame, const TimeAxis& axis) const;
  /// Fills `rows` (whoever draws it clips it to the area below the ruler), `top` (ruler and flags, never scrolled) and
  /// `names` (left of the lanes). `area` covers label column and lanes; the axis starts after the label column.
  ///
  /// If there are fixed parts (pinned lanes, the heading of the current group), the scrolling lanes are in scrolled():
  /// draw these before `rows` and `names`, clipped to the area below fixed_bottom().
  void prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  const ScrolledLanes& scrolled() const { return scrolled_; }
  float fixed_bottom() const { return fixed_bottom_; }
  /// Heights and places are still changing.
  bool moving() const { return moving_; }
  const SpanBatch& rows() const { return rows_batch_; }
  const SpanBatch& top() const { return top_batch_; }
  const SpanBatch& names() const { return names_batch_; }
  /// For drawing over the lanes after prepare(): see MarkSurface.
  SpanBatch& rows() { return rows_batch_; }
  SpanBatch& top() { return top_batch_; }

  /// As last prepared.
  EventColours& colours() { return colours_; }
  std::optional<TimelineHit> hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const;
  /// Where a lane was last drawn, even if scrolled out of view; for tests, hints and arrows.
  std::optional<Rect> lane_rect(trace::LaneId lane) const;
  std::optional<Rect> lane_rect(const trace::Trace& trace, trace::LaneKind kind) const;
  std::size_t lane_count() const;
  /// The screen position of an event, even if outside the view; empty if its lane is hidden. If the fixed part covers
  /// it, only the uncovered rest, at least an edge.
  std::optional<Rect> event_rect(const EventRef& ref, const TimeAxis& axis) const;
  /// The row in which a GPU's bubbles are drawn.
  std::optional<Rect> bubble_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const;
  /// The lane with its row or name at this height.
  std::optional<trace::LaneId> lane_at(float y) const;
  /// The lanes that overlap this vertical range, from the top.
  std::vector<trace::LaneId> lanes_between(float y0, float y1) const;
  /// All visible lanes, from the top.
  std::vector<trace::LaneId> lanes() const;
  /// All visible rows, including the run-ahead curve, from the top.
  std::vector<LanePlace> places() const;
  /// The row or name at this height.
  std::optional<LanePlace> place_at(float y) const;
  std::optional<LanePlace> place_of(std::string_view key) const;
  std::optional<std::string> key_of(trace::LaneId lane) const;
  const std::vector<HeadingPlace>& headings() const { return headings_; }
  /// The keys of all rows, including hidden ones, as if none were pinned.
  const std::vector<std::string>& order() const { return order_; }
  /// The number of this trace's rows that the user has hidden.
  std::size_t hidden_count() const;
  /// The scroll position nearest to `scroll` that shows a lane.
  float scroll_to_show(trace::LaneId lane, float scroll) const;

 private:
  struct Placed {
    std::unique_ptr<Row> row;
    LaneRow* lane_row = nullptr;  // null for the run-ahead curve
    OrderedLane entry;
    LaneChoice choice;
    bool begins_group = false, first = false;  // among the visible ones
    bool group_folded = false;
    bool pinned = false;  // chosen, and there is space for it
    bool placed = false;
    // Current values, moving towards their targets.
    LaneRow::Shape shape;
    float before = 0, after = 0;  // space for the heading, and below
    float shift = 0;              // remaining distance from its old position after a move
    float y = 0;

    float height() const { return shape.height; }
    bool shown() const { return !choice.hidden; }
    bool folded() const { return choice.folded || group_folded; }
  };
  struct Wanted {
    LaneRow::Shape shape;
    float before = 0, after = 0;
  };

  void arrange(const trace::Trace& trace, const LaneLayout* layout);
  Wanted wanted(const Placed& placed, const RowContext& context) const;
  void place(const RowContext& context, const TimelineFrame& frame, const Rect& area);
  void mark_groups();
  void choose_pinned(const RowContext& context, float room);
  void place_headings(const TimelineFrame& frame, const Rect& area);
  bool covered(const Placed& placed, float y) const;
  LanePlace place_of(const Placed& placed) const;
  const Placed* find(trace::LaneId lane) const;
  SpanBatch& rows_of(const Placed& placed) { return placed.pinned || !splits_ ? rows_batch_ : scrolled_.rows; }
  SpanBatch& names_of(const Placed& placed) { return placed.pinned || !splits_ ? names_batch_ : scrolled_.names; }
  void add_lanes(const TimelineFrame& frame, const RowContext& context);
  void add_name(const TimelineFrame& frame, const Placed& placed);
  void add_headings(const TimelineFrame& frame);
  void add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_bubbles(const TimelineFrame& frame, const RowContext& context);
  void add_average_bubbles(const TimelineFrame& frame, const TimeAxis& axis, const Placed& kernels,
                           trace::GpuNumber gpu);
  std::optional<TimelineHit> hit_average(const TimelineFrame& frame, const TimeAxis& axis, const Placed& placed,
                                         float x, float y) const;
  void add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_unknown(const TimelineFrame& frame, const TimeAxis& axis);
  void add_open_calls(const TimelineFrame& frame, const RowContext& context);
  void add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  /// The first kernel row of a GPU, where its bubbles are drawn; null if there is none.
  const Placed* kernel_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const;
  void add_bubbles(const TimelineFrame& frame, const RowContext& context, trace::GpuNumber gpu);

  struct OpenBar {
    Rect rect;
    trace::OpenCall call;
  };

  std::vector<Placed> placed_;  // in screen order, pinned ones first
  std::vector<HeadingPlace> headings_;
  std::vector<std::string> order_;
  std::vector<OpenBar> open_bars_;
  std::size_t lanes_seen_ = 0;
  std::uint64_t layout_seen_ = 0;
  LaneGrouping grouping_ = LaneGrouping::Owner;
  bool moving_ = false, rearranged_ = false, splits_ = false;
  float pinned_bottom_ = 0, fixed_bottom_ = 0;
  Rect area_;
  EventColours colours_;
  SpanBatch rows_batch_, top_batch_, names_batch_;
  ScrolledLanes scrolled_;
};

}  // namespace lanescope::ui
